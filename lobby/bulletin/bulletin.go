// Package bulletin publishes the message to all users of a node: announcements of operators, and that the store can't be reached.
package bulletin

import (
	"context"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/storage/operators"
)

// AnnouncementLife is how long an announcement is shown, unless it is replaced or removed before.
const AnnouncementLife = 24 * time.Hour

// A Bulletin is a message to all users of this node: an announcement, and whether the node is cut off.
type Bulletin struct {
	Text   string    // from an operator; "" is none
	Until  time.Time // when Text is no longer shown
	CutOff time.Time // since when this node has been cut off from the store, so that clocks stand still; zero if it is not

	StoreFull bool // the node is cut off because the store has reached its quota: an operator must make room
}

// A Board shows the newest bulletin. It is safe for concurrent use.
type Board struct {
	feed *feed.Feed[Bulletin]
	now  func() time.Time
}

// NewBoard returns a board that shows nothing yet. now is the clock of events.
func NewBoard(g *feed.Group, now func() time.Time) *Board {
	b := &Board{feed.New[Bulletin](g), now}
	b.feed.Publish(Bulletin{}) // there is always a value
	return b
}

// Announce shows an announcement in place of the one before. One without a text shows none.
func (b *Board) Announce(a operators.Announcement) {
	b.feed.Update(func(old Bulletin, _ uint64) (Bulletin, bool) {
		now := Bulletin{Text: a.Text, Until: a.At.Add(AnnouncementLife), CutOff: old.CutOff, StoreFull: old.StoreFull}
		return now, old != now
	})
}

// Follow shows whether this node is cut off from the store, and whether that is because the store is full, until ctx ends. It asks watch again when
// the channel of its last answer is closed; see nodes.Reach.
func (b *Board) Follow(ctx context.Context, watch func() (cutOff, full bool, newer <-chan struct{})) {
	for {
		cutOff, full, newer := watch()
		b.cutOff(cutOff, full)
		select {
		case <-newer:
		case <-ctx.Done():
			return
		}
	}
}

// cutOff publishes a bulletin if it says something new.
func (b *Board) cutOff(cutOff, full bool) {
	b.feed.Update(func(old Bulletin, _ uint64) (Bulletin, bool) {
		if cutOff == !old.CutOff.IsZero() && full == old.StoreFull {
			return old, false
		}
		switch {
		case !cutOff:
			old.CutOff = time.Time{}
		case old.CutOff.IsZero():
			old.CutOff = b.now()
		}
		old.StoreFull = full
		return old, true
	})
}

// Next returns the bulletin as soon as its number is above after: at once if it is already. Start with 0. The errors are ctx.Err() and
// refusal.ErrClosed.
func (b *Board) Next(ctx context.Context, after uint64) (Bulletin, uint64, error) {
	return b.feed.Next(ctx, after)
}

// Watch returns the newest bulletin at once, and a channel that is closed when there is a newer one, for callers that also wait for other
// things.
func (b *Board) Watch() (now Bulletin, number uint64, newer <-chan struct{}) { return b.feed.Watch() }
