package ui

import (
	"fmt"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

// A sight is a board as somebody sees it.
type boardCase struct {
	name  string
	game  string
	o     games.Options
	alone bool // nobody has taken the second seat
	moves []games.Move
	rui   bool // rui looks, not ana
	keys  []string
}

// shortWin is a match of 4Mation that ana wins.
var shortWin = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}

var boardCases = []boardCase{
	{name: "momentum", game: "momentum", moves: []games.Move{"d4", "c3", "f6", "d5"}},
	{name: "momentum-waiting", game: "momentum", alone: true},
	{name: "momentum-swap", game: "momentum", moves: []games.Move{"d4"}, rui: true, keys: []string{"sw"}},
	{name: "momentum-13", game: "momentum", o: games.Options{"size": 13, "marbles": 12}, moves: []games.Move{"g7", "f6"}},
	{name: "petteia", game: "petteia", moves: []games.Move{"b1-b7", "c8-c2", "d1-d7", "e8-e3"}, keys: []string{"enter", "up", "up"}},
	{name: "petteia-second", game: "petteia", moves: []games.Move{"b1-b7"}, rui: true},
	{name: "petteia-command", game: "petteia", keys: []string{"/"}},
	{name: "fourmation", game: "fourmation", moves: []games.Move{"d4", "e5", "d5", "c6"}, keys: []string{"d"}},
	{name: "fourmation-refused", game: "fourmation", moves: []games.Move{"d4", "e5"}, keys: []string{"a1", "enter"}},
	{name: "fourmation-16", game: "fourmation", o: games.Options{"cols": 16, "rows": 16}, moves: []games.Move{"h8", "h9"}},
	{name: "fourmation-over", game: "fourmation", moves: shortWin},
	{name: "fourmation-review", game: "fourmation", moves: shortWin, keys: []string{"v", "left", "left"}},
	{name: "flugelrad", game: "flugelrad", moves: []games.Move{"0:1", "4:2"}, keys: []string{"enter"}},
	{name: "flugelrad-held", game: "flugelrad", moves: []games.Move{"0:1", "4:2"}, keys: []string{"2:3"}},
	{name: "tanks", game: "tanks", moves: []games.Move{"e2-d3", "e7-d6", "d3-e4", "d6-d5"}, keys: []string{"e4"}},
	{name: "tanks-second", game: "tanks", moves: []games.Move{"e2-d3"}, rui: true},
	{name: "tanks-26", game: "tanks", o: games.Options{"size": 26}, moves: []games.Move{"e2-d3", "e25-d24"}, keys: []string{"enter", "up"}},
}

// at brings the one who looks to the board. It must be called in a bubble.
func (v boardCase) at(t *testing.T, w, h int, settings storage.Settings, environ ...string) (*testMatch, *session) {
	t.Helper()
	b := newTestMatch(t, v.game, v.o, !v.alone)
	b.play(v.moves...)
	who := map[bool]lobby.Who{false: b.ana, true: b.rui}[v.rui]
	s := b.open(who, w, h, settings, environ...)
	s.keys(v.keys...)
	return b, s
}

func TestBoards(t *testing.T) {
	for _, v := range boardCases {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 20}} {
			for charset, environ := range map[string]string{"utf-8": "LC_ALL=C.UTF-8", "ascii": "LC_ALL=C"} {
				name := fmt.Sprintf("%s/board-%s-%dx%d", charset, v.name, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						b, s := v.at(t, size[0], size[1], storage.Settings{}, environ)
						golden(t, name, b.page(s))
					})
				})
			}
		}
	}
}

func TestBoardsColoured(t *testing.T) {
	for _, v := range boardCases {
		if v.name != "momentum" && v.name != "flugelrad-held" && v.name != "tanks" && v.name != "fourmation-over" {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := v.at(t, 80, 24, storage.Settings{}, "COLORTERM=truecolor")
				golden(t, "colour/board-"+v.name, b.mask(s.app.View().Content))
			})
		})
	}
}

// TestBoardsStayInside resizes every board at random, with keys between.
func TestBoardsStayInside(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "enter", "esc", "tab", "home", "/", "a", "1", "r", "v", "backspace"}
	for _, v := range boardCases {
		t.Run(v.name, func(t *testing.T) {
			var app *App
			synctest.Test(t, func(t *testing.T) {
				_, s := v.at(t, 80, 24, storage.Settings{})
				app = s.app
			})
			for _, size := range [][2]int{{1, 1}, {40, 20}, {240, 70}, {39, 20}, {40, 70}, {240, 20}, {0, 0}} {
				staysInside(t, app, size[0], size[1])
			}
			rapid.Check(t, func(t *rapid.T) {
				staysInside(t, app, rapid.IntRange(30, 240).Draw(t, "width"), rapid.IntRange(15, 70).Draw(t, "height"))
				key := rapid.SampledFrom(keys).Draw(t, "key")
				msg := tea.KeyPressMsg(named[key])
				if msg.Code == 0 {
					msg = tea.KeyPressMsg{Code: rune(key[0]), Text: key}
				}
				app.Update(msg)
			})
		})
	}
}
