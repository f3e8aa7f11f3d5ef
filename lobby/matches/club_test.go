package matches

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ana = match.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	rui = match.User{Kind: storage.Person, ID: "p2", Name: "rui"}
)

// win is a whole game of 4Mation that the first side wins.
var win = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}

// people implements live.Players and live.Presence for a club in which all users are here and none has a rating.
type people struct{}

func (people) Origin(storage.Occupant) origin.Origin                                 { return origin.Origin{} }
func (people) Named(o storage.Occupant) storage.Occupant                             { return o }
func (people) Away(match.Key) (since time.Time, gone bool)                           { return since, false }
func (people) LookedAt(storage.MatchID) bool                                         { return false }
func (people) Strength(context.Context, storage.Occupant, string) (s match.Strength) { return s }

func (people) Presence(storage.MatchID, [2]storage.Occupant) (near [2]atboard.Presence, others atboard.Spectators) {
	return near, others
}

// news is News. Tests set the functions that they need.
type news struct {
	filed  func(registry.Change)
	loaded []storage.MatchID
}

func (n *news) Filed(c registry.Change) {
	if n.filed != nil {
		n.filed(c)
	}
}

func (*news) Changed(*match.Summary, bool)  {}
func (*news) Over(*match.View)              {}
func (*news) EndedElsewhere(*match.Summary) {}
func (n *news) Loaded(id storage.MatchID)   { n.loaded = append(n.loaded, id) }

// A club is a service of matches on a store in memory, in a club with one node.
type club struct {
	*Service
	news  *news
	store *storagetest.Memory
}

// newClub opens a club that is closed when the test ends.
func newClub(t *testing.T, cachedPlies int) *club {
	t.Helper()
	store, log, never := storagetest.NewMemory(nil), slog.New(slog.DiscardHandler), func() bool { return false }
	node, _, err := nodes.OpenAlone(t.Context(), nodes.AloneConfig{Store: store, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	here := &Nodes{Store: store, Owner: node, Outages: new(Outages)}
	schedule := &live.Schedule{Presence: people{}, Nodes: here, Now: time.Now, PrivateWait: time.Hour}
	c := &club{news: new(news), store: store}
	group := tasks.NewGroup()
	c.Service = New(Config{
		Store: store, Node: node, Nodes: here, Reach: &nodes.Reach{Node: node, Full: never, StoreFull: never},
		Registry: registry.New(limits.NewInForce(limits.Default()), schedule, false), Presence: people{}, News: c.news,
		Strengths: func(context.Context, map[string][]storage.PlayerID) map[string]map[storage.PlayerID]match.Strength {
			return nil
		},
		Live: &live.Config{
			Schedule: schedule, Catalogue: &live.Catalogue{Games: []games.Game{fourmation.New()}}, Store: store, Players: people{},
			Scheduler: thinking.NewScheduler(1), Feeds: feed.NewGroup(), Stats: new(live.Stats), Log: log,
			Seed: func() uint64 { return 1 }, MaxPlies: 1000, Idle: time.Hour,
		},
		Tasks: group, Now: time.Now, Log: log, Stats: new(NodeStats), CachedPlies: cachedPlies,
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	go group.Run(time.Minute, func() {}, func(ctx, _ context.Context) { c.Deadlines.Run(ctx) })
	t.Cleanup(group.Close)
	return c
}

// open opens a match of ana and rui.
func (c *club) open(t *testing.T, id storage.MatchID, code string) {
	t.Helper()
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := matches.Opening{Code: code, Game: "fourmation", Options: options, First: ana.Occupant()}
	if err := c.Open(t.Context(), id, false, match.Open(o, storage.FirstSeat), cluster.Terms{}, func() {}); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), id, match.Join(rui)); err != nil {
		t.Fatal(err)
	}
}

// move makes a move of win in a match.
func (c *club) move(t *testing.T, id storage.MatchID, ply int) error {
	return c.Do(t.Context(), id, match.Move([]match.User{ana, rui}[ply%2], win[ply], ply, 0))
}
