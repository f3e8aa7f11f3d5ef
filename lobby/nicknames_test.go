package lobby_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// TestNickname: a guest who is here chooses a nickname, which shows everywhere until the guest leaves. Matches keep the name that they began with.
func TestNickname(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx := t.Context()
		plain := c.guest.Name
		if _, err := c.Nicknames.Choose(ctx, c.guest, "otter"); !errors.Is(err, lobby.ErrNeedsKey) {
			t.Errorf("a guest without a session: %v", err)
		}
		if _, err := c.Nicknames.Choose(ctx, c.ana, "otter"); !errors.Is(err, lobby.ErrHasAccount) {
			t.Errorf("a player: %v", err)
		}
		visit := c.Presence.Visit(c.guest, true)
		board, _ := c.start(func(s *seats.Spec) { s.Public = true })
		visit.At(board.ID())
		before := c.open(c.guest, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
		synctest.Wait()
		seen := c.now(board)
		yours := c.Lists.Now(c.guest)

		named, err := c.Nicknames.Choose(ctx, c.guest, "Otter")
		if err != nil || named.Name != "guest-Otter" || !named.Is(c.guest.Occupant()) {
			t.Fatalf("Choose returns %+v, %v", named, err)
		}
		if again := c.Accounts.Guest("connection 1"); again != named {
			t.Errorf("the guest of the connection is %+v, want %+v", again, named)
		}
		if got := doings(c.People.Who(ctx, c.ana)); fmt.Sprint(got) != "[guest-Otter watching fourmation public]" {
			t.Errorf("here are %q", got)
		}
		if _, err := c.Lists.Next(ctx, c.guest, yours.Seq); err != nil {
			t.Error(err)
		}
		if now := c.Lists.Yours(c.guest); now.Name != "guest-Otter" {
			t.Errorf("the screens of the guest show %q", now.Name)
		}
		if now, err := board.Next(ctx, seen.Seq); err != nil || len(now.Spectators.Names) != 1 || now.Spectators.Names[0].Name != "guest-Otter" {
			t.Errorf("the board shows %+v, %v", now.Spectators, err)
		}
		for name, here := range map[string]bool{"guest-otter": true, plain: false} {
			if to, err := c.Challenges.Opponent(ctx, c.ana, name); (err == nil) != here || here && to.Name != "guest-Otter" {
				t.Errorf("%s can be challenged: %+v, %v, want %v", name, to, err, here)
			}
		}
		if s := c.seat(named, before.ID); c.now(s).Seats[0].Name != plain {
			t.Errorf("a match of before is of %s", c.now(s).Seats[0].Name)
		}
		if s := c.seat(named, c.open(named, seats.Spec{Game: "fourmation", Side: seats.PlayFirst}).ID); c.now(s).Seats[0].Name != "guest-Otter" {
			t.Errorf("a match of after is of %s", c.now(s).Seats[0].Name)
		}
		if _, err := c.Nicknames.Choose(ctx, named, "Otter"); !errors.Is(err, lobby.ErrUnchanged) {
			t.Errorf("the same nickname once more: %v", err)
		}
		if named, err = c.Nicknames.Choose(ctx, named, "otter"); err != nil || named.Name != "guest-otter" {
			t.Errorf("the same nickname in small letters: %s, %v", named.Name, err)
		}

		other := c.Accounts.Guest("connection 2")
		defer c.Presence.Enter(other)()
		if _, err := c.Nicknames.Choose(ctx, other, "OTTER"); !errors.Is(err, lobby.ErrNameTaken) {
			t.Errorf("the nickname of another guest: %v", err)
		}
		visit.Leave(false)
		synctest.Wait()
		if again := c.Accounts.Guest("connection 1"); again.Name != plain {
			t.Errorf("after the visit the guest is %s", again.Name)
		}
		if _, err := c.Nicknames.Choose(ctx, other, "OTTER"); err != nil {
			t.Errorf("the nickname of a guest who has left: %v", err)
		}
	})
}

// TestNicknamesThatAreRefused: the rules of names hold, and no nickname looks like a player's, a guest's, a computer player's or staff's.
func TestNicknamesThatAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		other, third := c.Accounts.Guest("connection 2"), c.Accounts.Guest("connection 3")
		for _, u := range []lobby.User{c.guest, other, third} {
			defer c.Presence.Enter(u)()
		}
		if _, err := c.Nicknames.Choose(t.Context(), other, "alice"); err != nil {
			t.Fatal(err)
		}
		plain := strings.TrimPrefix(third.Name, names.GuestPrefix)
		for _, tt := range []struct {
			nickname string
			want     error
			problem  names.Problem
		}{
			{"Rui", lobby.ErrNameTaken, 0},
			{"aIice", lobby.ErrNameAlike, 0},
			{plain, lobby.ErrNameTaken, 0},
			{plain[:2] + "-" + plain[2:], lobby.ErrNameAlike, 0},
			{"x", nil, names.Short},
			{strings.Repeat("x", 15), nil, names.LongNickname},
			{"小明小明小明小明", nil, names.LongNickname},
			{"admin", nil, names.Reserved},
			{"guest-x", nil, names.Reserved},
			{"otter\x1b[31m", nil, names.Characters},
			{"ot ter", nil, names.Characters},
		} {
			_, err := c.Nicknames.Choose(t.Context(), c.guest, tt.nickname)
			var name *names.Error
			if tt.want != nil && !errors.Is(err, tt.want) || tt.problem != 0 && (!errors.As(err, &name) || name.Problem != tt.problem) {
				t.Errorf("%q: %v, want %v %v", tt.nickname, err, tt.want, tt.problem)
			}
			if now := c.Accounts.Guest("connection 1"); now != c.guest {
				t.Errorf("%q: the guest is %s now", tt.nickname, now.Name)
			}
			time.Sleep(20 * time.Second) // one try is allowed
		}
		if _, err := c.Nicknames.Choose(t.Context(), c.guest, strings.Repeat("x", 14)); err != nil {
			t.Errorf("14 cells: %v", err)
		}
	})
}

// TestNicknameTries: one guest may try five nicknames in a row, one address twenty. Others are not in their way.
func TestNicknameTries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		tried := 0
		try := func(connection, address string) error {
			t.Helper()
			u := c.Accounts.Guest(connection)
			defer c.Connect(u, origin.Origin{Person: connection, Addr: netip.MustParseAddr(address)})()
			defer c.Presence.Enter(u)()
			tried++
			_, err := c.Nicknames.Choose(t.Context(), u, fmt.Sprint("otter", tried))
			return err
		}
		for i := range 6 {
			if err := try("one", "192.0.2.1"); (err != nil) != (i == 5) || err != nil && !errors.Is(err, lobby.ErrManyNicknames) {
				t.Errorf("try %d of a guest: %v", i+1, err)
			}
		}
		refused := 0
		for i := range 30 {
			if errors.Is(try(fmt.Sprint("other ", i), "192.0.2.1"), lobby.ErrManyNicknames) {
				refused++
			}
		}
		if want := 30 - (5*origin.PeoplePerAddress - 5); refused != want {
			t.Errorf("%d of 30 guests at one address are refused, want %d", refused, want)
		}
		if err := try("elsewhere", "203.0.113.1"); err != nil {
			t.Errorf("a guest at another address: %v", err)
		}
		time.Sleep(20 * time.Second)
		if err := try("one", "192.0.2.1"); err != nil {
			t.Errorf("after a while: %v", err)
		}
	})
}

// TestNicknamesAtSeveralNodes: all nodes show a nickname at once, and no two guests of a club have the same. It is free again when the guest has
// left, or the node is gone. A guest whose node comes back has the nickname still, unless another guest has taken it.
func TestNicknamesAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		settle := func(wait time.Duration) {
			time.Sleep(wait)
			synctest.Wait()
		}
		here := func(when string, want ...string) {
			t.Helper()
			settle(3 * time.Second)
			for node, one := range c.clubs {
				got := doings(one.People.Who(t.Context(), one.ana))
				slices.Sort(want)
				if slices.Sort(got); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: at node %d are %q, want %q", when, node+1, got, want)
				}
			}
		}
		choose := func(node int, connection, nickname string) error {
			_, err := c.clubs[node].Nicknames.Choose(t.Context(), c.clubs[node].Accounts.Guest(connection), nickname)
			return err
		}
		visits := make(map[string]interface{ Leave(bool) })
		for i, connection := range []string{"a", "b"} {
			visits[connection] = c.clubs[i].Presence.Visit(c.clubs[i].Accounts.Guest(connection), true)
		}
		settle(time.Second)
		done := make(chan error)
		for i, connection := range []string{"a", "b"} { // at the same moment
			go func() { done <- choose(i, connection, "otter") }()
		}
		first, second := <-done, <-done
		if first == nil {
			first, second = second, first
		}
		if second != nil || !errors.Is(first, lobby.ErrNameTaken) && !errors.Is(first, lobby.ErrNameAlike) {
			t.Fatalf("two guests choose the same nickname: %v and %v", first, second)
		}
		winner, loser := 0, 1
		if _, has := c.clubs[0].Nicknames.Of(c.clubs[0].Accounts.Guest("a").Key()); !has {
			winner, loser = 1, 0
		}
		of := []string{"a", "b"}
		if err := choose(loser, of[loser], "badger"); err != nil {
			t.Fatal(err)
		}
		here("both have chosen", "guest-badger lobby", "guest-otter lobby")
		if to, err := c.clubs[loser].Challenges.Opponent(t.Context(), c.clubs[loser].ana, "guest-otter"); err != nil || to.Kind != storage.Guest {
			t.Errorf("the other node finds %+v, %v", to, err)
		}
		if err := choose(winner, of[winner], "beaver"); err != nil {
			t.Fatal(err)
		}
		if err := choose(loser, of[loser], "otter"); err != nil {
			t.Errorf("a nickname that was given up: %v", err)
		}
		here("both have chosen again", "guest-beaver lobby", "guest-otter lobby")
		visits[of[loser]].Leave(false)
		settle(time.Second)
		if err := choose(winner, of[winner], "otter"); err != nil {
			t.Errorf("a nickname of a guest who has left: %v", err)
		}
		here("one has left", "guest-otter lobby")

		third := c.clubs[loser].Presence.Visit(c.clubs[loser].Accounts.Guest("c"), true)
		defer third.Leave(false)
		c.cables[winner].cut()
		settle(30 * time.Second) // the node is declared gone
		c.cables[winner].mend()
		here("the node is back", "guest-otter lobby", c.clubs[loser].Accounts.Guest("c").Name+" lobby")
		if err := choose(loser, "c", "0tter"); !errors.Is(err, lobby.ErrNameAlike) {
			t.Errorf("a nickname like that of a guest whose node is back: %v", err)
		}
		c.cables[winner].cut()
		settle(30 * time.Second)
		if err := choose(loser, "c", "otter"); err != nil {
			t.Errorf("a nickname of a node that is gone: %v", err)
		}
		c.cables[winner].mend()
		settle(5 * time.Second)
		back := c.clubs[winner].Accounts.Guest(of[winner]).Name
		if !strings.HasPrefix(back, names.GuestPrefix) || back == "guest-otter" {
			t.Errorf("the guest whose nickname was taken is %s", back)
		}
		here("the nickname was taken", "guest-otter lobby", back+" lobby")
	})
}
