package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// win is a whole game of 4Mation that the first side wins; every prefix is legal.
var win = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}

// faulty is a store in memory that tests can hold back and break.
type faulty struct {
	*storagetest.Memory
	finished  atomic.Int32 // how often a finished match was asked for
	standings atomic.Int32 // how often all ratings were read
	ratings   atomic.Int32 // how often the ratings of some players in a game were read
	allGames  atomic.Int32 // how often the ratings of a player in all games were read
	histories atomic.Int32 // how often a list of finished matches was

	mu     sync.Mutex
	before func(events []matches.Event) error // in place of nil: nothing is written when it returns an error
	after  func(events []matches.Event) error // everything is
	log    func() error                       // reading a log fails
	save   func() error                       // saving an analysis does
	read   func() error                       // reading one does
	beat   func() error                       // keeping the heartbeat does
	plan   error                              // of reading a plan

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

func (f *faulty) setSave(save func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.save = save
}

func (f *faulty) setRead(read func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = read
}

func (f *faulty) setBeat(beat func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.beat = beat
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
	*lobby.Lobby
	t               *testing.T
	store           *faulty
	stats           *lobby.Stats
	ana, rui, guest lobby.User
}

// newClub opens a lobby on a new store.
func newClub(t *testing.T, change ...func(*lobby.Config)) *club {
	t.Helper()
	return reopen(t, newFaulty(), change...)
}

// reopen opens a lobby on a store that there is.
func reopen(t *testing.T, store *faulty, change ...func(*lobby.Config)) *club {
	t.Helper()
	cfg := lobby.Config{
		Games: []games.Game{fourmation.New(), petteia.New()}, Levels: []lobby.Level{firstLegal, brokenLevel},
		Workers: 2, Seed: func() uint64 { return 1 },
		Limits: lobby.Limits{NewUnfinished: 100}, Stats: new(lobby.Stats),
	}
	for _, c := range change {
		c(&cfg)
	}
	l, err := lobby.New(t.Context(), store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &club{Lobby: l, t: t, store: store, stats: cfg.Stats, guest: l.Accounts.Guest("connection 1")}
	c.ana, c.rui = c.account("ana"), c.account("rui")
	return c
}

// account signs a player in, and up if there is no account yet.
func (c *club) account(name string) lobby.User {
	c.t.Helper()
	who, _, err := c.Accounts.SignIn(c.t.Context(), "key of "+name)
	if errors.Is(err, lobby.ErrNoAccount) {
		who, err = c.Accounts.SignUp(c.t.Context(), "key of "+name, name)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return who
}

func (c *club) settingsOf(who lobby.User) accounts.Settings {
	c.t.Helper()
	_, s, err := c.Accounts.SignIn(c.t.Context(), "key of "+who.Name)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// firstLegal plays the first legal move.
var firstLegal = lobby.Level{ID: "first", Name: "Primus", Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
	return p.Legal()[0], nil
}}

// brokenLevel can't play.
var brokenLevel = lobby.Level{ID: "broken", Name: "Fractus", Move: func(context.Context, games.Position, *games.Random) (games.Move, error) {
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

func (c *club) open(who lobby.User, spec seats.Spec) lobby.Ref {
	c.t.Helper()
	ref, err := c.Seats.Open(c.t.Context(), who, spec)
	if err != nil {
		c.t.Fatal(err)
	}
	return ref
}

func (c *club) seat(who lobby.User, id storage.MatchID) *seats.Seat {
	c.t.Helper()
	ref, err := c.Finder.Reveal(c.t.Context(), string(id)) // all players of a test know the code
	if err != nil {
		ref = lobby.Ref{ID: id}
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
		if err := s.Move(c.t.Context(), m, lobby.AnyPly); err != nil {
			c.t.Fatalf("move %s: %v", m, err)
		}
	}
}

func (c *club) now(s *seats.Seat) *lobby.View {
	c.t.Helper()
	v, err := s.Now(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// until reads views until one is as wanted.
func (c *club) until(s *seats.Seat, wanted func(*lobby.View) bool) *lobby.View {
	c.t.Helper()
	for v := c.now(s); ; {
		if wanted(v) {
			return v
		}
		var err error
		if v, err = s.Next(c.t.Context(), v.Seq); err != nil {
			c.t.Fatal(err)
		}
	}
}

// untilLists reads a user's lists until they are as wanted: they follow what happens a moment later.
func (c *club) untilLists(u lobby.User, wanted func(*lists.Lists) bool) {
	c.t.Helper()
	for l := c.Lists.Now(u); !wanted(l); {
		var err error
		if l, err = c.Lists.Next(c.t.Context(), u, l.Seq); err != nil {
			c.t.Fatal(err)
		}
	}
}

// ana and guest return users of a club, for tables.
func ana(c *club) lobby.User   { return c.ana }
func guest(c *club) lobby.User { return c.guest }

func over(v *lobby.View) bool { return v.Over }

// plies returns a condition: at least n moves have been made.
func plies(n int) func(*lobby.View) bool { return func(v *lobby.View) bool { return v.Ply() >= n } }

// text is what a view says of a match, for comparing.
func text(v *lobby.View) string {
	return fmt.Sprintf("%s, %d moves given, %v, opened %s by %d, started %s, event %d at %s, rated %v\n%v\nhelped %v\n%s %q %q by %d, turn of %s", v.Ref, v.Start,
		v.Seats, v.Opened, v.Opener, v.Started, v.Events, v.LastAt, v.Rated, v.Moves, v.Helped, v.Position, v.Result, v.Reason, v.EndedBy, v.Turn)
}

// line is moves apart by spaces.
func line(text string) []games.Move {
	var moves []games.Move
	for _, m := range strings.Fields(text) {
		moves = append(moves, games.Move(m))
	}
	return moves
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
func with(c lobby.ClockSetting) func(*seats.Spec) { return func(s *seats.Spec) { s.Clock = c } }

// logOf returns the kinds of the events of a match, or of the record once there is no log any more.
func (c *club) kindsOf(id storage.MatchID) (kinds []matches.Kind) {
	c.t.Helper()
	log, err := c.store.Memory.Log(c.t.Context(), id, 1, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, e := range log {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

var (
	oneMinute = clock.NewFischer(1, 0)
	fivePlus3 = clock.NewFischer(5, 3)
	threeDays = clock.NewCorrespondence(3)
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
func (f *faulty) Ratings(ctx context.Context, id storage.PlayerID, games []string, seasons ...results.Season) (results.PlayerRatings, error) {
	f.allGames.Add(1)
	return f.Memory.Ratings(ctx, id, games, seasons...)
}

func (f *faulty) rate(ratings map[string]float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rated = ratings
}

// seek begins a search for a user, until stop is called.
func (c *club) seek(who lobby.User, spec seats.Spec) (s quick.Search, stop context.CancelFunc) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	s, err := c.Quick.Seek(ctx, who, quick.One(spec))
	if err != nil {
		c.t.Fatal(err)
	}
	return s, stop
}

// looking returns how far a search has come.
func (c *club) looking(s quick.Search) quick.Looking {
	c.t.Helper()
	synctest.Wait()
	l, _, err := s.Next(c.t.Context(), 0)
	if err != nil {
		c.t.Fatal(err)
	}
	return l
}

// found waits for what a search finds.
func (c *club) found(s quick.Search) lobby.Ref {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Minute)
	defer cancel()
	for after := uint64(0); ; {
		l, seq, err := s.Next(ctx, after)
		if err != nil {
			c.t.Fatal(err)
		}
		if l.Match != (lobby.Ref{}) {
			return l.Match
		}
		after = seq
	}
}

var quick4 = seats.Spec{Game: "4mation", Rated: true, Clock: fivePlus3}

// settled returns a user's lists when all that has happened is in them.
func (c *club) settled(u lobby.User) *lists.Lists {
	time.Sleep(2 * time.Second)
	synctest.Wait()
	return c.Lists.Now(u)
}

// between opens a public match between two accounts of its own, of which the first is here if here is set.
func (c *club) between(here bool, names ...string) (first, second *seats.Seat, leave func()) {
	c.t.Helper()
	a, b := c.account(names[0]), c.account(names[1])
	leave = func() {}
	if here {
		leave = c.Presence.Enter(a)
	}
	ref := c.open(a, seats.Spec{Game: "fourmation", Public: true, Side: seats.PlayFirst})
	if _, err := c.Seats.Take(c.t.Context(), b, ref.ID); err != nil {
		c.t.Fatal(err)
	}
	return c.seat(a, ref.ID), c.seat(b, ref.ID), leave
}

// ready reads the progress of an analysis until the last.
func (c *club) ready(id storage.MatchID) *lobby.AnalysisProgress {
	c.t.Helper()
	for s := c.progress(id, 0); ; s = c.progress(id, s.Seq) {
		if s.Stage == lobby.AnalysisReady {
			return s
		}
	}
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

// explosive is 4Mation with a mine on d4.
type explosive struct{ games.Game }

type mined struct{ games.Position }

func (e explosive) New(o games.Options) (games.Position, error) {
	p, err := e.Game.New(o)
	return mined{p}, err
}

func (m mined) State() games.State { return minedState{m.Position.State()} }

type minedState struct{ games.State }

func (m minedState) Clone() games.State { return minedState{m.State.Clone()} }

func (m minedState) Freeze() games.Position { return mined{m.State.Freeze()} }

func (m minedState) Code(move games.Move) (games.Code, error) {
	if move == "d4" {
		panic("a bug in an engine")
	}
	return m.State.Code(move)
}

func (m mined) Play(move games.Move) (games.Position, error) {
	if move == "d4" {
		panic("a bug in an engine")
	}
	p, err := m.Position.Play(move)
	if err != nil {
		return nil, err
	}
	return mined{p}, nil
}

func (c *club) progress(id storage.MatchID, after uint64) *lobby.AnalysisProgress {
	c.t.Helper()
	s, err := c.Analyses.Analysis(c.t.Context(), lobby.User{}, id, after)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// won plays a match to its end and returns its id.
func (c *club) won() storage.MatchID {
	c.t.Helper()
	a, b := c.start()
	c.play(a, b, win...)
	return a.ID()
}
