package lobby

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// names returns a list of a user, by names.
func (o *office) names(u User, kind storage.RelationKind) []string {
	o.t.Helper()
	all, err := o.Related(o.t.Context(), u, kind)
	if err != nil {
		o.t.Fatal(err)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return names
}

func (o *office) relate(u User, kind storage.RelationKind, name string, on bool, want error) {
	o.t.Helper()
	_, err := o.Relate(o.t.Context(), u, kind, name, on)
	wantErr(o.t, name, err, want)
}

func TestRelations(t *testing.T) {
	o := newOffice(t)
	o.account("eva")
	o.relate(o.Guest("1"), Following, "rui", true, ErrNeedsKey)
	o.relate(o.ana, Following, "nobody", true, ErrNoSuchPlayer)
	o.relate(o.ana, Following, "ANA", true, ErrOneself)
	o.relate(o.ana, Following, "RUI", true, nil)
	o.relate(o.ana, Following, "rui", true, ErrUnchanged)
	o.relate(o.ana, Following, "eva", true, nil)
	leave := o.Enter(o.rui)
	all, err := o.Related(t.Context(), o.ana, Following)
	if err != nil || len(all) != 2 || all[0].Name != "rui" || !all[0].Online || all[1].Name != "eva" || all[1].Online {
		t.Errorf("ana follows %+v, %v", all, err)
	}
	leave()
	o.relate(o.ana, Blocked, "rui", true, nil)
	if got := o.names(o.ana, Following); !slices.Equal(got, []string{"eva"}) {
		t.Errorf("after rui is blocked ana follows %v", got)
	}
	o.must(o.Rename(t.Context(), "rui", "raul", "x"))
	o.shut()
	o.open()
	if got := o.names(o.ana, Blocked); !slices.Equal(got, []string{"raul"}) {
		t.Errorf("after a restart ana blocks %v", got)
	}
	if !o.Blocks(o.ana, o.rui) || !o.Blocks(o.rui, o.ana) || o.Blocks(o.ana, o.Guest("1")) {
		t.Error("who blocks whom")
	}
	o.relate(o.ana, Blocked, "raul", false, nil)
	o.relate(o.ana, Blocked, "raul", false, ErrUnchanged)
	if o.Blocks(o.ana, o.rui) {
		t.Error("rui is blocked still")
	}
}

// TestBlockedOffers: neither takes an offer of the other, not even by its code.
func TestBlockedOffers(t *testing.T) {
	o := newOffice(t)
	o.relate(o.ana, Blocked, "rui", true, nil)
	for _, by := range []User{o.ana, o.rui} {
		other := map[User]User{o.ana: o.rui, o.rui: o.ana}[by]
		ref, err := o.Lobby.Open(t.Context(), by, Spec{Game: "fourmation", Public: true})
		wantErr(t, "open", err, nil)
		_, err = o.Take(t.Context(), other, ref.ID)
		wantErr(t, "take", err, ErrBlocked)
		_, err = o.Join(t.Context(), other, origin.Origin{}, ref.Code)
		wantErr(t, "join", err, ErrBlocked)
		_, err = o.Join(t.Context(), o.Guest("1"), origin.Origin{}, ref.Code)
		wantErr(t, "a guest joins", err, nil)
	}
}

// TestRelationsOfMergedAccounts: who has blocked or followed an account has done so to the one that it was merged with.
func TestRelationsOfMergedAccounts(t *testing.T) {
	o := newOffice(t)
	eva, bia := o.account("eva"), o.account("bia")
	o.relate(o.ana, Blocked, "rui", true, nil)
	o.relate(bia, Following, "rui", true, nil)
	o.relate(o.rui, Blocked, "bia", true, nil)
	merge := o.must(o.Merge(t.Context(), "rui", "eva", "one person"))
	if !o.Blocks(o.ana, eva) || !o.Blocks(eva, bia) {
		t.Error("the blocks are gone with the account")
	}
	if got := o.names(o.ana, Blocked); !slices.Equal(got, []string{"eva"}) {
		t.Errorf("ana blocks %v", got)
	}
	if got := o.names(eva, Blocked); !slices.Equal(got, []string{"bia"}) {
		t.Errorf("eva blocks %v", got)
	}
	o.relate(o.ana, Blocked, "eva", true, ErrUnchanged)
	o.relate(eva, Blocked, "bia", false, nil)
	o.relate(eva, Blocked, "rui", true, ErrOneself)
	if o.Blocks(eva, bia) {
		t.Error("eva still blocks bia")
	}
	o.must(o.Undo(t.Context(), merge.Number, "two people"))
	if o.Blocks(o.ana, eva) || !o.Blocks(o.ana, o.rui) {
		t.Error("the undoing of the merge leaves the blocks with the wrong account")
	}
	o.relate(o.ana, Blocked, "rui", false, nil)
}

// TestRelationsOfDeletedAccounts: they are in no list, and listen to nobody.
func TestRelationsOfDeletedAccounts(t *testing.T) {
	o := newOffice(t)
	o.relate(o.ana, Following, "rui", true, nil)
	o.relate(o.rui, Blocked, "ana", true, nil)
	wantErr(t, "delete", o.DeleteAccount(t.Context(), o.rui, o), nil)
	if got := o.names(o.ana, Following); len(got) != 0 {
		t.Errorf("ana follows %v", got)
	}
	if o.Blocks(o.ana, o.rui) {
		t.Error("a deleted account blocks")
	}
}

func TestArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		for _, name := range []string{"rui", "eva"} {
			if _, err := c.Relate(t.Context(), c.ana, Following, name, true); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Relate(t.Context(), eva, Blocked, "ana", true); err != nil {
			t.Fatal(err)
		}
		news, leave := c.Arrivals(c.ana)
		defer leave()
		told := make(chan []string)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for {
				names, err := news.Next(ctx)
				if err != nil {
					close(told)
					return
				}
				told <- names
			}
		}()
		want := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			select {
			case got = <-told:
			default:
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: ana hears of %v, want %v", what, got, want)
			}
		}
		gone := c.Enter(c.rui)
		want("rui comes", "rui")
		c.Enter(c.rui)()
		want("a second session of rui")
		gone()
		gone = c.Enter(c.rui)
		want("rui is back at once")
		gone()
		time.Sleep(10 * time.Minute)
		gone = c.Enter(c.rui)
		want("rui is back later", "rui")
		gone()
		defer c.Enter(eva)()
		want("eva, who blocks ana, comes")
		defer c.Enter(c.guest)()
		want("a guest comes")
		cancel()
		if _, open := <-told; open {
			t.Error("the listener goes on")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
