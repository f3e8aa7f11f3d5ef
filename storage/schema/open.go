// Package schema opens a store: it knows all tables and the number of their schema, brings older stores up to date, makes indexes anew whose
// rules have changed, and joins the parts of the store.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/learning"
	"ludoteca/storage/matches"
	"ludoteca/storage/migrations"
	"ludoteca/storage/notices"
	"ludoteca/storage/operators"
	"ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/standingoffers"
	"ludoteca/storage/studies"
	"ludoteca/storage/tells"
	"ludoteca/storage/tournaments"
	"ludoteca/storage/vacations"
)

// A Config says how a store works. The zero value is fine for a store without rated matches.
type Config struct {
	Rate       results.Rate            // the arithmetic of ratings; nil refuses rated matches and Recompute
	Lookalikes accounts.LookalikeRules // which names look alike; the zero value lets all names be taken
	Log        *slog.Logger            // nil is silence
}

// A Store is an open store: what it keeps, by subject. Any number of goroutines may use it.
type Store struct {
	engine kv.Store

	Accounts     *accounts.Store
	Restrictions *accounts.RestrictionStore
	Visits       *accounts.VisitStore
	Attempts     *accounts.AttemptStore
	Relations    *relations.Store
	Results      *results.Store
	Analyses     *results.AnalysisStore
	Guests       *results.GuestStore
	Matches      *matches.Store
	Chat         *chat.Store
	Operators    *operators.Store
	Cluster      *cluster.Store
	Learning     *learning.Store
	Studies      *studies.Store
	Tells        *tells.Store
	Tournaments  *tournaments.Store
	Notices      *notices.Store
	Standing     *standingoffers.Store
	Vacations    *vacations.Store
}

// newStore makes the parts of a store.
func newStore(engine kv.Store, c Config) *Store {
	s := &Store{
		engine:       engine,
		Restrictions: accounts.NewRestrictionStore(engine, c.Lookalikes),
		Visits:       accounts.NewVisitStore(engine),
		Attempts:     accounts.NewAttemptStore(engine),
		Relations:    relations.New(engine),
		Results:      results.New(engine, c.Rate),
		Analyses:     results.NewAnalysisStore(engine),
		Chat:         chat.New(engine),
		Learning:     learning.New(engine),
		Studies:      studies.New(engine, results.Kept),
		Tells:        tells.New(engine),
		Tournaments:  tournaments.New(engine),
		Notices:      notices.New(engine, accounts.ReadKnown),
		Standing:     standingoffers.New(engine, accounts.ReadKnown),
		Vacations:    vacations.New(engine, accounts.ReadKnown),
	}
	s.Accounts = accounts.New(engine, c.Lookalikes, accounts.Others{Used: used, Related: hasAny, Erased: erased})
	s.Guests = results.NewGuestStore(engine, s.Results)
	s.Matches = matches.New(engine, s.Results, chat.End, tournaments.Codes.Has)
	s.Operators = operators.New(engine, c.Lookalikes, s.Results)
	s.Cluster = cluster.New(engine, s.Matches)
	return s
}

// used reports whether a match, a result, a report or a tournament names a player.
func used(r kv.Reader, id storage.PlayerID) (bool, error) {
	yes, err := results.Played(r, id)
	if err == nil && !yes {
		yes, err = operators.Reported(r, id)
	}
	if err == nil && !yes {
		yes, err = tournaments.Named(r, id)
	}
	return yes, err
}

// erased deletes what other parts of the store keep of a player for the player's own use.
func erased(tx kv.Tx, id storage.PlayerID) error {
	return errors.Join(relations.Erase(tx, id), learning.Erase(tx, id), studies.Erase(tx, id), tells.Erase(tx, id), results.ErasePractice(tx, id), notices.Erase(tx, id), standingoffers.Erase(tx, id), vacations.Erase(tx, id))
}

// hasAny reports whether a player follows or blocks other players, has notes, lines to or from others, or standing offers.
func hasAny(r kv.Reader, id storage.PlayerID) (bool, error) {
	yes, err := relations.HasAny(r, id)
	if err == nil && !yes {
		yes, err = studies.HasAny(r, id)
	}
	if err == nil && !yes {
		yes, err = tells.HasAny(r, id)
	}
	if err == nil && !yes {
		yes, err = standingoffers.HasAny(r, id)
	}
	return yes, err
}

// An Account is what the store keeps of a player, besides matches and ratings.
type Account struct {
	accounts.Account
	Reports   []operators.Report // that the player made
	Relations relations.Lists
	Vacation  vacations.Vacation `json:",omitzero"` // the present or the last one

	Tournaments []tournaments.Participation `json:",omitempty"` // that the player has announced or entered
}

// Account returns what is kept of a player. The error is ErrNotFound for an unknown player.
func (s *Store) Account(ctx context.Context, id storage.PlayerID) (Account, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("account of player %s", id), func(r kv.Reader) (a Account, err error) {
		if a.Account, err = accounts.Read(r, id); err != nil {
			return a, err
		}
		if a.Relations, _, err = relations.Relations.Find(r, id); err != nil {
			return a, err
		}
		if a.Vacation, _, err = vacations.Vacations.Find(r, id); err != nil {
			return a, err
		}
		if a.Reports, err = operators.ReportsBy(r, id); err != nil {
			return a, err
		}
		a.Tournaments, err = tournaments.Participations(r, id)
		return a, err
	})
}

// ForgetName writes FormerPlayer into the records and tournaments of a deleted player, and hides their lines at matches that go on, and to other
// players, from all but reports. It does so in short transactions. After a call that was cut off, the next one goes on.
func (s *Store) ForgetName(ctx context.Context, id storage.PlayerID) error {
	p, err := s.Accounts.Player(ctx, id)
	if err != nil {
		return err
	}
	if err := s.Chat.Forget(ctx, id, p.Deleted); err != nil {
		return err
	}
	if err := s.Tells.Forget(ctx, id, p.Deleted); err != nil {
		return err
	}
	if err := s.Tournaments.ForgetEntrant(ctx, id); err != nil {
		return err
	}
	return s.Results.Anonymize(ctx, id)
}

// Sweep removes all expired codes of matches, with the temporary records, and returns how many codes it removed. It also removes expired
// former names, bans, handled reports, codes for keys, guests and notices, blocks of addresses, lines of chat, lines to players and past tournaments.
// Results, ratings and history stay as they are.
func (s *Store) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	codesRemoved, err = s.Matches.Sweep(ctx, now)
	if err == nil {
		err = errors.Join(s.Restrictions.Sweep(ctx, now), s.Operators.Sweep(ctx, now), s.Accounts.Sweep(ctx, now), s.Guests.Sweep(ctx, now),
			s.Visits.Sweep(ctx, now), s.Cluster.Sweep(ctx), s.Attempts.Sweep(ctx, now), s.Chat.Sweep(ctx, now), s.Tells.Sweep(ctx, now), s.Tournaments.SweepTournaments(ctx, now), s.Notices.Sweep(ctx, now))
	}
	if err != nil {
		return codesRemoved, fmt.Errorf("storage: sweep: %w", err)
	}
	return codesRemoved, nil
}

// Open makes a store of an engine, and brings what an older version of the program wrote to the present schema. That may take many
// transactions (package migrations): if it is interrupted, Open goes on from there the next time. The error wraps ErrNewer, ErrDamaged or one of the
// engine, and its text is one line for a person; the engine is still open then.
func Open(ctx context.Context, engine kv.Store, c Config) (*Store, error) {
	if _, err := migrations.Run(ctx, engine, c.Log); err != nil {
		return nil, err
	}
	if err := engine.View(ctx, complete); err != nil {
		return nil, err
	}
	for _, x := range indexes(c.Lookalikes) {
		if err := x.Build(ctx, engine, c.Log); err != nil {
			return nil, err
		}
	}
	return newStore(engine, c), nil
}

// Close closes the engine.
func (s *Store) Close() error { return s.engine.Close() }
