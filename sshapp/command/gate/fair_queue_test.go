package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage/kv"
)

// TestPeopleTakeTurns has several people wait for one place: they take turns, each in the order in which they asked.
func TestPeopleTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := newFairQueue(1, 1)
		hold, err := queue.wait(t.Context(), "holder")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var all sync.WaitGroup
		for _, who := range []string{"a1", "a2", "a3", "b1", "c1", "c2"} {
			all.Go(func() {
				leave, err := queue.wait(t.Context(), who[:1])
				if err != nil {
					t.Error(err)
					return
				}
				got = append(got, who)
				leave()
			})
			synctest.Wait() // they wait in this order
		}
		hold()
		all.Wait()
		if want := []string{"a1", "b1", "c1", "a2", "c2", "a3"}; !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

// TestPlaces counts the people at work: as many as there are places, each in one of them, and each place has its rest.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places, people, each, rest = 4, 10, 5, 3
		queue := newFairQueue(places, rest)
		var mu sync.Mutex
		working, most := 0, 0
		of := make(map[string]int)
		var all sync.WaitGroup
		for i := range people * each {
			who := fmt.Sprint("p", i%people)
			all.Go(func() {
				leave, err := queue.wait(t.Context(), who)
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				mu.Lock()
				working++
				of[who]++
				most = max(most, working)
				if of[who] > 1 {
					t.Errorf("%s has %d places", who, of[who])
				}
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				working--
				of[who]--
			})
		}
		began := time.Now()
		all.Wait()
		if most != places {
			t.Errorf("%d at work at once, want %d", most, places)
		}
		const one = (1 + rest) * time.Millisecond // a turn, and the rest of its place
		if took := time.Since(began); took > (people*each/places+1)*one || took < (people*each/places-1)*one {
			t.Errorf("%d turns in %d places took %v, want %v a turn", people*each, places, took, one)
		}
	})
}

// TestWaitingIsNoWork: a place rests for the work that was done in it, not for the time in which the work waited for another machine.
func TestWaitingIsNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const work, waiting, rest = time.Millisecond, 20 * time.Millisecond, 3
		queue := newFairQueue(1, rest)
		ctx := kv.WithWaits(t.Context())
		began := time.Now()
		for n := range 3 {
			leave, err := queue.wait(ctx, "ana")
			if err != nil {
				t.Fatal(err)
			}
			if took, want := time.Since(began), time.Duration(n)*(waiting+work+rest*work); took != want {
				t.Errorf("turn %d comes after %v, want %v", n, took, want)
			}
			answered := kv.Wait(ctx)
			time.Sleep(waiting)
			answered()
			time.Sleep(work)
			leave()
		}
	})
}

// TestGivingUp has people end with their contexts, at every place in the queue, and the others go on.
func TestGivingUp(t *testing.T) {
	for gone := range 4 {
		t.Run(fmt.Sprint(gone), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				queue := newFairQueue(1, 1)
				hold, err := queue.wait(t.Context(), "holder")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var got []int
				var all sync.WaitGroup
				for i, who := range []string{"a", "a", "b", "c"} {
					ctx := ctx
					if i != gone {
						ctx = t.Context()
					}
					all.Go(func() {
						leave, err := queue.wait(ctx, who)
						if wanted := i == gone; wanted != errors.Is(err, context.Canceled) {
							t.Errorf("number %d: %v", i, err)
						}
						if err == nil {
							got = append(got, i)
							leave()
						}
					})
					synctest.Wait()
				}
				cancel()
				synctest.Wait()
				hold()
				all.Wait()
				if len(got) != 3 || slices.Contains(got, gone) {
					t.Errorf("done were %v without %d", got, gone)
				}
			})
		})
	}
}
