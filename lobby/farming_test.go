package lobby_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/storagetest"
)

// A farm is a club with regulars, and with a player who wins rated matches against accounts of their own.
type farm struct {
	t     *testing.T
	store *storagetest.Memory
	now   time.Time
	ids   map[string]storage.PlayerID
	last  int // number of the last match
	day   int // for how many days the regulars have played
}

// newFarm returns a club where ten regulars of different strength, who signed up a month before, have played each other once a day for
// some days; a club that has just opened for 0 days.
func newFarm(t *testing.T, rate results.Rate, days int) *farm {
	f := &farm{t: t, store: storagetest.NewMemory(rate), now: time.UnixMilli(1_760_000_000_000).UTC(), ids: make(map[string]storage.PlayerID)}
	const regulars = 10
	for i := range regulars {
		f.signUp(regular(i))
	}
	if days > 0 {
		f.now = f.now.AddDate(0, 1, 0)
	}
	for range days {
		f.playRegulars(regulars)
		f.now = f.now.AddDate(0, 0, 1)
	}
	return f
}

// playRegulars plays one round of matches between regulars.
func (f *farm) playRegulars(regulars int) {
	for i := range regulars / 2 {
		a, b := (i+f.day)%regulars, (i+f.day+1+2*(f.day%5))%regulars
		if a == b || (a < b) == (f.day%4 == 0) { // the weaker one wins every fourth match
			a, b = b, a
		}
		if a != b {
			f.win(regular(a), regular(b))
		}
	}
	f.day++
}

// regular is the name of a regular, the strongest first.
func regular(i int) string { return fmt.Sprint("regular", i) }

func (f *farm) signUp(name string) {
	f.t.Helper()
	p, err := f.store.SignUp(f.t.Context(), accounts.Player{Name: name, NameKey: name, Since: f.now}, "SHA256:"+name)
	if err != nil {
		f.t.Fatal(err)
	}
	f.ids[name] = p.ID
}

// win plays a rated match that winner wins.
func (f *farm) win(winner, loser string) {
	f.t.Helper()
	f.last++
	id, code := storage.MatchID(fmt.Sprint("m", f.last)), fmt.Sprint("C", f.last)
	seat := func(name string) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: string(f.ids[name]), Name: name}
	}
	opening := matches.Event{Seq: 1, Version: matches.EventVersion, Kind: matches.Opened, At: f.now, Opening: &matches.Opening{
		Code: code, Game: "fourmation", Rated: true, First: seat(winner), Second: seat(loser),
	}}
	end := matches.Event{Seq: 2, Version: matches.EventVersion, Kind: matches.Ended, At: f.now, Result: "first", Reason: "resigned"}
	if err := f.store.Append(f.t.Context(), id, []matches.Event{opening}, matches.Summary{}); err != nil {
		f.t.Fatal(err)
	}
	_, err := f.store.Finish(f.t.Context(), id, []matches.Event{end}, results.Finished{
		Code: code, Game: "fourmation", First: seat(winner), Second: seat(loser), Result: "first", Reason: "resigned",
		Rated: true, Started: f.now, Ended: f.now, Plies: 4,
		Course: results.Course{Moves: []games.Move{games.Move(fmt.Sprint("a", f.last)), "b2", "c1", "d2"}, Times: []time.Time{f.now, f.now, f.now, f.now}},
	}, nil)

	if err != nil {
		f.t.Fatal(err)
	}
}

// lines returns the leaderboard.
func (f *farm) lines() []standings.Line {
	f.t.Helper()
	l, err := lobby.New(f.t.Context(), f.store, lobby.Config{Games: []games.Game{fourmation.New()}, Now: func() time.Time { return f.now }})
	if err != nil {
		f.t.Fatal(err)
	}
	defer l.Close()
	lines, err := l.Standings.Leaderboard(f.t.Context(), "fourmation")
	if err != nil {
		f.t.Fatal(err)
	}
	return lines
}

// line returns the line of a player in the leaderboard.
func (f *farm) line(name string) standings.Line {
	f.t.Helper()
	lines := f.lines()
	i := slices.IndexFunc(lines, func(l standings.Line) bool { return l.Name == name })
	if i < 0 {
		f.t.Fatalf("%s is not on the leaderboard", name)
	}
	return lines[i]
}

// TestFarming: a player signs up six accounts and beats each of them twenty times within a second. If each match counted fully, that would give the
// first rank.
func TestFarming(t *testing.T) {
	unweighted := func(m results.RatedMatch) [2]results.RatingChange {
		m.Whole, m.Young, m.Known = true, [2]bool{}, nil
		return rating.Rate(m)
	}
	for _, tt := range []struct {
		name     string
		rate     results.Rate
		farmer   time.Duration // how old the account is
		alts     time.Duration
		wantRank int // 0: provisional, below all ranked players
	}{
		{"where every match counts", unweighted, 0, 0, 1},
		{"with new accounts", rating.Rate, 0, 0, 0},
		{"with accounts of a month, on one day", rating.Rate, 30 * results.Day, 30 * results.Day, 0},
		{"with an old account that beats new ones", rating.Rate, 30 * results.Day, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFarm(t, tt.rate, 60)
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

// A ring is accounts of one person that lose to another one of theirs, the farmer, every day, from a day after they were made.
type ring struct {
	accounts int
	tiers    int  // 2: half of them beat the others first
	regular  bool // the farmer is a regular of middling strength
	opens    bool // the club has just opened: the regulars are no older than a day when the ring comes
}

func (r ring) String() string {
	return fmt.Sprintf("%d accounts in %d tiers, regular %v, opens %v", r.accounts, r.tiers, r.regular, r.opens)
}

// farmer returns the name of the farmer.
func (r ring) farmer() string {
	if r.regular {
		return regular(7)
	}
	return "farmer"
}

// signUp makes the accounts.
func (r ring) signUp(f *farm) {
	if !r.regular {
		f.signUp(r.farmer())
	}
	for i := range r.accounts {
		f.signUp(r.account(i))
	}
}

func (ring) account(i int) string { return fmt.Sprint("alt", i) }

// play has the accounts lose for a day: each to as many as count, the farmer wins last.
func (r ring) play(f *farm) {
	upper := r.accounts / r.tiers
	const counted = results.DailyMatches
	if r.tiers == 2 {
		for i := range upper {
			for n := range 5 {
				f.win(r.account(i), r.account(upper+(i+n)%(r.accounts-upper)))
				f.now = f.now.Add(time.Second)
			}
		}
	}
	for n := range counted {
		f.win(r.farmer(), r.account(n%upper))
		f.now = f.now.Add(time.Second)
	}
}

// TestFarmingOverDays: a person's accounts lose to another one for sixty days, in a club where regulars play. None of them comes into the
// top half, also when the farmer loses to regulars in the end so that the rating becomes firm.
//
// In a club that has just opened nobody is settled; the regulars signed up a day before the others. There they have ranks within a month.
func TestFarmingOverDays(t *testing.T) {
	for _, r := range []ring{
		{accounts: 3, tiers: 1}, {accounts: 20, tiers: 1}, {accounts: 40, tiers: 1},
		{accounts: 6, tiers: 2}, {accounts: 20, tiers: 2}, {accounts: 40, tiers: 2}, {accounts: 40, tiers: 2, regular: true},
		{accounts: 20, tiers: 1, opens: true}, {accounts: 6, tiers: 2, opens: true}, {accounts: 20, tiers: 2, opens: true}, {accounts: 40, tiers: 2, opens: true},
	} {
		t.Run(r.String(), func(t *testing.T) {
			if testing.Short() && r.accounts > 6 {
				t.Skip("a sample is enough")
			}
			days := 60
			if r.opens {
				days = 0
			}
			f := newFarm(t, rating.Rate, days)
			if r.opens {
				f.now = f.now.Add(results.Day)
			}
			r.signUp(f)
			f.now = f.now.Add(results.Day)
			for day := 1; day < 60; day++ {
				at := f.now
				if day < 57 || r.regular {
					r.play(f)
				} else if day == 57 { // losses against regulars make the rating firm
					for i := range 20 {
						f.win(regular(i%10), r.farmer())
						f.now = f.now.Add(time.Second)
					}
				}
				f.playRegulars(10)
				if day < 4 || day%7 == 1 || day > 56 {
					f.isLow(r, day)
				}
				f.now = at.Add(results.Day)
			}
		})
	}
}

// isLow checks that nobody of a ring stands in the top half.
func (f *farm) isLow(r ring, day int) {
	f.t.Helper()
	lines := f.lines()
	ranked := 0
	for _, l := range lines {
		if l.Rank > 0 {
			ranked++
		}
	}
	for _, l := range lines {
		if l.Name == r.farmer() {
			f.t.Logf("day %d: the farmer has rank %d of %d, %.0f ± %.0f; the best has %.0f", day, l.Rank, ranked, l.Rating, 2*l.Deviation, lines[0].Rating)
		}
		if own := l.Name == r.farmer() || strings.HasPrefix(l.Name, "alt"); own && l.Rank > 0 && 2*l.Rank <= ranked {
			f.t.Errorf("day %d: %s has rank %d of %d, %.0f ± %.0f", day, l.Name, l.Rank, ranked, l.Rating, 2*l.Deviation)
		}
	}
	if ranked < 8 && !(r.opens && day < 30) {
		f.t.Errorf("day %d: only %d players have ranks", day, ranked)
	}
}

// TestHonestNewcomersGetRanks: people who are new to a club of twelve and play two matches a day against those who are there have a rank within
// two weeks: two newcomers among ten regulars, and twelve in a club that has just opened. Nothing is known of their addresses.
func TestHonestNewcomersGetRanks(t *testing.T) {
	const members = 12
	for _, newcomers := range []int{2, members} {
		t.Run(fmt.Sprint(newcomers), func(t *testing.T) {
			f := &farm{t: t, store: storagetest.NewMemory(rating.Rate), now: time.UnixMilli(1_760_000_000_000).UTC(), ids: make(map[string]storage.PlayerID)}
			if newcomers < members {
				f = newFarm(t, rating.Rate, 60)
			}
			for i := members - newcomers; i < members; i++ {
				f.signUp(regular(i))
			}
			chance := rand.New(rand.NewPCG(1, uint64(newcomers)))
			for range 14 {
				for round := range 2 { // each member plays once a round, and the stronger one is likelier to win
					order := chance.Perm(members)
					for i := 0; i < members; i += 2 {
						a, b := order[i], order[i+1]
						if chance.Float64() > 0.5+float64(b-a)/30 {
							a, b = b, a
						}
						f.now = f.now.Add(time.Duration(round+1) * time.Hour)
						f.win(regular(a), regular(b))
					}
				}
				f.now = f.now.Truncate(results.Day).Add(results.Day)
			}
			for _, l := range f.lines() {
				t.Logf("%s has rank %d, %.0f ± %.0f", l.Name, l.Rank, l.Rating, 2*l.Deviation)
				if l.Rank == 0 {
					t.Errorf("%s has no rank after two weeks: %.0f ± %.0f", l.Name, l.Rating, 2*l.Deviation)
				}
			}
		})
	}
}
