package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ludoteca/games"
)

// A Report is an analysis with the game that it is about, for people and for programs.
type Report struct {
	ID       string // of the match; "" if it has none
	Game     games.Game
	Options  games.Options // complete
	Moves    []games.Move
	Analysis *Analysis // of these moves: it has one point more
}

type reportJSON struct {
	ID        string         `json:"id"`
	Game      string         `json:"game"`
	Options   games.Options  `json:"options"`
	Nodes     int            `json:"nodes"`
	Positions []positionJSON `json:"positions"`
}

// positionJSON is the position after Ply moves; Move was played from it, "" from the last.
type positionJSON struct {
	Ply    int          `json:"ply"`
	Move   games.Move   `json:"move"`
	Value  int          `json:"value"`
	Chance float64      `json:"chance"`
	Proven string       `json:"proven"`
	Plies  int          `json:"plies"`
	Best   games.Move   `json:"best"`
	Line   []games.Move `json:"line"`
	Mark   string       `json:"mark"`
}

// WriteJSON writes one object on one line.
func (r *Report) WriteJSON(w io.Writer) error {
	out := reportJSON{
		ID: r.ID, Game: r.Game.About().ID, Options: r.Options, Nodes: r.Analysis.Nodes,
		Positions: make([]positionJSON, len(r.Analysis.Points)),
	}
	for i, p := range r.Analysis.Points {
		out.Positions[i] = positionJSON{
			Ply: i, Value: p.Value, Chance: p.Chance, Proven: p.Proven.String(), Plies: p.Plies, Best: p.Best,
			Line: append([]games.Move{}, p.Line...), Mark: p.Mark.String(),
		}
		if i < len(r.Moves) {
			out.Positions[i].Move = r.Moves[i]
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// WriteText writes a line for each move, with what the position after it is worth to the first side, and what would have
// been better than a move that is marked; then how often each side has erred.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	points := r.Analysis.Points
	fmt.Fprintf(&b, "%s %s, %d moves, some %d positions looked at for each\n",
		r.Game.About().Name, r.Options, len(r.Moves), r.Analysis.Nodes)
	t := tabwriter.NewWriter(&b, 0, 1, 2, ' ', 0)
	fmt.Fprintf(t, "ply\tside\tmove\t\tvalue\tbetter\n0\t\t\t\t%s\t\n", worth(&points[0]))
	var marks [2][Blunder + 1]int
	game, err := newHistory(context.Background(), r.Game, r.Options, r.Moves)
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		p, better := &points[i], ""
		side := game.mover(i)
		marks[side][p.Mark]++
		if p.Mark != Fine {
			better = words(p.Line)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\n", i+1, side, m, p.Mark.Sign(), worth(&points[i+1]), better)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for side, n := range marks {
		fmt.Fprintf(&b, "%s: %s\n", games.Side(side), tally(n))
	}
	return writeTrimmed(w, b.Bytes())
}

// worth returns in words what a position is worth: men and what the first side may expect, or what is proven.
func worth(p *Point) string {
	switch {
	case p.Proven == ProvenDraw:
		return "draw"
	case p.decided() && p.Plies == 0:
		return p.Proven.String() + " has won"
	case p.decided():
		return fmt.Sprintf("%s wins in %d", p.Proven, p.Plies)
	case p.Value == games.MaxEvaluation:
		return "first seems to win"
	case p.Value == -games.MaxEvaluation:
		return "second seems to win"
	}
	return fmt.Sprintf("%+.2f  %2.0f %%", float64(p.Value)/man, 100*p.Chance)
}

// man is the value of a man, a marble or the like.
const man = 100

func words(line []games.Move) string {
	all := make([]string, len(line))
	for i, m := range line {
		all[i] = string(m)
	}
	return strings.Join(all, " ")
}

// tally counts marks in words.
func tally(n [Blunder + 1]int) string {
	var parts []string
	for _, k := range []struct {
		mark      Mark
		one, many string
	}{{Blunder, "blunder", "blunders"}, {Mistake, "mistake", "mistakes"}, {Inaccuracy, "inaccuracy", "inaccuracies"}} {
		switch n[k.mark] {
		case 0:
		case 1:
			parts = append(parts, "1 "+k.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n[k.mark], k.many))
		}
	}
	if len(parts) == 0 {
		return "nothing marked"
	}
	return strings.Join(parts, ", ")
}

// writeTrimmed writes lines without the blanks at their ends.
func writeTrimmed(w io.Writer, text []byte) error {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.Write(bytes.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
	_, err := w.Write(out.Bytes())
	return err
}
