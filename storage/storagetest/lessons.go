package storagetest

import (
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/learning"
)

// lessons: what is learned only grows, is read for several accounts as that of one player, and goes with the account.
func lessons(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	learn := func(what string, id storage.PlayerID, game string, solved int, done bool, n int, want error) {
		t.Helper()
		wants(t, what, s.Learn(ctx, id, game, solved, done, minute(n)), want)
	}
	is := func(what string, want learning.Lessons, ids ...storage.PlayerID) {
		t.Helper()
		all, err := s.Lessons(ctx, ids...)
		wants(t, what, err, nil)
		same(t, what, all, want)
	}
	is("nothing", learning.Lessons{}, ann.ID)
	learn("a step", ann.ID, "tanks", 2, false, 1, nil)
	learn("the same step", ann.ID, "tanks", 2, false, 2, storage.ErrUnchanged)
	learn("an earlier one", ann.ID, "tanks", 1, false, 2, storage.ErrUnchanged)
	learn("none", ann.ID, "tanks", 0, false, 2, storage.ErrInvalid)
	learn("a game without a name", ann.ID, "", 1, false, 2, storage.ErrInvalid)
	learn("a stranger", "2222222222222222", "tanks", 1, false, 2, storage.ErrNotFound)
	learn("another game", ann.ID, "petteia", 1, false, 3, nil)
	learn("the last step", ann.ID, "tanks", 9, true, 4, nil)
	learn("once more", ann.ID, "tanks", 9, true, 5, storage.ErrUnchanged)
	learn("by another player", bob.ID, "petteia", 4, false, 6, nil)
	of := learning.Lessons{"tanks": {Solved: 9, Done: true, At: minute(4)}, "petteia": {Solved: 1, At: minute(3)}}
	is("of one", of, ann.ID)
	is("of two accounts", learning.Lessons{"tanks": of["tanks"], "petteia": {Solved: 4, At: minute(6)}}, ann.ID, bob.ID)
	_, err := s.DeletePlayer(ctx, ann.ID, minute(7))
	wants(t, "delete", err, nil)
	is("after that", learning.Lessons{}, ann.ID)
	learn("of a deleted player", ann.ID, "tanks", 1, false, 8, storage.ErrNotFound)
}
