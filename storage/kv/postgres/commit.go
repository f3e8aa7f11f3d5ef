package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

// How transactions are committed
//
// Each change runs in the goroutine of its caller, on a snapshot. Then it waits for the committer of the store, which sends all that wait, as
// far as they are independent of each other, as one commit. The database refuses those that have read something that has changed since; they
// run again (remote.Changes).
//
// # Doubt
//
// A commit that gets no answer may have been carried out, or may yet be. So each has a number, which it also writes to the row of the
// session, and the database refuses a number that is not greater than that. Writing the number to that row, on the same condition, settles
// the matter: either that works, and then the commit can never be carried out, or the row shows what came of it. As that is a commit too, a
// synchronous standby has both. The committer does so by itself until RequestTimeout; only if that fails do the callers get kv.ErrCommit, and
// the next View, Update or commit goes on with it.

// maxOneGo is how many bytes one request has; what is larger is sent in parts, in a transaction of the database.
const maxOneGo = 4 << 20

// Update implements kv.Store.
func (s *Store) Update(ctx context.Context, change func(kv.Tx) error) error {
	return s.changes.Update(ctx, change)
}

// begin begins a transaction.
func (s *Store) begin(ctx context.Context, revision int64) *tx {
	return newTx(&snapshot{store: s, ctx: ctx, revision: revision})
}

// commitTx has the committer commit a transaction. fenced is how many commits of its change were fenced off before.
func (s *Store) commitTx(ctx context.Context, t *tx, fenced int) error {
	p := newPending(t, fenced)
	select {
	case s.commits.queue <- p:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-p.done:
		return err
	case <-ctx.Done():
		if p.take() {
			return ctx.Err()
		}
		return <-p.done
	}
}

// A committer commits the transactions of a store. Its goroutine sends them; turn is held by who uses the connection.
type committer struct {
	store   *Store
	session []byte
	queue   chan *pending
	turn    chan struct{} // holds one while nobody uses what follows
	link    link
	number  int64       // of the last commit
	doubted bool        // a commit has had no answer: it may still arrive
	unsure  atomic.Bool // callers of the last commit got kv.ErrCommit
	full    atomic.Bool // the last commit found the disk full
}

func newCommitter(s *Store, session []byte, config *pgx.ConnConfig) *committer {
	c := &committer{store: s, session: session, queue: make(chan *pending, remote.MaxRunning), turn: make(chan struct{}, 1), link: link{config: config}}
	c.turn <- struct{}{}
	return c
}

// run commits until the store is closed. Nothing waits then.
func (c *committer) run() {
	var waiting []*pending
	for {
		if len(waiting) == 0 {
			select {
			case p := <-c.queue:
				waiting = append(waiting, p)
			case <-c.store.ctx.Done():
				return
			}
		}
		for more := true; more; {
			select {
			case p := <-c.queue:
				waiting = append(waiting, p)
			default:
				more = false
			}
		}
		var b *batch
		if b, waiting = fill(waiting); len(b.all) > 0 {
			c.commit(b)
		}
	}
}

// close ends the session. A commit that was fenced off must find its row, however late it arrives.
func (c *committer) close() {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	if c.number > 0 && !c.doubted {
		ctx, cancel := context.WithTimeout(context.Background(), c.store.options.TryTimeout)
		defer cancel()
		conn, err := c.link.get(ctx)
		if err == nil {
			_, err = conn.Exec(ctx, c.store.sql.forget, c.session)
		}
		if err != nil {
			c.store.log.Warn("the row of the session stays until it is swept", "err", err)
		}
	}
	if c.link.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), c.store.options.TryTimeout)
		defer cancel()
		_ = c.link.conn.Close(ctx)
	}
	c.link.drop()
}

// commit commits a batch and answers its transactions.
func (c *committer) commit(b *batch) {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	ctx, cancel := context.WithTimeout(context.Background(), c.store.options.RequestTimeout)
	defer cancel()
	if err := c.settleLast(ctx); err != nil {
		b.finish(err)
		return
	}
	began := time.Now()
	a, err := c.try(ctx, b)
	if err != nil && len(b.all) > 1 && refused(err) && codeOf(err) != codeDiskFull {
		// One of them may be at fault.
		for _, p := range b.all {
			one := &batch{all: []*pending{p}, size: p.size}
			began := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), c.store.options.RequestTimeout)
			if err := c.settleLast(ctx); err != nil {
				one.finish(err)
			} else {
				a, err := c.try(ctx, one)
				c.finish(one, began, a, err)
			}
			cancel()
		}
		return
	}
	c.finish(b, began, a, err)
}

// finish reports and answers a batch.
func (c *committer) finish(b *batch, began time.Time, a answer, err error) {
	s := c.store
	if report := s.options.Meters.Commit; report != nil && !errors.Is(err, remote.ErrChanged) {
		report(len(b.all), time.Since(began), err)
	}
	c.full.Store(codeOf(err) == codeDiskFull)
	if err != nil {
		if err = inWords(err, b); errors.Is(err, kv.ErrCommit) || errors.Is(err, ErrFull) {
			s.log.Error("commit failed", "err", err)
		}
		b.finish(err)
		return
	}
	s.latest.Saw(a.newest)
	s.follow.wakeFor(a.newest)
	s.history.written.Add(a.bytes + rowBytes*b.rows())
	for i, p := range b.all {
		if slices.Contains(a.refused, int32(i+1)) {
			p.done <- remote.ErrChanged
		} else {
			p.done <- nil
		}
	}
}

// inWords returns the error for the callers of a commit that the database refused.
func inWords(err error, b *batch) error {
	if !refused(err) || errors.Is(err, ErrUnavailable) || errors.Is(err, kv.ErrCommit) {
		return err
	}
	switch codeOf(err) {
	case codeSerialization, codeDeadlock:
		return fmt.Errorf("%w: %w", remote.ErrChanged, err)
	case codeDiskFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case codeLimit:
		return fmt.Errorf("%w, of %d bytes: %w", ErrTooLarge, b.size, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// An answer is what came of a commit.
type answer struct {
	base    int64   // the revision before; that of a transaction is its number more
	newest  int64   // revision of the log
	refused []int32 // the numbers of the transactions that must run again
	bytes   int64   // that the log has grown by
}

// try sends a commit until the database has answered, or time is up. The error is remote.ErrFenced, one that wraps kv.ErrCommit, or one after which
// nothing was written.
func (c *committer) try(ctx context.Context, b *batch) (answer, error) {
	limit, args := remote.Longer(c.store.options.TryTimeout, b.mostFenced()), b.arguments()
	limit += time.Duration(b.size/maxOneGo) * time.Second // more takes longer
	var last error                                        // of a try that wasn't cut off by the end of ctx, and says more
	for n := 0; ; n++ {
		conn, err := c.link.get(ctx)
		if err == nil {
			var a answer
			c.number++
			a, err = c.send(context.WithoutCancel(ctx), conn, b, args, limit)
			switch {
			case err == nil:
				return a, nil
			case refused(err) && codeOf(err) != codeReadOnly:
				return answer{}, err
			}
			c.link.drop()
			if !refused(err) && !pgconn.SafeToRetry(err) {
				return c.settle(context.WithoutCancel(ctx), err)
			}
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		if final(err) || ctx.Err() != nil || remote.Pause(ctx, remote.Backoff(n)) != nil {
			return answer{}, unavailable(context.Background(), last)
		}
	}
}

// send sends a commit once.
func (c *committer) send(ctx context.Context, conn *pgx.Conn, b *batch, a *arguments, limit time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !b.all[0].alone {
		return c.call(ctx, conn, a, a.writers, a.keys, a.values)
	}
	whole, err := conn.Begin(ctx)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = whole.Rollback(ctx) }() // of no effect after Commit
	found, err := c.call(ctx, conn, a, []int32{}, [][]byte{}, [][]byte{})
	if err != nil || len(found.refused) > 0 {
		return found, err
	}
	for writers, keys, values := a.writers, a.keys, a.values; len(keys) > 0; {
		n, size := 0, 0
		for ; n < len(keys) && n < maxTogetherOps && (n == 0 || size+len(values[n]) <= maxOneGo); n++ {
			size += len(keys[n]) + len(values[n])
		}
		var logged int64
		if err := conn.QueryRow(ctx, c.store.sql.apply, found.base, writers[:n], keys[:n], values[:n]).Scan(&logged); err != nil {
			return answer{}, err
		}
		found.bytes += logged
		writers, keys, values = writers[n:], keys[n:], values[n:]
	}
	if err := conn.QueryRow(ctx, c.store.sql.newest).Scan(&found.newest); err != nil {
		return answer{}, err
	}
	return found, whole.Commit(ctx)
}

// call calls the function commit with some of the writes.
func (c *committer) call(ctx context.Context, conn *pgx.Conn, a *arguments, writers []int32, keys, values [][]byte) (found answer, err error) {
	var base, newest, bytes *int64
	err = conn.QueryRow(ctx, c.store.sql.commit, c.session, c.number, a.at, a.readers, a.readKeys, a.scanners, a.scanFrom, a.scanTo,
		a.removers, a.removeFrom, a.removeTo, writers, keys, values).Scan(&base, &newest, &found.refused, &bytes)
	switch {
	case err != nil:
		return answer{}, err
	case base == nil: // another has fenced it off
		return answer{}, remote.ErrFenced
	}
	found.base, found.newest, found.bytes = *base, *newest, *bytes
	return found, nil
}

// settle makes sure of the outcome of the last commit, whose request has failed with cause.
func (c *committer) settle(ctx context.Context, cause error) (answer, error) {
	c.doubted = true
	ctx, cancel := context.WithTimeout(ctx, c.store.options.RequestTimeout)
	defer cancel()
	a, went, err := c.fence(ctx)
	if report := c.store.options.Meters.Doubt; report != nil {
		report(err == nil)
	}
	switch {
	case err != nil:
		c.unsure.Store(true)
		return answer{}, fmt.Errorf("%w: %w", kv.ErrCommit, oneLine{cause})
	case went:
		return a, nil
	}
	return answer{}, remote.ErrFenced
}

// fence settles the last commit: it went, or it never will. An error says that nothing is known yet.
func (c *committer) fence(ctx context.Context) (a answer, went bool, err error) {
	var base *int64
	err = remote.Repeat(ctx, c.store.options.TryTimeout, func(limit time.Duration) error {
		conn, err := c.link.get(ctx)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if err = conn.QueryRow(ctx, c.store.sql.fence, c.session, c.number).Scan(&base, &a.newest, &a.refused); err != nil {
			c.link.drop()
		}
		return err
	}, nil)
	switch {
	case err != nil:
		return answer{}, false, err
	case base == nil:
		return a, false, nil
	}
	a.base = *base
	return a, true, nil
}

// settleLast settles the last commit if its callers got kv.ErrCommit. The turn must be held.
func (c *committer) settleLast(ctx context.Context) error {
	if !c.unsure.Load() {
		return nil
	}
	if _, _, err := c.fence(ctx); err != nil {
		return fmt.Errorf("%w: its outcome is still unknown: %w", kv.ErrCommit, oneLine{err})
	}
	c.unsure.Store(false)
	return nil
}

// settleUnsure does the same for a caller, who may be one of many.
func (c *committer) settleUnsure(ctx context.Context) error {
	if !c.unsure.Load() {
		return nil
	}
	whole, cancel := context.WithTimeout(ctx, c.store.options.RequestTimeout) // the wait for others who settle counts too
	defer cancel()
	var err error
	select {
	case <-c.turn:
		err = c.settleLast(whole)
		c.turn <- struct{}{}
	case <-whole.Done():
		err = fmt.Errorf("%w: its outcome is still unknown", kv.ErrCommit)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
