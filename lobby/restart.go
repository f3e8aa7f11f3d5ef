package lobby

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

// readSummaries reads the summaries of all unfinished matches, and returns the players whom they concern. A log is read only if an earlier
// version of the program has made no summary of it, one after the other.
func (l *Lobby) readSummaries(ctx context.Context) (players map[match.Key]bool, err error) {
	rows, err := l.store.Summaries(ctx)
	if err != nil {
		return nil, fmt.Errorf("lobby: unfinished matches: %w", err)
	}
	players = make(map[match.Key]bool)
	strengths := l.strengths(ctx, rows)
	var made []matches.Summary // yet to be kept
	events := uint64(0)        // in the logs of made
	for i, row := range rows {
		s, err := match.SummaryOf(row, l.Game)
		if err != nil {
			if s, err = l.summarise(ctx, row.ID); err != nil {
				return nil, err
			}
			if s.Events == 0 {
				continue // it is damaged
			}
			for side, o := range s.Seats {
				s.Strength[side] = l.seated.Strength(ctx, o, s.Game.About().ID)
			}
			made = append(made, s.Stored())
			events += s.Events
		}
		for side, o := range s.Seats {
			if strength, ok := strengths[row.Opening.Game][storage.PlayerID(o.ID)]; ok && s.Public {
				s.Strength[side] = strength
			}
			if s.Started.IsZero() && o.Kind == storage.Person { // an offer
				s.Strength[side] = l.seated.Strength(ctx, o, s.Game.About().ID)
			}
			s.Seats[side] = l.seated.Named(o)
		}
		c := l.registry.Add(&s)
		for _, k := range c.People {
			if k.Kind == storage.Person {
				players[k] = true
			}
		}
		l.indexed(c)
		l.rematchChanged(&s, false)
		if len(made) > 0 && (events > 20_000 || i == len(rows)-1) {
			l.keepSummaries(ctx, made)
			made, events = made[:0], 0
		}
	}
	if len(made) > 0 {
		l.keepSummaries(ctx, made)
	}
	return players, nil
}

// readBlocks reads where players with matches came from before the club was started. Without it they count by account alone.
func (l *Lobby) readBlocks(ctx context.Context, players map[match.Key]bool) error {
	for k := range players {
		visits, err := l.store.Visits(ctx, storage.PlayerID(k.ID))
		switch {
		case errors.Is(err, storage.ErrDamaged):
			l.log.Error("where a player came from is damaged", "player", k.ID, "err", err)
		case err != nil:
			return fmt.Errorf("lobby: where players came from: %w", err)
		}
		l.registry.SetBlocks(k, registry.LastBlock(visits))
	}
	return nil
}

// summarise makes the summary of a match of its log. One that is damaged is put into quarantine, and its summary is zero.
func (l *Lobby) summarise(ctx context.Context, id storage.MatchID) (match.Summary, error) {
	state, err := live.Load(ctx, l.live, id)
	switch {
	case errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotFound):
		l.log.Error("the log of a match is damaged", "match", id, "err", err)
		l.registry.Quarantine(id)
		return match.Summary{}, nil
	case err != nil:
		return match.Summary{}, fmt.Errorf("lobby: log of match %s: %w", id, err)
	}
	return state.Summary(), nil
}

// keepSummaries keeps summaries for the next start. Nothing but time is lost if it fails.
func (l *Lobby) keepSummaries(ctx context.Context, made []matches.Summary) {
	if err := l.store.KeepSummaries(ctx, made); err != nil {
		l.log.Warn("summaries of matches were not kept", "matches", len(made), "err", err)
		return
	}
	l.log.Info("summaries of matches made", "matches", len(made))
}

// strengths returns how strong the people in public matches are, by game. It asks for them alone: however many players have ratings,
// a club with so many matches starts as fast.
func (l *Lobby) strengths(ctx context.Context, rows []matches.Summary) map[string]map[storage.PlayerID]Strength {
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
	all, now := make(map[string]map[storage.PlayerID]Strength), l.now()
	for game, ids := range people {
		ratings, err := l.store.RatingsIn(ctx, game, ids)
		if err != nil {
			l.log.Warn("the ratings of a game can't be read", "game", game, "err", err)
		}
		all[game] = make(map[storage.PlayerID]Strength, len(ratings))
		for id, r := range ratings {
			all[game][id] = strengthOf(standing(game, r, now))
		}
	}
	return all
}
