package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/relations"
)

// lounge returns what a user sees of the lounge as one text.
func (c *club) lounge(u lobby.User) (words string) {
	c.t.Helper()
	synctest.Wait()
	v, err := c.Lounge.Next(c.t.Context(), u, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, l := range v.Lines {
		words += fmt.Sprintf("%s: %s\n", l.By.Name, l.Text)
	}
	if v.Closed {
		words += "closed\n"
	}
	return words
}

// wantLounge checks what users see of the lounge.
func (c *club) wantLounge(what, want string, users ...lobby.User) {
	c.t.Helper()
	for _, u := range users {
		if got := c.lounge(u); got != want {
			c.t.Errorf("%s: %s sees %q, want %q", what, u.Name, got, want)
		}
	}
}

// inLounge has a user write a line in the lounge.
func (c *club) inLounge(u lobby.User, words string, want error) {
	c.t.Helper()
	_, err := c.Lounge.Say(c.t.Context(), u, words)
	wantErr(c.t, fmt.Sprintf("%q of %s", words, u.Name), err, want)
}

// lateBy has the clock of events of a club run late by some nanoseconds, so that accounts get older at once.
func lateBy(late *atomic.Int64) func(*lobby.Config) {
	return func(cfg *lobby.Config) {
		cfg.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	}
}

// TestLounge: all who are here read, and accounts of an hour write. Blocks hide lines both ways.
func TestLounge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late atomic.Int64
		c := severalNodes(t, 1, lateBy(&late)).clubs[0]
		c.inLounge(c.ana, "hello", lobby.ErrNewcomer)
		c.inLounge(c.guest, "hello", lobby.ErrNeedsKey)
		late.Store(int64(lounge.YoungFor))
		eva := c.account("eva")
		c.inLounge(eva, "hello", lobby.ErrNewcomer)
		c.inLounge(c.ana, "", lobby.ErrLine)
		c.inLounge(c.ana, "a\x1b[2J", lobby.ErrLine)
		c.inLounge(c.ana, "hello", nil)
		c.inLounge(c.rui, "tea?", nil)
		c.wantLounge("at first", "ana: hello\nrui: tea?\n", c.ana, c.rui, c.guest, eva)
		if _, err := c.Relations.Relate(t.Context(), c.ana, relations.Blocked, "rui", true); err != nil {
			t.Fatal(err)
		}
		c.wantLounge("blocked", "ana: hello\n", c.ana)
		c.wantLounge("blocked by another", "rui: tea?\n", c.rui)
		c.wantLounge("neither", "ana: hello\nrui: tea?\n", c.guest)

		off := c.settingsOf(eva)
		off.ChatOff = true
		if err := c.Accounts.SaveSettings(t.Context(), eva, off); err != nil {
			t.Fatal(err)
		}
		c.wantLounge("chat is off", "", eva)

		r, err := c.Operators.Report(t.Context(), c.ana, origin.Origin{}, "rui", "", "drinks tea")
		if err != nil || len(r.Chat) != 1 || r.Chat[0].Text != "tea?" {
			t.Errorf("the report has %+v, %v", r.Chat, err)
		}
		op := c.Operators.As("SHA256:op", lobby.NoSessions{})
		if _, err := op.Mute(t.Context(), "rui", time.Now().Add(9*time.Hour), "tea"); err != nil {
			t.Fatal(err)
		}
		c.inLounge(c.rui, "hello?", lobby.ErrMuted)
		if _, err := op.Mute(t.Context(), "rui", time.Time{}, "enough"); err != nil {
			t.Fatal(err)
		}
		if err := c.Accounts.DeleteAccount(t.Context(), c.rui, lobby.NoSessions{}); err != nil {
			t.Fatal(err)
		}
		c.wantLounge("a deleted account", "ana: hello\n", c.guest)
		if _, err := op.Close(t.Context(), "ana", "x"); err != nil {
			t.Fatal(err)
		}
		c.wantLounge("a closed account", "", c.guest)
	})
}

// TestLoungeCloses: an operator closes the lounge at all nodes, which the audit log keeps and takes back.
func TestLoungeCloses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late atomic.Int64
		c := severalNodes(t, 2, lateBy(&late))
		here, there := c.clubs[0], c.clubs[1]
		late.Store(int64(lounge.YoungFor))
		here.inLounge(here.ana, "hello", nil)
		there.wantLounge("at the other node", "ana: hello\n", there.rui)
		there.inLounge(there.rui, "tea?", nil)
		here.wantLounge("of the other node", "ana: hello\nrui: tea?\n", here.ana)

		op := here.Operators.As("SHA256:op", lobby.NoSessions{})
		e, err := op.Lounge(t.Context(), true, "too loud")
		if err != nil || e.Verb != "lounge close" || e.Undo == nil {
			t.Fatalf("%+v, %v", e, err)
		}
		if _, err := op.Lounge(t.Context(), true, "again"); !errors.Is(err, lobby.ErrUnchanged) {
			t.Errorf("closed again: %v", err)
		}
		time.Sleep(time.Second)
		for _, node := range c.clubs {
			node.wantLounge("closed", "closed\n", node.ana)
			node.inLounge(node.ana, "hello", lobby.ErrLoungeClosed)
		}
		third := c.join(lateBy(&late))
		third.wantLounge("at a node that starts", "closed\n", third.ana)
		if _, err := op.Undo(t.Context(), e.Number, "quiet now"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		there.inLounge(there.rui, "hello", nil)
		for _, node := range c.clubs {
			node.wantLounge("open again", "rui: hello\n", node.ana)
		}
	})
}

// TestReportsOfAClosedLounge: a report made after an operator has closed the lounge has the lines of the player, for a day.
func TestReportsOfAClosedLounge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late atomic.Int64
		c := severalNodes(t, 1, lateBy(&late)).clubs[0]
		pass := func(d time.Duration) { late.Add(int64(d)) }
		pass(lounge.YoungFor)
		op := c.Operators.As("SHA256:op", lobby.NoSessions{})
		closes := func(closed bool) {
			t.Helper()
			_, err := op.Lounge(t.Context(), closed, "too loud")
			wantErr(t, "close or open", err, nil)
		}
		reported := func(what string, want ...string) {
			t.Helper()
			r, err := c.Operators.Report(t.Context(), c.ana, origin.Origin{}, "rui", "", "insults me")
			wantErr(t, what, err, nil)
			var got []string
			for _, l := range r.Chat {
				got = append(got, l.Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: the report has %q, want %q", what, got, want)
			}
		}
		c.inLounge(c.rui, "an insult", nil)
		c.inLounge(c.ana, "please", nil)
		closes(true)
		c.wantLounge("closed", "closed\n", c.ana, c.rui)
		reported("closed", "an insult")
		pass(2 * time.Hour)
		closes(false)
		c.wantLounge("open again", "", c.ana, c.rui)
		c.inLounge(c.rui, "another one", nil)
		reported("open again", "an insult", "another one")
		closes(true)
		pass(lounge.EvidenceLife - 2*time.Hour)
		reported("a day after it was closed first", "another one")
		pass(2 * time.Hour)
		reported("a day after it was closed again")
		closes(false)
		c.wantLounge("after a day", "", c.ana, c.rui)
	})
}

// TestReportsOfAFlood: a report has the lines of the player also when MaxLines newer ones have come since, and nobody sees them any more. The lounge keeps a
// bounded number of lines for that, the last ones.
func TestReportsOfAFlood(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late atomic.Int64
		c := severalNodes(t, 1, lateBy(&late)).clubs[0]
		var rude []lobby.User
		for n := range 20 {
			rude = append(rude, c.account(fmt.Sprint("rude", n)))
		}
		late.Add(int64(lounge.YoungFor))
		c.inLounge(c.rui, "an insult", nil)
		flood := func(lines int) {
			t.Helper()
			for n := range lines {
				if n%len(rude) == 0 {
					time.Sleep(4 * time.Second)
				}
				c.inLounge(rude[n%len(rude)], "buy", nil)
			}
		}
		reported := func(what string, want int) {
			t.Helper()
			r, err := c.Operators.Report(t.Context(), c.ana, origin.Origin{}, "rui", "", "insults me")
			if err != nil || len(r.Chat) != want {
				t.Errorf("%s: the report has %d lines, %v, want %d", what, len(r.Chat), err, want)
			}
		}
		flood(lounge.MaxLines)
		if v, err := c.Lounge.Next(t.Context(), c.ana, 0); err != nil || len(v.Lines) != lounge.MaxLines || v.Lines[0].Text != "buy" {
			t.Errorf("%d lines are seen, %v", len(v.Lines), err)
		}
		reported("behind the lines that are seen", 1)
		if testing.Short() {
			return // the bound takes long
		}
		flood(lounge.MaxEvidence - 1)
		reported("the oldest line that is kept", 1)
		flood(1)
		reported("one line later", 0)
	})
}

// TestPatientLounge: strangers who write whenever they may hold up nobody, and the lounge keeps its last lines.
func TestPatientLounge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		var rude []lobby.User
		for n := range 10 {
			rude = append(rude, c.account(fmt.Sprint("rude", n)))
		}
		time.Sleep(lounge.YoungFor)
		began, said := time.Now(), 0
		for range 600 {
			for _, u := range rude {
				if _, err := c.Lounge.Say(t.Context(), u, "buy"); err == nil {
					said++
				}
			}
			time.Sleep(time.Second)
		}
		if most := len(rude) * (5 + int(time.Since(began)/(3*time.Second)) + 1); said > most {
			t.Errorf("%d lines of %d people in %v, want at most %d", said, len(rude), time.Since(began), most)
		}
		c.inLounge(c.ana, "hello", nil)
		v, err := c.Lounge.Next(t.Context(), c.rui, 0)
		if err != nil || len(v.Lines) != lounge.MaxLines || v.Lines[len(v.Lines)-1].Text != "hello" {
			t.Errorf("%d lines, %v", len(v.Lines), err)
		}
		if _, err := c.Relations.Relate(t.Context(), c.rui, relations.Blocked, "rude0", true); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.Lounge.Next(ctx, c.rui, v.Seq); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a reader is woken while nobody writes: %v", err)
		}
	})
}

// TestLoungeOfABlock: the people of a block of addresses write in the lounge as often as a few may, and hold up nobody from elsewhere.
func TestLoungeOfABlock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		var crowd []lobby.User
		for n := range 40 {
			u := c.account(fmt.Sprintf("r%c%c", 'a'+n/25, 'a'+n%25))
			crowd = append(crowd, u)
			t.Cleanup(c.Sessions.Connect(u, origin.Origin{Person: u.ID, Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(n + 1)})}))
		}
		time.Sleep(lounge.YoungFor)
		said := 0
		for range 60 {
			for _, u := range crowd {
				if _, err := c.Lounge.Say(t.Context(), u, "buy"); err == nil {
					said++
				}
			}
			time.Sleep(time.Second)
		}
		if most := 8 * (5 + 20 + 1); said > most || said < 8*20 {
			t.Errorf("%d people of one block write %d lines in a minute, want at most %d", len(crowd), said, most)
		}
		c.inLounge(c.ana, "hello", nil)
	})
}
