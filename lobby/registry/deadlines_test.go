package registry

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// scheduled is a Node for which the deadline of a match is LastAt.
type scheduled struct{ alone }

func (scheduled) Due(_ *live.Waiting, s *match.Summary) time.Time { return s.LastAt }

// TestDueInOrder: matches are due in the order of their deadlines, each once. A changed match is due at its new deadline, and an ended one never.
func TestDueInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		r := New(limits.NewInForce(limits.Default()), scheduled{}, true)
		add := func(i int, events uint64, after time.Duration) {
			s := &match.Summary{Ref: match.Ref{ID: storage.MatchID(fmt.Sprint(i))}, Events: events}
			if after > 0 {
				s.LastAt = begin.Add(after)
			}
			r.Follow(s)
		}
		for i, after := range []int{5, 3, 0, 4, 1, 2} {
			add(i, 1, time.Duration(after)*time.Minute)
		}
		add(1, 2, 6*time.Minute)
		r.FollowEnd("3")
		select {
		case <-r.Due:
		default:
			t.Error("Due holds nothing after matches were added")
		}
		var got []storage.MatchID
		for {
			id, next := r.TakeDue(time.Now())
			if id != "" {
				got = append(got, id)
			} else if next.IsZero() {
				break
			} else {
				time.Sleep(time.Until(next))
			}
		}
		if want := []storage.MatchID{"4", "5", "0", "1"}; !slices.Equal(got, want) || time.Since(begin) != 6*time.Minute {
			t.Errorf("due: %v after %v, want %v", got, time.Since(begin), want)
		}
	})
}

// TestFailedLoadIsRetried: a due match that can't be loaded is due again after retryLoad, and Wait returns the error.
func TestFailedLoadIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(limits.NewInForce(limits.Default()), scheduled{}, false)
		r.Add(&match.Summary{Ref: match.Ref{ID: "m"}, LastAt: time.Now()})
		if id, _ := r.TakeDue(time.Now()); id != "m" {
			t.Fatalf("due: %q", id)
		}
		_, load, first := r.Use("m")
		if _, again, second := r.Use("m"); !first || second || again != load {
			t.Fatalf("to be loaded: %v, and %v by another one", first, second)
		}
		why := errors.New("unreadable")
		load.Failed(why)
		if m, err := load.Wait(t.Context()); m != nil || err != why {
			t.Errorf("loaded: %v, %v", m, err)
		}
		if id, next := r.TakeDue(time.Now()); id != "" || time.Until(next) != retryLoad {
			t.Errorf("due: %q, and then in %v, want %v", id, time.Until(next), retryLoad)
		}
	})
}
