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
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestHelpKeyOpensAndCloses presses ? often: help has no help.
func TestHelpKeyOpensAndCloses(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Keys("?")
		s.Sees("help", "? close")
		s.Keys("?")
		s.OnScreen("lobbypage.lobbyScreen")
		s.Keys("?????")
		if len(s.App.(*App).nav.screens.slots) != 2 {
			t.Errorf("%d screens lie upon each other, want the lobby and its help", len(s.App.(*App).nav.screens.slots))
		}
	})
}

// TestQClosesHelp: q closes the help, as in less and man, and leaves the club from all other pages on which nothing is typed.
func TestQClosesHelp(t *testing.T) {
	for _, item := range []string{"New match...", "Leaderboard", "Watch a match", "History", "Learn the games", "Settings"} {
		walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
			s.Keys("?", "end")
			s.Sees("q, ctrl+c  ") // on the lobby
			s.Keys("q")
			s.OnScreen("lobbypage.lobbyScreen")
			s.GoTo(item)
			s.Keys("?", "q")
			if s.Quit || len(s.App.(*App).nav.screens.slots) != 2 {
				t.Fatalf("%s: q in the help doesn't just close it", item)
			}
			if s.Keys("q"); !s.Quit {
				t.Errorf("%s: q doesn't leave the club", item)
			}
		})
	}
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Join by code...")
		s.Keys("?", "q")
		s.OnScreen("newmatch.joinScreen")
		s.Misses("Q") // the help has taken it
	})
}

// TestFooterShowsTheWayOut: in a window of 80 cells no footer loses its last keys, help and the way out among them, in any language.
func TestFooterShowsTheWayOut(t *testing.T) {
	for _, sc := range scenes() {
		for _, l := range text.Languages() {
			t.Run(sc.name+" "+l.Code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := sc.at(t, 80, 24, accounts.Settings{Language: l.Code})
					lines := strings.Split(strings.TrimRight(s.Page(), "\n"), "\n")
					footer := lines[len(lines)-1]
					for _, k := range s.App.(*App).keys().ShortHelp() {
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
				s := sc.at(t, 80, 24, accounts.Settings{})
				if s.App.Top().Typing() || screen.IsHelp(s.App.Top()) {
					return
				}
				s.Keys("?")
				_, keys, _ := strings.Cut(s.App.Top().(screen.Reader).Prose.Words, "# Keys\n")
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

// TestHelpBesideAMove opens the help while a move is typed: the move stays, the window's title tells whose turn it is, and
// leaving asks as it does at the board.
func TestHelpBesideAMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("d4", "?")
		s.OnScreen("screen.Reader")
		if got := s.App.View().WindowTitle; got != "your move - Ludoteca" {
			t.Errorf("over the help the window's title is %q", got)
		}
		if s.Keys("ctrl+c"); s.Quit {
			t.Error("ctrl+c in the help of a board leaves the match without a question")
		}
		s.Sees("Your match goes on")
		s.Keys("esc") // plays on
		s.OnScreen("screen.Reader")
		s.Keys("esc")
		s.Sees("› d4")
		s.Keys("ctrl+u", "/he", "?")
		s.Sees("› /he?")
	})
}

// TestHelpBesideTheBoard: in a wide window the help of a board leaves the board in view, in a narrow one it takes its place.
func TestHelpBesideTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play("d4", "e5")
		for _, size := range [][2]int{{120, 30}, {120, 40}, {200, 60}} {
			s := open(b, b.Ana, size[0], size[1], accounts.Settings{})
			before := s.Page()
			s.Keys("?")
			s.OnScreen("screen.Reader")
			s.Sees("The aim", "● ana", "○ rui", "1  d4  e5", "? close")
			s.Misses("Your move:", "enter plays")
			for line := range strings.SplitSeq(s.Page(), "\n") {
				if n := text.Width(line); n > size[0] {
					t.Errorf("a line of %d cells in a window of %d: %q", n, size[0], line)
				}
			}
			s.Keys("end")
			s.Sees("leave the club", "● ana")
			s.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
			s.Misses("● ana")
			s.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.Sees("● ana")
			s.Keys("esc")
			if after := s.Page(); after != before {
				t.Errorf("after the help:\n%s\nbefore it:\n%s", after, before)
			}
			s.Sees("Your move:")
		}
		s := open(b, b.Ana, 119, 40, accounts.Settings{})
		s.Keys("?")
		s.Misses("● ana")

		ana := open(b, b.Ana, 120, 40, accounts.Settings{})
		ana.Keys("/review", "enter", "?")
		ana.Sees("● ana", "? close", "Other moves")
	})
}

// TestHelpOfARunningBoard offers no letter as a key: each belongs to a move.
func TestHelpOfARunningBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("?")
		_, keys, _ := strings.Cut(s.App.Top().(screen.Reader).Prose.Words, "# Keys\n")
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
					b := uitest.NewMatch(t, g.About().ID, nil, true)
					s := open(b, b.Ana, 80, 24, accounts.Settings{Language: l.Code})
					s.Keys("?")
					words := s.App.Top().(screen.Reader).Prose.Words
					if before, _, gap := strings.Cut(words, "\n\n\n"); gap {
						t.Errorf("a gap of two lines after %q", before[max(0, len(before)-60):])
					}
				})
			})
		}
	}
}

// TestFootersAreInTheHelp compares footer and help page of every screen. The keys of the footer come first in the help or are
// among the keys that work everywhere, and the help names no disabled key.
func TestFootersAreInTheHelp(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sc.at(t, 80, 24, accounts.Settings{})
				k := s.App.(*App).keys()
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
