package state

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/results"
	"ludoteca/storage/tournaments"
)

// An evening is a simulated tournament: stronger players win more often, some leave, some come late, some never move, and the program is killed
// now and then, so that the tournament goes on from its log.
type evening struct {
	t        *testing.T
	rng      *rand.Rand
	s        *State
	log      []tournaments.Entry
	now      time.Time
	newID    func() storage.MatchID
	strength map[string]float64 // by the ids of players
	ends     map[storage.MatchID]time.Time
	kills    int
}

// extend enters entries that must fit.
func (e *evening) extend(entries ...tournaments.Entry) {
	e.t.Helper()
	next, added, err := e.s.Extend(entries, e.now)
	if err != nil {
		e.t.Fatalf("%+v: %v", entries, err)
	}
	e.s, e.log = next, append(e.log, added...)
}

// enter has a player enter.
func (e *evening) enter(n int) {
	who := player(n)
	e.strength[who.ID] = 1500 + 250*e.rng.NormFloat64()
	e.extend(tournaments.Entry{Kind: tournaments.Entered, Who: who, Rating: int(e.strength[who.ID])})
}

// kill has the tournament go on from its log alone.
func (e *evening) kill() {
	s, err := Fold("t", e.log)
	if err != nil {
		e.t.Fatal(err)
	}
	e.s = s
	e.kills++
}

// end returns the end of a match: the stronger side wins more often, one match in ten is drawn, and one in fifty isn't begun in time.
func (e *evening) end(p *Pairing) results.Finished {
	f := results.Finished{Result: games.Second.String(), Plies: 30}
	gap := e.strength[e.s.Entrant(p.Second).Who.ID] - e.strength[e.s.Entrant(p.First).Who.ID]
	switch dice := e.rng.IntN(100); {
	case dice < 2:
		f.Reason, f.Plies = "timeout", 1
	case dice < 12:
		f.Result = games.Drawn("").String()
	case e.rng.Float64()*400 > 200+gap:
		f.Result = games.First.String()
	}
	return f
}

// play plays the tournament to its end. Time goes on to the end of the next match, or to when the tournament says that something is due.
func (e *evening) play(late int) {
	for step := 0; !e.s.Stage.Closed(); step++ {
		if step > 200_000 {
			e.t.Fatalf("it doesn't end: %d rounds, %d matches go on, due at %v, now %v", len(e.s.Rounds), len(e.s.open), e.s.DueAt(), e.now)
		}
		due, err := e.s.Next(e.now, e.newID)
		if err != nil {
			e.t.Fatal(err)
		}
		if e.rng.IntN(20) == 0 { // killed before the entries are written: they are decided anew
			e.kill()
			if due, err = e.s.Next(e.now, e.newID); err != nil {
				e.t.Fatal(err)
			}
		}
		if len(due) > 0 {
			e.extend(due...)
		}
		if e.rng.IntN(20) == 0 {
			e.kill()
		}
		for _, p := range e.s.Playing() {
			end, known := e.ends[p.Match]
			if !known {
				e.ends[p.Match] = e.now.Add(20*time.Second + time.Duration(e.rng.ExpFloat64()*float64(2*time.Minute)))
			} else if !end.After(e.now) {
				e.extend(e.s.Outcome(p, e.end(p)))
			}
		}
		if e.s.Stage == tournaments.Running && e.rng.IntN(100) == 0 {
			if one := e.s.Entrants[e.rng.IntN(len(e.s.Entrants))]; one.In() && one.Who.Kind == storage.Person {
				e.extend(tournaments.Entry{Kind: tournaments.Withdrawn, Entrant: one.Number, Reason: tournaments.ByEntrant})
			}
		}
		if late > 0 && e.s.Stage == tournaments.Running && e.s.LateEntry() && e.rng.IntN(20) == 0 {
			late--
			e.enter(1000 + late)
		}
		next := time.Time{}
		if at := e.s.DueAt(); at.After(e.now) {
			next = at
		}
		for _, p := range e.s.Playing() {
			if end, known := e.ends[p.Match]; !known {
				next = e.now.Add(time.Second)
			} else if next.IsZero() || end.Before(next) {
				next = end
			}
		}
		next = later(next, e.now.Add(time.Second))
		e.now = next
	}
}

// check checks the log alone: nobody plays two matches at once, or twice in a round or against the same one twice where the kind forbids it; each
// match has one result; and the standing counts each result once.
func (e *evening) check() (played int) {
	plan := e.log[0].Settings.Plan()
	playing := map[int]storage.MatchID{}
	pairs := map[storage.MatchID]tournaments.Pair{}
	inRound, met := map[[2]int]bool{}, map[[2]int]bool{}
	for _, entry := range e.log {
		for _, p := range entry.Pairs {
			both := [2]int{min(p.First, p.Second), max(p.First, p.Second)}
			for _, n := range both {
				if n == 0 || plan == tournaments.Simul {
					continue
				}
				if id := playing[n]; id != "" {
					e.t.Fatalf("entry %d: entrant %d plays %s already", entry.Seq, n, id)
				}
				if key := [2]int{entry.Round, n}; plan == tournaments.Swiss || plan == tournaments.Robin {
					if inRound[key] {
						e.t.Fatalf("entrant %d is twice in round %d", n, entry.Round)
					}
					inRound[key] = true
				}
			}
			if p.Match == "" {
				continue
			}
			if once := plan == tournaments.Swiss || plan == tournaments.Robin && !e.log[0].Settings.Twice; once && met[both] {
				e.t.Fatalf("entrants %d and %d play twice", p.First, p.Second)
			}
			playing[p.First], playing[p.Second] = p.Match, p.Match
			if _, twice := pairs[p.Match]; twice {
				e.t.Fatalf("match %s is paired twice", p.Match)
			}
			pairs[p.Match] = p
		}
		if entry.Kind == tournaments.Result {
			p, open := pairs[entry.Match]
			if !open || p.Match == "" {
				e.t.Fatalf("entry %d: a result of %q, which doesn't go on", entry.Seq, entry.Match)
			}
			if entry.Reason != tournaments.Unbegun { // two of whom one has not begun have not met
				met[[2]int{min(p.First, p.Second), max(p.First, p.Second)}] = true
			}
			pairs[entry.Match] = tournaments.Pair{}
			delete(playing, p.First)
			delete(playing, p.Second)
			played++
		}
	}
	if e.s.Stage == tournaments.Over && played != len(pairs) {
		e.t.Fatalf("%d results of %d matches", played, len(pairs))
	}
	if again, err := Fold("t", e.log); err != nil || !reflect.DeepEqual(again.Standing(), e.s.Standing()) {
		e.t.Fatalf("the log folds to another standing, %v", err)
	}
	return played
}

// TestTournamentsOfSizes plays tournaments of all kinds with 10, 40 and 300 players, or as many as the kind takes.
func TestTournamentsOfSizes(t *testing.T) {
	kinds := []tournaments.Settings{
		{Kind: tournaments.Arena, Span: 30 * time.Minute},
		{Kind: tournaments.Swiss, Rounds: 7},
		{Kind: tournaments.Robin},
		{Kind: tournaments.Robin, Twice: true},
		{Kind: tournaments.Knockout},
		{Kind: tournaments.Simul},
		{Kind: tournaments.Medley, Base: tournaments.Swiss, Rounds: 5},
		{Kind: tournaments.Medley, Base: tournaments.Robin},
		{Kind: tournaments.Medley, Base: tournaments.Arena, Span: 20 * time.Minute},
	}
	for i, o := range kinds {
		sizes := []int{10, 40, 300}
		if o.Plan() == tournaments.Robin {
			sizes = []int{10, MaxRobin}
		}
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%d %s of %d", i+1, strings.TrimSpace(string(o.Kind)+" "+string(o.Base)), n), func(t *testing.T) {
				o.Code, o.Name, o.Clock, o.Begins, o.By = "ABCDEF", "Friday", "3+2", noon, player(1)
				o.Least, o.Most, o.Seed = 2, tournaments.MaxEntrants, uint64(n+i)
				o.Games = []tournaments.Game{{ID: "tanks", Options: games.Options{}}}
				if o.Kind == tournaments.Medley {
					o.Games = append(o.Games, tournaments.Game{ID: "petteia", Options: games.Options{}})
				}
				if err := tournaments.CheckSettings(o); err != nil {
					t.Fatal(err)
				}
				e := evening{
					t: t, rng: rand.New(rand.NewPCG(uint64(n), uint64(i))), s: New("t"), now: noon.Add(-time.Hour), newID: ids(),
					strength: map[string]float64{}, ends: map[storage.MatchID]time.Time{},
				}
				e.extend(tournaments.Entry{Kind: tournaments.Announced, Settings: &o})
				for k := range n {
					e.enter(k + 1)
				}
				e.now = noon
				e.play(n / 10)
				played := e.check()
				t.Logf("%s: %d entrants, %d entries, %d matches, killed %d times", e.s.Stage, len(e.s.Entrants), len(e.log), played, e.kills)
				if e.s.Stage != tournaments.Over || played < n/2 {
					t.Errorf("it is %v after %d matches", e.s.Stage, played)
				}
			})
		}
	}
}
