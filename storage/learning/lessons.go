// Package learning stores how far players have come in the lessons of the games, and how they do in puzzles.
package learning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Store keeps what players have learned.
type Store struct{ engine kv.Store }

// New returns what an engine keeps of the players' lessons and puzzles.
func New(engine kv.Store) *Store { return &Store{engine} }

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{LessonsOf, PuzzleStandingsOf, PuzzleTries, PuzzleStrengths, PuzzleLeaders},
	}
}

// The bounds of what is kept of one player.
const (
	maxGames = 64  // with a lesson that the player has begun
	maxSteps = 100 // of a lesson
)

// Lessons are how far a player has come in the lessons of games, by the ids of the games. Its JSON form is the stored one.
type Lessons map[string]Lesson

// A Lesson is how far a player has come in the lesson of one game.
type Lesson struct {
	Solved int       `json:"solved"`         // steps, from the first one on
	Done   bool      `json:"done,omitempty"` // the last step was solved once
	At     time.Time `json:"at"`             // when the lesson went on last
}

// Farther returns the lesson of which more is solved. A lesson that was done once stays done.
func (l Lesson) Farther(other Lesson) Lesson {
	if other.Solved > l.Solved || other.Done && !l.Done {
		other.Solved = max(l.Solved, other.Solved)
		other.Done = l.Done || other.Done
		return other
	}
	return l
}

// With returns the lessons with what is known of another one.
func (all Lessons) With(game string, l Lesson) Lessons {
	next := maps.Clone(all)
	if next == nil {
		next = Lessons{}
	}
	next[game] = next[game].Farther(l)
	return next
}

// LessonsOf are the lessons of each player who has solved a step of one.
var LessonsOf = storage.Table[storage.PlayerID, Lessons]{
	Name: "lessons", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, Lessons](1),
	Check: func(_ storage.PlayerID, all Lessons) error {
		if len(all) == 0 {
			return storage.Damaged("no lessons")
		}
		for game, l := range all {
			if game == "" || l.Solved < 1 || l.Solved > maxSteps {
				return storage.Damaged("a lesson of %q with %d steps solved", game, l.Solved)
			}
		}
		return nil
	},
}

// Learn notes that a player has solved the steps of a game's lesson up to a number, and all of them if done is true. The errors are ErrNotFound
// for an unknown player, ErrUnchanged if the player had come that far before, and ErrInvalid for what can't be a lesson.
func (s *Store) Learn(ctx context.Context, id storage.PlayerID, game string, solved int, done bool, now time.Time) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("lessons of player %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id), game); err != nil {
			return err
		}
		if game == "" || solved < 1 || solved > maxSteps {
			return fmt.Errorf("%w: step %d of a lesson", storage.ErrInvalid, solved)
		}
		if _, err := accounts.ReadKnown(tx, id); err != nil {
			return err
		}
		all, _, err := LessonsOf.Find(tx, id)
		if err != nil {
			return err
		}
		before, begun := all[game]
		farther := before.Farther(Lesson{solved, done, storage.Stored(now)})
		switch {
		case farther == before:
			return storage.ErrUnchanged
		case !begun && len(all) >= maxGames:
			return fmt.Errorf("%w: lessons of too many games", storage.ErrInvalid)
		case all == nil:
			all = Lessons{}
		}
		all[game] = farther
		return LessonsOf.Put(tx, id, all)
	})
}

// Lessons returns how far a player with these accounts has come, which is as far as any of them.
func (s *Store) Lessons(ctx context.Context, ids ...storage.PlayerID) (Lessons, error) {
	return storage.View(ctx, s.engine, "lessons", func(r kv.Reader) (Lessons, error) {
		each, _, err := LessonsOf.FindAll(r, ids)
		if err != nil {
			return nil, err
		}
		all := Lessons{}
		for _, lessons := range each {
			for game, l := range lessons {
				all[game] = all[game].Farther(l)
			}
		}
		return all, nil
	})
}

// Erase deletes what is kept of a player.
func Erase(tx kv.Tx, id storage.PlayerID) error {
	standings, _, err := PuzzleStandingsOf.Find(tx, id)
	if err != nil && !errors.Is(err, storage.ErrDamaged) { // what is damaged goes, too
		return err
	}
	for game, p := range standings {
		unrank(tx, id, game, p)
	}
	LessonsOf.Delete(tx, id)
	PuzzleStandingsOf.Delete(tx, id)
	return PuzzleTries.DeleteUnder(tx, string(id))
}
