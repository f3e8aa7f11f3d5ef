package state

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/results"
	"ludoteca/storage/tournaments"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// ids returns ids of matches that differ, always the same.
func ids() func() storage.MatchID {
	n := 0
	return func() storage.MatchID { n++; return storage.MatchID(fmt.Sprintf("m%d", n)) }
}

// drawSettings draws the settings of a tournament.
func drawSettings(r *rapid.T) tournaments.Settings {
	s := tournaments.Settings{
		Code: "ABCDEF", Name: "Friday", Kind: rapid.SampledFrom(tournaments.Kinds()).Draw(r, "kind"), Games: []tournaments.Game{{ID: "tanks", Options: games.Options{}}},
		Clock: "3+2", Begins: noon, Least: 2, Most: 16, Seed: rapid.Uint64().Draw(r, "seed"), By: player(1),
	}
	if s.Kind == tournaments.Medley {
		s.Base = rapid.SampledFrom([]tournaments.Kind{tournaments.Arena, tournaments.Swiss, tournaments.Robin}).Draw(r, "base")
		s.Games = append(s.Games, tournaments.Game{ID: "petteia", Options: games.Options{}})
	}
	switch s.Plan() {
	case tournaments.Arena:
		s.Span = 20 * time.Minute
	case tournaments.Swiss:
		s.Rounds = rapid.IntRange(1, 6).Draw(r, "rounds")
	case tournaments.Robin:
		s.Twice = rapid.Bool().Draw(r, "twice")
	}
	if rapid.Bool().Draw(r, "filled") {
		s.Fill, s.Filler = 6, storage.Occupant{Kind: storage.Bot, ID: "first", Name: "First"}
	}
	return s
}

func player(n int) storage.Occupant {
	return storage.Occupant{Kind: storage.Person, ID: fmt.Sprintf("p%d", n), Name: fmt.Sprintf("player %d", n)}
}

// TestAnyTournament: whatever entrants do and however matches end, each prefix of the log folds, a refused entry changes nothing, the same state
// decides the same, a decision that was carried out isn't due again, and the tournament comes to its end.
func TestAnyTournament(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		o := drawSettings(r)
		if err := tournaments.CheckSettings(o); err != nil {
			r.Fatal(err)
		}
		now, newID := noon.Add(-time.Hour), ids()
		var log []tournaments.Entry
		s := New("t")
		extend := func(entries ...tournaments.Entry) error {
			before := s.Clone()
			next, added, err := s.Extend(entries, now)
			if !reflect.DeepEqual(before, s.Clone()) {
				r.Fatalf("entries %+v change the state before them", entries)
			}
			if err == nil {
				s, log = next, append(log, added...)
			} else if !errors.Is(err, ErrLog) {
				r.Fatalf("%+v: %v", entries, err)
			}
			return err
		}
		if err := extend(tournaments.Entry{Kind: tournaments.Announced, Settings: &o}); err != nil {
			r.Fatal(err)
		}
		enter := func(n int) {
			_ = extend(tournaments.Entry{Kind: tournaments.Entered, Who: player(n), Rating: 1000 + n*37%500})
		} // refused ones change nothing
		for n := range rapid.IntRange(1, 9).Draw(r, "entrants") {
			enter(n + 1)
		}
		now = noon
		for step := 0; !s.Stage.Closed(); step++ {
			if step > 3000 {
				r.Fatalf("it doesn't end: %v, %d rounds, %d matches go on, due at %v, now %v", s.Settings.Kind, len(s.Rounds), len(s.open), s.DueAt(), now)
			}
			due, err := s.Next(now, newID)
			if err != nil {
				r.Fatal(err)
			}
			first, _ := s.Next(now, ids())
			second, _ := s.Next(now, ids())
			if !reflect.DeepEqual(first, second) {
				r.Fatalf("the same state decides %+v and %+v", first, second)
			}
			if len(due) > 0 {
				if err := extend(due...); err != nil {
					r.Fatal(err)
				}
				if again, err := s.Next(now, newID); err != nil || len(again) > 0 && len(s.open) > 0 && s.Settings.Plan() != tournaments.Arena && again[0].Kind == due[0].Kind && again[0].Kind != tournaments.Paired {
					r.Fatalf("after %+v there follows %+v, %v", due, again, err)
				}
				continue
			}
			switch playing := s.Playing(); {
			case step < 400 && rapid.IntRange(0, 9).Draw(r, "act") == 0:
				n := rapid.IntRange(1, len(s.Entrants)).Draw(r, "entrant")
				switch rapid.IntRange(0, 3).Draw(r, "what") {
				case 0:
					_ = extend(tournaments.Entry{Kind: tournaments.Withdrawn, Entrant: n, Reason: tournaments.ByEntrant})
				case 1:
					_ = extend(tournaments.Entry{Kind: tournaments.Paused, Entrant: n})
				case 2:
					_ = extend(tournaments.Entry{Kind: tournaments.Resumed, Entrant: n})
				default:
					enter(rapid.IntRange(1, 12).Draw(r, "late"))
				}
			case len(playing) > 0:
				p := playing[rapid.IntRange(0, len(playing)-1).Draw(r, "match")]
				f := results.Finished{Result: rapid.SampledFrom([]string{"first", "second", "draw", "", "first", "second"}).Draw(r, "result"), Plies: 9}
				if f.Result == "first" && rapid.IntRange(0, 9).Draw(r, "late") == 0 {
					f.Reason, f.Plies = "timeout", 1
				}
				if err := extend(s.Outcome(p, f)); err != nil {
					r.Fatal(err)
				}
				if extend(s.Outcome(p, f)) == nil {
					r.Fatalf("the result of %s is entered twice", p.Match)
				}
				now = now.Add(10 * time.Second)
			default:
				if at := s.DueAt(); at.After(now) {
					now = at
				} else {
					now = now.Add(time.Second)
				}
			}
		}
		for n := range log {
			part, err := Fold("t", log[:n+1])
			if err != nil {
				r.Fatalf("the first %d entries: %v", n+1, err)
			}
			if n == len(log)-1 && !reflect.DeepEqual(part.Standing(), s.Standing()) {
				r.Fatal("the log folds to another standing")
			}
		}
		if s.Stage == tournaments.Over && len(s.Standing()) != s.ranked {
			r.Fatalf("%d places of %d entrants", len(s.Standing()), s.ranked)
		}
	})
}

// TestWhatLogsRefuse: entries that would seat an entrant twice, or that don't fit the state, are refused.
func TestWhatLogsRefuse(t *testing.T) {
	o := tournaments.Settings{
		Code: "ABCDEF", Name: "Friday", Kind: tournaments.Swiss, Games: []tournaments.Game{{ID: "tanks", Options: games.Options{}}},
		Clock: "3+2", Begins: noon, Least: 2, Most: 4, Rounds: 2,
	}
	s, _, err := New("t").Extend([]tournaments.Entry{
		{Kind: tournaments.Announced, Settings: &o}, {Kind: tournaments.Entered, Who: player(1)}, {Kind: tournaments.Entered, Who: player(2)},
		{Kind: tournaments.Entered, Who: player(3)}, {Kind: tournaments.Entered, Who: player(4)}, {Kind: tournaments.Round, Round: 1},
		{Kind: tournaments.Paired, Round: 1, Pairs: []tournaments.Pair{{Board: 1, Match: "m1", First: 1, Second: 2}}},
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	pair := func(p tournaments.Pair) tournaments.Entry {
		return tournaments.Entry{Kind: tournaments.Paired, Round: 1, Pairs: []tournaments.Pair{p}}
	}
	for what, e := range map[string]tournaments.Entry{
		"an entrant who plays":       pair(tournaments.Pair{Board: 2, Match: "m2", First: 3, Second: 2}),
		"a bye for one who plays":    pair(tournaments.Pair{Board: 2, First: 1}),
		"a match that goes on":       pair(tournaments.Pair{Board: 2, Match: "m1", First: 3, Second: 4}),
		"a board that isn't next":    pair(tournaments.Pair{Board: 3, Match: "m2", First: 3, Second: 4}),
		"no such entrant":            pair(tournaments.Pair{Board: 2, Match: "m2", First: 3, Second: 5}),
		"no such game":               pair(tournaments.Pair{Board: 2, Match: "m2", First: 3, Second: 4, Game: 1}),
		"a round before the results": {Kind: tournaments.Round, Round: 2},
		"the end before the results": {Kind: tournaments.Ended},
		"a result of no match":       {Kind: tournaments.Result, Match: "m2", Result: "draw"},
		"one entrant too many":       {Kind: tournaments.Entered, Who: player(5)},
		"an entrant again":           {Kind: tournaments.Entered, Who: player(1)},
		"called off by its entrants": {Kind: tournaments.CalledOff, Reason: tournaments.ByFew},
		"resumed without a pause":    {Kind: tournaments.Resumed, Entrant: 1},
		"no such entry":              {Kind: "moved"},
	} {
		if _, _, err := s.Extend([]tournaments.Entry{e}, noon); !errors.Is(err, ErrLog) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := s.Extend([]tournaments.Entry{pair(tournaments.Pair{Board: 2, Match: "m2", First: 4, Second: 3})}, noon); err != nil {
		t.Error(err)
	}
}
