package lobby_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/operators"
)

func TestCloseAccount(t *testing.T) {
	o := newOffice(t)
	young, old := o.played(3, false), o.played(4, true)
	offer, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation", Public: true})
	if err != nil {
		t.Fatal(err)
	}
	e := o.must(o.Operator.Close(t.Context(), "ANA", "  rude "))
	if e.By != "SHA256:op" || e.Verb != "close" || e.Subject != "ana" || e.Reason != "rude" || e.Number != 1 {
		t.Errorf("entry %+v", e)
	}
	if o.told(keyOf("ana")) != lobby.ErrAccountClosed || o.told(keyOf("rui")) != nil {
		t.Errorf("the sessions of %v were ended", o.ended)
	}
	for _, tt := range []struct {
		name   string
		id     storage.MatchID
		result string
	}{{"before two moves a side", young.ID(), ""}, {"after two moves a side", old.ID(), "second"}, {"an offer", offer.ID, ""}} {
		v := o.view(o.seat(o.rui, tt.id))
		if !v.Over || v.Result != tt.result || v.Reason != "adjudicated" {
			t.Errorf("%s: over %v, %q, %q", tt.name, v.Over, v.Result, v.Reason)
		}
	}
	if v := o.view(old); v.Ratings == nil {
		t.Error("the rated match was not rated")
	}
	_, _, err = o.Accounts.SignIn(t.Context(), keyOf("ana"))
	wantErr(t, "signing in", err, lobby.ErrAccountClosed)
	_, err = o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation"})
	wantErr(t, "opening a match", err, lobby.ErrAccountClosed)
	if board, err := o.Standings.Leaderboard(t.Context(), "fourmation"); err != nil || len(board) != 1 || board[0].Name != "rui" {
		t.Errorf("leaderboard %+v, %v", board, err)
	}
	_, err = o.Operator.Close(t.Context(), "ana", "again")
	wantErr(t, "closing twice", err, lobby.ErrUnchanged)
	o.must(o.Reopen(t.Context(), "ana", "sorry"))
	if _, _, err := o.Accounts.SignIn(t.Context(), keyOf("ana")); err != nil {
		t.Errorf("after reopen: %v", err)
	}
}

// A club that was killed between closing an account and ending its matches ends them when it opens.
func TestCloseAcrossRestart(t *testing.T) {
	o := newOffice(t)
	seat := o.played(4, false)
	if _, err := o.store.Operators.Act(t.Context(), operators.AuditEntry{At: time.Now(), By: "x", Verb: "close", Reason: "x"},
		operators.Change{Closing: &operators.ClosedChange{Player: o.ana.Player(), Closed: true}}); err != nil {
		t.Fatal(err)
	}
	o.shut()
	o.open()
	_, _, err := o.Accounts.SignIn(t.Context(), keyOf("ana"))
	wantErr(t, "signing in", err, lobby.ErrAccountClosed)
	at := o.at(o.rui, seat)
	for v := o.view(at); !v.Over; {
		if v, err = at.Next(t.Context(), v.Seq); err != nil {
			t.Fatal(err)
		}
	}
	if v := o.view(at); v.Result != "second" {
		t.Errorf("result %q", v.Result)
	}
}

func TestRenamePlayer(t *testing.T) {
	o := newOffice(t)
	done := o.played(7, false)
	seat := o.played(2, false)
	defer o.Presence.Enter(o.ana)()
	e := o.must(o.Rename(t.Context(), "ana", "Eva", "asked for it"))
	if got := o.view(seat).Seats[0].Name; got != "ana" {
		t.Errorf("before the next event the seat is %q", got)
	}
	check := func(when string) {
		t.Helper()
		v := o.view(seat)
		if err := o.at([]lobby.User{o.ana, o.rui}[v.Turn], seat).Move(t.Context(), win[v.Ply()], lobby.AnyPly); err != nil {
			t.Fatal(err)
		}
		if got := o.view(seat).Seats[0].Name; got != "Eva" {
			t.Errorf("%s: the seat is %q", when, got)
		}
	}
	check("after the next event")
	if who, _, err := o.Accounts.SignIn(t.Context(), keyOf("ana")); err != nil || who.Name != "Eva" {
		t.Errorf("signed in as %q, %v", who.Name, err)
	}
	if here := o.People.Who(t.Context(), lobby.User{}).Here; len(here) != 1 || here[0].Name != "Eva" {
		t.Errorf("here are %v", here)
	}
	if r, err := done.Record(t.Context()); err != nil || r.First.Name != "ana" {
		t.Errorf("the record says %q, %v", r.First.Name, err)
	}
	if name := o.Accounts.SuggestName(t.Context(), "ana"); name != "" {
		t.Errorf("the old name is free: %q", name)
	}
	if f, err := o.Dossier(t.Context(), "ANA"); err != nil || f.Name != "Eva" || !slices.Equal(f.Former, []string{"ana"}) {
		t.Errorf("dossier by the old name: %+v, %v", f, err)
	}
	for name, want := range map[string]error{"rui": lobby.ErrNameTaken, "Eva": lobby.ErrUnchanged} {
		_, err := o.Rename(t.Context(), "eva", name, "x")
		wantErr(t, "rename to "+name, err, want)
	}
	if _, err := o.Rename(t.Context(), "eva", "a", "x"); err == nil {
		t.Error("a name that is too short is taken")
	}
	o.shut()
	o.open()
	seat = o.at(o.ana, seat)
	check("after a restart")
	o.must(o.Undo(t.Context(), e.Number, "back"))
	if who, _, err := o.Accounts.SignIn(t.Context(), keyOf("ana")); err != nil || who.Name != "ana" {
		t.Errorf("after undo: %q, %v", who.Name, err)
	}
}

func TestMergePlayers(t *testing.T) {
	o := newOffice(t)
	seat := o.played(4, true)
	_, err := o.Merge(t.Context(), "ana", "ana", "x")
	wantErr(t, "with itself", err, lobby.ErrUnchanged)
	e := o.must(o.Merge(t.Context(), "ana", "rui", "two keys of one person"))
	var moved *lobby.KeyMovedError
	if why := o.told(keyOf("ana")); !errors.As(why, &moved) || moved.To != "rui" || o.told(keyOf("rui")) != nil {
		t.Errorf("the sessions of %v were ended, those of ana for %v", o.ended, why)
	}
	if v := o.view(seat); !v.Over || v.Seats[0].Name != "ana" {
		t.Errorf("the match: over %v, %v", v.Over, v.Seats)
	}
	if who, _, err := o.Accounts.SignIn(t.Context(), keyOf("ana")); err != nil || who.Name != "rui" {
		t.Errorf("the key of ana signs in as %q, %v", who.Name, err)
	}
	rows, _, err := o.Results.History(t.Context(), standings.HistoryQuery{Name: "ana", Limit: 5})
	if err != nil || len(rows) != 1 {
		t.Errorf("history of ana: %d, %v", len(rows), err)
	}
	if f, err := o.Dossier(t.Context(), "ana"); err != nil || f.Into != "rui" || len(f.Keys) != 0 {
		t.Errorf("file: %+v, %v", f, err)
	}
	_, err = o.Reopen(t.Context(), "ana", "x")
	wantErr(t, "reopening", err, lobby.ErrMerged)
	o.must(o.Undo(t.Context(), e.Number, "two people after all"))
	if why := o.told(keyOf("ana")); !errors.As(why, &moved) || moved.To != "ana" || o.told(keyOf("rui")) != nil {
		t.Errorf("after undo the sessions of %v were ended, those of ana for %v", o.ended, why)
	}
	if who, _, err := o.Accounts.SignIn(t.Context(), keyOf("ana")); err != nil || who.Name != "ana" {
		t.Errorf("after undo: %q, %v", who.Name, err)
	}
	if who, _, err := o.Accounts.SignIn(t.Context(), keyOf("rui")); err != nil || who.Name != "rui" {
		t.Errorf("after undo: %q, %v", who.Name, err)
	}
}

func TestBans(t *testing.T) {
	o := newOffice(t)
	key := "SHA256:" + strings.Repeat("A", 43)
	for subject, want := range map[string]error{
		"somebody": lobby.ErrSubject, "SHA256:short": lobby.ErrSubject, "10.0.0.0/7": lobby.ErrSubject, "2001::/15": lobby.ErrSubject, "": lobby.ErrSubject,
		"192.0.2.77/24": nil, "198.51.100.7": nil, "2001:db8::1": nil, key: nil,
		"SHA256:" + strings.Repeat("A", 42): lobby.ErrSubject, "SHA256:" + strings.Repeat("A", 44): lobby.ErrSubject, // of 31 and 33 bytes
		"::ffff:0:0/96": lobby.ErrSubject, "::ffff:192.0.2.0/120": lobby.ErrSubject,
	} {
		until := time.Time{}
		if subject == "192.0.2.77/24" {
			until = time.Now().Add(time.Hour)
		}
		_, err := o.Ban(t.Context(), subject, until, "spam")
		wantErr(t, "ban "+subject, err, want)
	}
	for _, tt := range []struct {
		key, addr string
		refused   bool
	}{
		{key, "203.0.113.1", true}, {"", "192.0.2.200", true}, {"", "::ffff:192.0.2.1", true}, {"", "192.0.3.1", false},
		{"", "198.51.100.7", true}, {"", "198.51.100.8", false}, {"", "2001:db8::1", true}, {"", "2001:db8::2", false},
	} {
		if got := o.Restrictions.KeyBanned(tt.key) || o.Restrictions.AddressBanned(netip.MustParseAddr(tt.addr)); got != tt.refused {
			t.Errorf("%s from %s is banned: %v", tt.key, tt.addr, got)
		}
	}
	if !slices.Contains(o.ended, "banned") {
		t.Error("no session was ended")
	}
	o.must(o.Ban(t.Context(), "203.0.113.0/24", time.Time{}, "spam"))
	o.must(o.Unban(t.Context(), "203.0.113.7/24", "over"))
	if o.Restrictions.AddressBanned(netip.MustParseAddr("203.0.113.9")) {
		t.Error("banned after unban")
	}
	_, err := o.Unban(t.Context(), "203.0.113.7/24", "over")
	wantErr(t, "unban twice", err, lobby.ErrNoEntry)
	o.shut()
	o.open()
	if len(o.Bans()) != 4 || !o.Restrictions.AddressBanned(netip.MustParseAddr("198.51.100.7")) {
		t.Errorf("after a restart: %v", o.Bans())
	}
}

func TestBanEnds(t *testing.T) {
	o := newOffice(t)
	o.must(o.Ban(t.Context(), "198.51.100.7", o.clock().Add(time.Hour), "spam"))
	addr := netip.MustParseAddr("198.51.100.7")
	if !o.Restrictions.AddressBanned(addr) {
		t.Error("not banned")
	}
	o.late.Add(int64(time.Hour))
	if o.Restrictions.AddressBanned(addr) || len(o.Bans()) != 0 {
		t.Errorf("banned an hour later: %v", o.Bans())
	}
}

func TestEndMatch(t *testing.T) {
	o := newOffice(t)
	for _, result := range []string{"first", "second", "draw", ""} {
		seat := o.played(4, true)
		e := o.must(o.End(t.Context(), strings.ToLower(o.view(seat).Code), result, "broken"))
		v := o.view(seat)
		if !v.Over || v.Result != result || v.Reason != "adjudicated" || (v.Ratings != nil) != (result != "") || e.Subject != string(v.ID) || e.Number == 0 {
			t.Errorf("%q: over %v, %q, %q, %v; %+v", result, v.Over, v.Result, v.Reason, v.Ratings, e)
		}
		_, err := o.End(t.Context(), string(seat.ID()), result, "again")
		wantErr(t, "ending twice", err, lobby.ErrOver)
		f, err := o.store.Results.Finished(t.Context(), seat.ID())
		if err != nil || f.Result != result {
			t.Errorf("the record: %q, %v", f.Result, err)
		}
		if _, err := match.Replay(f, o.Game); err != nil { // as after a restart
			t.Errorf("the record of %q can't be read: %v", result, err)
		}
	}
	offer, err := o.Lobby.Seats.Open(t.Context(), o.ana, seats.Spec{Game: "fourmation"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.End(t.Context(), offer.Code, "first", "x")
	wantErr(t, "an offer can't be won", err, lobby.ErrNotStarted)
	_, err = o.End(t.Context(), offer.Code, "third", "x")
	wantErr(t, "no such result", err, lobby.ErrSpec)
	_, err = o.End(t.Context(), "ZZZZZZ", "", "x")
	wantErr(t, "no such match", err, lobby.ErrNoSuchMatch)
	o.must(o.End(t.Context(), offer.Code, "", "x"))
	log, err := o.Audit(t.Context(), 0, 20)
	if err != nil || len(log) != 5 || log[0].Verb != "end" || log[0].Number != 5 {
		t.Errorf("audit %+v, %v", log, err)
	}
}

func TestUnrate(t *testing.T) {
	o := newOffice(t)
	casual, rated := o.played(7, false), o.played(7, true)
	_, err := o.Unrate(t.Context(), string(casual.ID()), "x")
	if !errors.Is(err, lobby.ErrUnchanged) && !errors.Is(err, lobby.ErrNotRated) {
		t.Errorf("a casual match: %v", err)
	}
	e := o.must(o.Unrate(t.Context(), string(rated.ID()), "thrown"))
	if board, err := o.Standings.Leaderboard(t.Context(), "fourmation"); err != nil || len(board) != 0 {
		t.Errorf("leaderboard %+v, %v", board, err)
	}
	if report, err := o.Recompute(t.Context(), "to be sure"); err != nil || len(report.Differed) > 0 || report.Matches > 0 {
		t.Errorf("recompute: %+v, %v", report, err)
	}
	o.must(o.Undo(t.Context(), e.Number, "not thrown"))
	if board, err := o.Standings.Leaderboard(t.Context(), "fourmation"); err != nil || len(board) != 2 {
		t.Errorf("after undo: %+v, %v", board, err)
	}
}

// TestUnrateAll: all results of a player, or of two, are taken out by one act, and an undo brings them back.
func TestUnrateAll(t *testing.T) {
	o := newOffice(t)
	_, err := o.UnrateAll(t.Context(), "ana", "", "x")
	wantErr(t, "nothing is rated", err, lobby.ErrNotRated)
	o.played(7, true)
	for _, against := range []string{"", "rui"} {
		entries, err := o.UnrateAll(t.Context(), "ana", against, "thrown")
		if err != nil || len(entries) != 1 || entries[0].Subject != strings.TrimSpace("ana "+against) {
			t.Fatalf("against %q: %+v, %v", against, entries, err)
		}
		if board, err := o.Standings.Leaderboard(t.Context(), "fourmation"); err != nil || len(board) != 0 {
			t.Errorf("leaderboard %+v, %v", board, err)
		}
		o.must(o.Undo(t.Context(), entries[0].Number, "not thrown"))
		if board, err := o.Standings.Leaderboard(t.Context(), "fourmation"); err != nil || len(board) != 2 {
			t.Errorf("after undo: %+v, %v", board, err)
		}
	}
	_, err = o.UnrateAll(t.Context(), "ana", "nobody", "x")
	wantErr(t, "nobody", err, lobby.ErrNoSuchPlayer)
}

func TestReports(t *testing.T) {
	o := newOffice(t)
	seat := o.played(2, false)
	ctx := t.Context()
	r, err := o.Operators.Report(ctx, o.ana, origin.Origin{}, "RUI", o.view(seat).Code, " \u202eswe\u200bars\u2066")
	if err != nil || r.Match != seat.ID() || r.AboutName != "rui" || r.Reason != "swears" {
		t.Fatal(r, err)
	}
	e, err := o.Announce(ctx, "\u2067closed\u202e at noon", "re\u202epair")
	if err != nil || e.Subject != "closed at noon" || e.Reason != "repair" {
		t.Errorf("an announcement with changes of direction: %+v, %v", e, err)
	}
	_, err = o.Mute(ctx, "rui", time.Time{}, "x\x1b[2J")
	wantErr(t, "an escape in a reason", err, lobby.ErrReason)
	for _, tt := range []struct {
		what   string
		by     lobby.User
		about  string
		reason string
		want   error
	}{
		{"a guest", o.Accounts.Guest("c"), "rui", "x", lobby.ErrNeedsKey}, {"nobody", o.ana, "nemo", "x", lobby.ErrNoSuchPlayer},
		{"oneself", o.ana, "ana", "x", lobby.ErrOwnReport}, {"no reason", o.ana, "rui", " ", lobby.ErrReason},
		{"too long", o.ana, "rui", strings.Repeat("x", 501), lobby.ErrReason}, {"an escape", o.ana, "rui", "x\x1b[2J", lobby.ErrReason},
	} {
		_, err := o.Operators.Report(ctx, tt.by, origin.Origin{}, tt.about, "", tt.reason)
		wantErr(t, tt.what, err, tt.want)
	}
	for range 4 { // five in a row are possible
		if _, err := o.Operators.Report(ctx, o.ana, origin.Origin{}, "rui", "", "again"); err != nil {
			t.Fatal(err)
		}
	}
	_, err = o.Operators.Report(ctx, o.ana, origin.Origin{}, "rui", "", "again")
	wantErr(t, "too often", err, lobby.ErrManyReports)
	o.must(o.Handle(ctx, r.Number, "talked to rui"))
	if open, err := o.Operator.Reports(ctx, false); err != nil || len(open) != 0 {
		t.Errorf("open: %v, %v", open, err)
	}
	if f, err := o.Dossier(ctx, "rui"); err != nil || len(f.Reports) != 1 || f.Reports[0].Reason != "again" {
		t.Errorf("file: %+v, %v", f.Reports, err)
	}
}

// TestReportsBy: reports come by reported player, and all of one reporter are dealt with, and open again, in one act.
func TestReportsBy(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	eva := o.account("eva")
	report := func(by lobby.User, about string) operators.Report {
		t.Helper()
		r, err := o.Operators.Report(ctx, by, origin.Origin{}, about, "", "rude")
		wantErr(t, "reporting", err, nil)
		if !r.Young {
			t.Errorf("the account of %s is not new", by.Name)
		}
		return r
	}
	report(o.ana, "rui")
	report(o.ana, "eva")
	report(eva, "rui")
	open := func(want ...string) {
		t.Helper()
		all, err := o.Operator.Reports(ctx, false)
		var got []string
		for _, r := range all {
			got = append(got, r.ByName+" about "+r.AboutName)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("open: %q, %v; want %q", got, err, want)
		}
	}
	open("ana about rui", "eva about rui", "ana about eva")
	_, err := o.HandleBy(ctx, "rui", "x")
	wantErr(t, "none by rui", err, lobby.ErrUnchanged)
	_, err = o.HandleBy(ctx, "nobody", "x")
	wantErr(t, "by nobody", err, lobby.ErrNoSuchPlayer)
	done := o.must(o.HandleBy(ctx, "Ana", "made up"))
	open("eva about rui")
	o.must(o.Undo(ctx, done.Number, "not made up"))
	open("ana about rui", "eva about rui", "ana about eva")
}

func TestReasons(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	for _, reason := range []string{"", "  ", strings.Repeat("x", 501), "\xff"} {
		for what, act := range map[string]func() error{
			"close":    func() error { _, err := o.Operator.Close(ctx, "ana", reason); return err },
			"announce": func() error { _, err := o.Announce(ctx, "tea", reason); return err },
			"undo":     func() error { _, err := o.Undo(ctx, 1, reason); return err },
		} {
			wantErr(t, what+" for "+reason[:min(len(reason), 5)], act(), lobby.ErrReason)
		}
	}
	if log, err := o.Audit(ctx, 0, 5); err != nil || len(log) != 0 {
		t.Errorf("audit %v, %v", log, err)
	}
}

func TestMuteAndAnnounce(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	o.must(o.Mute(ctx, "ana", time.Now().Add(time.Hour), "shouts"))
	if until := o.Restrictions.MutedUntil(o.ana); time.Until(until) < 59*time.Minute || !o.Restrictions.MutedUntil(o.rui).IsZero() {
		t.Errorf("muted until %v", until)
	}
	o.must(o.Mute(ctx, "ana", time.Time{}, "better"))
	if until := o.Restrictions.MutedUntil(o.ana); !until.IsZero() {
		t.Errorf("muted until %v", until)
	}
	a, seq, err := o.Bulletin.Next(ctx, 0)
	if err != nil || a.Text != "" || seq == 0 {
		t.Errorf("announcement %+v, %v", a, err)
	}
	e := o.must(o.Announce(ctx, " Tea at five ", "tea"))
	a, _, err = o.Bulletin.Next(ctx, seq)
	if err != nil || a.Text != "Tea at five" || !a.Until.Equal(e.At.Add(bulletin.AnnouncementLife)) {
		t.Errorf("announcement %+v, %v", a, err)
	}
	for _, bad := range []string{"a\nb", "\x1b[2J", strings.Repeat("x", 501)} {
		_, err := o.Announce(ctx, bad, "x")
		wantErr(t, "announcing rubbish", err, lobby.ErrSpec)
	}
	o.shut()
	o.open()
	if a, seq, err = o.Bulletin.Next(ctx, 0); err != nil || a.Text != "Tea at five" {
		t.Errorf("after a restart: %+v, %v", a, err)
	}
	o.must(o.Announce(ctx, "", "over"))
	if a, _, err = o.Bulletin.Next(ctx, seq); err != nil || a.Text != "" {
		t.Errorf("taken away: %+v, %v", a, err)
	}
}

// Where players come from gets into their files, as a hash of the block.
func TestVisitsAreKept(t *testing.T) {
	o := newOffice(t)
	from := origin.Origin{Person: keyOf("ana"), Addr: netip.MustParseAddr("192.0.2.7")}
	o.Connect(o.ana, from)()
	o.Connect(o.rui, origin.Origin{Person: keyOf("rui"), Addr: netip.MustParseAddr("192.0.2.99")})()
	o.Connect(o.Accounts.Guest("c"), origin.Origin{Person: "c", Addr: from.Addr})()
	written(t, o, o.ana, 2)
	written(t, o, o.rui, 2)
	ana, err := o.Dossier(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	rui, err := o.Dossier(t.Context(), "rui")
	if err != nil {
		t.Fatal(err)
	}
	if len(ana.Keys) != 1 || ana.Keys[0].Last.IsZero() || len(ana.Blocks) != 1 || ana.Blocks[0].From != rui.Blocks[0].From ||
		!strings.HasPrefix(ana.Blocks[0].From, "hash:") {
		t.Errorf("ana %+v %+v, rui %+v", ana.Keys, ana.Blocks, rui.Blocks)
	}
	if len(ana.Addresses) != 1 || ana.Addresses[0].Addr != from.Addr || len(rui.Addresses) != 1 || rui.Addresses[0].Addr == from.Addr {
		t.Errorf("addresses: ana %v, rui %v", ana.Addresses, rui.Addresses)
	}
	o.late.Store(int64(24 * time.Hour))
	if ana, err = o.Dossier(t.Context(), "ana"); err != nil || len(ana.Addresses) != 0 {
		t.Errorf("a day later the addresses of ana are %v, %v", ana.Addresses, err)
	}
}

// written waits until the store has n visits of a player.
func written(t *testing.T, o *office, u lobby.User, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		all, err := o.store.Visits.Visits(ctx, u.Player())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == n {
			return
		}
	}
}
