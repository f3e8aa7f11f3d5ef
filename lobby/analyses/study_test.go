package analyses

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// TestStudyStaysPrivate: the id of a study that is being analysed leads nobody to it by the analyses of matches.
func TestStudyStaysPrivate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Config{Feeds: feed.NewGroup(), Store: new(fakeStore), Max: 10, Match: func(context.Context, storage.MatchID) (*match.View, error) {
			return nil, refusal.ErrNoSuchMatch
		}})
		_, leave, err := q.add(origin.Origin{Person: "ana"}, &item{id: "s1", study: new(match.View), total: 10})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		if p, err := q.Next(t.Context(), origin.Origin{Person: "rui"}, "s1", 0); !errors.Is(err, refusal.ErrNoSuchMatch) {
			t.Errorf("another player gets %+v, %v", p, err)
		}
	})
}
