package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// TestMatchByCode follows a match from its code to its end: what both see, the bell, the window's title.
func TestMatchByCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, false)
		ana := b.open(b.ana, 80, 24, storage.Settings{})
		ana.sees("Tell your friend the code", strings.Join(strings.Split(b.ref.Code, ""), " "), "nobody yet", "take it back")

		rui := begin(t, 80, 24, Config{Club: b.club, Who: b.rui, Start: StartJoin, Code: b.ref.Code, Now: time.Now})
		ana.settle()
		ana.sees("ana · your move", "rui", "Place a piece that touches")
		if ana.bells != 1 {
			t.Errorf("%d bells when the friend comes, want 1", ana.bells)
		}
		if title := ana.app.View().WindowTitle; !strings.Contains(title, "your move") {
			t.Errorf("the window's title is %q", title)
		}
		rui.sees("rui · waiting", "ana is to move")

		for i, m := range []string{"a1", "b2", "b1", "c2", "c1", "d2", "d1"} {
			s := []*session{ana, rui}[i%2]
			s.keys(m, "enter")
			ana.settle()
			rui.settle()
		}
		ana.sees("ana wins: a full line.", "○ rui", "r rematch", "v review", "n new opponent", "*●*")
		rui.sees("ana wins: a full line.", "over")
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
		rui.sees("l   k   j") // he plays from the top, so he sees it turned

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
		rui.sees("rui wins: the other", "side resigned.", "over", "r rematch")
		if rui.bells != 1 {
			t.Errorf("%d bells, want 1", rui.bells)
		}
		ana.keys("/resign", "enter")
		ana.sees("This match is over.")
	})
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
	})
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

// TestEscLetsGo first lets go of what is held, then goes back.
func TestEscLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "tanks", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("enter")
		if s.board().sel.From < 0 {
			t.Fatalf("nothing is held:\n%s", s.page())
		}
		s.keys("esc")
		if s.board().sel.From >= 0 {
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
		if top.typed.text != "d4" || !strings.Contains(top.problem, "moved on") || !top.yours() {
			t.Errorf("typed %q, problem %q", top.typed.text, top.problem)
		}
		s.keys("e")
		if top := s.board().moveDone(movedMsg{"d4", lobby.ErrBusy}); top.typed.text != "e" {
			t.Errorf("typed %q, want what was typed since", top.typed.text)
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
		rui.sees("rui · waiting", "ana is to move")

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
		ana.sees("No result: called off.")
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
			{lobby.Queued, 1, "ana waits for its turn to think: one before it."},
			{lobby.Queued, 5, "ana waits for its turn to think: 5 before it."},
			{lobby.Queued, 10, "ana waits for its turn to think: some 10 before it. While so many play, all think shorter."},
			{lobby.Paused, 0, "ana waits for somebody to watch."},
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
		b := &testMatch{t: t, club: openClub(t)}
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

// FuzzTyped types anything: no panic, and no line that is too wide.
func FuzzTyped(f *testing.F) {
	for _, seed := range []string{"d4", "/resign", "3:2", "e2xe4", "\x1b[2J", "ééé", "a1-a5", "//", "swap "} {
		f.Add(seed)
	}
	c := &fakeClub{}
	f.Fuzz(func(t *testing.T, words string) {
		for _, g := range c.Games() {
			s := playing(t, g, 80, 22)
			s.moveInput = s.withTyped(entry{}.insert(words, typedCells))
			for line := range strings.SplitSeq(s.View(80, 22), "\n") {
				if n := text.Width(line); n > 80 {
					t.Fatalf("a line of %d cells: %q", n, line)
				}
			}
			s, _ = s.enter()
			s.moveInput = s.complete(s.available())
			s.View(80, 22)
		}
	})
}
