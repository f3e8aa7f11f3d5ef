package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

// TestMatchByCode follows a match from its code to its end: what both see, the bell, the window's title.
func TestMatchByCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, false)
		ana := b.open(b.ana, 80, 24, storage.Settings{})
		ana.sees("Tell your friend the code", strings.Join(strings.Split(b.ref.Code, ""), " "), "nobody yet", "withdraw offer")

		rui := begin(t, 80, 24, Config{Lobby: b.club, Who: b.rui, Start: StartJoin, Code: b.ref.Code, Now: time.Now})
		ana.settle()
		ana.sees("ana · your move", "rui", "Place a piece that touches")
		if ana.bells != 1 {
			t.Errorf("%d bells when the friend comes, want 1", ana.bells)
		}
		if title := ana.app.View().WindowTitle; !strings.Contains(title, "your move") {
			t.Errorf("the window's title is %q", title)
		}
		rui.sees("rui · waiting", "Waiting for ana")

		for i, m := range []string{"a1", "b2", "b1", "c2", "c1", "d2", "d1"} {
			s := []*session{ana, rui}[i%2]
			s.keys(m, "enter")
			ana.settle()
			rui.settle()
		}
		ana.sees("ana wins: 4 in a line.", "○ rui", "r rematch", "v review", "n new opponent", "*●*")
		rui.sees("ana wins: 4 in a line.", "over")
		if ana.bells != 4 || rui.bells != 4 {
			t.Errorf("%d and %d bells, want 4 each", ana.bells, rui.bells)
		}

		rui.keys("r")
		rui.sees("Waiting for ana to accept.")
		ana.settle()
		ana.sees("rui asks for a rematch: press r.")
		ana.keys("r")
		rui.settle()
		rui.sees("rui · your move") // sides are swapped
		ana.sees("ana · waiting")
	})
}

// TestTypedStays types while the other side moves: the line stays, and so does a move that came too late.
func TestTypedStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		ana, rui := b.open(b.ana, 80, 24, storage.Settings{}), b.open(b.rui, 80, 24, storage.Settings{})
		rui.keys("e5")
		rui.sees("e5, when it is your turn")
		rui.keys("enter")
		rui.sees("It is not your turn yet", "› e5")
		ana.keys("d4", "enter")
		rui.settle()
		rui.sees("› e5", "enter plays e5, pushes 1")

		again := b.open(b.rui, 80, 24, storage.Settings{}) // a second terminal
		again.keys("a1")
		rui.keys("enter")
		again.settle()
		again.sees("› a1", "a1, when it is your turn")
		if v := b.view(); v.Ply() != 2 || v.Moves[1] != "e5" {
			t.Errorf("moves %v", v.Moves)
		}
	})
}

// TestTypedRefusals types what can't be played: the line says why, and enter changes nothing.
func TestTypedRefusals(t *testing.T) {
	tests := []struct {
		name, game string
		moves      []games.Move
		typed      string
		want       string
	}{
		{"taken", "momentum", []games.Move{"d4", "a1"}, "d4", "cell taken"},
		{"no cell", "momentum", nil, "z9", "a move is a cell from a1 to g7, or swap"},
		{"swap too late", "momentum", []games.Move{"d4", "a1"}, "swap", "swap only as the second move"},
		{"too far", "fourmation", []games.Move{"d4", "e5"}, "a1", "not next to the last move, e5"},
		{"another's man", "petteia", nil, "a8-a7", "no man of yours on a8"},
		{"out of reach", "tanks", nil, "e2e5", "can't be played"},
		{"an empty wheel", "flugelrad", nil, "3:1", "wheel 3 is empty"},
		{"nonsense", "flugelrad", nil, "hello", "a turn is a wheel from 0 to 6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, tt.game, nil, true)
				b.play(tt.moves...)
				s := b.open(b.ana, 120, 40, storage.Settings{})
				s.keys(tt.typed)
				s.sees(tt.want)
				s.keys("enter")
				s.sees(tt.want, "› "+tt.typed)
				if v := b.view(); v.Ply() != len(tt.moves) {
					t.Errorf("moves %v", v.Moves)
				}
				s.keys("esc")
				s.misses(tt.want)
				s.atMatch()
			})
		})
	}
}

func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "petteia", nil, true)
		ana, rui := b.open(b.ana, 80, 24, storage.Settings{}), b.open(b.rui, 80, 24, storage.Settings{})
		ana.keys("/")
		ana.sees("/resign", "/abort", "/flip", "/lobby")
		ana.keys("fl", "tab")
		ana.sees("› /flip")
		ana.keys("enter")
		ana.sees("l   k   j")
		ana.send(tea.KeyPressMsg{Code: 'f', Mod: tea.ModCtrl})
		ana.sees("a   b   c")
		rui.sees("l   k   j") // plays from the top, so sees it turned

		ana.keys("/xyz", "enter")
		ana.sees("There is no command /xyz here")
		ana.keys("esc", "/re", "enter")
		ana.sees("Resign this match? Enter once more") // there is nothing to review, so it is clear what is meant
		ana.keys("esc")
		ana.misses("Resign this match?")
		ana.atMatch()
		if b.view().Over {
			t.Fatal("esc resigned")
		}
		ana.keys("/resign", "enter", "enter")
		rui.settle()
		rui.sees("rui wins: ana", "resigned.", "over", "r rematch")
		if rui.bells != 1 {
			t.Errorf("%d bells, want 1", rui.bells)
		}
		ana.keys("/resign", "enter")
		ana.sees("This match is over.")
	})
}

// TestQuestions asks before what can't be undone. While the question is open the screen says nothing else that enter would
// do, and whatever is done instead of a second enter cancels it and does nothing else.
func TestQuestions(t *testing.T) {
	type act struct {
		name string
		do   func(s *session)
	}
	asks := []act{
		{"Resign this match?", func(s *session) { s.keys("/resign", "enter") }},
		{"Call this match off?", func(s *session) { s.keys("/abort", "enter") }},
		{"Call this match off?", func(s *session) { s.keys("d5"); s.send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl}) }},
	}
	cancels := []act{
		{"esc", func(s *session) { s.keys("esc") }},
		{"a letter", func(s *session) { s.keys("d") }},
		{"an arrow", func(s *session) { s.keys("up") }},
		{"tab", func(s *session) { s.keys("tab") }},
		{"a letter that is a key elsewhere", func(s *session) { s.keys("q") }},
		{"help", func(s *session) { s.keys("?") }},
		{"a control key", func(s *session) { s.send(tea.KeyPressMsg{Code: 'f', Mod: tea.ModCtrl}) }},
		{"a paste", func(s *session) { s.send(tea.PasteMsg{Content: "d5"}) }},
		{"the wheel", func(s *session) { s.send(tea.MouseWheelMsg{X: 20, Y: 10, Button: tea.MouseWheelUp}) }},
		{"a key of every screen", func(s *session) { s.keys("ctrl+l") }},
		{"a click on the header", func(s *session) { s.send(tea.MouseClickMsg{X: 3, Y: 0, Button: tea.MouseLeft}) }},
		{"a click on the board", func(s *session) { s.click("d   e") }},
		{"a click beside the board", func(s *session) { s.send(tea.MouseClickMsg{X: 0, Y: 20, Button: tea.MouseLeft}) }},
	}
	for _, ask := range asks {
		for _, cancel := range cancels {
			t.Run(ask.name+" "+cancel.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newTestMatch(t, "fourmation", nil, true)
					s := b.open(b.ana, 80, 24, storage.Settings{})
					before := s.board()
					ask.do(s)
					s.sees(ask.name+" Enter once more, esc to play on.", "esc play on")
					s.misses("enter plays", "Your move:", "arrows enter", "› d5", "? help")
					if _, _, shown := s.board().Cursor(); shown {
						t.Error("the cursor stands where nothing is chosen or typed")
					}
					typed := s.board().input
					cancel.do(s)
					s.misses("once more")
					if after := s.board(); after.input != typed || after.turned != before.turned {
						t.Errorf("what cancels the question has done something else:\n%s", s.page())
					}
					s.sees("arrows enter or type a move")
					s.keys("ctrl+u", "enter") // plays, as nothing is asked any more
					if v := b.view(); v.Over || v.Ply() != 1 {
						t.Errorf("after the question was cancelled: over %v, moves %v", v.Over, v.Moves)
					}
				})
			})
		}
		t.Run(ask.name+" enter", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, "fourmation", nil, true)
				s := b.open(b.ana, 80, 24, storage.Settings{})
				ask.do(s)
				s.keys("enter")
				if v := b.view(); !v.Over {
					t.Errorf("not carried out:\n%s", s.page())
				}
			})
		})
	}
}

// TestLeavingCancelsAQuestion: ctrl+c asks its own question instead of the one that is open.
func TestLeavingCancelsAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("/resign", "enter", "ctrl+c")
		s.misses("Resign this match?")
		s.sees("Leave? ctrl+c once more.")
		s.keys("enter") // withdraws
		s.misses("once more")
		if v := b.view(); v.Over || v.Ply() != 0 || s.quit {
			t.Errorf("over %v, %d moves, left %v", v.Over, v.Ply(), s.quit)
		}
		s.keys("/resign", "enter", "ctrl+c", "ctrl+c")
		if !s.quit || b.view().Over {
			t.Errorf("left %v, over %v", s.quit, b.view().Over)
		}
	})
}

// TestLeaveQuestionAtABoard: while it is open, the footer names what answers it and the screen says nothing that enter would do.
func TestLeaveQuestionAtABoard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			b := newTestMatch(t, "fourmation", nil, true)
			s := b.open(b.ana, size[0], size[1], storage.Settings{})
			s.keys("d4", "ctrl+c")
			s.sees("ctrl+c leave", "esc play on")
			s.misses("enter plays", "Your move:", "arrows enter", "› d4", "/ commands")
			if s.app.View().Cursor != nil {
				t.Error("the cursor stands in what can't be seen")
			}
			s.keys("esc")
			s.sees("› d4", "/ commands")
		})
	}
}

// TestQuestionsOfSpectators: the person who lets two computer players play is asked as well.
func TestQuestionsOfSpectators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		s := b.open(b.person("zoe"), 80, 24, storage.Settings{})
		screen := s.board()
		bots := *screen.view
		bots.Seats = [2]storage.Occupant{greedy, greedy}
		screen.view = &bots
		s.app.stack[len(s.app.stack)-1].screen = screen
		for _, key := range []string{"q", "?", "esc", "j", "ctrl+c"} {
			s.keys("/abort", "enter")
			s.sees("Call this match off?")
			s.keys(key)
			if s.quit && key != "ctrl+c" || s.board().asking != "" {
				t.Errorf("%s: left %v, asks %q", key, s.quit, s.board().asking)
			}
		}
	})
}

// TestQuestionsLapse: when the match has gone on there is nothing to answer any more.
func TestQuestionsLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		ana := b.open(b.ana, 80, 24, storage.Settings{})
		b.play("d4")
		ana.keys("/resign", "enter")
		ana.sees("Resign this match?")
		b.play("e5")
		ana.settle()
		ana.misses("Resign this match?")
		ana.keys("/resign", "enter")
		if err := b.seat(b.rui).Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		ana.settle()
		ana.misses("Resign this match?")
		ana.sees("r rematch")
	})
}

// TestFooterWhileTyping names only keys that do what it says, whatever is half typed or chosen: at a board, on an offer that
// waits, and when the turn passes.
func TestFooterWhileTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "tanks", nil, true)
		s, rui := b.open(b.ana, 80, 24, storage.Settings{}), b.open(b.rui, 80, 24, storage.Settings{})
		s.sees("esc lobby")
		s.keys("e2")
		s.sees("esc clear")
		s.keys("esc")
		s.sees("esc lobby")
		s.keys("enter")
		s.sees("esc let go")
		s.keys("esc")
		s.atMatch()
		s.sees("esc lobby")

		rui.keys("e7e6")
		rui.sees("esc clear")
		s.keys("e2e3", "enter")
		rui.settle()
		rui.sees("enter plays e7-e6")
		rui.keys("enter")
		if v := b.view(); v.Ply() != 2 {
			t.Errorf("enter doesn't work when the turn has passed: %v", v.Moves)
		}

		b = newTestMatch(t, "tanks", nil, false)
		s = b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("e2", "5") // no match to move in yet
		s.misses("› e2")
		s.sees("a withdraw offer", "esc lobby")
		s.keys("/fl") // a letter is the command's now
		s.misses("a withdraw offer")
		s.sees("esc clear")
		s.keys("esc")
		s.sees("a withdraw offer")
		s.keys("a")
		s.onScreen(lobbyScreen{})
	})
}

// TestKeysAtTheEnd work at once, whatever is half typed or chosen.
func TestKeysAtTheEnd(t *testing.T) {
	for _, keys := range [][]string{{"e2"}, {"/res"}, {"enter"}} {
		synctest.Test(t, func(t *testing.T) {
			b := newTestMatch(t, "tanks", nil, true)
			b.play("e2-e3", "e7-e6")
			ana := b.open(b.ana, 80, 24, storage.Settings{})
			ana.keys(keys...)
			if err := b.seat(b.rui).Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			ana.settle()
			ana.sees("r rematch", "v review", "esc lobby")
			ana.keys("v")
			ana.onScreen(reviewScreen{})
			ana.keys("esc", "esc")
			ana.onScreen(lobbyScreen{})
		})
	}
}

// TestEndIsReadable: the end is told to its last word in the smallest window, below the highest board, in every language.
func TestEndIsReadable(t *testing.T) {
	for _, l := range text.Languages() {
		synctest.Test(t, func(t *testing.T) {
			b := newTestMatch(t, "fourmation", games.Options{"cols": 16, "rows": 16}, false)
			b.rui = b.person("a-name-of-20-letters")
			if _, err := b.club.Join(t.Context(), b.rui, origin.Origin{}, b.ref.Code); err != nil {
				t.Fatal(err)
			}
			s := b.open(b.ana, 40, 20, storage.Settings{Language: l.Code})
			if err := b.seat(b.ana).Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.settle()
			v := s.board().view
			want := ending(s.app.env, v, s.board().names())
			shown := strings.Join(strings.Fields(s.page()), " ")
			if len(want) < 36 || !strings.Contains(shown, want) {
				t.Errorf("%q is not on the page:\n%s", want, s.page())
			}
		})
	}
}

// TestEndOfAShortMatch: at the end of a match that is not kept both players read so, at the board and in the review, in every language.
func TestEndOfAShortMatch(t *testing.T) {
	for _, l := range text.Languages() {
		for _, moves := range []int{3, 4} {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, "fourmation", nil, true)
				small, large := b.open(b.ana, 40, 20, storage.Settings{Language: l.Code}), b.open(b.rui, 80, 24, storage.Settings{Language: l.Code})
				for _, m := range []games.Move{"d4", "e5", "e4", "d5"}[:moves] {
					b.play(m)
				}
				if err := b.seat(b.rui).Resign(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, keys := range [][]string{nil, {"v"}} {
					for _, s := range []*session{small, large} {
						s.settle()
						s.keys(keys...)
						shown := strings.Join(strings.Fields(s.page()), " ")
						begins := strings.Join(strings.Fields(s.app.env.say.Temporary())[:4], " ") // the board stands between its lines
						if strings.Contains(shown, begins) != (moves == 3) {
							t.Errorf("after %d moves, and the keys %q, the page says:\n%s", moves, keys, s.page())
						}
					}
				}
			})
		}
	}
}

func TestCallingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		ana := b.open(b.ana, 80, 24, storage.Settings{})
		ana.send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl})
		ana.sees("Call this match off?")
		ana.keys("enter")
		ana.sees("No result: called off.")

		b = newTestMatch(t, "momentum", nil, true)
		b.play("d4", "e5")
		ana = b.open(b.ana, 80, 24, storage.Settings{})
		ana.keys("/abort", "enter")
		ana.sees("Both sides have moved already")

		b = newTestMatch(t, "momentum", nil, false)
		ana = b.open(b.ana, 80, 24, storage.Settings{})
		ana.keys("a")
		if v := b.view(); !v.Over {
			t.Error("the offer is not taken back")
		}
		ana.onScreen(lobbyScreen{}) // there is nothing at that board any more
	})
}

// TestWaitingShowsTheLineToSend whole, in every game, language and layout, also beside the widest board.
func TestWaitingShowsTheLineToSend(t *testing.T) {
	type board struct {
		game string
		o    games.Options
	}
	boards := []board{{"fourmation", games.Options{"cols": 12, "rows": 8}}, {"tanks", games.Options{"size": 26}}}
	for _, g := range catalog.All() {
		boards = append(boards, board{g.About().ID, nil})
	}
	for _, b := range boards {
		for _, l := range text.Languages() {
			for _, public := range []bool{false, true} {
				for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 20}} {
					synctest.Test(t, func(t *testing.T) {
						m := &testMatch{t: t, club: openLobby(t)}
						m.ana = m.person("ana")
						ref, err := m.club.Open(t.Context(), m.ana, lobby.Spec{Game: b.game, Options: b.o, Side: lobby.PlayFirst, Public: public})
						if err != nil {
							t.Fatal(err)
						}
						m.ref = ref
						s := m.open(m.ana, size[0], size[1], storage.Settings{Language: l.Code})
						s.sees(text.In(l.Code).T("ssh -t ADDRESS join %s", ref.Code) + "\n")
					})
				}
			}
		}
	}
}

func TestWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "tanks", nil, true)
		b.play("e2-e3")
		zoe := b.open(b.person("zoe"), 80, 24, storage.Settings{})
		zoe.sees("zoe · watching", "v review")
		zoe.keys("enter", "e7e6", "enter", "/resign", "enter")
		zoe.sees("You are only watching this match.")
		if v := b.view(); v.Over || v.Ply() != 1 {
			t.Errorf("somebody who watches has changed the match: %v, over %v", v.Moves, v.Over)
		}
		b.play("e7-e6")
		zoe.settle()
		zoe.sees("e7-e6")
		if zoe.bells != 0 {
			t.Errorf("%d bells for somebody who watches", zoe.bells)
		}
		zoe.send(tea.PasteMsg{Content: "hello"})
		zoe.misses("hello")
		zoe.sees("zoe · watching")
		if zoe.keys("q"); !zoe.quit {
			t.Error("after a paste q is a letter for somebody who watches")
		}
	})
}

// TestLeaving asks once while a match goes on.
func TestLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "tanks", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("q")
		s.sees("› q") // a letter of a move
		s.keys("ctrl+c")
		s.sees("ctrl+c once more")
		if s.quit {
			t.Fatal("left without a question")
		}
		s.keys("ctrl+c")
		if !s.quit {
			t.Error("not left")
		}
	})
}

// TestEscLetsGo first lets go of what is chosen, then goes back.
func TestEscLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "tanks", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("enter")
		if s.board().input.Sel.From < 0 {
			t.Fatalf("nothing is held:\n%s", s.page())
		}
		s.keys("esc")
		if s.board().input.Sel.From >= 0 {
			t.Error("esc does not let go")
		}
		s.keys("esc")
		s.sees("YOUR MATCHES")
	})
}

// TestHelpAtTheBoard opens the rules with a key that belongs to no move.
func TestHelpAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("?")
		s.sees("Momentum", "The aim")
		s.keys("esc")
		s.atMatch()
	})
}

// TestClosedClub says so, and a key asks again.
func TestClosedClub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		if err := b.club.Close(); err != nil {
			t.Fatal(err)
		}
		s.settle()
		s.sees("The club is closing")
		s.keys("enter")
		s.sees("The club is closing")
	})
}

// TestSlashBeginsACommand drops a move that has been begun.
func TestSlashBeginsACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("c3/fl")
		s.sees("› /fl", "/flip")
		s.misses("c3")
	})
}

// TestLateMove brings a move back that came too late, so that it can be sent again, but not over what is typed since.
func TestLateMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		top := s.board().moveDone(movedMsg{"d4", lobby.ErrLate})
		if top.input.Typed.Text != "d4" || !strings.Contains(top.input.Problem, "moved on") || !top.yours() {
			t.Errorf("typed %q, problem %q", top.input.Typed.Text, top.input.Problem)
		}
		s.keys("e")
		if top := s.board().moveDone(movedMsg{"d4", lobby.ErrBusy}); top.input.Typed.Text != "e" {
			t.Errorf("typed %q, want what was typed since", top.input.Typed.Text)
		}
	})
}

// TestSeatFromTheBoard takes or declines a seat by looking at the board first.
func TestSeatFromTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, false)
		rui := b.open(b.rui, 80, 24, storage.Settings{})
		rui.sees("The seat is free: enter takes it.", "take the seat")
		rui.keys("enter")
		rui.sees("rui · waiting", "Waiting for ana")

		b.play("d4", "e5")
		if err := b.seat(b.rui).Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		ref, err := b.seat(b.rui).Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.ref = ref
		ana := b.open(b.ana, 80, 24, storage.Settings{})
		ana.sees("This seat is kept for you", "decline")
		ana.keys("a")
		ana.onScreen(lobbyScreen{})
	})
}

// TestThinking says how far a computer player is.
func TestThinking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "momentum", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{}).board()
		for _, tt := range []struct {
			reply lobby.Reply
			ahead int
			want  string
		}{
			{lobby.NoReply, 0, ""},
			{lobby.Thinking, 0, "ana is thinking ..."},
			{lobby.Queued, 1, "ana is waiting to think: one ahead of it."},
			{lobby.Queued, 5, "ana is waiting to think: 5 ahead of it."},
			{lobby.Queued, 10, "ana is waiting to think: some 10 ahead of it. While so many play, all think for less time."},
			{lobby.Paused, 0, "ana is waiting for somebody to watch."},
		} {
			v := *s.view
			v.Reply, v.Ahead = tt.reply, tt.ahead
			s.view = &v
			if got := s.thinking(); got != tt.want {
				t.Errorf("reply %d, %d ahead: %q, want %q", tt.reply, tt.ahead, got, tt.want)
			}
		}
	})
}

// TestAgainstTheComputer makes a move and gets one back, with a bell.
func TestAgainstTheComputer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &testMatch{t: t, club: openLobby(t)}
		b.ana = b.person("ana")
		ref, err := b.club.Open(t.Context(), b.ana, lobby.Spec{Game: "tanks", Bot: "random", Side: lobby.PlayFirst})
		if err != nil {
			t.Fatal(err)
		}
		b.ref = ref
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("e2e3", "enter")
		s.sees("Random is thinking ...", "ana · waiting")
		s.pass(5 * time.Second)
		s.sees("ana · your move")
		if s.bells != 1 {
			t.Errorf("%d bells, want 1", s.bells)
		}
	})
}

// unviewed is a position of a game that boardview doesn't know.
type unviewed struct{ games.Position }

// TestGameWithoutAView draws a game from its board text, where its moves can be typed and chosen.
func TestGameWithoutAView(t *testing.T) {
	for _, keys := range [][]string{{"d4", "enter"}, {"left", "right", "enter"}} {
		p, err := gameOf(t, "fourmation").New(optionsOf(t, "fourmation"))
		if err != nil {
			t.Fatal(err)
		}
		s := playing(t, gameOf(t, "fourmation"), 80, 22)
		view := *s.view
		view.Position, view.Turn, view.Moves = unviewed{p}, games.First, nil
		s.view, s.scene = &view, boardview.New(unviewed{p}, nil, "")
		s.input.Sel = s.scene.Start(games.First)
		for _, name := range keys {
			for _, msg := range pressed(name) {
				s, _ = s.key(msg)
			}
		}
		if s.sending != "d4" {
			t.Errorf("%v send %q, want d4:\n%s", keys, s.sending, drawn(s, 80, 22))
		}
		if page := drawn(s, 80, 22); !strings.Contains(page, "a   b   c   d") || strings.Contains(page, "in a line win") {
			t.Errorf("not drawn from the board text alone:\n%s", page)
		}
	}
}

// FuzzTyped types anything: no panic, and no line that is too wide.
func FuzzTyped(f *testing.F) {
	for _, seed := range []string{"d4", "/resign", "3:2", "e2xe4", "\x1b[2J", "ééé", "a1-a5", "//", "swap "} {
		f.Add(seed)
	}
	c := &fakeLobby{}
	f.Fuzz(func(t *testing.T, words string) {
		for _, g := range c.Games() {
			s := playing(t, g, 80, 22)
			s.input = s.input.Paste(words)
			for line := range strings.SplitSeq(drawn(s, 80, 22), "\n") {
				if n := text.Width(line); n > 80 {
					t.Fatalf("a line of %d cells: %q", n, line)
				}
			}
			s, _ = s.enter()
			s, _ = s.complete()
			drawn(s, 80, 22)
		}
	})
}

// newBotMatch is a match of ana against a computer player that plays the first legal move at once and gives hints: the last
// legal move, which it says to win in 5.
func newBotMatch(t *testing.T, spec lobby.Spec) *testMatch {
	t.Helper()
	tutor := lobby.Level{ID: "tutor", Name: "Tutor", Think: func(ctx context.Context, p games.Position, _ *games.Random) (lobby.Decision, error) {
		legal := p.Legal()
		d := lobby.Decision{Move: legal[len(legal)-1], Ahead: true, Plies: 5, Proven: true}
		if p.Turn() == games.Second {
			d.Move, d.Plies = legal[0], -4
		}
		return d, nil
	}}
	l, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{
		Games: catalog.All(), Levels: []lobby.Level{tutor}, Seed: func() uint64 { return 7 }, BotDelay: lobby.DefaultBotDelay})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	b := &testMatch{t: t, club: l}
	b.ana, b.rui = b.person("ana"), b.person("rui")
	spec.Bot, spec.Side, spec.Public = "tutor", lobby.PlayFirst, true
	if b.ref, err = l.Open(t.Context(), b.ana, spec); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestHintAtTheBoard asks for a hint, sees it in words and under the cursor, and plays it with enter.
func TestHintAtTheBoard(t *testing.T) {
	for _, tt := range []struct {
		game, move, words string
	}{
		{"fourmation", "g7", "A hint: g7 wins in 5 moves at most."},
		{"petteia", "l1-l7", "A hint: l1-l7 wins in 5 moves at most."},
		{"flugelrad", "6:5", "A hint: 6:5 wins in 5 moves at most."},
	} {
		for _, ask := range [][]string{{"ctrl+t"}, {"/hi", "enter"}} {
			t.Run(tt.game+" "+ask[0], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBotMatch(t, lobby.Spec{Game: tt.game})
					other := b.open(b.ana, 80, 24, storage.Settings{})
					s := b.open(b.ana, 80, 24, storage.Settings{})
					s.sees("ctrl+t hint")
					s.keys(ask...)
					s.sees(tt.words, "enter plays "+tt.move, "With help: one hint.")
					other.settle()
					other.sees("With help: one hint.")
					other.misses("A hint:")
					s.keys("enter")
					s.misses("A hint:")
					if v := b.view(); v.Ply() != 1 || v.Moves[0] != games.Move(tt.move) || v.Helped.Hints != 1 {
						t.Errorf("moves %v, help %+v", v.Moves, v.Helped)
					}
					s.keys("ctrl+t")
					s.sees("It is not your turn.")
				})
			})
		}
	}
}

// TestWaitingForAHint says that a hint is looked for, and looks for one at a time.
func TestWaitingForAHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, lobby.Spec{Game: "fourmation"})
		s, look := b.open(b.ana, 80, 24, storage.Settings{}).board().start(cmdHint)
		if look == nil || s.prompt() != "Looking for a hint ..." {
			t.Errorf("the prompt is %q", s.prompt())
		}
		if _, again := s.start(cmdHint); again != nil {
			t.Error("a second one is looked for beside it")
		}
		s, _ = s.key(tea.KeyPressMsg{Code: 'd', Text: "d"})
		if s, _ = s.start(cmdResign); s.asking != cmdResign {
			t.Error("nobody can resign before the hint has come")
		}
		for err, want := range map[error]string{lobby.ErrLate: "", lobby.ErrBusy: s.env.say.Error(lobby.ErrBusy)} {
			s.input.Problem = ""
			if got := s.hintDone(hintMsg{err: err}); got.hinting || got.hint != "" || got.input.Problem != want {
				t.Errorf("after %v it says %q, %q", err, got.input.Problem, got.hint)
			}
		}
	})
}

// TestUndoAtOneKeyboard takes back one move of either side, down to the first one, and asks nobody.
func TestUndoAtOneKeyboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &testMatch{t: t, club: openLobby(t)}
		b.ana = b.person("ana")
		ref, err := b.club.Open(t.Context(), b.ana, lobby.Spec{Game: "fourmation", Hotseat: true})
		if err != nil {
			t.Fatal(err)
		}
		b.ref = ref
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.misses("ctrl+z")
		s.keys("ctrl+z")
		s.sees("There is no move of yours to take back.")
		s.keys("d4", "enter", "e5", "enter")
		s.sees("1  d4  e5", "ctrl+z undo")
		s.keys("ctrl+z")
		s.sees("1  d4", "to move\n")
		s.misses("e5  ", "With help")
		s.keys("/takeback", "enter")
		s.misses("1  d4", "ctrl+z", "With help")
		s.keys("/hint", "enter")
		s.sees("there, and where you play both sides.")
		s.keys("ctrl+u")
		if s.keys("d4", "enter"); b.view().Ply() != 1 {
			t.Errorf("moves %v", b.view().Moves)
		}
	})
}

// TestFooterBesideHelp: with a hint and a takeback on offer, the way out is in the footer in every language; enter is there in one's own turn
// alone.
func TestFooterBesideHelp(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBotMatch(t, lobby.Spec{Game: "fourmation"})
				s := b.open(b.ana, 80, 24, storage.Settings{Language: l.Code})
				footer := func() string {
					lines := strings.Split(strings.TrimRight(s.page(), "\n"), "\n")
					return lines[len(lines)-1]
				}
				s.keys("d4", "enter")
				if got := footer(); strings.Contains(got, "enter ") || !strings.Contains(got, " esc ") {
					t.Errorf("while the computer thinks: %q", got)
				}
				s.pass(time.Second)
				for _, key := range []string{"enter ", " / ", " ctrl+t ", " ctrl+z ", " esc "} {
					if got := footer(); !strings.Contains(got, key) {
						t.Errorf("in one's own turn there is no %q in %q", key, got)
					}
				}
			})
		})
	}
}

// TestTakebackAtTheBoard takes a move back after the reply and before it, and from a board that somebody watches.
func TestTakebackAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, lobby.Spec{Game: "fourmation"})
		watcher := b.open(b.rui, 80, 24, storage.Settings{})
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.misses("ctrl+z")
		s.keys("ctrl+z")
		s.sees("There is no move of yours to take back.")
		s.keys("d4", "enter")
		s.pass(time.Second)
		s.sees("1  d4  c3", "ctrl+z undo")
		s.keys("ctrl+z")
		s.sees("your move", "With help: one takeback.")
		s.misses("d4  c3")
		watcher.settle()
		watcher.misses("d4  c3")
		s.keys("e5", "enter")
		s.sees("Tutor is thinking ...", "1  e5")
		s.keys("/takeback", "enter")
		s.pass(time.Second)
		s.sees("your move", "With help: 2 takebacks.")
		if s.bells != 1 { // for the one reply
			t.Errorf("%d bells, want 1", s.bells)
		}
		s.misses("e5 ", "There is no move")
		watcher.settle()
		watcher.sees("With help: 2 takebacks.")
		watcher.keys("/takeback", "enter")
		watcher.sees("You are only watching this match.")
		s.keys("/resign", "enter", "enter")
		s.sees("Tutor (bot) wins", "With help: 2 takebacks.")
	})
}

// TestRewoundBoards shows the position of the line as it is when a move was taken back and another made in one step.
func TestRewoundBoards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, lobby.Spec{Game: "fourmation"})
		seat := b.seat(b.ana)
		move := func(m games.Move) *lobby.View {
			if err := seat.Move(t.Context(), m, lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second)
			return b.view()
		}
		old := move("d4")
		seen := nextView(t.Context(), seat, nil, nil).(viewMsg)
		if err := seat.Takeback(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := move("e5")
		if old.Ply() != now.Ply() {
			t.Fatalf("%d moves, then %d", old.Ply(), now.Ply())
		}
		next := nextView(t.Context(), seat, seen.view, seen.scene).(viewMsg)
		if got := next.scene.Position().String(); got != now.Position.String() {
			t.Errorf("the board shows %s, the match is at %s", got, now.Position)
		}
	})
}

// TestNoHelpBetweenPeople says plainly where there is none.
func TestNoHelpBetweenPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.misses("ctrl+t", "ctrl+z")
		for _, keys := range [][]string{{"ctrl+t"}, {"ctrl+z"}, {"/hint", "enter"}, {"/takeback", "enter"}} {
			s.keys(keys...)
			s.sees("Hints are for casual matches against a computer player.")
		}
	})
}

// TestBegunLater says where a match began, and undoes no move that was given.
func TestBegunLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, lobby.Spec{Game: "fourmation", Moves: []games.Move{"d4", "c3"}})
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.sees("It began after move 2.", "1  d4  c3", "your move")
		s.keys("ctrl+z")
		s.sees("There is no move of yours to take back.")
	})
}

// TestUnknownCommand refuses a command while it is typed, not only when it is entered.
func TestUnknownCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("/dance")
		s.sees("There is no command /dance here.")
	})
}

// TestRefusalsAreWhole types nonsense and commands at the first board of each game, in each language, in the smallest window
// and the usual one: what is said of it can be read to its end, before enter and after.
func TestRefusalsAreWhole(t *testing.T) {
	for _, g := range catalog.All() {
		for _, l := range text.Languages() {
			t.Run(g.About().ID+" "+l.Code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newTestMatch(t, g.About().ID, nil, true)
					for _, size := range [][2]int{{40, 20}, {80, 24}} {
						s := b.open(b.ana, size[0], size[1], storage.Settings{Language: l.Code})
						for _, typed := range []string{"zz", "/"} {
							s.keys("ctrl+u", typed)
							s.reads(s.board().meaning())
							s.keys("enter")
							s.reads(s.board().input.Problem)
							s.keys("backspace", "backspace")
						}
					}
				})
			})
		}
	}
}

// TestTanksAreExplained: in the smallest window, the signs of the tanks and the keys of the help can be read to their end.
func TestTanksAreExplained(t *testing.T) {
	for _, l := range text.Languages() {
		synctest.Test(t, func(t *testing.T) {
			b := newTestMatch(t, "tanks", nil, true)
			s := b.open(b.ana, 40, 20, storage.Settings{Language: l.Code})
			s.reads(text.In(l.Code).T("M medium, T heavy, D destroyer."))
			s.keys("?", "end")
			s.misses("…")
		})
	}
}

// TestPromptsAreWhole: what the selection means can be read to its end in the smallest window, and so can what matters.
func TestPromptsAreWhole(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, "momentum", nil, true)
				b.play("a1")
				s := b.open(b.rui, 40, 20, storage.Settings{Language: l.Code})
				s.keys("left", "left", "left", "down", "down", "down")
				p := s.board().prompt()
				alert := s.board().alert(s.board().scene.Notes(text.In(l.Code), s.board().names()))
				if text.Width(p) <= 38 || alert == "" {
					t.Errorf("%q fits into a line, or nothing else matters: the test tests nothing", p)
				}
				s.reads(p)
				s.reads(alert)
			})
		})
	}
}

// reads fails the test unless the page shows the words, in as many lines as they need.
func (s *session) reads(words string) {
	s.t.Helper()
	plain := func(words string) string { return strings.Join(strings.Fields(words), " ") }
	if !strings.Contains(plain(s.page()), plain(words)) {
		s.t.Errorf("%q can't be read on the page:\n%s", words, s.page())
	}
}
