package matches

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
)

// A StartStore reads matches and visits when the program starts; see matches.Store and accounts.VisitStore.
type StartStore interface {
	// Summaries returns the summaries of all matches that have a log. One with Seq 0 is missing.
	Summaries(ctx context.Context) ([]matches.Summary, error)

	// KeepSummaries stores summaries that were missing. The error is storage.ErrStale if a log has changed since.
	KeepSummaries(ctx context.Context, all []matches.Summary) error

	// Visits returns the keys and blocks of addresses from which a player has connected.
	Visits(ctx context.Context, id storage.PlayerID) ([]accounts.Visit, error)
}

// A starter adds all unfinished matches in the store to the registry when the program starts, and the blocks of addresses of their players. It
// reads only summaries, and a log if its summary is missing, as from an earlier version of the program. A damaged log is reported and left
// alone.
type starter struct {
	store     StartStore
	registry  *registry.Registry
	live      *live.Config
	strengths func(ctx context.Context, players map[string][]storage.PlayerID) map[string]map[storage.PlayerID]match.Strength // Config.Strengths
	notifier  notifier
	log       *slog.Logger

	made    []matches.Summary  // yet to be kept
	events  uint64             // in the logs of made
	players map[match.Key]bool // whom matches concern
}

// keepAfter is how many events of logs are read before the summaries made from them are stored.
const keepAfter = 20_000

func (s *starter) run(ctx context.Context) error {
	if err := s.readSummaries(ctx); err != nil {
		return err
	}
	return s.readBlocks(ctx)
}

// readSummaries reads the summaries, and makes those that are missing.
func (s *starter) readSummaries(ctx context.Context) error {
	rows, err := s.store.Summaries(ctx)
	if err != nil {
		return fmt.Errorf("lobby: unfinished matches: %w", err)
	}
	s.players = make(map[match.Key]bool)
	strengths := s.strengths(ctx, inPublic(rows))
	for i, row := range rows {
		m, err := match.SummaryOf(row, s.live.Catalogue.Game)
		if err != nil {
			if m, err = s.summarise(ctx, row.ID); err != nil {
				return err
			}
			if m.Events == 0 {
				continue // it is damaged
			}
		}
		s.add(ctx, &m, strengths[row.Opening.Game])
		if len(s.made) > 0 && (s.events > keepAfter || i == len(rows)-1) {
			s.keepSummaries(ctx)
		}
	}
	if len(s.made) > 0 {
		s.keepSummaries(ctx)
	}
	return nil
}

// add adds a match to the registry. strengths are how strong players are in its game.
func (s *starter) add(ctx context.Context, m *match.Summary, strengths map[storage.PlayerID]match.Strength) {
	for side, o := range m.Seats {
		if strength, ok := strengths[storage.PlayerID(o.ID)]; ok && m.Public {
			m.Strength[side] = strength
		}
		if m.Started.IsZero() && o.Kind.HasAccount() { // an offer
			m.Strength[side] = s.live.Players.Strength(ctx, o, m.Game.About().ID)
		}
		m.Seats[side] = s.live.Players.Named(o)
	}
	c := s.registry.Add(m)
	for _, k := range c.People {
		if k.Kind.HasAccount() {
			s.players[k] = true
		}
	}
	s.notifier.changed(m, false, c)
}

// readBlocks reads the blocks of addresses of players with matches. Without them, limits count these players only by account.
func (s *starter) readBlocks(ctx context.Context) error {
	for k := range s.players {
		visits, err := s.store.Visits(ctx, storage.PlayerID(k.ID))
		switch {
		case errors.Is(err, storage.ErrDamaged):
			s.log.Error("where a player came from is damaged", "player", k.ID, "err", err)
		case err != nil:
			return fmt.Errorf("lobby: where players came from: %w", err)
		}
		s.registry.SetBlocks(k, registry.LastBlock(visits))
	}
	return nil
}

// summarise makes the summary of a match from its log. If the log is damaged, it quarantines the match, and the summary is zero.
func (s *starter) summarise(ctx context.Context, id storage.MatchID) (match.Summary, error) {
	state, err := live.Load(ctx, s.live, id)
	switch {
	case damaged(err):
		s.log.Error("the log of a match is damaged", "match", id, "err", err)
		s.registry.Quarantine(id)
		return match.Summary{}, nil
	case err != nil:
		return match.Summary{}, fmt.Errorf("lobby: log of match %s: %w", id, err)
	}
	m := state.Summary()
	for side, o := range m.Seats {
		m.Strength[side] = s.live.Players.Strength(ctx, o, m.Game.About().ID)
	}
	s.made = append(s.made, m.Stored())
	s.events += m.Events
	return m, nil
}

// keepSummaries stores the summaries made so far for the next start. If it fails, only time is lost.
func (s *starter) keepSummaries(ctx context.Context) {
	made := s.made
	s.made, s.events = s.made[:0], 0
	if err := s.store.KeepSummaries(ctx, made); err != nil {
		s.log.Warn("summaries of matches were not kept", "matches", len(made), "err", err)
		return
	}
	s.log.Info("summaries of matches made", "matches", len(made))
}

// inPublic returns the people in public matches, by game.
func inPublic(rows []matches.Summary) map[string][]storage.PlayerID {
	people := make(map[string][]storage.PlayerID)
	for _, m := range rows {
		if !m.Opening.Public {
			continue
		}
		for _, o := range []storage.Occupant{m.Opening.First, m.Opening.Second} {
			if o.Kind.HasAccount() {
				people[m.Opening.Game] = append(people[m.Opening.Game], storage.PlayerID(o.ID))
			}
		}
	}
	return people
}
