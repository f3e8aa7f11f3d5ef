package lobby

import (
	"runtime"
	"testing"

	"ludoteca/lobby/registry"
)

// TestAMatchIsAlwaysFound: a match that ends is among the finished ones before the registry forgets it. Else somebody who looks for
// it in between would get another feed, from the records, and miss its rematch.
func TestAMatchIsAlwaysFound(t *testing.T) {
	c := newClub(t)
	a, r := c.start()
	c.play(a, r, win[:6]...)
	want, err := c.Matches.Feed(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	listed, held := c.news.listed, make(chan struct{})
	c.news.listed = func(change registry.Change) { // the match waits after the registry has changed
		<-held
		listed(change)
	}
	ended := make(chan error)
	go func() { ended <- a.Move(t.Context(), win[6], 6) }()
	for m := c.registry.Find(a.ID()).Summary; m != nil; m = c.registry.Find(a.ID()).Summary {
		runtime.Gosched()
	}
	got, err := c.Matches.Feed(t.Context(), a.ID())
	close(held)
	if got != want || err != nil {
		t.Errorf("another feed, error %v", err)
	}
	wantErr(t, "the last move", <-ended, nil)
}
