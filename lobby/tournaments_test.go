package lobby_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
	tournamentstore "ludoteca/storage/tournaments"
)

// aWeek is how long the accounts of tests must have been there before one announces a tournament.
const aWeek = tournaments.MinAge + time.Hour

// nameOf returns a name for the player with a number: two syllables, so that no two look alike.
func nameOf(n int) string {
	const first, second = "bdfgklmnprstvz", "aeiou"
	return string([]byte{first[n%14], second[n/14%5], "lnrst"[n%5], second[(n+3)%5], first[(n*3+1)%14], second[n%5]})
}

// fischer is a clock of some minutes and an increment.
func fischer(minutes, seconds int) clock.Setting {
	return clock.Setting{Kind: clock.Fischer, Base: time.Duration(minutes) * time.Minute, Increment: time.Duration(seconds) * time.Second}
}

// specOf is a tournament of a kind that begins in ten minutes.
func specOf(kind tournamentstore.Kind) tournaments.Spec {
	return tournaments.Spec{
		Kind: kind, Games: []tournaments.Game{{ID: "fourmation"}}, Name: "Friday " + string(kind), Clock: fischer(3, 2), Begins: time.Now().Add(10 * time.Minute),
	}
}

// An evening is a tournament whose players play as if by chance.
type evening struct {
	t      *testing.T
	club   func() *club // that the players are at
	id     storage.TournamentID
	random *rand.Rand
	absent map[string]bool // players who never move, by name
}

// play has the players play until the tournament has ended, or until a time.
func (e *evening) play(ctx context.Context, until time.Time) (v *tournaments.View, err error) {
	for time.Now().Before(until) {
		c := e.club()
		if v, err = c.Tournaments.Reader.View(ctx, e.id); err == nil && v.Stage.Closed() {
			return v, nil
		}
		if err == nil {
			for _, p := range v.Playing() {
				e.step(ctx, c, v, p)
			}
		}
		time.Sleep(2 * time.Second) // what a move takes
	}
	return v, err
}

// step has the side to move of a match make a move, or end it, mostly.
func (e *evening) step(ctx context.Context, c *club, v *tournaments.View, p *state.Pairing) {
	ref := c.Tournaments.Reader.Board(p)
	if ref.Code == "" || e.random.IntN(4) == 0 {
		return // it isn't open yet, or is over; or the player thinks
	}
	m, err := c.Matches.View(ctx, p.Match)
	if err != nil || m.Over {
		return
	}
	who := m.Seats[m.Turn]
	if e.absent[who.Name] || who.Kind == storage.Bot {
		return
	}
	seat, err := c.Seats.At(ctx, lobby.User(who), ref)
	if err != nil {
		return
	}
	switch dice := e.random.IntN(20); {
	case m.Ply() >= 4 && dice < 3:
		_ = seat.Resign(ctx) // the error: the match has just ended, or the node is dying
	default:
		legal := m.Position.Legal()
		_ = seat.Move(ctx, legal[e.random.IntN(len(legal))], lobby.AnyPly) // the error: the same
	}
}

// signUp signs players up.
func signUp(c *club, n int) (all []lobby.User) {
	for i := range n {
		all = append(all, c.account(nameOf(i)))
	}
	return all
}

// announce announces a tournament by ana, a week later, in which players enter.
func announce(t *testing.T, c *club, players []lobby.User, spec func() tournaments.Spec) storage.TournamentID {
	t.Helper()
	time.Sleep(aWeek)
	ref, err := c.Tournaments.Announcer.Announce(t.Context(), c.ana, spec())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range players {
		if err := c.Tournaments.Registration.Enter(t.Context(), u, ref); err != nil {
			t.Fatalf("%s enters: %v", u.Name, err)
		}
	}
	return ref.ID
}

// A tournamentReader reads logs of tournaments and records of matches.
type tournamentReader interface {
	TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournamentstore.Entry, error)
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// checkTournament checks, from the log and the records alone, that no player played two matches at once or twice in a round of a tournament in
// rounds, and that the result of each match is there once and is that of its record. It returns the log.
func checkTournament(t *testing.T, store tournamentReader, id storage.TournamentID) []tournamentstore.Entry {
	t.Helper()
	log, err := store.TournamentLog(context.Background(), id, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	plan := log[0].Settings.Plan()
	rounds := plan == tournamentstore.Swiss || plan == tournamentstore.Robin
	type place struct{ round, entrant int }
	seen, playing := map[place]bool{}, map[int]storage.MatchID{}
	pairs := map[storage.MatchID]tournamentstore.Pair{}
	last := map[int]time.Time{} // end of the last match of an entrant, by the records
	decided := map[storage.MatchID]bool{}
	for _, e := range log {
		for _, p := range e.Pairs {
			for _, n := range []int{p.First, p.Second} {
				if n == 0 {
					continue
				}
				if rounds && seen[place{e.Round, n}] {
					t.Errorf("entry %d: entrant %d is twice in round %d", e.Seq, n, e.Round)
				}
				seen[place{e.Round, n}] = true
				if p.Match != "" && playing[n] != "" {
					t.Errorf("entry %d: entrant %d plays %s already", e.Seq, n, playing[n])
				}
				if p.Match != "" {
					playing[n] = p.Match
				}
			}
			if p.Match != "" {
				pairs[p.Match] = p
			}
		}
		if e.Kind != tournamentstore.Result {
			continue
		}
		p, paired := pairs[e.Match]
		if !paired || decided[e.Match] {
			t.Errorf("entry %d: the result of %s, which was paired: %v, has one: %v", e.Seq, e.Match, paired, decided[e.Match])
		}
		decided[e.Match] = true
		f, err := store.Finished(context.Background(), e.Match)
		if err != nil || f.Tournament.ID != id || e.Reason != tournamentstore.Void && f.Result != e.Result {
			t.Errorf("entry %d: %s ended with %q (%s), and its record, of %+v, with %q, %v", e.Seq, e.Match, e.Result, e.Reason, f.Tournament, f.Result, err)
		}
		for _, n := range []int{p.First, p.Second} {
			if f.Started.Before(last[n]) {
				t.Errorf("entrant %d began %s at %v, and played until %v", n, e.Match, f.Started, last[n])
			}
			last[n] = f.Ended
			delete(playing, n)
		}
	}
	if end := log[len(log)-1].Kind; end == tournamentstore.Ended && len(decided) != len(pairs) {
		t.Errorf("it has ended with %d results of %d matches", len(decided), len(pairs))
	}
	if _, err := state.Fold(id, log); err != nil {
		t.Error(err)
	}
	return log
}

// kinds counts the entries of a log by their kinds.
func kinds(log []tournamentstore.Entry) map[tournamentstore.EntryKind]int {
	n := map[tournamentstore.EntryKind]int{}
	for _, e := range log {
		n[e.Kind]++
	}
	return n
}

// TestTournamentsOfForty: forty players play an arena and a Swiss to their ends. Some never begin their matches, and are out after two.
func TestTournamentsOfForty(t *testing.T) {
	span, least := 30*time.Minute, map[tournamentstore.Kind]int{tournamentstore.Arena: 200, tournamentstore.Swiss: 95}
	if testing.Short() {
		span, least[tournamentstore.Arena] = 10*time.Minute, 300
	}
	for _, kind := range []tournamentstore.Kind{tournamentstore.Arena, tournamentstore.Swiss} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
				players := signUp(c, 40)
				id := announce(t, c, players, func() tournaments.Spec {
					s := specOf(kind)
					s.Rated = true
					if kind == tournamentstore.Arena {
						s.Span = span
					}
					return s
				})
				e := evening{t: t, club: func() *club { return c }, id: id, random: rand.New(rand.NewPCG(1, 2)), absent: map[string]bool{players[7].Name: true}}
				v, err := e.play(t.Context(), time.Now().Add(6*time.Hour))
				if err != nil || v.Stage != tournamentstore.Over {
					t.Fatalf("it is %v, %v", v.Stage, err)
				}
				log := checkTournament(t, c.store, id)
				n := kinds(log)
				t.Logf("%d entries, %d results", len(log), n[tournamentstore.Result])
				if n[tournamentstore.Result] < least[kind] {
					t.Errorf("%d results, want %d at least", n[tournamentstore.Result], least[kind])
				}
				standing := v.Standing()
				out := v.Entrants.Find(players[7].Occupant())
				if len(standing) != 40 || out.Out != tournamentstore.ByAbsence || out.Late != state.MaxLate {
					t.Errorf("%d places; the player who never moves: %+v", len(standing), out)
				}
				for i, p := range standing {
					if i > 0 && p.Points > standing[i-1].Points || p.Rank > i+1 || p.Rank < 1 {
						t.Errorf("place %d has rank %d and %d points after %d", i+1, p.Rank, p.Points, standing[max(i-1, 0)].Points)
					}
				}
				if got := c.Tournaments.Reader.Now().All; len(got) != 0 {
					t.Errorf("%d tournaments are listed after the end", len(got))
				}
				past, _, err := c.Tournaments.Reader.Past(t.Context(), c.guest, time.Time{}, 10)
				if err != nil || len(past) != 1 || past[0].Winner != standing[0].Entrant.Who.Name {
					t.Errorf("past ones: %+v, %v", past, err)
				}
			})
		})
	}
}

// TestKindsOfTournaments: a tournament of each kind comes to its end, with an odd number of entrants.
func TestKindsOfTournaments(t *testing.T) {
	both := []tournaments.Game{{ID: "fourmation"}, {ID: "petteia"}}
	for name, spec := range map[string]tournaments.Spec{
		"a round robin":           {Kind: tournamentstore.Robin},
		"a double round robin":    {Kind: tournamentstore.Robin, Twice: true},
		"a knockout":              {Kind: tournamentstore.Knockout},
		"a medley":                {Kind: tournamentstore.Medley, Games: both, Rounds: 3},
		"a medley as an arena":    {Kind: tournamentstore.Medley, Base: tournamentstore.Arena, Games: both, Span: 10 * time.Minute},
		"an exhibition":           {Kind: tournamentstore.Simul},
		"one with computers":      {Kind: tournamentstore.Swiss, Fill: 10, Level: "first"},
		"a knockout of computers": {Kind: tournamentstore.Knockout, Fill: 10, Level: "first"},
		"an arena with computers": {Kind: tournamentstore.Arena, Fill: 10, Level: "first", Span: 10 * time.Minute},
		"days a move":             {Kind: tournamentstore.Robin, Clock: clock.Setting{Kind: clock.Correspondence, Base: 24 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
				players := signUp(c, 5)
				id := announce(t, c, players, func() tournaments.Spec {
					s := specOf(spec.Kind)
					s.Base, s.Twice, s.Rounds, s.Span, s.Fill, s.Level = spec.Base, spec.Twice, spec.Rounds, spec.Span, spec.Fill, spec.Level
					if spec.Games != nil {
						s.Games = spec.Games
					}
					if spec.Clock != (clock.Setting{}) {
						s.Clock = spec.Clock
					}
					return s
				})
				e := evening{t: t, club: func() *club { return c }, id: id, random: rand.New(rand.NewPCG(3, 4))}
				v, err := e.play(t.Context(), time.Now().Add(24*time.Hour))
				if err != nil || v.Stage != tournamentstore.Over {
					t.Fatalf("it is %v, %v", v.Stage, err)
				}
				log, err := c.store.TournamentLog(t.Context(), id, 1, 0)
				if err != nil {
					t.Fatal(err)
				}
				if spec.Kind != tournamentstore.Simul { // in which one player plays many
					checkTournament(t, c.store, id)
				}
				n := kinds(log)[tournamentstore.Result]
				want := map[string]int{"a round robin": 10, "a double round robin": 20, "days a move": 10, "an exhibition": 5}[name]
				if want > 0 && n != want || n == 0 {
					t.Errorf("%d results, want %d", n, want)
				}
				if name == "a medley" {
					played := map[string]bool{}
					for _, e := range log {
						if e.Kind == tournamentstore.Result {
							f, _ := c.store.Finished(t.Context(), e.Match)
							played[fmt.Sprint(f.Tournament.Round, " ", f.Game)] = true
						}
					}
					if want := []string{"1 fourmation", "2 petteia", "3 fourmation"}; !slices.Equal(slices.Sorted(maps.Keys(played)), want) {
						t.Errorf("played were %v", played)
					}
				}
			})
		})
	}
}

// TestNoRematchInTournaments: there is no rematch of a match of a tournament.
func TestNoRematchInTournaments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
		players := signUp(c, 5)
		id := announce(t, c, players, func() tournaments.Spec { return specOf(tournamentstore.Robin) })
		e := evening{t: t, club: func() *club { return c }, id: id, random: rand.New(rand.NewPCG(3, 4))}
		if _, err := e.play(t.Context(), time.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		log, err := c.store.TournamentLog(t.Context(), id, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, entry := range log {
			if entry.Kind != tournamentstore.Result {
				continue
			}
			f, err := c.store.Finished(t.Context(), entry.Match)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []storage.Occupant{f.First, f.Second} {
				asked++
				_, err := c.seat(lobby.User(o), entry.Match).Rematch(t.Context())
				wantErr(t, "a rematch for "+o.Name, err, lobby.ErrNoRematch)
			}
		}
		if l := c.Load(); asked != 20 || l.Matches != 0 || l.Offers != 0 {
			t.Errorf("%d asked; %d matches, %d offers", asked, l.Matches, l.Offers)
		}
	})
}

// TestTooFewEntrants: a tournament with too few entrants is called off when it would begin.
func TestTooFewEntrants(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		id := announce(t, c, []lobby.User{c.ana, c.rui}, func() tournaments.Spec { return specOf(tournamentstore.Swiss) })
		time.Sleep(11 * time.Minute)
		v, err := c.Tournaments.Reader.View(t.Context(), id)
		if err != nil || v.Stage != tournamentstore.Off || v.Reason != tournamentstore.ByFew {
			t.Errorf("it is %v because of %q, %v", v.Stage, v.Reason, err)
		}
	})
}

// TestReaderMissesTheEnd: a reader who doesn't wait when a tournament ends reads the end afterwards, and then nothing more.
func TestReaderMissesTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		id := announce(t, c, []lobby.User{c.ana, c.rui}, func() tournaments.Spec { return specOf(tournamentstore.Swiss) })
		before, err := c.Tournaments.Reader.View(t.Context(), id)
		if err != nil || before.Stage != tournamentstore.Open {
			t.Fatalf("it is %+v, %v", before, err)
		}
		time.Sleep(11 * time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		v, err := c.Tournaments.Reader.Next(ctx, id, before.Number)
		if err != nil || v.Stage != tournamentstore.Off {
			t.Fatalf("after the end it is %+v, %v", v, err)
		}
		if _, err := c.Tournaments.Reader.Next(ctx, id, v.Number); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the last view: %v", err)
		}
	})
}

// TestMayEnter: what people may do with a tournament, and what is refused.
func TestMayEnter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx := t.Context()
		players := signUp(c, 4)
		refused := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		_, err := c.Tournaments.Announcer.Announce(ctx, c.ana, specOf(tournamentstore.Swiss))
		refused("a young account announces", err, lobby.ErrYoungAccount)
		young := specOf(tournamentstore.Swiss)
		young.ByOperator = true
		_, err = c.Tournaments.Announcer.Announce(ctx, c.rui, young)
		refused("a young account of an operator announces", err, nil)
		time.Sleep(aWeek)
		_, err = c.Tournaments.Announcer.Announce(ctx, c.guest, specOf(tournamentstore.Swiss))
		refused("a guest announces", err, lobby.ErrNeedsKey)
		for what, bad := range map[string]struct {
			change func(*tournaments.Spec)
			want   error
		}{
			"in the past":           {func(s *tournaments.Spec) { s.Begins = time.Now() }, lobby.ErrTournamentTime},
			"in a year":             {func(s *tournaments.Spec) { s.Begins = time.Now().AddDate(1, 0, 0) }, lobby.ErrTournamentTime},
			"without a clock":       {func(s *tournaments.Spec) { s.Clock = clock.Setting{} }, lobby.ErrSpec},
			"days in a Swiss":       {func(s *tournaments.Spec) { s.Clock = clock.Setting{Kind: clock.Correspondence, Base: clock.Day} }, lobby.ErrSpec},
			"rated and private":     {func(s *tournaments.Spec) { s.Rated, s.Private = true, true }, lobby.ErrRatedTournament},
			"of no game":            {func(s *tournaments.Spec) { s.Games[0].ID = "chess" }, lobby.ErrNoSuchGame},
			"of two games":          {func(s *tournaments.Spec) { s.Games = append(s.Games, s.Games[0]) }, lobby.ErrSpec},
			"of no kind":            {func(s *tournaments.Spec) { s.Kind = "blitz" }, lobby.ErrSpec},
			"too large":             {func(s *tournaments.Spec) { s.Most = 513 }, lobby.ErrSpec},
			"a span of a Swiss":     {func(s *tournaments.Spec) { s.Span = time.Hour }, lobby.ErrSpec},
			"a computer of no name": {func(s *tournaments.Spec) { s.Fill = 4 }, lobby.ErrNoSuchLevel},
		} {
			spec := specOf(tournamentstore.Swiss)
			bad.change(&spec)
			_, err := c.Tournaments.Announcer.Announce(ctx, c.ana, spec)
			refused(what, err, bad.want)
		}
		spec := specOf(tournamentstore.Swiss)
		spec.Name = "Official\x1b[31m"
		if _, err := c.Tournaments.Announcer.Announce(ctx, c.ana, spec); err == nil {
			t.Error("a name that controls a terminal is taken")
		}
		spec = specOf(tournamentstore.Swiss)
		spec.Private, spec.Most, spec.Range = true, 4, [2]int{1000, 1600}
		ref, err := c.Tournaments.Announcer.Announce(ctx, c.ana, spec)
		refused("announce", err, nil)
		_, err = c.Tournaments.Announcer.Announce(ctx, c.ana, spec)
		refused("announce another one", err, lobby.ErrOtherTournament)
		refused("a guest enters", c.Tournaments.Registration.Enter(ctx, c.guest, ref), lobby.ErrNeedsKey)
		refused("enter without the code", c.Tournaments.Registration.Enter(ctx, c.rui, tournaments.Ref{ID: ref.ID}), lobby.ErrNoSuchTournament)
		if seen := c.Tournaments.Reader.Now().Seen(c.rui); len(seen) != 0 {
			t.Error("a private tournament is listed")
		}
		found, err := c.Tournaments.Reader.Find(ctx, c.rui, origin.Origin{}, ref.Code)
		refused("find it", err, nil)
		_, err = c.Tournaments.Reader.Find(ctx, c.rui, origin.Origin{}, "222222")
		refused("find none", err, lobby.ErrNoSuchTournament)
		refused("enter", c.Tournaments.Registration.Enter(ctx, c.rui, found), nil)
		refused("enter twice", c.Tournaments.Registration.Enter(ctx, c.rui, found), lobby.ErrEntered)
		if seen := c.Tournaments.Reader.Now().Seen(c.rui); len(seen) != 1 {
			t.Error("a private tournament isn't listed for an entrant")
		}
		refused("withdraw", c.Tournaments.Registration.Withdraw(ctx, c.rui, ref.ID), nil)
		refused("withdraw twice", c.Tournaments.Registration.Withdraw(ctx, c.rui, ref.ID), lobby.ErrNotEntered)
		refused("enter again", c.Tournaments.Registration.Enter(ctx, c.rui, found), nil)
		if _, err := c.Relations.Relate(ctx, c.ana, lobby.Blocked, players[3].Name, true); err != nil {
			t.Fatal(err)
		}
		refused("a blocked player enters", c.Tournaments.Registration.Enter(ctx, players[3], found), lobby.ErrUnavailable)
		for _, u := range players[:3] {
			refused(u.Name+" enters", c.Tournaments.Registration.Enter(ctx, u, found), nil)
		}
		refused("one too many", c.Tournaments.Registration.Enter(ctx, c.ana, found), lobby.ErrTournamentFull)
		refused("another one calls it off", c.Tournaments.Announcer.CallOff(ctx, c.rui, ref.ID), lobby.ErrNotAnnouncer)
		time.Sleep(10*time.Minute + 5*time.Second)
		refused("enter late", c.Tournaments.Registration.Enter(ctx, c.ana, found), lobby.ErrTournamentFull)
		refused("call it off late", c.Tournaments.Announcer.CallOff(ctx, c.ana, ref.ID), lobby.ErrBegun)
		v, err := c.Tournaments.Reader.View(ctx, ref.ID)
		refused("view", err, nil)
		part := c.Tournaments.Reader.Now().Parts(c.rui)
		if len(part) != 1 || part[0].Playing == nil || len(v.Playing()) != 2 {
			t.Fatalf("parts %+v", part)
		}
		board := c.Tournaments.Reader.Board(part[0].Playing)
		refused("take a move back", c.seat(c.rui, board.ID).Takeback(ctx), lobby.ErrNoEventHelp)
		refused("call the match off", c.seat(c.rui, board.ID).Abort(ctx), lobby.ErrTournament)
		refused("pause", c.Tournaments.Registration.Pause(ctx, c.rui, ref.ID, true), nil)
		refused("an operator ends it", c.Tournaments.Announcer.End(ctx, ref.ID), nil)
		refused("enter after the end", c.Tournaments.Registration.Enter(ctx, c.ana, found), lobby.ErrNoLateEntry)
		refused("withdraw after the end", c.Tournaments.Registration.Withdraw(ctx, c.rui, ref.ID), lobby.ErrEnded)
	})
}

// A mortal store dies at one of its writes: nothing is written from then on, as when the program is killed. Moves don't count.
type mortal struct {
	*storagetest.Memory
	mu     sync.Mutex
	writes int  // of entries of tournaments, and of beginnings and ends of matches, until now
	dies   int  // at this write; 0: never
	after  bool // it is written, but the program doesn't learn of it
	dead   bool
}

var errDead = fmt.Errorf("%w: the program was killed", storage.ErrCommit)

// write does a write, unless the store is dead.
func (m *mortal) write(counts bool, do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	if !counts {
		return do()
	}
	if m.writes++; m.writes == m.dies {
		m.dead = true
		if m.after {
			_ = do() // what would be wrong with it, nobody learns
		}
		return errDead
	}
	return do()
}

func (m *mortal) isDead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

func (m *mortal) AppendTournament(ctx context.Context, id storage.TournamentID, entries []tournamentstore.Entry, s tournamentstore.Summary) error {
	return m.write(true, func() error { return m.Memory.AppendTournament(ctx, id, entries, s) })
}

func (m *mortal) TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournamentstore.Entry, error) {
	if m.isDead() {
		return nil, errDead
	}
	return m.Memory.TournamentLog(ctx, id, from, most)
}

func (m *mortal) Append(ctx context.Context, id storage.MatchID, events []matches.Event, s matches.Summary) error {
	return m.write(events[0].Kind == matches.Opened, func() error { return m.Memory.Append(ctx, id, events, s) })
}

func (m *mortal) Finish(ctx context.Context, id storage.MatchID, events []matches.Event, f results.Finished, also func(kv.Tx) error) (r *[2]results.RatingChange, err error) {
	err = m.write(true, func() (err error) {
		r, err = m.Memory.Finish(ctx, id, events, f, also)
		return err
	})
	return r, err
}

func (m *mortal) Beat(ctx context.Context, at time.Time) error {
	if m.isDead() {
		return errDead
	}
	return m.Memory.Beat(ctx, at)
}

// mortalClub opens a club on a store that may die.
func mortalClub(t *testing.T, store *mortal) *club {
	t.Helper()
	l, err := lobby.New(t.Context(), store, lobby.Config{Games: []games.Game{fourmation.New()}, Workers: 1, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Limits: lobby.Limits{NewUnfinished: 100, MatchBurst: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &club{Lobby: l, t: t, guest: l.Accounts.Guest("connection 1")}
	c.ana = c.account("ana")
	return c
}

// TestKilledTournament: a club that is killed at any of the writes of a tournament and its matches goes on as if nothing had been: no player plays
// two matches at once or twice in a round, and all results are there.
func TestKilledTournament(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	for _, kind := range []tournamentstore.Kind{tournamentstore.Swiss, tournamentstore.Arena, tournamentstore.Knockout} {
		seen := map[tournamentstore.EntryKind]bool{}
		for dies, more := 1, true; more; dies += step {
			bubble(t, func(t *testing.T) {
				store := &mortal{Memory: storagetest.NewMemory(rating.Rate)}
				c := mortalClub(t, store)
				players := signUp(c, 5)
				time.Sleep(aWeek)
				spec := specOf(kind)
				if kind == tournamentstore.Swiss {
					spec.Rounds = 2
				} else if kind == tournamentstore.Arena {
					spec.Span = tournaments.MinSpan
				}
				ref, err := c.Tournaments.Announcer.Announce(t.Context(), c.ana, spec)
				if err != nil {
					t.Fatal(err)
				}
				store.mu.Lock()
				store.writes, store.dies, store.after = 0, dies, dies%2 == 0
				store.mu.Unlock()
				reborn := func() {
					if !store.isDead() {
						return
					}
					c.Close()
					store = &mortal{Memory: store.Memory}
					c = mortalClub(t, store)
				}
				for _, u := range players {
					if err := c.Tournaments.Registration.Enter(t.Context(), u, ref); err != nil && !store.isDead() {
						t.Fatal(err)
					}
					reborn()
					if err := c.Tournaments.Registration.Enter(t.Context(), u, ref); err != nil && !errors.Is(err, lobby.ErrEntered) {
						t.Fatal(err)
					}
				}
				e := evening{t: t, id: ref.ID, random: rand.New(rand.NewPCG(uint64(dies), 6)), club: func() *club { reborn(); return c }}
				v, err := e.play(t.Context(), time.Now().Add(8*time.Hour))
				if err != nil || v.Stage != tournamentstore.Over {
					t.Fatalf("%s, killed at write %d: it is %v, %v", kind, dies, v.Stage, err)
				}
				for _, e := range checkTournament(t, store, ref.ID) {
					seen[e.Kind] = true
				}
				store.mu.Lock()
				defer store.mu.Unlock()
				more = store.dies == 0 && !t.Failed() && dies < 40 // it was killed: else there are no more writes
			})
		}
		if t.Failed() {
			return
		}
		for _, k := range []tournamentstore.EntryKind{tournamentstore.Entered, tournamentstore.Round, tournamentstore.Paired, tournamentstore.Result, tournamentstore.Ended} {
			if !seen[k] {
				t.Errorf("%s: nothing was %s", kind, k)
			}
		}
	}
}

// readerOf reads tournaments and matches from a store.
type readerOf struct{ s *schema.Store }

func (r readerOf) TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournamentstore.Entry, error) {
	return r.s.Tournaments.TournamentLog(ctx, id, from, most)
}

func (r readerOf) Finished(ctx context.Context, id storage.MatchID) (results.Finished, error) {
	return r.s.Results.Finished(ctx, id)
}

// An ownersLog notes which node has logged last that it runs a tournament.
type ownersLog struct {
	mu   sync.Mutex // guards node
	node string
}

// of returns a writer for the log of a node, which goes on to another one.
func (l *ownersLog) of(node string, to io.Writer) io.Writer {
	return writerFunc(func(line []byte) (int, error) {
		if bytes.Contains(line, []byte("this node runs an event")) {
			l.mu.Lock()
			l.node = node
			l.mu.Unlock()
		}
		return to.Write(line)
	})
}

func (l *ownersLog) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.node
}

// A writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestTournamentOnNodes: players at three nodes play a tournament while the node that owns it is cut off again and again. Another one takes over
// within ten seconds: matches are paired, and results entered.
func TestTournamentOnNodes(t *testing.T) {
	for _, kind := range []tournamentstore.Kind{tournamentstore.Arena, tournamentstore.Swiss} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var owners ownersLog
				c := severalNodes(t, 3, func(cfg *lobby.Config) { cfg.Log = slog.New(slog.NewTextHandler(owners.of(cfg.Node, t.Output()), nil)) })
				store, err := schema.Open(t.Context(), c.engine, schema.Config{Rate: rating.Rate})
				if err != nil {
					t.Fatal(err)
				}
				old := accounts.Player{Name: "zeno", NameKey: "zeno", Since: time.Now().Add(-aWeek)} // three nodes can't wait for a week
				if _, err := store.Accounts.SignUp(t.Context(), old, "key of zeno"); err != nil {
					t.Fatal(err)
				}
				zeno, players := c.clubs[0].account("zeno"), signUp(c.clubs[0], 12)
				synctest.Wait()
				spec := specOf(kind)
				if spec.Rounds = 0; kind == tournamentstore.Arena {
					spec.Span = tournaments.MinSpan
				}
				ref, err := c.clubs[0].Tournaments.Announcer.Announce(t.Context(), zeno, spec)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				for i, u := range players { // each at another node, which checks the entry against its copy
					if err := c.clubs[i%3].Tournaments.Registration.Enter(t.Context(), u, ref); err != nil {
						t.Fatal(err)
					}
				}
				owner := func() int { return c.owner(storage.MatchID("tournament " + string(ref.ID))) }
				random := rand.New(rand.NewPCG(7, 8))
				cut := -1 // the node that is cut off
				e := evening{t: t, id: ref.ID, random: random, club: func() *club {
					for {
						if n := random.IntN(3); n != cut {
							return c.clubs[n]
						}
					}
				}}
				time.Sleep(10 * time.Minute)
				taken := 0
				for range 40 {
					v, err := e.play(t.Context(), time.Now().Add(20*time.Second))
					if err != nil {
						t.Fatal(err)
					}
					if v.Stage.Closed() {
						break
					}
					if cut = owner(); cut < 0 {
						t.Fatal("no node owns the tournament")
					}
					if last := owners.last(); last != fmt.Sprint("node", cut+1) {
						t.Errorf("node %d owns it, and the logs name %q", cut+1, last)
					}
					c.cables[cut].cut()
					time.Sleep(10 * time.Second)
					other := owner()
					if other < 0 || other == cut {
						t.Errorf("node %d owns it ten seconds after node %d was cut off", other, cut)
					}
					taken++
					if _, err := e.play(t.Context(), time.Now().Add(30*time.Second)); err != nil {
						t.Fatal(err)
					}
					c.cables[cut].mend()
					cut = -1
					time.Sleep(15 * time.Second)
				}
				v, err := e.play(t.Context(), time.Now().Add(3*time.Hour))
				if err != nil || v.Stage != tournamentstore.Over {
					t.Fatalf("it is %v, %v", v.Stage, err)
				}
				n := kinds(checkTournament(t, readerOf{store}, ref.ID))
				t.Logf("%d results, %d owners cut off", n[tournamentstore.Result], taken)
				if taken < 5 || n[tournamentstore.Result] < 25 {
					t.Errorf("%d results, %d owners cut off", n[tournamentstore.Result], taken)
				}
				for i, one := range c.clubs {
					synctest.Wait()
					if v, err := one.Tournaments.Reader.View(t.Context(), ref.ID); err != nil || v.Stage != tournamentstore.Over || len(one.Tournaments.Reader.Now().All) != 0 {
						t.Errorf("node %d shows %v, %v", i, v.Stage, err)
					}
				}
			})
		})
	}
}
