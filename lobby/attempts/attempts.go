// Package attempts limits how often people may enter codes and make accounts. A limit holds for the club as a whole, not for each node.
package attempts

import (
	"context"
	"log/slog"
	"time"

	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tasks"
	"ludoteca/storage/accounts"
)

// Attempts limit how often a person, and the blocks of addresses that they come from, may try one thing.
type Attempts interface {
	// Take takes an attempt; refund returns it. The error is a *refusal.ThrottledError if there is none left, or refusal.ErrBusy.
	Take(ctx context.Context, from origin.Origin) (refund func(), err error)
}

// A Limiter makes Attempts. They are counted in memory in a club with one node, else in the store.
type Limiter interface {
	// Attempts returns Attempts of burst tries in a row and one more per every. what is their name in the store. In memory, most is the number
	// of people, and of blocks of each size, that are remembered.
	Attempts(what string, every time.Duration, burst, most int) Attempts

	// NewAccount takes a new account from the limit of an address and its blocks, across all nodes: burst accounts in a row, and one more per
	// every. refund returns it. In a club with one node NewAccount does nothing, and shared is false. The error is refusal.ErrManyAccounts or
	// refusal.ErrBusy.
	NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (refund func(), shared bool, err error)
}

// Wrong codes of matches and keys. Their lengths are chosen so that nobody guesses one at this rate.
const (
	MaxWrongCodes  = 10              // that one person or address may try in a row
	WrongCodeEvery = 6 * time.Second // how long it takes to get one more
)

// InMemory is the Limiter of a club with one node.
type InMemory struct{}

// Attempts implements Limiter.
func (InMemory) Attempts(_ string, every time.Duration, burst, most int) Attempts {
	return local{origin.NewThrottle(every, burst, most)}
}

// NewAccount implements Limiter.
func (InMemory) NewAccount(context.Context, origin.Origin, time.Duration, int) (refund func(), shared bool, err error) {
	return nil, false, nil
}

// local are attempts in memory.
type local struct{ throttle *origin.Throttle }

func (a local) Take(_ context.Context, from origin.Origin) (refund func(), err error) {
	if wait, ok := a.throttle.Take(time.Now(), from); !ok {
		return nil, &refusal.ThrottledError{Wait: wait}
	}
	return func() { a.throttle.Return(time.Now(), from) }, nil
}

// A Store counts attempts for all nodes; see accounts.AttemptStore.
type Store interface {
	TakeAttempts(ctx context.Context, what string, of []accounts.Attempt, now time.Time) (wait time.Duration, ok bool, err error)
	ReturnAttempts(ctx context.Context, what string, of []accounts.Attempt, now time.Time) error
}

// InStore is the Limiter of a club with several nodes.
type InStore struct {
	Store Store
	Tasks *tasks.Group
	Now   func() time.Time // the clock of events
	Log   *slog.Logger
}

// Attempts implements Limiter.
func (s *InStore) Attempts(what string, every time.Duration, burst, _ int) Attempts {
	return stored{s, what, every, burst}
}

// NewAccount implements Limiter.
func (s *InStore) NewAccount(ctx context.Context, from origin.Origin, every time.Duration, burst int) (refund func(), shared bool, err error) {
	refund, err = stored{s, "account", every, burst}.Take(ctx, from)
	if refusal.IsThrottled(err) {
		err = refusal.ErrManyAccounts
	}
	return refund, true, err
}

// stored are attempts in the store.
type stored struct {
	in    *InStore
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

func (a stored) Take(ctx context.Context, from origin.Origin) (refund func(), err error) {
	in, of := a.in, shares(from, a.every, a.burst)
	switch wait, ok, err := in.Store.TakeAttempts(ctx, a.what, of, in.Now()); {
	case err != nil:
		return nil, refusal.OfStore(err)
	case !ok:
		return nil, &refusal.ThrottledError{Wait: wait}
	}
	return func() {
		_ = in.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
			if err := in.Store.ReturnAttempts(ctx, a.what, of, in.Now()); err != nil && ctx.Err() == nil {
				in.Log.Warn("an attempt that cost nothing counts all the same", "err", err)
			}
		})
	}, nil
}
