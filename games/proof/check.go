package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/deadline"
)

// A Strategy chooses the moves of one side.
type Strategy interface {
	// Choose returns a move in a position where the side of the strategy is to move and at most left plies are left to
	// it, or false if it has none. line are the moves that led to pos since the claim was made. Choose may play in pos but must
	// leave it as it was, and keeps neither.
	Choose(pos games.Search, line []games.Code, left int) (games.Code, bool)
}

// A Report is what Check has seen.
type Report struct {
	Plies int          // of the longest game
	Line  []games.Move // the longest game; after a failure, the one that refutes the claim
	Nodes int          // positions in which Check has played
}

// The ways in which Check says no. The claim may still be true where it was ErrBound.
var (
	ErrRefuted = errors.New("the claim is refuted")
	ErrBound   = errors.New("there are more positions than may be looked at")
)

// Check plays a strategy from p against every defence by the whole rules of the game, to the last end, or as far as the claim goes
// if it is ToPrevent. It returns nil only if each of these games goes as the claim says, in time. The error wraps ErrRefuted if a game ends otherwise
// or the strategy has no legal move in it; Report.Line is that game. It wraps ErrBound after nodes positions, or is the error of ctx.
//
// Check is kept simple on purpose: it remembers nothing between two positions, and takes what the strategy says for a suggestion.
// The state decides by the rules alone; pos is played along for the strategy only.
func Check(ctx context.Context, p games.Position, c Claim, s Strategy, nodes int) (Report, error) {
	searchable, ok := p.State().(games.Searchable)
	if !ok {
		return Report{}, ErrNoSearch
	}
	w := &walk{claim: c, strategy: s, limit: nodes, until: deadline.Of(ctx), pos: searchable.Search(), state: p.State()}
	err := w.from(ctx, 0)
	line := w.longest
	if err != nil {
		line = w.line
	}
	report := Report{Plies: len(w.longest), Nodes: w.nodes}
	state := p.State()
	for _, code := range line {
		report.Line = append(report.Line, state.Move(code))
		state.Play(code)
	}
	if errors.Is(err, ErrRefuted) {
		err = fmt.Errorf("%w: %v, but not after %v", err, c, report.Line)
	}
	return report, err
}

// A walk is one call of Check.
type walk struct {
	claim    Claim
	strategy Strategy
	nodes    int
	limit    int
	until    deadline.Deadline // of the context

	pos     games.Search
	state   games.State    // after the line
	moves   [][]games.Code // moves[i] are the legal moves after i plies of the line
	line    []games.Code
	longest []games.Code
}

// nodesBetweenLooks is how many positions pass between two looks at the context: far less than a millisecond's worth.
const nodesBetweenLooks = 32

// from walks through all games that go on from the position after ply plies. After an error, w.line leads to where it arose.
func (w *walk) from(ctx context.Context, ply int) error {
	if r := w.state.Result(); r.Over {
		return w.end(r)
	}
	if ply >= w.claim.Plies {
		if w.claim.Aim == ToPrevent {
			w.reached()
			return nil
		}
		return ErrRefuted
	}
	if len(w.moves) == ply {
		w.moves = append(w.moves, nil)
	}
	w.moves[ply] = w.state.Moves(w.moves[ply][:0])
	if w.state.Turn() == w.claim.Side {
		c, ok := w.strategy.Choose(w.pos, w.line, w.claim.Plies-ply)
		if !ok || !slices.Contains(w.moves[ply], c) {
			return ErrRefuted
		}
		return w.play(ctx, ply, c)
	}
	for _, c := range w.moves[ply] {
		if err := w.play(ctx, ply, c); err != nil {
			return err
		}
	}
	return nil
}

// play walks through all games that go on with a move.
func (w *walk) play(ctx context.Context, ply int, c games.Code) error {
	if w.nodes++; w.nodes > w.limit {
		return ErrBound
	}
	if w.nodes%nodesBetweenLooks == 1 && w.until.Passed() {
		return cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	w.state.Play(c)
	w.pos.Play(c)
	w.line = append(w.line, c)
	if err := w.from(ctx, ply+1); err != nil {
		return err
	}
	w.line = w.line[:ply]
	w.pos.Undo()
	w.state.Undo()
	return nil
}

// end looks at a game that is over.
func (w *walk) end(r games.Result) error {
	reached := !r.Draw && r.Winner == w.claim.Side || r.Draw && w.claim.Aim != ToWin
	if !reached {
		return ErrRefuted
	}
	w.reached()
	return nil
}

// reached notes a game that goes as the claim says.
func (w *walk) reached() {
	if len(w.line) > len(w.longest) {
		w.longest = append(w.longest[:0], w.line...)
	}
}
