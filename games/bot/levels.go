package bot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
)

// A Level is one strength at which the computer plays a game.
type Level struct {
	ID       string // lower-case letters, for commands and files
	Name     string // for people
	Sentence string // how strong it is, in words, with a full stop
	Rating   int    // on one scale for all levels of a game, random being 0; 0 as well if it has not been measured
	Player   Player
}

// ErrLevel is wrapped by the error about a level that a game doesn't have.
var ErrLevel = errors.New("no such level")

// presets are the levels that search, the weakest first.
var presets = [games.Presets]struct{ id, name, sentence string }{
	{"pupil", "Pupil", "Looks a move or two ahead and overlooks some replies."},
	{"club", "Club", "Sees short combinations, but overlooks a reply now and then."},
	{"expert", "Expert", "Rarely misses what can be seen within a few moves."},
	{"champion", "Champion", "Looks far ahead and forgives nothing."},
	{"master", "Master", "The best player here; thinks for about a second a move."},
}

// masterTime is how long the strongest level thinks about a move at most; under a clock on average at most.
const masterTime = time.Second

// Budgets of nodes that may be asked for.
const (
	minNodes = 1
	maxNodes = 1_000_000_000
)

// Levels returns the levels of a game, the weakest first. Every game has at least one. They share a Memory of their own.
func Levels(g games.Game) []Level { return new(Memory).Levels(g) }

// Levels is like the function Levels, but its levels search with the memory m. Levels of several games can share it.
func (m *Memory) Levels(g games.Game) []Level {
	levels := []Level{{
		ID: "random", Name: "Random", Player: chooser(uniform),
		Sentence: "Plays any legal move: a first opponent that everybody beats.",
	}}
	start, profile := startOf(g), games.ProfileOf(g)
	if _, ok := start.(games.Greedy); ok {
		levels = append(levels, Level{
			ID: "greedy", Name: "Greedy", Player: chooser(greedy),
			Sentence: "Takes what looks best at once and never looks ahead: beats Random, falls into every trap.",
		})
	}
	if start == nil {
		return levels
	}
	if _, ok := start.State().(games.Searchable); ok {
		for i, p := range presets {
			player := thinker{profile: profile, preset: i, memory: m}
			if i < firstLearned {
				player.evaluation = Evaluation{byHand: true, plans: profile.Presets[i].Plans}
			}
			if i == len(presets)-1 {
				player.maxTime = masterTime
			}
			levels = append(levels, Level{ID: p.id, Name: p.name, Sentence: p.sentence, Player: player})
		}
	}
	for i := range levels {
		levels[i].Rating = profile.Ratings[levels[i].ID]
	}
	return levels
}

// startOf returns the start position, for abilities belong to positions; nil if the game can't be played with its own
// defaults.
func startOf(g games.Game) games.Position {
	o, err := games.Complete(g, nil)
	if err != nil {
		return nil
	}
	start, err := g.New(o)
	if err != nil {
		return nil
	}
	return start
}

// Find returns the level of a game that spec names by its ID. A level that searches can also be named as "ID:NODES": it then
// looks at NODES positions a move, 1 to 1,000,000,000, however long it takes. A level that sees only a few plies ahead stops
// there, even if nodes are left. The error wraps ErrLevel and lists the levels of the game.
func Find(g games.Game, spec string) (Level, error) {
	levels := Levels(g)
	id, budget, budgeted := strings.Cut(spec, ":")
	for _, l := range levels {
		if l.ID != id {
			continue
		}
		if !budgeted {
			return l, nil
		}
		return l.with(budget)
	}
	ids := make([]string, len(levels))
	for i, l := range levels {
		ids[i] = l.ID
	}
	return Level{}, fmt.Errorf("%w: %s has no level %.40q, only %s", ErrLevel, g.About().Name, spec, strings.Join(ids, ", "))
}

// Strongest returns the strongest level of a game with a budget of nodes for each move, however long that takes. The error
// is ErrNoSearch.
func Strongest(g games.Game, nodes int) (Thinker, error) {
	levels := Levels(g)
	s, ok := levels[len(levels)-1].Player.(thinker)
	if !ok {
		return nil, ErrNoSearch
	}
	s.nodes, s.maxTime = nodes, 0
	return s, nil
}

// with returns the level with a budget of nodes of its own.
func (l Level) with(budget string) (Level, error) {
	s, ok := l.Player.(thinker)
	if !ok {
		return Level{}, fmt.Errorf("%w: %s takes no budget, write it without the colon", ErrLevel, l.ID)
	}
	n, err := strconv.Atoi(budget)
	if err != nil || n < minNodes || n > maxNodes {
		return Level{}, fmt.Errorf("%w: the budget of %s is a number of positions from %d to %d, not %.40q",
			ErrLevel, l.ID, minNodes, maxNodes, budget)
	}
	s.nodes, s.maxTime = n, 0
	l.Player, l.Rating = s, 0
	return l, nil
}
