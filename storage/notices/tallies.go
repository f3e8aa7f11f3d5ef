package notices

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// How often a player is told.
const (
	TurnsEvery    = 6 * time.Hour // between two notices that it is the player's move
	MaxChallenges = 3             // notices of challenges in a day, and one of each challenger
	MaxEvents     = 5             // notices of events in a day
	maxTurns      = 500           // matches that are remembered: more than a player may have
)

// A Turn is a match that waits for a move of the player, after a number of moves.
type Turn struct {
	Match storage.MatchID `json:"match"`
	Ply   int             `json:"ply"`
}

// A Challenge is an open challenge to a player.
type Challenge struct {
	Match storage.MatchID `json:"match"`
	By    string          `json:"by"` // the challenger, in any form that is the same each time
}

// A ToldChallenge is a challenge of which a player was told.
type ToldChallenge struct {
	Challenge
	At time.Time `json:"at"`
}

// A ToldEvent is an event of whose beginning a player was told.
type ToldEvent struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

// A Tally is what a player was told.
type Tally struct {
	Moved      time.Time       `json:"moved,omitzero"`  // when they were told last that it was their move
	Turns      []Turn          `json:"turns,omitempty"` // the matches that waited then
	Challenges []ToldChallenge `json:"challenges,omitempty"`
	Events     []ToldEvent     `json:"events,omitempty"`
}

// Tallies are what each player with notices was told.
var Tallies = storage.Table[storage.PlayerID, Tally]{
	Name: "notice_tallies", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, Tally](1),
}

// NewTurn reports whether a match waits of which the player was not told after as many moves.
func (t Tally) NewTurn(waiting []Turn) bool {
	return slices.ContainsFunc(waiting, func(w Turn) bool { return !slices.Contains(t.Turns, w) })
}

// NewChallenges returns the open challenges of which a player is to be told now.
func (t Tally) NewChallenges(open []Challenge, now time.Time) (fresh []Challenge) {
	lately, told := 0, map[Challenge]bool{}
	challengers := map[string]bool{}
	for _, c := range t.Challenges {
		told[c.Challenge] = true
		if now.Sub(c.At) < Day {
			lately++
			challengers[c.By] = true
		}
	}
	for _, c := range open {
		if !told[c] && !challengers[c.By] && lately < MaxChallenges {
			lately++
			challengers[c.By] = true
			fresh = append(fresh, c)
		}
	}
	return fresh
}

// tell changes the tally of a player with a confirmed address, and queues notices. say returns what is to be queued: nothing changes if that is
// nothing. The tally is returned as it is then.
func (s *Store) tell(ctx context.Context, id storage.PlayerID, now time.Time, say func(t *Tally) []Notice) (t Tally, err error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("notice to player %s", id), func(tx kv.Tx) (Tally, error) {
		t, _, err := Tallies.Find(tx, id)
		if err != nil {
			return t, err
		}
		c, _, err := Contacts.Find(tx, id)
		if err != nil || c.Confirmed == nil {
			return t, err
		}
		queued := say(&t)
		if len(queued) == 0 {
			return t, nil
		}
		for _, n := range queued {
			if err := Queue.Put(tx, NoticeKey{id, n.name()}, Queued{Notice: n, Made: now, Next: now}); err != nil {
				return t, err
			}
		}
		return t, Tallies.Put(tx, id, t)
	})
}

// TellTurns queues the notice that matches wait for a player's move, unless they were told within TurnsEvery, or of all of them. It returns what
// the player was told.
func (s *Store) TellTurns(ctx context.Context, id storage.PlayerID, waiting []Turn, now time.Time) (Tally, error) {
	now = storage.Stored(now)
	return s.tell(ctx, id, now, func(t *Tally) []Notice {
		if !t.Moved.IsZero() && now.Sub(t.Moved) < TurnsEvery || !t.NewTurn(waiting) {
			return nil
		}
		t.Moved, t.Turns = now, slices.Clone(waiting[:min(len(waiting), maxTurns)])
		return []Notice{{Kind: YourMove}}
	})
}

// TellChallenges queues a notice of each challenge of which a player is to be told; open are all that are open. It returns what the player was told.
func (s *Store) TellChallenges(ctx context.Context, id storage.PlayerID, open []Challenge, now time.Time) (Tally, error) {
	now = storage.Stored(now)
	return s.tell(ctx, id, now, func(t *Tally) (queued []Notice) {
		fresh := t.NewChallenges(open, now)
		if len(fresh) == 0 {
			return nil
		}
		t.Challenges = slices.DeleteFunc(slices.Clone(t.Challenges), func(c ToldChallenge) bool {
			return now.Sub(c.At) >= Day && !slices.Contains(open, c.Challenge)
		})
		for _, c := range fresh {
			t.Challenges = append(t.Challenges, ToldChallenge{c, now})
			queued = append(queued, Notice{Kind: Challenged, Match: c.Match})
		}
		return queued
	})
}

// TellEvent queues the notice that an event begins, unless the player was told of it, or of MaxEvents events in a day.
func (s *Store) TellEvent(ctx context.Context, id storage.PlayerID, e Event, now time.Time) error {
	now = storage.Stored(now)
	e.Begins = storage.Stored(e.Begins)
	if err := storage.CheckKeys(e.ID, e.Code, e.Name); err != nil {
		return err
	}
	_, err := s.tell(ctx, id, now, func(t *Tally) []Notice {
		if slices.ContainsFunc(t.Events, func(old ToldEvent) bool { return old.ID == e.ID }) {
			return nil
		}
		t.Events = slices.DeleteFunc(slices.Clone(t.Events), func(old ToldEvent) bool { return now.Sub(old.At) >= Day })
		if len(t.Events) >= MaxEvents {
			return nil
		}
		t.Events = append(t.Events, ToldEvent{e.ID, now})
		return []Notice{{Kind: EventBegins, Event: e}}
	})
	return err
}

// tallyLife is how long the tally of a player is kept who is told nothing any more.
const tallyLife = 90 * 24 * time.Hour

// sweepTallies removes old tallies.
func (s *Store) sweepTallies(ctx context.Context, now time.Time) error {
	return Tallies.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[storage.PlayerID, Tally]) (bool, error) {
		last := e.Value.Moved
		for _, c := range e.Value.Challenges {
			last = later(last, c.At)
		}
		for _, v := range e.Value.Events {
			last = later(last, v.At)
		}
		return now.Sub(last) >= tallyLife, nil
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
