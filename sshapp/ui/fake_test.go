package ui

import (
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// noon is when the tests take place.
var noon = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

var (
	ana   = lobby.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	guest = lobby.User{Kind: storage.Guest, ID: "g1", Name: "guest-otter"}
)

// A fakeLobby returns what a test has put into it, and records the calls.
type fakeLobby struct {
	Finder // a test that goes to a match needs a real club

	mu       sync.Mutex
	allGames bool
	closed   bool // Next returns ErrClosed
	opened   []lobby.Spec
	signed   []string
	saved    []storage.Settings
	joined   []string
	taken    []storage.MatchID
	err      error // what calls return
	lines    []lobby.Line
	profile  lobby.Profile
	finished []storage.Finished
	next     storage.Cursor // of the next answer of History
	queries  []lobby.HistoryQuery
	account  storage.Account
	recovery string   // of the sign-up, and each that is asked for
	changes  []string // of the account
}

func (c *fakeLobby) Next(ctx context.Context, _ lobby.User, _ uint64) (*lobby.Lists, error) {
	if c.closed {
		return nil, lobby.ErrClosed
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (c *fakeLobby) Enter(lobby.User) func()                  { return func() {} }
func (c *fakeLobby) Connect(lobby.User, origin.Origin) func() { return func() {} }

func (c *fakeLobby) SignUp(_ context.Context, _, name string) (lobby.User, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signed = append(c.signed, name)
	return lobby.User{Kind: storage.Person, ID: "p2", Name: name}, c.err
}

// A fakeLobby knows no accounts besides those that sign up.
func (c *fakeLobby) SignIn(context.Context, string) (lobby.User, storage.Settings, error) {
	return lobby.User{}, storage.Settings{}, lobby.ErrNoAccount
}

func (c *fakeLobby) Account(context.Context, lobby.User) (storage.Account, error) {
	return c.account, nil
}

func (c *fakeLobby) ChangeName(_ context.Context, who lobby.User, name string) (lobby.User, error) {
	c.did("rename " + name)
	who.Name = name
	return who, c.err
}

// did notes a change of the account.
func (c *fakeLobby) did(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes = append(c.changes, what)
}

func (c *fakeLobby) NewRecovery(context.Context, lobby.User) (string, error) {
	return c.recovery, c.err
}

func (c *fakeLobby) OfferKey(context.Context, lobby.User) (string, time.Time, error) {
	c.did("add")
	return "K7QM-2XPD-9RTV", time.Time{}, c.err
}

func (c *fakeLobby) RemoveKey(_ context.Context, _ lobby.User, fingerprint string, _ lobby.Sessions) error {
	c.did("remove " + fingerprint)
	return c.err
}

func (c *fakeLobby) DeleteAccount(context.Context, lobby.User, lobby.Sessions) error {
	c.did("delete")
	return c.err
}

func (c *fakeLobby) ClaimKey(_ context.Context, fingerprint string, _ origin.Origin, code string, _ lobby.Sessions) (lobby.User, error) {
	c.did("claim " + fingerprint + " " + code)
	return lobby.User{}, lobby.ErrNoKeyCode
}

func (c *fakeLobby) Recover(_ context.Context, fingerprint string, _ origin.Origin, name, code string, _ lobby.Sessions) (lobby.User, string, error) {
	c.did("recover " + fingerprint + " " + name + " " + code)
	return lobby.User{}, "", lobby.ErrRecovery
}

func (c *fakeLobby) SaveSettings(_ context.Context, _ lobby.User, s storage.Settings) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved = append(c.saved, s)
	return c.err
}

func (c *fakeLobby) Open(_ context.Context, _ lobby.User, spec lobby.Spec) (lobby.Ref, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened = append(c.opened, spec)
	return lobby.Ref{ID: "m1", Code: "K7QM2X"}, c.err
}

func (c *fakeLobby) Quick(ctx context.Context, who lobby.User, spec lobby.Spec) (lobby.Ref, error) {
	return c.Open(ctx, who, lobby.Spec{Game: spec.Game, Options: spec.Options, Rated: spec.Rated, Public: true})
}

func (c *fakeLobby) Join(_ context.Context, _ lobby.User, _ origin.Origin, code string) (lobby.Ref, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.joined = append(c.joined, code)
	return lobby.Ref{ID: "m1", Code: code}, c.err
}

func (c *fakeLobby) Take(_ context.Context, _ lobby.User, id storage.MatchID) (lobby.Ref, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = append(c.taken, id)
	return lobby.Ref{ID: id}, c.err
}

func (c *fakeLobby) Find(context.Context, lobby.User, origin.Origin, string) (lobby.Ref, error) {
	return lobby.Ref{ID: "m1"}, c.err
}

func (c *fakeLobby) At(context.Context, lobby.User, lobby.Ref) (*lobby.Seat, error) {
	return nil, lobby.ErrNoSuchMatch
}

func (c *fakeLobby) Leaderboard(context.Context, string) ([]lobby.Line, error) { return c.lines, c.err }

func (c *fakeLobby) Profile(context.Context, string) (lobby.Profile, error) { return c.profile, c.err }

func (c *fakeLobby) History(_ context.Context, q lobby.HistoryQuery) ([]storage.Finished, storage.Cursor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queries = append(c.queries, q)
	return slices.Clone(c.finished), c.next, c.err
}

func (c *fakeLobby) Analysis(context.Context, storage.MatchID, uint64) (*lobby.AnalysisProgress, error) {
	return nil, lobby.ErrNoSuchMatch
}

// Games returns four games of the catalogue, so that pictures stay the same when it gets another one; or all.
func (c *fakeLobby) Games() []games.Game {
	if c.allGames {
		return catalog.All()
	}
	var shown []games.Game
	for _, id := range []string{"momentum", "petteia", "fourmation", "flugelrad"} {
		if g, ok := catalog.Find(id); ok {
			shown = append(shown, g)
		}
	}
	return shown
}

func (c *fakeLobby) Game(name string) (games.Game, error) {
	if g, ok := catalog.Find(name); ok {
		return g, nil
	}
	return nil, lobby.ErrNoSuchGame
}

func (c *fakeLobby) Levels() []lobby.Level {
	return []lobby.Level{{ID: "random", Name: "Random"}, {ID: "greedy", Name: "Greedy"}}
}
