package storagetest

import (
	"fmt"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/learning"
)

// puzzles: only the first try at a puzzle counts, of all accounts of a player, and what is kept of a player goes with the account.
func puzzles(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob, cid := signUp(t, s, "ann"), signUp(t, s, "bob"), signUp(t, s, "cid")
	settled := false
	at := 0
	rate := func(r learning.PuzzleResult) (player, puzzle learning.Strength) {
		player = learning.Strength{Rating: r.Player.Rating + 100, Deviation: 100, Volatility: 0.06, At: r.At}
		if puzzle = r.Puzzle; settled {
			puzzle = learning.Strength{Rating: r.Puzzle.Rating + 10, Deviation: 90, Volatility: 0.06, At: r.At}
		}
		return player, puzzle
	}
	try := func(what string, id storage.PlayerID, game, puzzle string, solved bool, want error, others ...storage.PlayerID) learning.PuzzleStanding {
		t.Helper()
		at++
		p, err := s.TryPuzzle(ctx, id, append(others, id), game, puzzle, solved, minute(at), rate)
		wants(t, what, err, want)
		return p
	}
	standing := func(rating float64, tried, solved, streak, best, at int) learning.PuzzleStanding {
		return learning.PuzzleStanding{
			Strength: learning.Strength{Rating: rating, Deviation: 100, Volatility: 0.06, At: minute(at)}, Tried: tried, Solved: solved, Streak: streak, Best: best,
		}
	}
	is := func(what string, want learning.PuzzleStandings, ids ...storage.PlayerID) {
		t.Helper()
		all, err := s.PuzzleStandings(ctx, ids...)
		wants(t, what, err, nil)
		same(t, what, all, want)
	}
	is("nothing", learning.PuzzleStandings{}, ann.ID)
	same(t, "the first one", try("solved", ann.ID, "tanks", "p1", true, nil), standing(100, 1, 1, 1, 1, 1))
	try("again", ann.ID, "tanks", "p1", true, storage.ErrUnchanged)
	try("a stranger", "2222222222222222", "tanks", "p1", true, storage.ErrNotFound)
	try("no game", ann.ID, "", "p2", true, storage.ErrInvalid)
	try("no puzzle", ann.ID, "tanks", "", true, storage.ErrInvalid)
	same(t, "a second one", try("solved", ann.ID, "tanks", "p2", true, nil), standing(200, 2, 2, 2, 2, 6))
	same(t, "a wrong one", try("missed", ann.ID, "tanks", "p3", false, nil), standing(300, 3, 2, 0, 2, 7))
	strengths, err := s.PuzzleStrengths(ctx)
	wants(t, "strengths", err, nil)
	same(t, "unsettled players move no puzzle", strengths, map[string]learning.Strength{})
	settled = true
	try("of another game", ann.ID, "petteia", "p4", true, nil)
	strengths, err = s.PuzzleStrengths(ctx)
	wants(t, "strengths", err, nil)
	same(t, "a settled player moves it", strengths, map[string]learning.Strength{"p4": {Rating: 10, Deviation: 90, Volatility: 0.06, At: minute(8)}})
	of := learning.PuzzleStandings{"tanks": standing(300, 3, 2, 0, 2, 7), "petteia": standing(100, 1, 1, 1, 1, 8)}
	is("of one", of, ann.ID)
	try("with another account", bob.ID, "tanks", "p1", true, storage.ErrUnchanged, ann.ID)
	same(t, "of two accounts", try("solved", bob.ID, "tanks", "p5", true, nil, ann.ID), standing(400, 4, 3, 1, 2, 10))
	is("of both", learning.PuzzleStandings{"tanks": standing(400, 4, 3, 1, 2, 10), "petteia": of["petteia"]}, ann.ID, bob.ID)
	try("of a player alone", cid.ID, "tanks", "p1", false, nil)
	tried, err := s.PuzzlesTried(ctx, ann.ID, bob.ID)
	wants(t, "tried", err, nil)
	same(t, "tried", tried, map[string]learning.PuzzleTry{
		"p1": {Solved: true, At: minute(1)}, "p2": {Solved: true, At: minute(6)}, "p3": {At: minute(7)}, "p4": {Solved: true, At: minute(8)}, "p5": {Solved: true, At: minute(10)},
	})
	_, err = s.DeletePlayer(ctx, ann.ID, minute(20))
	wants(t, "delete", err, nil)
	is("after that", learning.PuzzleStandings{}, ann.ID)
	tried, err = s.PuzzlesTried(ctx, ann.ID)
	wants(t, "tried", err, nil)
	same(t, "tried after that", tried, map[string]learning.PuzzleTry{})
	is("of others", learning.PuzzleStandings{"tanks": standing(100, 1, 0, 0, 0, 11)}, cid.ID)
}

// puzzleLeaders: players are ranked by their ratings once they have tried puzzles enough, each once whatever accounts they have, as long as the
// account is there.
func puzzleLeaders(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob, cid, dan := signUp(t, s, "ann"), signUp(t, s, "bob"), signUp(t, s, "cid"), signUp(t, s, "dan")
	tried := map[storage.PlayerID]int{}
	try := func(id storage.PlayerID, n int, rating float64, others ...storage.PlayerID) {
		t.Helper()
		for range n {
			tried[id]++
			_, err := s.TryPuzzle(ctx, id, append(others, id), "tanks", fmt.Sprint(id, tried[id]), true, minute(tried[id]+100*len(others)),
				func(r learning.PuzzleResult) (player, puzzle learning.Strength) {
					return learning.Strength{Rating: rating, Deviation: 60, Volatility: 0.06, At: r.At}, r.Puzzle
				})
			wants(t, "try", err, nil)
		}
	}
	are := func(what string, limit int, want ...string) {
		t.Helper()
		leaders, err := s.PuzzleLeaders(ctx, "tanks", limit)
		wants(t, what, err, nil)
		var got []string
		for _, l := range leaders {
			got = append(got, fmt.Sprintf("%s %v %d", l.Name, l.Rating, l.Tried))
		}
		same(t, what, got, want)
	}
	are("nobody", 9)
	try(ann.ID, learning.LeaderTries-1, 1500)
	are("a try too few", 9)
	try(ann.ID, 1, 1512.25)
	are("the first", 9, "ann 1512.25 50")
	try(bob.ID, learning.LeaderTries, 1600)
	try(cid.ID, learning.LeaderTries, -12.5)
	are("by rating", 9, "bob 1600 50", "ann 1512.25 50", "cid -12.5 50")
	are("the first two", 2, "bob 1600 50", "ann 1512.25 50")
	try(bob.ID, 1, 1400)
	are("a fall", 9, "ann 1512.25 50", "bob 1400 51", "cid -12.5 50")
	try(dan.ID, 1, 1550, ann.ID)
	are("two accounts of one player", 9, "dan 1550 51", "bob 1400 51", "cid -12.5 50")
	leaders, err := s.PuzzleLeaders(ctx, "petteia", 9)
	wants(t, "another game", err, nil)
	same(t, "another game", len(leaders), 0)
	_, err = s.DeletePlayer(ctx, bob.ID, minute(999))
	wants(t, "delete", err, nil)
	are("without an account", 9, "dan 1550 51", "cid -12.5 50")
}
