package matches

import (
	"context"
	"errors"
	"fmt"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Start

// Start files all unfinished matches of the store, from their summaries alone, and where their players came from. A log is read only if an
// earlier version of the program has made no summary of it, one after the other. One that is damaged is logged and left alone.
func (s *Service) Start(ctx context.Context) error {
	players, err := s.readSummaries(ctx)
	if err != nil {
		return err
	}
	return s.readBlocks(ctx, players)
}

// readSummaries reads the summaries, and returns the players whom they concern.
func (s *Service) readSummaries(ctx context.Context) (players map[match.Key]bool, err error) {
	rows, err := s.config.Store.Summaries(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: unfinished matches: %w", err)
	}
	players = make(map[match.Key]bool)
	strengths := s.config.Strengths(ctx, inPublic(rows))
	var made []matches.Summary // yet to be kept
	events := uint64(0)        // in the logs of made
	for i, row := range rows {
		m, err := match.SummaryOf(row, s.live.Catalogue.Game)
		if err != nil {
			if m, err = s.summarise(ctx, row.ID); err != nil {
				return nil, err
			}
			if m.Events == 0 {
				continue // it is damaged
			}
			for side, o := range m.Seats {
				m.Strength[side] = s.live.Players.Strength(ctx, o, m.Game.About().ID)
			}
			made = append(made, m.Stored())
			events += m.Events
		}
		for side, o := range m.Seats {
			if strength, ok := strengths[row.Opening.Game][storage.PlayerID(o.ID)]; ok && m.Public {
				m.Strength[side] = strength
			}
			if m.Started.IsZero() && o.Kind == storage.Person { // an offer
				m.Strength[side] = s.live.Players.Strength(ctx, o, m.Game.About().ID)
			}
			m.Seats[side] = s.live.Players.Named(o)
		}
		c := s.registry.Add(&m)
		for _, k := range c.People {
			if k.Kind == storage.Person {
				players[k] = true
			}
		}
		s.config.News.Filed(c)
		s.config.News.Changed(&m, false)
		if len(made) > 0 && (events > 20_000 || i == len(rows)-1) {
			s.keepSummaries(ctx, made)
			made, events = made[:0], 0
		}
	}
	if len(made) > 0 {
		s.keepSummaries(ctx, made)
	}
	return players, nil
}

// readBlocks reads where players with matches came from before the club was started. Without it they count by account alone.
func (s *Service) readBlocks(ctx context.Context, players map[match.Key]bool) error {
	for k := range players {
		visits, err := s.config.Store.Visits(ctx, storage.PlayerID(k.ID))
		switch {
		case errors.Is(err, storage.ErrDamaged):
			s.config.Log.Error("where a player came from is damaged", "player", k.ID, "err", err)
		case err != nil:
			return fmt.Errorf("lobby: where players came from: %w", err)
		}
		s.registry.SetBlocks(k, registry.LastBlock(visits))
	}
	return nil
}

// summarise makes the summary of a match of its log. One that is damaged is put into quarantine, and its summary is zero.
func (s *Service) summarise(ctx context.Context, id storage.MatchID) (match.Summary, error) {
	state, err := live.Load(ctx, s.live, id)
	switch {
	case damaged(err):
		s.config.Log.Error("the log of a match is damaged", "match", id, "err", err)
		s.registry.Quarantine(id)
		return match.Summary{}, nil
	case err != nil:
		return match.Summary{}, fmt.Errorf("lobby: log of match %s: %w", id, err)
	}
	return state.Summary(), nil
}

// keepSummaries keeps summaries for the next start. Nothing but time is lost if it fails.
func (s *Service) keepSummaries(ctx context.Context, made []matches.Summary) {
	if err := s.config.Store.KeepSummaries(ctx, made); err != nil {
		s.config.Log.Warn("summaries of matches were not kept", "matches", len(made), "err", err)
		return
	}
	s.config.Log.Info("summaries of matches made", "matches", len(made))
}

// inPublic returns the people in public matches, by game.
func inPublic(rows []matches.Summary) map[string][]storage.PlayerID {
	people := make(map[string][]storage.PlayerID)
	for _, m := range rows {
		if !m.Opening.Public {
			continue
		}
		for _, o := range []storage.Occupant{m.Opening.First, m.Opening.Second} {
			if o.Kind == storage.Person {
				people[m.Opening.Game] = append(people[m.Opening.Game], storage.PlayerID(o.ID))
			}
		}
	}
	return people
}
