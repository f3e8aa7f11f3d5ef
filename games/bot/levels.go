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
	More     bool   // it is stronger than Rating says: see games.Rating
	Player   Player
}

// ErrLevel is wrapped by the error about a level that a game doesn't have.
var ErrLevel = errors.New("no such level")

// words are the words for all levels of all games, the weakest first. A game has Random, Greedy if it knows what that would play, and
// the levels of its presets.
var words = [...]struct{ id, name, sentence string }{
	{"random", "Random", "Plays any legal move: a first opponent that everybody beats."},
	{"greedy", "Greedy", "Takes what looks best at once and never looks ahead: beats Random, falls into every trap."},
	{"newcomer", "Newcomer", "Sees a few of its own moves and no replies."},
	{"novice", "Novice", "Takes what seems good and sees few replies."},
	{"beginner", "Beginner", "Thinks of replies and overlooks most of them."},
	{"learner", "Learner", "Looks a move ahead and overlooks many replies."},
	{"pupil", "Pupil", "Looks a move or two ahead and overlooks some replies."},
	{"improver", "Improver", "Looks a little further than Pupil, but still overlooks replies."},
	{"regular", "Regular", "Sees a few moves ahead and overlooks replies now and then."},
	{"club", "Club", "Sees short combinations, but overlooks a reply now and then."},
	{"advanced", "Advanced", "Looks further than Club, but still overlooks a reply now and then."},
	{"expert", "Expert", "Rarely misses what can be seen within a few moves."},
	{"contender", "Contender", "Looks a little further than Expert."},
	{"champion", "Champion", "Looks far ahead and forgives nothing."},
	{"elite", "Elite", "Looks further ahead than Champion."},
	{"master", "Master", "The best player here; thinks for about a second a move."},
}

// IDs returns the IDs of all levels that a game may have, the weakest first.
func IDs() []string {
	ids := make([]string, len(words))
	for i, w := range words {
		ids[i] = w.id
	}
	return ids
}

// named returns the level with an ID, without its rating. It panics if there are no words for it.
func named(id string, p Player) Level {
	for _, w := range words {
		if w.id == id {
			return Level{ID: w.id, Name: w.name, Sentence: w.sentence, Player: p}
		}
	}
	panic("bot: no words for the level " + id)
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
	levels := []Level{named("random", chooser(uniform))}
	start, profile := startOf(g), games.ProfileOf(g)
	if _, ok := start.(games.Greedy); ok {
		levels = append(levels, named("greedy", chooser(greedy)))
	}
	if start == nil {
		return levels
	}
	if _, ok := start.State().(games.Searchable); ok {
		for i, p := range profile.Presets {
			player := thinker{profile: profile, preset: i, memory: m}
			if !p.Learned {
				player.evaluation = Evaluation{byHand: true, plans: p.Plans}
			}
			if i == len(profile.Presets)-1 {
				player.maxTime = masterTime
			}
			levels = append(levels, named(p.Level, player))
		}
	}
	for i := range levels {
		r := profile.Ratings[levels[i].ID]
		levels[i].Rating, levels[i].More = r.Points, r.More
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
func Find(g games.Game, spec string) (Level, error) { return new(Memory).Find(g, spec) }

// Find is like the function Find, but its level searches with the memory m.
func (m *Memory) Find(g games.Game, spec string) (Level, error) {
	levels := m.Levels(g)
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
	l.Player, l.Rating, l.More = s, 0, false
	return l, nil
}
