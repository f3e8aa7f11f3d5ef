package lobby

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/storagetest"
)

// win is a whole game of 4Mation that the first side wins; every prefix is legal.
var win = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}

// faulty is a store in memory that tests can hold back and break.
type faulty struct {
	*storagetest.Memory
	finished  atomic.Int32 // how often a finished match was asked for
	standings atomic.Int32 // how often all ratings were read
	ratings   atomic.Int32 // how often those of some players in a game were read
	allGames  atomic.Int32 // and those of a player in all games
	histories atomic.Int32 // how often a list of finished matches was

	mu     sync.Mutex
	before func(events []matches.Event) error // in place of nil: nothing is written when it returns an error
	after  func(events []matches.Event) error // everything is
	log    func() error                       // reading a log fails
	save   func() error                       // saving an analysis does
	read   func() error                       // reading one does
	beat   func() error                       // keeping the heartbeat does

	rated map[string]float64 // ratings of players by name, in every game, in place of those that they have played for
}

func newFaulty() *faulty { return &faulty{Memory: storagetest.NewMemory(rating.Rate)} }

func (f *faulty) set(before, after func([]matches.Event) error, log func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before, f.after, f.log = before, after, log
}

func (f *faulty) hooks() (before, after func([]matches.Event) error, log func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.before, f.after, f.log
}

func (f *faulty) around(events []matches.Event, write func() error) error {
	before, after, _ := f.hooks()
	if before != nil {
		if err := before(events); err != nil {
			return err
		}
	}
	err := write()
	if err == nil && after != nil {
		err = after(events)
	}
	return err
}

func (f *faulty) Beat(ctx context.Context, at time.Time) error {
	f.mu.Lock()
	beat := f.beat
	f.mu.Unlock()
	if beat != nil {
		if err := beat(); err != nil {
			return err
		}
	}
	return f.Memory.Beat(ctx, at)
}

func (f *faulty) SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error {
	f.mu.Lock()
	save := f.save
	f.mu.Unlock()
	if save != nil {
		if err := save(); err != nil {
			return err
		}
	}
	return f.Memory.SaveAnalysis(ctx, id, a)
}

func (f *faulty) Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error) {
	f.mu.Lock()
	read := f.read
	f.mu.Unlock()
	if read != nil {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return f.Memory.Analysis(ctx, id)
}

func (f *faulty) Finished(ctx context.Context, id storage.MatchID) (results.Finished, error) {
	f.finished.Add(1)
	return f.Memory.Finished(ctx, id)
}

func (f *faulty) History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error) {
	f.histories.Add(1)
	return f.Memory.History(ctx, q)
}

func (f *faulty) Standings(ctx context.Context, game string) ([]results.Standing, error) {
	f.standings.Add(1)
	return f.Memory.Standings(ctx, game)
}

func (f *faulty) Append(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary) error {
	return f.around(events, func() error { return f.Memory.Append(ctx, id, events, m) })
}

func (f *faulty) Finish(ctx context.Context, id storage.MatchID, events []matches.Event, rec results.Finished, also func(kv.Tx) error) (*[2]results.RatingChange, error) {
	var r *[2]results.RatingChange
	err := f.around(events, func() (err error) {
		r, err = f.Memory.Finish(ctx, id, events, rec, also)
		return err
	})
	return r, err
}

func (f *faulty) Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]matches.Event, error) {
	if _, _, log := f.hooks(); log != nil {
		if err := log(); err != nil {
			return nil, err
		}
	}
	return f.Memory.Log(ctx, id, from, most)
}

// club is a lobby with two players, ana and rui, and a guest, who have not entered.
type club struct {
	*Lobby
	t               *testing.T
	store           *faulty
	ana, rui, guest User
}

// newClub opens a lobby on a new store.
func newClub(t *testing.T, change ...func(*Config)) *club {
	t.Helper()
	return reopen(t, newFaulty(), change...)
}

// reopen opens a lobby on a store that there is.
func reopen(t *testing.T, store *faulty, change ...func(*Config)) *club {
	t.Helper()
	cfg := Config{
		Games: []games.Game{fourmation.New(), petteia.New()}, Levels: []Level{firstLegal, brokenLevel},
		Workers: 2, Seed: func() uint64 { return 1 },
		Limits: Limits{NewUnfinished: 100},
	}
	for _, c := range change {
		c(&cfg)
	}
	l, err := New(t.Context(), store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &club{Lobby: l, t: t, store: store, guest: l.Accounts.Guest("connection 1")}
	c.ana, c.rui = c.account("ana"), c.account("rui")
	return c
}

// account signs a player in, and up if there is no account yet.
func (c *club) account(name string) User {
	c.t.Helper()
	who, _, err := c.Accounts.SignIn(c.t.Context(), "key of "+name)
	if errors.Is(err, ErrNoAccount) {
		who, err = c.Accounts.SignUp(c.t.Context(), "key of "+name, name)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return who
}

// firstLegal plays the first legal move.
var firstLegal = Level{ID: "first", Name: "Primus", Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
	return p.Legal()[0], nil
}}

// brokenLevel can't play.
var brokenLevel = Level{ID: "broken", Name: "Fractus", Move: func(context.Context, games.Position, *games.Random) (games.Move, error) {
	panic("out of order")
}}

// start opens a match that ana plays first and rui has joined.
func (c *club) start(change ...func(*seats.Spec)) (ana, rui *seats.Seat) {
	c.t.Helper()
	spec := seats.Spec{Game: "fourmation", Side: seats.PlayFirst}
	for _, f := range change {
		f(&spec)
	}
	ref := c.open(c.ana, spec)
	if _, err := c.Seats.Join(c.t.Context(), c.rui, origin.Origin{}, ref.Code); err != nil {
		c.t.Fatal(err)
	}
	return c.seat(c.ana, ref.ID), c.seat(c.rui, ref.ID)
}

func (c *club) open(who User, spec seats.Spec) Ref {
	c.t.Helper()
	ref, err := c.Seats.Open(c.t.Context(), who, spec)
	if err != nil {
		c.t.Fatal(err)
	}
	return ref
}

func (c *club) seat(who User, id storage.MatchID) *seats.Seat {
	c.t.Helper()
	ref := Ref{ID: id}
	if s := c.base.registry.Find(id).Summary; s != nil {
		ref = s.Ref // everybody here has been told the code
	}
	s, err := c.Seats.At(c.t.Context(), who, ref)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// play makes moves, each by the seat whose turn it is.
func (c *club) play(a, b *seats.Seat, moves ...games.Move) {
	c.t.Helper()
	for _, m := range moves {
		s := a
		if v := c.now(a); !v.YourTurn(a.User()) {
			s = b
		}
		if err := s.Move(c.t.Context(), m, AnyPly); err != nil {
			c.t.Fatalf("move %s: %v", m, err)
		}
	}
}

func (c *club) now(s *seats.Seat) *View {
	c.t.Helper()
	v, err := s.Now(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// text is what a view says of a match, for comparing.
func text(v *View) string {
	return fmt.Sprintf("%s, %d moves given, %v, opened %s by %d, started %s, event %d at %s, rated %v\n%v\nhelped %v\n%s %q %q by %d, turn of %s", v.Ref, v.Start,
		v.Seats, v.Opened, v.Opener, v.Started, v.Events, v.LastAt, v.Rated, v.Moves, v.Helped, v.Position, v.Result, v.Reason, v.EndedBy, v.Turn)
}

// wantErr checks an error against what is wanted, nil included.
func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) || (got == nil) != (want == nil) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}

// bubble runs a test on a clock of its own.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// with is a change of a Spec: a clock.
func with(c ClockSetting) func(*seats.Spec) { return func(s *seats.Spec) { s.Clock = c } }

var (
	oneMinute = clock.NewFischer(1, 0)
	fivePlus3 = clock.NewFischer(5, 3)
)

// RatingsIn returns the ratings that a test has set.
func (f *faulty) RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error) {
	f.ratings.Add(1)
	f.mu.Lock()
	rated := f.rated
	f.mu.Unlock()
	all, err := f.Memory.RatingsIn(ctx, game, ids)
	if rated == nil || err != nil {
		return all, err
	}
	for _, id := range ids {
		p, err := f.Player(ctx, id)
		if err != nil {
			return nil, err
		}
		if r, ok := rated[p.Name]; ok && (game == "fourmation" || game == "petteia") {
			all[id] = results.Rating{Rating: r, Deviation: 60, Volatility: 0.06, At: time.Now(), Played: 30, Won: 30}
		}
	}
	return all, nil
}

// Ratings counts how often it is called.
func (f *faulty) Ratings(ctx context.Context, id storage.PlayerID) (map[string]results.Rating, error) {
	f.allGames.Add(1)
	return f.Memory.Ratings(ctx, id)
}

// seek begins a search for a user, until stop is called.
func (c *club) seek(who User, spec seats.Spec) (s quick.Search, stop context.CancelFunc) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	got, err := c.Quick.Seek(ctx, who, spec)
	if err != nil {
		c.t.Fatal(err)
	}
	return got, stop
}

// looking returns how far a search has come.
func (c *club) looking(s quick.Search) quick.Looking {
	c.t.Helper()
	synctest.Wait()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Millisecond)
	defer cancel()
	l, _, _ := s.Next(ctx, 0) // the error: it has not come far yet, or is over
	return l
}

// found waits for what a search finds.
func (c *club) found(s quick.Search) Ref {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Minute)
	defer cancel()
	for after := uint64(0); ; {
		l, seq, err := s.Next(ctx, after)
		if err != nil {
			c.t.Fatal(err)
		}
		if l.Match != (Ref{}) {
			return l.Match
		}
		after = seq
	}
}

var quick4 = seats.Spec{Game: "4mation", Rated: true, Clock: fivePlus3}

// settled returns a user's lists when all that has happened is in them.
func (c *club) settled(u User) *lists.Lists {
	time.Sleep(2 * time.Second)
	synctest.Wait()
	return c.Lists.Now(u)
}

// held makes the store hold writes back: each goes on when it takes from the channel.
func held(c *club) (begun chan struct{}, release chan error) {
	begun, release = make(chan struct{}), make(chan error)
	c.store.set(func([]matches.Event) error {
		begun <- struct{}{}
		return <-release
	}, nil, nil)
	return begun, release
}
