package matchpage

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
	"ludoteca/storage/storagetest"
)

// TestMatchByCode follows a match from its code to its end: what both see, the bell, the window's title.
func TestMatchByCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, false)
		ana := open(b, b.Ana, 80, 24, accounts.Settings{})
		ana.Sees("Tell your friend the code", strings.Join(strings.Split(b.Ref.Code, ""), " "), "nobody yet", "withdraw offer")

		rui := begin(t, 80, 24, ui.Config{Lobby: screen.Of(b.Club), Who: b.Rui, Start: ui.StartJoin, Code: b.Ref.Code, Now: time.Now})
		ana.Settle()
		ana.Sees("ana · your move", "rui", "Place a piece that touches")
		if ana.Bells != 1 {
			t.Errorf("%d bells when the friend comes, want 1", ana.Bells)
		}
		if title := ana.App.View().WindowTitle; !strings.Contains(title, "your move") {
			t.Errorf("the window's title is %q", title)
		}
		rui.Sees("rui · waiting", "Waiting for ana")

		for i, m := range []string{"a1", "b2", "b1", "c2", "c1", "d2", "d1"} {
			s := []*uitest.Session{ana, rui}[i%2]
			s.Keys(m, "enter")
			ana.Settle()
			rui.Settle()
		}
		ana.Sees("ana wins: 4 in a line.", "○ rui", "r rematch", "v review", "n new opponent", "*●*")
		rui.Sees("ana wins: 4 in a line.", "over")
		if ana.Bells != 4 || rui.Bells != 4 {
			t.Errorf("%d and %d bells, want 4 each", ana.Bells, rui.Bells)
		}

		rui.Keys("r")
		rui.Sees("Waiting for ana to accept.")
		ana.Settle()
		ana.Sees("rui asks for a rematch: press r.")
		ana.Keys("r")
		rui.Settle()
		rui.Sees("rui · your move") // sides are swapped
		ana.Sees("ana · waiting")
	})
}

// TestTypedStays types while the other side moves: the line stays, and so does a move that came too late.
func TestTypedStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		ana, rui := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 80, 24, accounts.Settings{})
		rui.Keys("e5")
		rui.Sees("e5, when it is your turn")
		rui.Keys("enter")
		rui.Sees("It is not your turn. Wait", "› e5")
		ana.Keys("d4", "enter")
		rui.Settle()
		rui.Sees("› e5", "enter plays e5, pushes 1")

		again := open(b, b.Rui, 80, 24, accounts.Settings{}) // a second terminal
		again.Keys("a1")
		rui.Keys("enter")
		again.Settle()
		again.Sees("› a1", "a1, when it is your turn")
		if v := b.View(); v.Ply() != 2 || v.Moves[1] != "e5" {
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
		{"no cell", "momentum", nil, "z9", "a move is a cell from a1 to g7"},
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
				b := uitest.NewMatch(t, tt.game, nil, true)
				b.Play(tt.moves...)
				s := open(b, b.Ana, 120, 40, accounts.Settings{})
				s.Keys(tt.typed)
				s.Sees(tt.want)
				s.Keys("enter")
				s.Sees(tt.want, "› "+tt.typed)
				if v := b.View(); v.Ply() != len(tt.moves) {
					t.Errorf("moves %v", v.Moves)
				}
				s.Keys("esc")
				s.Misses(tt.want)
				s.AtMatch()
			})
		})
	}
}

func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "petteia", nil, true)
		ana, rui := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 80, 24, accounts.Settings{})
		ana.Keys("/")
		ana.Sees("/resign", "/abort", "/flip", "/lobby")
		ana.Keys("fl", "tab")
		ana.Sees("› /flip")
		ana.Keys("enter")
		ana.Sees("l   k   j")
		ana.Send(tea.KeyPressMsg{Code: 'f', Mod: tea.ModCtrl})
		ana.Sees("a   b   c")
		rui.Sees("l   k   j") // plays from the top, so sees it turned

		ana.Keys("/xyz", "enter")
		ana.Sees("There is no command /xyz here")
		ana.Keys("esc", "/res", "enter")
		ana.Sees("Resign this match? Enter once more") // no other command begins so
		ana.Keys("esc")
		ana.Misses("Resign this match?")
		ana.AtMatch()
		if b.View().Over {
			t.Fatal("esc resigned")
		}
		ana.Keys("/resign", "enter", "enter")
		rui.Settle()
		rui.Sees("rui wins: ana", "resigned.", "over", "r rematch")
		if rui.Bells != 1 {
			t.Errorf("%d bells, want 1", rui.Bells)
		}
		ana.Keys("/resign", "enter")
		ana.Sees("This match is over.")
	})
}

// TestQuestions asks before what can't be undone. While the question is open the screen says nothing else that enter would
// do, and whatever is done instead of a second enter cancels it and does nothing else.
func TestQuestions(t *testing.T) {
	type act struct {
		name string
		do   func(s *uitest.Session)
	}
	asks := []act{
		{"Resign this match?", func(s *uitest.Session) { s.Keys("/resign", "enter") }},
		{"Call this match off?", func(s *uitest.Session) { s.Keys("/abort", "enter") }},
		{"Call this match off?", func(s *uitest.Session) { s.Keys("d5"); s.Send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl}) }},
	}
	cancels := []act{
		{"esc", func(s *uitest.Session) { s.Keys("esc") }},
		{"a letter", func(s *uitest.Session) { s.Keys("d") }},
		{"an arrow", func(s *uitest.Session) { s.Keys("up") }},
		{"tab", func(s *uitest.Session) { s.Keys("tab") }},
		{"a letter that is a key elsewhere", func(s *uitest.Session) { s.Keys("q") }},
		{"help", func(s *uitest.Session) { s.Keys("?") }},
		{"a control key", func(s *uitest.Session) { s.Send(tea.KeyPressMsg{Code: 'f', Mod: tea.ModCtrl}) }},
		{"a paste", func(s *uitest.Session) { s.Send(tea.PasteMsg{Content: "d5"}) }},
		{"the wheel", func(s *uitest.Session) { s.Send(tea.MouseWheelMsg{X: 20, Y: 10, Button: tea.MouseWheelUp}) }},
		{"a key of every screen", func(s *uitest.Session) { s.Keys("ctrl+l") }},
		{"a click on the header", func(s *uitest.Session) { s.Send(tea.MouseClickMsg{X: 3, Y: 0, Button: tea.MouseLeft}) }},
		{"a click on the board", func(s *uitest.Session) { s.Click("d   e") }},
		{"a click beside the board", func(s *uitest.Session) { s.Send(tea.MouseClickMsg{X: 0, Y: 20, Button: tea.MouseLeft}) }},
	}
	for _, ask := range asks {
		for _, cancel := range cancels {
			t.Run(ask.name+" "+cancel.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := uitest.NewMatch(t, "fourmation", nil, true)
					s := open(b, b.Ana, 80, 24, accounts.Settings{})
					before := boardOf(s)
					ask.do(s)
					s.Sees(ask.name+" Enter once more, esc to play on.", "esc play on")
					s.Misses("enter plays", "Your move:", "arrows enter", "› d5", "? help")
					if _, _, shown := boardOf(s).Cursor(); shown {
						t.Error("the cursor stands where nothing is chosen or typed")
					}
					typed := boardOf(s).Input
					cancel.do(s)
					s.Misses("once more")
					if after := boardOf(s); after.Input != typed || after.Turned != before.Turned {
						t.Errorf("what cancels the question has done something else:\n%s", s.Page())
					}
					s.Sees("arrows enter or type a move")
					s.Keys("ctrl+u", "enter") // plays, as nothing is asked any more
					if v := b.View(); v.Over || v.Ply() != 1 {
						t.Errorf("after the question was cancelled: over %v, moves %v", v.Over, v.Moves)
					}
				})
			})
		}
		t.Run(ask.name+" enter", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, true)
				s := open(b, b.Ana, 80, 24, accounts.Settings{})
				ask.do(s)
				s.Keys("enter")
				if v := b.View(); !v.Over {
					t.Errorf("not carried out:\n%s", s.Page())
				}
			})
		})
	}
}

// TestLeavingCancelsAQuestion: ctrl+c asks its own question instead of the one that is open.
func TestLeavingCancelsAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("/resign", "enter", "ctrl+c")
		s.Misses("Resign this match?")
		s.Sees("Leave? ctrl+c once more.")
		s.Keys("enter") // withdraws
		s.Misses("once more")
		if v := b.View(); v.Over || v.Ply() != 0 || s.Quit {
			t.Errorf("over %v, %d moves, left %v", v.Over, v.Ply(), s.Quit)
		}
		s.Keys("/resign", "enter", "ctrl+c", "ctrl+c")
		if !s.Quit || b.View().Over {
			t.Errorf("left %v, over %v", s.Quit, b.View().Over)
		}
	})
}

// TestLeaveQuestionAtABoard: while it is open, the footer names what answers it and the screen says nothing that enter would do.
func TestLeaveQuestionAtABoard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewMatch(t, "fourmation", nil, true)
			s := open(b, b.Ana, size[0], size[1], accounts.Settings{})
			s.Keys("d4", "ctrl+c")
			s.Sees("ctrl+c leave", "esc play on")
			s.Misses("enter plays", "Your move:", "arrows enter", "› d4", "/ commands")
			if s.App.View().Cursor != nil {
				t.Error("the cursor stands in what can't be seen")
			}
			s.Keys("esc")
			s.Sees("› d4", "/ commands")
		})
	}
}

// TestQuestionsOfSpectators: the person who lets two computer players play is asked as well.
func TestQuestionsOfSpectators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		zoe := b.Person("zoe")
		s := open(b, zoe, 80, 24, accounts.Settings{})
		screen := boardOf(s)
		bots := viewOf(t, screen.view.Game, []matches.Event{{Kind: matches.Opened, Opening: &matches.Opening{
			Code: "K7QM2X", Game: "fourmation", Options: screen.view.Options, First: uitest.Greedy, Second: uitest.Greedy, By: zoe.Occupant(),
		}}})
		bots.Seq = screen.view.Seq
		s.Answer(viewMsg{seat: screen.seat, view: bots, scene: screen.Scene})
		for _, key := range []string{"q", "?", "esc", "j", "ctrl+c"} {
			s.Keys("/abort", "enter")
			s.Sees("Call this match off?")
			s.Keys(key)
			if s.Quit && key != "ctrl+c" || boardOf(s).asking != "" {
				t.Errorf("%s: left %v, asks %q", key, s.Quit, boardOf(s).asking)
			}
		}
	})
}

// TestQuestionsLapse: when the match has gone on there is nothing to answer any more.
func TestQuestionsLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		ana := open(b, b.Ana, 80, 24, accounts.Settings{})
		b.Play("d4")
		ana.Keys("/resign", "enter")
		ana.Sees("Resign this match?")
		b.Play("e5")
		ana.Settle()
		ana.Misses("Resign this match?")
		ana.Keys("/resign", "enter")
		if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		ana.Settle()
		ana.Misses("Resign this match?")
		ana.Sees("r rematch")
	})
}

// TestFooterWhileTyping names only keys that do what it says, whatever is half typed or chosen: at a board, on an offer that
// waits, and when the turn passes.
func TestFooterWhileTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "tanks", nil, true)
		s, rui := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 80, 24, accounts.Settings{})
		s.Sees("esc lobby")
		s.Keys("e2")
		s.Sees("esc clear")
		s.Keys("esc")
		s.Sees("esc lobby")
		s.Keys("enter")
		s.Sees("esc let go")
		s.Keys("esc")
		s.AtMatch()
		s.Sees("esc lobby")

		rui.Keys("e7e6")
		rui.Sees("esc clear")
		s.Keys("e2e3", "enter")
		rui.Settle()
		rui.Sees("enter plays e7-e6")
		rui.Keys("enter")
		if v := b.View(); v.Ply() != 2 {
			t.Errorf("enter doesn't work when the turn has passed: %v", v.Moves)
		}

		b = uitest.NewMatch(t, "tanks", nil, false)
		s = open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("e2", "5") // no match to move in yet
		s.Misses("› e2")
		s.Sees("a withdraw offer", "esc lobby")
		s.Keys("/fl") // a letter is the command's now
		s.Misses("a withdraw offer")
		s.Sees("esc clear")
		s.Keys("esc")
		s.Sees("a withdraw offer")
		s.Keys("a")
		s.OnScreen("lobbypage.lobbyScreen")
	})
}

// TestRematchOfAnOffer: a board says why an offer that ended before a second player came has no rematch.
func TestRematchOfAnOffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "tanks", nil, false)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		if err := b.Seat(b.Ana).Abort(t.Context()); err != nil { // in another window
			t.Fatal(err)
		}
		s.Settle()
		s.Keys("/rematch", "enter")
		s.Sees("Nobody took the other seat, so there is no rematch.")
	})
}

// TestKeysAtTheEnd work at once, whatever is half typed or chosen.
func TestKeysAtTheEnd(t *testing.T) {
	for _, keys := range [][]string{{"e2"}, {"/res"}, {"enter"}} {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewMatch(t, "tanks", nil, true)
			b.Play("e2-e3", "e7-e6")
			ana := open(b, b.Ana, 80, 24, accounts.Settings{})
			ana.Keys(keys...)
			if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			ana.Settle()
			ana.Sees("r rematch", "v review", "esc lobby")
			ana.Keys("v")
			ana.OnScreen("review.reviewScreen")
			ana.Keys("esc", "esc")
			ana.OnScreen("lobbypage.lobbyScreen")
		})
	}
}

// TestEndIsReadable: the end is told to its last word in the smallest window, below the highest board, in every language.
func TestEndIsReadable(t *testing.T) {
	for _, l := range text.Languages() {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewMatch(t, "fourmation", games.Options{"cols": 16, "rows": 16}, false)
			b.Rui = b.Person("a-name-of-20-letters")
			if _, err := b.Club.Seats.Join(t.Context(), b.Rui, origin.Origin{}, b.Ref.Code); err != nil {
				t.Fatal(err)
			}
			s := open(b, b.Ana, 40, 20, accounts.Settings{Language: l.Code})
			if err := b.Seat(b.Ana).Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Settle()
			v := boardOf(s).view
			want := describe.Ending(s.App.Env(), v, boardOf(s).names())
			shown := strings.Join(strings.Fields(s.Page()), " ")
			if len(want) < 36 || !strings.Contains(shown, want) {
				t.Errorf("%q is not on the page:\n%s", want, s.Page())
			}
		})
	}
}

// TestEndOfAShortMatch: at the end of a match that is not kept both players read so, at the board and in the review, in every language.
func TestEndOfAShortMatch(t *testing.T) {
	for _, l := range text.Languages() {
		for _, moves := range []int{3, 4} {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, true)
				small, large := open(b, b.Ana, 40, 20, accounts.Settings{Language: l.Code}), open(b, b.Rui, 80, 24, accounts.Settings{Language: l.Code})
				for _, m := range []games.Move{"d4", "e5", "e4", "d5"}[:moves] {
					b.Play(m)
				}
				if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, keys := range [][]string{nil, {"v"}} {
					for _, s := range []*uitest.Session{small, large} {
						s.Settle()
						s.Keys(keys...)
						shown := strings.Join(strings.Fields(s.Page()), " ")
						begins := strings.Join(strings.Fields(s.App.Env().Say.Temporary("first"))[:4], " ") // the board stands between its lines
						if strings.Contains(shown, begins) != (moves == 3) {
							t.Errorf("after %d moves, and the keys %q, the page says:\n%s", moves, keys, s.Page())
						}
					}
				}
			})
		}
	}
}

func TestCallingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		ana := open(b, b.Ana, 80, 24, accounts.Settings{})
		ana.Send(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl})
		ana.Sees("Call this match off?")
		ana.Keys("enter")
		ana.Sees("No result: called off.")

		b = uitest.NewMatch(t, "momentum", nil, true)
		b.Play("d4", "e5")
		ana = open(b, b.Ana, 80, 24, accounts.Settings{})
		ana.Keys("/abort", "enter")
		ana.Sees("Both sides have moved already")

		b = uitest.NewMatch(t, "momentum", nil, false)
		ana = open(b, b.Ana, 80, 24, accounts.Settings{})
		ana.Keys("a")
		if v := b.View(); !v.Over {
			t.Error("the offer is not withdrawn")
		}
		ana.OnScreen("lobbypage.lobbyScreen") // there is nothing at that board any more
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
						m := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
						m.Ana = m.Person("ana")
						ref, err := m.Club.Seats.Open(t.Context(), m.Ana, seats.Spec{Game: b.game, Options: b.o, Side: seats.PlayFirst, Public: public})
						if err != nil {
							t.Fatal(err)
						}
						m.Ref = ref
						s := open(m, m.Ana, size[0], size[1], accounts.Settings{Language: l.Code})
						s.Sees(wording.Words{}.SSHScreen("join "+ref.Code) + "\n")
					})
				}
			}
		}
	}
}

func TestWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "tanks", nil, true)
		b.Play("e2-e3")
		zoe := open(b, b.Person("zoe"), 80, 24, accounts.Settings{})
		zoe.Sees("zoe · watching", "v review")
		zoe.Keys("enter", "e7e6", "enter", "/resign", "enter")
		zoe.Sees("You are only watching this match.")
		if v := b.View(); v.Over || v.Ply() != 1 {
			t.Errorf("a spectator has changed the match: %v, over %v", v.Moves, v.Over)
		}
		b.Play("e7-e6")
		zoe.Settle()
		zoe.Sees("e7-e6")
		if zoe.Bells != 0 {
			t.Errorf("%d bells for a spectator", zoe.Bells)
		}
		zoe.Send(tea.PasteMsg{Content: "hello"})
		zoe.Misses("hello")
		zoe.Sees("zoe · watching")
		if zoe.Keys("q"); !zoe.Quit {
			t.Error("after a paste q is a letter for a spectator")
		}
	})
}

// TestLeaving asks once while a match goes on.
func TestLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "tanks", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("q")
		s.Sees("› q") // a letter of a move
		s.Keys("ctrl+c")
		s.Sees("ctrl+c once more")
		if s.Quit {
			t.Fatal("left without a question")
		}
		s.Keys("ctrl+c")
		if !s.Quit {
			t.Error("not left")
		}
	})
}

// TestEscLetsGo first lets go of what is chosen, then goes back.
func TestEscLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "tanks", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("enter")
		if boardOf(s).Input.Sel.From < 0 {
			t.Fatalf("nothing is held:\n%s", s.Page())
		}
		s.Keys("esc")
		if boardOf(s).Input.Sel.From >= 0 {
			t.Error("esc does not let go")
		}
		s.Keys("esc")
		s.Sees("YOUR MATCHES")
	})
}

// TestHelpAtTheBoard opens the rules with a key that belongs to no move.
func TestHelpAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("?")
		s.Sees("Momentum", "The aim")
		s.Keys("esc")
		s.AtMatch()
	})
}

// TestClosedClub says so, and a key asks again.
func TestClosedClub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		if err := b.Club.Close(); err != nil {
			t.Fatal(err)
		}
		s.Settle()
		s.Sees("The club is closing")
		s.Keys("enter")
		s.Sees("The club is closing")
	})
}

// TestSlashBeginsACommand drops a move that has been begun.
func TestSlashBeginsACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("c3/fl")
		s.Sees("› /fl", "/flip")
		s.Misses("c3")
	})
}

// TestLateMove: a move that came too late returns to the typed line, so that it can be sent again, unless something else is typed by then.
func TestLateMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		top := boardOf(s).moveDone(movedMsg{"d4", lobby.ErrLate})
		if top.Input.Typed.Text != "d4" || !strings.Contains(top.Input.Problem, "moved on") || !top.yours() {
			t.Errorf("typed %q, problem %q", top.Input.Typed.Text, top.Input.Problem)
		}
		s.Keys("e")
		if top := boardOf(s).moveDone(movedMsg{"d4", lobby.ErrCutOff}); top.Input.Problem != "" {
			t.Errorf("the board says what every screen says while the node is cut off: %q", top.Input.Problem)
		}
		if top := boardOf(s).moveDone(movedMsg{"d4", lobby.ErrBusy}); top.Input.Typed.Text != "e" {
			t.Errorf("typed %q, want what was typed since", top.Input.Typed.Text)
		}
	})
}

// TestSeatFromTheBoard takes or declines a seat by looking at the board first.
func TestSeatFromTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, false)
		rui := open(b, b.Rui, 80, 24, accounts.Settings{})
		rui.Sees("The seat is free: enter takes it.", "take the seat")
		rui.Keys("enter")
		rui.Sees("rui · waiting", "Waiting for ana")

		b.Play("d4", "e5")
		if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		ref, err := b.Seat(b.Rui).Rematch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.Ref = ref
		ana := open(b, b.Ana, 80, 24, accounts.Settings{})
		ana.Sees("This seat is kept for you", "decline")
		ana.Keys("a")
		ana.OnScreen("lobbypage.lobbyScreen")
	})
}

// TestThinking says how far a computer player is.
func TestThinking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "momentum", nil, true)
		s := boardOf(open(b, b.Ana, 80, 24, accounts.Settings{}))
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
			if got := (panel{situation: s.situation}).thinking(); got != tt.want {
				t.Errorf("reply %d, %d ahead: %q, want %q", tt.reply, tt.ahead, got, tt.want)
			}
		}
	})
}

// TestAgainstTheComputer makes a move and gets one back, with a bell.
func TestAgainstTheComputer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
		b.Ana = b.Person("ana")
		ref, err := b.Club.Seats.Open(t.Context(), b.Ana, seats.Spec{Game: "tanks", Bot: "random", Side: seats.PlayFirst})
		if err != nil {
			t.Fatal(err)
		}
		b.Ref = ref
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("e2e3", "enter")
		s.Sees("Random is thinking ...", "ana · waiting")
		s.Pass(5 * time.Second)
		s.Sees("ana · your move")
		if s.Bells != 1 {
			t.Errorf("%d bells, want 1", s.Bells)
		}
	})
}

// unviewed is a position of a game that boardview doesn't know.
type unviewed struct{ games.Position }

// TestGameWithoutAView draws a game from its board text, where its moves can be typed and chosen.
func TestGameWithoutAView(t *testing.T) {
	for _, keys := range [][]string{{"d4", "enter"}, {"left", "right", "enter"}} {
		p, err := uitest.GameOf(t, "fourmation").New(uitest.OptionsOf(t, "fourmation"))
		if err != nil {
			t.Fatal(err)
		}
		s := playing(t, uitest.GameOf(t, "fourmation"), 80, 22)
		view := *s.view
		view.Position, view.Turn, view.Moves = unviewed{p}, games.First, nil
		s.view, s.Scene = &view, boardview.New(unviewed{p}, nil, "")
		s.Input.Sel = s.Scene.Start(games.First)
		for _, name := range keys {
			for _, msg := range uitest.Pressed(name) {
				s, _ = s.key(msg)
			}
		}
		if s.sending != "d4" {
			t.Errorf("%v send %q, want d4:\n%s", keys, s.sending, uitest.Drawn(s, 80, 22))
		}
		if page := uitest.Drawn(s, 80, 22); !strings.Contains(page, "a   b   c   d") || strings.Contains(page, "in a line win") {
			t.Errorf("not drawn from the board text alone:\n%s", page)
		}
	}
}

// FuzzTyped types anything: no panic, and no line that is too wide.
func FuzzTyped(f *testing.F) {
	for _, seed := range []string{"d4", "/resign", "3:2", "e2xe4", "\x1b[2J", "ééé", "a1-a5", "//", "swap "} {
		f.Add(seed)
	}
	c := &uitest.FakeLobby{}
	f.Fuzz(func(t *testing.T, words string) {
		for _, g := range c.Games() {
			s := playing(t, g, 80, 22)
			s.Input = s.Input.Paste(words)
			for line := range strings.SplitSeq(uitest.Drawn(s, 80, 22), "\n") {
				if n := text.Width(line); n > 80 {
					t.Fatalf("a line of %d cells: %q", n, line)
				}
			}
			s, _ = s.enter()
			s, _ = complete(s)
			uitest.Drawn(s, 80, 22)
		}
	})
}

// newBotMatch is a match of ana against a computer player that plays the first legal move at once and gives hints: the last
// legal move, which it says to win in 5.
func newBotMatch(t *testing.T, spec seats.Spec) *uitest.Match {
	t.Helper()
	tutor := lobby.Level{ID: "tutor", Name: "Tutor", Think: func(ctx context.Context, _ bot.Clock, p games.Position, _ *games.Random) (lobby.Decision, error) {
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
	b := &uitest.Match{T: t, Club: l}
	b.Ana, b.Rui = b.Person("ana"), b.Person("rui")
	spec.Bot, spec.Side, spec.Public = "tutor", seats.PlayFirst, true
	if b.Ref, err = l.Seats.Open(t.Context(), b.Ana, spec); err != nil {
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
					b := newBotMatch(t, seats.Spec{Game: tt.game})
					other := open(b, b.Ana, 80, 24, accounts.Settings{})
					s := open(b, b.Ana, 80, 24, accounts.Settings{})
					s.Sees("ctrl+t hint")
					s.Keys(ask...)
					s.Sees(tt.words, "enter plays "+tt.move, "With help: one hint.")
					other.Settle()
					other.Sees("With help: one hint.")
					other.Misses("A hint:")
					s.Keys("enter")
					s.Misses("A hint:")
					if v := b.View(); v.Ply() != 1 || v.Moves[0] != games.Move(tt.move) || v.Helped.Hints != 1 {
						t.Errorf("moves %v, help %+v", v.Moves, v.Helped)
					}
					s.Keys("ctrl+t")
					s.Sees("It is not your turn.")
				})
			})
		}
	}
}

// TestWaitingForAHint: the board tells that it looks for a hint, and looks for one at a time.
func TestWaitingForAHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, seats.Spec{Game: "fourmation"})
		s, look := boardOf(open(b, b.Ana, 80, 24, accounts.Settings{})).start(boardpage.CmdHint)
		if look == nil || s.status(nil).prompt() != "Looking for a hint ..." {
			t.Errorf("the prompt is %q", s.status(nil).prompt())
		}
		if _, again := s.start(boardpage.CmdHint); again != nil {
			t.Error("a second one is looked for beside it")
		}
		s, _ = s.key(tea.KeyPressMsg{Code: 'd', Text: "d"})
		if s, _ = s.start(boardpage.CmdResign); s.asking != boardpage.CmdResign {
			t.Error("the player can't resign before the hint has come")
		}
		for err, want := range map[error]string{lobby.ErrLate: "", lobby.ErrBusy: s.env.Say.Error(lobby.ErrBusy)} {
			s.Input.Problem = ""
			if got := s.hintDone(hintMsg{err: err}); got.hint.asking || got.hint.words != "" || got.Input.Problem != want {
				t.Errorf("after %v it says %q, %q", err, got.Input.Problem, got.hint.words)
			}
		}
		for ply, shown := range map[int]bool{s.view.Ply(): true, s.view.Ply() + 2: false} { // of this position, and of another
			hint := lobby.Hint{Decision: lobby.Decision{Move: "d4"}, Ply: ply}
			if got := s.hintDone(hintMsg{hint: hint}); (got.hint.words != "") != shown {
				t.Errorf("a hint for move %d is shown after %d moves: %q", ply, s.view.Ply(), got.hint.words)
			}
		}
	})
}

// TestUndoAtOneKeyboard takes back one move of either side, down to the first one, without a question to another player.
func TestUndoAtOneKeyboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
		b.Ana = b.Person("ana")
		ref, err := b.Club.Seats.Open(t.Context(), b.Ana, seats.Spec{Game: "fourmation", Hotseat: true})
		if err != nil {
			t.Fatal(err)
		}
		b.Ref = ref
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Misses("ctrl+z")
		s.Keys("ctrl+z")
		s.Sees("There is no move of yours to take back.")
		s.Keys("d4", "enter", "e5", "enter")
		s.Sees("1  d4  e5", "ctrl+z undo")
		s.Keys("ctrl+z")
		s.Sees("1  d4", "to move\n")
		s.Misses("e5  ", "With help")
		s.Keys("/takeback", "enter")
		s.Misses("1  d4", "ctrl+z", "With help")
		s.Keys("/hint", "enter")
		s.Sees("Hints are for casual matches against a computer player.")
		s.Keys("ctrl+u")
		if s.Keys("d4", "enter"); b.View().Ply() != 1 {
			t.Errorf("moves %v", b.View().Moves)
		}
	})
}

// TestFooterBesideHelp: with a hint and a takeback available, the footer has the key that leaves in every language. It has enter only in the
// player's own turn.
func TestFooterBesideHelp(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBotMatch(t, seats.Spec{Game: "fourmation"})
				s := open(b, b.Ana, 80, 24, accounts.Settings{Language: l.Code})
				footer := func() string {
					lines := strings.Split(strings.TrimRight(s.Page(), "\n"), "\n")
					return lines[len(lines)-1]
				}
				s.Keys("d4", "enter")
				if got := footer(); strings.Contains(got, "enter ") || !strings.Contains(got, " esc ") {
					t.Errorf("while the computer thinks: %q", got)
				}
				s.Pass(time.Second)
				for _, key := range []string{"enter ", " / ", " ctrl+t ", " ctrl+z ", " esc "} {
					if got := footer(); !strings.Contains(got, key) {
						t.Errorf("in the player's own turn there is no %q in %q", key, got)
					}
				}
			})
		})
	}
}

// TestTakebackAtTheBoard takes a move back after the reply and before it, while a spectator watches.
func TestTakebackAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, seats.Spec{Game: "fourmation"})
		watcher := open(b, b.Rui, 80, 24, accounts.Settings{})
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Misses("ctrl+z")
		s.Keys("ctrl+z")
		s.Sees("There is no move of yours to take back.")
		s.Keys("d4", "enter")
		s.Pass(time.Second)
		s.Sees("1  d4  c3", "ctrl+z undo")
		s.Keys("ctrl+z")
		s.Sees("your move", "With help: one takeback.")
		s.Misses("d4  c3")
		watcher.Settle()
		watcher.Misses("d4  c3")
		s.Keys("e5", "enter")
		s.Sees("Tutor is thinking ...", "1  e5")
		s.Keys("/takeback", "enter")
		s.Pass(time.Second)
		s.Sees("your move", "With help: 2 takebacks.")
		if s.Bells != 1 { // for the one reply
			t.Errorf("%d bells, want 1", s.Bells)
		}
		s.Misses("e5 ", "There is no move")
		watcher.Settle()
		watcher.Sees("With help: 2 takebacks.")
		watcher.Keys("/takeback", "enter")
		watcher.Sees("You are only watching this match.")
		s.Keys("/resign", "enter", "enter")
		s.Sees("Tutor (bot) wins", "With help: 2 takebacks.")
	})
}

// TestRewoundBoards: the board shows the right position when a move was taken back and another made in one step.
func TestRewoundBoards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, seats.Spec{Game: "fourmation"})
		seat := b.Seat(b.Ana)
		move := func(m games.Move) *lobby.View {
			if err := seat.Move(t.Context(), m, lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second)
			return b.View()
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
		b := uitest.NewMatch(t, "fourmation", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Misses("ctrl+t", "ctrl+z")
		for _, keys := range [][]string{{"ctrl+t"}, {"/hint", "enter"}} {
			s.Keys(keys...)
			s.Sees("Hints are for casual matches against a computer player.")
		}
		for _, keys := range [][]string{{"ctrl+z"}, {"/takeback", "enter"}} {
			s.Keys(keys...)
			s.Sees("In a rated match no move is taken back.")
		}
	})
}

// TestBegunLater says where a match began, and undoes no move that was given.
func TestBegunLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, seats.Spec{Game: "fourmation", Moves: []games.Move{"d4", "c3"}})
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Sees("It began after move 2.", "1  d4  c3", "your move")
		s.Keys("ctrl+z")
		s.Sees("There is no move of yours to take back.")
	})
}

// TestUnknownCommand refuses a command while it is typed, not only when it is entered.
func TestUnknownCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("/dance")
		s.Sees("There is no command /dance here.")
	})
}

// TestRefusalsAreWhole types nonsense and commands at the first board of each game, in each language, in the smallest window
// and the usual one: what is said of it can be read to its end, before enter and after.
func TestRefusalsAreWhole(t *testing.T) {
	for _, g := range catalog.All() {
		for _, l := range text.Languages() {
			t.Run(g.About().ID+" "+l.Code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := uitest.NewMatch(t, g.About().ID, nil, true)
					for _, size := range [][2]int{{40, 20}, {80, 24}} {
						s := open(b, b.Ana, size[0], size[1], accounts.Settings{Language: l.Code})
						for _, typed := range []string{"zz", "/"} {
							s.Keys("ctrl+u", typed)
							s.Reads(boardOf(s).status(nil).meaning())
							s.Keys("enter")
							s.Reads(boardOf(s).Input.Problem)
							s.Keys("backspace", "backspace")
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
			b := uitest.NewMatch(t, "tanks", nil, true)
			s := open(b, b.Ana, 40, 20, accounts.Settings{Language: l.Code})
			s.Reads(wording.In(l.Code).T("M medium, T heavy, D destroyer."))
			s.Keys("?", "end")
			s.Misses("…")
		})
	}
}

// TestPromptsAreWhole: what the selection means can be read to its end in the smallest window, and so can what matters.
func TestPromptsAreWhole(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "momentum", nil, true)
				b.Play("a1")
				s := open(b, b.Rui, 40, 20, accounts.Settings{Language: l.Code})
				s.Keys("left", "left", "left", "down", "down", "down")
				p := boardOf(s).status(nil).prompt()
				alert := boardOf(s).status(boardOf(s).Scene.Notes(wording.In(l.Code).Say, boardOf(s).names())).alert()
				if text.Width(p) <= 38 || alert == "" {
					t.Errorf("%q fits into a line, or nothing else matters: the test tests nothing", p)
				}
				s.Reads(p)
				s.Reads(alert)
			})
		})
	}
}

// TestOtherMoveComesIntoView: on a board that doesn't fit, the move of the other side is seen, and the cursor stays.
func TestOtherMoveComesIntoView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", games.Options{"cols": 10, "rows": 16, "win_length": 4}, true)
		rui := open(b, b.Rui, 40, 20, accounts.Settings{})
		rui.Misses(" 6 •")
		b.Play("d4")
		rui.Settle()
		rui.Sees(" 4 ", "(●)", "[·]")
	})
}

// TestPlayOn starts a match against the computer from the match, and from what was tried.
// TestPlayOnFromAPosition: a match that began from a position of its own is played on from there too.
func TestPlayOnFromAPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		g := uitest.GameOf(t, "fourmation")
		p, err := g.New(uitest.OptionsOf(t, "fourmation"))
		for _, m := range uitest.ShortWin[:3] {
			if err == nil {
				p, err = p.Play(m)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		from := p.String()
		ref, err := b.Club.Seats.Open(t.Context(), b.Ana, seats.Spec{Game: "fourmation", From: from, Hotseat: true})
		if err != nil {
			t.Fatal(err)
		}
		b.Ref = ref
		l := open(b, b.Ana, 80, 24, accounts.Settings{})
		l.Sees("It began from a position.")
		l.Keys(string(uitest.ShortWin[3]), "enter", string(uitest.ShortWin[4]), "enter", "/resign", "enter", "enter")
		l.Keys("v")
		l.OnScreen("review.reviewScreen")
		l.Keys("c")
		l.Sees("play on from move 2")
		l.Keys("enter")
		l.AtMatch()
		if v := boardOf(l).view; v.From != from || v.ID == ref.ID {
			t.Errorf("match %s begins from %q, want another one than %s, from %q", v.ID, v.From, ref.ID, from)
		}
	})
}

func TestPlayOn(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want []games.Move
		turn string // what the form says
	}{
		{"from the match", []string{"left", "c"}, uitest.ShortWin[:6], "play on from move 6"},
		{"from the start", []string{"home", "c"}, nil, "play on from move 0"},
		{"from a variation", []string{"left", "left", "a", "d1", "enter", "e1", "enter", "esc", "left", "c"}, append(uitest.ShortWin[:5:5], "d1"), "play on from move 6"},
		{"while moves are tried", []string{"left", "left", "a", "d1", "enter", "/play", "enter"}, append(uitest.ShortWin[:5:5], "d1"), "play on from move 6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, true)
				b.Play(uitest.ShortWin...)
				l := open(b, b.Ana, 80, 24, accounts.Settings{})
				l.Keys("v")
				l.Keys(tt.keys...)
				l.Sees(tt.turn, "Random (bot)", "first, ●") // as in the match
				l.Misses("Width")
				l.Keys("enter")
				l.AtMatch()
				v := boardOf(l).view
				if !slices.Equal(v.Moves, tt.want) || v.Start != len(tt.want) || v.Rated || v.Seats[0].ID != b.Ana.ID || v.Seats[1].ID != "random" {
					t.Errorf("a match after %v, %d of them given, between %v, rated %v; want one after %v", v.Moves, v.Start, v.Seats, v.Rated, tt.want)
				}
				l.Keys("esc")
				l.OnScreen("review.reviewScreen")
			})
		})
	}
}

// TestSlashAfterQuestion: a command typed while a question is open is a command, not a move without its first letter.
func TestSlashAfterQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "petteia", nil, true)
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
		s.Keys("/resign", "enter")
		s.Sees("Resign this match?")
		s.Keys("/resign")
		s.Misses("Resign this match?")
		s.Sees("› /resign")
		s.Keys("enter", "enter")
		s.Settle()
		if !b.View().Over {
			t.Error("the second /resign does not resign")
		}
	})
}

// TestEscAsksWhileTheClockRuns: one esc too many doesn't leave the board of a match that goes on by the clock.
func TestEscAsksWhileTheClockRuns(t *testing.T) {
	const question = "Your clock runs on while you are away. Leave the board? esc once more."
	for clock, asks := range map[string]bool{"5+3": true, "none": false, "14d": false} {
		t.Run(clock, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest(clock))
				b.Play(uitest.ShortWin[:2]...)
				s := open(b, b.Ana, 120, 24, accounts.Settings{})
				s.Keys("esc")
				if !asks {
					s.OnScreen("lobbypage.lobbyScreen")
					return
				}
				s.AtMatch()
				s.Sees(question)
				s.Keys("up") // anything else withdraws the question
				s.Misses(question)
				s.Keys("esc", "esc")
				s.OnScreen("lobbypage.lobbyScreen")
				s.Misses(question)
			})
		})
	}
}

// TestInvitationIsNeverCut: the line to send to a friend names the club's address, and stands there whole in the smallest window.
func TestInvitationIsNeverCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
		m.Ana = m.Person("ana")
		ref, err := m.Club.Seats.Open(t.Context(), m.Ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			for _, host := range []string{"play.example.com", "a-long-name-of-a-club.example.com"} {
				s := begin(t, size[0], size[1], ui.Config{Lobby: uitest.NewFakeAnalyzer(m.Club).Services(), Who: m.Ana, Start: ui.StartWatch, Code: ref.Code, Now: time.Now,
					Address: text.Address{Host: host, Port: 2222}})
				if got, want := strings.Join(strings.Fields(s.Page()), ""), "ssh-t-p2222"+host+"join"+ref.Code; !strings.Contains(got, want) {
					t.Errorf("%d columns: no %q in\n%s", size[0], want, s.Page())
				}
			}
		}
	})
}
