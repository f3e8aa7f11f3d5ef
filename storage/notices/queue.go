package notices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// MaxFailing is how many notices to one player wait at a time after tries that failed: with more, those with the most tries are given up.
const MaxFailing = 3

// GiveUp is how old a notice gets that can't be sent.
const GiveUp = 24 * time.Hour

// A NoticeKind says what a notice is about. Kinds are stored; never change them.
type NoticeKind string

// The kinds of notices.
const (
	YourMove    NoticeKind = "move" // matches wait for the player's move, of the moment at which it is sent
	Challenged  NoticeKind = "challenge"
	EventBegins NoticeKind = "event"
)

// An Event is one that begins.
type Event struct {
	ID     string    `json:"id"`
	Code   string    `json:"code"`
	Name   string    `json:"name"` // by the rules of names
	Begins time.Time `json:"begins"`
}

// A Notice is something of which a player is told.
type Notice struct {
	Kind  NoticeKind      `json:"kind"`
	Match storage.MatchID `json:"match,omitempty"` // of Challenged
	Event Event           `json:"event,omitzero"`  // of EventBegins
}

// name tells the notices to one player apart.
func (n Notice) name() string {
	switch n.Kind {
	case Challenged:
		return string(n.Kind) + " " + string(n.Match)
	case EventBegins:
		return string(n.Kind) + " " + n.Event.ID
	}
	return string(n.Kind)
}

// A NoticeKey names a notice: one that it is the player's move, and one for each challenge and event.
type NoticeKey struct {
	Player storage.PlayerID
	Name   string
}

// A Queued notice waits to be sent.
type Queued struct {
	Key NoticeKey `json:"-"`
	Notice
	Made  time.Time `json:"made"`
	Next  time.Time `json:"next"`  // when it is tried next
	Tries int       `json:"tries"` // that have begun
}

// Queue holds the notices that wait to be sent.
var Queue = storage.Table[NoticeKey, Queued]{
	Name: "notice_queue",
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text[string](nil),
		func(k NoticeKey) (storage.PlayerID, string) { return k.Player, k.Name },
		func(id storage.PlayerID, name string) NoticeKey { return NoticeKey{id, name} }),
	Values: storage.JSONAs(1, func(q Queued) Queued { return q }, func(k NoticeKey, q Queued) (Queued, error) {
		q.Key = k
		return q, nil
	}),
	Check: func(k NoticeKey, q Queued) error {
		if q.name() != k.Name || q.Made.IsZero() {
			return storage.Damaged("a notice under the name of another")
		}
		return nil
	},
}

// QueuedNotices returns the notices that wait, at most limit.
func (s *Store) QueuedNotices(ctx context.Context, limit int) ([]Queued, error) {
	return storage.View(ctx, s.engine, "notices that wait", func(r kv.Reader) (all []Queued, err error) {
		for e, err := range Queue.All().Expecting(limit).Scan(r) {
			if err != nil {
				return nil, err
			}
			if all = append(all, e.Value); len(all) == limit {
				break
			}
		}
		return all, nil
	})
}

// BeginNotice begins a try to send a notice: no node begins another one before next. It returns the address to which it goes. The error is
// storage.ErrNotFound if the notice is not to be sent or was given up, and storage.ErrStale if it is not due.
func (s *Store) BeginNotice(ctx context.Context, k NoticeKey, now, next time.Time) (Address, error) {
	now, next = storage.Stored(now), storage.Stored(next)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("notice to player %s", k.Player), func(tx kv.Tx) (a Address, err error) {
		q, err := Queue.Get(tx, k)
		if err != nil {
			return a, err
		}
		if q.Next.After(now) {
			return a, storage.ErrStale
		}
		c, _, err := Contacts.Find(tx, k.Player)
		if err != nil {
			return a, err
		}
		if c.Confirmed == nil {
			return a, storage.ErrNotFound
		}
		r, known, err := Recipients.Find(tx, recipientOf(c.Confirmed.Stop))
		if err != nil {
			return a, err
		}
		if !known || !r.Stopped.IsZero() {
			return a, storage.ErrNotFound
		}
		q.Tries++
		q.Next = next
		if err := Queue.Put(tx, k, q); err != nil {
			return a, err
		}
		left, err := giveUp(tx, k.Player)
		if err == nil && !slices.Contains(left, k) {
			err = storage.ErrNotFound
		}
		return *c.Confirmed, err
	})
}

// giveUp removes notices to a player that have failed before, those with the most tries first, so that MaxFailing stay. It returns those that stay. A
// notice in its first try has not failed.
func giveUp(tx kv.Tx, id storage.PlayerID) (left []NoticeKey, err error) {
	all, err := Queue.Under(string(id)).Values(tx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Queued) int { return cmp.Compare(a.Tries, b.Tries) })
	failing := 0
	for _, q := range all {
		if q.Tries > 1 {
			failing++
		}
		if failing > MaxFailing {
			Queue.Delete(tx, q.Key)
			continue
		}
		left = append(left, q.Key)
	}
	return left, nil
}

// RemoveNotice removes a notice that was sent, or is not to be sent any more.
func (s *Store) RemoveNotice(ctx context.Context, k NoticeKey) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("notice to player %s", k.Player), func(tx kv.Tx) error {
		Queue.Delete(tx, k)
		return nil
	})
}

// sweepQueue removes notices that are too old.
func (s *Store) sweepQueue(ctx context.Context, now time.Time) error {
	return Queue.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[NoticeKey, Queued]) (bool, error) {
		return now.Sub(e.Value.Made) >= 2*GiveUp, nil // the node that sends it has removed it
	})
}
