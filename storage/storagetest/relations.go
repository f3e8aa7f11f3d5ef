package storagetest

import (
	"fmt"
	"strings"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	relationstore "ludoteca/storage/relations"
)

func relations(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob, eva := signUp(t, s, "ann"), signUp(t, s, "bob"), signUp(t, s, "eva")
	relate := func(what string, kind relationstore.Kind, other storage.PlayerID, on bool, n int, want error) {
		t.Helper()
		_, err := s.Relate(ctx, ann.ID, kind, other, on, minute(n))
		wants(t, what, err, want)
	}
	relate("unfollow nobody", relationstore.Following, bob.ID, false, 1, storage.ErrUnchanged)
	relate("follow", relationstore.Following, bob.ID, true, 1, nil)
	relate("follow again", relationstore.Following, bob.ID, true, 2, storage.ErrUnchanged)
	relate("follow another", relationstore.Following, eva.ID, true, 3, nil)
	relate("follow a stranger", relationstore.Following, "2222222222222222", true, 3, storage.ErrNotFound)
	relate("follow oneself", relationstore.Following, ann.ID, true, 3, storage.ErrInvalid)
	_, err := s.Relate(ctx, "2222222222222222", relationstore.Following, bob.ID, true, minute(3))
	wants(t, "a stranger follows", err, storage.ErrNotFound)
	relate("block", relationstore.Blocked, bob.ID, true, 4, nil)
	want := relationstore.Lists{
		Following: []relationstore.Relation{{Player: eva.ID, Since: minute(3)}}, Blocked: []relationstore.Relation{{Player: bob.ID, Since: minute(4)}},
	}
	all, err := s.Relations(ctx)
	wants(t, "all", err, nil)
	same(t, "all", all, map[storage.PlayerID]relationstore.Lists{ann.ID: want})
	same(t, "in the account", account(t, s, ann.ID).Relations, want)
	same(t, "in the account of another", account(t, s, bob.ID).Relations, relationstore.Lists{})
	relate("unblock", relationstore.Blocked, bob.ID, false, 5, nil)
	relate("unfollow", relationstore.Following, eva.ID, false, 5, nil)
	all, err = s.Relations(ctx)
	wants(t, "none", err, nil)
	same(t, "none", all, map[storage.PlayerID]relationstore.Lists{})
}

// deletedRelations: the relations of a player go with the account. The places of players who are deleted are free again in full lists of
// others.
func deletedRelations(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	var others []accounts.Player
	for n := range relationstore.MaxRelations + 2 {
		others = append(others, signUp(t, s, fmt.Sprintf("%s%c", strings.Repeat("x", 1+n/20), 'a'+n%20)))
	}
	follow := func(what string, n int, want error) {
		t.Helper()
		_, err := s.Relate(ctx, ann.ID, relationstore.Following, others[n].ID, true, minute(n))
		wants(t, what, err, want)
	}
	for n := range relationstore.MaxRelations {
		follow("follow", n, nil)
	}
	follow("one too many", relationstore.MaxRelations, relationstore.ErrManyRelations)
	_, err := s.DeletePlayer(ctx, others[7].ID, minute(1000))
	wants(t, "delete another", err, nil)
	follow("in the free place", relationstore.MaxRelations, nil)
	follow("one too many again", relationstore.MaxRelations+1, relationstore.ErrManyRelations)
	if list := account(t, s, ann.ID).Relations.Following; len(list) != relationstore.MaxRelations || list[7].Player != others[8].ID {
		t.Errorf("%d are followed", len(list))
	}
	_, err = s.DeletePlayer(ctx, ann.ID, minute(1001))
	wants(t, "delete", err, nil)
	all, err := s.Relations(ctx)
	wants(t, "after that", err, nil)
	same(t, "after that", all, map[storage.PlayerID]relationstore.Lists{})
}
