package learning

import (
	"context"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Strength is a rating on Glicko-2's 1500 scale: of a player in the puzzles of a game, or of a puzzle. The zero Strength is unrated.
type Strength struct {
	Rating     float64   `json:"rating"`
	Deviation  float64   `json:"deviation"`
	Volatility float64   `json:"volatility"`
	At         time.Time `json:"at"` // of the last try that counted; the deviation is as of then
}

// check reports what can't be of a strength.
func (s Strength) check() error {
	if !(s.Rating > -10_000 && s.Rating < 10_000) || !(s.Deviation > 0 && s.Deviation <= 350) || !(s.Volatility > 0 && s.Volatility < 1) || s.At.IsZero() {
		return storage.Damaged("a rating of %v with deviation %v and volatility %v", s.Rating, s.Deviation, s.Volatility)
	}
	return nil
}

// A PuzzleStanding is how a player does in the puzzles of one game. Only the first try at a puzzle counts.
type PuzzleStanding struct {
	Strength
	Tried  int `json:"tried"`
	Solved int `json:"solved"` // of those
	Streak int `json:"streak"` // solved one after the other, up to now
	Best   int `json:"best"`   // the longest streak
}

// with returns the standing of a player who has this one and another one with two accounts.
func (p PuzzleStanding) with(other PuzzleStanding) PuzzleStanding {
	tried, solved, best := p.Tried+other.Tried, p.Solved+other.Solved, max(p.Best, other.Best)
	if other.At.After(p.At) {
		p = other
	}
	p.Tried, p.Solved, p.Best = tried, solved, best
	return p
}

// PuzzleStandings are how a player does in puzzles, by the ids of the games. Its JSON form is the stored one.
type PuzzleStandings map[string]PuzzleStanding

// maxTries is how many puzzles are kept of one account.
const maxTries = 1 << 14

// PuzzleStandingsOf are the standings of each player who has tried a puzzle.
var PuzzleStandingsOf = storage.Table[storage.PlayerID, PuzzleStandings]{
	Name: "puzzle_standings", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, PuzzleStandings](1),
	Check: func(_ storage.PlayerID, all PuzzleStandings) error {
		if len(all) == 0 {
			return storage.Damaged("no puzzles")
		}
		for game, p := range all {
			if game == "" || p.Tried < 1 || p.Solved < 0 || p.Solved > p.Tried || p.Streak < 0 || p.Streak > p.Best {
				return storage.Damaged("%d puzzles of %q tried, %d solved, streaks of %d and %d", p.Tried, game, p.Solved, p.Streak, p.Best)
			}
			if err := p.check(); err != nil {
				return err
			}
		}
		return nil
	},
}

// A PuzzleTry is the first try of a player at a puzzle.
type PuzzleTry struct {
	Solved bool      `json:"solved"`
	At     time.Time `json:"at"`
}

// A PuzzleTryKey is the key of a PuzzleTry.
type PuzzleTryKey struct {
	Player storage.PlayerID
	Puzzle string
}

// PuzzleTries are the first tries of players at puzzles.
var PuzzleTries = storage.Table[PuzzleTryKey, PuzzleTry]{
	Name: "puzzle_tries",
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text[string](nil),
		func(k PuzzleTryKey) (storage.PlayerID, string) { return k.Player, k.Puzzle },
		func(player storage.PlayerID, puzzle string) PuzzleTryKey { return PuzzleTryKey{player, puzzle} }),
	Values: storage.JSON[PuzzleTryKey, PuzzleTry](1),
}

// PuzzleStrengths are the ratings of puzzles that settled players have tried, by the ids of the puzzles.
var PuzzleStrengths = storage.Table[string, Strength]{
	Name: "puzzle_strengths", Keys: storage.Text[string](nil), Values: storage.JSON[string, Strength](1),
	Check: func(_ string, s Strength) error { return s.check() },
}

// A PuzzleResult is a first try at a puzzle, and all that the new ratings may depend on.
type PuzzleResult struct {
	Player Strength // before it; the zero Strength before the first puzzle of a game
	Puzzle Strength // before it; the zero Strength if no settled player has tried it
	Solved bool
	At     time.Time
}

// A PuzzleRate returns the ratings of the player and of the puzzle after a result. It must be pure.
type PuzzleRate func(PuzzleResult) (player, puzzle Strength)

// TryPuzzle notes the first try of a player at a puzzle and returns the player's standing after it. all are the accounts of the player, id among
// them. The errors are ErrUnchanged if one of these has tried the puzzle before, ErrNotFound for an unknown player, and ErrInvalid for what
// can't be a puzzle, or one too many.
func (s *Store) TryPuzzle(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, game, puzzle string, solved bool, now time.Time, rate PuzzleRate) (PuzzleStanding, error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("puzzle %s of player %s", puzzle, id), func(tx kv.Tx) (standing PuzzleStanding, err error) {
		if err := storage.CheckKeys(string(id), game, puzzle); err != nil {
			return standing, err
		}
		if game == "" || puzzle == "" {
			return standing, fmt.Errorf("%w: a puzzle without a game", storage.ErrInvalid)
		}
		if _, err := accounts.ReadKnown(tx, id); err != nil {
			return standing, err
		}
		for _, account := range all {
			switch tried, err := PuzzleTries.Has(tx, PuzzleTryKey{account, puzzle}); {
			case err != nil:
				return standing, err
			case tried:
				return standing, storage.ErrUnchanged
			}
		}
		each, _, err := PuzzleStandingsOf.FindAll(tx, all)
		if err != nil {
			return standing, err
		}
		for i, account := range all {
			if p, ok := each[i][game]; ok {
				unrank(tx, account, game, p)
			}
		}
		before := together(each)
		own, _, err := PuzzleStandingsOf.Find(tx, id)
		if err != nil {
			return standing, err
		}
		tries := 0
		for _, p := range own {
			tries += p.Tried
		}
		if tries >= maxTries {
			return standing, fmt.Errorf("%w: too many puzzles", storage.ErrInvalid)
		}
		strength, _, err := PuzzleStrengths.Find(tx, puzzle)
		if err != nil {
			return standing, err
		}
		r := PuzzleResult{Player: before[game].Strength, Puzzle: strength, Solved: solved, At: storage.Stored(now)}
		player, after := rate(r)
		if own == nil {
			own = PuzzleStandings{}
		}
		own[game] = own[game].after(before[game].Streak, solved, player)
		if err := PuzzleStandingsOf.Put(tx, id, own); err != nil {
			return standing, err
		}
		if after != strength {
			if err := PuzzleStrengths.Put(tx, puzzle, after); err != nil {
				return standing, err
			}
		}
		if err := PuzzleTries.Put(tx, PuzzleTryKey{id, puzzle}, PuzzleTry{solved, r.At}); err != nil {
			return standing, err
		}
		read, err := readStandings(tx, all)
		if standing = read[game]; err == nil && standing.Tried >= LeaderTries {
			err = PuzzleLeaders.Put(tx, leaderKeyOf(game, own[game].Rating, id), standing)
		}
		return standing, err
	})
}

// after returns the standing after a first try, with the streak of all accounts before it.
func (p PuzzleStanding) after(streak int, solved bool, player Strength) PuzzleStanding {
	p.Strength, p.Streak = player, 0
	p.Tried++
	if solved {
		p.Solved++
		p.Streak = streak + 1
		p.Best = max(p.Best, p.Streak)
	}
	return p
}

// readStandings returns how a player with these accounts does in puzzles.
func readStandings(r kv.Reader, ids []storage.PlayerID) (PuzzleStandings, error) {
	each, _, err := PuzzleStandingsOf.FindAll(r, ids)
	if err != nil {
		return nil, err
	}
	return together(each), nil
}

// together returns how a player does whose accounts have these standings.
func together(each []PuzzleStandings) PuzzleStandings {
	all := PuzzleStandings{}
	for _, standings := range each {
		for game, p := range standings {
			all[game] = all[game].with(p)
		}
	}
	return all
}

// PuzzleStandings returns how a player with these accounts does in puzzles.
func (s *Store) PuzzleStandings(ctx context.Context, ids ...storage.PlayerID) (PuzzleStandings, error) {
	return storage.View(ctx, s.engine, "puzzles of a player", func(r kv.Reader) (PuzzleStandings, error) {
		return readStandings(r, ids)
	})
}

// PuzzlesTried returns the puzzles that a player with these accounts has tried.
func (s *Store) PuzzlesTried(ctx context.Context, ids ...storage.PlayerID) (map[string]PuzzleTry, error) {
	return storage.View(ctx, s.engine, "puzzles tried", func(r kv.Reader) (map[string]PuzzleTry, error) {
		tried := map[string]PuzzleTry{}
		for _, id := range ids {
			for e, err := range PuzzleTries.Under(string(id)).Scan(r) {
				if err != nil {
					return nil, err
				}
				tried[e.Key.Puzzle] = e.Value
			}
		}
		return tried, nil
	})
}

// PuzzleStrengths returns the ratings of all puzzles that settled players have tried.
func (s *Store) PuzzleStrengths(ctx context.Context) (map[string]Strength, error) {
	return storage.View(ctx, s.engine, "ratings of puzzles", func(r kv.Reader) (map[string]Strength, error) {
		all := map[string]Strength{}
		for e, err := range PuzzleStrengths.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			all[e.Key] = e.Value
		}
		return all, nil
	})
}
