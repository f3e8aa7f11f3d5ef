package eventtest

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var begins = time.Date(2026, 1, 2, 20, 0, 0, 0, time.UTC)

// arena is an arena of four players who have played six matches, and what everybody read of it at the end.
func arena() (before Page, end End) {
	at := func(s int) time.Time { return begins.Add(time.Duration(s) * time.Second) }
	final := Page{Code: "K7QM2X", Kind: "arena", State: Over, Winner: "ana", Rated: true, Begins: begins, Ends: at(61), Pairings: []Pairing{
		{1, 1, "ana", "rui", "m1", "", "first"},
		{1, 2, "bia", "eva", "m2", "", "draw"},
		{1, 3, "bia", "ana", "m3", "", "second"},
		{1, 4, "eva", "rui", "m4", "", "second"},
		{1, 5, "ana", "rui", "m5", "", "first"}, // ana's third win in a row
		{1, 6, "bia", "eva", "m6", "", "first"},
	}, Standing: []Place{
		{Rank: 1, Name: "ana", Points: 8, Tiebreaks: []float64{3}, Streak: 3},
		{Rank: 2, Name: "bia", Points: 3, Tiebreaks: []float64{1}, Streak: 1},
		{Rank: 3, Name: "rui", Points: 2, Tiebreaks: []float64{1}},
		{Rank: 4, Name: "eva", Points: 1, Tiebreaks: []float64{0}},
	}}
	before = final
	before.State, before.Winner, before.Ends = Running, "", at(50)
	before.Pairings = slices.Clone(final.Pairings[:4])
	before.Pairings[3].Result = ""
	before.Standing = []Place{
		{Rank: 1, Name: "ana", Points: 4, Tiebreaks: []float64{2}, Streak: 2},
		{Rank: 2, Name: "eva", Points: 1, Tiebreaks: []float64{0}},
		{Rank: 3, Name: "bia", Points: 1, Tiebreaks: []float64{0}},
		{Rank: 4, Name: "rui", Points: 0, Tiebreaks: []float64{0}},
	}
	end = End{Pages: map[string]Page{}, History: map[string][]Match{}, Leaders: []Leader{{"ana", 3, 3, 0, 0}, {"bia", 3, 1, 1, 1}, {"rui", 3, 1, 0, 2}, {"eva", 3, 0, 1, 2}}}
	for _, name := range []string{"ana", "bia", "rui", "eva"} {
		end.Pages[name] = copied(final)
		for i, p := range final.Pairings {
			if p.Of(name) {
				round := i / 2
				end.History[name] = append(end.History[name], Match{ID: p.Match, First: p.First, Second: p.Second, Result: p.Result, Rated: true, Started: at(20 * round), Ended: at(20*round + 19)})
			}
		}
	}
	return before, end
}

// copied returns a copy of a page that shares nothing with it.
func copied(p Page) Page {
	p.Pairings, p.Standing = slices.Clone(p.Pairings), slices.Clone(p.Standing)
	return p
}

// everywhere changes what all readers read at the end.
func (e End) everywhere(change func(p *Page)) {
	for name, p := range e.Pages {
		change(&p)
		e.Pages[name] = p
	}
}

// TestCheck: an event in which nothing is wrong has no faults, and each fault is found.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(before *Page, end *End, r *Record)
		want string // part of a fault; "": there is none
	}{
		{"nothing is wrong", func(*Page, *End, *Record) {}, ""},
		{"a result that a client was told is lost", func(_ *Page, _ *End, r *Record) { r.Result("rui", "m9", "first") }, `was told that m9 ended`},
		{"a result is another one", func(_ *Page, _ *End, r *Record) { r.Result("rui", "m4", "first") }, `was told that m4 ended with "first", and the event has "second"`},
		{"two clients are told two results", func(_ *Page, _ *End, r *Record) { r.Result("eva", "m4", "second"); r.Result("rui", "m4", "draw") }, "the result of m4"},
		{"two own matches at once", func(_ *Page, _ *End, r *Record) { r.Unfinished("ana", make([]Match, 2)) }, "plays 2 matches at once"},
		{"two pairings at once", func(before *Page, _ *End, _ *Record) { before.Pairings[2].Result = ""; before.Pairings[0].Result = "" }, "ana plays m1 and m3 at once"},
		{"a pairing is lost", func(before *Page, _ *End, _ *Record) { before.Pairings[3] = Pairing{1, 4, "eva", "rui", "m8", "", ""} }, "pairing 4 is"},
		{"a result was shown and is gone", func(before *Page, end *End, _ *Record) {
			end.everywhere(func(p *Page) { p.Pairings[0].Result = "second" })
		}, "pairing 1 is"},
		{"pairings that were shown are gone", func(_ *Page, end *End, _ *Record) {
			end.everywhere(func(p *Page) { p.Pairings = p.Pairings[:3] })
		}, "the page has 3 pairings"},
		{"a match goes on for ever", func(_ *Page, end *End, _ *Record) {
			end.everywhere(func(p *Page) { p.Pairings[5].Result = "" })
		}, "bia has 3 points"},
		{"points are not those of the results", func(_ *Page, end *End, _ *Record) {
			end.everywhere(func(p *Page) { p.Standing[0].Points = 6 })
		}, "ana has 6 points, and by the results 8"},
		{"a rank is wrong", func(before *Page, _ *End, _ *Record) { before.Standing[1].Rank = 3 }, "eva has rank 3, and by the results 2"},
		{"a streak is wrong", func(before *Page, _ *End, _ *Record) { before.Standing[0].Streak = 0 }, "ana has a streak of 0"},
		{"a player has no place", func(before *Page, _ *End, _ *Record) { before.Standing = before.Standing[:3] }, "rui has played, and has no place"},
		{"one reader sees another place", func(_ *Page, end *End, _ *Record) {
			p := end.Pages["eva"]
			p.Standing[2], p.Standing[3] = p.Standing[3], p.Standing[2]
			end.Pages["eva"] = p
		}, "eva: rui stands below eva with more points"},
		{"one reader sees no end", func(_ *Page, end *End, _ *Record) {
			p := end.Pages["eva"]
			p.State = Running
			end.Pages["eva"] = p
		}, "eva: the event is shown as running"},
		{"the history lacks a match", func(_ *Page, end *End, _ *Record) { end.History["rui"] = end.History["rui"][1:] }, "rui: the history lacks"},
		{"the history has a match twice", func(_ *Page, end *End, _ *Record) {
			end.History["rui"] = append(end.History["rui"], end.History["rui"][0])
		}, "the history has m1 twice"},
		{"the history has another match", func(_ *Page, end *End, _ *Record) {
			end.History["rui"] = append(end.History["rui"], Match{ID: "m9", Started: begins.Add(time.Hour)})
		}, "a match outside the event"},
		{"the history has another result", func(_ *Page, end *End, _ *Record) { end.History["rui"][0].Result = "draw" }, "rui: the history has"},
		{"two matches overlap", func(_ *Page, end *End, _ *Record) { end.History["rui"][1].Started = begins }, "rui: m4 began"},
		{"the leaderboard counts a match twice", func(_ *Page, end *End, _ *Record) { end.Leaders[0].Won++; end.Leaders[0].Played++ }, "ana: the leaderboard counts"},
		{"a match counts for nothing", func(_ *Page, end *End, _ *Record) {
			m := &end.History["ana"][2]
			m.Weight, m.Discount = &struct{ First, Second float64 }{0, 1}, &struct{ First, Second string }{"daily_limit", ""}
			end.Leaders[0] = Leader{"ana", 2, 2, 0, 0}
		}, ""},
		{"a match counts for nothing without a reason", func(_ *Page, end *End, _ *Record) {
			m := &end.History["ana"][2]
			m.Weight, m.Discount = &struct{ First, Second float64 }{0, 1}, &struct{ First, Second string }{}
			end.Leaders[0] = Leader{"ana", 2, 2, 0, 0}
		}, "ana: the leaderboard counts"},
		{"the leaderboard lacks a player", func(_ *Page, end *End, _ *Record) { end.Leaders = end.Leaders[1:] }, "ana: the leaderboard counts"},
		{"it ends late", func(_ *Page, end *End, _ *Record) {
			end.everywhere(func(p *Page) { p.Ends = begins.Add(90 * time.Second) })
		}, "the event was over 31s after"},
		{"it ends early", func(before *Page, _ *End, _ *Record) { before.Ends = begins.Add(70 * time.Second) }, "was due to end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := NewRecord(true)
			before, end := arena()
			r.Result("ana", "m1", "first")
			tt.do(&before, &end, r)
			r.Page("ana", r.Ask(), before)
			faults := r.Check(end, 10*time.Second)
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("faults: %q", faults)
			case tt.want != "" && (len(faults) == 0 || !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, tt.want) })):
				t.Errorf("faults: %q, want %q", faults, tt.want)
			}
		})
	}
}

// TestOlderPages: on one node a page is never older than what was shown before it was asked for. On several nodes it may be.
func TestOlderPages(t *testing.T) {
	for _, oneNode := range []bool{true, false} {
		r := NewRecord(oneNode)
		before, end := arena()
		asked := r.Ask()
		r.Page("ana", asked, end.Pages["ana"])
		r.Page("rui", asked, before) // asked for earlier
		if f := r.Faults(); len(f) > 0 {
			t.Errorf("one node %v: %q", oneNode, f)
		}
		r.Page("eva", r.Ask(), before)
		if f := r.Faults(); (len(f) == 1) != oneNode {
			t.Errorf("one node %v: %q", oneNode, f)
		}
	}
}

// TestRounds: in a Swiss nobody is paired twice in a round, and a bye is worth a point.
func TestRounds(t *testing.T) {
	p := Page{Kind: "swiss", State: Running, Pairings: []Pairing{
		{1, 1, "ana", "rui", "m1", "", "draw"},
		{1, 2, "eva", "", "", "", ""},
		{2, 1, "eva", "ana", "m2", "", "second"},
		{2, 2, "rui", "", "", "", ""},
	}, Standing: []Place{
		{Rank: 1, Name: "ana", Points: 1.5}, {Rank: 2, Name: "rui", Points: 1.5}, {Rank: 3, Name: "eva", Points: 1},
	}}
	if faults := checkPage(p); len(faults) > 0 {
		t.Errorf("faults: %q", faults)
	}
	p.Pairings[3] = Pairing{2, 2, "rui", "ana", "m3", "", ""}
	if faults := checkPage(p); !slices.Contains(faults, "ana is paired twice in round 2") {
		t.Errorf("faults: %q", faults)
	}
}
