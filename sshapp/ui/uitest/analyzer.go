package uitest

import (
	"context"
	"sync"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
)

// A FakeAnalyzer is a real club whose analyses come from the test.
type FakeAnalyzer struct {
	club *lobby.Lobby

	mu       sync.Mutex
	progress *lobby.AnalysisProgress
	err      error
	changed  chan struct{} // closed and made anew at each change
	asked    []uint64      // what each call had seen
	waiting  int           // calls that have not been answered
}

// NewFakeAnalyzer returns a club in which no analysis has come yet.
func NewFakeAnalyzer(l *lobby.Lobby) *FakeAnalyzer {
	return &FakeAnalyzer{club: l, changed: make(chan struct{})}
}

// Services returns the club as screens ask for it.
func (c *FakeAnalyzer) Services() *screen.Lobby {
	l := screen.Of(c.club)
	l.Analyzer = c
	return l
}

func (c *FakeAnalyzer) Analysis(ctx context.Context, _ lobby.User, _ storage.MatchID, after uint64) (*lobby.AnalysisProgress, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, after)
	c.waiting++
	defer func() { c.waiting-- }()
	for {
		if c.err != nil {
			return nil, c.err
		}
		if c.progress != nil && c.progress.Seq > after {
			return c.progress, nil
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		c.mu.Lock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// Study is Analysis: there is one match.
func (c *FakeAnalyzer) Study(ctx context.Context, who lobby.User, v *lobby.View, after uint64) (*lobby.AnalysisProgress, error) {
	return c.Analysis(ctx, who, v.ID, after)
}

// Publish makes progress, or err, the newest answer.
func (c *FakeAnalyzer) Publish(progress lobby.AnalysisProgress, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.progress != nil {
		progress.Seq = c.progress.Seq
	}
	progress.Seq++
	c.progress, c.err = &progress, err
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *FakeAnalyzer) Calls() (asked []uint64, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.waiting
}
