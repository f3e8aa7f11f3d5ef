package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	noticestore "ludoteca/storage/notices"
	"ludoteca/storage/schema"
	tournamentstore "ludoteca/storage/tournaments"
)

// A mailbox is a notices.Sender that keeps all letters.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
	tries   []try
	fails   error         // in place of taking a letter
	hangs   chan struct{} // while it is set, Send waits until it is closed or the try ends
}

// A try is one to send a letter.
type try struct {
	at time.Time
	id string // of the letter
}

type letter struct {
	notices.Letter
	to noticestore.Address
}

func (m *mailbox) Sends(noticestore.Kind) bool { return true }

func (m *mailbox) Send(ctx context.Context, to noticestore.Address, l notices.Letter) error {
	m.mu.Lock()
	m.tries = append(m.tries, try{time.Now(), l.ID})
	hangs := m.hangs
	m.mu.Unlock()
	if hangs != nil && to.Kind == noticestore.Mail {
		select {
		case <-hangs:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	m.letters = append(m.letters, letter{l, to})
	return nil
}

// set sets what becomes of letters from now on.
func (m *mailbox) set(fails error, hangs chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails, m.hangs = fails, hangs
}

// take returns the letters since the last call, in words that say what they are about.
func (m *mailbox) take() (words []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.letters {
		about := []string{l.Player, string(l.Kind)}
		for _, of := range l.Matches {
			about = append(about, of.Opponent.Name)
		}
		if l.Event.Name != "" {
			about = append(about, l.Event.Name)
		}
		words = append(words, strings.Join(about, " "))
	}
	m.letters = nil
	slices.Sort(words)
	return words
}

// code returns the code in the last letter.
func (m *mailbox) code(t *testing.T) (code, stop string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.letters) == 0 || m.letters[len(m.letters)-1].Kind != notices.CodeAsked {
		t.Fatalf("no code was sent: %v", m.letters)
	}
	last := m.letters[len(m.letters)-1]
	return last.Code, last.to.Stop
}

// to parses an address.
func to(t *testing.T, address string) noticestore.Destination {
	t.Helper()
	d, err := notices.ParseMail(address)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sendTo has a club send to a mailbox.
func sendTo(m *mailbox) func(*lobby.Config) { return func(c *lobby.Config) { c.Notices = m } }

// confirm gives a user a confirmed address, after a day.
func (c *club) confirm(m *mailbox, u lobby.User, address string) (stop string) {
	c.t.Helper()
	if _, err := c.Notices.Ask(c.t.Context(), u, origin.Origin{}, to(c.t, address)); err != nil {
		c.t.Fatal(err)
	}
	pass(time.Second)
	code, stop := m.code(c.t)
	if _, err := c.Notices.Confirm(c.t.Context(), u, strings.ToLower(code)); err != nil {
		c.t.Fatal(err)
	}
	m.take()
	return stop
}

// ofTold returns the error of EventBegins.
func ofTold(_ bool, err error) error { return err }

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// took checks what has been sent since the last call.
func took(t *testing.T, m *mailbox, what string, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := m.take(); !slices.Equal(got, want) {
		t.Errorf("%s: %q was sent, want %q", what, got, want)
	}
}

// TestNoticesOfMoves: a player who is not here is told once that a match waits, and again after the next moves; never within six hours.
func TestNoticesOfMoves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		c.confirm(box, c.ana, "ana@example.com")
		_, err := c.Notices.Ask(t.Context(), c.rui, origin.Origin{}, to(t, "rui@example.com")) // who never types the code
		wantErr(t, "ask", err, nil)
		pass(time.Minute)
		box.take()

		visit := c.Presence.Visit(c.ana, true)
		a, r := c.start(with(threeDays))
		pass(time.Hour)
		took(t, box, "while ana is here")
		visit.Leave(false)
		pass(time.Minute)
		took(t, box, "a moment after ana has left")
		pass(2 * time.Minute)
		took(t, box, "after ana has left", "ana move rui")
		pass(12 * time.Hour)
		took(t, box, "of the same move")
		c.play(a, r, "a1")
		pass(time.Hour)
		took(t, box, "while it is the move of rui, who has no address")
		c.play(a, r, "b2")
		pass(time.Minute)
		took(t, box, "the next move", "ana move rui")
		c.play(a, r, "b1", "c2")
		pass(5 * time.Hour)
		took(t, box, "within six hours")
		pass(time.Hour)
		took(t, box, "after six hours", "ana move rui")

		// Matches that wait share a notice. A computer player's and one with a clock of minutes are in none.
		c.start(with(threeDays))
		c.start()
		c.start(with(fivePlus3))
		if _, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first", Clock: threeDays}); err != nil {
			t.Fatal(err)
		}
		pass(7 * time.Hour)
		took(t, box, "of three matches", "ana move rui rui rui")

		// A player who comes back before a notice goes is not told.
		c.play(a, r, "c1", "d2")
		pass(4 * time.Hour)
		visit = c.Presence.Visit(c.ana, true)
		pass(2 * time.Hour)
		visit.Leave(false)
		c.play(a, r, "d1")
		pass(time.Hour)
		took(t, box, "after the end of the match")
		if n := c.stats.Notices.Mail.Load(); n != 6 || c.stats.Notices.Waiting.Load() != 0 || c.stats.Notices.Failed.Load() != 0 {
			t.Errorf("%d letters are counted, %d wait", n, c.stats.Notices.Waiting.Load())
		}
	})
}

// TestNoticesOfPlannedMoves: a player whose plan answers a move is told nothing, also if the answer takes a moment. One whose plan can't be read is
// told.
func TestNoticesOfPlannedMoves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		c.confirm(box, c.ana, "ana@example.com")
		visit := c.Presence.Visit(c.ana, true)
		a, r := c.start(with(threeDays))
		c.play(a, r, win[0])
		c.plan(a, "b2 b1 c2 c1")
		visit.Leave(false)
		pass(time.Hour)
		move := func(m games.Move, plies int) {
			t.Helper()
			wantErr(t, "move", r.Move(t.Context(), m, lobby.AnyPly), nil)
			synctest.Wait()
			if v := c.now(r); v.Ply() != plies {
				t.Fatalf("the moves are %v, want %d", v.Moves, plies)
			}
		}
		move("b2", 3)
		pass(7 * time.Hour)
		took(t, box, "of a move that the plan answers")

		c.store.hold(errors.New("no answer"))
		move("c2", 4)
		pass(40 * time.Second)
		took(t, box, "while it isn't known whether the plan answers")
		c.store.hold(nil)
		pass(10 * time.Second)
		if v := c.now(r); v.Ply() != 5 {
			t.Fatalf("the moves are %v, want 5", v.Moves)
		}
		pass(7 * time.Hour)
		took(t, box, "of a move that the plan answers late")

		c.store.hold(errors.New("no answer"))
		move("d2", 6)
		pass(2 * time.Minute)
		took(t, box, "while the plan can't be read for long", "ana move rui")
		c.store.hold(nil)
	})
}

// TestNoticesOfAMatchWithoutClock: the player is told later.
func TestNoticesOfAMatchWithoutClock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		c.confirm(box, c.ana, "ana@example.com")
		visit := c.Presence.Visit(c.ana, true)
		c.start()
		visit.Leave(false)
		pass(14 * time.Minute)
		took(t, box, "at first")
		pass(2 * time.Minute)
		took(t, box, "after a quarter of an hour", "ana move rui")
	})
}

// TestNoticesOfChallengesAndEvents: one of each, as long as there is something to answer.
func TestNoticesOfChallengesAndEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		c.confirm(box, c.ana, "ana@example.com")
		spec := seats.Spec{Game: "fourmation", To: "ana", Clock: threeDays}
		ref := c.open(c.rui, spec)
		pass(time.Minute)
		took(t, box, "a challenge", "ana challenge rui")
		wantErr(t, "withdraw", c.seat(c.rui, ref.ID).Abort(t.Context()), nil)
		c.open(c.rui, spec)
		pass(time.Hour)
		took(t, box, "another challenge of the same player")

		e := noticestore.Event{ID: "e1", Code: "ABCDEF", Name: "friday", Begins: time.Now().Add(10 * time.Minute)}
		for range 3 {
			wantErr(t, "event", ofTold(c.Notices.EventBegins(t.Context(), c.ana.Player(), e)), nil)
			wantErr(t, "event", ofTold(c.Notices.EventBegins(t.Context(), c.rui.Player(), e)), nil)
			pass(time.Second)
		}
		took(t, box, "an event", "ana event friday")
		visit := c.Presence.Visit(c.ana, true)
		e.ID = "e2"
		wantErr(t, "event", ofTold(c.Notices.EventBegins(t.Context(), c.ana.Player(), e)), nil)
		pass(time.Minute)
		took(t, box, "an event, while ana is here")
		visit.Leave(false)
	})
}

// TestNoticesOfTournaments: entrants who are away are told once, a quarter of an hour before their tournament begins; those who are here, those who
// have left it and those who leave the club later, as soon as they have.
func TestNoticesOfTournaments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		eva, kim := c.account("eva"), c.account("kim")
		pass(day)
		for _, u := range []lobby.User{c.ana, c.rui, eva, kim} {
			c.confirm(box, u, u.Name+"@example.com")
		}
		time.Sleep(aWeek)
		spec := specOf(tournamentstore.Swiss)
		spec.Begins = time.Now().Add(time.Hour)
		ref, err := c.Tournaments.Announcer.Announce(t.Context(), c.ana, spec)
		wantErr(t, "announce", err, nil)
		for _, u := range []lobby.User{c.ana, c.rui, eva} {
			wantErr(t, "enter", c.Tournaments.Registration.Enter(t.Context(), u, ref), nil)
		}
		wantErr(t, "withdraw", c.Tournaments.Registration.Withdraw(t.Context(), eva, ref.ID), nil)
		visit := c.Presence.Visit(c.rui, true)
		pass(44 * time.Minute)
		took(t, box, "16 minutes before")
		pass(2 * time.Minute)
		took(t, box, "14 minutes before", "ana event Friday swiss")
		visit.Leave(false)
		pass(2 * time.Minute)
		took(t, box, "after a player has left the club", "rui event Friday swiss")
		pass(20 * time.Minute)
		took(t, box, "after the beginning")
	})
}

// TestNobodyIsMailedUnasked: before the code is typed, nothing but the code goes to an address, whatever happens.
func TestNobodyIsMailedUnasked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		_, err := c.Notices.Ask(t.Context(), c.ana, origin.Origin{}, to(t, "ana@example.com"))
		wantErr(t, "a young account", err, lobby.ErrYoung)
		_, err = c.Notices.Ask(t.Context(), c.guest, origin.Origin{}, to(t, "ana@example.com"))
		wantErr(t, "a guest", err, lobby.ErrNeedsKey)
		took(t, box, "to those who may not")
		pass(day)
		c.start(with(threeDays))
		_, err = c.Notices.Ask(t.Context(), c.ana, origin.Origin{}, to(t, "ana@example.com"))
		wantErr(t, "ask", err, nil)
		synctest.Wait()
		for range 6 {
			_, err = c.Notices.Confirm(t.Context(), c.ana, "AAAAAAAA")
			wantErr(t, "a guess", err, lobby.ErrNoticeCode)
		}
		pass(2 * time.Minute)
		code, stop := box.code(t)
		took(t, box, "before the code", "ana code")
		_, err = c.Notices.Confirm(t.Context(), c.ana, code)
		wantErr(t, "the code after too many guesses", err, lobby.ErrNoticeCode)
		pass(7 * time.Hour)
		took(t, box, "after too many guesses")

		wantErr(t, "a stranger's stop", c.Notices.Stop(t.Context(), origin.Origin{Person: "x"}, "aaaa-aaaa-aaaa-aaaa"), lobby.ErrStopCode)
		wantErr(t, "no stop code", c.Notices.Stop(t.Context(), origin.Origin{Person: "x"}, "é"), lobby.ErrStopCode)
		wantErr(t, "the stop of the owner", c.Notices.Stop(t.Context(), origin.Origin{Person: "x"}, strings.ToUpper(stop)), nil)
		pass(30 * day)
		_, err = c.Notices.Ask(t.Context(), c.rui, origin.Origin{}, to(t, "Ana+club@example.com"))
		wantErr(t, "of the same mailbox", err, lobby.ErrNoCodes)
		for n := range 10 {
			if err := c.Notices.Stop(t.Context(), origin.Origin{Person: "y"}, "aaaaaaaaaaaaaaaa"); n < 10 && !errors.Is(err, lobby.ErrStopCode) {
				t.Errorf("guess %d: %v", n, err)
			}
		}
		wantErr(t, "one guess too many", c.Notices.Stop(t.Context(), origin.Origin{Person: "y"}, "aaaaaaaaaaaaaaaa"), lobby.ErrThrottled)
	})
}

// TestStoppedNotices: from a stop on nothing is sent, not even what waits.
func TestStoppedNotices(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		stop := c.confirm(box, c.ana, "ana@example.com")
		c.start(with(threeDays))
		box.set(errors.New("down"), nil)
		pass(10 * time.Minute)
		wantErr(t, "stop", c.Notices.Stop(t.Context(), origin.Origin{Person: "x"}, stop), nil)
		box.set(nil, nil)
		pass(2 * day)
		took(t, box, "after the stop")
		now, err := c.Notices.Of(t.Context(), c.ana)
		if wantErr(t, "of ana", err, nil); now.Confirmed != nil || now.Pending != nil {
			t.Errorf("ana has %+v", now)
		}
		wantErr(t, "end", c.Notices.End(t.Context(), c.ana), lobby.ErrUnchanged)
	})
}

// TestSendersDown: a server that is down or hangs is tried again, ever less often, and given up after a day. It holds up neither moves nor the
// other kind.
func TestSendersDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		c.confirm(box, c.ana, "ana@example.com")
		topic, err := notices.ParseTopic("abcdefghijklmnop")
		wantErr(t, "topic", err, nil)
		_, err = c.Notices.Ask(t.Context(), c.rui, origin.Origin{}, topic)
		wantErr(t, "ask", err, nil)
		pass(time.Second)
		code, _ := box.code(t)
		_, err = c.Notices.Confirm(t.Context(), c.rui, code)
		wantErr(t, "confirm", err, nil)
		box.take()

		hangs := make(chan struct{})
		box.set(nil, hangs)
		a, r := c.start(with(threeDays))
		pass(10 * time.Minute)
		took(t, box, "while mail hangs")
		c.play(a, r, "a1")
		pass(time.Minute)
		took(t, box, "of the other kind", "rui move ana")
		c.play(a, r, "b2")
		close(hangs)
		box.set(errors.New("down"), nil)
		pass(time.Minute)
		box.mu.Lock()
		box.tries = nil
		box.mu.Unlock()
		pass(2 * day)
		took(t, box, "while it is down")
		box.mu.Lock()
		tries := slices.Clone(box.tries)
		box.mu.Unlock()
		last := make(map[string]time.Time) // of each letter
		n := 0
		for _, try := range tries {
			before, again := last[try.id]
			if gap := try.at.Sub(before); again && (gap < 45*time.Second || gap > 3*time.Hour) {
				t.Errorf("a letter was tried again after %v", gap)
			}
			last[try.id] = try.at
			if try.id == tries[len(tries)-1].id {
				n++
			}
		}
		// The letter that is given up has seven tries with pauses that double, then one each two hours for a day, all pauses up to a quarter shorter or
		// longer.
		if n < 14 || n > 24 {
			t.Errorf("it was tried %d times", n)
		}
		if got := c.stats.Notices.GivenUp.Load(); got != 1 || c.stats.Notices.Waiting.Load() != 0 {
			t.Errorf("%d were given up, %d wait", got, c.stats.Notices.Waiting.Load())
		}
		box.set(fmt.Errorf("%w: no such mailbox", notices.ErrRefused), nil)
		c.play(a, r, "b1", "c2")
		pass(day)
		if got := c.stats.Notices.Refused.Load(); got != 1 {
			t.Errorf("%d were refused", got)
		}
	})
}

// TestNoticesOfSeveralNodes: each notice goes out once, whichever node asks, plays, owns and is lost. It lasts an hour and not days: each second
// has its heartbeats.
func TestNoticesOfSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := severalNodes(t, 0)
		store, err := schema.Open(t.Context(), c.engine, schema.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ana", "rui"} {
			p := accountstore.Player{Name: name, NameKey: name, Since: time.Now().Add(-day)}
			if _, err := store.Accounts.SignUp(t.Context(), p, "key of "+name); err != nil {
				t.Fatal(err)
			}
		}
		one, two := c.join(sendTo(box)), c.join(sendTo(box))
		pass(time.Minute)
		stop := one.confirm(box, one.ana, "ana@example.com")
		_, err = two.Notices.Ask(t.Context(), two.ana, origin.Origin{}, to(t, "ana@example.com"))
		wantErr(t, "ask at the other node", err, lobby.ErrUnchanged)
		visit := two.Presence.Visit(two.ana, true)
		c.start([2]int{0, 1}, with(threeDays))
		pass(5 * time.Minute)
		took(t, box, "while ana is at the other node")
		visit.Leave(false)
		pass(3 * time.Minute)
		took(t, box, "after ana has left", "ana move rui")
		pass(10 * time.Minute)
		took(t, box, "once")

		// The server is down, and then the node that would send.
		box.set(errors.New("down"), nil)
		challenge := seats.Spec{Game: "fourmation", To: "ana", Clock: threeDays}
		one.open(one.rui, challenge)
		pass(time.Minute)
		lost := c.owner(storage.MatchID("notices to " + one.ana.ID))
		c.cables[lost].cut()
		pass(20 * time.Second)
		if now := c.owner(storage.MatchID("notices to " + one.ana.ID)); now == lost || now < 0 {
			t.Fatalf("node %d owns the notices to ana", now+1)
		}
		box.set(nil, nil)
		pass(15 * time.Minute)
		took(t, box, "from the node that took over", "ana challenge rui")
		c.cables[lost].mend()
		pass(10 * time.Minute)
		took(t, box, "after the return of the first one")
		for _, club := range c.clubs { // by both nodes: the first one queues it
			e := noticestore.Event{ID: "e1", Code: "ABCDEF", Name: "friday", Begins: time.Now()}
			wantErr(t, "event", ofTold(club.Notices.EventBegins(t.Context(), one.ana.Player(), e)), nil)
		}
		pass(time.Minute)
		took(t, box, "an event", "ana event friday")

		// A stop at one node counts at the other one, and so do the limits.
		wantErr(t, "stop", two.Notices.Stop(t.Context(), origin.Origin{Person: "x"}, stop), nil)
		synctest.Wait()
		for n, club := range c.clubs {
			e := noticestore.Event{ID: fmt.Sprint("f", n), Code: "ABCDEF", Name: "friday", Begins: time.Now()}
			wantErr(t, "event", ofTold(club.Notices.EventBegins(t.Context(), one.ana.Player(), e)), nil)
		}
		pass(time.Minute)
		took(t, box, "after the stop")
		for n, club := range []*club{one, two, one} {
			_, err := club.Notices.Ask(t.Context(), club.rui, origin.Origin{}, to(t, fmt.Sprintf("r%d@example.com", n)))
			wantErr(t, "ask", err, nil)
		}
		_, err = two.Notices.Ask(t.Context(), two.rui, origin.Origin{}, to(t, "r4@example.com"))
		wantErr(t, "the fourth, at the other node", err, lobby.ErrManyCodes)
		_, err = two.Notices.Ask(t.Context(), two.account("eva"), origin.Origin{}, to(t, "r0@example.com"))
		wantErr(t, "a new account", err, lobby.ErrYoung)
	})
}

// TestUnsentCodeAfterRestart: a code that could not be sent before the program ended is sent after it has been started again, once.
func TestUnsentCodeAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, sendTo(box))
		pass(day)
		box.set(errors.New("down"), nil)
		_, err := c.Notices.Ask(t.Context(), c.ana, origin.Origin{}, to(t, "ana@example.com"))
		wantErr(t, "ask", err, nil)
		pass(time.Minute)
		for range 2 {
			wantErr(t, "close", c.Close(), nil)
			c = reopen(t, c.store, sendTo(box))
			pass(time.Minute)
			box.set(nil, nil)
		}
		code, _ := box.code(t)
		wantErr(t, "close", c.Close(), nil)
		c = reopen(t, c.store, sendTo(box))
		pass(3 * time.Hour)
		took(t, box, "after the server is up again", "ana code")
		_, err = c.Notices.Confirm(t.Context(), c.ana, code)
		wantErr(t, "the code", err, nil)
	})
}

// A choosy sender hangs for some addresses of mail.
type choosy struct {
	*mailbox
	hang atomic.Bool
}

func (s *choosy) Send(ctx context.Context, to noticestore.Address, l notices.Letter) error {
	if s.hang.Load() && strings.HasPrefix(to.To, "hang") {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.mailbox.Send(ctx, to, l)
}

// TestHangingAddresses: addresses that make the mail server hang hold up the notices to others no longer than their first tries take.
func TestHangingAddresses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := &choosy{mailbox: new(mailbox)}
		c := newClub(t, func(cfg *lobby.Config) { cfg.Notices = box })
		hanging := signUp(c, 19)
		pass(day)
		c.confirm(box.mailbox, c.ana, "ana@example.com")
		for n, u := range hanging {
			c.confirm(box.mailbox, u, fmt.Sprintf("hang%d@example.com", n))
		}
		box.hang.Store(true)
		e := noticestore.Event{ID: "e1", Code: "ABCDEF", Name: "friday", Begins: time.Now().Add(10 * time.Hour)}
		for _, u := range hanging {
			wantErr(t, "event", ofTold(c.Notices.EventBegins(t.Context(), u.Player(), e)), nil)
		}
		pass(7 * time.Minute) // until all are tried again
		wantErr(t, "event", ofTold(c.Notices.EventBegins(t.Context(), c.ana.Player(), e)), nil)
		pass(time.Second)
		took(t, box.mailbox, "beside addresses that hang", "ana event friday")
		if n := c.stats.Notices.Failed.Load(); n < int64(len(hanging)) {
			t.Errorf("%d tries have failed: this is no attack", n)
		}
	})
}

// A failing sender takes nothing for some addresses of mail.
type failing struct{ *mailbox }

func (s failing) Send(ctx context.Context, to noticestore.Address, l notices.Letter) error {
	if strings.HasPrefix(to.To, "bad") {
		return errors.New("try later")
	}
	return s.mailbox.Send(ctx, to, l)
}

// TestFailingAddresses: of the notices to one address that takes nothing few wait, of those to the people of one block as many as a few of them may
// have, and when others fill the queue those that have failed make room for players whose addresses are fine.
func TestFailingAddresses(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes days of the club's time, and nothing in it runs at once that other tests don't run")
	}
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		c := newClub(t, func(cfg *lobby.Config) { cfg.Notices = failing{box} })
		ctx := t.Context()
		var crowd []lobby.User
		for n := range 450 {
			crowd = append(crowd, c.account(fmt.Sprintf("r%c%c", 'a'+n/25, 'a'+n%25)))
		}
		pass(day)
		c.confirm(box, c.ana, "ana@example.com")
		for n, u := range crowd {
			at := time.Now().Add(time.Duration(n) * time.Hour) // within the bounds of codes
			_, err := c.store.AskAddress(ctx, u.Player(), to(t, fmt.Sprintf("bad%d@example.com", n)), noticestore.Code{Hash: "hash"}, at)
			wantErr(t, "ask", err, nil)
			_, err = c.store.ConfirmAddress(ctx, u.Player(), "hash", at)
			wantErr(t, "confirm", err, nil)
		}
		wantErr(t, "close", c.Close(), nil)
		c = reopen(t, c.store, func(cfg *lobby.Config) { cfg.Notices = failing{box} })
		pass(time.Hour)
		begins := func(id string) (told int) {
			t.Helper()
			for _, u := range crowd {
				e := noticestore.Event{ID: id, Code: "ABCDEF", Name: "friday", Begins: time.Now().Add(20 * time.Hour)}
				ok, err := c.Notices.EventBegins(ctx, u.Player(), e)
				wantErr(t, "event", err, nil)
				if ok {
					told++
				}
			}
			return told
		}
		told := 0
		for n := range noticestore.MaxEvents {
			told += begins(fmt.Sprint("e", n))
			pass(20 * time.Minute)
		}
		all, err := c.store.QueuedNotices(ctx, 10_000)
		wantErr(t, "queue", err, nil)
		each := map[storage.PlayerID]int{}
		for _, n := range all {
			if each[n.Key.Player]++; each[n.Key.Player] > noticestore.MaxFailing {
				t.Fatalf("%d notices wait for one player", each[n.Key.Player])
			}
		}
		if len(all) > 1000 || len(all) < 800 || told < 1000 {
			t.Errorf("%d notices wait of %d: this is no attack", len(all), told)
		}
		ok, err := c.Notices.EventBegins(ctx, c.ana.Player(), noticestore.Event{ID: "e9", Code: "ABCDEF", Name: "open", Begins: time.Now().Add(time.Hour)})
		if !ok || err != nil {
			t.Errorf("ana is told: %v, %v", ok, err)
		}
		pass(time.Minute)
		took(t, box, "beside addresses that take nothing", "ana event open")
		if c.stats.Notices.GivenUp.Load() == 0 {
			t.Error("nothing has made room")
		}
	})
}

// TestCodeAfterRestart: a code that was sent works after the program has been started again, within its life and its tries.
func TestCodeAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := new(mailbox)
		first := newClub(t, sendTo(box))
		pass(day)
		_, err := first.Notices.Ask(t.Context(), first.ana, origin.Origin{}, to(t, "ana@example.com"))
		wantErr(t, "ask", err, nil)
		pass(time.Second)
		code, _ := box.code(t)
		for range 2 {
			_, err = first.Notices.Confirm(t.Context(), first.ana, "AAAAAAAA")
			wantErr(t, "a guess", err, lobby.ErrNoticeCode)
		}
		again := func(c *club) *club {
			t.Helper()
			wantErr(t, "close", c.Close(), nil)
			return reopen(t, c.store, sendTo(box))
		}
		c := again(first)
		for range noticestore.MaxTries - 3 {
			_, err = c.Notices.Confirm(t.Context(), c.ana, "BBBBBBBB")
			wantErr(t, "a guess after the restart", err, lobby.ErrNoticeCode)
		}
		c = again(c)
		_, err = c.Notices.Confirm(t.Context(), c.ana, code)
		wantErr(t, "the code, at the last try", err, nil)
		took(t, box, "the code, once", "ana code")

		// Tries count across restarts, and so does the life of a code.
		_, err = c.Notices.Ask(t.Context(), c.rui, origin.Origin{}, to(t, "rui@example.com"))
		wantErr(t, "ask", err, nil)
		pass(time.Second)
		code, _ = box.code(t)
		for range noticestore.MaxTries {
			c = again(c)
			_, err = c.Notices.Confirm(t.Context(), c.rui, "BBBBBBBB")
			wantErr(t, "a guess", err, lobby.ErrNoticeCode)
		}
		_, err = c.Notices.Confirm(t.Context(), c.rui, code)
		wantErr(t, "the code after too many guesses", err, lobby.ErrNoticeCode)
		_, err = c.Notices.Ask(t.Context(), c.rui, origin.Origin{}, to(t, "rui2@example.com"))
		wantErr(t, "ask", err, nil)
		pass(time.Second)
		code, _ = box.code(t)
		c = again(c)
		pass(noticestore.CodeLife)
		_, err = c.Notices.Confirm(t.Context(), c.rui, code)
		wantErr(t, "the code after its life", err, lobby.ErrNoticeCode)
	})
}
