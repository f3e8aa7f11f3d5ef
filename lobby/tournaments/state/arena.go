package state

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/tournaments/pairings"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// EndsAt returns when an arena pairs nobody any more; zero for other tournaments.
func (s *State) EndsAt() time.Time {
	if s.Settings.Plan() != tournaments.Arena {
		return time.Time{}
	}
	return later(s.Settings.Begins, s.Begun).Add(s.Settings.Span)
}

// arenaAt returns when an arena ends, or two who wait and have just played each other may play again.
func arenaAt(s *State) time.Time {
	var last time.Time
	waiting := 0
	for _, e := range s.Entrants {
		if since := WaitingSince(s, e); !since.IsZero() {
			waiting++
			last = later(last, since)
		}
	}
	if at := last.Add(pairings.Rematch); waiting > 1 && at.After(s.LastAt) && at.Before(s.EndsAt()) {
		return at
	}
	if len(s.open) == 0 {
		return later(s.EndsAt(), s.LastAt)
	}
	return s.EndsAt()
}

// WaitingSince returns since when an entrant of an arena waits for a match; zero if the entrant doesn't.
func WaitingSince(s *State, e *Entrant) time.Time {
	if s.Stage != tournaments.Running || s.Settings.Plan() != tournaments.Arena || !e.In() || e.Paused || e.Playing() != nil {
		return time.Time{}
	}
	return e.free
}

// arena pairs those who wait in an arena.
func (d *decision) arena() error {
	s := d.state
	waiting := waitingIn(s, d.now)
	if len(waiting) < 2 {
		return nil
	}
	source := rand.New(rand.NewPCG(s.Settings.Seed, s.Seq))
	pairs, err := pairings.Arena(waiting, source)
	if err != nil {
		return fmt.Errorf("%w: tournament %s: %w", ErrLog, s.ID, err)
	}
	return d.pair(1, s.Entrants.numbered(pairs), "")
}

// waitingIn returns those who wait for a match in an arena, by their starting ranks.
func waitingIn(s *State, now time.Time) (all []pairings.Waiting) {
	var scores map[int]int
	for _, e := range s.Entrants {
		if e.Rank == 0 || !e.In() || e.Paused || e.Playing() != nil {
			continue
		}
		if scores == nil {
			scores = arenaScores(s)
		}
		w := pairings.Waiting{
			Number: e.Rank, Score: scores[e.Rank], Rating: float64(e.Rating), Waited: max(now.Sub(e.free), 0), Computer: e.Who.Kind == storage.Bot,
		}
		for _, p := range e.Matches {
			w.Last, w.Side = s.Entrant(p.Opponent(e.Number)).Rank, p.Side(e.Number)
			if w.Side == games.First {
				w.Balance++
			} else {
				w.Balance--
			}
		}
		all = append(all, w)
	}
	return all
}

// arenaScores returns the points in an arena by starting ranks.
func arenaScores(s *State) map[int]int {
	places, err := pairings.ArenaStanding(forPairing(s))
	if err != nil {
		return nil // apply has let nothing in that doesn't fit together
	}
	scores := make(map[int]int, len(places))
	for _, p := range places {
		scores[p.Number] = p.Points
	}
	return scores
}
