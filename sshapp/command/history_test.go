package command

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage/results"
)

// TestHistoryPages: an answer is made of pages, and how many matches the club reads at once doesn't show in it.
func TestHistoryPages(t *testing.T) {
	const matches = 5
	for _, once := range []int{1, 2, matches, 1000} {
		h := newFixture(t, func(c *lobby.Config) { c.Bounds.History = once })
		for range matches {
			code := h.object("ana", "new tanks --side first --vs first --json")["code"].(string)
			h.twoEach(code, "ana", "")
			h.as("ana", Done, "resign "+code)
		}
		for _, limit := range []struct {
			words string
			want  int
		}{{"", matches}, {" --limit 3", 3}, {" --limit 1000000000", matches}} {
			for _, form := range []string{"", " --json"} {
				line := "history ana" + limit.words + form
				if out, _ := h.as("ana", Done, line); strings.Count(out, "\n") != limit.want {
					t.Errorf("%d at once: %s prints %d lines, want %d:\n%s", once, line, strings.Count(out, "\n"), limit.want, out)
				}
			}
		}
	}
}

// TestHistoryIsSearched: flags of history combine, for guests too, and say what is wrong.
func TestHistoryIsSearched(t *testing.T) {
	h := newFixture(t)
	_, won := h.played() // ana won as the first side
	opened := h.object("rui", "new 4mation --side first --json")
	lost := opened["id"].(string)
	h.as("ana", Done, "join "+opened["code"].(string))
	for i, m := range []string{"a1", "a2"} {
		h.as([]string{"rui", "ana"}[i%2], Done, "move "+opened["code"].(string)+" "+m)
	}
	h.as("rui", Done, "move "+opened["code"].(string)+" b1")
	h.as("ana", Done, "move "+opened["code"].(string)+" c1")
	h.as("ana", Done, "resign "+opened["code"].(string))
	h.as("eva", Done, "name eva")
	for line, want := range map[string][]string{
		"ana":                                    {lost, won},
		"--with rui":                             {lost, won},
		"--with eva":                             nil,
		"ana --with rui --result won":            {won},
		"ana --result lost":                      {lost},
		"rui --result won --game 4mation":        {lost},
		"--result first":                         {lost, won},
		"--result second":                        nil,
		"ana --result draw":                      nil,
		"--since 2020-01-31":                     {lost, won},
		"--since 2999-01-31T10:00:00Z":           nil,
		"--opening a1":                           {lost, won},
		"--opening a1 b2 --limit 5":              {won},
		"ana --opening \"1. a1 b2\" --with rui":  {won},
		"--opening \"a1 a2\" rui":                {lost},
		"--game 4mation --opening A1 1... A2":    {lost},
		"--opening b2 a1":                        nil,
		"ana --opening a1 b2 b1 c2 c1 d2 d1":     {won},
		"ana --opening a1 b2 b1 c2 c1 d2 d1 e1":  nil,
		"ana --with rui --result lost --limit 1": {lost},
	} {
		out, _ := h.as("guest", Done, "history "+line+" --json")
		var got []string
		for row := range strings.Lines(out) {
			_, id, _ := strings.Cut(row, `"id":"`)
			id, _, _ = strings.Cut(id, `"`)
			got = append(got, id)
		}
		slices.Sort(got) // both may have ended in the same millisecond
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("history %s: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"--result won":                   "Who won or lost?",
		"ana --result maybe":             "--result is won",
		"ana --since yesterday":          "--since is a day",
		"ana --with nemo":                "Nobody here is called \"nemo\"",
		"nemo --with ana":                "Nobody here is called \"nemo\"",
		"--game 4mation --opening c7-d7": "not a move",
		"--game chess --opening e4":      "no game \"chess\"",
	} {
		status := Refused
		if strings.Contains(line, "--result") || strings.Contains(line, "--since") {
			status = Usage
		}
		if _, complaint := h.as("guest", status, "history "+line); !strings.Contains(complaint, want) {
			t.Errorf("history %s: %q, want %q", line, complaint, want)
		}
	}
}

// An endless store has more matches than any search looks at, and finds none.
type endless struct{ lobby.Store }

func (endless) Search(context.Context, results.SearchQuery) (results.SearchPage, error) {
	return results.SearchPage{Skipped: 1000, Next: results.Cursor{Ended: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), ID: "m1"}}, nil
}

// TestSearchEnds: a search that has looked at too many matches says where it has ended, also to scripts.
func TestSearchEnds(t *testing.T) {
	h := newFixtureOn(t, func(s lobby.Store) lobby.Store { return endless{s} })
	want := "The search ends here, with 2026-01-31 12:00 UTC: it has looked at 50000 matches."
	if _, complaint := h.as("guest", Refused, "history --result draw"); !strings.Contains(complaint, want) {
		t.Errorf("it says %q", complaint)
	}
	if out, _ := h.as("guest", Refused, "history --result draw --json"); !strings.Contains(out, `"code":"full"`) {
		t.Errorf("it prints %q", out)
	}
}

// TestTablesAreAligned whatever script names are written in.
func TestTablesAreAligned(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"ana", "小明", "हिन्दी", "Ольга"} {
		h.as(name, Done, "name "+name)
		code := h.object(name, "new tanks --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		h.twoEach(code, name, "rui")
		h.as(name, Done, "resign "+code)
		h.as(name, Done, "join "+h.object("rui", "new tanks --side second --json")["code"].(string))
	}
	for line, column := range map[string]string{"history rui": "0-1", "matches": "waiting for"} {
		out, _ := h.as("rui", Done, line)
		at := -1
		for row := range strings.Lines(out) {
			before, _, ok := strings.Cut(row, column)
			switch width := text.Width(before); {
			case !ok:
				t.Errorf("%s: a row without %q: %q", line, column, row)
			case at >= 0 && width != at:
				t.Errorf("%s: %d cells before %q, and %d above:\n%s", line, width, column, at, out)
			default:
				at = width
			}
		}
		if at < 0 || strings.Contains(out, "\ue000") {
			t.Errorf("%s prints %q", line, out)
		}
	}
}

// studyNodes make analyses short.
const studyNodes = 500

// played plays a match of 4Mation that ana wins after a blunder of rui's, and returns its code and id.
func (h *fixture) played() (code, id string) { return h.playedWith(func() {}) }

// playedWith is played with something done before each move.
func (h *fixture) playedWith(before func()) (code, id string) {
	h.t.Helper()
	opened := h.object("ana", "new 4mation --side first --json")
	code, id = opened["code"].(string), opened["id"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range []string{"a1", "b2", "b1", "c2", "c1", "d2", "d1"} {
		before()
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	return code, id
}

func TestAnalyse(t *testing.T) {
	h := newFixture(t)
	code, id := h.played()
	out, _ := h.as("guest", Done, "analyse "+strings.ToLower(code))
	lines := strings.Split(out, "\n")
	if len(lines) != 1+1+8+1+2+1 || !strings.HasPrefix(lines[0], "4Mation cols=7 rows=7 win_length=4, 7 moves, ") {
		t.Fatalf("it prints\n%s", out)
	}
	for i, want := range map[int]string{
		8:  "6    second  d2    ??  first wins in 1  ",
		9:  "7    first   d1        first has won",
		10: "6 second d2??: lets first win at once with d1",
		11: "first: nothing marked",
		12: "second: 1 blunder",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if again, _ := h.as("ana", Done, "analyse "+id); again != out {
		t.Errorf("by its id it is\n%s", again)
	}
	m := h.object("rui", "analyse "+id+" --json")
	positions := m["positions"].([]any)
	if m["id"] != id || m["game"] != "fourmation" || len(positions) != 8 || m["nodes"].(float64) != studyNodes {
		t.Errorf("%v", m)
	}
	blunder := positions[5].(map[string]any)
	if blunder["move"] != "d2" || blunder["mark"] != "blunder" || blunder["ply"] != 5.0 {
		t.Errorf("the blunder is %v", blunder)
	}
	if why := blunder["why"].(map[string]any); why["kind"] != "lets_win" || why["move"] != "d1" || why["count"] != 1.0 || len(why["cells"].([]any)) != 0 {
		t.Errorf("the reason is %v", why)
	}
	if why := positions[0].(map[string]any)["why"]; why != nil {
		t.Errorf("a move without a mark has the reason %v", why)
	}
}

// TestAnalyseTimes: the text says how long each move took.
func TestAnalyseTimes(t *testing.T) {
	var seconds atomic.Int64
	seconds.Store(1_800_000_000)
	h := newFixture(t, func(c *lobby.Config) { c.Now = func() time.Time { return time.Unix(seconds.Load(), 0) } })
	code, _ := h.playedWith(func() { seconds.Add(72) })
	out, _ := h.as("guest", Done, "analyse "+code)
	lines := strings.Split(out, "\n")
	for i, want := range map[int]string{1: "PLY SIDE MOVE VALUE TIME BETTER", 8: "6 second d2 ?? first wins in 1 1:12 d1", 9: "7 first d1 first has won 1:12"} {
		if got := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

func TestAnalyseRefuses(t *testing.T) {
	h := newFixture(t)
	running := h.object("ana", "new tanks --side first --json")["code"].(string)
	h.as("rui", Done, "join "+running)
	void := h.object("ana", "new tanks --json")["code"].(string)
	h.as("ana", Done, "resign "+void)
	for line, want := range map[string]string{
		"analyse " + running: "not over yet",
		"analyse " + void:    "nothing to analyse",
		"analyse 234567":     "Nobody here knows the code",
	} {
		if _, said := h.as("guest", Refused, line); !strings.Contains(said, want) {
			t.Errorf("%s: %q, want something with %q", line, said, want)
		}
	}
	for _, line := range []string{"analyse", "analyse a b", "analyse 234567 --nodes 3"} {
		if _, said := h.as("guest", Usage, line); !strings.Contains(said, "Usage: analyse ID|CODE [--json]") {
			t.Errorf("%s: %q", line, said)
		}
	}
}

// At the prompt a command that waits holds up those after it, and nothing else.
func TestAnalyseAtThePrompt(t *testing.T) {
	h := newFixture(t)
	code, id := h.played()
	var out, said bytes.Buffer
	in := io.NopCloser(strings.NewReader("analyse " + code + "\nwhoami\n"))
	if status := h.run.LineMode(t.Context(), key("ana"), "", in, &out, &said, false); status != Done {
		t.Errorf("status %d, %s", status, said.String())
	}
	want, _ := h.as("ana", Done, "analyse "+id)
	if !strings.HasPrefix(out.String(), want+"ana, here since ") {
		t.Errorf("it prints\n%s", out.String())
	}
}

// TestAnalyseEndsWithTheCaller: the command ends when its caller leaves.
func TestAnalyseEndsWithTheCaller(t *testing.T) {
	h := newFixture(t)
	_, id := h.played()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	var out, said bytes.Buffer
	if status := h.run.Run(ctx, key("ana"), "analyse "+id, &out, &said); status != Refused || out.Len() > 0 {
		t.Errorf("status %d, %q", status, out.String())
	}
}

// TestListsNameTheClock: the lists of own and of finished matches name the clock.
func TestListsNameTheClock(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new tanks --side first --clock 5+3 --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	h.twoEach(code, "ana", "rui")
	if out, _ := h.as("ana", Done, "matches"); !strings.Contains(out, "  5+3\n") {
		t.Errorf("matches: %q", out)
	}
	h.as("ana", Done, "resign "+code)
	if out, _ := h.as("ana", Done, "history"); !strings.Contains(out, "casual, 5+3\n") {
		t.Errorf("history: %q", out)
	}
}

// TestRecordsSayWhoPlayed: a record names computer players as such, has the rating changes of a rated match, and parses back unchanged.
func TestRecordsSayWhoPlayed(t *testing.T) {
	h := newFixture(t)
	bot := h.object("ana", "new 4mation --side first --vs first --json")["code"].(string)
	h.twoEach(bot, "ana", "")
	h.as("ana", Done, "resign "+bot)
	rated := h.object("ana", "new 4mation --side first --rated --json")["code"].(string)
	h.as("rui", Done, "join "+rated)
	h.twoEach(rated, "ana", "rui")
	h.as("rui", Done, "resign "+rated)
	for _, tt := range []struct {
		code    string
		want    []string
		without string
	}{
		{bot, []string{"[FirstKind \"player\"]", "[SecondKind \"bot\"]"}, "Rating"},
		{rated, []string{"[FirstKind \"player\"]", "[SecondKind \"player\"]", "[FirstRating \"1500\"]", "[FirstChange \"+", "[SecondRating \"1500\"]", "[SecondChange \"-"}, "bot"},
	} {
		out, _ := h.as("ana", Done, "record "+tt.code)
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("no %s in\n%s", want, out)
			}
		}
		if strings.Contains(out, tt.without) {
			t.Errorf("%q in\n%s", tt.without, out)
		}
		r, _, err := games.ReadRecord(strings.NewReader(out), catalog.Find)
		var again strings.Builder
		if err == nil {
			err = r.Write(&again)
		}
		if err != nil || again.String() != out {
			t.Errorf("read and written: %v\n%s", err, again.String())
		}
	}
}

// TestRecordsTakeTheClocksOfTheClub: a record may have a clock that a match can have, and no other one.
func TestRecordsTakeTheClocksOfTheClub(t *testing.T) {
	for _, clock := range []string{"none", "1+0", "180+180", "1d", "14d", "0+1", "181+0", "5+181", "0d", "15d", "99", "5", "+3", "5+", "d", "05+3", "5+3+1", "-1+3", "3D"} {
		_, err := lobby.ParseClock(clock)
		_, _, refused := games.ReadRecord(strings.NewReader("[Game \"fourmation\"]\n[Clock \""+clock+"\"]\n\n*\n"), catalog.Find)
		if (err == nil) != (refused == nil) {
			t.Errorf("%q: a match %v, a record %v", clock, err, refused)
		}
	}
}
