package postgres

import (
	"context"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

// holdLook is how often the connection that holds the log is looked at.
const holdLook = time.Second

// ViewLong implements kv.LongViewer: the log is held before the snapshot is taken, and until read has returned.
func (s *Store) ViewLong(ctx context.Context, read func(kv.Reader) error) error {
	return s.calls.Run(func() error {
		held, end := context.WithCancel(ctx)
		first, ended := make(chan error, 1), make(chan struct{})
		s.worker.Go(func() {
			defer close(ended)
			s.hold(held, first)
		})
		defer func() { end(); <-ended }()
		if err := <-first; err != nil {
			return unavailable(ctx, err)
		}
		return s.View(ctx, read)
	})
}

// hold holds the log until ctx ends, and sends the outcome of the first try to do so. Its lock ends with its connection, so it is taken anew on
// another one; the log may lose a part before that.
func (s *Store) hold(ctx context.Context, first chan<- error) {
	l := link{config: s.pool.Config().ConnConfig}
	defer l.drop()
	whole, cancel := context.WithTimeout(ctx, s.options.RequestTimeout)
	err := remote.Repeat(whole, s.options.TryTimeout, func(limit time.Duration) error { return s.holdOnce(whole, &l, limit) }, final)
	cancel()
	if first <- err; err != nil {
		return
	}
	for failed, wait := 0, holdLook; remote.Pause(ctx, wait) == nil; {
		if s.holdOnce(ctx, &l, s.options.TryTimeout) == nil {
			failed, wait = 0, holdLook
		} else {
			failed, wait = failed+1, remote.Backoff(failed)
		}
	}
}

// holdOnce makes sure that the connection of l has the lock.
func (s *Store) holdOnce(ctx context.Context, l *link, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	text := s.sql.hold
	if l.conn != nil && !l.conn.IsClosed() {
		text = "SELECT 1" // it has the lock
	}
	conn, err := l.get(ctx)
	if err == nil {
		_, err = conn.Exec(ctx, text)
	}
	if err != nil {
		l.drop()
	}
	return err
}
