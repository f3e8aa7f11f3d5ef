package gate

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrIdle means that a command has printed nothing for the time of its IdleLimit.
var ErrIdle = errors.New("nothing was printed for too long")

// An IdleLimit ends a following command that prints nothing for too long: its reader may be gone. The zero value never ends a command.
type IdleLimit struct {
	timer *time.Timer
	limit time.Duration
}

// Start starts the limit of a command that writes to out. It returns the context of the command, which ends with ErrIdle, and its output.
// stop stops the limit.
func (l *IdleLimit) Start(ctx context.Context, out io.Writer, limit time.Duration) (limited context.Context, counted io.Writer, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	l.timer, l.limit = time.AfterFunc(limit, func() { end(ErrIdle) }), limit
	return ctx, idleWriter{out, l}, func() {
		l.timer.Stop()
		end(nil)
	}
}

// Change changes a limit that has started, and begins it anew. 0 is no limit.
func (l *IdleLimit) Change(limit time.Duration) {
	if l.timer == nil {
		return
	}
	if l.limit = limit; limit > 0 {
		l.restart()
	} else {
		l.timer.Stop()
	}
}

// restart restarts the timer.
func (l *IdleLimit) restart() {
	if l.limit > 0 {
		l.timer.Reset(l.limit)
	}
}

// An idleWriter writes what a command prints. Each write restarts the limit.
type idleWriter struct {
	io.Writer
	limit *IdleLimit
}

func (w idleWriter) Write(p []byte) (int, error) {
	written, err := w.Writer.Write(p)
	w.limit.restart()
	return written, err
}
