package games

// A Snapshot is a State that no longer changes: what the positions of all games have in common. A game embeds one in its
// Position and adds what is its own.
type Snapshot struct{ state State }

// SnapshotOf returns the snapshot of a state that nothing changes from now on.
func SnapshotOf(s State) Snapshot { return Snapshot{s} }

// Turn is the side to move; after the end, the side that would have been.
func (p Snapshot) Turn() Side { return p.state.Turn() }

// Result reports whether the game is over.
func (p Snapshot) Result() Result { return p.state.Result() }

// State returns a new mutable copy.
func (p Snapshot) State() State { return p.state.Clone() }

// Legal returns the legal moves as sorted text.
func (p Snapshot) Legal() []Move { return LegalMoves(p.state) }

// Play makes a move given in canonical text.
func (p Snapshot) Play(m Move) (Position, error) {
	c, err := p.state.Code(m)
	if err != nil {
		return nil, err
	}
	next := p.state.Clone()
	next.Play(c)
	return next.Freeze(), nil
}
