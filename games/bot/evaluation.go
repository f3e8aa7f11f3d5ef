package bot

import (
	"fmt"

	"ludoteca/games"
)

// An Evaluation is what a level that searches evaluates positions by. The zero value is the evaluation of the game itself.
type Evaluation struct {
	tables games.Tables // of a learned evaluation
	byHand bool         // by the weights that people have given it

	// plans are weights in place of those, by the side that thinks; all of them by their names.
	plans [2][]games.Weight
}

// ByHand returns the evaluation by weights. Games without a learned evaluation have no other.
func ByHand() Evaluation { return Evaluation{byHand: true} }

// ByTables returns a learned evaluation. The tables t must belong to the game that the level plays.
func ByTables(t games.Tables) Evaluation { return Evaluation{tables: t} }

// search returns the position of a state to search; nil if it can't be searched.
func (e Evaluation) search(s games.State) games.Search {
	learnable, learns := s.(games.Learnable)
	tunable, tunes := s.(games.Tunable)
	switch {
	case learns && e.tables != nil:
		return learnable.SearchLearned(e.tables)
	case tunes && e.byHand:
		weights := tunable.Weights()
		for i := range weights {
			for _, w := range e.plans[s.Turn()] {
				if w.Name == weights[i].Name {
					weights[i] = w
				}
			}
		}
		return tunable.SearchWith(games.ValuesOf(weights))
	}
	if searchable, ok := s.(games.Searchable); ok {
		return searchable.Search()
	}
	return nil
}

// Evaluating returns the level with another evaluation. The error wraps ErrLevel if the level doesn't search.
func (l Level) Evaluating(e Evaluation) (Level, error) {
	s, ok := l.Player.(thinker)
	if !ok {
		return Level{}, fmt.Errorf("%w: %s evaluates nothing", ErrLevel, l.ID)
	}
	s.evaluation = e
	l.Player, l.Rating, l.More = s, 0, false
	return l, nil
}

// Searcher returns a player that searches nodes positions a move and does nothing else: no proofs, no advice, no chance, no
// contempt for draws. It plays the games for training.
func Searcher(g games.Game, nodes int, e Evaluation) Thinker {
	profile := *games.ProfileOf(g)
	profile.Contempt, profile.Presets = 0, []games.Preset{{Nodes: nodes}}
	return thinker{profile: &profile, nodes: nodes, memory: new(Memory), evaluation: e}
}
