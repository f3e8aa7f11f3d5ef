package lobby_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

func TestWholeMatch(t *testing.T) {
	c := newClub(t)
	ana, rui := c.start(func(s *seats.Spec) { s.Rated = true })
	c.play(ana, rui, win...)
	v := c.now(rui)
	if !v.Over || v.Result != "first" || v.Reason != "line" || !slices.Equal(v.Moves, win) {
		t.Fatalf("over %v, result %q, reason %q, moves %v", v.Over, v.Result, v.Reason, v.Moves)
	}
	if v.Ratings == nil || v.Ratings[0].After.Rating <= 1500 || v.Ratings[1].After.Rating >= 1500 {
		t.Errorf("ratings after a rated match: %+v", v.Ratings)
	}
	if v.Events != uint64(3+len(win)) {
		t.Errorf("%d events", v.Events)
	}
	rows, _, err := c.Results.History(t.Context(), standings.HistoryQuery{Name: "RUI", Game: "4mation", Limit: 10})
	if err != nil || len(rows) != 1 || rows[0].ID != v.ID || rows[0].Plies != len(win) {
		t.Errorf("history: %+v, %v", rows, err)
	}
	p, err := c.Standings.Profile(t.Context(), lobby.User{}, "Ana")
	if err != nil || len(p.Games) != 1 || p.Games[0].Won != 1 || !p.Games[0].Provisional {
		t.Errorf("profile: %+v, %v", p, err)
	}
	lines, err := c.Standings.Leaderboard(t.Context(), "fourmation")
	if err != nil || len(lines) != 2 || lines[0].Name != "ana" || lines[0].Rank != 0 {
		t.Errorf("leaderboard: %+v, %v", lines, err)
	}
}

func TestRefusals(t *testing.T) {
	c := newClub(t)
	open := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst}).ID)
	ana, rui := c.start()
	c.play(ana, rui, "d4")
	aborted, _ := c.start()
	if err := aborted.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	watcher := c.seat(c.guest, ana.ID())
	tests := []struct {
		name string
		do   func() error
		want error
	}{
		{"move before anybody joined", func() error { return open.Move(t.Context(), "d4", 0) }, lobby.ErrNotStarted},
		{"resign before anybody joined", func() error { return open.Resign(t.Context()) }, lobby.ErrNotStarted},
		{"a spectator moves", func() error { return watcher.Move(t.Context(), "e5", 1) }, lobby.ErrNotSeated},
		{"a spectator resigns", func() error { return watcher.Resign(t.Context()) }, lobby.ErrNotSeated},
		{"a spectator aborts", func() error { return watcher.Abort(t.Context()) }, lobby.ErrNotSeated},
		{"somebody without a name aborts", func() error { return c.seat(lobby.User{}, ana.ID()).Abort(t.Context()) }, lobby.ErrNotSeated},
		{"out of turn", func() error { return ana.Move(t.Context(), "e5", 1) }, lobby.ErrNotYourTurn},
		{"late", func() error { return rui.Move(t.Context(), "e5", 0) }, lobby.ErrLate},
		{"from the future", func() error { return rui.Move(t.Context(), "e5", 2) }, lobby.ErrLate},
		{"illegal", func() error { return rui.Move(t.Context(), "a1", 1) }, games.ErrIllegal},
		{"not a move", func() error { return rui.Move(t.Context(), "\x1b[2J", 1) }, games.ErrIllegal},
		{"a megabyte", func() error { return rui.Move(t.Context(), games.Move(strings.Repeat("d", 1<<20)), 1) }, games.ErrIllegal},
		{"move after the end", func() error { return aborted.Move(t.Context(), "d4", 0) }, lobby.ErrOver},
		{"resign after the end", func() error { return aborted.Resign(t.Context()) }, lobby.ErrOver},
		{"abort after the end", func() error { return aborted.Abort(t.Context()) }, lobby.ErrOver},
		{"rematch before the end", func() error { _, err := ana.Rematch(t.Context()); return err }, lobby.ErrNotOver},
	}
	before := [2]string{text(c.now(ana)), text(c.now(aborted))}
	for _, tt := range tests {
		wantErr(t, tt.name, tt.do(), tt.want)
	}
	if after := [2]string{text(c.now(ana)), text(c.now(aborted))}; after != before {
		t.Errorf("refusals changed a match: %s -> %s", before, after)
	}
	if len(c.Lists.Now(c.ana).Offers) != 0 {
		t.Errorf("a private match is listed")
	}
}

// TestMatchThatIsGone: a handle to a match that the club doesn't keep any more moves nothing.
func TestMatchThatIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.CachedPlies = 1 }) // the last finished match alone stays in memory
		gone, _ := c.start()
		for s := gone; ; s, _ = c.start() {
			if err := s.Abort(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s != gone {
				break
			}
		}
		time.Sleep(results.TemporaryLife + time.Hour) // what is not kept is looked for each hour
		wantErr(t, "no such match", gone.Move(t.Context(), "d4", 0), lobby.ErrNoSuchMatch)
	})
}

func TestEnds(t *testing.T) {
	tests := []struct {
		name           string
		moves          int
		end            func(c *club, ana, rui *seats.Seat) error
		want           error
		result, reason string
	}{
		{"the first resigns at once", 0, func(c *club, a, r *seats.Seat) error { return a.Resign(c.t.Context()) }, nil, "second", "resigned"},
		{"the second resigns later", 4, func(c *club, a, r *seats.Seat) error { return r.Resign(c.t.Context()) }, nil, "first", "resigned"},
		{"abort before a move", 0, func(c *club, a, r *seats.Seat) error { return r.Abort(c.t.Context()) }, nil, "", "aborted"},
		{"abort after one move", 1, func(c *club, a, r *seats.Seat) error { return a.Abort(c.t.Context()) }, nil, "", "aborted"},
		{"no abort after two", 2, func(c *club, a, r *seats.Seat) error { return a.Abort(c.t.Context()) }, lobby.ErrTooLate, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClub(t)
			a, r := c.start()
			c.play(a, r, win[:tt.moves]...)
			wantErr(t, "end", tt.end(c, a, r), tt.want)
			v := c.now(a)
			if v.Over != (tt.want == nil) || v.Result != tt.result || v.Reason != tt.reason {
				t.Errorf("over %v, %q, %q; want %q, %q", v.Over, v.Result, v.Reason, tt.result, tt.reason)
			}
		})
	}
}

// Both terminals of one player see the same match, and a move from one is late from the other.
func TestTwoSessionsOneSeat(t *testing.T) {
	c := newClub(t)
	a1, rui := c.start()
	a2 := c.seat(c.ana, a1.ID())
	if err := a1.Move(t.Context(), "d4", 0); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "the same move again", a2.Move(t.Context(), "d4", 0), lobby.ErrLate)
	if one, two := c.now(a1), c.now(a2); one != two {
		t.Errorf("two terminals see different views: %s and %s", text(one), text(two))
	}
	c.play(a2, rui, "e5", "e4")
	if got := c.now(a1).Ply(); got != 3 {
		t.Errorf("the first terminal sees %d moves, want 3", got)
	}
}

// A reader that comes late gets one step with everything in it.
func TestSlowReader(t *testing.T) {
	c := newClub(t)
	a, r := c.start()
	slow := c.seat(c.guest, a.ID())
	old := c.now(slow)
	c.play(a, r, win[:5]...)
	v, err := slow.Next(t.Context(), old.Seq)
	if err != nil {
		t.Fatal(err)
	}
	var got []games.Move
	if v.Continues(old) {
		got = v.Moves[old.Ply():]
	}
	if !slices.Equal(got, win[:5]) {
		t.Errorf("one step brings %v, want %v", got, win[:5])
	}
	if old.Events != 2 || old.Ply() != 0 {
		t.Errorf("an old view has changed: %s", text(old))
	}
}

func TestLengthLimit(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.Plies = 3 })
	a, r := c.start()
	c.play(a, r, win[:3]...)
	if v := c.now(a); v.Result != "draw" || v.Reason != "length_limit" {
		t.Errorf("after the limit: %q, %q", v.Result, v.Reason)
	}
	if v := c.now(c.seat(c.ana, a.ID())); !v.Over {
		t.Errorf("the record does not read back")
	}
}

func TestOpenRefusals(t *testing.T) {
	c := newClub(t, func(cfg *lobby.Config) {
		cfg.Limits.OpenOffers, cfg.Limits.Unfinished, cfg.Limits.GuestUnfinished = 2, 4, 1
	})
	endless := games.Options{"repetition": 0, "quiet_limit": 0}
	tests := []struct {
		name string
		who  lobby.User
		spec seats.Spec
		want error
	}{
		{"unknown game", c.ana, seats.Spec{Game: "chess"}, lobby.ErrNoSuchGame},
		{"game with escapes", c.ana, seats.Spec{Game: "\x1b]0;x\a"}, lobby.ErrNoSuchGame},
		{"unknown option", c.ana, seats.Spec{Game: "fourmation", Options: games.Options{"speed": 1}}, games.ErrOptions},
		{"option out of range", c.ana, seats.Spec{Game: "fourmation", Options: games.Options{"cols": 1000}}, games.ErrOptions},
		{"no end", c.ana, seats.Spec{Game: "petteia", Options: endless}, lobby.ErrEndless},
		{"guest rated", c.guest, seats.Spec{Game: "fourmation", Rated: true}, lobby.ErrRatedGuest},
		{"rated bot", c.ana, seats.Spec{Game: "fourmation", Rated: true, Bot: "first"}, lobby.ErrRated},
		{"rated hotseat", c.ana, seats.Spec{Game: "fourmation", Rated: true, Hotseat: true}, lobby.ErrRated},
		{"unknown level", c.ana, seats.Spec{Game: "fourmation", Bot: "magus"}, lobby.ErrNoSuchLevel},
		{"one of two levels", c.ana, seats.Spec{Game: "fourmation", Bots: [2]string{"first", ""}}, lobby.ErrNoSuchLevel},
		{"bot and hotseat", c.ana, seats.Spec{Game: "fourmation", Bot: "first", Hotseat: true}, lobby.ErrSpec},
		{"alias, any case", c.ana, seats.Spec{Game: "4MATION"}, nil},
		{"second offer", c.ana, seats.Spec{Game: "fourmation"}, nil},
		{"third offer", c.ana, seats.Spec{Game: "fourmation"}, lobby.ErrTooMany},
		{"third match", c.ana, seats.Spec{Game: "fourmation", Hotseat: true}, nil},
		{"fourth match", c.ana, seats.Spec{Game: "fourmation", Hotseat: true}, nil},
		{"fifth match", c.ana, seats.Spec{Game: "fourmation", Hotseat: true}, lobby.ErrTooMany},
		{"guest's first", c.guest, seats.Spec{Game: "fourmation", Hotseat: true}, nil},
		{"guest's second", c.guest, seats.Spec{Game: "fourmation", Hotseat: true}, lobby.ErrTooMany},
	}
	for _, tt := range tests {
		_, err := c.Seats.Open(t.Context(), tt.who, tt.spec)
		wantErr(t, tt.name, err, tt.want)
	}
}

func TestJoin(t *testing.T) {
	c := newClub(t)
	eva := c.account("eva")
	casual := c.open(c.ana, seats.Spec{Game: "fourmation"})
	rated := c.open(c.ana, seats.Spec{Game: "fourmation", Rated: true, Public: true})
	_, playing := c.start()
	taken := c.now(playing).Ref
	endedSeat, _ := c.start()
	ended := c.now(endedSeat).Ref
	if err := endedSeat.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		join func() (lobby.Ref, error)
		ref  lobby.Ref
		want error
	}{
		{"one's own", func() (lobby.Ref, error) { return c.Seats.Join(t.Context(), c.ana, origin.Origin{}, casual.Code) }, casual, lobby.ErrOwnOffer},
		{"no code", func() (lobby.Ref, error) { return c.Seats.Join(t.Context(), c.rui, origin.Origin{}, "") }, lobby.Ref{}, lobby.ErrNoSuchMatch},
		{"a megabyte", func() (lobby.Ref, error) {
			return c.Seats.Join(t.Context(), c.rui, origin.Origin{}, strings.Repeat("2", 1<<20))
		}, lobby.Ref{}, lobby.ErrNoSuchMatch},
		{"ended", func() (lobby.Ref, error) { return c.Seats.Join(t.Context(), eva, origin.Origin{}, ended.Code) }, ended, lobby.ErrOver},
		{"taken", func() (lobby.Ref, error) { return c.Seats.Join(t.Context(), eva, origin.Origin{}, taken.Code) }, taken, lobby.ErrSeatTaken},
		{"joined before", func() (lobby.Ref, error) { return c.Seats.Join(t.Context(), c.rui, origin.Origin{}, taken.Code) }, taken, nil},
		{"guest and rated", func() (lobby.Ref, error) { return c.Seats.Join(t.Context(), c.guest, origin.Origin{}, rated.Code) }, rated, lobby.ErrRatedGuest},
		{"private without code", func() (lobby.Ref, error) { return c.Seats.Take(t.Context(), c.rui, casual.ID) }, lobby.Ref{}, lobby.ErrNoSuchMatch},
		{"in small letters", func() (lobby.Ref, error) {
			return c.Seats.Join(t.Context(), c.guest, origin.Origin{}, " "+strings.ToLower(casual.Code))
		}, casual, nil},
		{"public", func() (lobby.Ref, error) { return c.Seats.Take(t.Context(), c.rui, rated.ID) }, rated, nil},
		{"public, too late", func() (lobby.Ref, error) { return c.Seats.Take(t.Context(), eva, rated.ID) }, lobby.Ref{ID: rated.ID}, lobby.ErrSeatTaken},
	}
	for _, tt := range tests {
		ref, err := tt.join()
		wantErr(t, tt.name, err, tt.want)
		if ref != tt.ref {
			t.Errorf("%s: match %v, want %v", tt.name, ref, tt.ref)
		}
	}
	for _, name := range []string{ended.Code, strings.ToLower(ended.Code), string(ended.ID), strings.ToUpper(string(ended.ID))} {
		if ref, err := c.Finder.Find(t.Context(), c.ana, origin.Origin{}, name); ref.ID != ended.ID || err != nil {
			t.Errorf("Find(%s) = %v, %v", name, ref, err)
		}
	}
}

func TestQuick(t *testing.T) {
	c := newClub(t)
	first, err := c.Quick.Quick(t.Context(), c.ana, quick.One(seats.Spec{Game: "fourmation"}))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.Quick.Quick(t.Context(), c.ana, quick.One(seats.Spec{Game: "4mation"})); again != first || err != nil {
		t.Errorf("asked again: %v, %v; want %v", again, err, first)
	}
	if other, err := c.Quick.Quick(t.Context(), c.ana, quick.One(seats.Spec{Game: "petteia"})); other == first || err != nil {
		t.Errorf("another game: %v, %v", other, err)
	}
	if got, err := c.Quick.Quick(t.Context(), c.guest, quick.One(seats.Spec{Game: "fourmation"})); got != first || err != nil {
		t.Errorf("a guest gets %v, %v; want %v", got, err, first)
	}
	nine := games.Options{"cols": 9}
	odd := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Options: nine})
	usual := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Rated: true})
	if got, err := c.Quick.Quick(t.Context(), c.guest, quick.One(seats.Spec{Game: "fourmation"})); got == odd || got == usual || err != nil {
		t.Errorf("a guest gets %v, %v; want a new match, with the usual options and casual", got, err)
	}
	if got, err := c.Quick.Quick(t.Context(), c.guest, quick.One(seats.Spec{Game: "fourmation", Options: nine})); got != odd || err != nil {
		t.Errorf("a guest who asks for nine columns gets %v, %v; want %v", got, err, odd)
	}
	if got, err := c.Quick.Quick(t.Context(), c.rui, quick.One(seats.Spec{Game: "fourmation", Rated: true})); got != usual || err != nil {
		t.Errorf("rui gets %v, %v; want %v", got, err, usual)
	}
}

// TestQuickRated: a quick match is as rated as it is asked for: a casual one is never paired with a rated offer, a rated one with
// a casual offer only if there is no other, and a guest's is casual.
func TestQuickRated(t *testing.T) {
	c := newClub(t)
	quick := func(who lobby.User, rated bool) lobby.Ref {
		t.Helper()
		ref, err := c.Quick.Quick(t.Context(), who, quick.One(seats.Spec{Game: "fourmation", Rated: rated}))
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	rated := quick(c.ana, true)
	if v := c.now(c.seat(c.ana, rated.ID)); !v.Rated || !v.Public {
		t.Errorf("a rated quick match opens a match that is rated %v, public %v", v.Rated, v.Public)
	}
	if again := quick(c.ana, true); again != rated {
		t.Errorf("asked again: %v, want %v", again, rated)
	}
	casual := quick(c.ana, false)
	if v := c.now(c.seat(c.ana, casual.ID)); casual == rated || v.Rated {
		t.Errorf("a casual one: %v, rated %v", casual, v.Rated)
	}
	c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Rated: true, Options: games.Options{"cols": 9}}) // which nobody asks for
	for i, want := range []lobby.Ref{rated, casual} {
		if got := quick(c.rui, true); got != want {
			t.Errorf("number %d of rui's rated ones: %v, want %v", i, got, want)
		}
	}
	rated = quick(c.ana, true)
	if got := quick(c.rui, false); got == rated {
		t.Error("a casual quick match takes a rated offer")
	} else if v := c.now(c.seat(c.rui, got.ID)); v.Rated || !v.Started.IsZero() {
		t.Errorf("a casual quick match beside a rated offer: rated %v, started %v", v.Rated, v.Started)
	}
	if got := quick(c.Accounts.Guest("another"), true); got == rated || c.now(c.seat(c.rui, got.ID)).Rated {
		t.Error("a guest's quick match is rated")
	}
}

// TestQuickTakesTheOldest: of the offers with the options that a player asks for, a quick match is the one that has waited longest.
// Others are not taken.
func TestQuickTakesTheOldest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		nine := games.Options{"cols": 9}
		var usual, odd []lobby.Ref
		for i, options := range []games.Options{nine, nil, nine, nil, nil} {
			ref := c.open(c.Accounts.Guest(strconv.Itoa(i)), seats.Spec{Game: "fourmation", Public: true, Options: options})
			if options == nil {
				usual = append(usual, ref)
			} else {
				odd = append(odd, ref)
			}
			time.Sleep(time.Second)
		}
		for i, want := range usual {
			if got, err := c.Quick.Quick(t.Context(), c.Accounts.Guest(strconv.Itoa(100+i)), quick.One(seats.Spec{Game: "fourmation"})); got != want || err != nil {
				t.Errorf("number %d gets %v, %v; want %v", i, got, err, want)
			}
		}
		if got, err := c.Quick.Quick(t.Context(), c.Accounts.Guest("110"), quick.One(seats.Spec{Game: "fourmation"})); slices.Contains(odd, got) || err != nil {
			t.Errorf("one too many gets %v, %v; want a match with the usual options", got, err)
		}
		for i, want := range odd {
			if got, err := c.Quick.Quick(t.Context(), c.Accounts.Guest(strconv.Itoa(120+i)), quick.One(seats.Spec{Game: "fourmation", Options: nine})); got != want || err != nil {
				t.Errorf("with nine columns number %d gets %v, %v; want %v", i, got, err, want)
			}
		}
	})
}

func TestQuickAtOnce(t *testing.T) {
	c := newClub(t)
	const people = 20
	got := make(chan lobby.Ref, people)
	for i := range people {
		who := c.account("player" + strconv.Itoa(i))
		go func() {
			ref, err := c.Quick.Quick(t.Context(), who, quick.One(seats.Spec{Game: "fourmation"}))
			if err != nil {
				t.Errorf("%s: %v", who.Name, err)
			}
			got <- ref
		}()
	}
	seats := map[lobby.Ref]int{}
	for range people {
		seats[<-got]++
	}
	for ref, n := range seats {
		if n != 2 {
			t.Errorf("match %s has %d of its two players", ref.Code, n)
		}
	}
}

func TestHotseat(t *testing.T) {
	c := newClub(t)
	s := c.seat(c.guest, c.open(c.guest, seats.Spec{Game: "fourmation", Hotseat: true}).ID)
	c.play(s, s, win...)
	if v := c.now(s); v.Result != "first" || v.Ratings != nil {
		t.Errorf("result %q, ratings %v", v.Result, v.Ratings)
	}
}

func TestFinishedFromRecords(t *testing.T) {
	c := newClub(t)
	var ids []storage.MatchID
	var want []string
	for _, end := range []func(a, r *seats.Seat){
		func(a, r *seats.Seat) { c.play(a, r, win...) },
		func(a, r *seats.Seat) { c.play(a, r, win[:3]...); wantErr(t, "resign", r.Resign(t.Context()), nil) },
		func(a, r *seats.Seat) { wantErr(t, "abort", a.Abort(t.Context()), nil) },
	} {
		a, r := c.start(func(s *seats.Spec) { s.Rated = true })
		end(a, r)
		v := c.now(a)
		ids = append(ids, a.ID())
		want = append(want, v.Position.String()+v.Result+v.Reason+v.Ended.String()+v.Started.String())
	}
	c.Close()
	c = reopen(t, c.store)
	for i, id := range ids {
		v := c.now(c.seat(c.guest, id))
		if got := v.Position.String() + v.Result + v.Reason + v.Ended.String() + v.Started.String(); got != want[i] || !v.Over {
			t.Errorf("match %d from the records: %s, want %s", i, got, want[i])
		}
		if rec, err := c.seat(c.guest, id).Record(t.Context()); err != nil || rec.Plies != len(rec.Moves) || len(rec.Times) != rec.Plies {
			t.Errorf("record: %+v, %v", rec, err)
		}
	}
	_, err := c.Seats.At(t.Context(), c.ana, lobby.Ref{ID: "zzzzzzzz"})
	wantErr(t, "unknown id", err, lobby.ErrNoSuchMatch)
}

func TestBot(t *testing.T) {
	c := newClub(t)
	s := c.seat(c.guest, c.open(c.guest, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "first"}).ID)
	v := c.until(s, plies(1))
	if v.Moves[0] != "a1" || v.Seats[0].Name != "Primus" {
		t.Errorf("the computer player opens %v", v.Moves)
	}
	if err := s.Move(t.Context(), "b2", 1); err != nil {
		t.Fatal(err)
	}
	c.until(s, plies(3))
}

// A computer player that panics resigns; nobody else notices.
func TestBrokenBot(t *testing.T) {
	c := newClub(t)
	s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "broken"}).ID)
	if v := c.until(s, over); v.Result != "second" || v.Reason != "resigned" {
		t.Errorf("%q, %q", v.Result, v.Reason)
	}
}

func TestClosedLobby(t *testing.T) {
	c := newClub(t)
	a, _ := c.start()
	v := c.now(a)
	waiting := make(chan error, 1)
	go func() {
		_, err := a.Next(t.Context(), v.Seq)
		waiting <- err
	}()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "waiting reader", <-waiting, lobby.ErrClosed)
	wantErr(t, "move", a.Move(t.Context(), "d4", 0), lobby.ErrClosed)
	_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
	wantErr(t, "open", err, lobby.ErrClosed)
	if err := c.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// TestCodes: codes are short, differ, and are read in any letter case.
func TestCodes(t *testing.T) {
	const matches = 1000
	c := newClub(t, func(cfg *lobby.Config) {
		l := &cfg.Limits
		l.OpenOffers, l.NewUnfinished, l.Unfinished, l.MatchBurst = matches, matches, matches, matches
	})
	seen := map[string]bool{}
	for range matches {
		ref := c.open(c.ana, seats.Spec{Game: "fourmation"})
		found, err := c.Finder.Find(t.Context(), c.rui, origin.Origin{}, strings.ToLower(ref.Code)+"\n")
		if len(ref.Code) != 6 || found.Code != ref.Code || err != nil {
			t.Fatalf("code %q, found as %q, %v", ref.Code, found.Code, err)
		}
		seen[ref.Code] = true
	}
	if len(seen) < matches-10 {
		t.Errorf("only %d different codes of %d", len(seen), matches)
	}
}

// TestSeatRace: many want one seat, and one gets it.
func TestSeatRace(t *testing.T) {
	c := newClub(t)
	ref := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
	var won, lost atomic.Int32
	var guests sync.WaitGroup
	for i := range 20 {
		guests.Go(func() {
			_, err := c.Seats.Join(t.Context(), c.Accounts.Guest(string(rune('a'+i))), origin.Origin{}, ref.Code)
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, lobby.ErrSeatTaken):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	guests.Wait()
	if won.Load() != 1 || lost.Load() != 19 {
		t.Errorf("%d got the seat, %d were refused", won.Load(), lost.Load())
	}
}

func TestParseChoice(t *testing.T) {
	for in, want := range map[string]seats.Choice{"": seats.RandomSide, "random": seats.RandomSide, "first": seats.PlayFirst, "second": seats.PlaySecond} {
		if got, ok := seats.ParseChoice(in); got != want || !ok {
			t.Errorf("ParseChoice(%q) = %d, %v", in, got, ok)
		}
	}
	for _, in := range []string{"First", "third", " first", "\x1b"} {
		if _, ok := seats.ParseChoice(in); ok {
			t.Errorf("ParseChoice(%q) is accepted", in)
		}
	}
}
