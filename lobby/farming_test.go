package lobby

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

// A farm is a club with regulars, in which somebody has accounts lose on purpose.
type farm struct {
	t     *testing.T
	store *storagetest.Memory
	now   time.Time
	ids   map[string]storage.PlayerID
	last  int // number of the last match
}

// newFarm returns a club where ten regulars of different strength have played each other for two months, once a day.
func newFarm(t *testing.T, rate storage.Rate) *farm {
	f := &farm{t: t, store: storagetest.NewMemory(rate), now: time.UnixMilli(1_760_000_000_000).UTC(), ids: make(map[string]storage.PlayerID)}
	const regulars = 10
	for i := range regulars {
		f.signUp(regular(i))
	}
	f.now = f.now.AddDate(0, 1, 0)
	for day := range 60 {
		for i := range regulars / 2 {
			a, b := (i+day)%regulars, (i+day+1+2*(day%5))%regulars
			if a == b || (a < b) == (day%4 == 0) { // the weaker one wins every fourth match
				a, b = b, a
			}
			if a != b {
				f.win(regular(a), regular(b))
			}
		}
		f.now = f.now.AddDate(0, 0, 1)
	}
	return f
}

// regular is the name of a regular, the strongest first.
func regular(i int) string { return fmt.Sprint("regular", i) }

func (f *farm) signUp(name string) {
	f.t.Helper()
	p, err := f.store.SignUp(f.t.Context(), storage.Player{Name: name, NameKey: name, Since: f.now}, "SHA256:"+name)
	if err != nil {
		f.t.Fatal(err)
	}
	f.ids[name] = p.ID
}

// win has somebody win a rated match.
func (f *farm) win(winner, loser string) {
	f.t.Helper()
	f.last++
	id, code := storage.MatchID(fmt.Sprint("m", f.last)), fmt.Sprint("C", f.last)
	seat := func(name string) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: string(f.ids[name]), Name: name}
	}
	opening := storage.Event{Seq: 1, Version: storage.EventVersion, Kind: storage.Opened, At: f.now, Opening: &storage.Opening{
		Code: code, Game: "fourmation", Rated: true, First: seat(winner), Second: seat(loser),
	}}
	end := storage.Event{Seq: 2, Version: storage.EventVersion, Kind: storage.Ended, At: f.now, Result: "first", Reason: "resigned"}
	if err := f.store.Append(f.t.Context(), id, []storage.Event{opening}, storage.Summary{}); err != nil {
		f.t.Fatal(err)
	}
	_, err := f.store.Finish(f.t.Context(), id, []storage.Event{end}, storage.Finished{
		Code: code, Game: "fourmation", First: seat(winner), Second: seat(loser), Result: "first", Reason: "resigned",
		Rated: true, Started: f.now, Ended: f.now,
		Moves: []games.Move{games.Move(fmt.Sprint("a", f.last)), "b2", "c1", "d2"}, Times: []time.Time{f.now, f.now, f.now, f.now}, Plies: 4,
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// line returns somebody's line of the leaderboard.
func (f *farm) line(name string) Line {
	f.t.Helper()
	l, err := New(f.t.Context(), f.store, Config{Games: []games.Game{fourmation.New()}, Now: func() time.Time { return f.now }})
	if err != nil {
		f.t.Fatal(err)
	}
	defer l.Close()
	lines, err := l.Leaderboard(f.t.Context(), "fourmation")
	if err != nil {
		f.t.Fatal(err)
	}
	for _, line := range lines {
		if line.Name == name {
			return line
		}
	}
	f.t.Fatalf("%s is not on the leaderboard", name)
	return Line{}
}

// TestFarming: somebody signs up six accounts and beats each of them twenty times within a second. Where each match counts fully,
// that is the first rank.
func TestFarming(t *testing.T) {
	unweighted := func(m storage.RatedMatch) [2]storage.RatingChange {
		m.Whole, m.Young = true, [2]bool{}
		return rating.Rate(m)
	}
	for _, tt := range []struct {
		name     string
		rate     storage.Rate
		farmer   time.Duration // how old the account is
		alts     time.Duration
		wantRank int // 0: provisional, below everybody who is ranked
	}{
		{"where every match counts", unweighted, 0, 0, 1},
		{"with new accounts", rating.Rate, 0, 0, 0},
		{"with accounts of a month, on one day", rating.Rate, 30 * storage.Day, 30 * storage.Day, 0},
		{"with an old account that beats new ones", rating.Rate, 30 * storage.Day, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFarm(t, tt.rate)
			now := f.now
			f.now = now.Add(-tt.farmer)
			f.signUp("farmer")
			f.now = now.Add(-tt.alts)
			for alt := range 6 {
				f.signUp(fmt.Sprint("alt", alt))
			}
			f.now = now
			for i := range 120 {
				f.win("farmer", fmt.Sprint("alt", i%6))
				f.now = f.now.Add(5 * time.Millisecond)
			}
			farmer, best := f.line("farmer"), f.line(regular(0))
			t.Logf("farmer: rank %d, %.0f ± %.0f after %d; the best regular: rank %d, %.0f ± %.0f", farmer.Rank, farmer.Rating,
				2*farmer.Deviation, farmer.Played, best.Rank, best.Rating, 2*best.Deviation)
			if best.Rank == 0 {
				t.Error("the regulars have no ranks: there is nothing to farm")
			}
			if farmer.Rank != tt.wantRank {
				t.Errorf("the farmer has rank %d, want %d", farmer.Rank, tt.wantRank)
			}
		})
	}
}
