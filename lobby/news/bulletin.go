package news

import (
	"time"

	"ludoteca/lobby/bulletin"
)

// Bulletin returns what a bulletin has that the one before had not, at a time: that the node is cut off from the store or reaches it again, and
// then an announcement. An announcement that has expired is none.
func Bulletin(old, b bulletin.Bulletin, now time.Time) (items []Item) {
	switch is, was := !b.CutOff.IsZero(), !old.CutOff.IsZero(); {
	case is && (!was || b.StoreFull != old.StoreFull):
		items = append(items, Item{Kind: CutOff, At: b.CutOff, Full: b.StoreFull})
	case was && !is:
		items = append(items, Item{Kind: Reached, At: now, Full: old.StoreFull})
	}
	if (b.Text != old.Text || !b.Until.Equal(old.Until)) && b.Text != "" && now.Before(b.Until) {
		items = append(items, Item{Kind: Announced, At: b.Until.Add(-bulletin.AnnouncementLife), Text: b.Text})
	}
	return items
}
