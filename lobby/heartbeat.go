package lobby

import (
	"context"
	"time"
)

// # Going on after a stop
//
// While the program is down no clock runs. So it keeps when it was last known to run: every second while matches are played with clocks that
// count seconds, one write for all of them; every hour for those that count days; and when it is told to stop. The next start
// takes up from there (live.Config.Outage), and an event of each match says what that comes to.

const (
	beatEvery     = time.Second
	beatIdleEvery = time.Hour
)

// beat keeps until ctx ends that the program runs, and then the time of the end. While clocks are yet to be resumed it keeps nothing: after
// another crash they still have to go on from the heartbeat before.
func (l *Lobby) beat(ctx, writes context.Context) {
	failing := false
	for ctx.Err() == nil {
		wait := beatIdleEvery
		if l.registry.Counts().Ticking > 0 {
			wait = beatEvery
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-l.registry.Ticks:
		case <-ctx.Done():
		}
		timer.Stop()
		if l.registry.Counts().Interrupted > 0 {
			continue
		}
		err := l.store.Beat(writes, l.now())
		if err != nil && !failing {
			l.log.Warn("the heartbeat was not kept: after a crash clocks would go on from an earlier time", "err", err)
		}
		failing = err != nil
	}
}
