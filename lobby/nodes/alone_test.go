package nodes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// A times is a TimeStore that keeps all times.
type times struct {
	last time.Time
	kept []time.Time
	fail error
}

func (s *times) Beat(_ context.Context, at time.Time) error {
	if s.fail == nil {
		s.kept = append(s.kept, at)
	}
	return s.fail
}

func (s *times) LastBeat(context.Context) (time.Time, error) { return s.last, s.fail }

// TestAlone: the only node of a club owns everything, is never cut off, and says since when the club was closed.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := time.Now().Add(-time.Hour)
		a, last, err := OpenAlone(t.Context(), AloneConfig{Store: &times{last: down}, Now: time.Now})
		if err != nil || last.Down != down || !last.Up.Equal(time.Now()) {
			t.Fatalf("the club was closed for %v, %v", last, err)
		}
		time.Sleep(24 * time.Hour) // without a heartbeat
		if !a.Owns("m") || a.CutOff() || !a.Ready() || !a.Settled() || !a.Alone() || a.Len() != 1 || a.RemovedElsewhere(storage.ErrNotFound) {
			t.Errorf("it owns %v, is cut off %v, ready %v, settled %v, alone %v of %d nodes; others remove %v",
				a.Owns("m"), a.CutOff(), a.Ready(), a.Settled(), a.Alone(), a.Len(), a.RemovedElsewhere(storage.ErrNotFound))
		}
		a.Follow(t.Context(), func(context.Context) error { t.Error("it follows itself"); return nil })
		a.Await(t.Context(), func(context.Context) bool { t.Error("it waits for itself"); return false }, nil)
		event := time.Now().Add(-time.Minute)
		if at := a.TimeOf(a.Now(), event); !at.Equal(event) {
			t.Errorf("what was at %v was at %v", event, at)
		}
		no := errors.New("no disk")
		if _, _, err := OpenAlone(t.Context(), AloneConfig{Store: &times{fail: no}, Now: time.Now}); !errors.Is(err, no) {
			t.Errorf("without a store: %v", err)
		}
	})
}

// TestKeepTime: the time that is kept is the one of the clock of events.
func TestKeepTime(t *testing.T) {
	store, now := new(times), time.Unix(1000, 0)
	a, _, err := OpenAlone(t.Context(), AloneConfig{Store: store, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.KeepTime(t.Context()); err != nil || len(store.kept) != 1 || !store.kept[0].Equal(now) {
		t.Errorf("kept %v, %v, want %v", store.kept, err, now)
	}
	store.fail = errors.New("no disk")
	if err := a.KeepTime(t.Context()); !errors.Is(err, store.fail) {
		t.Errorf("without a disk: %v", err)
	}
}
