package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"ludoteca/storage/kv/remote"
)

// A history drops the log of changes by amount: whenever its store has written HistoryBytes to the log, it drops what was there when it had
// last done so; and every hour what was there an hour ago. First the row of state says so, then the rows go, so that who reads in between
// is told. While a store of any node holds the log (ViewLong), nothing is dropped, until the log has grown by mostHeld times HistoryBytes.
type history struct {
	store   *Store
	written *remote.Amount
}

const (
	dropAtOnce = 5000 // rows of the log that one request drops
	hourly     = time.Hour
	rowBytes   = 150 // of the log beside keys and values: about what a row and its two entries of indexes take
	mostHeld   = 32
)

// maintain drops the log and sweeps until the store is closed.
func (h *history) maintain() {
	s := h.store
	tick := time.NewTicker(hourly)
	defer tick.Stop()
	var byAmount, byTime int64
	for held := 0; ; {
		last := &byAmount
		select {
		case <-s.ctx.Done():
			return
		case <-h.written.Full():
		case <-tick.C:
			last = &byTime
		}
		now, err := s.newest(s.ctx)
		dropped := true
		if err == nil && *last > 0 {
			dropped, err = h.drop(s.ctx, *last, held >= mostHeld)
		}
		if err == nil && last == &byTime {
			err = s.ask(s.ctx, func(ctx context.Context, c *pgxpool.Conn) error { _, err := c.Exec(ctx, s.sql.sweep); return err })
		}
		switch {
		case err == nil:
			*last = now
		case s.ctx.Err() == nil:
			s.log.Warn("the log of changes was not dropped", "err", err)
		}
		switch {
		case err != nil:
		case dropped:
			held = 0
		case last == &byAmount:
			held++
		}
	}
}

// DropHistory drops the whole log, unless it is held: nobody asks any more for what was before. It is for a store that has been filled and is not
// used yet.
func (s *Store) DropHistory(ctx context.Context) error {
	return s.calls.Run(func() error {
		now, err := s.newest(ctx)
		if err == nil {
			_, err = s.history.drop(ctx, now, false)
		}
		return err
	})
}

// drop drops the log up to a revision, but not its newest row. If the log is held it does nothing, unless it is to do so all the same.
func (h *history) drop(ctx context.Context, upTo int64, always bool) (dropped bool, err error) {
	s := h.store
	if err := s.ask(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		return c.QueryRow(ctx, s.sql.floor, upTo, always).Scan(&dropped)
	}); err != nil || !dropped {
		return false, err
	}
	for {
		var n int64
		if err := s.ask(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
			done, err := c.Exec(ctx, s.sql.drop, upTo, dropAtOnce)
			n = done.RowsAffected()
			return err
		}); err != nil || n == 0 {
			return true, err
		}
	}
}
