package command

import (
	"context"
	"errors"
	"io"
	"time"

	"ludoteca/lobby"
)

// errQuiet means that a command that follows something has printed nothing for Options.Idle, or Options.IdleBoard at a board where the caller
// sits.
var errQuiet = errors.New("nothing was printed for too long")

// A quiet ends a command that follows something when it prints nothing for too long: nobody may be there any more who would notice. Its
// zero value never does.
type quiet struct {
	timer *time.Timer
	limit time.Duration
}

// endQuiet begins to wait for what the command prints. stop ends that.
func (c *call) endQuiet() (stop func()) {
	limit := c.runner.idle()
	if limit <= 0 {
		return func() {}
	}
	ctx, end := context.WithCancelCause(c.ctx)
	c.ctx = ctx
	c.quiet = quiet{time.AfterFunc(limit, func() { end(errQuiet) }), limit}
	c.out = noticed{c.out, &c.quiet}
	return func() {
		c.quiet.timer.Stop()
		end(nil)
	}
}

// staysAt gives a command that follows a match as long as a screen has at a board where the caller sits.
func (c *call) staysAt(v *lobby.View, who lobby.User) {
	if _, sits := v.Side(who); !sits || v.Over || c.quiet.timer == nil {
		return
	}
	if c.quiet.limit = c.runner.idleBoard(); c.quiet.limit > 0 {
		c.quiet.again()
	} else {
		c.quiet.timer.Stop()
	}
}

// again lets the time begin anew.
func (q *quiet) again() {
	if q.limit > 0 {
		q.timer.Reset(q.limit)
	}
}

// noticed is where a command prints: the time without a word begins anew with each.
type noticed struct {
	io.Writer
	quiet *quiet
}

func (n noticed) Write(p []byte) (int, error) {
	written, err := n.Writer.Write(p)
	n.quiet.again()
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
