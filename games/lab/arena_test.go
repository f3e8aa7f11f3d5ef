package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
)

func meeting(t *testing.T, id, options, one, two string, n int) Meeting {
	t.Helper()
	g, _ := catalog.Find(id)
	o, err := games.ParseOptions(g, strings.Fields(options))
	if err != nil {
		t.Fatal(err)
	}
	return Meeting{Game: g, Options: o, Players: [2]string{one, two}, Games: n, Seed: 7}
}

// arena returns the line of a meeting.
func arena(t *testing.T, m Meeting) map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := Arena(t.Context(), &out, nil, m, true); err != nil {
		t.Fatal(err)
	}
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	return line
}

func TestArenaLine(t *testing.T) {
	line := arena(t, meeting(t, "fourmation", "", "greedy", "random", 40))
	for _, key := range []string{"game", "options", "first", "second", "games", "wins", "draws", "losses", "score", "elo",
		"error", "seconds"} {
		if _, ok := line[key]; !ok {
			t.Errorf("no field %s in %v", key, line)
		}
	}
	if line["game"] != "fourmation" || line["first"] != "greedy" || line["second"] != "random" || line["games"] != 40.0 {
		t.Errorf("the meeting is %v", line)
	}
	if n := line["wins"].(float64) + line["draws"].(float64) + line["losses"].(float64); n != 40 {
		t.Errorf("%v games are counted", n)
	}
	if line["score"].(float64) < 0.6 {
		t.Errorf("greedy scores %v against random", line["score"])
	}
}

func TestArenaRepeats(t *testing.T) {
	m := meeting(t, "petteia", "quiet_limit=30", "random", "random", 30)
	once, again := arena(t, m), arena(t, m)
	delete(once, "seconds")
	delete(again, "seconds")
	if diff := cmp.Diff(once, again); diff != "" {
		t.Errorf("the same seed gave another score:\n%s", diff)
	}
	m = meeting(t, "fourmation", "", "random", "random", 30)
	first := arena(t, m)
	m.Seed = 8
	if second := arena(t, m); second["wins"] == first["wins"] && second["losses"] == first["losses"] {
		t.Errorf("two seeds gave the same score: %v", first)
	}
}

// TestArenaTurns has the stronger player first and second: the share must be the same from both ends, and the stronger player must
// begin every other game.
func TestArenaTurns(t *testing.T) {
	line := arena(t, meeting(t, "petteia", "captures_to_win=3", "random", "greedy", 20))
	if line["losses"] != 20.0 || line["score"] != 0.0 || line["elo"] != nil || line["error"] != nil {
		t.Errorf("random against greedy: %v", line)
	}
	m, err := newMatch(meeting(t, "petteia", "quiet_limit=0", "random", "random", 2))
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	m.players = [2]bot.Player{asker{"one", &asked}, asker{"two", &asked}}
	for i, want := range []string{"one two one two", "two one two one"} {
		asked = nil
		g, err := m.play(t.Context(), task{index: i})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(asked[:4], " "); got != want || g.index != i || len(asked) != len(g.moves) {
			t.Errorf("game %d: asked were %s, want %s", i, got, want)
		}
	}
}

// asker is a player that notes that it was asked, and plays the first legal move.
type asker struct {
	name  string
	asked *[]string
}

func (a asker) Move(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
	*a.asked = append(*a.asked, a.name)
	return p.Legal()[0], nil
}

func TestArenaLimit(t *testing.T) {
	tests := []struct {
		options string
		want    int
	}{
		{"", 0},
		{"quiet_limit=0", MaxArenaPlies},
		{"quiet_limit=0 repetition=0", MaxArenaPlies},
	}
	for _, tt := range tests {
		m := meeting(t, "petteia", tt.options, "random", "random", 1)
		if got := m.limit(); got != tt.want {
			t.Errorf("%q: games are cut off after %d plies, want %d", tt.options, got, tt.want)
		}
	}
}

func TestScore(t *testing.T) {
	first, second, draw := games.Won(games.First, ""), games.Won(games.Second, ""), games.Drawn("")
	m := meeting(t, "petteia", "", "greedy", "random", 6)
	s := newScore(&m)
	for i, r := range []games.Result{first, second, second, draw, {}, first} {
		s.count([]outcome{outcomeOf(game{index: i, result: r})})
	}
	if s.Games != 6 || s.Wins != 2 || s.Losses != 2 || s.Draws != 2 || s.Cut != 1 {
		t.Errorf("counted %+v", s)
	}
	if s.rate(); s.Score != 0.5 || *s.Elo != 0 || s.Pairs != nil {
		t.Errorf("rated %+v", s)
	}
	m.Openings = 2
	s = newScore(&m)
	s.count([]outcome{won, won})
	s.count([]outcome{cutOff, won})
	s.count([]outcome{lost, won})
	s.count([]outcome{drawn, drawn})
	s.count([]outcome{lost, lost})
	if diff := cmp.Diff(sample{1, 0, 2, 1, 1}, s.Pairs); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	elo, half, _ := s.Pairs.elo()
	if s.rate(); s.Score != 0.55 || *s.Elo != elo || *s.Error != half {
		t.Errorf("rated %+v", s)
	}
}

func TestArenaText(t *testing.T) {
	var out bytes.Buffer
	if err := Arena(t.Context(), &out, nil, meeting(t, "petteia", "captures_to_win=3", "greedy", "random", 4), false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Petteia captures_to_win=3", "greedy against random: 4 games, 4 won, 0 drawn, 0 lost, 100.0 %",
		"without bound"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	m := meeting(t, "petteia", "", "greedy", "random", 6)
	m.Openings, m.SPRT = 2, SPRT{0, 300}
	s := newScore(&m)
	for _, o := range []outcome{won, cutOff, lost} {
		s.count([]outcome{o, drawn})
	}
	s.rate()
	text := s.text(m.Game.About())
	for _, want := range []string{"Elo +0, give or take", "1 of the draws were cut off after 10000",
		"3 openings of 2 plies from both sides; 0, 0.5, 1, 1.5 and 2 points: 0 1 1 1 0 times",
		"SPRT between +0 and +300 Elo: accepts +0, log-likelihood ratio "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestArenaRefuses(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	good := meeting(t, "petteia", "", "greedy", "random", 2)
	change := func(f func(m *Meeting)) Meeting {
		m := good
		f(&m)
		return m
	}
	tests := []struct {
		name string
		ctx  context.Context
		m    Meeting
		want error
	}{
		{"no game", t.Context(), change(func(m *Meeting) { m.Games = 0 }), ErrUsage},
		{"too many", t.Context(), change(func(m *Meeting) { m.Games = MaxArenaGames + 1 }), ErrUsage},
		{"plies below 0", t.Context(), change(func(m *Meeting) { m.Openings = -1 }), ErrUsage},
		{"endless openings", t.Context(), change(func(m *Meeting) { m.Openings = MaxArenaOpenings + 1 }), ErrUsage},
		{"half a pair", t.Context(), change(func(m *Meeting) { m.Openings, m.Games = 1, 3 }), ErrUsage},
		{"no time", t.Context(), change(func(m *Meeting) { m.MoveTime = 1 }), ErrUsage},
		{"no workers", t.Context(), change(func(m *Meeting) { m.Workers = -1 }), ErrUsage},
		{"too many workers", t.Context(), change(func(m *Meeting) { m.Workers = MaxArenaWorkers + 1 }), ErrUsage},
		{"an empty test", t.Context(), change(func(m *Meeting) { m.SPRT = SPRT{5, 5} }), ErrUsage},
		{"no such folder", t.Context(), change(func(m *Meeting) { m.Resume = "/nowhere/at/all" }), ErrResume},
		{"unknown level", t.Context(), change(func(m *Meeting) { m.Players[1] = "deep" }), bot.ErrLevel},
		{"bad options", t.Context(), change(func(m *Meeting) { m.Options = nil }), games.ErrOptions},
		{"stopped", canceled, good, context.Canceled},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		if err := Arena(tt.ctx, &out, nil, tt.m, true); !errors.Is(err, tt.want) || out.Len() > 0 {
			t.Errorf("%s: %v, wrote %q", tt.name, err, &out)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// timeless returns the line of a meeting without what depends on the clock.
func timeless(t *testing.T, m Meeting) map[string]any {
	t.Helper()
	line := arena(t, m)
	delete(line, "seconds")
	return line
}

// TestOpenings plays with openings and looks whether both games of a pair begin alike, and other pairs otherwise.
func TestOpenings(t *testing.T) {
	m := meeting(t, "fourmation", "", "greedy", "random", 40)
	m.Openings, m.Resume = 3, filepath.Join(t.TempDir(), "games")
	line := arena(t, m)
	pairs := 0.0
	for _, n := range line["pairs"].([]any) {
		pairs += n.(float64)
	}
	if pairs != 20 || line["openings"] != 3.0 {
		t.Errorf("pairs are %v of %v plies", line["pairs"], line["openings"])
	}
	lines := kept(t, m.Resume)
	if len(lines) != 40 {
		t.Fatalf("%d games are kept", len(lines))
	}
	openings, different := map[string]bool{}, 0
	for i := 0; i < len(lines); i += 2 {
		one, two := strings.Fields(lines[i].Moves), strings.Fields(lines[i+1].Moves)
		if !slices.Equal(one[:3], two[:3]) {
			t.Errorf("games %d and %d are\n%v\n%v", i, i+1, one, two)
		}
		if !slices.Equal(one, two) {
			different++
		}
		openings[strings.Join(one[:3], " ")] = true
		if lines[i].First != "greedy" || lines[i+1].First != "random" {
			t.Errorf("%s and %s begin", lines[i].First, lines[i+1].First)
		}
	}
	if len(openings) < 15 || different < 15 {
		t.Errorf("there are only %d openings; %d are played on in two ways", len(openings), different)
	}
}

// TestOpeningsLeaveAGame asks for openings longer than a game may be, and for openings that few games are longer than.
func TestOpeningsLeaveAGame(t *testing.T) {
	m := meeting(t, "fourmation", "cols=4 rows=4 win_length=4", "random", "random", 2)
	m.Openings = 16
	if err := Arena(t.Context(), &bytes.Buffer{}, nil, m, true); !errors.Is(err, ErrUsage) {
		t.Errorf("16 plies on 16 cells: %v", err)
	}
	full, err := newMatch(meeting(t, "fourmation", "cols=4 rows=4 win_length=3", "random", "random", 2))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		p, moves, err := opening(full.start, 8, games.NewRandom(seed))
		if err != nil || p.Result().Over || len(moves) != 8 {
			t.Fatalf("seed %d: %v, %v, over %v", seed, err, moves, p.Result())
		}
	}
}

// TestWorkers compares the score and the games of a meeting with one worker and with several.
func TestWorkers(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *Meeting)
	}{
		{"games", func(m *Meeting) {}},
		{"pairs", func(m *Meeting) { m.Openings = 2 }},
		{"a test", func(m *Meeting) { m.Games, m.SPRT = 400, SPRT{-100, 100} }},
		{"a test of pairs", func(m *Meeting) { m.Games, m.Openings, m.SPRT = 400, 1, SPRT{-100, 100} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := meeting(t, "fourmation", "cols=5 rows=5", "pupil:60", "pupil:20", 12)
			tt.change(&m)
			m.Resume = filepath.Join(t.TempDir(), "one")
			want, games := timeless(t, m), kept(t, m.Resume)
			if n := want["games"].(float64); float64(len(games)) != n {
				t.Errorf("one worker played %d games for a score of %v", len(games), n)
			}
			for _, workers := range []int{2, 7} {
				m.Workers, m.Resume = workers, filepath.Join(t.TempDir(), "several")
				if diff := cmp.Diff(want, timeless(t, m)); diff != "" {
					t.Errorf("%d workers (-one +several):\n%s", workers, diff)
				}
				again := kept(t, m.Resume) // the test may have ended one of them a few games later
				if n := min(len(games), len(again)); !slices.Equal(games[:n], again[:n]) || m.SPRT == (SPRT{}) && n != m.Games {
					t.Errorf("%d workers played other games", workers)
				}
			}
			if m.SPRT != (SPRT{}) && (want["games"].(float64) >= 400 || want["sprt"].(map[string]any)["accepts"] == "") {
				t.Errorf("the test has not ended the meeting: %v", want)
			}
		})
	}
}

// TestMoveTime has a player that thinks until its time is up, by a clock that costs none.
func TestMoveTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := meeting(t, "fourmation", "cols=4 rows=4", "random", "random", 2)
		m.MoveTime = 20 * time.Millisecond
		full, err := newMatch(m)
		if err != nil {
			t.Fatal(err)
		}
		full.players = [2]bot.Player{slow{}, slow{}}
		began := time.Now()
		g, err := full.play(t.Context(), task{})
		if want := time.Duration(len(g.moves)) * m.MoveTime; err != nil || time.Since(began) != want || want == 0 {
			t.Errorf("%d moves took %v, %v", len(g.moves), time.Since(began), err)
		}
	})
}

type slow struct{ bot.Thinker }

func (slow) Move(ctx context.Context, p games.Position, _ *games.Random) (games.Move, error) {
	<-ctx.Done()
	return p.Legal()[0], nil
}

// TestClock plays games in which each move takes a tenth of a second, under clocks that are long enough or too short.
func TestClock(t *testing.T) {
	for _, tt := range []struct {
		name            string
		base, increment time.Duration
		moveTime        time.Duration
		index           int
		want            string // how the game ends
	}{
		{"enough for all moves", time.Minute, 0, 0, 0, ""},
		{"enough with the increment", 150 * time.Millisecond, 100 * time.Millisecond, 0, 0, ""},
		{"enough for two moves", 250 * time.Millisecond, 0, 0, 0, "second time"},
		{"the other player begins", 250 * time.Millisecond, 0, 0, 1, "second time"},
		{"the second player has a time for each move", 250 * time.Millisecond, 0, time.Second, 0, "second time"},
		{"which begins", 250 * time.Millisecond, 0, time.Second, 1, "first time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := meeting(t, "fourmation", "cols=4 rows=4", "random", "random", 2)
				m.Clock, m.MoveTime = Clock{tt.base, tt.increment}, tt.moveTime
				full, err := newMatch(m)
				if err != nil {
					t.Fatal(err)
				}
				full.players = [2]bot.Player{tenth{}, tenth{}}
				g, err := full.play(t.Context(), task{index: tt.index})
				got := ""
				if g.result.Reason == timeUp {
					got = g.result.String() + " " + g.result.Reason
				}
				if err != nil || got != tt.want || got == "" && !g.result.Over {
					t.Errorf("the game ends with %v after %v: %v, want %q", g.result, g.moves, err, tt.want)
				}
			})
		})
	}
}

// tenth is a player whose moves take a tenth of a second.
type tenth struct{ bot.Thinker }

func (tenth) Move(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
	time.Sleep(100 * time.Millisecond)
	return p.Legal()[0], nil
}

func (s tenth) ThinkWithin(ctx context.Context, _ bot.Clock, p games.Position, r *games.Random) (bot.Thought, error) {
	m, err := s.Move(ctx, p, r)
	return bot.Thought{Move: m}, err
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{
		"10+0.1":  {10 * time.Second, 100 * time.Millisecond},
		"5+0.05":  {5 * time.Second, 50 * time.Millisecond},
		"0.001+0": {time.Millisecond, 0},
		"86400+1": {24 * time.Hour, time.Second},
	} {
		if got, err := ParseClock(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q is %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "+", "10", "10+", "+1", "0+1", "-1+0", "10+-1", "86401+0", "NaN+0", "10+Inf", "10+1+1", "1e99+0", "x+y"} {
		if got, err := ParseClock(text); !errors.Is(err, ErrUsage) {
			t.Errorf("%q is %+v, %v, want ErrUsage", text, got, err)
		}
	}
}

// TestProgress reads what a terminal gets.
func TestProgress(t *testing.T) {
	m := meeting(t, "fourmation", "", "greedy", "random", 20)
	m.SPRT = SPRT{-1000, 1000}
	m.Games = 2
	var out, shown bytes.Buffer
	if err := Arena(t.Context(), &out, &shown, m, true); err != nil {
		t.Fatal(err)
	}
	text := shown.String()
	if !strings.HasPrefix(text, "\r1 of 2, ") || !strings.HasSuffix(text, " \r") || strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("shown was %q", text)
	}
	if !strings.Contains(text, "LLR ") || !strings.Contains(text, " %") {
		t.Errorf("shown was %q", text)
	}
}
