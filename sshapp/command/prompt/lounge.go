package prompt

import (
	"context"
	"sync"

	"ludoteca/lobby"
	"ludoteca/lobby/lounge"
	"ludoteca/sshapp/wording"
)

// A Lounge tells a line mode what is said in the lounge while its user is there. nil is for a caller who can't be told.
type Lounge struct {
	changed chan struct{} // holds one when the user has come or gone

	mu   sync.Mutex // guards what follows
	in   bool
	last uint64 // the number of the line that the user was shown last
}

// NewLounge returns a lounge in which the user is not.
func NewLounge() *Lounge { return &Lounge{changed: make(chan struct{}, 1)} }

// Enter has the user told the lines behind the one with a number.
func (l *Lounge) Enter(last uint64) { l.set(true, last) }

// Leave has the user told no more. It reports whether they were there.
func (l *Lounge) Leave() (was bool) { return l.set(false, 0) }

func (l *Lounge) set(in bool, last uint64) (was bool) {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was, l.in, l.last = l.in, in, last
	select {
	case l.changed <- struct{}{}:
	default:
	}
	return was
}

// now returns whether the user is there, and the number of the line that they were shown last. changed holds none then.
func (l *Lounge) now() (in bool, last uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.changed:
	default:
	}
	return l.in, l.last
}

// Tell calls tell with each line that others write while the user is in the lounge, until ctx ends.
func (l *Lounge) Tell(ctx context.Context, club *lobby.Lobby, say func() wording.Words, who lobby.User, tell func(string)) {
	for ctx.Err() == nil {
		l.tellUntilChanged(ctx, club, say, who, tell)
	}
}

// tellUntilChanged is Tell until the user comes or goes.
func (l *Lounge) tellUntilChanged(ctx context.Context, club *lobby.Lobby, say func() wording.Words, who lobby.User, tell func(string)) {
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	if in, last := l.now(); in {
		telling.Go(func() { tellLounge(ctx, club, say, who, last, tell) })
	}
	select {
	case <-l.changed:
	case <-ctx.Done():
	}
}

// tellLounge tells the lines behind the one with a number, the last maxTold of many at once.
func tellLounge(ctx context.Context, club *lobby.Lobby, say func() wording.Words, who lobby.User, last uint64, tell func(string)) {
	for after := uint64(0); ; {
		v, err := club.Lounge.NextSince(ctx, who, after, last)
		if err != nil {
			return
		}
		var fresh []lounge.Line
		for _, line := range v.Lines {
			last = line.Number
			if !line.Own {
				fresh = append(fresh, line)
			}
		}
		if missed := len(fresh) - maxTold; missed > 1 {
			tell(say().N(missed, "One earlier line is left out.", "%d earlier lines are left out."))
			fresh = fresh[missed:]
		}
		for _, line := range fresh {
			tell(say().T("Lounge: %s", say().Talk().Lounge(line)))
		}
		after = v.Seq
	}
}
