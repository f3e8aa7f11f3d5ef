package lobby_test

import (
	"reflect"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// TestGuestKeepsMatches: a player with a key who enters the code of a guest gets that guest's finished matches, in records, history and tallies,
// also after a restart of the club. Matches of other guests stay as they are, and no rating changes even in the last digit.
func TestGuestKeepsMatches(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	seat := o.played(4, true)
	wantErr(t, "resign", o.seat(o.rui, seat.ID()).Resign(ctx), nil)
	o.late.Add(int64(time.Second)) // before the next match ends, as in finish
	guest, other := o.Accounts.Guest("one"), o.Accounts.Guest("two")
	mine := []storage.MatchID{o.finish(o.ana, guest), o.finish(guest, o.ana)}
	own, stranger := o.finish(o.rui, guest), o.finish(o.ana, other)
	unfinished, err := o.Lobby.Seats.Open(ctx, guest, seats.Spec{Game: "fourmation", Public: true})
	wantErr(t, "open", err, nil)
	code, until, err := o.Keys.OfferMatches(ctx, guest, origin.Origin{})
	wantErr(t, "a code", err, nil)
	if d := until.Sub(o.clock()); d > accountstore.KeyCodeLife {
		t.Errorf("the code lives %v", d)
	}
	before, err := o.store.Results.Standings(ctx, "fourmation")
	wantErr(t, "standings", err, nil)

	o.shut()
	o.open()
	if _, err := o.Keys.Claim(ctx, "SHA256:new", origin.Origin{}, code, o); err != lobby.ErrGuestCode {
		t.Errorf("a key without an account: %v", err)
	}
	claim, err := o.Keys.Claim(ctx, keyOf("rui"), origin.Origin{}, code, o)
	wantErr(t, "claim", err, nil)
	if claim != (accounts.Claim{Who: o.rui, OfGuest: true, Matches: 2}) {
		t.Errorf("claimed %+v", claim)
	}
	_, err = o.Keys.Claim(ctx, keyOf("ana"), origin.Origin{}, code, o)
	wantErr(t, "the code again", err, lobby.ErrNoKeyCode)
	_, err = o.Lobby.Seats.Open(ctx, o.rui, seats.Spec{Game: "fourmation"})
	wantErr(t, "open", err, nil)
	_, err = o.Keys.Claim(ctx, keyOf("rui"), origin.Origin{}, code, o)
	wantErr(t, "the code again, with a key that has an unfinished match", err, lobby.ErrNoKeyCode)
	code, _, err = o.Keys.OfferMatches(ctx, o.Accounts.Guest("nothing yet"), origin.Origin{})
	wantErr(t, "a code of a guest without matches", err, nil)
	for range 2 { // nothing uses it up
		claim, err := o.Keys.Claim(ctx, keyOf("rui"), origin.Origin{}, code, o)
		if wantErr(t, "claim of nothing", err, nil); !claim.OfGuest || claim.Matches != 0 {
			t.Errorf("claimed %+v", claim)
		}
	}

	ruis := storage.Occupant{Kind: storage.Person, ID: o.rui.ID, Name: "rui"}
	if f := o.kept(mine[0]); f.Second != ruis || len(f.Moves) != 4 {
		t.Errorf("the first record: %+v", f)
	}
	if f := o.kept(mine[1]); f.First != ruis || f.Second.ID != o.ana.ID {
		t.Errorf("the second record: %+v", f)
	}
	for what, f := range map[string]results.Finished{"against the player": o.kept(own), "of another guest": o.kept(stranger)} {
		if f.Second.Kind != storage.Guest {
			t.Errorf("the match %s: %+v", what, f)
		}
	}
	if got, want := o.historyOf(o.rui.Player()), []storage.MatchID{own, mine[1], mine[0], seat.ID()}; !reflect.DeepEqual(got, want) {
		t.Errorf("the history is %v, want %v", got, want)
	}
	if got := len(o.historyOf("")); got != 5 {
		t.Errorf("the history of all has %d matches, want 5", got)
	}
	tally, err := o.store.Results.Tallies(ctx, o.rui.Player(), o.ana.Player())
	wantErr(t, "tallies", err, nil)
	if tally.Against.Won+tally.Against.Drawn+tally.Against.Lost != 3 {
		t.Errorf("against ana there are %+v, want three matches", tally.Against)
	}
	if v := o.view(o.seat(guest, unfinished.ID)); v.Over {
		t.Error("the guest's offer is over")
	}

	report, err := o.store.Results.Recompute(ctx)
	wantErr(t, "recompute", err, nil)
	after, err := o.store.Results.Standings(ctx, "fourmation")
	wantErr(t, "standings", err, nil)
	if len(before) != 2 || !reflect.DeepEqual(before, after) || report.Results != 1 {
		t.Errorf("the ratings were %+v and are %+v; %+v", before, after, report)
	}
}

// TestGuestCodesEnd: a guest's code lives ten minutes, is for guests alone, and is asked for a few times in a row at most.
func TestGuestCodesEnd(t *testing.T) {
	o := newOffice(t)
	ctx := t.Context()
	_, _, err := o.Keys.OfferMatches(ctx, o.ana, origin.Origin{})
	wantErr(t, "a player", err, lobby.ErrHasAccount)
	guest := o.Accounts.Guest("one")
	id := o.finish(o.ana, guest)
	code, _, err := o.Keys.OfferMatches(ctx, guest, origin.Origin{})
	wantErr(t, "a code", err, nil)
	o.late.Add(int64(accountstore.KeyCodeLife))
	_, err = o.Keys.Claim(ctx, keyOf("rui"), origin.Origin{}, code, o)
	wantErr(t, "after ten minutes", err, lobby.ErrNoKeyCode)
	if f := o.kept(id); f.Second.Kind != storage.Guest {
		t.Errorf("the record is %+v", f)
	}
	const burst = 5 // codes in a row
	asked := 1
	for ; asked < 100; asked++ {
		if _, _, err = o.Keys.OfferMatches(ctx, guest, origin.Origin{}); err != nil {
			break
		}
	}
	wantErr(t, "one code after the other", err, lobby.ErrManyGuestCodes)
	if asked != burst {
		t.Errorf("%d codes in a row, want %d", asked, burst)
	}
	if _, _, err = o.Keys.OfferMatches(ctx, o.Accounts.Guest("two"), origin.Origin{}); err != nil {
		t.Errorf("another guest: %v", err)
	}
}
