package etcd

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

// How changes are watched
//
// etcd keeps the history, and a watch of ours is one of etcd's. Its client would queue without bounds what a slow
// loop has yet to take, so a goroutine takes it: once maxWaiting responses wait it ends that watch, and begins another where
// it was when the loop has caught up. A large value is read only when its turn comes, at the revision of its change.
//
// History is dropped by amount: whenever a store has written historyBytes, it drops what was there when it had last
// done so. A watcher or a view that needs it gets kv.ErrCompacted.

const (
	historyBytes = 64 << 20
	maxWaiting   = 64
	sweepEvery   = time.Hour
	lookEvery    = 250 * time.Millisecond // between checks of the member that serves a watch
)

// count adds what a commit has written to the history.
func (s *Store) count(c *commit) {
	size := c.size
	for _, p := range c.parts {
		size += len(p.value)
	}
	s.written.Add(int64(size))
}

// maintain drops history and sweeps until the store is closed.
func (s *Store) maintain() {
	hourly := time.NewTicker(sweepEvery)
	defer hourly.Stop()
	var dropTo, sweepTo int64
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.written.Full():
			now, err := s.newest(s.ctx)
			if err == nil && dropTo > 0 {
				err = s.drop(kv.Revision(dropTo))
			}
			if err != nil {
				s.maintenanceFailed(err)
				continue
			}
			dropTo = now
		case <-hourly.C:
			now, err := s.newest(s.ctx)
			removed := 0
			if err == nil && sweepTo > 0 {
				removed, err = s.sweep(s.ctx, kv.Revision(sweepTo))
			}
			if err != nil {
				s.maintenanceFailed(err)
				continue
			}
			if sweepTo = now; removed > 0 {
				s.log.Info("swept", "keys", removed)
			}
		}
	}
}

func (s *Store) maintenanceFailed(err error) {
	if s.ctx.Err() == nil {
		s.log.Warn("history was not dropped, or unused keys not removed", "err", err)
	}
}

// drop drops the history before a revision.
func (s *Store) drop(before kv.Revision) error {
	err := s.once(s.ctx, s.options.RequestTimeout, func(ctx context.Context, c *clientv3.Client) error {
		_, err := c.Compact(ctx, int64(before))
		return err
	})
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return err
	}
	return nil
}

// A batch is changes that came together: whole transactions, in order.
type batch struct {
	events []*clientv3.Event
	err    error // the end
}

// Watch implements kv.Store.
func (s *Store) Watch(ctx context.Context, prefix []byte, after kv.Revision) iter.Seq2[kv.Change, error] {
	return func(yield func(kv.Change, error) bool) {
		if err := s.watch(ctx, prefix, after, yield); err != nil {
			yield(kv.Change{}, err)
		}
	}
}

// errStopped says that the loop over a watch has ended. It becomes nil.
var errStopped = errors.New("the loop has ended")

// watch yields changes until it returns an error, or nil after yield has returned false.
func (s *Store) watch(ctx context.Context, prefix []byte, after kv.Revision, yield func(kv.Change, error) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A client puts watches with the same metadata into one stream. The stream keeps the token that it began with, even an expired one. The
	// stream of a member that is down waits until the member is back, so all attempts of a watch there share one stream.
	ctx = metadata.AppendToOutgoingContext(ctx, "ludoteca-watch", strconv.FormatInt(s.watches.Add(1), 10))
	inner, cancel := context.WithCancel(ctx)
	waiting := make(chan batch, maxWaiting)
	taken := make(chan struct{}, 1) // holds one when the loop has taken something
	done := make(chan struct{})
	if err := s.calls.Run(func() error {
		s.worker.Go(func() {
			defer close(done)
			s.follow(inner, s.dataKey(prefix), int64(after), waiting, taken)
		})
		return nil
	}); err != nil {
		cancel()
		return err
	}
	stop := context.AfterFunc(s.ctx, cancel) // Close ends it
	defer func() {
		stop()
		cancel()
		<-done
	}()
	for {
		var b batch
		select {
		case b = <-waiting:
		case <-inner.Done():
			b.err = inner.Err()
		}
		select {
		case taken <- struct{}{}:
		default:
		}
		err := b.err
		if err == nil {
			err = s.yieldAll(inner, b.events, yield)
		}
		switch {
		case err == nil:
		case errors.Is(err, errStopped):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case s.ctx.Err() != nil:
			return kv.ErrClosed
		default:
			return err
		}
	}
}

// yieldAll yields the changes of a batch.
func (s *Store) yieldAll(ctx context.Context, events []*clientv3.Event, yield func(kv.Change, error) bool) error {
	slices.SortFunc(events, func(a, b *clientv3.Event) int {
		if a.Kv.ModRevision != b.Kv.ModRevision {
			return int(a.Kv.ModRevision - b.Kv.ModRevision)
		}
		return bytes.Compare(a.Kv.Key, b.Kv.Key)
	})
	for i, e := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := kv.Change{
			Revision: kv.Revision(e.Kv.ModRevision), Key: e.Kv.Key[len(s.options.Namespace)+1:],
			More: i+1 < len(events) && events[i+1].Kv.ModRevision == e.Kv.ModRevision,
		}
		if e.Type == mvccpb.PUT {
			var err error
			if c.Value, err = (&snapshot{store: s, ctx: ctx, revision: e.Kv.ModRevision}).value(e.Kv); err != nil {
				return err
			}
		}
		if !yield(c, nil) {
			return errStopped
		}
	}
	return nil
}

// follow sends the changes of keys that begin with prefix to waiting, until ctx ends or there is an error, which is the last.
func (s *Store) follow(ctx context.Context, prefix string, at int64, waiting chan<- batch, taken <-chan struct{}) {
	for n := 0; ctx.Err() == nil; n++ {
		before := at
		err := s.followOnce(ctx, prefix, &at, waiting)
		if at > before {
			n = 0
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, kv.ErrCompacted) || final(err):
			select {
			case waiting <- batch{err: err}:
			case <-ctx.Done():
			}
			return
		case errors.Is(err, errSlow):
			for len(waiting) > 0 {
				select {
				case <-taken:
				case <-ctx.Done():
					return
				}
			}
		default: // the member is gone, or cut off from the others
			if remote.Pause(ctx, remote.Backoff(n)) != nil {
				return
			}
		}
	}
}

// errMoved means that a watch has to move to another member.
var errMoved = errors.New("the member is out of order")

// errSlow says that too much waits for the loop.
var errSlow = errors.New("the loop is slow")

// followOnce sends changes after revision at, which it moves on, for as long as one watch of etcd lasts.
func (s *Store) followOnce(ctx context.Context, prefix string, at *int64, waiting chan<- batch) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	m := s.member()
	late := time.AfterFunc(s.options.TryTimeout, func() { m.outOfOrder.Store(true); cancel() })
	answers := m.client.Load().Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(*at+1)) // returns when the watch has begun
	late.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		var answer clientv3.WatchResponse
		var more bool
		select {
		case <-look.C:
			if m.outOfOrder.Load() && s.member() != m {
				return errMoved
			}
			continue
		case answer, more = <-answers:
			if !more {
				return errMoved
			}
		}
		s.latest.Saw(answer.Header.Revision)
		switch err := answer.Err(); {
		case answer.CompactRevision > 0:
			return kv.ErrCompacted
		case err != nil:
			return err
		case len(answer.Events) == 0:
			continue
		}
		select {
		case waiting <- batch{events: answer.Events}:
			*at = answer.Events[len(answer.Events)-1].Kv.ModRevision
		default:
			return errSlow
		}
	}
}
