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

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

// heard returns what a user sees of a chat, as "name: text".
func heard(t *testing.T, s *seats.Seat) (lines []string) {
	t.Helper()
	c, err := s.Chat(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range c.Lines {
		lines = append(lines, line.By.Name+": "+line.Text+line.Greeting)
	}
	return lines
}

func wantHeard(t *testing.T, what string, s *seats.Seat, want ...string) {
	t.Helper()
	if got := heard(t, s); !slices.Equal(got, want) {
		t.Errorf("%s: %s sees %q, want %q", what, s.User().Name, got, want)
	}
}

func mustSay(t *testing.T, s *seats.Seat, text string) {
	t.Helper()
	if err := s.Say(t.Context(), text, ""); err != nil {
		t.Fatal(err)
	}
}

// TestChat: the lines of the two rooms, over a restart, until after the end.
func TestChat(t *testing.T) {
	o := newOffice(t)
	ana := o.played(4, true)
	rui, eva, guest := o.at(o.rui, ana), o.at(o.account("eva"), ana), o.at(o.Accounts.Guest("1"), ana)
	mustSay(t, ana, " good luck! ")
	wantErr(t, "a greeting", rui.Say(t.Context(), "", "thanks"), nil)
	mustSay(t, eva, "ana wins")
	mustSay(t, guest, "rui wins")
	check := func(when string) {
		t.Helper()
		for _, s := range []*seats.Seat{ana, rui} {
			wantHeard(t, when, s, "ana: good luck!", "rui: thanks")
		}
		for _, s := range []*seats.Seat{eva, guest} {
			wantHeard(t, when, s, "eva: ana wins", "guest-"+guest.User().Name[6:]+": rui wins")
		}
	}
	check("while they play")
	o.shut()
	o.open()
	for _, s := range []**seats.Seat{&ana, &rui, &eva, &guest} {
		*s = o.at((*s).User(), *s)
	}
	check("after a restart")

	before, err := ana.Chat(t.Context(), 0)
	wantErr(t, "chat", err, nil)
	wantErr(t, "resign", rui.Resign(t.Context()), nil)
	after, err := ana.Chat(t.Context(), before.Seq)
	if err != nil || !after.Over {
		t.Errorf("the end doesn't show: %+v, %v", after, err)
	}
	if lines, err := o.store.Chat.Chat(t.Context(), ana.ID()); err != nil || len(lines) > 0 {
		t.Errorf("the store still has %v, %v", lines, err)
	}
	o.late.Add(int64(time.Second)) // lines of two rooms in one millisecond are in the order of the rooms
	mustSay(t, ana, "well played")
	wantHeard(t, "after the end", eva, "eva: ana wins", guest.User().Name+": rui wins")
	// The guest's line waits until ana has written there, which a player can't.
	wantHeard(t, "after the end", ana, "ana: good luck!", "rui: thanks", "eva: ana wins", "ana: well played")
}

// TestGuestsWaitForHello: a player sees what a guest has written once they have written too.
func TestGuestsWaitForHello(t *testing.T) {
	c := newClub(t)
	ref := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Public: true})
	if _, err := c.Seats.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
		t.Fatal(err)
	}
	ana, guest := c.seat(c.ana, ref.ID), c.seat(c.guest, ref.ID)
	mustSay(t, guest, "hi")
	wantHeard(t, "before hello", ana)
	if chat, err := ana.Chat(t.Context(), 0); err != nil || chat.Waiting != 1 {
		t.Errorf("ana is told of %d lines, %v", chat.Waiting, err)
	}
	mustSay(t, ana, "hello")
	name := c.guest.Name
	wantHeard(t, "after hello", ana, name+": hi", "ana: hello")
	wantHeard(t, "after hello", guest, name+": hi", "ana: hello")
}

// TestFriendsByCode: a guest who came by the code of a private match writes at once to the player who gave it. A guest who watches doesn't.
func TestFriendsByCode(t *testing.T) {
	c := newClub(t)
	ref := c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst})
	if _, err := c.Seats.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
		t.Fatal(err)
	}
	ana := c.seat(c.ana, ref.ID)
	mustSay(t, c.seat(c.guest, ref.ID), "hi")
	wantHeard(t, "at once", ana, c.guest.Name+": hi")
	other := c.Accounts.Guest("another connection")
	watcher, err := c.Finder.Find(t.Context(), other, origin.Origin{}, ref.Code)
	if err != nil {
		t.Fatal(err)
	}
	mustSay(t, c.seat(other, watcher.ID), "who wins?")
	wantHeard(t, "those who watch", c.seat(c.rui, ref.ID))
}

func TestWhoMayChat(t *testing.T) {
	o := newOffice(t)
	ana := o.played(2, false)
	rui := o.at(o.rui, ana)
	wantErr(t, "nothing", ana.Say(t.Context(), " ", ""), lobby.ErrLine)
	wantErr(t, "too much", ana.Say(t.Context(), strings.Repeat("x", 201), ""), lobby.ErrLine)
	wantErr(t, "no such greeting", ana.Say(t.Context(), "", "insult"), lobby.ErrGreeting)
	wantErr(t, "without an account", o.at(lobby.User{}, ana).Say(t.Context(), "hello", ""), lobby.ErrNeedsKey)
	alone, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Bot: "first"})
	wantErr(t, "a match with a computer player", err, nil)
	wantErr(t, "to a computer player", o.seat(o.ana, alone.ID).Say(t.Context(), "hello", ""), lobby.ErrNoCompany)

	until := o.clock().Add(time.Hour).UTC().Truncate(time.Millisecond)
	o.must(o.Mute(t.Context(), "rui", until, "x"))
	var muted *lobby.MutedError
	if err := rui.Say(t.Context(), "hello", ""); !errors.As(err, &muted) || !muted.Until.Equal(until) {
		t.Errorf("a muted player: %v", err)
	}
	o.late.Store(int64(2 * time.Hour))
	mustSay(t, rui, "hello")
	wantHeard(t, "when the mute is over", ana, "rui: hello")

	wantErr(t, "chat off", o.Accounts.SaveSettings(t.Context(), o.ana, accounts.Settings{ChatOff: true}), nil)
	wantHeard(t, "switched off", ana)
	wantErr(t, "switched off", ana.Say(t.Context(), "hello", ""), lobby.ErrChatOff)
	wantErr(t, "chat on", o.Accounts.SaveSettings(t.Context(), o.ana, accounts.Settings{}), nil)
	o.relate(o.ana, relations.Blocked, "rui", true, nil)
	mustSay(t, ana, "bye")
	wantHeard(t, "blocked", ana, "ana: bye")
	wantHeard(t, "the blocked", rui, "rui: hello", "ana: bye")
	o.relate(o.ana, relations.Blocked, "rui", false, nil)
	wantHeard(t, "no longer blocked", ana, "rui: hello", "ana: bye")
}

// TestChatOfClosedAccounts: what a spectator wrote is shown no more when the account is closed, and gone when it is deleted.
func TestChatOfClosedAccounts(t *testing.T) {
	o := newOffice(t)
	ana := o.played(2, false)
	eva, bia := o.at(o.account("eva"), ana), o.at(o.account("bia"), ana)
	mustSay(t, eva, "hello")
	mustSay(t, bia, "hi")
	o.must(o.Rename(t.Context(), "eva", "eve", "x"))
	wantHeard(t, "renamed", bia, "eve: hello", "bia: hi")
	o.must(o.Operator.Close(t.Context(), "eve", "x"))
	wantHeard(t, "closed", bia, "bia: hi")
	o.must(o.Reopen(t.Context(), "eve", "x"))
	wantHeard(t, "open again", bia, "eve: hello", "bia: hi")
	wantErr(t, "delete", o.Accounts.DeleteAccount(t.Context(), eva.User(), o), nil)
	wantHeard(t, "deleted", bia, "bia: hi")
	if lines, err := o.store.Chat.Chat(t.Context(), ana.ID()); err != nil || len(lines) != 1 {
		t.Errorf("the store has %v, %v", lines, err)
	}
}

// TestChatRates: a person, and the people at one address together, write so much and no more.
func TestChatRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		ana, _ := c.start()
		burst := func(s *seats.Seat) (n int) {
			for n = range 100 {
				err := s.Say(t.Context(), fmt.Sprint("line ", n), "")
				if errors.Is(err, lobby.ErrChatty) {
					return n
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			return n
		}
		const (
			inARow   = 5 // lines of one person
			every    = 3 * time.Second
			together = 4 // how many people one address may stand for
		)
		if n := burst(ana); n != inARow {
			t.Errorf("ana writes %d lines at once", n)
		}
		time.Sleep(every)
		if n := burst(ana); n != 1 {
			t.Errorf("a moment later ana writes %d lines", n)
		}
		here, all := netip.MustParseAddr("192.0.2.7"), 0
		for i := range 20 {
			who := c.Accounts.Guest(fmt.Sprint("connection ", i))
			defer c.Connect(who, origin.Origin{Addr: here})()
			all += burst(c.seat(who, ana.ID()))
		}
		if all != together*inARow {
			t.Errorf("twenty people at one address write %d lines at once", all)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestReportsKeepChat: a report has the lines that the reporting player has seen, even if the reported player is blocked by then.
func TestReportsKeepChat(t *testing.T) {
	o := newOffice(t)
	ana := o.played(4, false)
	rui, eva := o.at(o.rui, ana), o.at(o.account("eva"), ana)
	mustSay(t, rui, "you play like a bot")
	wantErr(t, "a greeting", ana.Say(t.Context(), "", "bye"), nil)
	mustSay(t, eva, "not for ana")
	o.relate(o.ana, relations.Blocked, "rui", true, nil)
	wantErr(t, "resign", ana.Resign(t.Context()), nil)
	report := func(who lobby.User, match string) (lines []string) {
		t.Helper()
		if _, err := o.Operators.Report(t.Context(), who, origin.Origin{}, "rui", match, "rude"); err != nil {
			t.Fatal(err)
		}
		all, err := o.Operator.Reports(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if r.By != who.Player() {
				continue
			}
			for _, line := range r.Chat {
				lines = append(lines, line.By+": "+line.Text+line.Greeting)
			}
		}
		return lines
	}
	if got := report(o.ana, string(ana.ID())); !slices.Equal(got, []string{"rui: you play like a bot", "ana: bye", "eva: not for ana"}) {
		t.Errorf("ana's report has %q", got) // the match is over, so that ana sees both rooms
	}
	if got := report(eva.User(), string(ana.ID())); !slices.Equal(got, []string{"eva: not for ana"}) {
		t.Errorf("eva's report has %q", got)
	}
	if got := report(o.ana, ""); len(got) != 3 {
		t.Errorf("a report without a match, after the last one of the two, has %q", got)
	}
	o.relate(o.ana, relations.Blocked, "rui", false, nil)
	again := o.played(4, false)
	mustSay(t, o.at(o.rui, again), "still rude")
	if got := report(o.ana, ""); !slices.Equal(got, []string{"rui: still rude"}) {
		t.Errorf("a report without a match, while the two play, has %q", got)
	}
	if got := report(eva.User(), ""); len(got) > 0 {
		t.Errorf("a report by a player who has not played with rui has %q", got)
	}
}

// TestEvidenceStays: a report has what the reported player wrote at a match, before or after its end, even if they delete the account at once and
// the chat has left memory since.
func TestEvidenceStays(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before bool // the account is deleted while the match goes on
		report func(o *office, id storage.MatchID) (operators.Report, error)
	}{
		{"by name", false, func(o *office, id storage.MatchID) (operators.Report, error) {
			return o.Operators.Report(o.t.Context(), o.ana, origin.Origin{}, "RUI", string(id), "rude")
		}},
		{"by side", false, func(o *office, id storage.MatchID) (operators.Report, error) {
			return o.Operators.ReportSide(o.t.Context(), o.ana, origin.Origin{}, string(id), games.Second, "rude")
		}},
		{"deleted in the match", true, func(o *office, id storage.MatchID) (operators.Report, error) {
			return o.Operators.ReportSide(o.t.Context(), o.ana, origin.Origin{}, string(id), games.Second, "rude")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newOffice(t)
			ana := o.played(4, false)
			rui := o.at(o.rui, ana)
			mustSay(t, rui, "insult")
			if !tt.before {
				wantErr(t, "resign", ana.Resign(t.Context()), nil)
				mustSay(t, rui, "insult after the end")
			}
			wantErr(t, "delete", o.Accounts.DeleteAccount(t.Context(), o.rui, o), nil)
			wantHeard(t, "those at the board", ana)
			o.shut()
			o.open() // nothing is in memory
			r, err := tt.report(o, ana.ID())
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, line := range r.Chat {
				lines = append(lines, line.By+": "+line.Text)
			}
			want := []string{"rui: insult", "rui: insult after the end"}
			if tt.before {
				want = want[:1]
			}
			if !slices.Equal(lines, want) || r.About != o.rui.Player() || r.AboutName != "rui" {
				t.Errorf("the report is %+v", r)
			}
			if _, err := o.Operators.ReportSide(t.Context(), o.ana, origin.Origin{}, string(ana.ID()), games.First, "me"); !errors.Is(err, lobby.ErrOwnReport) {
				t.Errorf("a report about oneself: %v", err)
			}
		})
	}
}

// TestReportedTogether: a report has what the reported player wrote in a review at which both looked, also after it has ended, for a day, together
// with the lines of their match, and of no other review.
func TestReportedTogether(t *testing.T) {
	o := newOffice(t)
	ana := o.played(4, false)
	wantErr(t, "resign", ana.Resign(t.Context()), nil)
	mustSay(t, o.at(o.rui, ana), "lost")
	eva := o.account("eva")
	for _, u := range []lobby.User{o.rui, eva} {
		_, leave := o.Together.Listen(u)
		defer leave()
	}
	look := func(by, with lobby.User, lines ...string) (leave func()) {
		t.Helper()
		leads, err := o.Together.Lead(t.Context(), by, with, lobby.Ref{ID: ana.ID()})
		if err != nil {
			t.Fatal(err)
		}
		follows, err := o.Together.Join(t.Context(), with)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			wantErr(t, "say", follows.Say(t.Context(), line), nil)
		}
		return leads.Leave
	}
	report := func(u, about lobby.User, match string) (lines []string) {
		t.Helper()
		r, err := o.Operators.Report(t.Context(), u, origin.Origin{}, about.Name, match, "rude")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range r.Chat {
			lines = append(lines, line.By+": "+line.Text)
		}
		if len(lines) > 0 && r.Match != ana.ID() {
			t.Errorf("the report is about %q", r.Match)
		}
		return lines
	}
	leave := look(o.ana, o.rui, "idiot", "loser")
	want := []string{"rui: lost", "rui: idiot", "rui: loser"}
	if got := report(o.ana, o.rui, ""); !slices.Equal(got, want) {
		t.Errorf("while both look at it a report has %q", got)
	}
	leave()
	look(o.ana, eva, "hello")()
	if got := report(o.ana, o.rui, string(ana.ID())); !slices.Equal(got, want) {
		t.Errorf("after it has ended a report has %q", got)
	}
	if got := report(eva, o.ana, ""); !slices.Equal(got, []string{"eva: hello"}) {
		t.Errorf("a report by eva has %q", got)
	}
	if got := report(eva, o.rui, ""); len(got) > 0 {
		t.Errorf("a report by eva about rui has %q", got)
	}
	o.late.Store(int64(25 * time.Hour))
	if got := report(eva, o.ana, ""); len(got) > 0 {
		t.Errorf("a day later a report by eva has %q", got)
	}
}

// TestLateStrangers: after the end of a match only those write who sat at it or were at its board.
func TestLateStrangers(t *testing.T) {
	o := newOffice(t)
	ana := o.played(4, false)
	eva, bia := o.at(o.account("eva"), ana), o.at(o.account("bia"), ana)
	visit := o.Presence.Visit(eva.User(), true)
	defer visit.Leave(false)
	visit.At(ana.ID())
	if _, err := eva.Chat(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "resign", ana.Resign(t.Context()), nil)
	mustSay(t, ana, "well played")
	mustSay(t, eva, "indeed")
	wantErr(t, "a stranger", bia.Say(t.Context(), "buy this", ""), lobby.ErrNotThere)
	wantHeard(t, "ana", ana, "ana: well played", "eva: indeed")
}
