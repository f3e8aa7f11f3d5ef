package lobby

import (
	"context"
	"time"

	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage/accounts"
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

// attempts limits what people, and the blocks of addresses that they come from, may try.
type attempts interface {
	// take takes an attempt; back returns it. The error is a *ThrottledError if there is none left, or ErrBusy.
	take(ctx context.Context, from origin.Origin) (back func(), err error)
}

// An attemptLimiter makes attempts: in memory in a club with one node, else in the store.
type attemptLimiter interface {
	// attempts allows burst attempts in a row and one more per every. In memory it remembers most people, and as many blocks of each size.
	attempts(what string, every time.Duration, burst, most int) attempts

	// newAccount is Lobby.NewAccount.
	newAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error)
}

// inMemory is the attemptLimiter of a club with one node.
type inMemory struct{}

func (inMemory) attempts(_ string, every time.Duration, burst, most int) attempts {
	return localAttempts{origin.NewThrottle(every, burst, most)}
}

func (inMemory) newAccount(context.Context, origin.Origin, time.Duration, int) (back func(), shared bool, err error) {
	return nil, false, nil
}

// localAttempts are attempts in memory.
type localAttempts struct{ throttle *origin.Throttle }

func (a localAttempts) take(_ context.Context, from origin.Origin) (back func(), err error) {
	if wait, ok := a.throttle.Take(time.Now(), from); !ok {
		return nil, &ThrottledError{Wait: wait}
	}
	return func() { a.throttle.Return(time.Now(), from) }, nil
}

// inStore is the attemptLimiter of a club with several nodes.
type inStore struct{ lobby *Lobby }

func (s inStore) attempts(what string, every time.Duration, burst, _ int) attempts {
	return storedAttempts{s.lobby, what, every, burst}
}

func (s inStore) newAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error) {
	back, err = storedAttempts{s.lobby, accountAttempts, every, burst}.take(ctx, from)
	if refusal.IsThrottled(err) {
		err = ErrManyAccounts
	}
	return back, true, err
}

// storedAttempts are attempts in the store.
type storedAttempts struct {
	lobby *Lobby
	what  string
	every time.Duration
	burst int
}

// shares returns the buckets in the store for a person and for the blocks of addresses that they come from.
func shares(from origin.Origin, every time.Duration, burst int) (of []accounts.Attempt) {
	if from.Person != "" {
		of = append(of, accounts.Attempt{Who: "person " + from.Person, Every: every, Burst: burst})
	}
	for _, b := range origin.Blocks(from.Addr) {
		of = append(of, accounts.Attempt{Who: b.String(), Every: max(1, every/time.Duration(b.Weight)), Burst: burst * b.Weight})
	}
	return of
}

func (a storedAttempts) take(ctx context.Context, from origin.Origin) (back func(), err error) {
	l, of := a.lobby, shares(from, a.every, a.burst)
	switch wait, ok, err := l.shared.TakeAttempts(ctx, a.what, of, l.now()); {
	case err != nil:
		return nil, refusal.OfStore(err)
	case !ok:
		return nil, &ThrottledError{Wait: wait}
	}
	return func() {
		_ = l.start(func(ctx, _ context.Context) { // the error: the club closes
			if err := l.shared.ReturnAttempts(ctx, a.what, of, l.now()); err != nil && ctx.Err() == nil {
				l.log.Warn("an attempt that cost nothing counts all the same", "err", err)
			}
		})
	}, nil
}

// NewAccount takes a new account from the limit of an address and its blocks, across all nodes: burst accounts in a row, and one more per
// every. back returns it. In a club with one node it does nothing, and shared is false. The error is ErrManyAccounts or ErrBusy.
func (l *Lobby) NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (back func(), shared bool, err error) {
	return l.limiter.newAccount(ctx, from, every, burst)
}
