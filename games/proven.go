package games

// ProvenGame is an optional ability of a Game: to know the values of some of its positions that take too long to prove again.
type ProvenGame interface {
	// Proven returns what was proven by `ludoteca prove`, as games/proof/PROVEN.md lists it.
	Proven() []ProvenPosition
}

// A ProvenPosition is a position with its value by the best play of both sides, proven and checked against every defence.
type ProvenPosition struct {
	Options Options // the options that are not the defaults
	After   []Move  // from the start
	Result  Result  // without a reason
	Plies   int     // to a win at most
	Line    []Move  // how a win begins, with the winner's best move if it is theirs
}

// Position returns the position.
func (k ProvenPosition) Position(g Game) (Position, error) {
	o, err := Complete(g, k.Options)
	if err != nil {
		return nil, err
	}
	p, err := g.New(o)
	for i := 0; err == nil && i < len(k.After); i++ {
		p, err = p.Play(k.After[i])
	}
	return p, err
}

// ProvenDraws returns the start positions with some options as proven draws.
func ProvenDraws(options ...Options) (all []ProvenPosition) {
	for _, o := range options {
		all = append(all, ProvenPosition{Options: o, Result: Drawn("")})
	}
	return all
}

// A Turner is an optional ability of a ProvenGame: its boards can be turned and mirrored.
type Turner interface {
	// Turned returns k on each board that its board can be turned or mirrored into. Some may be the same board again.
	Turned(k ProvenPosition) []ProvenPosition
}

// AllProven returns the proven positions of a game, with all that a Turner turns them into. There are none if g is no ProvenGame.
func AllProven(g Game) (all []ProvenPosition) {
	proven, ok := g.(ProvenGame)
	if !ok {
		return nil
	}
	for _, k := range proven.Proven() {
		all = append(all, k)
		if t, ok := g.(Turner); ok {
			all = append(all, t.Turned(k)...)
		}
	}
	return all
}
