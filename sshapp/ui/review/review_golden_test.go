package review

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

// A reviewCase is a review in some state.
type reviewCase struct {
	name     string
	game     string // played at random to the end and resigned; "" is ShortWin
	plies    int
	progress lobby.AnalysisProgress
	err      error
	why      games.Claim // of all mistakes
	keys     []string
}

var ready = lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: shortAnalysis()}

var reviewCases = []reviewCase{
	{name: "waiting", progress: lobby.AnalysisProgress{Stage: lobby.AnalysisWaiting, Ahead: 2}, keys: []string{"left"}},
	{name: "working", progress: lobby.AnalysisProgress{Stage: lobby.AnalysisWorking, Done: 3, Total: 8}, keys: []string{"left"}},
	{name: "failed", err: lobby.ErrBusy, keys: []string{"left"}},
	{name: "end", progress: ready},
	{name: "mistake", progress: ready, keys: []string{"home", "n"}},
	{name: "blunder", progress: ready, keys: []string{"p"}},
	{name: "better", progress: ready, keys: []string{"p", "b", "right"}},
	{name: "list", progress: ready, keys: []string{"m"}},
	{name: "help", progress: ready, keys: []string{"?"}},
	{name: "trying", progress: ready, keys: []string{"p", "b", "a", "e2", "enter", "e3"}},
	{name: "tried", progress: ready, keys: []string{"left", "left", "a", "d1", "enter", "d2", "enter", "esc"}},
	{name: "play-on", progress: ready, keys: []string{"left", "c"}},
	{name: "momentum", game: "momentum", plies: 21, keys: []string{"p"}},
	{name: "petteia", game: "petteia", plies: 90, keys: []string{"p", "p", "p"}},
	{name: "flugelrad", game: "flugelrad", plies: 9, keys: []string{"p"}},
	{name: "tanks", game: "tanks", plies: 34, keys: []string{"p", "a"}},
	{name: "lets-win", why: games.Claim{Kind: games.LetsWin, Move: "d1", Count: 2}, progress: ready, keys: []string{"p"}},
	{name: "writing-note", progress: ready, keys: []string{"p", "w", "b3 was better here: it stops the line"}},
	{name: "note", progress: ready, keys: []string{"p", "w", "b3 was better here: it stops the line and wins a move, and later the whole match", "enter"}},
	{name: "reason", game: "petteia", plies: 90, keys: []string{"p", "p", "p"},
		why: games.Claim{Kind: petteia.MenLost, Move: "a1-a2", Cells: []string{"b2", "c5", "i8"}, Count: 3}},
}

// at opens the review. It must be called in a bubble.
func (v reviewCase) at(t *testing.T, w, h int, environ ...string) reviewTest {
	t.Helper()
	l := reviewTest{}
	progress := v.progress
	if v.game == "" {
		l = openReview(t, w, h, environ...)
	} else {
		l = openLongReview(t, v.game, v.plies, w, h, environ...)
		progress = lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: longAnalysis(l.View())}
	}
	if v.why.Kind != "" {
		explained := *progress.Analysis
		explained.Points = slices.Clone(explained.Points)
		for i := range explained.Points {
			if explained.Points[i].Mark != analysis.Fine {
				explained.Points[i].Why = v.why
			}
		}
		progress.Analysis = &explained
	}
	l.analyzer.Publish(progress, v.err)
	l.Settle()
	l.Keys(v.keys...)
	return l
}

// openLongReview plays random moves, lets rui resign, and opens rui's review.
func openLongReview(t *testing.T, game string, plies, w, h int, environ ...string) reviewTest {
	t.Helper()
	b := uitest.NewMatch(t, game, nil, true)
	r := games.NewRandom(3)
	for range plies {
		if legal := b.View().Position.Legal(); len(legal) > 0 {
			b.Play(legal[r.N(len(legal))])
		}
	}
	if !b.View().Over {
		if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	analyzer := uitest.NewFakeAnalyzer(b.Club)
	s := begin(t, w, h, ui.Config{Lobby: analyzer.Services(), Who: b.Rui, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now, Environ: environ})
	return reviewTest{b, s, analyzer}
}

// longAnalysis is an invented analysis: a wave that grows, with some marks and a legal move as the better one.
func longAnalysis(v *lobby.View) *analysis.Analysis {
	points := make([]analysis.Point, v.Ply()+1)
	p, _ := v.Game.New(v.Options)
	for i := range points {
		x := float64(i) / float64(len(points))
		points[i].Chance = 0.5 + 0.5*x*math.Sin(x*13)
		if i == v.Ply() {
			break
		}
		if legal := p.Legal(); i%7 == 5 {
			better := legal[slices.IndexFunc(legal, func(m games.Move) bool { return m != v.Moves[i] })]
			points[i].Best, points[i].Line, points[i].Mark = better, []games.Move{better}, analysis.Mark(1+i%3)
		}
		p, _ = p.Play(v.Moves[i])
	}
	return &analysis.Analysis{Version: analysis.Version, Points: points}
}

// reviewPictures maps the cases with golden files to their sizes. Each size shows something that no other picture shows.
var reviewPictures = map[string][][2]int{
	"working": {{80, 24}},
	"failed":  {{40, 20}},
	"end":     {{80, 24}, {40, 20}},
	"blunder": {{80, 24}, {120, 40}, {40, 20}, {200, 60}},
	"better":  {{80, 24}, {40, 20}},
	"list":    {{80, 24}},
	"trying":  {{80, 24}, {40, 20}},
	"tried":   {{80, 24}},
	"petteia": {{80, 24}, {120, 40}, {40, 20}},
	"tanks":   {{80, 24}, {200, 60}},

	"lets-win": {{80, 24}},

	"writing-note": {{80, 24}, {40, 20}},
	"note":         {{80, 24}, {40, 20}, {200, 50}},

	"reason": {{80, 24}, {40, 20}, {200, 50}},
}

func TestReviews(t *testing.T) {
	for _, v := range reviewCases {
		for _, size := range reviewPictures[v.name] {
			name := fmt.Sprintf("utf-8/review-%s-%dx%d", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { uitest.Golden(t, name, v.at(t, size[0], size[1], "LC_ALL=C.UTF-8").page()) })
			})
		}
	}
}

// TestReviewsASCII shows every review to terminals that know ASCII alone. Of some a picture is kept.
func TestReviewsASCII(t *testing.T) {
	for _, v := range reviewCases {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			name := fmt.Sprintf("%s-%dx%d", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					page := v.at(t, size[0], size[1], "LC_ALL=C").page()
					for i, r := range page {
						if r > '~' {
							t.Errorf("%q at byte %d is not ASCII", r, i)
						}
					}
					if name == "petteia-80x24" || name == "blunder-40x20" {
						uitest.Golden(t, "ascii/review-"+name, page)
					}
				})
			})
		}
	}
}

func TestReviewsColoured(t *testing.T) {
	for _, v := range reviewCases {
		if v.name != "blunder" && v.name != "better" {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := v.at(t, 80, 24, "COLORTERM=truecolor")
				uitest.Golden(t, "colour/review-"+v.name, l.Mask(l.App.View().Content))
			})
		})
	}
}

func TestReviewsInOtherLanguages(t *testing.T) {
	for _, lang := range text.Languages()[1:] {
		for _, v := range reviewCases {
			size, ok := map[string][2]int{"end": {80, 24}, "blunder": {40, 20}}[v.name]
			if !ok {
				continue
			}
			name := fmt.Sprintf("%s/review-%s-%dx%d", lang.Code, v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					uitest.Golden(t, name, v.at(t, size[0], size[1], "LANG="+lang.Code+"_XX.UTF-8").page())
				})
			})
		}
	}
}

// TestReviewsStayInside resizes every review at random, with keys between.
func TestReviewsStayInside(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "enter", "esc", "home", "end", "n", "p", "b", "a", "g", "f", "c", "1", "d", "backspace"}
	for _, v := range reviewCases {
		t.Run(v.name, func(t *testing.T) {
			var app uitest.Model
			synctest.Test(t, func(t *testing.T) { app = v.at(t, 80, 24).App })
			for _, size := range [][2]int{{1, 1}, {40, 20}, {240, 70}, {39, 20}, {40, 70}, {240, 20}, {0, 0}} {
				uitest.StaysInside(t, app, size[0], size[1])
			}
			rapid.Check(t, func(t *rapid.T) {
				uitest.StaysInside(t, app, rapid.IntRange(30, 240).Draw(t, "width"), rapid.IntRange(15, 70).Draw(t, "height"))
				key := rapid.SampledFrom(keys).Draw(t, "key")
				msg := tea.KeyPressMsg(uitest.Named[key])
				if msg.Code == 0 {
					msg = tea.KeyPressMsg{Code: rune(key[0]), Text: key}
				}
				app.Update(msg)
				x, y := rapid.IntRange(0, 240).Draw(t, "x"), rapid.IntRange(0, 70).Draw(t, "y")
				app.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			})
		})
	}
}

// BenchmarkReviewView draws the body of a review with the graph of a long match.
func BenchmarkReviewView(b *testing.B) {
	for _, plies := range []int{40, 4000} {
		b.Run(fmt.Sprint(plies), func(b *testing.B) {
			s := longReview(b, plies)
			c := canvas.New(80, 22)
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				s.Draw(c, c.Bounds())
			}
		})
	}
}

// BenchmarkReviewKey steps one move on and back and draws the page.
func BenchmarkReviewKey(b *testing.B) {
	s := longReview(b, 80)
	a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"},
		Pages: screen.Pages{Lobby: func(e *screen.Env) screen.Screen { s.env = e; return s }}})
	a.Init()
	c := canvas.New(80, 24)
	keys := []tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyRight}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Update(keys[i%2])
		c.Clear()
		a.Draw(c)
	}
}

// longReview returns a review in the middle of a match of plies moves.
func longReview(b *testing.B, plies int) reviewScreen {
	b.Helper()
	g := uitest.GameOf(b, "petteia")
	o, err := games.Complete(g, games.Options{"quiet_limit": 0, "repetition": 5, "captures_to_win": 12})
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	v := &lobby.View{Summary: lobby.Summary{Game: g, Options: o, Seats: [2]storage.Occupant{uitest.Ana.Occupant(), uitest.Person("p6", "rui")}}, Over: true}
	state, r := p.State(), games.NewRandom(1)
	var codes []games.Code
	for range plies {
		if codes = state.Moves(codes[:0]); len(codes) == 0 {
			break
		}
		c := codes[r.N(len(codes))]
		v.Moves = append(v.Moves, state.Move(c))
		state.Play(c)
	}
	line, err := NewTimeline(v)
	if err != nil {
		b.Fatal(err)
	}
	a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
	s := reviewScreen{env: a.Env(), source: clubMatch{}, path: path{view: v, timeline: line}}
	s.Size = tea.WindowSizeMsg{Width: 80, Height: 22}
	points := make([]analysis.Point, len(v.Moves)+1)
	for i := range points {
		points[i] = analysis.Point{Chance: float64(i%100) / 100, Mark: analysis.Mark(i % 4)}
	}
	s.analysis.Analysis = s.analysis.Take(s.env.Say, line, 0, &lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: &analysis.Analysis{Points: points}}, nil)
	return s.on(s.goTo(len(v.Moves) / 2))
}
