package lists

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// heldStore is a Store without matches, each reading of which waits for an answer.
type heldStore struct {
	begun   chan struct{}
	answers chan error
}

func (s heldStore) History(ctx context.Context, _ results.HistoryQuery) ([]results.Finished, error) {
	s.begun <- struct{}{}
	select {
	case err := <-s.answers:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (heldStore) RatingsIn(context.Context, string, []storage.PlayerID) (map[storage.PlayerID]results.Rating, error) {
	return nil, nil
}

// TestLastMatchIsReadForAll: the last match is read once for all who wait for it. One who leaves does not end the reading, and after an error the
// next one who asks has it read again.
func TestLastMatchIsReadForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, store := tasks.NewGroup(), heldStore{make(chan struct{}, 10), make(chan error)}
		tv := &Television{config: Config{Tasks: group}, store: store}
		go group.Run(0, func() {})
		defer group.Close()
		ask := func(ctx context.Context) chan error {
			got := make(chan error, 1)
			go func() {
				_, err := tv.LastMatch(ctx)
				got <- err
			}()
			synctest.Wait()
			return got
		}
		want := func(what string, got chan error, want error) {
			t.Helper()
			synctest.Wait()
			select {
			case err := <-got:
				if !errors.Is(err, want) || (err == nil) != (want == nil) {
					t.Errorf("%s: error %v, want %v", what, err, want)
				}
			default:
				t.Errorf("%s waits", what)
			}
		}
		wantRead := func(n int) {
			t.Helper()
			if len(store.begun) != n {
				t.Errorf("it was read %d times, want %d", len(store.begun), n)
			}
		}
		impatient, leave := context.WithCancel(t.Context())
		first, second := ask(impatient), ask(t.Context())
		leave()
		want("the one who leaves", first, context.Canceled)
		store.answers <- errors.New("the store is busy")
		want("the one who stays", second, refusal.ErrBusy)
		wantRead(1)
		third, fourth := ask(t.Context()), ask(t.Context())
		store.answers <- nil
		want("the one who asks after an error", third, nil)
		want("another one", fourth, nil)
		wantRead(2)
		want("while it is new", ask(t.Context()), nil)
		wantRead(2)
		time.Sleep(lastMatchKept)
		last := ask(t.Context())
		wantRead(3)
		group.Close()
		want("when the club closes", last, refusal.ErrClosed)
	})
}
