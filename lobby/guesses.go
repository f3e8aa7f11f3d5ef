package lobby

import (
	"sync"
	"time"
)

// maxGuessers is how many people and addresses with wrong guesses are remembered.
const maxGuessers = 10_000

// guesses holds everybody who asks for codes to a bucket of wrong guesses that refills slowly. A guess is taken from
// the bucket before it is looked up and put back if it was right, so many guesses at once are no way around it. An
// empty bucket refuses right codes too: else the refusal would tell them apart.
type guesses struct {
	mu    sync.Mutex // guards what follows
	most  float64
	every time.Duration
	by    map[string]bucket
}

type bucket struct {
	left float64 // at the time at
	at   time.Time
}

func (g *guesses) init(l Limits) {
	g.most, g.every, g.by = float64(l.WrongGuesses), l.GuessEvery, make(map[string]bucket)
}

// begin takes a guess from each asker ("" is nobody), or says with a *ThrottledError how long to wait. right puts
// them back.
func (g *guesses) begin(now time.Time, askers []string) (right func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var wait time.Duration
	for _, a := range askers {
		if left := g.left(a, now); a != "" && left < 1 {
			wait = max(wait, time.Duration((1-left)*float64(g.every)), time.Millisecond)
		}
	}
	if wait > 0 {
		return nil, &ThrottledError{wait}
	}
	g.add(askers, now, -1)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.add(askers, now, 1)
	}, nil
}

func (g *guesses) left(asker string, now time.Time) float64 {
	b, ok := g.by[asker]
	if !ok {
		return g.most
	}
	return min(g.most, b.left+float64(max(now.Sub(b.at), 0))/float64(g.every))
}

func (g *guesses) add(askers []string, now time.Time, n float64) {
	for _, a := range askers {
		if a == "" {
			continue
		}
		left := g.left(a, now) + n
		if left >= g.most {
			delete(g.by, a)
			continue
		}
		if _, known := g.by[a]; !known && len(g.by) >= maxGuessers {
			g.forget(now)
		}
		g.by[a] = bucket{left, later(now, g.by[a].at)} // one that is put back is late, and must not earn again
	}
}

// forget makes room: by those whose bucket is full again, else by anybody.
func (g *guesses) forget(now time.Time) {
	for a := range g.by {
		if g.left(a, now) >= g.most {
			delete(g.by, a)
		}
	}
	for a := range g.by {
		if len(g.by) < maxGuessers {
			return
		}
		delete(g.by, a)
	}
}
