package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"ludoteca/games"
)

// A Report is an analysis with the game that it is about, for people and for programs.
type Report struct {
	ID       string // of the match; "" if it has none
	Game     games.Game
	Start    games.Position // before the moves
	Moves    []games.Move
	Given    int       // how many of the moves were given: made before the players took over
	Analysis *Analysis // of these moves: it has one point more

	// What the text says beside the moves. Without them it has no reasons, and no times.
	Remark func(before, after *Point, by games.Side) string // what a marked move of a side gave away and why, after the name of the move; "": nothing
	Times  []string                                         // how long each move took, in words; "" where that isn't known
}

type reportJSON struct {
	ID        string         `json:"id"`
	Game      string         `json:"game"`
	Options   games.Options  `json:"options"`
	Nodes     int            `json:"nodes"`
	Sides     sidesJSON      `json:"sides"`
	Positions []positionJSON `json:"positions"`
}

type sidesJSON struct {
	First  performanceJSON `json:"first"`
	Second performanceJSON `json:"second"`
}

// performanceJSON is how well a side played; null without moves.
type performanceJSON struct {
	Moves    int      `json:"moves"`
	Accuracy *float64 `json:"accuracy"`
	Loss     *float64 `json:"loss"`
}

func performanceOf(p Performance) performanceJSON {
	j := performanceJSON{Moves: p.Moves}
	if p.Moves > 0 {
		accuracy, loss := math.Round(p.Accuracy*10)/10, math.Round(p.Loss*sure)/sure
		j.Accuracy, j.Loss = &accuracy, &loss
	}
	return j
}

// positionJSON is the position after Ply moves; Move was played from it, "" from the last.
type positionJSON struct {
	Ply    int          `json:"ply"`
	Move   games.Move   `json:"move"`
	Value  int          `json:"value"`
	Chance float64      `json:"chance"`
	Proven string       `json:"proven"`
	Plies  *int         `json:"plies"` // to the proven end; null if none is proven
	Best   games.Move   `json:"best"`
	Line   []games.Move `json:"line"`
	Mark   string       `json:"mark"`
	Why    *whyJSON     `json:"why"` // null without a claim
}

type whyJSON struct {
	Kind  string     `json:"kind"`
	Move  games.Move `json:"move"`
	Cells []string   `json:"cells"`
	Count int        `json:"count"`
}

// WriteJSON writes one object on one line.
func (r *Report) WriteJSON(w io.Writer) error {
	played, err := r.performances()
	if err != nil {
		return err
	}
	out := reportJSON{
		ID: r.ID, Game: r.Game.About().ID, Options: r.Start.Options(), Nodes: r.Analysis.Nodes,
		Sides:     sidesJSON{performanceOf(played[games.First]), performanceOf(played[games.Second])},
		Positions: make([]positionJSON, len(r.Analysis.Points)),
	}
	for i, p := range r.Analysis.Points {
		out.Positions[i] = positionJSON{
			Ply: i, Value: p.Value, Chance: p.Chance, Proven: p.Proven.String(), Best: p.Best,
			Line: append([]games.Move{}, p.Line...), Mark: p.Mark.String(),
		}
		if p.decided() {
			out.Positions[i].Plies = &p.Plies
		}
		if c := p.Why; c.Kind != "" {
			out.Positions[i].Why = &whyJSON{c.Kind, c.Move, append([]string{}, c.Cells...), c.Count}
		}
		if i < len(r.Moves) {
			out.Positions[i].Move = r.Moves[i]
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// performances returns how well both sides played.
func (r *Report) performances() ([2]Performance, error) {
	turns, err := r.Turns()
	if err != nil {
		return [2]Performance{}, err
	}
	return r.Analysis.Performances(turns, r.Given), nil
}

// Turns returns the side to move before each move, and after the last.
func (r *Report) Turns() ([]games.Side, error) {
	game, err := newHistory(context.Background(), r.Start, r.Moves)
	if err != nil {
		return nil, err
	}
	return game.sides, nil
}

// A Say puts sentences into the language of a reader: T fills the verbs of a format in, and N tells one thing from several.
type Say interface {
	T(sentence string, args ...any) string
	N(n int, one, many string, args ...any) string
}

// WriteText writes a line for each move, with what the position after it is worth to the first side, how long it took if r.Times says so,
// and what would have been better than a move that is marked; then what marked moves gave away and why, and how often each side has erred and
// how well it has played. Given moves have no marks: the sides have not chosen them.
// say puts the sentences into the reader's language.
func (r *Report) WriteText(w io.Writer, say Say) error {
	var b bytes.Buffer
	points := r.Analysis.Points
	b.WriteString(say.N(len(r.Moves), "%s %s, %d move, some %d positions looked at for each", "%s %s, %d moves, some %d positions looked at for each",
		r.Game.About().Name, r.Start.Options(), len(r.Moves), r.Analysis.Nodes))
	t := tabwriter.NewWriter(&b, 0, 1, 2, ' ', 0)
	// Translators: the head of a column: how long a move took.
	fmt.Fprintf(t, "\n%s\t%s\t%s\t\t%s\t%s%s\n", say.T("PLY"), say.T("SIDE"), say.T("MOVE"), say.T("VALUE"), r.timeCell(say.T("TIME")), say.T("BETTER"))
	fmt.Fprintf(t, "0\t\t\t\t%s\t%s\n", worth(&points[0], say), r.timeCell(""))
	var marks [2][Blunder + 1]int
	var reasons []string
	turns, err := r.Turns()
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		p, side, mark, better, took := &points[i], turns[i], Fine, "", ""
		if i >= r.Given {
			mark = p.Mark
		}
		marks[side][mark]++
		if mark != Fine {
			better = words(p.Line)
			if reason := r.reason(p, &points[i+1], side); reason != "" {
				// Translators: a number of moves, the side that made the last of them, the move with its sign, why it was a mistake.
				reasons = append(reasons, say.T("%d %s %s: %s", i+1, sideName(side, say), string(m)+mark.Sign(), reason))
			}
		}
		if i < len(r.Times) {
			took = r.Times[i]
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s%s\n", i+1, sideName(side, say), m, mark.Sign(), worth(&points[i+1], say), r.timeCell(took), better)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range reasons {
		fmt.Fprintln(&b, line)
	}
	for side, p := range r.Analysis.Performances(turns, r.Given) {
		words := tally(marks[side], say)
		if p.Moves > 0 {
			words += "; " + say.T("accuracy %d %%, average loss %d %%", int(math.Round(p.Accuracy)), int(math.Round(100*p.Loss)))
		}
		fmt.Fprintf(&b, "%s: %s\n", sideName(games.Side(side), say), words)
	}
	return writeTrimmed(w, b.Bytes())
}

// reason returns in words what a marked move of a side gave away, and why; "" if that isn't known.
func (r *Report) reason(before, after *Point, by games.Side) string {
	if r.Remark == nil {
		return ""
	}
	return r.Remark(before, after, by)
}

// timeCell returns a cell of the column of times; there is none without times.
func (r *Report) timeCell(took string) string {
	if r.Times == nil {
		return ""
	}
	return took + "\t"
}

// worth returns the value of a position in words: men and the chance of the first side, or the proven result.
func worth(p *Point, say Say) string {
	ahead := games.First
	if p.Proven == ProvenSecond || p.Proven == Unproven && p.Value < 0 {
		ahead = games.Second
	}
	switch {
	case p.Proven == ProvenDraw:
		return say.T("a draw")
	case p.decided() && p.Plies == 0:
		return say.T("%s has won", sideName(ahead, say))
	case p.decided():
		return say.T("%s wins in %d", sideName(ahead, say), p.Plies)
	case p.Value == games.MaxEvaluation || p.Value == -games.MaxEvaluation:
		return say.T("%s seems to win", sideName(ahead, say))
	}
	return fmt.Sprintf("%+.2f  %2.0f %%", float64(p.Value)/man, 100*p.Chance)
}

func sideName(s games.Side, say Say) string {
	if s == games.First {
		return say.T("first")
	}
	return say.T("second")
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
func tally(n [Blunder + 1]int, say Say) string {
	var parts []string
	if n := n[Blunder]; n > 0 {
		parts = append(parts, say.N(n, "1 blunder", "%d blunders"))
	}
	if n := n[Mistake]; n > 0 {
		parts = append(parts, say.N(n, "1 mistake", "%d mistakes"))
	}
	if n := n[Inaccuracy]; n > 0 {
		parts = append(parts, say.N(n, "1 inaccuracy", "%d inaccuracies"))
	}
	if len(parts) == 0 {
		return say.T("nothing marked")
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
