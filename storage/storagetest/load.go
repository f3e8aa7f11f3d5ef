package storagetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// A Load is matches that are played on a store as fast as it takes moves, for measurements.
type Load struct {
	club   *schema.Store
	people []storage.PlayerID // two for each match
	at     time.Time
}

// NewLoad signs up the players of some matches.
func NewLoad(t *testing.T, club *schema.Store, matches int) *Load {
	t.Helper()
	l := &Load{club: club, at: time.Now().UTC().Truncate(time.Millisecond)}
	for i := range 2 * matches {
		name := fmt.Sprintf("player%d", i)
		p, err := club.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: l.at.AddDate(-1, 0, 0)}, fmt.Sprintf("SHA256:%043d", i))
		if err != nil {
			t.Fatal(err)
		}
		l.people = append(l.people, p.ID)
	}
	return l
}

func (l *Load) seat(i int) storage.Occupant {
	return storage.Occupant{Kind: storage.Person, ID: string(l.people[i]), Name: fmt.Sprintf("player%d", i)}
}

func (l *Load) opening(i int) *matchstore.Opening {
	return &matchstore.Opening{
		Code: fmt.Sprintf("CST%03d", i), Game: "tanks", Options: games.Options{"size": 8}, Rated: true, Public: true, Clock: "5+3",
		First: l.seat(2 * i), Second: l.seat(2*i + 1),
	}
}

func loadID(i int) storage.MatchID { return storage.MatchID(fmt.Sprintf("cost%04d", i)) }

// Play opens matches, from one to before another, and plays them beside each other. It returns how long each move took, sorted.
func (l *Load) Play(t *testing.T, from, to, moves int) []time.Duration {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	for i := from; i < to; i++ {
		all.Go(func() {
			o := l.opening(i)
			m := matchstore.Summary{Opening: *o, Opened: l.at, Started: l.at, Turn: storage.FirstSeat, Clock: matchstore.ClockState{Since: l.at}}
			for seq := range uint64(moves + 1) {
				e := matchstore.Event{
					Seq: seq + 1, Version: matchstore.EventVersion, Kind: matchstore.Moved, Seat: storage.FirstSeat, At: l.at, Move: "e2-e3", Lag: 20 * time.Millisecond,
				}
				if seq == 0 {
					e = matchstore.Event{Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, At: l.at, Opening: o}
				}
				m.Plies = int(seq)
				began := time.Now()
				if err := l.club.Matches.Append(t.Context(), loadID(i), []matchstore.Event{e}, m); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took
}

// Finish ends the first matches, one after the other, after their moves.
func (l *Load) Finish(t *testing.T, matches, moves int) {
	t.Helper()
	for i := range matches {
		o := l.opening(i)
		f := results.Finished{
			Code: o.Code, Game: o.Game, Options: o.Options, Rated: true, Public: true, First: o.First, Second: o.Second, Result: "first", Reason: "resigned",
			Started: l.at, Ended: l.at.Add(time.Duration(i) * time.Second), Plies: moves,
		}
		for range moves {
			f.Moves, f.Times = append(f.Moves, "e2-e3"), append(f.Times, l.at)
		}
		end := []matchstore.Event{
			{Seq: uint64(moves) + 2, Version: matchstore.EventVersion, Kind: matchstore.Resigned, Seat: storage.SecondSeat, At: f.Ended},
			{Seq: uint64(moves) + 3, Version: matchstore.EventVersion, Kind: matchstore.Ended, At: f.Ended, Result: "first", Reason: "resigned"},
		}
		if _, err := l.club.Matches.Finish(t.Context(), loadID(i), end, f, nil); err != nil {
			t.Fatal(err)
		}
	}
}
