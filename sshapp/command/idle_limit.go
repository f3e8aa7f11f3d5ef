package command

import (
	"errors"
	"io"
	"time"
)

// errIdleStream means that a following command has printed nothing for Options.Idle, or for Options.IdleBoard at the caller's own board.
var errIdleStream = errors.New("nothing was printed for too long")

// An idleLimit ends a following command that prints nothing for too long: its reader may be gone. The zero value never ends a command.
type idleLimit struct {
	timer *time.Timer
	limit time.Duration
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

func limitOf(limit func() time.Duration) time.Duration {
	if limit == nil {
		return 0
	}
	return limit()
}
