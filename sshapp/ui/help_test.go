package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// TestHelpKeyOpensAndCloses presses ? often: help has no help.
func TestHelpKeyOpensAndCloses(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.keys("?")
		s.sees("help", "? close")
		s.keys("?")
		s.onScreen(lobbyScreen{})
		s.keys("?????")
		if len(s.app.stack) != 2 {
			t.Errorf("%d screens lie upon each other, want the lobby and its help", len(s.app.stack))
		}
	})
}

// TestQClosesHelp: q closes the help, as in less and man, and leaves the club from all other pages on which nothing is typed.
func TestQClosesHelp(t *testing.T) {
	for _, item := range []string{"New match...", "Leaderboard", "Watch a match", "History", "Learn the games", "Settings"} {
		walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
			s.keys("?", "end")
			s.sees("q, ctrl+c  ") // on the lobby
			s.keys("q")
			s.onScreen(lobbyScreen{})
			s.goTo(item)
			s.keys("?", "q")
			if s.quit || len(s.app.stack) != 2 {
				t.Fatalf("%s: q in the help doesn't just close it", item)
			}
			if s.keys("q"); !s.quit {
				t.Errorf("%s: q doesn't leave the club", item)
			}
		})
	}
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Join by code...")
		s.keys("?", "q")
		s.onScreen(joinScreen{})
		s.misses("Q") // the help has taken it
	})
}

// TestFooterShowsTheWayOut: in a window of 80 cells no footer loses its last keys, help and the way out among them, in any language.
func TestFooterShowsTheWayOut(t *testing.T) {
	for _, sc := range scenes() {
		for _, l := range text.Languages() {
			t.Run(sc.name+" "+l.Code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := sc.at(t, 80, 24, storage.Settings{Language: l.Code})
					lines := strings.Split(strings.TrimRight(s.page(), "\n"), "\n")
					footer := lines[len(lines)-1]
					for _, k := range s.app.keys().ShortHelp() {
						if name := k.Help().Key; (name == "esc" || name == "q") && !strings.Contains(footer, " "+name+" ") {
							t.Errorf("%q is cut off %q", name, footer)
						}
					}
				})
			})
		}
	}
}

// TestHelpNamesAKeyOnce looks for keys that are explained twice.
func TestHelpNamesAKeyOnce(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sc.at(t, 80, 24, storage.Settings{})
				if s.app.top().Typing() || isHelp(s.app.top()) {
					return
				}
				s.keys("?")
				_, keys, _ := strings.Cut(s.app.top().(reader).prose.Words, "# Keys\n")
				seen := make(map[string]bool)
				for line := range strings.SplitSeq(keys, "\n") {
					key, _, _ := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
					if seen[key] && key != "" {
						t.Errorf("%q is explained twice:\n%s", key, keys)
					}
					seen[key] = true
				}
			})
		})
	}
}

// TestHelpBesideAMove opens the help while a move is typed: the move stays, the window's title says whose turn it is, and
// leaving asks as it does at the board.
func TestHelpBesideAMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("d4", "?")
		s.onScreen(reader{})
		if got := s.app.View().WindowTitle; got != "your move - Ludoteca" {
			t.Errorf("over the help the window's title is %q", got)
		}
		if s.keys("ctrl+c"); s.quit {
			t.Error("ctrl+c in the help of a board leaves the match without a question")
		}
		s.sees("Your match goes on")
		s.keys("esc") // plays on
		s.onScreen(reader{})
		s.keys("esc")
		s.sees("› d4")
		s.keys("ctrl+u", "/he", "?")
		s.sees("› /he?")
	})
}

// TestHelpBesideTheBoard: in a wide window the help of a board leaves the board in view, in a narrow one it takes its place.
func TestHelpBesideTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		b.play("d4", "e5")
		for _, size := range [][2]int{{120, 30}, {120, 40}, {200, 60}} {
			s := b.open(b.ana, size[0], size[1], storage.Settings{})
			before := s.board().size
			s.keys("?")
			s.onScreen(reader{})
			s.sees("The aim", "● ana", "○ rui", "1  d4  e5", "? close")
			s.misses("Your move:", "enter plays")
			for line := range strings.SplitSeq(s.page(), "\n") {
				if n := text.Width(line); n > size[0] {
					t.Errorf("a line of %d cells in a window of %d: %q", n, size[0], line)
				}
			}
			s.keys("end")
			s.sees("leave the club", "● ana")
			s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
			s.misses("● ana")
			s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.sees("● ana")
			s.keys("esc")
			if after := s.board().size; after != before {
				t.Errorf("after the help the board's part is %v, before %v", after, before)
			}
			s.sees("Your move:")
		}
		s := b.open(b.ana, 119, 40, storage.Settings{})
		s.keys("?")
		s.misses("● ana")

		ana := b.open(b.ana, 120, 40, storage.Settings{})
		ana.keys("/review", "enter", "?")
		ana.sees("● ana", "? close", "Other moves")
	})
}

// TestHelpOfARunningBoard offers no letter as a key: each belongs to a move.
func TestHelpOfARunningBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("?")
		_, keys, _ := strings.Cut(s.app.top().(reader).prose.Words, "# Keys\n")
		for _, name := range []string{"hjkl", "q, ctrl+c", "\n  q "} {
			if strings.Contains(keys, name) {
				t.Errorf("offers %q:\n%s", name, keys)
			}
		}
		if !strings.Contains(keys, "\n  ctrl+c ") {
			t.Errorf("doesn't name the way out:\n%s", keys)
		}
	})
}

// TestHelpIsWellSet: no two empty lines stand below each other in the help of any board, in any language.
func TestHelpIsWellSet(t *testing.T) {
	for _, g := range catalog.All() {
		for _, l := range text.Languages() {
			t.Run(g.About().ID+" "+l.Code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newTestMatch(t, g.About().ID, nil, true)
					s := b.open(b.ana, 80, 24, storage.Settings{Language: l.Code})
					s.keys("?")
					words := s.app.top().(reader).prose.Words
					if before, _, gap := strings.Cut(words, "\n\n\n"); gap {
						t.Errorf("a gap of two lines after %q", before[max(0, len(before)-60):])
					}
				})
			})
		}
	}
}

// TestFootersAreInTheHelp compares footer and help page of every screen: what the footer names comes first in the help, or is
// among the keys that work everywhere, and no key that the help names goes unanswered for being disabled.
func TestFootersAreInTheHelp(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sc.at(t, 80, 24, storage.Settings{})
				k := s.app.keys()
				help := slices.Concat(k.FullHelp()...)
				for _, b := range help {
					if !b.Enabled() {
						t.Errorf("help names %q, which is disabled", b.Help().Key)
					}
				}
				named := keyNames(help)
				for _, b := range k.ShortHelp() {
					if name := b.Help().Key; !slices.Contains(named, name) {
						t.Errorf("the footer names %q, the help %q", name, named)
					}
				}
			})
		})
	}
}

// keyNames returns what footer or help call some bindings, also each of several keys that stand together.
func keyNames(all []key.Binding) (names []string) {
	for _, b := range all {
		name := b.Help().Key
		names = append(names, name)
		if several := strings.Split(name, ", "); len(several) > 1 {
			names = append(names, several...)
		}
	}
	return names
}
