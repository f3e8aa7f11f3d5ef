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
	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

// tutored is a match of ana against a computer player that plays the first legal move at once and gives hints: the last
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

// TestSeekingAHint says that a hint is looked for, and looks for one at a time.
func TestSeekingAHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBotMatch(t, lobby.Spec{Game: "fourmation"})
		s, look := b.open(b.ana, 80, 24, storage.Settings{}).board().startCommand(cmdHint)
		if look == nil || s.prompt() != "Looking for a hint ..." {
			t.Errorf("the prompt is %q", s.prompt())
		}
		if _, again := s.startCommand(cmdHint); again != nil {
			t.Error("a second one is looked for beside it")
		}
		s, _ = s.typing(tea.KeyPressMsg{Code: 'd', Text: "d"}).startCommand(cmdResign)
		if s.asked != cmdResign {
			t.Error("nobody can resign before the hint has come")
		}
		for err, want := range map[error]string{lobby.ErrLate: "", lobby.ErrBusy: s.env.say.Error(lobby.ErrBusy)} {
			s.problem = ""
			if got := s.hintDone(hintMsg{err: err}); got.hinting || got.hint != "" || got.problem != want {
				t.Errorf("after %v it says %q, %q", err, got.problem, got.hint)
			}
		}
	})
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
			s.sees("Hints and takebacks are for casual matches against")
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

// TestUnknownCommand says that a command is none while it is typed, not only when it is entered.
func TestUnknownCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("/dance")
		s.sees("There is no command /dance here.")
	})
}

// TestLevelsInTheForm shows what a computer player says of itself and how strong it was measured to be, where it was.
func TestLevelsInTheForm(t *testing.T) {
	c := &ratedClub{fakeClub: &fakeClub{}}
	s := newSetup(&env{club: c}, againstComputer).(setup)
	s.levels[0] = 1
	if got := s.levelName(0); got != "Master (bot)  +2140" {
		t.Errorf("in the first game it is %q", got)
	}
	if got := s.levelHelp(0); !strings.HasPrefix(got, "The best there is here") || !strings.HasSuffix(got, " +2140 is how far above Random it stands, in rating points.") {
		t.Errorf("it says %q", got)
	}
	s.game = 1
	if got := s.levelName(0) + s.levelHelp(0); strings.Contains(got, "+") {
		t.Errorf("in the second game it is %q", got)
	}
}

type ratedClub struct{ *fakeClub }

func (c *ratedClub) Levels() []lobby.Level {
	return []lobby.Level{{ID: "random", Name: "Random"}, {ID: "master", Name: "Master", Ratings: map[string]int{"momentum": 2140},
		Sentence: "The best there is here; thinks for up to a second a move."}}
}

// TestPlayersFit leaves whole words out of a player's line where there is no room, never halves.
func TestPlayersFit(t *testing.T) {
	const strength, standing, hand = "  1523", " · in hand 6", "  ●●●●●●"
	for _, tt := range []struct {
		width     int
		name      string
		cut, tail string
	}{
		{34, "ana", "ana", strength + standing + hand},
		{29, "ana", "ana", strength + standing + hand},
		{28, "ana", "ana", strength + standing},
		{20, "ana", "ana", standing},
		{34, "Champion (bot)", "Champion (bot)", strength + standing},
		{26, "Champion (bot)", "Champion (bot)", standing},
		{25, "Champion (bot)", "Champion (bo…", standing},
		{20, "Champion (bot)", "Champio…", standing},
		{19, "Champion (bot)", "Champion (bot)", ""},
		{10, "Champion (bot)", "Champion …", ""},
	} {
		cut, tail := fitPlayer(tt.width, tt.name, strength, standing, hand)
		if cut != tt.cut || tail != tt.tail {
			t.Errorf("%d cells for %s: %q, %q; want %q, %q", tt.width, tt.name, cut, tail, tt.cut, tt.tail)
		}
	}
}

// TestOfferOfAPosition tells an offer that begins in the middle from others.
func TestOfferOfAPosition(t *testing.T) {
	o := offer("o1", "fourmation", games.Options{"cols": 7, "rows": 7, "win_length": 4})
	e := &env{club: &fakeClub{}}
	if got := offerNotice(e, o).cells[0]; strings.Contains(got, "move") {
		t.Errorf("from the beginning it is %q", got)
	}
	o.Ply = 12
	if got := offerNotice(e, o).cells[0]; got != "from move 12" {
		t.Errorf("from a position it is %q", got)
	}
}
