package lobby

import (
	"context"
	"fmt"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/engines"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nicknames"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/plans"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/studies"
	"ludoteca/lobby/tells"
	"ludoteca/lobby/together"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/vacations"
	"ludoteca/storage"
	noticestore "ludoteca/storage/notices"
)

// makePeople makes the services that say what is known of people, and reads what is in force about them.
func (l *Lobby) makePeople(ctx context.Context) error {
	b := l.base
	l.Bulletin = bulletin.NewBoard(b.feeds, b.now)
	l.Restrictions = restrictions.New(restrictions.Config{
		Store: b.store, Now: b.now, Log: b.log, Tasks: b.tasks, Announced: l.Bulletin.Announce, Changed: l.accountsChanged,
	})
	l.makeAccounts()
	related, err := b.store.Relations(ctx)
	if err != nil {
		return fmt.Errorf("lobby: %w", err)
	}
	l.Relations = relations.NewService(relations.Config{
		Graph: relations.New(related, b.feeds), Store: b.store, Restrictions: l.Restrictions, Feeds: b.feeds, Tasks: b.tasks, Now: b.now,
		ByName: l.Accounts.ByName, Presence: b.here, News: relationNews{l},
	})
	l.Learning = learning.New(learning.Config{Store: b.store, Restrictions: l.Restrictions, Now: b.now})
	l.Puzzles = learning.NewPuzzles(learning.PuzzlesConfig{Store: b.store, Restrictions: l.Restrictions, Games: b.config.Games, Now: b.now, Seed: b.config.Seed})
	l.Practice = learning.NewPractice(learning.PracticeConfig{Store: b.store, Restrictions: l.Restrictions, Games: b.config.Games, Levels: b.config.Levels, Now: b.now})
	l.Standings = standings.New(standings.Config{
		Store: b.store, Games: b.config.Games, Now: b.now, Log: b.log, Tasks: b.tasks, BoardAge: b.config.Bounds.BoardAge, Lines: b.config.Bounds.Leaderboard,
		Player: l.Accounts.ByName, Closed: l.Restrictions.Closed, Online: b.here.Online, HasBlocked: l.Relations.HasBlocked,
	})
	l.Studies = studies.New(studies.Config{Store: b.store, Restrictions: l.Restrictions, Now: b.now, Origin: l.Sessions.Of, Games: b.config.Games})
	l.Results = standings.NewResults(standings.ResultsConfig{Store: b.store, Games: b.config.Games, Most: b.config.Bounds.History, Player: l.Accounts.ByName})
	l.Notices = notices.New(notices.Config{
		Store: b.store, Sender: b.config.Notices, Restrictions: l.Restrictions, Matches: b.registry, Presence: b.here, Node: b.node,
		Limiter: b.limiter, Guesses: b.guesses, Tasks: b.tasks, Now: b.now, Log: b.log, Stats: &b.config.Stats.Notices,
		Blocks: func(id storage.PlayerID) (all []notices.Block) {
			for _, from := range b.registry.Blocks(match.Key{Kind: storage.Person, ID: string(id)})[0] {
				all = append(all, notices.Block{Key: from, Weight: from.Weight})
			}
			return all
		},
	})
	return l.Restrictions.Read(ctx)
}

// makeAccounts makes the services over accounts, their keys and their sessions.
func (l *Lobby) makeAccounts() {
	b := l.base
	l.Sessions = accounts.NewSessions(accounts.SessionsConfig{Store: b.store, Now: b.now, Log: b.log, KeepAddresses: b.config.KeepAddresses})
	l.Nicknames = nicknames.New(nicknames.Config{
		Store: b.store, Shared: b.config.Shared, Node: b.node, Presence: b.here, Origin: l.Sessions.Of,
	})
	l.Accounts = accounts.New(accounts.Config{
		Store: b.store, Now: b.now, Log: b.log, Tasks: b.tasks, Reach: b.reach, Restrictions: l.Restrictions, Matches: b.registry,
		Nickname: l.Nicknames.Of,
	})
	l.Keys = accounts.NewKeys(accounts.KeysConfig{
		Store: b.store, Now: b.now, Limiter: b.limiter, Guesses: b.guesses, Restrictions: l.Restrictions, Accounts: l.Accounts,
	})
}

// makeMatches makes the services over the matches that go on and what is at their boards: presence and chat.
func (l *Lobby) makeMatches() {
	b := l.base
	l.Matches = matches.New(matches.Config{
		Store: b.store, Shared: b.config.Shared, Node: b.node, Nodes: b.owners, Reach: b.reach, Registry: b.registry, Presence: b.here,
		News: matchNews{l}, Restrictions: l.Restrictions, Strengths: l.Standings.Strengths,
		Live: b.live(l.players(), l.Practice.Match), Tasks: b.tasks, Now: b.now, Log: b.log, Stats: &b.config.Stats.NodeStats, CachedPlies: b.config.Bounds.CachedPlies,
	})
	l.Presence = presence.NewService(presence.Config{
		Registry: b.here, Matches: b.registry, Boards: l.Matches, Failover: l.Matches.Failover, Listener: presenceNews{l}, Node: b.node,
		Shared: b.config.Shared,
	})
	l.Chat = chat.NewService(chat.Config{
		Store: b.store, Matches: l.Matches, Restrictions: l.Restrictions, Node: b.node, Shared: b.config.Shared, Messenger: b.messenger,
		Feeds: b.feeds, Now: b.now, Blocked: l.Relations.HasBlocked, Origin: l.Sessions.Of,
	})
	l.Together = together.New(together.Config{
		Chat: l.Chat, Feeds: b.feeds, Now: b.now, MayPlay: l.Restrictions.MayPlay, Blocks: l.Relations.Blocks, Origin: l.Sessions.Of,
	})
	l.Lounge = lounge.New(lounge.Config{
		Store: b.store, Chat: l.Chat, Restrictions: l.Restrictions, Messenger: b.messenger, Feeds: b.feeds, Now: b.now, Blocks: l.Relations.Blocks,
		Origin: l.Sessions.Of,
	})
	l.Lounge.Close(l.Restrictions.LoungeClosed())
	l.Tells = tells.New(tells.Config{
		Store: b.store, Chat: l.Chat, Relations: l.Relations, Restrictions: l.Restrictions, Messenger: b.messenger, Feeds: b.feeds, Now: b.now,
		ByName: l.Accounts.ByName,
	})
}

// players are the people in the seats of matches.
func (l *Lobby) players() *seatedPeople {
	return &seatedPeople{l.Sessions, l.Restrictions, l.Standings}
}

// makeSeats makes the services by which people get into matches.
func (l *Lobby) makeSeats() {
	b, players := l.base, l.players()
	l.Finder = seats.NewFinder(seats.FinderConfig{Store: b.store, Matches: l.Matches, Registry: b.registry, Guesses: b.guesses, Now: b.now})
	l.Manners = seats.NewManners(seats.MannersConfig{
		Registry: b.registry, Matches: l.Matches, Presence: l.Presence, Relations: l.Relations, Players: players, Tasks: b.tasks,
		Limits: b.atStart, Now: b.now,
	})
	l.Challenges = seats.NewChallenges(seats.ChallengesConfig{
		Store: b.store, Accounts: l.Accounts, Relations: l.Relations, Restrictions: l.Restrictions, Players: players, Presence: l.Presence,
		People: b.here, Registry: b.registry, Matches: l.Matches, Now: b.now,
	})
	l.Rematches = seats.NewRematches(l.Challenges, l.Matches.Finished.InMemory)
	standing := standingoffers.NewStored(b.store, b.registry, b.log)
	l.Seats = seats.New(seats.Config{
		Store: b.store, Matches: l.Matches, Registry: b.registry, Presence: l.Presence, Restrictions: l.Restrictions, Relations: l.Relations,
		Players: players, Chat: l.Chat, Catalogue: b.catalogue, Reach: b.reach, Limits: b.limits, Now: b.now,
		Finder: l.Finder, Manners: l.Manners, Challenges: l.Challenges, Rematches: l.Rematches, Standings: l.Standings, Standing: standing,
		MaxPlies: b.config.Bounds.Plies, MaxTakebacks: b.config.Bounds.Takebacks,
	})
	l.Standing = standingoffers.New(standingoffers.Config{
		Stored: standing, Store: b.store, Shared: b.config.Shared, Node: b.node, Seats: l.Seats, Matches: l.Matches, Registry: b.registry, Presence: l.Presence,
		Restrictions: l.Restrictions, Players: players, Now: b.now, Log: b.log,
	})
	l.Plans = plans.New(plans.Config{Stored: b.plans, Matches: l.Matches, Restrictions: l.Restrictions, Now: b.now, Origin: l.Sessions.Of})
	l.Quick = quick.New(quick.Config{
		Seats: l.Seats, Manners: l.Manners, Matches: l.Matches, Registry: b.registry, Standings: l.Standings, Node: b.node, Shared: b.config.Shared,
		Reach: b.reach, Games: b.config.Games, Feeds: b.feeds, Tasks: b.tasks, Now: b.now, Log: b.log,
	})
	l.Tournaments = tournaments.New(tournaments.Config{
		Store: b.store, Shared: b.config.Shared, Node: b.node, Reach: b.reach, Matches: l.Matches, Registry: b.registry, Restrictions: l.Restrictions,
		Players: players, Catalogue: b.catalogue, Guesses: b.guesses, Feeds: b.feeds, Tasks: b.tasks, Now: b.now, Log: b.log,
		HasBlocked: l.Relations.HasBlocked,
		TellBegins: func(ctx context.Context, id storage.PlayerID, v *tournaments.View) (told bool, err error) {
			return l.Notices.EventBegins(ctx, id, noticestore.Event{
				ID: string(v.ID), Code: v.Settings.Code, Name: v.Settings.Name, Begins: v.Settings.Begins,
			})
		},
	})
}

// makeVacations makes the service over vacations, and reads those that matches may know of.
func (l *Lobby) makeVacations(ctx context.Context) error {
	b := l.base
	rows, err := b.store.RecentVacations(ctx, vacations.Recent(b.now()))
	if err != nil {
		return fmt.Errorf("lobby: %w", err)
	}
	l.Vacations = vacations.New(vacations.Config{
		Store: b.store, Matches: l.Matches, Registry: b.registry, Restrictions: l.Restrictions, Node: b.node, Tasks: b.tasks, Now: b.now, Log: b.log,
		Origin: l.Sessions.Of,
	}, rows)
	return nil
}

// sought returns what each player in the pool of quick matches looks for, and a channel that is closed when that changes.
func (l *Lobby) sought() (all []lists.Sought, newer <-chan struct{}) {
	searches, newer := l.Quick.Sought()
	for _, s := range searches {
		k := lists.Sought{Clock: s.Clock, Class: s.Class, Rated: s.Rated, People: []User{s.Who}}
		for _, c := range s.Games {
			k.Games = append(k.Games, c.Game)
		}
		all = append(all, k)
	}
	return all, newer
}

// makeLists makes the services over all of these: what lists show, what operators do, and analyses.
func (l *Lobby) makeLists() {
	b := l.base
	listed := lists.Config{
		Registry: b.registry, Presence: b.here, Restrictions: l.Restrictions, Standings: l.Standings, Relations: l.Relations,
		Catalogue: b.catalogue, Feeds: b.feeds, Tasks: b.tasks, Now: b.now, Sought: l.sought, Standing: l.Standing.Has,
		MaxListed: b.config.Bounds.Listed, MaxHere: b.config.Bounds.Here,
	}
	l.Lists, l.People = lists.New(listed), lists.NewPeople(listed)
	l.Television = lists.NewTelevision(listed, l.Lists, l.Matches, b.store, b.reach)
	l.Operators = operators.New(operators.Config{
		Store: b.store, Restrictions: l.Restrictions, Accounts: l.Accounts, Sessions: l.Sessions, Standings: l.Standings, Matches: l.Matches,
		Finder: l.Finder, Lists: l.Lists, Chat: l.Chat, Together: l.Together, Tells: l.Tells, Lounge: l.Lounge, Now: b.now,
	})
	l.Engines = engines.New(engines.Config{
		Seats: l.Seats, Registry: b.registry, Presence: l.Presence, Relations: l.Relations, Limits: b.limits, Now: b.now,
		Changed: l.Lists.Changed,
	})
	queue := analyses.NewQueue(analyses.Config{
		Scheduler: b.scheduler, Feeds: b.feeds, Stats: &b.config.Stats.AnalysisStats, Panics: &b.config.Stats.Panics, Log: b.log,
		Match: l.Matches.View, Store: b.store, Nodes: b.config.AnalysisNodes, Max: b.config.Bounds.Analyses,
	})
	l.Analyses = analyses.NewAnalyzer(queue, l.Matches, l.Sessions)
	l.MissedWins = analyses.NewMissedWins(queue, b.store, l.Sessions)
}
