package lab

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// ProofLimits say how long Prove may look for a proof.
type ProofLimits struct {
	Nodes  int           // positions that may be looked at, 1 to MaxProofNodes
	Memory int64         // bytes for the positions that are remembered, 0 to proof.MaxMemory; 0: proof.UsualMemory
	Time   time.Duration // how long it may take; 0: as long as it takes
}

// MaxProofNodes is the largest number of positions that Prove may be asked to look at.
const MaxProofNodes = 1_000_000_000

// proveLine is what Prove writes as JSON.
type proveLine struct {
	Game    string        `json:"game"`
	Options games.Options `json:"options"`
	Ply     int           `json:"ply"`
	Turn    string        `json:"turn"`
	Verdict string        `json:"verdict"` // for the side to move
	Winner  string        `json:"winner"`
	Plies   int           `json:"plies"` // that the game lasts at most if the winner follows the line's strategy
	Line    []games.Move  `json:"line"`
	Nodes   int           `json:"nodes"`   // positions that the search looked at
	Checked int           `json:"checked"` // positions that the check of the proof played in
}

// Prove reads the moves of one game from r, separated by spaces or line ends, tries to prove how the position they lead to ends,
// and writes what came out to w. It is no error if nothing is proven. An error that wraps ErrUsage is about the limits. Other errors
// name an illegal move, or come from the context, the reader or the writer.
func Prove(ctx context.Context, w io.Writer, r io.Reader, g games.Game, o games.Options, in ProofLimits, asJSON bool) error {
	start, err := g.New(o)
	if err != nil {
		return err
	}
	return ProveFrom(ctx, w, r, g, start, in, asJSON)
}

// ProveFrom is Prove for the moves of a game that begins in another position.
func ProveFrom(ctx context.Context, w io.Writer, r io.Reader, g games.Game, start games.Position, in ProofLimits, asJSON bool) error {
	switch {
	case in.Nodes < 1 || in.Nodes > MaxProofNodes:
		return fmt.Errorf("%w: %d positions; it must be from 1 to %d", ErrUsage, in.Nodes, MaxProofNodes)
	case in.Memory < 0 || in.Memory > proof.MaxMemory:
		return fmt.Errorf("%w: %d bytes of memory; it must be from 0 to %d", ErrUsage, in.Memory, int64(proof.MaxMemory))
	case in.Time < 0:
		return fmt.Errorf("%w: the time is %v; it can't be negative", ErrUsage, in.Time)
	}
	p, ply, err := follow(ctx, r, start)
	if err != nil {
		return err
	}
	limited, stop := ctx, context.CancelFunc(func() {})
	if in.Time > 0 {
		limited, stop = context.WithTimeout(ctx, in.Time)
	}
	defer stop()
	got, err := proof.Prove(limited, p, proof.Limits{Nodes: in.Nodes, Memory: int(in.Memory)})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	line := proveLine{
		Game: g.About().ID, Options: start.Options(), Ply: ply, Verdict: got.Result.String(), Winner: winner(p, got.Result),
		Plies: got.Plies, Line: append([]games.Move{}, got.Line...), Nodes: got.Nodes, Checked: got.Checked,
	}
	if !p.Result().Over {
		line.Turn = p.Turn().String()
	}
	if asJSON {
		err = newEncoder(w).Encode(line)
	} else {
		_, err = io.WriteString(w, line.words(g, p))
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// follow plays the moves that r gives from a position and returns where they lead and how many they are. It plays them in a State: each
// Position of a game without limits is a copy of all that came before.
func follow(ctx context.Context, r io.Reader, start games.Position) (p games.Position, ply int, err error) {
	state, in := start.State(), tokens{bufio.NewReaderSize(r, 1<<16)}
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		more, err := in.more()
		if err != nil {
			return nil, 0, fmt.Errorf("read: %w", err)
		}
		if !more {
			return state.Freeze(), ply, nil
		}
		token, err := in.next()
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("read: %w", err)
		case token == "":
			continue // the end of a line
		}
		code, err := state.Code(games.Move(token))
		if err != nil {
			return nil, 0, fmt.Errorf("ply %d: %w", ply+1, err)
		}
		state.Play(code)
		ply++
	}
}

// winner returns the side that wins by a result; "" for none.
func winner(p games.Position, r proof.Result) string {
	switch r {
	case proof.Won:
		return p.Turn().String()
	case proof.Lost:
		return p.Turn().Other().String()
	}
	return ""
}

// words returns the line for people.
func (l *proveLine) words(g games.Game, p games.Position) string {
	about := g.About()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, ply %d", l.Game, l.Options, l.Ply)
	if l.Turn != "" {
		fmt.Fprintf(&b, ", %s to move", about.Sides[p.Turn()])
	}
	b.WriteString("\n")
	side := about.Sides[games.First]
	if l.Winner == games.Second.String() {
		side = about.Sides[games.Second]
	}
	switch {
	case l.Turn == "" && l.Winner == "":
		fmt.Fprintf(&b, "Draw: %s\n", p.Options().Fill(about.Reasons[p.Result().Reason]))
	case l.Turn == "":
		fmt.Fprintf(&b, "%s wins: %s\n", side, p.Options().Fill(about.Reasons[p.Result().Reason]))
	case l.Winner != "":
		fmt.Fprintf(&b, "%s wins in at most %s, whatever the other side plays; the longest defence:\n", side, plies(l.Plies))
	case l.Verdict == proof.Drawn.String():
		b.WriteString("A draw: neither side can win if both play their best; one such game:\n")
	default:
		b.WriteString("Nothing is proven: either nobody can force anything, or it takes more positions to see.\n")
	}
	if len(l.Line) > 0 {
		for _, m := range l.Line {
			b.WriteString(" " + string(m))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "positions: %d looked at, %d in the check\n", l.Nodes, l.Checked)
	return b.String()
}

func plies(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return fmt.Sprintf("%d plies", n)
}
