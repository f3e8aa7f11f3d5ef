package lobby_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestRatingsFollowFromAllKindsOfMatches: however rated matches of people end, on time, by a claim, agreed, called off or decided by an operator,
// whatever makes them count less, and whatever becomes of the accounts, the ratings are those that follow from the results alone.
func TestRatingsFollowFromAllKindsOfMatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "club.db")
		store, c := openRated(t, path)
		defer func() { c.Close(); store.Close() }()
		people := map[string]lobby.User{}
		for _, name := range []string{"ana", "rui", "bia", "eva", "zoe"} {
			people[name] = c.account(name)
		}
		ends, whys, matches := map[string]int{}, map[results.Discount]int{}, 0
		plain := [][]games.Move{win, line("g1 f2 f1 e2 e1 d2 d1"), line("a7 b6 b7 c6 c7 d6 d7"), line("g7 f6 f7 e6 e7 d6 d7")}
		var here [2]*presence.Session
		play := func(first, second string, setting lobby.ClockSetting, moves []games.Move, end func(a, r *seats.Seat)) storage.MatchID {
			t.Helper()
			c.ana, c.rui = people[first], people[second]
			a, r := c.start(with(setting), func(s *seats.Spec) { s.Rated = true })
			here[0], here[1] = c.Presence.Visit(c.ana, true), c.Presence.Visit(c.rui, true)
			c.play(a, r, moves...)
			if end != nil {
				end(a, r)
			}
			for _, v := range here {
				v.Leave(false)
			}
			synctest.Wait()
			v := c.now(a)
			if !v.Over {
				t.Fatalf("%s against %s goes on", first, second)
			}
			matches++
			if ends[fmt.Sprint(v.Reason, " ", v.Ratings != nil)]++; v.Ratings != nil {
				for _, side := range v.Ratings {
					whys[side.Why]++
				}
			}
			time.Sleep(10 * time.Minute)
			return a.ID()
		}
		do := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var (
			ctx      = t.Context()
			resigns  = func(_, r *seats.Seat) { do(r.Resign(ctx)) }
			aborts   = func(a, _ *seats.Seat) { do(a.Abort(ctx)) }
			agree    = func(a, r *seats.Seat) { do(a.OfferDraw(ctx)); do(r.OfferDraw(ctx)) }
			idle     = func(a, _ *seats.Seat) { time.Sleep(time.Until(c.now(a).Clock.Deadline()) + time.Second) }
			adjudged = func(result string) func(a, _ *seats.Seat) {
				return func(a, _ *seats.Seat) {
					_, err := c.Operators.As("SHA256:op", lobby.NoSessions{}).End(ctx, string(a.ID()), result, "a test")
					do(err)
				}
			}
			claims = func(draw bool) func(a, r *seats.Seat) {
				return func(a, _ *seats.Seat) {
					here[1].Leave(true)
					time.Sleep(time.Minute)
					do(a.Claim(ctx, draw))
				}
			}
		)
		play("ana", "rui", fivePlus3, plain[0][:4], resigns) // new accounts
		play("ana", "rui", fivePlus3, plain[1][:4], resigns)
		time.Sleep(3 * 24 * time.Hour)
		for i, names := range [][2]string{{"ana", "rui"}, {"bia", "eva"}, {"zoe", "ana"}, {"eva", "zoe"}} {
			play(names[0], names[1], lobby.ClockSetting{}, plain[i], nil)
			play(names[1], names[0], fivePlus3, plain[(i+1)%4][:5], resigns)
			play(names[0], names[1], oneMinute, plain[(i+2)%4][:4+i%2], idle)
			play(names[1], names[0], threeDays, plain[(i+3)%4][:4+i%2], idle)
			play(names[0], names[1], fivePlus3, plain[i][:6], claims(i%2 == 0))
			play(names[1], names[0], fivePlus3, plain[i][:1], aborts)
			play(names[1], names[0], oneMinute, nil, idle) // no first move
			play(names[0], names[1], oneMinute, plain[i][:3], resigns)
			play(names[0], names[1], lobby.ClockSetting{}, plain[i][:4], agree)
			play(names[1], names[0], lobby.ClockSetting{}, plain[i][:4], adjudged([]string{"first", "second", "draw", ""}[i]))
			time.Sleep(time.Duration(i) * 24 * time.Hour)
		}
		for range 3 { // the same moves, and too often in a day
			for i := range plain {
				play("ana", "bia", fivePlus3, plain[i][:5], resigns)
			}
		}
		// follow holds the ratings, and the leaderboard, to what the results say.
		follow := func(when string) {
			t.Helper()
			rated := 0 // those included from which an operator has taken the rating: their results are there
			for end, n := range ends {
				if strings.HasSuffix(end, " true") {
					rated += n
				}
			}
			before, err := c.Standings.Leaderboard(ctx, "fourmation")
			do(err)
			report, err := store.Results.Recompute(ctx)
			if err != nil || report.Results != rated || report.Matches+report.Recent+len(report.Differed) > 0 {
				t.Errorf("%s, recomputed: %+v, %v; %d of %d matches are rated, which ended %v", when, report, err, rated, matches, ends)
			}
			_, err = c.Operators.As("SHA256:op", lobby.NoSessions{}).Recompute(ctx, "a new leaderboard")
			do(err)
			after, err := c.Standings.Leaderboard(ctx, "fourmation")
			do(err)
			if !reflect.DeepEqual(before, after) {
				t.Errorf("%s, recomputed, the leaderboard is\n%+v\nwant\n%+v", when, after, before)
			}
		}
		follow("when all have played")

		thrown := play("bia", "rui", fivePlus3, plain[1][:5], resigns)
		op := c.Operators.As("SHA256:op", lobby.NoSessions{})
		unrated, err := op.Unrate(ctx, string(thrown), "thrown")
		do(err)
		again := play("bia", "rui", fivePlus3, plain[2][:5], resigns)
		_, err = op.Unrate(ctx, string(again), "thrown")
		do(err)
		_, err = op.Undo(ctx, unrated.Number, "not thrown")
		do(err)

		changed, err := c.Accounts.ChangeName(ctx, people["ana"], "anita")
		do(err)
		people["ana"] = changed
		_, err = op.Merge(ctx, "eva", "bia", "the same person")
		do(err)
		do(c.Accounts.DeleteAccount(ctx, people["zoe"], lobby.NoSessions{}))
		for i, names := range [][2]string{{"ana", "bia"}, {"rui", "ana"}} {
			play(names[0], names[1], lobby.ClockSetting{}, plain[3-i][:6], resigns)
		}

		for _, end := range []string{
			"line true", "resigned true", "resigned false", "timeout true", "timeout false", "claimed true", "aborted false", "agreement true", "adjudicated true",
		} {
			if ends[end] == 0 {
				t.Errorf("no match ended %q: %v", end, ends)
			}
		}
		for _, why := range []results.Discount{"", results.NewAccount, results.Repeated, results.SameMoves} {
			if whys[why] == 0 {
				t.Errorf("nothing counted with the reason %q: %v", why, whys)
			}
		}
		follow("when accounts have changed")
		c.Close()
		do(store.Close())
		store, c = openRated(t, path)
		follow("after a restart")
	})
}

// openRated opens a club on a file.
func openRated(t *testing.T, path string) (*schema.Store, *club) {
	t.Helper()
	store, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	l, err := lobby.New(context.WithoutCancel(t.Context()), lobby.StoreOf(store), lobby.Config{
		Games: []games.Game{fourmation.New()}, Limits: lobby.Limits{NewUnfinished: 100, MatchBurst: 1000, Aborts: 1000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return store, &club{Lobby: l, t: t}
}
