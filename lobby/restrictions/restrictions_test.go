package restrictions

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

// A fake is a Store of accounts: what is in force about them, and the names of players who had another one.
type fake struct {
	restrictions map[storage.PlayerID]accounts.Restriction
	names        map[storage.PlayerID]string
	err          error
}

func (f *fake) Restrictions(context.Context) (map[storage.PlayerID]accounts.Restriction, error) {
	return maps.Clone(f.restrictions), f.err
}

func (f *fake) FormerNames(context.Context) (map[storage.PlayerID][]string, error) {
	former := map[storage.PlayerID][]string{}
	for id := range f.names {
		former[id] = []string{"before"}
	}
	return former, nil
}

func (f *fake) Player(_ context.Context, id storage.PlayerID) (accounts.Player, error) {
	return accounts.Player{ID: id, Name: f.names[id]}, nil
}

func (f *fake) Bans(context.Context) ([]operators.Ban, error) { return nil, nil }

func (f *fake) Announcement(context.Context) (operators.Announcement, error) {
	return operators.Announcement{}, nil
}

func (f *fake) LoungeClosed(context.Context) (bool, error) { return false, nil }

// TestChanges: each reading but the first passes on what has changed since the one before, and nothing after an error.
func TestChanges(t *testing.T) {
	store := &fake{
		restrictions: map[storage.PlayerID]accounts.Restriction{"old": {Closed: true}, "muted": {Muted: time.Unix(1, 0)}},
		names:        map[storage.PlayerID]string{"ana": "Ana", "gone": accounts.FormerPlayer},
	}
	var changes []Change
	s := New(Config{
		Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler), Tasks: tasks.NewGroup(),
		Announced: func(operators.Announcement) {}, Changed: func(_ context.Context, c Change) { changes = append(changes, c) },
	})
	if err := s.Read(t.Context()); err != nil || len(changes) > 0 {
		t.Fatalf("the first reading: %v, changes %v", err, changes)
	}
	closed := func(into storage.PlayerID) accounts.Restriction {
		return accounts.Restriction{Closed: true, Into: into}
	}
	for _, step := range []struct {
		name   string
		change func()
		want   Change
	}{
		{"nothing", func() {}, Change{}},
		{"a name", func() { store.names["ana"] = "Eva" }, Change{Renamed: []storage.PlayerID{"ana"}}},
		{"a deletion", func() { store.names["rui"] = accounts.FormerPlayer }, Change{Renamed: []storage.PlayerID{"rui"}, Deleted: []storage.PlayerID{"rui"}}},
		{"a name that is free again", func() { delete(store.names, "gone") }, Change{}},
		{"a closing", func() { store.restrictions["eve"] = closed("") }, Change{Closed: []storage.PlayerID{"eve"}}},
		{"a merge", func() { store.restrictions["two"] = closed("one") }, Change{Closed: []storage.PlayerID{"two"}, Merged: []storage.PlayerID{"one", "two"}}},
		{"another account of it", func() { store.restrictions["two"] = closed("three") }, Change{Merged: []storage.PlayerID{"one", "three", "two"}}},
		{"a merge that is undone", func() { delete(store.restrictions, "two") }, Change{Merged: []storage.PlayerID{"three", "two"}}},
		{"a reopening", func() { store.restrictions["eve"] = accounts.Restriction{} }, Change{}},
	} {
		changes = nil
		step.change()
		if err := s.Read(t.Context()); err != nil || len(changes) != 1 {
			t.Fatalf("%s: %v, %d changes", step.name, err, len(changes))
		}
		got := changes[0]
		slices.Sort(got.Merged)
		step.want.InForce = true
		if !reflect.DeepEqual(got, step.want) {
			t.Errorf("%s: %+v, want %+v", step.name, got, step.want)
		}
	}

	changes = nil
	store.names["ana"] = "Zoe"
	if err := s.changedElsewhere(t.Context()); err != nil || len(changes) != 1 || !changes[0].Elsewhere || !slices.Equal(changes[0].Renamed, []storage.PlayerID{"ana"}) {
		t.Errorf("another node has changed a name: %v, changes %+v", err, changes)
	}

	changes, store.err = nil, errors.New("no answer")
	store.names["ana"] = "Ana"
	if err := s.Read(t.Context()); !errors.Is(err, refusal.ErrBusy) || len(changes) > 0 || s.Names()["ana"] != "Zoe" {
		t.Errorf("without a store: %v, changes %+v, the name is %s", err, changes, s.Names()["ana"])
	}
}
