package live

import (
	"context"
	"errors"
	"sync/atomic"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// # Several nodes
//
// Another node may write to the log of the match at any time. Match.Follow announces it, and the match reads the new events. Timers and computer
// players run only on the node that owns the match.

// othersEvents tracks events of other nodes in the log of a match that may not be applied yet, and reads them. Any goroutine may call announce
// and doubt.
type othersEvents struct {
	journal   *journal
	announced atomic.Uint64 // number of the newest event known to be in the log
	doubted   atomic.Bool   // the log may have more events
}

// announce records that the log has the event with a number, and reports whether that is new.
func (o *othersEvents) announce(seq uint64) (isNew bool) {
	for {
		known := o.announced.Load()
		if seq <= known {
			return false
		}
		if o.announced.CompareAndSwap(known, seq) {
			return true
		}
	}
}

// doubt records that the log may have more events than were announced.
func (o *othersEvents) doubt() { o.doubted.Store(true) }

// unread reports whether the log has, or may have, events after the one with this number.
func (o *othersEvents) unread(seq uint64) bool { return o.announced.Load() > seq || o.doubted.Load() }

// errNothingNew means that the log has no events that the match has not applied.
var errNothingNew = errors.New("there are no new events")

// read returns the state after the events that other nodes have written since s. It returns errNothingNew if there are none, the errors of Store, and
// match.ErrLog.
func (o *othersEvents) read(ctx context.Context, s *match.State) (next match.State, ratings *[2]results.RatingChange, err error) {
	o.doubted.Store(false)
	announced := o.announced.Load() // before the log is read, so that an announcement meanwhile is not lost
	events, err := o.journal.config.Store.Log(ctx, o.journal.id, s.Seq+1, 0)
	switch {
	case err == nil && len(events) == 0:
		o.announced.CompareAndSwap(announced, s.Seq) // there was no such event
		return match.State{}, nil, errNothingNew
	case err == nil:
		next, err = s.Follow(events, o.journal.config.Catalogue.Game)
	case errors.Is(err, storage.ErrNotFound):
		next, ratings, err = o.journal.readEnd(ctx)
	}
	return next, ratings, err
}
