package storagetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/learning"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// In a Memory, accounts stay as they were made: with one key and one name. No code lets another key in.

var errFixedAccounts = errors.New("this store changes no accounts")

// SetRecovery implements Accounts.
func (m *Memory) SetRecovery(context.Context, storage.PlayerID, string, time.Time) error { return nil }

// Recover implements Accounts.
func (m *Memory) Recover(context.Context, storage.PlayerID, string, string, string, time.Time) error {
	return storage.ErrNotFound
}

// OfferKey implements Accounts.
func (m *Memory) OfferKey(context.Context, storage.PlayerID, string, time.Time) error { return nil }

// ClaimKey implements Accounts.
func (m *Memory) ClaimKey(context.Context, string, string, time.Time) (storage.PlayerID, error) {
	return "", storage.ErrNotFound
}

// OfferMatches implements Accounts.
func (m *Memory) OfferMatches(context.Context, string, string, time.Time) error { return nil }

// TakeBackSignUp implements Accounts.
func (m *Memory) TakeBackSignUp(ctx context.Context, id storage.PlayerID, now time.Time) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	p, ok := m.players[id]
	if !ok || !p.Deleted.IsZero() {
		return storage.ErrNotFound
	}
	for _, f := range m.finished {
		if f.First.ID == string(id) || f.Second.ID == string(id) {
			return storage.ErrKeyTaken
		}
	}
	maps.DeleteFunc(m.keys, func(_ string, owner storage.PlayerID) bool { return owner == id })
	m.players[id] = accounts.Player{ID: id, Name: accounts.FormerPlayer, Since: p.Since, Deleted: now}
	return nil
}

// HasKeyCode implements Accounts.
func (m *Memory) HasKeyCode(context.Context, string, time.Time) (bool, error) { return false, nil }

// HasGuestCode implements Accounts.
func (m *Memory) HasGuestCode(context.Context, string, time.Time) (bool, error) { return false, nil }

// ClaimMatches implements Accounts.
func (m *Memory) ClaimMatches(context.Context, string, storage.PlayerID, time.Time) (int, error) {
	return 0, storage.ErrNotFound
}

// RemoveKey implements Accounts.
func (m *Memory) RemoveKey(context.Context, storage.PlayerID, string) error {
	return accounts.ErrLastKey
}

// ChangeName implements Accounts.
func (m *Memory) ChangeName(context.Context, storage.PlayerID, string, string, time.Time) error {
	return errFixedAccounts
}

// Become implements Accounts.
func (m *Memory) Become(context.Context, storage.PlayerID, storage.PlayerID, time.Time) error {
	return errFixedAccounts
}

// Adopt implements Accounts.
func (m *Memory) Adopt(context.Context, storage.PlayerID, storage.PlayerID) error {
	return errFixedAccounts
}

// DeletePlayer implements Accounts.
func (m *Memory) DeletePlayer(context.Context, storage.PlayerID, time.Time) ([]string, error) {
	return nil, errFixedAccounts
}

// Deletions implements Accounts.
func (m *Memory) Deletions(context.Context) ([]storage.PlayerID, error) { return nil, nil }

// ForgetName implements Accounts.
func (m *Memory) ForgetName(context.Context, storage.PlayerID) error { return nil }

// Account implements Accounts.
func (m *Memory) Account(ctx context.Context, id storage.PlayerID) (schema.Account, error) {
	p, err := m.Player(ctx, id)
	if err != nil {
		return schema.Account{}, err
	}
	have, err := m.Keys(ctx, id)
	related, _ := m.Relations(ctx)
	a := schema.Account{Account: accounts.Account{Player: p}, Relations: related[id]}
	a.Vacation, _ = m.Vacation(ctx, id)
	for _, fingerprint := range have {
		a.Keys = append(a.Keys, accounts.Key{Fingerprint: fingerprint})
	}
	return a, err
}

// Relate implements Accounts.
func (m *Memory) Relate(ctx context.Context, id storage.PlayerID, kind relationstore.Kind, other storage.PlayerID, on bool, now time.Time) (relationstore.Lists, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return relationstore.Lists{}, err
	}
	defer unlock()
	if id == other {
		return relationstore.Lists{}, storage.ErrInvalid
	}
	_, known := m.players[id]
	_, known2 := m.players[other]
	related := copyOf(m.related[id])
	list := &related.Following
	if kind == relationstore.Blocked {
		list = &related.Blocked
	}
	is := func(r relationstore.Relation) bool { return r.Player == other }
	switch there := slices.ContainsFunc(*list, is); {
	case !known:
		return relationstore.Lists{}, storage.ErrNotFound
	case there == on:
		return relationstore.Lists{}, storage.ErrUnchanged
	case !on:
		*list = slices.DeleteFunc(*list, is)
	case !known2:
		return relationstore.Lists{}, storage.ErrNotFound
	case len(*list) >= relationstore.MaxRelations:
		return relationstore.Lists{}, relationstore.ErrManyRelations
	default:
		*list = append(*list, relationstore.Relation{Player: other, Since: now.UTC().Truncate(time.Millisecond)})
		if kind == relationstore.Blocked {
			related.Following = slices.DeleteFunc(related.Following, is)
		}
	}
	m.related[id] = related
	if len(related.Following)+len(related.Blocked) == 0 {
		delete(m.related, id)
	}
	return copyOf(related), nil
}

// Relations implements Accounts.
func (m *Memory) Relations(ctx context.Context) (map[storage.PlayerID]relationstore.Lists, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return copyOf(m.related), nil
}

// Learn implements Accounts.
func (m *Memory) Learn(ctx context.Context, id storage.PlayerID, game string, solved int, done bool, now time.Time) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if game == "" || solved < 1 {
		return storage.ErrInvalid
	}
	if _, known := m.players[id]; !known {
		return storage.ErrNotFound
	}
	before := m.lessons[id][game]
	if solved <= before.Solved && (before.Done || !done) {
		return storage.ErrUnchanged
	}
	all := copyOf(m.lessons[id])
	if all == nil {
		all = learning.Lessons{}
	}
	all[game] = learning.Lesson{Solved: max(solved, before.Solved), Done: done || before.Done, At: now.UTC().Truncate(time.Millisecond)}
	m.lessons[id] = all
	return nil
}

// Lessons implements Accounts.
func (m *Memory) Lessons(ctx context.Context, ids ...storage.PlayerID) (learning.Lessons, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := learning.Lessons{}
	for _, id := range ids {
		for game, l := range m.lessons[id] {
			all[game] = all[game].Farther(l)
		}
	}
	return all, nil
}

// memoryPuzzles is what a Memory keeps of puzzles.
type memoryPuzzles struct {
	standings map[storage.PlayerID]learning.PuzzleStandings
	tries     map[learning.PuzzleTryKey]learning.PuzzleTry
	strengths map[string]learning.Strength
	leaders   map[string]map[storage.PlayerID]learning.PuzzleStanding // by game
}

// of returns how a player with these accounts does.
func (p memoryPuzzles) of(ids []storage.PlayerID) learning.PuzzleStandings {
	all := learning.PuzzleStandings{}
	for _, id := range ids {
		for game, one := range p.standings[id] {
			sum := all[game]
			if one.At.After(sum.At) {
				sum.Strength, sum.Streak = one.Strength, one.Streak
			}
			sum.Tried, sum.Solved, sum.Best = sum.Tried+one.Tried, sum.Solved+one.Solved, max(sum.Best, one.Best)
			all[game] = sum
		}
	}
	return all
}

// TryPuzzle implements Accounts.
func (m *Memory) TryPuzzle(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, game, puzzle string, solved bool, now time.Time, rate learning.PuzzleRate) (p learning.PuzzleStanding, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return p, err
	}
	defer unlock()
	if game == "" || puzzle == "" {
		return p, storage.ErrInvalid
	}
	if _, known := m.players[id]; !known {
		return p, storage.ErrNotFound
	}
	for _, account := range all {
		if _, tried := m.puzzles.tries[learning.PuzzleTryKey{Player: account, Puzzle: puzzle}]; tried {
			return p, storage.ErrUnchanged
		}
	}
	at, before := now.UTC().Truncate(time.Millisecond), m.puzzles.of(all)[game]
	player, after := rate(learning.PuzzleResult{Player: before.Strength, Puzzle: m.puzzles.strengths[puzzle], Solved: solved, At: at})
	own := copyOf(m.puzzles.standings[id])
	if own == nil {
		own = learning.PuzzleStandings{}
	}
	mine := own[game]
	mine.Strength, mine.Streak = player, 0
	mine.Tried++
	if solved {
		mine.Solved, mine.Streak = mine.Solved+1, before.Streak+1
		mine.Best = max(mine.Best, mine.Streak)
	}
	own[game] = mine
	m.puzzles.standings[id] = own
	m.puzzles.tries[learning.PuzzleTryKey{Player: id, Puzzle: puzzle}] = learning.PuzzleTry{Solved: solved, At: at}
	if after != (learning.Strength{}) {
		m.puzzles.strengths[puzzle] = after
	}
	standing := m.puzzles.of(all)[game]
	m.puzzles.rank(game, id, all, standing)
	return standing, nil
}

// rank ranks a player with these accounts in a game by one of them, if there are tries enough.
func (p *memoryPuzzles) rank(game string, id storage.PlayerID, all []storage.PlayerID, standing learning.PuzzleStanding) {
	for _, account := range all {
		delete(p.leaders[game], account)
	}
	if standing.Tried < learning.LeaderTries {
		return
	}
	if p.leaders[game] == nil {
		p.leaders[game] = map[storage.PlayerID]learning.PuzzleStanding{}
	}
	p.leaders[game][id] = standing
}

// PuzzleLeaders implements Accounts.
func (m *Memory) PuzzleLeaders(ctx context.Context, game string, limit int) ([]learning.PuzzleLeader, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var all []learning.PuzzleLeader
	for id, p := range m.puzzles.leaders[game] {
		all = append(all, learning.PuzzleLeader{Player: id, Name: m.players[id].Name, PuzzleStanding: p})
	}
	slices.SortFunc(all, func(a, b learning.PuzzleLeader) int {
		return cmp.Or(cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Player, b.Player))
	})
	return all[:min(len(all), limit)], nil
}

// PuzzleStandings implements Accounts.
func (m *Memory) PuzzleStandings(ctx context.Context, ids ...storage.PlayerID) (learning.PuzzleStandings, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return m.puzzles.of(ids), nil
}

// PuzzlesTried implements Accounts.
func (m *Memory) PuzzlesTried(ctx context.Context, ids ...storage.PlayerID) (map[string]learning.PuzzleTry, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	tried := map[string]learning.PuzzleTry{}
	for k, v := range m.puzzles.tries {
		if slices.Contains(ids, k.Player) {
			tried[k.Puzzle] = v
		}
	}
	return tried, nil
}

// PuzzleStrengths implements Accounts.
func (m *Memory) PuzzleStrengths(ctx context.Context) (map[string]learning.Strength, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return maps.Clone(m.puzzles.strengths), nil
}

// practise counts a finished match for the practice rating.
func (m *Memory) practise(f results.Finished, p *results.PracticeMatch) {
	if p == nil || f.Temporary || m.players[p.Player].ID == "" {
		return
	}
	all := copyOf(m.practice[p.Player])
	if all == nil {
		all = map[string]results.Practice{}
	}
	of := all[f.Game]
	if of.Played == 0 {
		of.Prior = p.Prior
	}
	of.Played++
	of.Last = append(of.Last, results.PracticeResult{Match: f.ID, Level: p.Level, Rating: p.Rating, Score: p.Score, Ended: f.Ended.UnixMilli()})
	if len(of.Last) > results.KeptPractice {
		of.Last = of.Last[1:]
	}
	all[f.Game] = of
	m.practice[p.Player] = all
}

// Practice implements Accounts. Of several accounts it knows the first one that has played a game.
func (m *Memory) Practice(ctx context.Context, ids ...storage.PlayerID) (map[string]results.Practice, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := map[string]results.Practice{}
	for _, id := range ids {
		for game, of := range m.practice[id] {
			if _, known := all[game]; !known {
				all[game] = copyOf(of)
			}
		}
	}
	return all, nil
}
