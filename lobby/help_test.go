package lobby_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

func TestOpenFromAPosition(t *testing.T) {
	given := line("a1 b2 b1")
	for _, tt := range []struct {
		name    string
		spec    seats.Spec
		plies   int // that are made when it is the turn of a person
		started bool
	}{
		{"against a level that moves", seats.Spec{Bot: "first", Side: seats.PlayFirst}, 4, true},
		{"against a level that waits", seats.Spec{Bot: "first", Side: seats.PlaySecond}, 3, true},
		{"at one keyboard", seats.Spec{Hotseat: true}, 3, true},
		{"open", seats.Spec{Public: true}, 3, false},
		{"private", seats.Spec{}, 3, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClub(t)
			tt.spec.Game, tt.spec.Moves = "4mation", given
			a := c.seat(c.ana, c.open(c.ana, tt.spec).ID)
			v := c.until(a, func(v *lobby.View) bool { return v.Ply() >= tt.plies })
			if !slices.Equal(v.Moves[:3], given) || v.Start != 3 || v.Ply() != tt.plies || v.Started.IsZero() == tt.started {
				t.Errorf("%d moves, %d given, started %v: %v", v.Ply(), v.Start, v.Started, v.Moves)
			}
			again := reopen(t, c.store)
			if v := again.now(again.seat(again.ana, a.ID())); !slices.Equal(v.Moves[:3], given) || v.Start != 3 {
				t.Errorf("after a restart: %v, %d given", v.Moves, v.Start)
			}
		})
	}
}

func TestOpenFromAPositionRefusals(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Plies = 9 })
	for _, tt := range []struct {
		name string
		spec seats.Spec
		want error
	}{
		{"an illegal move", seats.Spec{Moves: line("a1 g7")}, games.ErrIllegal},
		{"no move at all", seats.Spec{Moves: line("a1 nonsense")}, games.ErrIllegal},
		{"the game is over", seats.Spec{Moves: win}, lobby.ErrDecided},
		{"after the end", seats.Spec{Moves: append(slices.Clone(win), "d3")}, games.ErrIllegal},
		{"rated", seats.Spec{Moves: line("a1"), Rated: true}, lobby.ErrRatedStudy},
		{"two computers", seats.Spec{Moves: line("a1"), Bots: [2]string{"first", "first"}}, lobby.ErrSpec},
		{"as long as a match may be", seats.Spec{Moves: line("a1 a2 a3 a4 b5 b6 b7 c6 d6")}, lobby.ErrSpec},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Game = "fourmation"
			_, err := c.Seats.Open(t.Context(), c.ana, tt.spec)
			wantErr(t, "open", err, tt.want)
		})
	}
	if mine := c.Lists.Yours(c.ana).Matches; len(mine) != 0 {
		t.Errorf("there are matches: %+v", mine)
	}
}

// User asks for any match gets none that begins in the middle, and a rematch begins where the match began.
func TestPositionsKeepToThemselves(t *testing.T) {
	c := newClub(t)
	offer := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Public: true, Moves: line("a1 b2")})
	for _, who := range []lobby.User{c.ana, c.rui} {
		if ref, err := c.Quick.Quick(t.Context(), who, quick.One(seats.Spec{Game: "fourmation", Rated: true})); err != nil || ref == offer {
			t.Errorf("%s quickly gets %v, %v", who.Name, ref, err)
		}
	}
	if _, err := c.Seats.Take(t.Context(), c.rui, offer.ID); err != nil {
		t.Fatal(err)
	}
	a, r := c.seat(c.ana, offer.ID), c.seat(c.rui, offer.ID)
	c.play(a, r, "b1", "c2")
	if err := r.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := a.Record(t.Context())
	if err != nil || f.Start != 2 || f.Plies != 4 {
		t.Errorf("the record: %+v, %v", f, err)
	}
	ref, err := a.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := c.now(c.seat(c.rui, ref.ID)); v.Start != 2 || !slices.Equal(v.Moves, line("a1 b2")) {
		t.Errorf("the rematch begins after %v", v.Moves)
	}
}

func TestTakeback(t *testing.T) {
	c := newClub(t)
	a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}).ID)
	wantErr(t, "before any move", a.Takeback(t.Context()), lobby.ErrNothingBack)
	for range 2 {
		v := c.now(a)
		if err := a.Move(t.Context(), v.Position.Legal()[0], v.Ply()); err != nil {
			t.Fatal(err)
		}
		c.until(a, func(now *lobby.View) bool { return now.Ply() == v.Ply()+2 })
	}
	before := c.now(a)
	for want := 2; want >= 0; want -= 2 {
		if err := a.Takeback(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v := c.now(a); v.Ply() != want || !v.YourTurn(c.ana) || v.Continues(before) {
			t.Errorf("%d moves, want %d", v.Ply(), want)
		}
	}
	wantErr(t, "after the last", a.Takeback(t.Context()), lobby.ErrNothingBack)
	if err := a.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "after the end", a.Takeback(t.Context()), lobby.ErrOver)
	f, err := a.Record(t.Context())
	if err != nil || f.Helped != (results.Help{Takebacks: 2}) || f.Plies != 0 {
		t.Errorf("the record: %+v, %v", f, err)
	}
}

// A computer player that still thinks is stopped, and its answer to what is no longer there never comes.
func TestTakebackWhileItThinks(t *testing.T) {
	begun, stopped := make(chan struct{}, 9), make(chan struct{}, 9)
	slow := lobby.Level{ID: "slow", Name: "Lentus", Move: func(ctx context.Context, _ games.Position, _ *games.Random) (games.Move, error) {
		begun <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return "", ctx.Err()
	}}
	c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{slow} })
	a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "slow"}).ID)
	for range 3 {
		if err := a.Move(t.Context(), "d4", 0); err != nil {
			t.Fatal(err)
		}
		<-begun
		if err := a.Takeback(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-stopped
	}
	if v := c.now(a); v.Ply() != 0 || v.Helped.Takebacks != 3 || v.Reply != lobby.NoReply {
		t.Errorf("%d moves, %+v, reply %v", v.Ply(), v.Helped, v.Reply)
	}
}

// The moves that a position was set up with are nobody's.
func TestTakebackStopsAtGivenMoves(t *testing.T) {
	c := newClub(t)
	a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first", Moves: line("a1 b2")}).ID)
	wantErr(t, "of a given move", a.Takeback(t.Context()), lobby.ErrNothingBack)
	if err := a.Move(t.Context(), "b1", 2); err != nil {
		t.Fatal(err)
	}
	if err := a.Takeback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "of a given move again", a.Takeback(t.Context()), lobby.ErrNothingBack)
	if v := c.now(a); !slices.Equal(v.Moves, line("a1 b2")) {
		t.Errorf("moves %v", v.Moves)
	}
}

// TestTakebackAtOneKeyboard undoes one move at a time, of either side, as often as a match allows. It is no help.
func TestTakebackAtOneKeyboard(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Takebacks = 3 })
	a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
	c.play(a, a, "a1", "b2", "c3")
	watcher := c.seat(c.rui, a.ID())
	wantErr(t, "by a spectator", watcher.Takeback(t.Context()), lobby.ErrNotSeated)
	for _, want := range []string{"a1 b2", "a1"} {
		if err := a.Takeback(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v := c.now(a); !slices.Equal(v.Moves, line(want)) || v.Turn != games.Side(v.Ply()%2) || v.Helped != (results.Help{}) {
			t.Errorf("%v, side %d to move, help %+v; want %s", v.Moves, v.Turn, v.Helped, want)
		}
	}
	c.play(a, a, "b2")
}

func TestHelpRefusals(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Takebacks = 1 })
	a, r := c.start()
	c.play(a, r, "a1", "b2")
	rated, _ := c.start(func(s *seats.Spec) { s.Rated = true })
	waiting := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst}).ID)
	alone := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
	bot := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}).ID)
	watcher := c.seat(c.rui, bot.ID())
	for _, tt := range []struct {
		name           string
		seat           *seats.Seat
		takeback, hint error
	}{
		{"between people", a, nil, lobby.ErrNoHelp}, // it asks
		{"rated", rated, lobby.ErrRatedTakeback, lobby.ErrNoHelp},
		{"an offer", waiting, lobby.ErrNotStarted, lobby.ErrNotStarted},
		{"a spectator", watcher, lobby.ErrNotSeated, lobby.ErrNotSeated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantErr(t, "takeback", tt.seat.Takeback(t.Context()), tt.takeback)
			_, err := tt.seat.Hint(t.Context())
			wantErr(t, "hint", err, tt.hint)
		})
	}
	wantErr(t, "takeback at one keyboard before any move", alone.Takeback(t.Context()), lobby.ErrNothingBack)
	_, err := alone.Hint(t.Context())
	wantErr(t, "hint at one keyboard", err, lobby.ErrNoHelp)
	for i, want := range []error{nil, lobby.ErrTakebacks} {
		v := c.until(bot, func(v *lobby.View) bool { return v.YourTurn(c.ana) })
		if err := bot.Move(t.Context(), v.Position.Legal()[0], v.Ply()); err != nil {
			t.Fatal(err)
		}
		if err := bot.Takeback(t.Context()); !errors.Is(err, want) {
			t.Errorf("takeback %d: %v, want %v", i+1, err, want)
		}
	}
}

// wise is a level that searches, says when it begins, and goes on when the test lets it.
type wise struct {
	begun chan struct{}
	goOn  chan error // what comes of it
	times atomic.Int64
}

func newWise() *wise { return &wise{begun: make(chan struct{}), goOn: make(chan error)} }

func (w *wise) level() lobby.Level {
	return lobby.Level{ID: "wise", Name: "Sapiens", Think: func(ctx context.Context, _ bot.Clock, p games.Position, _ *games.Random) (lobby.Decision, error) {
		w.times.Add(1)
		select {
		case w.begun <- struct{}{}:
		case <-ctx.Done():
			return lobby.Decision{}, context.Canceled
		}
		select {
		case err := <-w.goOn:
			legal := p.Legal()
			return lobby.Decision{Move: legal[len(legal)-1], Ahead: true, Value: 50, Plies: 5, Proven: true}, err
		case <-ctx.Done():
			return lobby.Decision{}, context.Canceled
		}
	}}
}

// hintClub is a club with a simple level and a wise one, and ana in a match against the simple one.
func hintClub(t *testing.T) (*club, *wise, *seats.Seat) {
	w := newWise()
	c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{firstLegal, w.level(), brokenLevel} })
	return c, w, c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}).ID)
}

// asked is the result of Seat.Hint.
type asked struct {
	hint lobby.Hint
	err  error
}

func askHint(s *seats.Seat) <-chan asked {
	got := make(chan asked, 1)
	go func() {
		h, err := s.Hint(context.Background())
		got <- asked{h, err}
	}()
	return got
}

func TestHint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := hintClub(t)
		got := askHint(a)
		<-w.begun
		if _, err := a.Hint(t.Context()); !errors.Is(err, lobby.ErrHinting) {
			t.Errorf("a second one at the same time: %v", err)
		}
		if v := c.now(a); v.Helped != (results.Help{}) {
			t.Errorf("helped before there is a hint: %+v", v.Helped)
		}
		w.goOn <- nil
		h := <-got
		if h.err != nil || h.hint.Move != "g7" || !h.hint.Proven || h.hint.Plies != 5 || h.hint.Ply != 0 {
			t.Fatalf("%+v, %v", h.hint, h.err)
		}
		log, err := c.store.Log(t.Context(), a.ID(), 1, 0)
		if err != nil || log[len(log)-1].Kind != matches.Helped || log[len(log)-1].Move != "" {
			t.Errorf("the log ends with %+v, %v", log[len(log)-1], err)
		}
		if again, err := a.Hint(t.Context()); err != nil || again.Move != h.hint.Move || w.times.Load() != 1 {
			t.Errorf("asked again: %+v, %v, after thinking %d times", again, err, w.times.Load())
		}
		if v := c.now(a); v.Helped != (results.Help{Hints: 1}) {
			t.Errorf("helped %+v", v.Helped)
		}
		if err := a.Move(t.Context(), h.hint.Move, 0); err != nil {
			t.Fatal(err)
		}
		c.until(a, plies(2))
		got = askHint(a)
		<-w.begun
		w.goOn <- nil
		if h := <-got; h.err != nil || h.hint.Ply != 2 {
			t.Errorf("the next: %+v, %v", h.hint, h.err)
		}
		if err := a.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f, err := a.Record(t.Context()); err != nil || f.Helped != (results.Help{Hints: 2}) {
			t.Errorf("the record: %+v, %v", f, err)
		}
		_, err = a.Hint(t.Context())
		wantErr(t, "after the end", err, lobby.ErrOver)
	})
}

// Nobody sees a hint before it is on disk that there was one; one that can't be written is not given.
func TestHintIsWrittenFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := hintClub(t)
		disk, writing := make(chan struct{}), make(chan struct{})
		c.store.set(func([]matches.Event) error {
			close(writing)
			<-disk
			return storage.ErrCommit
		}, nil, nil)
		got := askHint(a)
		<-w.begun
		w.goOn <- nil
		<-writing
		select {
		case h := <-got:
			t.Errorf("the hint was seen before it was written: %+v", h)
		default:
		}
		close(disk)
		if h := <-got; !errors.Is(h.err, lobby.ErrBusy) || h.hint.Move != "" {
			t.Errorf("the hint was not written, but is %+v, %v", h.hint, h.err)
		}
		if v := c.now(a); v.Helped != (results.Help{}) {
			t.Errorf("helped %+v", v.Helped)
		}
	})
}

// What the match has left behind needs no hint.
func TestHintComesTooLate(t *testing.T) {
	for _, tt := range []struct {
		name string
		act  func(t *testing.T, c *club, s *seats.Seat) error
		want error
	}{
		{"a move", func(t *testing.T, _ *club, s *seats.Seat) error { return s.Move(t.Context(), "d4", 0) }, lobby.ErrLate},
		{"the end", func(t *testing.T, _ *club, s *seats.Seat) error { return s.Resign(t.Context()) }, lobby.ErrLate},
		{"the club closes", func(_ *testing.T, c *club, _ *seats.Seat) error { return c.Close() }, lobby.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, w, a := hintClub(t)
				got := askHint(a)
				<-w.begun
				if err := tt.act(t, c, a); err != nil {
					t.Fatal(err)
				}
				if h := <-got; !errors.Is(h.err, tt.want) {
					t.Errorf("the hint is %+v, %v; want %v", h.hint, h.err, tt.want)
				}
			})
		})
	}
}

func TestNoHintOutOfTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWise()
		c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{w.level()} })
		a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "wise"}).ID)
		<-w.begun
		_, err := a.Hint(t.Context())
		wantErr(t, "while the other thinks", err, lobby.ErrNotYourTurn)
		if err := a.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A level that fails gives no hint, marks nobody as helped and leaves the match as it is.
func TestBrokenHint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := hintClub(t)
		got := askHint(a)
		<-w.begun
		w.goOn <- errors.New("out of order")
		if h := <-got; h.err == nil {
			t.Errorf("got %+v", h.hint)
		}
		if v := c.now(a); v.Over || v.Helped != (results.Help{}) {
			t.Errorf("over %v, helped %+v", v.Over, v.Helped)
		}
		got = askHint(a)
		<-w.begun
		w.goOn <- nil
		if h := <-got; h.err != nil {
			t.Errorf("asked again: %v", h.err)
		}
	})
}

// After a restart the same position is not counted twice.
func TestHintAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := hintClub(t)
		for range 2 {
			got := askHint(a)
			<-w.begun
			w.goOn <- nil
			if h := <-got; h.err != nil {
				t.Fatal(h.err)
			}
			if v := c.now(a); v.Helped != (results.Help{Hints: 1}) {
				t.Errorf("helped %+v", v.Helped)
			}
			c.Close()
			c = reopen(t, c.store, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{firstLegal, w.level()} })
			a = c.seat(c.ana, a.ID())
		}
	})
}

func TestOpenFromText(t *testing.T) {
	const from = "last=b1 turn=O ......./......./......./......./......./.O...../XX....."
	for _, tt := range []struct {
		name    string
		spec    seats.Spec
		plies   int
		started bool
	}{
		{"against a level that moves", seats.Spec{Bot: "first", Side: seats.PlayFirst}, 1, true},
		{"against a level that waits", seats.Spec{Bot: "first", Side: seats.PlaySecond}, 0, true},
		{"at one keyboard", seats.Spec{Hotseat: true}, 0, true},
		{"open", seats.Spec{Public: true}, 0, false},
		{"private, with a clock", seats.Spec{Clock: lobby.ClockSetting{Kind: clock.Fischer, Base: time.Minute}}, 0, false},
		{"with moves", seats.Spec{Moves: line("c1 d1")}, 2, false},
		{"with its options", seats.Spec{Options: games.Options{"cols": 7}}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClub(t)
			tt.spec.Game, tt.spec.From = "4mation", "  turn=O  last=b1 "+strings.TrimPrefix(from, "last=b1 turn=O ")
			a := c.seat(c.ana, c.open(c.ana, tt.spec).ID)
			v := c.until(a, func(v *lobby.View) bool { return v.Ply() >= tt.plies })
			initial, err := v.Initial()
			if err != nil || v.From != from || initial.String() != from || v.Ply() != tt.plies || v.Started.IsZero() == tt.started || v.Rated {
				t.Errorf("%d moves from %q, started %v, %v", v.Ply(), v.From, v.Started, err)
			}
			if v.Turn != games.Side((1+tt.plies)%2) {
				t.Errorf("it is the turn of %v", v.Turn)
			}
			again := reopen(t, c.store)
			if v := again.now(again.seat(again.ana, a.ID())); v.From != from || v.Ply() != tt.plies || !v.Studied() {
				t.Errorf("after a restart: %d moves from %q", v.Ply(), v.From)
			}
		})
	}
}

// A match from a position goes on as any other: moves are taken back to it, its record and its rematch begin there.
func TestStudiesStayWhatTheyAre(t *testing.T) {
	const from = "last=b1 turn=O ......./......./......./......./......./.O...../XX....."
	c := newClub(t)
	alone := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true, From: from}).ID)
	for _, m := range line("c1 d1") {
		if err := alone.Move(t.Context(), m, lobby.AnyPly); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := alone.Takeback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if v := c.now(alone); v.Position.String() != from {
		t.Errorf("taken back to %s", v.Position)
	}
	wantErr(t, "back beyond the position", alone.Takeback(t.Context()), lobby.ErrNothingBack)

	ref := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, From: from, Public: true})
	if got, err := c.Quick.Quick(t.Context(), c.rui, quick.One(seats.Spec{Game: "fourmation"})); err != nil || got == ref {
		t.Errorf("any match is %v, %v", got, err)
	}
	if _, err := c.Seats.Take(t.Context(), c.rui, ref.ID); err != nil {
		t.Fatal(err)
	}
	a, r := c.seat(c.ana, ref.ID), c.seat(c.rui, ref.ID)
	c.play(r, a, line("c1 d1 e1 f1")...)
	if err := a.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := a.Record(t.Context())
	if err != nil || f.From != from || f.Plies != 4 || f.Start != 0 || f.Rated {
		t.Errorf("the record: %+v, %v", f, err)
	}
	c.ready(ref.ID) // an analysis begins there too
	again, err := a.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := c.now(c.seat(c.rui, again.ID)); v.From != from || v.Seats[games.Second] != c.ana.Occupant() {
		t.Errorf("the rematch begins from %q with %v", v.From, v.Seats)
	}
}

func TestOpenFromTextRefusals(t *testing.T) {
	c := newClub(t)
	const from = "last=b1 turn=O ......./......./......./......./......./.O...../XX....."
	won := strings.Replace(strings.Replace(from, "XX.....", "XXXX...", 1), ".O.....", "OOO....", 1)
	for _, tt := range []struct {
		name string
		spec seats.Spec
		want error
	}{
		{"no position", seats.Spec{From: "nonsense"}, games.ErrPosition},
		{"hostile text", seats.Spec{From: "\x1b[2J\x00\xff=/"}, games.ErrPosition},
		{"far too long", seats.Spec{From: strings.Repeat(from, 1000)}, games.ErrPosition},
		{"of another game", seats.Spec{From: "turn=bot ......../........"}, games.ErrPosition},
		{"an option of another game", seats.Spec{From: "quiet_limit=3 " + from}, games.ErrOptions},
		{"the game is over", seats.Spec{From: won}, games.ErrPosition},
		{"other options", seats.Spec{From: from, Options: games.Options{"win_length": 5}}, games.ErrPosition},
		{"an option out of range", seats.Spec{From: "cols=99 " + from}, games.ErrOptions},
		{"rated", seats.Spec{From: from, Rated: true}, lobby.ErrRatedStudy},
		{"two computers", seats.Spec{From: from, Bots: [2]string{"first", "first"}}, lobby.ErrSpec},
		{"an illegal move from there", seats.Spec{From: from, Moves: line("g7")}, games.ErrIllegal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Game = "fourmation"
			_, err := c.Seats.Open(t.Context(), c.ana, tt.spec)
			wantErr(t, "open", err, tt.want)
		})
	}
	if mine := c.Lists.Yours(c.ana).Matches; len(mine) != 0 {
		t.Errorf("there are matches: %+v", mine)
	}
}
