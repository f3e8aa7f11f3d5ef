package live

import (
	"context"
	"errors"
	"testing"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A logStore returns the same result for every read of a log.
type logStore struct {
	Store
	events []matches.Event
	err    error
}

func (s logStore) Log(context.Context, storage.MatchID, uint64, int) ([]matches.Event, error) {
	return s.events, s.err
}

func (s logStore) Finished(context.Context, storage.MatchID) (results.Finished, error) {
	return results.Finished{}, storage.ErrNotFound
}

// TestOthersEvents: unread is true after announce of a new event and after doubt, until a read finds no events.
func TestOthersEvents(t *testing.T) {
	for _, tt := range []struct {
		name  string
		store logStore
		want  error
		left  bool // unread after that
	}{
		{"nothing new", logStore{}, errNothingNew, false},
		{"out of order", logStore{events: []matches.Event{{Seq: 9, Kind: matches.Moved}}}, match.ErrLog, true},
		{"unreadable", logStore{err: storage.ErrDamaged}, storage.ErrDamaged, true},
		{"neither log nor record", logStore{err: storage.ErrNotFound}, storage.ErrNotFound, true},
	} {
		o := &othersEvents{journal: &journal{config: config(), id: "abcdefgh"}}
		o.journal.config.Store = tt.store
		s := match.New("abcdefgh")
		if s.Seq = 3; o.unread(s.Seq) {
			t.Errorf("%s: unread at first", tt.name)
		}
		if !o.announce(5) || o.announce(5) || o.announce(4) || !o.unread(s.Seq) || o.unread(5) {
			t.Errorf("%s: events up to 5 were announced, and %d are", tt.name, o.announced.Load())
		}
		o.doubt()
		if !o.unread(5) {
			t.Errorf("%s: not unread after doubt", tt.name)
		}
		if _, _, err := o.read(t.Context(), &s); !errors.Is(err, tt.want) || o.unread(s.Seq) != tt.left {
			t.Errorf("%s: error %v, want %v; unread %v, want %v", tt.name, err, tt.want, o.unread(s.Seq), tt.left)
		}
	}
}
