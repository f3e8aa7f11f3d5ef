package analyses

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/storage"
)

// TestPaused: the unfinished work of an analysis that nobody reads any more is kept, as far as there is room.
func TestPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 100, Linger: time.Minute})
		id := func(i int) storage.MatchID { return storage.MatchID(fmt.Sprint("m", i)) }
		const each = maxPaused / 4
		for i := range 10 {
			it, leave, err := q.enter(id(i), each)
			if err != nil {
				t.Fatal(err)
			}
			q.report(it, each/2+i)
			leave()
		}
		if it := q.first(); it == nil || it.id != id(0) {
			t.Errorf("while it lingers, %v is worked on", it)
		}
		time.Sleep(time.Minute)
		if it := q.first(); it != nil {
			t.Errorf("%s is worked on", it.id)
		}
		if len(q.paused) != 4 || len(q.byID) != 4 || q.Len() != 0 {
			t.Errorf("%d paused, %d known, %d in the queue", len(q.paused), len(q.byID), q.Len())
		}
		for i := range 10 {
			if it, _ := q.join(id(i)); it != nil {
				t.Errorf("%s is in the queue", it.id)
			}
			it, leave, err := q.enter(id(i), each)
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			if p, _ := it.progress.Latest(); i >= 6 && p.Done != each/2+i || i < 6 && p.Done != 0 {
				t.Errorf("%s has %d done", it.id, p.Done)
			}
		}
		time.Sleep(time.Hour)
		if it := q.first(); it == nil || it.id != id(0) || q.Len() != 10 {
			t.Errorf("with readers, %v is worked on, %d are in the queue", it, q.Len())
		}
	})
}

// TestJoin: a reader who joins an analysis that nobody has read for long keeps it in the queue, before waiting for its progress.
func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Max: 100, Linger: time.Minute})
		if it, _ := q.join("m1"); it != nil {
			t.Errorf("an analysis that nobody asked for: %v", it)
		}
		entered, leave, err := q.enter("m1", 10)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		time.Sleep(time.Hour)
		joined, leave := q.join("m1")
		if joined != entered || q.first() != entered {
			t.Errorf("joined %v, worked on %v, want %v", joined, q.first(), entered)
		}
		leave()
		time.Sleep(time.Hour)
		if it := q.first(); it != nil {
			t.Errorf("%v is worked on for nobody", it)
		}
	})
}
