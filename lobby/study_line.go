package lobby

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/games/analysis"
	"ludoteca/storage"
)

// # The line of analyses
//
// Matches whose analysis somebody wants stand in one line, first come, first served. The first of them is worked on, a
// search at a time, on the workers of the computer players and only while none of these thinks or waits for one. A search
// that is in the way of a move is given up, and made again later: a match never waits for an analysis.
//
// An analysis lives from being read. Whoever asks for it counts as a reader while he waits for the next change, and for
// Limits.StudyLinger after that. One without a reader leaves the line when its turn comes, and its unfinished work is kept for
// a while, as far as there is room, in case somebody comes back.

// maxPaused is how many positions unfinished analyses that nobody reads may have in all: each takes less than a kilobyte.
const maxPaused = 20_000

// pinsPerStudy is about how many times the readers of an analysis are told how far it is.
const pinsPerStudy = 50

// studies is the line, and what is kept of those who have left it.
type studies struct {
	most   int
	linger time.Duration
	seq    *atomic.Uint64
	poke   chan struct{} // holds one: there may be something to do

	mu     sync.Mutex // guards what follows
	byID   map[storage.MatchID]*study
	line   []*study // the first is being worked on
	paused []*study // the oldest first
}

// study is one analysis that is not ready.
type study struct {
	id    storage.MatchID
	total int
	work  *analysis.Work // of study_work.go alone

	// Guarded by the line's mutex.
	now     *Study
	old     chan struct{} // closed when now is replaced, or err set
	err     error         // it will never be ready
	readers int
	askedAt time.Time
}

func (t *studies) init(limits Limits, seq *atomic.Uint64) {
	t.most, t.linger, t.seq = limits.Studies, limits.StudyLinger, seq
	t.poke, t.byID = make(chan struct{}, 1), make(map[storage.MatchID]*study)
}

// join adds a reader to the analysis of a match, if there is one in line; else it returns nil. The caller must leave.
func (t *studies) join(id storage.MatchID) *study {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || slices.Contains(t.paused, s) {
		return nil
	}
	s.readers++
	return s
}

// enter puts a match in line and adds a reader. The caller must leave.
func (t *studies) enter(id storage.MatchID, total int) (*study, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s != nil && !slices.Contains(t.paused, s) {
		s.readers++
		return s, nil
	}
	if len(t.line) >= t.most {
		t.thin()
	}
	if len(t.line) >= t.most {
		return nil, ErrManyStudies
	}
	if s == nil {
		s = &study{id: id, total: total, now: &Study{Total: total}, old: make(chan struct{})}
		t.byID[id] = s
	}
	t.paused = slices.DeleteFunc(t.paused, func(p *study) bool { return p == s })
	s.readers++
	t.line = append(t.line, s)
	t.announce()
	t.wake()
	return s, nil
}

// leave takes a reader away.
func (t *studies) leave(s *study) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.readers--
	s.askedAt = time.Now()
}

// next waits for a study with a number above after.
func (t *studies) next(ctx context.Context, closing <-chan struct{}, s *study, after uint64) (*Study, error) {
	for {
		t.mu.Lock()
		now, old, err := s.now, s.old, s.err
		t.mu.Unlock()
		if err != nil || now.Seq > after {
			return now, err
		}
		select {
		case <-old:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-closing:
			return nil, ErrClosed
		}
	}
}

// first returns the analysis to work on, and puts those before it aside that nobody reads; nil if there is none.
func (t *studies) first() *study {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.line)
	for len(t.line) > 0 && !t.wanted(t.line[0]) {
		t.pause(t.line[0])
	}
	if len(t.line) == 0 {
		return nil
	}
	if len(t.line) < before {
		t.announce()
	}
	return t.line[0]
}

// wanted says whether anybody reads an analysis, or did so lately.
func (t *studies) wanted(s *study) bool { return s.readers > 0 || time.Since(s.askedAt) < t.linger }

// thin takes those out of the line that nobody reads, but for the first, which is being worked on.
func (t *studies) thin() {
	for _, s := range slices.Clone(t.line[min(1, len(t.line)):]) {
		if !t.wanted(s) {
			t.pause(s)
		}
	}
}

// pause takes an analysis out of the line and keeps what has been done of it. The oldest ones are forgotten.
func (t *studies) pause(s *study) {
	t.line = slices.DeleteFunc(t.line, func(other *study) bool { return other == s })
	t.paused = append(t.paused, s)
	sum := 0
	for _, p := range t.paused {
		sum += p.total
	}
	for sum > maxPaused {
		sum -= t.paused[0].total
		delete(t.byID, t.paused[0].id)
		t.paused = slices.Delete(t.paused, 0, 1)
	}
}

// progress tells how far the first analysis is, but not every time.
func (t *studies) progress(s *study, done int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before := s.now.Done; done == before || s.total > pinsPerStudy && done*pinsPerStudy/s.total == before*pinsPerStudy/s.total {
		return
	}
	t.pin(s, Study{Stage: Working, Done: done, Total: s.total})
}

// end takes the first analysis out of the line: it is ready, or err says why it never will be.
func (t *studies) end(s *study, a *analysis.Analysis, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = slices.DeleteFunc(t.line, func(other *study) bool { return other == s })
	delete(t.byID, s.id)
	if s.err = err; err == nil {
		s.now = readyStudy(a)
	}
	close(s.old)
	t.announce()
}

// announce tells everybody in line where he stands.
func (t *studies) announce() {
	for i, s := range t.line {
		now := *s.now
		now.Ahead = i
		if now.Stage = Waiting; i == 0 {
			now.Stage = Working
		}
		if now != *s.now || now.Seq == 0 {
			t.pin(s, now)
		}
	}
}

// pin replaces the study that the readers of an analysis see, and wakes them.
func (t *studies) pin(s *study, now Study) {
	now.Seq = t.seq.Add(1)
	s.now = &now
	close(s.old)
	s.old = make(chan struct{})
}

func (t *studies) wake() {
	select {
	case t.poke <- struct{}{}:
	default:
	}
}

// load returns how many matches wait to be analysed, the one included that is being worked on.
func (t *studies) load() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.line)
}
