package command

import (
	"context"
	"errors"
	"io"
	"time"

	"ludoteca/lobby"
)

// errIdleStream means that a following command has printed nothing for Options.Idle, or for Options.IdleBoard at the caller's own board.
var errIdleStream = errors.New("nothing was printed for too long")

// An idleLimit ends a following command that prints nothing for too long: its reader may be gone. The zero value never ends a command.
type idleLimit struct {
	timer *time.Timer
	limit time.Duration
}

// limitIdle starts the idle limit of a command. stop stops it.
func (c *call) limitIdle() (stop func()) {
	limit := c.runner.idle()
	if limit <= 0 {
		return func() {}
	}
	ctx, end := context.WithCancelCause(c.ctx)
	c.ctx = ctx
	c.idle = idleLimit{time.AfterFunc(limit, func() { end(errIdleStream) }), limit}
	c.out = idleWriter{c.out, &c.idle}
	return func() {
		c.idle.timer.Stop()
		end(nil)
	}
}

// staysAt gives a command that follows a match the idle limit of a screen at the player's board, if the caller sits there.
func (c *call) staysAt(v *lobby.View, who lobby.User) {
	if _, sits := v.Side(who); !sits || v.Over || c.idle.timer == nil {
		return
	}
	if c.idle.limit = c.runner.idleBoard(); c.idle.limit > 0 {
		c.idle.restart()
	} else {
		c.idle.timer.Stop()
	}
}

// neverIdle lifts the idle limit of a command that ends by a time of its own.
func (c *call) neverIdle() {
	if c.idle.timer != nil {
		c.idle.limit = 0
		c.idle.timer.Stop()
	}
}

// restart restarts the timer.
func (l *idleLimit) restart() {
	if l.limit > 0 {
		l.timer.Reset(l.limit)
	}
}

// An idleWriter writes what a command prints. Each write restarts the limit.
type idleWriter struct {
	io.Writer
	limit *idleLimit
}

func (w idleWriter) Write(p []byte) (int, error) {
	written, err := w.Writer.Write(p)
	w.limit.restart()
	return written, err
}

// idle is Options.Idle, 0 for ever.
func (r *Runner) idle() time.Duration { return limitOf(r.options.Idle) }

// idleBoard is Options.IdleBoard, 0 for ever.
func (r *Runner) idleBoard() time.Duration { return limitOf(r.options.IdleBoard) }

func limitOf(limit func() time.Duration) time.Duration {
	if limit == nil {
		return 0
	}
	return limit()
}
