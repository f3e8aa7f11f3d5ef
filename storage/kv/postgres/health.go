package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// A Health is the state of the database when it was last asked.
type Health struct {
	At        time.Time // of the ping
	Reachable bool      // the primary has answered it
	Bytes     int64     // size of the tables with their indexes; 0 if it is not known yet
	NoSpace   bool      // the last commit found the disk full
}

// pingsASize is after how many pings the size is asked for.
const pingsASize = 30

// Health returns how the database was doing when it was last asked: a second ago, and for the size up to thirty.
func (s *Store) Health() Health {
	now := *s.health.Load()
	now.NoSpace = s.commits.full.Load()
	return now
}

// Queued returns how many transactions have begun and not ended.
func (s *Store) Queued() int { return s.calls.Writing() }

// Size returns the size in bytes of the tables with their indexes.
func (s *Store) Size() (int64, error) {
	if h := s.Health(); h.Bytes > 0 {
		return h.Bytes, nil
	}
	return 0, ErrUnavailable
}

// watchHealth asks every PingEvery, and logs changes, until the store is closed.
func (s *Store) watchHealth() {
	ticker := time.NewTicker(s.options.PingEvery)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			return
		}
		was := s.Health()
		s.ping(s.ctx, n%pingsASize == 0)
		if now := s.Health(); s.ctx.Err() == nil && now.Reachable != was.Reachable {
			if now.Reachable {
				s.log.Info("PostgreSQL answers again")
			} else {
				s.log.Warn("PostgreSQL does not answer, or takes no changes")
			}
		}
	}
}

// ping asks for the newest revision, and for the size if it is to, and updates health.
func (s *Store) ping(ctx context.Context, size bool) {
	ctx, cancel := context.WithTimeout(ctx, s.options.TryTimeout)
	defer cancel()
	var now Health
	if last := s.health.Load(); last != nil {
		now.Bytes = last.Bytes
	}
	now.Reachable = s.once(ctx, s.options.TryTimeout, func(ctx context.Context, c *pgxpool.Conn) error {
		var revision int64
		err := c.QueryRow(ctx, s.sql.newest).Scan(&revision)
		if err == nil && size {
			err = c.QueryRow(ctx, s.sql.size).Scan(&now.Bytes)
		}
		return err
	}) == nil
	now.At = time.Now()
	s.health.Store(&now)
}
