package lobby

import (
	"cmp"
	"log/slog"
	"time"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/plans"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
	"ludoteca/lobby/thinking"
	"ludoteca/storage/results"
)

// base is what services share: what New was given, and the parts that no service owns alone.
type base struct {
	config  Config
	store   Store
	atStart Limits           // the limits at the start
	limits  *limits.InForce  // now
	tasks   *tasks.Group     // the goroutines of the lobby
	feeds   *feed.Group      // what readers wait for
	log     *slog.Logger     // Config.Log
	now     func() time.Time // Config.Now

	catalogue *live.Catalogue     // games and computer players
	scheduler *thinking.Scheduler // the workers of computer players and analyses

	here     *presence.Registry // who is here, and at which boards
	registry *registry.Registry // unfinished matches
	plans    *plans.Stored      // what players have prepared in them
	schedule *live.Schedule     // what is due in a match when nobody acts

	node      node
	owners    *matches.Nodes // which node owns a match
	reach     *nodes.Reach
	messenger *nodes.Messenger // messages to and from other nodes
	limiter   attempts.Limiter
	guesses   attempts.Attempts // to give a code
}

// newBase returns a base whose node and limiter are yet to be set.
func newBase(store Store, cfg Config) *base {
	atStart := cfg.Limits.OrDefault()
	b := &base{
		config: cfg, store: store, atStart: atStart, limits: limits.NewInForce(atStart), tasks: tasks.NewGroup(), feeds: feed.NewGroup(), log: cfg.Log, now: cfg.Now,
		catalogue: &live.Catalogue{Games: cfg.Games, Levels: cfg.Levels}, scheduler: thinking.NewScheduler(cfg.Workers),
		plans: plans.NewStored(store, cfg.Log), here: presence.NewRegistry(cfg.Now), owners: &matches.Nodes{Store: store, Outages: new(matches.Outages)}, reach: &nodes.Reach{Full: cfg.Full, StoreFull: cfg.StoreFull},
	}
	if cfg.Shared != nil {
		b.owners.Shared = cfg.Shared
	}
	b.schedule = &live.Schedule{
		Presence: b.here, Nodes: b.owners, Now: cfg.Now,
		AwayGuest: atStart.AwayGuest, PrivateWait: cmp.Or(cfg.Bounds.PrivateWait, live.PrivateWait),
	}
	b.registry = registry.New(b.limits, b.schedule, cfg.Shared != nil)
	return b
}

// live returns what matches in memory need. players are the people in their seats, and practice says how a match counts for a practice rating.
func (b *base) live(players live.Players, practice func(results.Finished) *results.PracticeMatch) *live.Config {
	cfg := b.config
	return &live.Config{
		Schedule: b.schedule, Catalogue: b.catalogue, Store: b.store, Plans: b.plans, Players: players, Practice: practice,
		Scheduler: b.scheduler, Feeds: b.feeds, Stats: &cfg.Stats.Stats, Log: b.log,
		Seed: cfg.Seed, MaxPlies: cmp.Or(cfg.Bounds.Plies, match.MaxPlies), BotDelay: cfg.BotDelay, Idle: cmp.Or(cfg.Bounds.Idle, live.IdleTime),
	}
}
