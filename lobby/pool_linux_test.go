package lobby

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Where they leave no core to people, computer players think at a lower priority, and it is theirs alone: when the club is
// closed no thread is left that has it.
func TestThinkersStepBack(t *testing.T) {
	usual := allowed(t)
	for _, tt := range []struct {
		name    string
		workers int
		want    int
	}{
		{"a core is left", runtime.NumCPU() - 1, usual},
		{"no core is left", runtime.NumCPU(), min(usual+stepsBack, lowest)},
	} {
		for _, nice := range thinkersNiceness(t, tt.workers) {
			if nice != tt.want {
				t.Errorf("%s: a computer player thinks with niceness %d, want %d", tt.name, nice, tt.want)
			}
		}
	}
	const more = 50 // than the threads that the workers might have left behind
	for _, nice := range threadsNiceness(more) {
		if nice != usual {
			t.Fatalf("a thread has niceness %d after the last computer player, want %d", nice, usual)
		}
	}
}

// allowed returns the usual niceness, if threads may step back from it here.
func allowed(t *testing.T) (usual int) {
	usual, err := niceness()
	if err != nil {
		t.Skip(err)
	}
	stepped := make(chan int)
	go func() {
		runtime.LockOSThread() // and the thread ends with the goroutine
		stepBack()
		nice, _ := niceness()
		stepped <- nice
	}()
	if <-stepped == usual {
		t.Skip("no thread may step back here")
	}
	return usual
}

// thinkersNiceness returns that of each worker of a pool, while all of them think.
func thinkersNiceness(t *testing.T, workers int) (all []int) {
	p := newPool(workers)
	ctx, stop := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	seen, on := make(chan int), make(chan struct{})
	for range workers {
		ended.Go(func() { p.work(ctx) })
		p.submit(&job{
			wanted: func() bool { return true },
			think: func(time.Duration) news {
				nice, _ := niceness()
				seen <- nice
				<-on
				return news{done: true}
			},
			news: make(chan news, 2), ahead: make(chan int, 1),
		}, forPeople)
	}
	for range workers {
		all = append(all, <-seen)
	}
	close(on)
	stop()
	ended.Wait()
	return all
}

// threadsNiceness returns that of so many threads.
func threadsNiceness(threads int) (all []int) {
	var ended sync.WaitGroup
	seen, on := make(chan int), make(chan struct{})
	for range threads {
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			nice, _ := niceness()
			seen <- nice
			<-on // each keeps its thread until all have one
		})
	}
	for range threads {
		all = append(all, <-seen)
	}
	close(on)
	ended.Wait()
	return all
}
