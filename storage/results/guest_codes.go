package results

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// Guests are connections, and have no account in which their matches could be found. A guest's code gives the finished ones to the
// player who claims them with it.

// The bounds of a claim: a guest's matches are looked for among the last ones of all players, back to GuestMatchesLife ago.
const (
	GuestMatchesLife = 7 * 24 * time.Hour
	maxGuestMatches  = 200
	guestScan        = 20_000 // matches that are looked at
)

// A GuestStore keeps the codes of guests, and gives their matches to players.
type GuestStore struct {
	engine  kv.Store
	results *Store
}

// NewGuestStore returns the codes of guests that an engine keeps.
func NewGuestStore(engine kv.Store, results *Store) *GuestStore {
	return &GuestStore{engine, results}
}

// GuestCode is version 1 of a code for the matches of a guest. Its hash is the key.
type GuestCode struct {
	Guest string `json:"guest"` // the id of the occupant
	Until int64  `json:"until"` // milliseconds
}

// GuestCodes are the codes for the matches of guests, by hash.
var GuestCodes = storage.Table[string, GuestCode]{
	Name: "guest_codes", Keys: storage.Text[string](nil), Values: storage.JSON[string, GuestCode](1),
	Check: func(_ string, c GuestCode) error {
		if c.Guest == "" || c.Until == 0 {
			return storage.Damaged("a code of no guest")
		}
		return nil
	},
}

// OfferMatches keeps the hash of a code by which the finished matches of a guest can become a player's, for KeyCodeLife.
func (s *GuestStore) OfferMatches(ctx context.Context, guest, hash string, now time.Time) error {
	return storage.Update(ctx, s.engine, "code of a guest", func(tx kv.Tx) error { // without the hash: it stands for a secret
		if err := storage.CheckKeys(guest, hash); err != nil {
			return err
		}
		return GuestCodes.Put(tx, hash, GuestCode{guest, now.Add(accounts.KeyCodeLife).UnixMilli()})
	})
}

// HasGuestCode reports whether there is a code with this hash that has not expired.
func (s *GuestStore) HasGuestCode(ctx context.Context, hash string, now time.Time) (bool, error) {
	_, err := s.guestOf(ctx, hash, now)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// guestOf returns the guest of a code that has not ended; ErrNotFound.
func (s *GuestStore) guestOf(ctx context.Context, hash string, now time.Time) (string, error) {
	return storage.View(ctx, s.engine, "code of a guest", func(r kv.Reader) (string, error) {
		if err := storage.CheckKeys(hash); err != nil {
			return "", err
		}
		return readGuestCode(r, hash, now)
	})
}

func readGuestCode(r kv.Reader, hash string, now time.Time) (guest string, err error) {
	c, err := GuestCodes.Get(r, hash)
	if err == nil && now.UnixMilli() >= c.Until {
		err = storage.ErrNotFound
	}
	return c.Guest, err
}

// ClaimMatches makes the finished matches of the guest whose code has this hash a player's, all of them or none, and returns how many.
// It ends the code unless there are none. Matches between the guest and the player stay as they are. The error is ErrNotFound for an
// unknown or expired code, and for an unknown player.
func (s *GuestStore) ClaimMatches(ctx context.Context, hash string, id storage.PlayerID, now time.Time) (claimed int, err error) {
	guest, err := s.guestOf(ctx, hash, now)
	if err != nil {
		return 0, err
	}
	all, err := s.matchesOfGuest(ctx, guest, now.Add(-GuestMatchesLife))
	if err == nil {
		err = storage.CheckKeys(string(id))
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			claimed = 0
			if _, err := readGuestCode(tx, hash, now); err != nil {
				return err
			}
			p, err := accounts.ReadKnown(tx, id)
			if err != nil {
				return err
			}
			for _, m := range all {
				ok, err := claimMatch(tx, m, guest, p)
				if err != nil {
					return err
				}
				if ok {
					claimed++
				}
			}
			if claimed > 0 { // else it is there for matches that end yet
				GuestCodes.Delete(tx, hash)
			}
			return nil
		})
	}
	if err != nil {
		return 0, fmt.Errorf("storage: claim of a guest's matches by player %s: %w", id, err)
	}
	return claimed, nil
}

// matchesOfGuest looks for the finished matches of a guest that ended since a time.
func (s *GuestStore) matchesOfGuest(ctx context.Context, guest string, since time.Time) (all []storage.MatchID, err error) {
	q := HistoryQuery{Limit: 1000}
	for looked := 0; looked < guestScan; looked += q.Limit {
		rows, err := s.results.History(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, f := range rows {
			if f.Ended.Before(since) || len(all) == maxGuestMatches {
				return all, nil
			}
			if sits(f, guest) {
				all = append(all, f.ID)
			}
		}
		if len(rows) < q.Limit {
			break
		}
		last := rows[len(rows)-1]
		q.Before = Cursor{Ended: last.Ended, ID: last.ID}
	}
	return all, nil
}

// sits reports whether a guest has a seat of a match.
func sits(f Finished, guest string) bool {
	return slices.ContainsFunc([]storage.Occupant{f.First, f.Second}, func(o storage.Occupant) bool { return o.Kind == storage.Guest && o.ID == guest })
}

// claimMatch gives the seats of a guest in a finished match to a player: in the record, in the history and in the tallies. It leaves a
// rated match, and one that the player sat at already.
func claimMatch(tx kv.Tx, id storage.MatchID, guest string, p accounts.Player) (claimed bool, err error) {
	r, there, err := Records.Find(tx, id)
	if err != nil || !there {
		return false, err
	}
	f := r.Finished
	isPlayer := func(o storage.Occupant) bool { return o.Kind.HasAccount() && o.ID == string(p.ID) }
	if r.Number != 0 || !sits(f, guest) || isPlayer(f.First) || isPlayer(f.Second) {
		return false, nil
	}
	for _, o := range []*storage.Occupant{&f.First, &f.Second} {
		if o.Kind == storage.Guest && o.ID == guest {
			*o = storage.Occupant{Kind: p.Kind(), ID: string(p.ID), Name: p.Name}
		}
	}
	if err := Records.Put(tx, id, Record{Finished: f}); err != nil {
		return false, err
	}
	AddHistory(tx, f)
	return true, AddTallies(tx, f)
}

// Sweep removes expired codes.
func (s *GuestStore) Sweep(ctx context.Context, now time.Time) error {
	return GuestCodes.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[string, GuestCode]) (bool, error) {
		return now.UnixMilli() >= e.Value.Until, nil
	})
}
