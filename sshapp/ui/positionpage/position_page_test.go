package positionpage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// A destination is the screen that the tests' positions lead to: it keeps the position.
type destination struct{ pos games.Position }

func (d destination) Init() tea.Cmd                           { return nil }
func (d destination) Update(tea.Msg) (screen.Screen, tea.Cmd) { return d, nil }
func (d destination) Draw(*canvas.Canvas, canvas.Rect)        {}
func (d destination) Title() string                           { return "destination" }
func (d destination) Status() string                          { return "" }
func (d destination) Typing() bool                            { return false }
func (d destination) ShortHelp() []key.Binding                { return nil }
func (d destination) FullHelp() [][]key.Binding               { return nil }

// open returns the screen with the start of a game.
func open(t testing.TB, e *screen.Env, id string, o games.Options) screen.Screen {
	t.Helper()
	g, ok := catalog.Find(id)
	if !ok {
		t.Fatalf("no game %s", id)
	}
	o, err := games.Complete(g, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := New(e, g, p, destination{}, func(p games.Position) screen.Screen { return destination{pos: p} })
	if !ok {
		t.Fatalf("positions of %s can't be set up", id)
	}
	return s
}

// at runs a test in a bubble with the screen of a game in a window of some size.
func at(t *testing.T, w, h int, id string, o games.Options, environ []string, f func(t *testing.T, s *uitest.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		home := uitest.NewHome(uitest.HomeItem{Words: "Set it up", Open: func(e *screen.Env) screen.Screen { return open(t, e, id, o) }})
		cfg := ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: environ, Bell: uitest.RingBell,
			Now: func() time.Time { return uitest.Noon }, Pages: screen.Pages{Lobby: home, Match: uitest.NewBoard}}
		s := uitest.Start(t, w, h, ui.NewApp(t.Context(), cfg))
		s.GoTo("Set it up")
		f(t, s)
	})
}

const petteiaStart = "OOOOOOOOOOOO/............/............/............/............/............/............/XXXXXXXXXXXX"

func TestPositionIsSetUp(t *testing.T) {
	tests := []struct {
		name    string
		game    string
		options games.Options
		keys    []string
		want    string // the position, "" where there is none
		sees    string // why
	}{
		{"letters and digits", "momentum", nil, []string{"x", "right", "o", "up", "1", "up", "2"},
			"ply=0 turn=X ......./....O../....X../...XO../......./......./.......", ""},
		{"a piece is taken away, and another put in its place", "momentum", nil, []string{"x", "right", "o", "space", "left", "O", "O"},
			"ply=0 turn=X ......./......./......./...O.../......./......./.......", ""},
		{"the other side is to move", "momentum", nil, []string{"x", "ctrl+o"},
			"ply=1 turn=O ......./......./......./...X.../......./......./.......", ""},
		{"a typed number", "momentum", nil, []string{"x", "tab", "17"},
			"ply=17 turn=O ......./......./......./...X.../......./......./.......", ""},
		{"a number beyond the end is the last", "momentum", nil, []string{"x", "tab", "99"},
			"ply=59 turn=O ......./......./......./...X.../......./......./.......", ""},
		{"too many marbles", "momentum", games.Options{"marbles": 6}, []string{"home", "x", "right", "x", "right", "x", "right", "x", "right", "x", "right", "x"},
			"", "too many marbles on the board: each player owns 6"},
		{"undo", "momentum", nil, []string{"x", "right", "x", "ctrl+o", "ctrl+z", "ctrl+z"},
			"ply=0 turn=X ......./......./......./...X.../......./......./.......", ""},
		{"nothing to undo", "momentum", nil, []string{"ctrl+z", "ctrl+z"},
			"ply=0 turn=X ......./......./......./......./......./......./.......", ""},
		{"cleared, and the start again", "petteia", nil, []string{"ctrl+k", "x", "ctrl+b"},
			"turn=X captured=0,0 quiet=0 " + petteiaStart, ""},
		{"the numbers of a position", "petteia", nil, []string{"tab", "right", "down", "right", "right", "down", "3", "down", "12"},
			"turn=O captured=2,3 quiet=12 " + petteiaStart, ""},
		{"the game is over", "petteia", nil, []string{"tab", "down", "7"}, "", "the game is over in it"},
		{"no legal move", "petteia", nil, []string{"ctrl+k", "o"}, "", "the game is over in it"},
		{"the last piece follows", "fourmation", nil, []string{"x", "right", "o", "right", "x"},
			"last=f4 turn=O ......./......./......./...XOX./......./......./.......", ""},
		{"another last piece", "fourmation", nil, []string{"x", "right", "o", "right", "x", "left", "left", "*"},
			"last=d4 turn=O ......./......./......./...XOX./......./......./.......", ""},
		{"too many of one side", "fourmation", nil, []string{"x", "right", "x"}, "", "2 X and 0 O: X has as many pieces as O, or one more"},
		{"a full line", "fourmation", games.Options{"win_length": 3},
			[]string{"home", "x", "right", "x", "right", "x", "up", "o", "left", "left", "o"}, "", "the game is over in it"},
		{"a ball less", "flugelrad", nil, []string{"home", "space"}, "", "there are 8 X and 9 O on the board instead of 9 each"},
		{"a wheel that is locked", "flugelrad", nil, []string{"tab", "down", "4", "down", "30"},
			"turn=X last=4 turns=30 XO...OXOX..X..XO...OXO..OXOXOX", ""},
		{"no wheel is locked", "flugelrad", nil, []string{"tab", "down", "4", "backspace"},
			"turn=X turns=0 XO...OXOX..X..XO...OXO..OXOXOX", ""},
		{"tanks of both sides", "tanks", games.Options{"size": 6}, []string{"ctrl+k", "T", "right", "d", "right", "m", "down", "2", "ctrl+o"},
			"turn=top size=6 ....../....../...Tdm/.....T/....../......", ""},
		{"no tank of one side", "tanks", games.Options{"size": 6}, []string{"ctrl+k", "M"}, "", "the game is over in it"},
		{"a pasted position", "petteia", nil, []string{"paste turn=O captured=1,0 ............/............/...O......../............/............/..X........./............/...........X", "enter"},
			"turn=O captured=1,0 quiet=0 ............/............/...O......../............/............/..X........./............/...........X", ""},
		{"a pasted position of other options", "momentum", nil, []string{"end", "paste size=9 ply=1 turn=O ........./........./........./........./....X..../........./........./........./.........", "enter", "home", "o"},
			"size=9 ply=1 turn=O ........./........./........./........./....X..../........./........./........./O........", ""},
		{"the size before is undone", "momentum", nil, []string{"paste size=9 ply=1 turn=O ........./........./........./........./....X..../........./........./........./.........", "enter", "end", "ctrl+z"},
			"ply=0 turn=X ......./......./......./......./......./......./.......", ""},
		{"a pasted text that is none", "petteia", nil, []string{"paste turn=Q captured=1,0 XX/OO", "enter"}, "", "it must be X or O"},
		{"hostile text", "petteia", nil, []string{"paste \x1b[2J\u202e" + strings.Repeat("X/", 5000), "enter"}, "", "A match can't begin from this position"},
		{"a text that is given up", "petteia", nil, []string{"ctrl+p", "zzz", "esc"},
			"turn=X captured=0,0 quiet=0 " + petteiaStart, ""},
		{"endless options", "petteia", nil, []string{"paste turn=X captured=0,0 repetition=0 quiet_limit=0 " + petteiaStart, "enter"},
			"", "With these options a game might never end."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at(t, 80, 24, tt.game, tt.options, nil, func(t *testing.T, s *uitest.Session) {
				for _, k := range tt.keys {
					if content, ok := strings.CutPrefix(k, "paste "); ok {
						s.Send(tea.PasteMsg{Content: content})
						continue
					}
					s.Keys(k)
				}
				if tt.want == "" {
					s.Reads(tt.sees)
					s.Keys("enter")
					s.OnScreen("positionpage.positionScreen")
					return
				}
				s.Reads("A match can begin from here")
				s.Keys("enter")
				s.OnScreen("positionpage.destination")
				if got := s.App.Top().(destination).pos.String(); got != tt.want {
					t.Errorf("set up %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestCursorStaysOnTheBoard: on a board that has become smaller the cursor is on a cell of it.
func TestCursorStaysOnTheBoard(t *testing.T) {
	s := open(t, &screen.Env{Who: uitest.Ana, Say: wording.In("en"), Theme: widget.NewTheme("", 0, false)}, "petteia", nil).(positionScreen)
	last := s.draft.Cells() - 1
	for was, want := range map[int]bool{last: true, last + 1: false, last + 9: false} {
		s.cursor = boardview.Spot(was)
		if now := int(s.inside().cursor); now > last || (now == was) != want {
			t.Errorf("the cursor goes from cell %d of %d to %d", was, last+1, now)
		}
	}
}

// TestEscLeadsBack: the screen before stands where the board stood.
func TestEscLeadsBack(t *testing.T) {
	at(t, 80, 24, "momentum", nil, nil, func(t *testing.T, s *uitest.Session) {
		s.Keys("x", "ctrl+p", "esc", "esc")
		s.OnScreen("positionpage.destination")
		if s.App.Top().(destination).pos != nil {
			t.Error("it leads on with a position")
		}
	})
}

// TestClicks: a click moves the cursor, a second one changes the cell.
func TestClicks(t *testing.T) {
	for _, id := range []string{"momentum", "flugelrad"} {
		t.Run(id, func(t *testing.T) {
			at(t, 80, 24, id, nil, nil, func(t *testing.T, s *uitest.Session) {
				page := s.App.Top().(positionScreen)
				l := page.layout(page.size.Width, page.size.Height)
				page.cursor = 0
				x, y := page.scene.CursorCell(l.Board, page.state())
				click := tea.MouseClickMsg{X: l.X + x, Y: l.Y + y + uitest.HeaderLines, Button: tea.MouseLeft}
				s.Send(click)
				before := s.App.Top().(positionScreen)
				if before.cursor != 0 {
					t.Fatalf("the cursor is on %d, want 0", before.cursor)
				}
				s.Send(click)
				s.Send(tea.MouseClickMsg{X: 79, Y: 22, Button: tea.MouseLeft}) // beside everything
				after := s.App.Top().(positionScreen)
				all := "." + after.game.Pieces()
				want := all[(strings.IndexByte(all, before.draft.At(0))+1)%len(all)]
				if got := after.draft.At(0); got != want {
					t.Errorf("after %c comes %c, want %c", before.draft.At(0), got, want)
				}
			})
		})
	}
}

func TestGoldenPositions(t *testing.T) {
	tests := []struct {
		name, game string
		w, h       int
		environ    []string
		keys       []string
	}{
		{"petteia", "petteia", 80, 24, nil, []string{"space", "up", "o", "tab", "down", "right"}},
		{"petteia", "petteia", 40, 20, nil, []string{"up", "o", "tab", "down"}},
		{"flugelrad", "flugelrad", 80, 24, nil, []string{"home", "space", "tab", "down", "4", "tab", "down"}},
		{"tanks", "tanks", 40, 20, nil, []string{"T", "right", "m"}},
		{"tanks-ascii", "tanks", 80, 24, []string{"LC_ALL=C"}, []string{"T", "right", "m"}},
		{"text", "fourmation", 80, 24, nil, []string{"ctrl+p", "home", "Q", "enter"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s-%dx%d", tt.name, tt.w, tt.h), func(t *testing.T) {
			at(t, tt.w, tt.h, tt.game, nil, tt.environ, func(t *testing.T, s *uitest.Session) {
				s.Keys(tt.keys...)
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", tt.name, tt.w, tt.h), s.Page())
				uitest.StaysInside(t, s.App, 1, 1)
				uitest.StaysInside(t, s.App, 40, 20)
				uitest.StaysInside(t, s.App, 120, 40)
			})
		})
	}
}

// fuzzed are the keys that the fuzzer presses, by a byte.
var fuzzed = func() []string {
	all := []string{"paste turn=X captured=0,0 OO/XX", "paste size=13 ply=3 X", "paste " + strings.Repeat("é/", 600)}
	for name := range uitest.Named {
		if name != "ctrl+c" && name != "esc" {
			all = append(all, name)
		}
	}
	for _, r := range "xoTDMtdm.*0123456789/=?" {
		all = append(all, string(r))
	}
	slices.Sort(all)
	return all
}()

// FuzzKeys presses any keys in any game: what is set up is a position that the game reads back, or the screen says why not.
func FuzzKeys(f *testing.F) {
	all := slices.DeleteFunc(catalog.All(), func(g games.Game) bool {
		_, editable := g.(games.Editable)
		return !editable
	})
	for game := range byte(len(all)) {
		f.Add(game, []byte("\x01\x05\x09 some keys"))
	}
	f.Fuzz(func(t *testing.T, game byte, keys []byte) {
		g := all[int(game)%len(all)]
		e := &screen.Env{Who: uitest.Ana, Say: wording.In("en"), Theme: widget.NewTheme("", 0, false)}
		var s screen.Screen = open(t, e, g.About().ID, nil)
		s, _ = s.Update(tea.WindowSizeMsg{Width: 60, Height: 18})
		for _, k := range keys[:min(len(keys), 200)] {
			name := fuzzed[int(k)%len(fuzzed)]
			msgs := []tea.Msg{tea.MouseClickMsg{X: int(k) % 60, Y: int(k) % 18, Button: tea.MouseLeft}}
			if content, ok := strings.CutPrefix(name, "paste "); ok {
				msgs = append(msgs, tea.PasteMsg{Content: content})
			} else {
				for _, press := range uitest.Pressed(name) {
					msgs = append(msgs, press)
				}
			}
			for _, msg := range msgs {
				next, _ := s.Update(msg)
				if _, ok := next.(positionScreen); !ok {
					t.Fatalf("%s leads to a %T", name, next)
				}
				s = next
			}
			page := s.(positionScreen)
			uitest.Drawn(page, 60, 18)
			switch p, err := g.Parse(g.(games.Editable).Text(page.draft)); {
			case page.pos == nil && page.problem == "":
				t.Fatalf("no position and no reason: %s", page.game.Text(page.draft))
			case page.pos != nil && (err != nil || p.String() != page.pos.String() || p.String() != page.game.Text(page.draft) || p.Result().Over || page.problem != ""):
				t.Fatalf("%s is read as %v, %v; %s", page.pos, p, err, page.problem)
			}
			if len(page.past) > maxPast {
				t.Fatalf("%d changes can be undone", len(page.past))
			}
		}
	})
}
