package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// # Pairing over several nodes
//
// Everybody who looks for a quick match, on any node, has a row that all nodes follow. The node that finds a pair opens the match with
// OpenMatch, which enters it in both rows in the same transaction. So each person gets one match, however many nodes pair them.

// ErrTaken means that the terms of a match don't hold: one of its seekers is in another match, or its place is taken.
var ErrTaken = errors.New("another node was faster")

// A SeekerID identifies a search on a node.
type SeekerID struct {
	Node   NodeID
	Ticket string
}

func (id SeekerID) key() []byte { return seekers.key(string(id.Node), id.Ticket) }

// A Seeker is the search of a person who looks for a quick match.
type Seeker struct {
	ID        SeekerID  `json:"-"`
	Who       Occupant  `json:"who"`
	Game      string    `json:"game"`
	Options   string    `json:"options"` // in one text
	Clock     string    `json:"clock,omitempty"`
	Rated     bool      `json:"rated,omitempty"`
	Rating    float64   `json:"rating"`
	Deviation float64   `json:"deviation"`
	Since     time.Time `json:"since"` // by the clock of events

	Match MatchID `json:"match,omitempty"` // the match that was opened for them, which ends the search
	Code  string  `json:"code,omitempty"`  // of Match
	Over  bool    `json:"over,omitempty"`  // they have begun another search, which ends this one
}

const seekerVersion = 1

// AddSeeker writes a search. The error wraps ErrNotFound if its node was declared gone.
func (s *Store) AddSeeker(ctx context.Context, who Seeker) error {
	err := checkKeys(string(who.ID.Node), who.ID.Ticket)
	var value []byte
	if err == nil {
		value, err = sealJSON(seekerVersion, who)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if err := mustBeUp(tx, who.ID.Node); err != nil {
				return err
			}
			tx.Put(who.ID.key(), value)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("storage: somebody who looks for a match: %w", err)
	}
	return nil
}

// RemoveSeeker removes a search and returns its last state, which may have a match. The error wraps ErrNotFound if there is none, as
// after its node was declared gone.
func (s *Store) RemoveSeeker(ctx context.Context, id SeekerID) (was Seeker, err error) {
	err = s.engine.Update(ctx, func(tx kv.Tx) error {
		if was, err = readSeeker(tx, id); err != nil {
			return err
		}
		tx.Delete(id.key())
		return nil
	})
	if err != nil {
		return Seeker{}, fmt.Errorf("storage: somebody who looks for a match: %w", err)
	}
	return was, nil
}

// EndSeeker marks a search as over because the same person has begun another one. It does nothing if the search is gone or has a match.
func (s *Store) EndSeeker(ctx context.Context, id SeekerID) error {
	err := s.engine.Update(ctx, func(tx kv.Tx) error {
		who, err := readSeeker(tx, id)
		if errors.Is(err, ErrNotFound) || err == nil && who.Match != "" {
			return nil
		}
		who.Over = true
		var value []byte
		if err == nil {
			value, err = sealJSON(seekerVersion, who)
		}
		if err == nil {
			tx.Put(id.key(), value)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("storage: somebody who looks for a match: %w", err)
	}
	return nil
}

// readSeeker returns a search. The error wraps ErrNotFound if there is none.
func readSeeker(r kv.Reader, id SeekerID) (Seeker, error) {
	value, err := lookUp(r, id.key())
	if err != nil {
		return Seeker{}, err
	}
	return decodeSeeker(seekers.rest(id.key()), value)
}

// FollowSeekers follows the searches of all nodes until ctx ends; see Follower. ReadSeekerID reads its keys.
func (s *Store) FollowSeekers(ctx context.Context, f Follower[Seeker]) error {
	return follow(ctx, s, seekers.key(""), decodeSeeker, f)
}

// ReadSeekerID parses a key of FollowSeekers.
func ReadSeekerID(key string) (id SeekerID, ok bool) {
	node, ticket, ok := bytes.Cut([]byte(key), []byte{0})
	return SeekerID{NodeID(node), string(ticket)}, ok
}

func decodeSeeker(key, value []byte) (who Seeker, err error) {
	_, content, err := unseal(value, seekerVersion)
	if err == nil {
		err = parseJSON(content, &who)
	}
	var ok bool
	if who.ID, ok = ReadSeekerID(string(key)); err == nil && !ok {
		err = fmt.Errorf("%w: somebody looks for a match at no node", ErrDamaged)
	}
	return who, err
}

// Terms are conditions on opening a match.
type Terms struct {
	// Seekers must still be looking for a match. The new one is entered in their rows.
	Seekers []SeekerID

	// Place is a name that at most one unfinished match may hold; "" for none. The new match takes it, provided that its holder is Last
	// ("" for nobody) or is over.
	Place string
	Last  MatchID
}

// OpenMatch is Append for the first events of a match, on terms. The error wraps ErrTaken if these don't hold.
func (s *Store) OpenMatch(ctx context.Context, id MatchID, events []Event, m Summary, t Terms) error {
	return s.append(ctx, id, events, m, func(tx kv.Tx) error {
		for _, seeker := range t.Seekers {
			who, err := readSeeker(tx, seeker)
			if errors.Is(err, ErrNotFound) || err == nil && (who.Match != "" || who.Over) {
				return ErrTaken
			}
			who.Match, who.Code = id, events[0].Opening.Code
			var value []byte
			if err == nil {
				value, err = sealJSON(seekerVersion, who)
			}
			if err != nil {
				return err
			}
			tx.Put(seeker.key(), value)
		}
		if t.Place == "" {
			return nil
		}
		last, err := readPlace(tx, t.Place)
		if err != nil {
			return err
		}
		if last != t.Last && last != "" {
			if goesOn, err := has(tx, summaries.key(string(last))); err != nil {
				return err
			} else if goesOn {
				return ErrTaken
			}
		}
		tx.Put(places.key(t.Place), []byte(id))
		return nil
	})
}

// Place returns the match that last took a place, or "".
func (s *Store) Place(ctx context.Context, place string) (last MatchID, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		last, err = readPlace(r, place)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("storage: place of a match: %w", err)
	}
	return last, nil
}

func readPlace(r kv.Reader, place string) (MatchID, error) {
	value, err := r.Get(places.key(place))
	return MatchID(value), err
}

// sweepPlaces removes the places of matches that are over.
func (s *Store) sweepPlaces(ctx context.Context) error {
	return s.sweepOver(ctx, places.all(), func(r kv.Reader, _, value []byte) (bool, error) {
		goesOn, err := has(r, summaries.key(string(value)))
		return !goesOn, err
	})
}
