package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/tells"
	tellstore "ludoteca/storage/tells"
)

// friends has two players follow each other.
func (c *club) friends(a, b lobby.User) {
	c.t.Helper()
	for _, pair := range [][2]lobby.User{{a, b}, {b, a}} {
		if _, err := c.Relations.Relate(c.t.Context(), pair[0], relations.Following, pair[1].Name, true); err != nil && !errors.Is(err, lobby.ErrUnchanged) {
			c.t.Fatal(err)
		}
	}
}

// tell has a player write to another one.
func (c *club) tell(from, to lobby.User, words string, want error) {
	c.t.Helper()
	_, err := c.Tells.Tell(c.t.Context(), from, to.Name, words)
	wantErr(c.t, fmt.Sprintf("%q from %s to %s", words, from.Name, to.Name), err, want)
}

// told returns the next lines of a session as one text; "" if none come in a second.
func (c *club) told(from *tells.Incoming) (words string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
	defer cancel()
	lines, err := from.Next(ctx)
	if err != nil && ctx.Err() == nil {
		c.t.Fatal(err)
	}
	for _, l := range lines {
		words += fmt.Sprintf("%s: %s\n", l.By, l.Text)
	}
	return words
}

// TestTells: players who follow each other write to each other. A line waits for who isn't here, and is told once.
func TestTells(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		c.tell(c.ana, c.rui, "hello", lobby.ErrUntold)
		c.tell(c.ana, c.ana, "hello", lobby.ErrOwnTell)
		c.tell(c.guest, c.ana, "hello", lobby.ErrNeedsKey)
		c.tell(c.ana, lobby.User{Name: "nobody"}, "hello", lobby.ErrNoSuchPlayer)
		c.friends(c.ana, c.rui)
		c.tell(c.ana, c.rui, "", lobby.ErrLine)
		c.tell(c.ana, c.rui, "\x1b[2J", lobby.ErrLine)
		c.tell(c.ana, c.rui, "tea?", nil)
		c.tell(eva, c.rui, "hello", lobby.ErrUntold)

		news, leave := c.Tells.Listen(c.rui)
		defer leave()
		if got := c.told(news); got != "ana: tea?\n" {
			t.Errorf("what waited: %q", got)
		}
		if got := c.told(news); got != "" {
			t.Errorf("told again: %q", got)
		}
		c.tell(c.ana, c.rui, "are you there?", nil)
		if got := c.told(news); got != "ana: are you there?\n" {
			t.Errorf("what came: %q", got)
		}
		c.told(news)
		again, leave := c.Tells.Listen(c.rui)
		defer leave()
		if got := c.told(again); got != "" {
			t.Errorf("a second session is told what was seen: %q", got)
		}
		c.tell(c.rui, c.ana, "yes", nil)
		all, err := c.Tells.All(t.Context(), c.ana)
		if err != nil || len(all) != 3 || all[0].By != "ana" || all[0].To != "rui" || all[2].By != "rui" || all[2].Text != "yes" {
			t.Errorf("ana has %+v, %v", all, err)
		}
	})
}

// TestTellsAreRefusedAlike: a player who blocks, one who takes no lines and one who isn't acquainted are told apart by nothing.
func TestTellsAreRefusedAlike(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 1).clubs[0]
		c.friends(c.ana, c.rui)
		c.tell(c.ana, c.rui, "before", nil)
		off := c.settingsOf(c.rui)
		off.ChatOff = true
		if err := c.Accounts.SaveSettings(t.Context(), c.rui, off); err != nil {
			t.Fatal(err)
		}
		c.tell(c.ana, c.rui, "hello", lobby.ErrUntold)
		c.tell(c.rui, c.ana, "hello", lobby.ErrChatOff)
		off.ChatOff = false
		if err := c.Accounts.SaveSettings(t.Context(), c.rui, off); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Relations.Relate(t.Context(), c.rui, relations.Blocked, "ana", true); err != nil {
			t.Fatal(err)
		}
		c.tell(c.ana, c.rui, "hello", lobby.ErrUntold)
		c.tell(c.rui, c.ana, "hello", lobby.ErrUntold)
		news, leave := c.Tells.Listen(c.rui)
		defer leave()
		if got := c.told(news); got != "" {
			t.Errorf("a line of one who is blocked: %q", got)
		}
		if all, err := c.Tells.All(t.Context(), c.rui); err != nil || len(all) != 0 {
			t.Errorf("rui has %+v, %v", all, err)
		}
		op := c.Operators.As("SHA256:op", lobby.NoSessions{})
		if _, err := c.Relations.Relate(t.Context(), c.rui, relations.Blocked, "ana", false); err != nil {
			t.Fatal(err)
		}
		c.friends(c.ana, c.rui)
		if _, err := op.Mute(t.Context(), "ana", time.Now().Add(time.Hour), "spam"); err != nil {
			t.Fatal(err)
		}
		c.tell(c.ana, c.rui, "hello", lobby.ErrMuted)
		// The report of rui has what ana wrote, and nobody sees the lines of a closed account.
		r, err := c.Operators.Report(t.Context(), c.rui, origin.Origin{}, "ana", "", "writes too much")
		if err != nil || len(r.Chat) != 1 || r.Chat[0].Text != "before" || r.Chat[0].By != "ana" {
			t.Errorf("the report has %+v, %v", r.Chat, err)
		}
		if _, err := op.Close(t.Context(), "ana", "spam"); err != nil {
			t.Fatal(err)
		}
		c.tell(c.rui, c.ana, "hello", lobby.ErrUntold)
		if all, err := c.Tells.All(t.Context(), c.rui); err != nil || len(all) != 0 {
			t.Errorf("of a closed account rui has %+v, %v", all, err)
		}
	})
}

// TestTellsAmongOpponents: three matches with two moves a side acquaint two players.
func TestTellsAmongOpponents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		for n := range 3 {
			c.tell(c.ana, c.rui, "hello", lobby.ErrUntold)
			a, r := c.start()
			if n < 2 {
				short, _ := c.start()
				if err := short.Resign(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			c.play(a, r, "d4", "d5", "d6", "d7")
			if err := a.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		c.tell(c.ana, c.rui, "hello", nil)
	})
}

// TestPatientTells: strangers who write whenever they may fill nothing but what is theirs, and leave others alone.
func TestPatientTells(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		var rude []lobby.User
		for n := range 6 {
			u := c.account(fmt.Sprint("rude", n))
			c.friends(u, c.rui)
			rude = append(rude, u)
		}
		c.friends(c.ana, c.rui)
		kept := 0
		for range 200 {
			for _, u := range rude {
				if _, err := c.Tells.Tell(t.Context(), u, "rui", "buy"); err == nil {
					kept++
				}
			}
			time.Sleep(4 * time.Second)
		}
		if kept != tellstore.MaxWaiting {
			t.Errorf("%d lines wait for rui, want %d", kept, tellstore.MaxWaiting)
		}
		c.tell(c.ana, c.rui, "hello", lobby.ErrManyTells)
		if _, err := c.Tells.All(t.Context(), c.rui); err != nil { // they are seen
			t.Fatal(err)
		}
		c.tell(c.ana, c.rui, "hello", nil)
		for range 50 {
			for _, u := range rude {
				if _, err := c.Tells.Tell(t.Context(), u, "rui", "buy"); err == nil {
					kept++
				}
			}
			time.Sleep(4 * time.Second)
		}
		if most := len(rude) * tellstore.MaxUnanswered; kept > most {
			t.Errorf("rui got %d lines of strangers without an answer, want at most %d", kept, most)
		}
		c.tell(c.rui, c.ana, "hello", nil)
	})
}

// TestTellsOfOtherNodes: a line is told at the node where the other player is.
func TestTellsOfOtherNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 2)
		here, there := c.clubs[0], c.clubs[1]
		here.friends(here.ana, here.rui)
		synctest.Wait()
		news, leave := there.Tells.Listen(there.rui)
		defer leave()
		here.tell(here.ana, here.rui, "tea?", nil)
		if got := there.told(news); got != "ana: tea?\n" {
			t.Errorf("told at the other node: %q", got)
		}
	})
}
