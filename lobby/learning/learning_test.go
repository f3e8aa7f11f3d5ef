package learning

import (
	"context"
	"errors"
	"testing"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A store keeps lessons by account.
type store struct {
	kept map[storage.PlayerID]Lessons
	err  error
}

func (s *store) Learn(_ context.Context, id storage.PlayerID, game string, solved int, done bool, now time.Time) error {
	if s.err == nil {
		s.kept[id] = s.kept[id].With(game, Lesson{Solved: solved, Done: done, At: now})
	}
	return s.err
}

func (s *store) Lessons(_ context.Context, ids ...storage.PlayerID) (Lessons, error) {
	all := Lessons{}
	for _, id := range ids {
		for game, l := range s.kept[id] {
			all = all.With(game, l)
		}
	}
	return all, s.err
}

// people says that p2 was merged into p1, and that p3 is closed.
type people struct{}

func (people) MayPlay(u match.User) error {
	if u.ID == "p3" {
		return refusal.ErrAccountClosed
	}
	return nil
}

func (people) AccountsOf(id storage.PlayerID) []storage.PlayerID {
	if id == "p1" {
		return []storage.PlayerID{"p1", "p2"}
	}
	return []storage.PlayerID{id}
}

// TestLearning: what is solved is kept for players, of all their accounts, and not for guests.
func TestLearning(t *testing.T) {
	kept := &store{kept: map[storage.PlayerID]Lessons{"p2": {"tanks": {Solved: 9, Done: true}, "petteia": {Solved: 1}}}}
	s := New(Config{Store: kept, Restrictions: people{}, Now: time.Now})
	person := func(id string) match.User { return match.User{Kind: storage.Person, ID: id, Name: id} }
	guest := match.User{Kind: storage.Guest, ID: "g1"}
	ctx := t.Context()
	if err := s.Solved(ctx, person("p1"), "petteia", 3, false); err != nil {
		t.Error(err)
	}
	if err := s.Solved(ctx, guest, "petteia", 3, false); err != nil || len(kept.kept) != 2 {
		t.Errorf("of a guest %v is kept, %v", kept.kept, err)
	}
	if err := s.Solved(ctx, person("p3"), "petteia", 3, false); !errors.Is(err, refusal.ErrAccountClosed) {
		t.Errorf("a closed account: %v", err)
	}
	all, err := s.Lessons(ctx, person("p1"))
	if err != nil || all["petteia"].Solved != 3 || !all["tanks"].Done {
		t.Errorf("the lessons of both accounts are %v, %v", all, err)
	}
	if all, err := s.Lessons(ctx, guest); len(all) > 0 || err != nil {
		t.Errorf("a guest has %v, %v", all, err)
	}
	for from, want := range map[error]error{storage.ErrUnchanged: nil, storage.ErrNotFound: refusal.ErrNoAccount, storage.ErrDamaged: refusal.ErrBusy} {
		kept.err = from
		if err := s.Solved(ctx, person("p1"), "tanks", 1, false); !errors.Is(err, want) {
			t.Errorf("%v is told as %v", from, err)
		}
	}
}

// TestResume: a lesson goes on after the last step that was solved, and one that was done begins again.
func TestResume(t *testing.T) {
	for _, tt := range []struct {
		kept Lesson
		want int
	}{{Lesson{}, 1}, {Lesson{Solved: 3}, 4}, {Lesson{Solved: 8}, 9}, {Lesson{Solved: 9, Done: true}, 1}, {Lesson{Solved: 4, Done: true}, 1}, {Lesson{Solved: 12}, 1}} {
		if got := Resume(tt.kept, 9); got != tt.want {
			t.Errorf("%+v goes on at %d, want %d", tt.kept, got, tt.want)
		}
	}
}
