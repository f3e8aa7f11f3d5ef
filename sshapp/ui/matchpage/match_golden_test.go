package matchpage

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// A boardCase is a match screen in some state.
type boardCase struct {
	name  string
	game  string
	o     games.Options
	alone bool // the second seat is free
	moves []games.Move
	rui   bool // the screen is rui's, not ana's
	draw  bool // the other side offers a draw
	keys  []string
}

var boardCases = []boardCase{
	{name: "momentum", game: "momentum", moves: []games.Move{"d4", "c3", "f6", "d5"}},
	{name: "momentum-waiting", game: "momentum", alone: true},
	{name: "momentum-swap", game: "momentum", moves: []games.Move{"d4"}, rui: true, keys: []string{"sw"}},
	{name: "momentum-13", game: "momentum", o: games.Options{"size": 13, "marbles": 12}, moves: []games.Move{"g7", "f6"}},
	{name: "momentum-26", game: "momentum", o: games.Options{"size": 26, "marbles": 26}, moves: []games.Move{"b25", "y2", "z2", "x3", "z1"}, keys: []string{"up"}},
	{name: "petteia", game: "petteia", moves: []games.Move{"b1-b7", "c8-c2", "d1-d7", "e8-e3"}, keys: []string{"enter", "up", "up"}},
	{name: "petteia-second", game: "petteia", moves: []games.Move{"b1-b7"}, rui: true},
	{name: "petteia-command", game: "petteia", keys: []string{"/"}},
	{name: "fourmation", game: "fourmation", moves: []games.Move{"d4", "e5", "d5", "c6"}, keys: []string{"d"}},
	{name: "fourmation-refused", game: "fourmation", moves: []games.Move{"d4", "e5"}, keys: []string{"a1", "enter"}},
	{name: "fourmation-16", game: "fourmation", o: games.Options{"cols": 16, "rows": 16}, moves: []games.Move{"h8", "h9"}},
	{name: "fourmation-26", game: "fourmation", o: games.Options{"cols": 26, "rows": 26}, moves: []games.Move{"p16", "q17", "p17", "q16"}, keys: []string{"right"}},
	{name: "fourmation-resign", game: "fourmation", moves: []games.Move{"d4", "e5"}, keys: []string{"/resign", "enter"}},
	{name: "fourmation-offered", game: "fourmation", moves: []games.Move{"d4", "e5"}, draw: true},
	{name: "fourmation-over", game: "fourmation", moves: uitest.ShortWin},
	{name: "flugelrad", game: "flugelrad", moves: []games.Move{"0:1", "4:2"}, keys: []string{"enter"}},
	{name: "flugelrad-held", game: "flugelrad", moves: []games.Move{"0:1", "4:2"}, keys: []string{"2:3"}},
	{name: "tanks", game: "tanks", moves: []games.Move{"e2-d3", "e7-d6", "d3-e4", "d6-d5"}, keys: []string{"e4"}},
	{name: "tanks-second", game: "tanks", moves: []games.Move{"e2-d3"}, rui: true},
	{name: "tanks-26", game: "tanks", o: games.Options{"size": 26}, moves: []games.Move{"e2-d3", "e25-d24"}, keys: []string{"enter", "up"}},
}

// at opens the match screen. It must be called in a bubble.
func (v boardCase) at(t *testing.T, w, h int, settings accounts.Settings, environ ...string) (*uitest.Match, *uitest.Session) {
	t.Helper()
	b := uitest.NewMatch(t, v.game, v.o, !v.alone)
	b.Play(v.moves...)
	who := map[bool]lobby.User{false: b.Ana, true: b.Rui}[v.rui]
	if v.draw {
		seat, err := b.Club.Seats.At(t.Context(), map[bool]lobby.User{true: b.Ana, false: b.Rui}[v.rui], b.Ref)
		if err == nil {
			err = seat.OfferDraw(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open(b, who, w, h, settings, environ...)
	s.Keys(v.keys...)
	return b, s
}

// boardPictures maps the cases with golden files to their sizes. Each size shows something that no other picture shows.
var boardPictures = map[string][][2]int{
	"momentum":           {{80, 24}, {40, 20}, {200, 60}},
	"momentum-waiting":   {{80, 24}, {40, 20}},
	"momentum-swap":      {{80, 24}, {40, 20}},
	"momentum-13":        {{120, 40}},
	"momentum-26":        {{120, 40}, {80, 24}, {40, 20}},
	"petteia":            {{80, 24}, {40, 20}, {200, 60}},
	"petteia-second":     {{80, 24}},
	"petteia-command":    {{80, 24}, {40, 20}},
	"fourmation-26":      {{80, 24}, {40, 20}},
	"fourmation-refused": {{80, 24}, {40, 20}},
	"fourmation-resign":  {{80, 24}, {40, 20}},
	"fourmation-offered": {{80, 24}, {40, 20}},
	"fourmation-over":    {{80, 24}, {40, 20}},
	"flugelrad":          {{120, 40}},
	"flugelrad-held":     {{80, 24}, {40, 20}, {200, 60}},
	"tanks":              {{80, 24}},
	"tanks-26":           {{120, 40}, {40, 20}},
}

func TestBoards(t *testing.T) {
	for _, v := range boardCases {
		for _, size := range boardPictures[v.name] {
			name := fmt.Sprintf("utf-8/board-%s-%dx%d", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, s := v.at(t, size[0], size[1], accounts.Settings{}, "LC_ALL=C.UTF-8")
					uitest.Golden(t, name, b.Page(s))
				})
			})
		}
	}
}

// TestBoardsASCII shows every board in every size to terminals that know ASCII alone. Of some a picture is kept.
func TestBoardsASCII(t *testing.T) {
	pictures := []string{"momentum-13-120x40", "petteia-80x24", "flugelrad-held-80x24", "tanks-40x20"}
	for _, v := range boardCases {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 20}} {
			name := fmt.Sprintf("%s-%dx%d", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, s := v.at(t, size[0], size[1], accounts.Settings{}, "LC_ALL=C")
					page := b.Page(s)
					for i, r := range page {
						if r > '~' {
							t.Errorf("%q at byte %d is not ASCII", r, i)
						}
					}
					if slices.Contains(pictures, name) {
						uitest.Golden(t, "ascii/board-"+name, page)
					}
				})
			})
		}
	}
}

func TestBoardsColoured(t *testing.T) {
	for _, v := range boardCases {
		if v.name != "momentum" && v.name != "flugelrad-held" && v.name != "tanks" {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := v.at(t, 80, 24, accounts.Settings{}, "COLORTERM=truecolor")
				uitest.Golden(t, "colour/board-"+v.name, b.Mask(s.App.View().Content))
			})
		})
	}
}

func TestBoardsInOtherLanguages(t *testing.T) {
	for _, lang := range text.Languages()[1:] {
		for _, v := range boardCases {
			size, ok := map[string][2]int{"petteia": {80, 24}, "flugelrad-held": {40, 20}}[v.name]
			if !ok {
				continue
			}
			name := fmt.Sprintf("%s/board-%s-%dx%d", lang.Code, v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b, s := v.at(t, size[0], size[1], accounts.Settings{}, "LANG="+lang.Code+"_XX.UTF-8")
					uitest.Golden(t, name, b.Page(s))
				})
			})
		}
	}
}

// TestBoardsStayInside resizes every board at random, with keys between.
func TestBoardsStayInside(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "enter", "esc", "tab", "home", "/", "a", "1", "r", "v", "backspace"}
	for _, v := range boardCases {
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the keys may lead to any page, and pages wait for news
				_, s := v.at(t, 80, 24, accounts.Settings{})
				for _, size := range [][2]int{{1, 1}, {40, 20}, {240, 70}, {39, 20}, {40, 70}, {240, 20}, {0, 0}} {
					uitest.StaysInside(t, s.App, size[0], size[1])
				}
				rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) { // a bubble has no Deadline for it to ask
					uitest.StaysInside(t, s.App, rapid.IntRange(30, 240).Draw(t, "width"), rapid.IntRange(15, 70).Draw(t, "height"))
					key := rapid.SampledFrom(keys).Draw(t, "key")
					msg := tea.KeyPressMsg(uitest.Named[key])
					if msg.Code == 0 {
						msg = tea.KeyPressMsg{Code: rune(key[0]), Text: key}
					}
					s.App.Update(msg)
				})
			})
		})
	}
}

// BenchmarkMatchView draws the body of each board at 80x24.
func BenchmarkMatchView(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := playing(b, g, 80, 22)
			c := canvas.New(80, 22)
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				s.Draw(c, c.Bounds())
			}
		})
	}
}

// BenchmarkMatchPage draws the whole window.
func BenchmarkMatchPage(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := playing(b, g, 80, 22)
			a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"},
				Pages: screen.Pages{Lobby: func(e *screen.Env) screen.Screen { s.env = e; return s }}})
			a.Init()
			c := canvas.New(80, 24)
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				a.Draw(c)
			}
		})
	}
}

// BenchmarkMatchKey moves the cursor and draws.
func BenchmarkMatchKey(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			var s screen.Screen = playing(b, g, 80, 22)
			c := canvas.New(80, 22)
			keys := []tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyRight}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s, _ = s.Update(keys[i%2])
				c.Clear()
				s.Draw(c, c.Bounds())
			}
		})
	}
}

// BenchmarkBoardKey moves the cursor on each board and draws the page: what a key costs without its way through the terminal.
func BenchmarkBoardKey(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := playing(b, g, 80, 22)
			a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"},
				Pages: screen.Pages{Lobby: func(e *screen.Env) screen.Screen { s.env = e; return s }}})
			a.Init()
			keys := []tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyRight}}
			c := canvas.New(80, 24)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.Update(keys[i%2])
				c.Clear()
				a.Draw(c)
			}
		})
	}
}
