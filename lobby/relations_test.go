package lobby_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	relationstore "ludoteca/storage/relations"
)

// names returns a list of a user, by names.
func (o *office) names(u lobby.User, kind relationstore.Kind) []string {
	o.t.Helper()
	all, err := o.Relations.Related(o.t.Context(), u, kind)
	if err != nil {
		o.t.Fatal(err)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return names
}

func TestRelations(t *testing.T) {
	o := newOffice(t)
	o.account("eva")
	o.relate(o.Accounts.Guest("1"), relations.Following, "rui", true, lobby.ErrNeedsKey)
	o.relate(o.ana, relations.Following, "nobody", true, lobby.ErrNoSuchPlayer)
	o.relate(o.ana, relations.Following, "ANA", true, lobby.ErrOneself)
	o.relate(o.ana, relations.Following, "RUI", true, nil)
	o.relate(o.ana, relations.Following, "rui", true, lobby.ErrUnchanged)
	o.relate(o.ana, relations.Following, "eva", true, nil)
	leave := o.Presence.Enter(o.rui)
	all, err := o.Relations.Related(t.Context(), o.ana, relations.Following)
	if err != nil || len(all) != 2 || all[0].Name != "rui" || !all[0].Online || all[1].Name != "eva" || all[1].Online {
		t.Errorf("ana follows %+v, %v", all, err)
	}
	leave()
	o.relate(o.ana, relations.Blocked, "rui", true, nil)
	if got := o.names(o.ana, relations.Following); !slices.Equal(got, []string{"eva"}) {
		t.Errorf("after rui is blocked ana follows %v", got)
	}
	o.must(o.Rename(t.Context(), "rui", "raul", "x"))
	o.shut()
	o.open()
	if got := o.names(o.ana, relations.Blocked); !slices.Equal(got, []string{"raul"}) {
		t.Errorf("after a restart ana blocks %v", got)
	}
	if !o.Relations.Blocks(o.ana, o.rui) || !o.Relations.Blocks(o.rui, o.ana) || o.Relations.Blocks(o.ana, o.Accounts.Guest("1")) {
		t.Error("who blocks whom")
	}
	o.relate(o.ana, relations.Blocked, "raul", false, nil)
	o.relate(o.ana, relations.Blocked, "raul", false, lobby.ErrUnchanged)
	if o.Relations.Blocks(o.ana, o.rui) {
		t.Error("rui is blocked still")
	}
}

// TestBlockedOffers: neither takes an offer of the other, not even by its code.
func TestBlockedOffers(t *testing.T) {
	o := newOffice(t)
	o.relate(o.ana, relations.Blocked, "rui", true, nil)
	for _, by := range []lobby.User{o.ana, o.rui} {
		other := map[lobby.User]lobby.User{o.ana: o.rui, o.rui: o.ana}[by]
		ref, err := o.Lobby.Seats.Open(t.Context(), by, seats.Spec{Game: "fourmation", Public: true})
		wantErr(t, "open", err, nil)
		_, err = o.Seats.Take(t.Context(), other, ref.ID)
		wantErr(t, "take", err, lobby.ErrUnavailable)
		_, err = o.Seats.Join(t.Context(), other, origin.Origin{}, ref.Code)
		wantErr(t, "join", err, lobby.ErrUnavailable)
		_, err = o.Seats.Join(t.Context(), o.Accounts.Guest("1"), origin.Origin{}, ref.Code)
		wantErr(t, "a guest joins", err, nil)
	}
}

// TestRelationsOfMergedAccounts: a player who has blocked or followed an account blocks or follows the account that it is merged into.
func TestRelationsOfMergedAccounts(t *testing.T) {
	o := newOffice(t)
	eva, bia := o.account("eva"), o.account("bia")
	o.relate(o.ana, relations.Blocked, "rui", true, nil)
	o.relate(bia, relations.Following, "rui", true, nil)
	o.relate(o.rui, relations.Blocked, "bia", true, nil)
	merge := o.must(o.Merge(t.Context(), "rui", "eva", "one person"))
	if !o.Relations.Blocks(o.ana, eva) || !o.Relations.Blocks(eva, bia) {
		t.Error("the blocks are gone with the account")
	}
	if got := o.names(o.ana, relations.Blocked); !slices.Equal(got, []string{"eva"}) {
		t.Errorf("ana blocks %v", got)
	}
	if got := o.names(eva, relations.Blocked); !slices.Equal(got, []string{"bia"}) {
		t.Errorf("eva blocks %v", got)
	}
	o.relate(o.ana, relations.Blocked, "eva", true, lobby.ErrUnchanged)
	o.relate(eva, relations.Blocked, "bia", false, nil)
	o.relate(eva, relations.Blocked, "rui", true, lobby.ErrOneself)
	if o.Relations.Blocks(eva, bia) {
		t.Error("eva still blocks bia")
	}
	o.must(o.Undo(t.Context(), merge.Number, "two people"))
	if o.Relations.Blocks(o.ana, eva) || !o.Relations.Blocks(o.ana, o.rui) {
		t.Error("the undoing of the merge leaves the blocks with the wrong account")
	}
	o.relate(o.ana, relations.Blocked, "rui", false, nil)
}

// TestRelationsOfDeletedAccounts: they are in no list, and listen to nobody.
func TestRelationsOfDeletedAccounts(t *testing.T) {
	o := newOffice(t)
	o.relate(o.ana, relations.Following, "rui", true, nil)
	o.relate(o.rui, relations.Blocked, "ana", true, nil)
	wantErr(t, "delete", o.Accounts.DeleteAccount(t.Context(), o.rui, o), nil)
	if got := o.names(o.ana, relations.Following); len(got) != 0 {
		t.Errorf("ana follows %v", got)
	}
	if o.Relations.Blocks(o.ana, o.rui) {
		t.Error("a deleted account blocks")
	}
}

func TestArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		for _, name := range []string{"rui", "eva"} {
			if _, err := c.Relations.Relate(t.Context(), c.ana, relations.Following, name, true); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Relations.Relate(t.Context(), eva, relations.Blocked, "ana", true); err != nil {
			t.Fatal(err)
		}
		news, leave := c.Relations.Arrivals(c.ana)
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
		gone := c.Presence.Enter(c.rui)
		want("rui comes", "rui")
		c.Presence.Enter(c.rui)()
		want("a second session of rui")
		gone()
		gone = c.Presence.Enter(c.rui)
		want("rui is back at once")
		gone()
		time.Sleep(10 * time.Minute)
		gone = c.Presence.Enter(c.rui)
		want("rui is back later", "rui")
		gone()
		defer c.Presence.Enter(eva)()
		want("eva, who blocks ana, comes")
		defer c.Presence.Enter(c.guest)()
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

// block lets rui be blocked by ana.
func (c *club) block() {
	c.t.Helper()
	_, err := c.Relations.Relate(c.t.Context(), c.ana, relations.Blocked, "rui", true)
	wantErr(c.t, "blocking", err, nil)
}

// TestBlockWithdraws: a block ends the challenges and rematches that are open between the two, and no others.
func TestBlockWithdraws(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		a, b := c.start()
		c.play(a, b, "d4", "e4", "d5", "e5")
		wantErr(t, "resigning", a.Resign(t.Context()), nil)
		_, err := b.Rematch(t.Context())
		wantErr(t, "rui asks for a rematch", err, nil)
		c.open(c.rui, seats.Spec{Game: "petteia", To: "ana"})
		c.open(c.ana, seats.Spec{Game: "petteia", To: "rui"})
		evas := c.open(eva, seats.Spec{Game: "petteia", To: "ana"})
		c.block()
		synctest.Wait()
		if y := c.Lists.Yours(c.ana); len(y.Matches) != 0 || len(y.Invitations) != 1 || y.Invitations[0].Ref != evas {
			t.Errorf("ana has %+v", y)
		}
		if y := c.Lists.Yours(c.rui); len(y.Matches)+len(y.Invitations) != 0 {
			t.Errorf("rui has %+v", y)
		}
	})
}

// inARow is how many wishes for a match a player may send another one in a row.
const inARow = 3

// TestBlockedRematch: a player who is blocked can't ask for a rematch, and others, whose rematches are declined, a few times only.
func TestBlockedRematch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		finished := func() (a, b *seats.Seat) {
			a, b = c.start()
			c.play(a, b, "d4", "e4", "d5", "e5")
			wantErr(t, "resigning", a.Resign(t.Context()), nil)
			return a, b
		}
		a, b := finished()
		asked := 0
		for range 30 {
			ref, err := b.Rematch(t.Context())
			if err != nil {
				wantErr(t, "asking again", err, lobby.ErrTooFast)
				continue
			}
			asked++
			wantErr(t, "declining", c.seat(c.ana, ref.ID).Abort(t.Context()), nil)
		}
		if asked != inARow {
			t.Errorf("%d of 30 wishes for a rematch reach ana, want %d", asked, inARow)
		}
		time.Sleep(time.Hour)
		for range 10 { // those that are taken cost nothing
			_, err := b.Rematch(t.Context())
			wantErr(t, "asking", err, nil)
			ref, err := a.Rematch(t.Context())
			wantErr(t, "agreeing", err, nil)
			a, b = c.seat(c.ana, ref.ID), c.seat(c.rui, ref.ID)
			c.play(a, b, "d4", "e4", "d5", "e5")
			wantErr(t, "resigning", a.Resign(t.Context()), nil)
			time.Sleep(time.Minute)
		}
		c.block()
		_, err := b.Rematch(t.Context())
		wantErr(t, "rui, who is blocked", err, lobby.ErrUnavailable)
		if y := c.Lists.Yours(c.ana); len(y.Invitations) > 0 {
			t.Errorf("ana sees %+v", y.Invitations)
		}
	})
}

// TestBlockIsHidden: to a player who is blocked the other one isn't here, offers nothing, and refuses challenges as one to whom enough are open.
func TestBlockIsHidden(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.ChallengesTo = 1 })
		eva, bia := c.account("eva"), c.account("bia")
		for _, u := range []lobby.User{c.ana, c.rui, eva} {
			defer c.Presence.Enter(u)()
		}
		_, err := c.Relations.Relate(t.Context(), c.rui, relations.Following, "ana", true)
		wantErr(t, "rui follows ana", err, nil)
		offer := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		c.open(bia, seats.Spec{Game: "fourmation", To: "eva"}) // eva takes no more
		c.block()
		for _, test := range []struct {
			by   lobby.User
			here bool
		}{{c.rui, false}, {bia, true}} {
			who, online, listed := c.People.Who(t.Context(), test.by), false, false
			for _, p := range who.Here {
				online = online || p.Name == "ana"
			}
			p, err := c.Standings.Profile(t.Context(), test.by, "ana")
			wantErr(t, "the profile", err, nil)
			for _, o := range c.settled(test.by).Offers {
				listed = listed || o.ID == offer.ID
			}
			if online != test.here || p.Online != test.here || listed != test.here || len(c.Lists.Offers(test.by, "")) > 0 != test.here || len(who.Here) != who.Count {
				t.Errorf("%s sees ana here: %v, in the profile: %v, her offer: %v, of %d here %d", test.by.Name, online, p.Online, listed, who.Count, len(who.Here))
			}
		}
		following, err := c.Relations.Related(t.Context(), c.rui, relations.Following)
		if err != nil || len(following) != 1 || following[0].Online {
			t.Errorf("rui follows %+v, %v", following, err)
		}
		ask := func(name string) (errs []error) { // more than the pace allows
			for range inARow + 2 {
				_, err := c.Seats.Open(t.Context(), c.rui, seats.Spec{Game: "fourmation", To: name})
				errs = append(errs, err)
			}
			return errs
		}
		blocked, full := ask("ana"), ask("eva")
		for i := range blocked {
			if blocked[i] == nil || full[i] == nil || blocked[i].Error() != full[i].Error() {
				t.Errorf("number %d: %v to ana, %v to eva", i, blocked[i], full[i])
			}
		}
		if o, err := c.Challenges.Opponent(t.Context(), c.rui, "ana"); err != nil || o.Both {
			t.Errorf("as an opponent ana is %+v, %v", o, err)
		}
	})
}

// TestChallengeDisplaces: when the limit of challenges wait for a player, challenges of strangers and young accounts make room for people whom
// the player knows.
func TestChallengeDisplaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.ChallengesTo = 3 })
		old := []lobby.User{c.account("old1"), c.account("old2"), c.account("old3"), c.account("old4")}
		a, b := c.start()
		c.play(a, b, "d4", "e4", "d5", "e5")
		wantErr(t, "resigning", a.Resign(t.Context()), nil)
		friend := c.account("friend")
		_, err := c.Relations.Relate(t.Context(), c.ana, relations.Following, "friend", true)
		wantErr(t, "following", err, nil)
		time.Sleep(24 * time.Hour) // their accounts are young until then
		challenge := func(from lobby.User, want error) {
			t.Helper()
			_, err := c.Seats.Open(t.Context(), from, seats.Spec{Game: "fourmation", To: "ana"})
			wantErr(t, from.Name, err, want)
			time.Sleep(time.Millisecond) // none is as old as another
		}
		waiting := func(want ...string) {
			t.Helper()
			var got []string
			for _, o := range c.Lists.Yours(c.ana).Invitations {
				got = append(got, o.By.Name)
			}
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("ana is challenged by %v, want %v", got, want)
			}
		}
		for _, name := range []string{"new1", "new2", "new3"} {
			challenge(c.account(name), nil)
		}
		challenge(c.account("new4"), lobby.ErrUnavailable)
		challenge(c.guest, lobby.ErrUnavailable)
		challenge(old[0], nil)
		waiting("new2", "new3", "old1")
		challenge(old[1], nil)
		challenge(old[2], nil)
		challenge(old[3], lobby.ErrUnavailable)
		waiting("old1", "old2", "old3")
		challenge(c.rui, nil) // they have played
		challenge(friend, nil)
		waiting("friend", "old3", "rui")
	})
}
