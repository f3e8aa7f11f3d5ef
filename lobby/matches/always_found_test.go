package matches

import (
	"testing"

	"ludoteca/lobby/registry"
)

// TestAMatchIsAlwaysFound: a match that ends is among the finished ones before the registry forgets it. Else a user who looks for
// it in between would get another feed, from the records, and miss its rematch.
func TestAMatchIsAlwaysFound(t *testing.T) {
	c := newClub(t, 1000)
	const id = "abcdefgh"
	c.open(t, id, "K7QM2X")
	for ply := range win[1:] {
		if err := c.move(t, id, ply); err != nil {
			t.Fatal(err)
		}
	}
	want, err := c.Feed(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	removed, held := make(chan struct{}), make(chan struct{})
	c.news.filed = func(registry.Change) { // the match waits after the registry has changed
		close(removed)
		<-held
	}
	ended := make(chan error, 1)
	go func() { ended <- c.move(t, id, len(win)-1) }()
	<-removed
	if c.GoesOn(id) {
		t.Error("the registry has not forgotten the match")
	}
	got, err := c.Feed(t.Context(), id)
	close(held)
	if got != want || err != nil {
		t.Errorf("another feed, error %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the last move: %v", err)
	}
}
