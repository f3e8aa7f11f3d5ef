package lobby

import (
	"context"
	"time"

	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// # Attempts
//
// Wrong codes and new accounts are limited for the club as a whole: otherwise each further node would allow the same number of tries again.

// The kinds of attempts, as the store names them.
const (
	codeAttempts     = "code"
	recoveryAttempts = "recovery"
	accountAttempts  = "account"
)

// attempts is a rate limiter for people and for the blocks of addresses that they come from. With several nodes it counts in the store,
// else in memory.
type attempts struct {
	what  string
	every time.Duration
	burst int
	local *origin.Throttle
}

func newAttempts(what string, every time.Duration, burst, most int) *attempts {
	return &attempts{what, every, burst, origin.NewThrottle(every, burst, most)}
}

// take takes an attempt; back returns it. The error is a *ThrottledError if there is none left, or ErrBusy.
func (a *attempts) take(ctx context.Context, l *Lobby, from origin.Origin) (back func(), err error) {
	if l.nodes != nil {
		return l.sharedAttempt(ctx, a.what, shares(from, a.every, a.burst))
	}
	if wait, ok := a.local.Take(time.Now(), from); !ok {
		return nil, &ThrottledError{wait}
	}
	return func() { a.local.Return(time.Now(), from) }, nil
}

// shares returns the buckets in the store for a person and for the blocks of addresses that they come from.
func shares(from origin.Origin, every time.Duration, burst int) (of []storage.Attempt) {
	if from.Person != "" {
		of = append(of, storage.Attempt{Who: "person " + from.Person, Every: every, Burst: burst})
	}
	for _, b := range origin.Blocks(from.Addr) {
		of = append(of, storage.Attempt{Who: b.String(), Every: max(1, every/time.Duration(b.Weight)), Burst: burst * b.Weight})
	}
	return of
}

// sharedAttempt is attempts.take for buckets in the store.
func (l *Lobby) sharedAttempt(ctx context.Context, what string, of []storage.Attempt) (back func(), err error) {
	switch wait, ok, err := l.shared.TakeAttempts(ctx, what, of, l.now()); {
	case err != nil:
		return nil, storeError(err)
	case !ok:
		return nil, &ThrottledError{wait}
	}
	return func() {
		_ = l.start(func(ctx, _ context.Context) { // the error: the club closes
			if err := l.shared.ReturnAttempts(ctx, what, of, l.now()); err != nil && ctx.Err() == nil {
				l.log.Warn("an attempt that cost nothing counts all the same", "err", err)
			}
		})
	}, nil
}

// NewAccount takes a new account from the limit of an address and its blocks, across all nodes: burst accounts in a row, and one more per
// every. back returns it. In a club with one node it does nothing, and shared is false. The error is ErrManyAccounts or ErrBusy.
func (l *Lobby) NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error) {
	if l.nodes == nil {
		return nil, false, nil
	}
	back, err = l.sharedAttempt(ctx, accountAttempts, shares(from, every, burst))
	if isThrottled(err) {
		err = ErrManyAccounts
	}
	return back, true, err
}
