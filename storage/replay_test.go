package storage_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/operators"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// TestRatingsFollowFromResults: whatever a few players play within some days, ratings are what was foreseen just before the end of each
// match, and can be recomputed from the results to the last digit.
func TestRatingsFollowFromResults(t *testing.T) {
	stores, made := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		made++
		playRated(t, filepath.Join(stores, fmt.Sprint(made, ".db")), rapid.IntRange(1, 25).Draw(t, "matches"), func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
	})
}

// TestRatingsFollowFromManyResults: the same for a number of matches at which each rule by which matches count less comes up.
func TestRatingsFollowFromManyResults(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	seen := playRated(t, filepath.Join(t.TempDir(), "club.db"), 250, random.IntN)
	for _, why := range []resultstore.Discount{"", resultstore.NewAccount, resultstore.Repeated, resultstore.SameMoves, resultstore.Unsettled} {
		if seen[why] == 0 {
			t.Errorf("no match counted with the reason %q: %v", why, seen)
		}
	}
}

// playRated plays rated matches between three players in a new store, by choices from 0 to n-1, and returns how often each reason to
// count less came up.
func playRated(t interface {
	rapid.TB
	Context() context.Context
}, path string, matches int, choose func(n int) int) map[resultstore.Discount]int {
	s, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.UnixMilli(1_760_000_000_000).UTC()
	var seats []storage.Occupant
	for i, name := range []string{"ann", "bob", "cid"} {
		p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: now.Add(time.Duration(-i) * 12 * time.Hour)}, "SHA256:"+name)
		if err != nil {
			t.Fatal(err)
		}
		seats = append(seats, storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name})
	}
	seen := map[resultstore.Discount]int{}
	for i := range matches {
		now = now.Add(time.Duration([]int{0, 1, 1, 5, 5, 10, 10, 300, 20_000}[choose(9)]) * time.Minute)
		pair := [][2]int{{0, 1}, {1, 0}, {0, 1}, {1, 0}, {2, 0}, {1, 2}}[choose(6)]
		opening, f := benchOpening(i), benchRecord(i)
		f.Game = []string{"tanks", "petteia", "momentum", "flugelrad", "fourmation"}[choose(5)]
		f.Moves = []games.Move{games.Move([]string{"a1", "a2", "a3", "a4", "a5", "a6"}[choose(6)])}
		f.Times, f.Plies = []time.Time{now}, 1
		f.Result = []string{"first", "first", "second", "draw"}[choose(4)]
		f.Rated, f.Ended, f.First, f.Second = true, now, seats[pair[0]], seats[pair[1]]
		if err := s.Matches.Append(t.Context(), benchID(i), []matchstore.Event{opening}, matchstore.Summary{}); err != nil {
			t.Fatal(err)
		}
		foreseen, err := s.Results.Outcomes(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		end := benchEnd(2)
		end.Result = f.Result
		got, err := s.Matches.Finish(t.Context(), benchID(i), []matchstore.Event{end}, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][2]resultstore.RatingChange{"first": foreseen.First, "draw": foreseen.Draw, "second": foreseen.Second}[f.Result]
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Fatalf("match %d is not rated as was foreseen:\n%s", i, diff)
		}
		for _, c := range got {
			seen[c.Why]++
		}
	}
	report, err := s.Results.Recompute(t.Context())
	if err != nil || report.Results != matches || len(report.Differed)+report.Matches+report.Recent > 0 {
		t.Fatalf("recomputed: %+v, %v", report, err)
	}
	return seen
}

// A meddling engine lets another node do something before a change begins, once.
type meddling struct {
	kv.Store
	first func()
}

func (m *meddling) Update(ctx context.Context, change func(kv.Tx) error) error {
	if first := m.first; first != nil {
		m.first = nil
		first()
	}
	return m.Store.Update(ctx, change)
}

// TestResultsUnratedByTwoNodes: another node takes a result out of the ratings while this one works them out. Both count.
func TestResultsUnratedByTwoNodes(t *testing.T) {
	shared := open(t, filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	defer shared.Close()
	engine := &meddling{Store: shared.engine}
	s, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate}) // closing it would close the engine
	if err != nil {
		t.Fatal(err)
	}
	var seats [2]storage.Occupant
	for i, name := range []string{"ann", "bob"} {
		p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: benchTime.AddDate(-1, 0, 0)}, "SHA256:"+name)
		if err != nil {
			t.Fatal(err)
		}
		seats[i] = storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name}
	}
	for i := range 4 {
		f := benchRecord(i)
		f.Rated, f.First, f.Second, f.Result, f.Ended = true, seats[0], seats[1], "first", benchTime.AddDate(0, 0, i)
		f.Moves = []games.Move{games.Move(fmt.Sprint("a", i))}
		f.Times, f.Plies = []time.Time{f.Ended}, 1
		if err := s.Matches.Append(t.Context(), benchID(i), []matchstore.Event{benchOpening(i)}, matchstore.Summary{}); err != nil {
			t.Fatal(err)
		}
		end := benchEnd(2)
		end.Result = f.Result
		if _, err := s.Matches.Finish(t.Context(), benchID(i), []matchstore.Event{end}, f, nil); err != nil {
			t.Fatal(err)
		}
	}
	unrate := func(s *schema.Store, match int) error {
		_, err := s.Operators.Act(t.Context(), operators.AuditEntry{At: benchTime, By: "operator", Verb: "unrate", Reason: "a test"},
			operators.Change{Result: &operators.ResultChange{Match: benchID(match)}})
		return err
	}
	meddle := func(match int) {
		engine.first = func() {
			if err := unrate(shared.Store, match); err != nil {
				t.Error(err)
			}
		}
	}
	recompute := func(when string) {
		report, err := s.Results.Recompute(t.Context())
		if err != nil || report.Ratings == 0 || len(report.Differed) > 0 || report.Matches > 0 || report.Recent > 0 {
			t.Errorf("%s: %+v, %v", when, report, err)
		}
	}
	meddle(0)
	if err := unrate(s, 1); err != nil {
		t.Fatal(err)
	}
	recompute("after two nodes unrated")
	meddle(2)
	recompute("while another node unrates")
	recompute("and again")
}
