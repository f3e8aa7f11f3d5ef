package eventtest

import (
	"fmt"
	"slices"
	"time"
)

// An End is what clients read after the end of an event.
type End struct {
	Pages   map[string]Page    // event show, by reader
	History map[string][]Match // history, by player: of each all matches
	Leaders []Leader           // the leaderboard, with a line for each player who has one
}

// Check returns all that is wrong: what the record has found, and what readers read at the end that doesn't go together with it or with what others
// read. Matches of the players outside the event are faults too. The event must be over within a time after its last match and its due end.
func (r *Record) Check(end End, within time.Duration) []string {
	names := make([]string, 0, len(end.Pages))
	for name := range end.Pages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r.Page(name, r.Ask(), end.Pages[name])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(names) == 0 {
		r.fault("-", "nobody has read the event")
		return r.faults
	}
	final := end.Pages[names[0]]
	for _, name := range names {
		for _, f := range Differences(final, end.Pages[name]) {
			r.fault(name, "%s, and to %s", f, names[0])
		}
	}
	r.over(final)
	for _, name := range names {
		if rows, has := end.History[name]; has {
			r.history(name, final, rows)
		}
	}
	if final.Rated {
		r.leaderboard(final, end.History, end.Leaders)
	}
	r.inTime(final, end.History, within)
	return r.faults
}

// Differences returns how the standing and the pairings of two pages of an event differ.
func Differences(a, b Page) (all []string) {
	if a.State != b.State || a.Winner != b.Winner || len(a.Standing) != len(b.Standing) || len(a.Pairings) != len(b.Pairings) {
		return []string{fmt.Sprintf("the event is shown as %s, won by %q, with %d places and %d pairings", b.State, b.Winner, len(b.Standing), len(b.Pairings))}
	}
	for i, x := range a.Standing {
		if y := b.Standing[i]; x.Rank != y.Rank || x.Name != y.Name || x.Points != y.Points || !slices.Equal(x.Tiebreaks, y.Tiebreaks) || x.Streak != y.Streak {
			all = append(all, fmt.Sprintf("place %d is shown as %+v", i+1, y))
		}
	}
	for i, x := range a.Pairings {
		y := b.Pairings[i]
		x.Code, y.Code = "", ""
		if x != y {
			all = append(all, fmt.Sprintf("pairing %d is shown as %+v", i+1, y))
		}
	}
	return all
}

// over checks that the event is over, with all that was shown before. The caller holds the lock.
func (r *Record) over(final Page) {
	if final.State != Over || len(final.Standing) == 0 || final.Winner != final.Standing[0].Name {
		r.fault("the end", "the event is %s, won by %q", final.State, final.Winner)
	}
	if len(final.Pairings) < len(r.known) {
		r.fault("the end", "there are %d pairings, and there had been %d", len(final.Pairings), len(r.known))
	}
	results := map[string]string{}
	for i, p := range final.Pairings {
		if p.GoesOn() {
			r.fault("the end", "pairing %d has no result: %+v", i+1, p)
		}
		results[p.Match] = p.Result
	}
	for match, t := range r.results {
		if result, has := results[match]; !has || result != t.result {
			r.fault(t.name, "was told that %s ended with %q, and the event has %q (%v)", match, t.result, result, has)
		}
	}
}

// history checks that a player's history has the matches of the event, each once, and no others. The caller holds the lock.
func (r *Record) history(name string, final Page, rows []Match) {
	want := map[string]Pairing{}
	for _, p := range final.Pairings {
		if p.Of(name) && p.Match != "" {
			want[p.Match] = p
		}
	}
	seen := map[string]bool{}
	for _, m := range rows {
		p, paired := want[m.ID]
		switch {
		case seen[m.ID]:
			r.fault(name, "the history has %s twice", m.ID)
		case !paired:
			r.fault(name, "the history has a match outside the event: %+v", m)
		case m.First != p.First || m.Second != p.Second || m.Result != p.Result || m.Rated != final.Rated:
			r.fault(name, "the history has %+v, and the event %+v", m, p)
		}
		seen[m.ID] = true
	}
	for id, p := range want {
		if !seen[id] {
			r.fault(name, "the history lacks %+v", p)
		}
	}
	byStart := slices.Clone(rows)
	slices.SortFunc(byStart, func(a, b Match) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return a.Ended.Compare(b.Ended)
	})
	for i := 1; i < len(byStart); i++ {
		if a, b := byStart[i-1], byStart[i]; b.Started.Before(a.Ended) {
			r.fault(name, "%s began at %v, and %s went on until %v", b.ID, b.Started, a.ID, a.Ended)
		}
	}
}

// leaderboard checks that the leaderboard counts each result once, but for those that count for nothing by the rules of ratings, which the history
// names. The caller holds the lock.
func (r *Record) leaderboard(final Page, histories map[string][]Match, rows []Leader) {
	lines := map[string]Leader{}
	for _, l := range rows {
		if _, twice := lines[l.Name]; twice {
			r.fault(l.Name, "the leaderboard has two lines")
		}
		lines[l.Name] = l
	}
	for name, all := range histories {
		discounted := map[string]bool{}
		for _, m := range all {
			discounted[m.ID] = m.discounted(name)
		}
		counted := slices.DeleteFunc(slices.Clone(final.Pairings), func(p Pairing) bool { return p.Match == "" || !p.Of(name) || discounted[p.Match] })
		c := recount(final.Kind, counted)[name]
		if c == nil {
			continue
		}
		if got, want := lines[name], (Leader{name, c.played, c.won, c.drawn, c.lost}); got != want {
			r.fault(name, "the leaderboard counts %+v, and the event %+v", got, want)
		}
	}
}

// inTime checks that the event was over soon after it was due to end, or after its last match. The caller holds the lock.
func (r *Record) inTime(final Page, histories map[string][]Match, within time.Duration) {
	last := r.due
	for _, rows := range histories {
		for _, m := range rows {
			if m.Ended.After(last) {
				last = m.Ended
			}
		}
	}
	if late := final.Ends.Sub(last); late > within {
		r.fault("the end", "the event was over %v after its last match, and after it was due to end", late)
	}
	if final.Ends.Before(r.due) {
		r.fault("the end", "the event was over at %v, and was due to end at %v", final.Ends, r.due)
	}
}
