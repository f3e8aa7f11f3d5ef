package matches

import (
	"fmt"
	"slices"
	"testing"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// TestFinishedMatchesAreEvicted: of the finished matches in memory the one that was used longest ago goes first, one that is read stays, and the
// newest one is there whatever it costs.
func TestFinishedMatchesAreEvicted(t *testing.T) {
	const plies = 10 // in each match
	for _, tt := range []struct {
		name string
		room int                                                  // matches
		then func(c *finishedCache, id func(int) storage.MatchID) // after three matches have come
		more int                                                  // matches that come after that
		want []int                                                // matches in memory, the one used last at the end
	}{
		{"all have room", 3, nil, 0, []int{0, 1, 2}},
		{"the oldest goes", 3, nil, 1, []int{1, 2, 3}},
		{"one used again stays", 3, func(c *finishedCache, id func(int) storage.MatchID) { c.get(id(0)) }, 2, []int{0, 3, 4}},
		{"one that is read stays", 3, func(c *finishedCache, id func(int) storage.MatchID) { c.get(id(1)).Attend(); c.get(id(2)) }, 3, []int{1, 4, 5}},
		{"no room", 0, nil, 1, []int{3}},
		{"another feed of the same match", 3, func(c *finishedCache, id func(int) storage.MatchID) { c.put(id(1), nil, plies) }, 0, []int{0, 1, 2}},
		{"records change", 3, func(c *finishedCache, id func(int) storage.MatchID) { c.get(id(1)).Attend(); c.clear() }, 1, []int{1, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, group := newFinishedCache(tt.room*(plies+matchPlies)), feed.NewGroup()
			id := func(i int) storage.MatchID { return storage.MatchID(fmt.Sprint(i)) }
			feeds := make([]*feed.Feed[*match.View], 3+tt.more)
			for i := range feeds {
				if i == 3 && tt.then != nil {
					tt.then(c, id)
				}
				feeds[i] = feed.New[*match.View](group)
				if got := c.put(id(i), feeds[i], plies); got != feeds[i] {
					t.Errorf("another feed of match %d", i)
				}
			}
			if tt.more == 0 && tt.then != nil {
				tt.then(c, id)
			}
			var want []storage.MatchID
			for _, i := range tt.want {
				want = append(want, id(i))
			}
			if got := c.recent.Keys(); !slices.Equal(got, want) || c.plies != len(want)*(plies+matchPlies) {
				t.Errorf("in memory: %v with %d moves, want %v", got, c.plies, want)
			}
			for i, f := range feeds {
				if got := c.get(id(i)); slices.Contains(tt.want, i) != (got == f) || !slices.Contains(tt.want, i) && got != nil {
					t.Errorf("match %d: another feed", i)
				}
			}
		})
	}
}
