package lobby_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/tournaments"
	tournamentstore "ludoteca/storage/tournaments"
)

// TestPestsInArena: players who never move, of whom there are as many as of others, are out after two matches each, and take no more of the evening
// of others than that.
func TestPestsInArena(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
		players := signUp(c, 12)
		absent := map[string]bool{}
		for _, u := range players[6:] {
			absent[u.Name] = true
		}
		id := announce(t, c, players, func() tournaments.Spec {
			s := specOf(tournamentstore.Arena)
			s.Span = time.Hour
			return s
		})
		e := evening{t: t, club: func() *club { return c }, id: id, random: rand.New(rand.NewPCG(5, 6)), absent: absent}
		v, err := e.play(t.Context(), time.Now().Add(3*time.Hour))
		if err != nil || v.Stage != tournamentstore.Over {
			t.Fatalf("it is %v, %v", v.Stage, err)
		}
		checkTournament(t, c.store, id)
		for _, u := range players {
			found := v.Entrants.Find(u.Occupant())
			var lost time.Duration
			unbegun, met := 0, 0 // matches with those who move
			for _, p := range found.Matches {
				if !absent[v.Entrant(p.Opponent(found.Number)).Who.Name] {
					met++
				}
				if p.Reason == tournamentstore.Unbegun {
					unbegun++
					lost += p.Ended.Sub(p.At)
				}
			}
			switch {
			case absent[u.Name] && (found.Out != tournamentstore.ByAbsence || met > 2):
				t.Errorf("%s, who never moves, meets %d players who do and is out because of %q", u.Name, met, found.Out)
			case !absent[u.Name] && (len(found.Matches)-unbegun < 10 || lost > 15*time.Minute):
				t.Errorf("%s plays %d matches in an hour, and loses %v with %d that nobody begins", u.Name, len(found.Matches)-unbegun, lost, unbegun)
			}
		}
	})
}

// TestRestlessEntrants: the log of a tournament keeps room for its matches though many enter it and leave again all the time.
func TestRestlessEntrants(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes days of the club's time, and nothing in it runs at once that other tests don't run")
	}
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
		ctx := t.Context()
		players := signUp(c, 4)
		time.Sleep(aWeek)
		spec := specOf(tournamentstore.Swiss)
		spec.Begins, spec.Rounds = time.Now().Add(30*day), 2
		ref, err := c.Tournaments.Announcer.Announce(ctx, c.ana, spec)
		wantErr(t, "announce", err, nil)
		for _, u := range players {
			wantErr(t, "enter", c.Tournaments.Registration.Enter(ctx, u, ref), nil)
		}
		var restless []lobby.User
		for n := range 250 { // forty times in and out of each would fill the log
			restless = append(restless, c.account(fmt.Sprintf("r%c%c", 'a'+n/25, 'a'+n%25)))
		}
		refused := 0
		for range 40 {
			for _, u := range restless {
				if c.Tournaments.Registration.Enter(ctx, u, ref) != nil {
					refused++
				}
				if c.Tournaments.Registration.Withdraw(ctx, u, ref.ID) != nil {
					refused++
				}
			}
			time.Sleep(time.Minute)
		}
		v, err := c.Tournaments.Reader.View(ctx, ref.ID)
		wantErr(t, "view", err, nil)
		if most := uint64(tournamentstore.MaxEntries/4 + 12*len(restless)); v.Seq > most || refused == 0 {
			t.Errorf("the log has %d entries, want at most %d; %d acts were refused", v.Seq, most, refused)
		}
		wantErr(t, "one of these enters again", c.Tournaments.Registration.Enter(ctx, restless[0], ref), lobby.ErrNoReturn)
		late := c.account("latecomer")
		wantErr(t, "another enters", c.Tournaments.Registration.Enter(ctx, late, ref), nil)
		time.Sleep(time.Until(spec.Begins))
		e := evening{t: t, club: func() *club { return c }, id: ref.ID, random: rand.New(rand.NewPCG(7, 8))}
		if v, err = e.play(ctx, time.Now().Add(6*time.Hour)); err != nil || v.Stage != tournamentstore.Over || len(v.Rounds) != 2 {
			t.Errorf("it is %v after %d rounds, %v", v.Stage, len(v.Rounds), err)
		}
	})
}

// TestNeighboursInTournaments: people of one block of addresses leave places of a public tournament to others.
func TestNeighboursInTournaments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx := t.Context()
		from := func(u lobby.User, block byte) lobby.User {
			at := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, block, 0}), 24)
			wantErr(t, "a visit", c.store.Visited(ctx, u.Player(), "", at, false, time.Now()), nil)
			return u
		}
		var crowd []lobby.User
		for n := range 50 {
			crowd = append(crowd, from(c.account(fmt.Sprintf("r%c%c", 'a'+n/25, 'a'+n%25)), 1))
		}
		time.Sleep(aWeek)
		for _, private := range []bool{false, true} {
			spec := specOf(tournamentstore.Swiss)
			spec.Most, spec.Private = 80, private
			by := []lobby.User{c.ana, c.rui}[map[bool]int{true: 1}[private]]
			ref, err := c.Tournaments.Announcer.Announce(ctx, by, spec)
			wantErr(t, "announce", err, nil)
			in, last := 0, error(nil)
			for _, u := range crowd {
				if err := c.Tournaments.Registration.Enter(ctx, u, ref); err == nil {
					in++
				} else {
					last = err
				}
			}
			if private {
				if in != len(crowd) {
					t.Errorf("%d of %d enter a private tournament: %v", in, len(crowd), last)
				}
				continue
			}
			if in != 40 {
				t.Errorf("%d of one block enter a tournament of 80, want 40", in)
			}
			wantErr(t, "one more of them", last, lobby.ErrNeighbours)
			wantErr(t, "one from elsewhere", c.Tournaments.Registration.Enter(ctx, from(c.account("zeno"), 2), ref), nil)
			wantErr(t, "one from nowhere", c.Tournaments.Registration.Enter(ctx, c.account("bia"), ref), nil)
			wantErr(t, "one of the block leaves", c.Tournaments.Registration.Withdraw(ctx, crowd[0], ref.ID), nil)
			wantErr(t, "another takes the place", c.Tournaments.Registration.Enter(ctx, crowd[45], ref), nil)
		}
	})
}
