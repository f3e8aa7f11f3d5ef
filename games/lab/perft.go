package lab

import (
	"context"
	"fmt"
	"io"
	"time"

	"ludoteca/games"
)

// MaxDepth is the largest depth of Perft: more than any count could reach, unless the game ends early.
const MaxDepth = 100

// perftLine is one line of output as JSON.
type perftLine struct {
	Game    string        `json:"game"`
	Options games.Options `json:"options"`
	Depth   int           `json:"depth"`
	Leaves  uint64        `json:"leaves"`
	Seconds float64       `json:"seconds"`
}

// Perft counts the leaves of the game tree at each depth from 0 to depth, from the start position with complete options
// o, and writes a line for each as soon as it is counted. Depth 0 has one leaf; a game that ends above a depth
// counts nothing there. A depth below 0 or above MaxDepth gives ErrUsage.
func Perft(ctx context.Context, w io.Writer, g games.Game, o games.Options, depth int, asJSON bool) error {
	start, err := g.New(o)
	if err != nil {
		return err
	}
	return PerftFrom(ctx, w, g, start, depth, asJSON)
}

// PerftFrom is Perft from another position.
func PerftFrom(ctx context.Context, w io.Writer, g games.Game, start games.Position, depth int, asJSON bool) error {
	if depth < 0 || depth > MaxDepth {
		return fmt.Errorf("%w: the depth is %d; it must be from 0 to %d", ErrUsage, depth, MaxDepth)
	}
	count := newCounter(start.State(), depth)
	write := writePerft(w)
	if asJSON {
		enc := newEncoder(w)
		write = func(l perftLine) error { return enc.Encode(l) }
	}
	for d := 0; d <= depth; d++ {
		began := time.Now()
		leaves, err := count.leaves(ctx, d)
		if err != nil {
			return err
		}
		line := perftLine{g.About().ID, start.Options(), d, leaves, time.Since(began).Seconds()}
		if err := write(line); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// writePerft returns a function that writes lines for people, a heading before the first.
func writePerft(w io.Writer) func(perftLine) error {
	return func(l perftLine) error {
		if l.Depth == 0 {
			if _, err := fmt.Fprintf(w, "%s %s\n%5s %20s %10s\n", l.Game, l.Options, "depth", "leaves", "seconds"); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "%5d %20d %10.3f\n", l.Depth, l.Leaves, l.Seconds)
		return err
	}
}

// A counter counts leaves. It has a list of moves for each ply of the tree, so that counting allocates nothing once they
// have grown.
type counter struct {
	state games.State
	moves [][]games.Code
	nodes uint
}

func newCounter(root games.State, depth int) *counter {
	return &counter{state: root, moves: make([][]games.Code, depth+1)}
}

// leaves counts the leaves at one depth. The only error is the error of ctx.
func (c *counter) leaves(ctx context.Context, depth int) (uint64, error) {
	if depth == 0 {
		return 1, nil
	}
	return c.below(ctx, 0, depth)
}

// nodesBetweenLooks is how many nodes pass between two looks at the context: well under a millisecond.
const nodesBetweenLooks = 1024

// below counts the leaves that are depth plies below the position at ply, depth at least 1.
func (c *counter) below(ctx context.Context, ply, depth int) (n uint64, err error) {
	if c.nodes++; c.nodes%nodesBetweenLooks == 0 && ctx.Err() != nil {
		return 0, ctx.Err()
	}
	c.moves[ply] = c.state.Moves(c.moves[ply][:0])
	if depth == 1 {
		return uint64(len(c.moves[ply])), nil // the last ply need not be played
	}
	for _, m := range c.moves[ply] {
		c.state.Play(m)
		leaves, err := c.below(ctx, ply+1, depth-1)
		c.state.Undo()
		if err != nil {
			return 0, err
		}
		n += leaves
	}
	return n, nil
}
