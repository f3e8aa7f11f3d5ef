// Package hexapawn is a game of the tests alone, a whole one in one file. They show with it that nothing but the list of games has to know a new one.
package hexapawn

import (
	"math/bits"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/games/board"
)

// New returns Martin Gardner's game of 1962, on boards of any size. It has no profile and no board view: both may be missing.
func New() games.Game { return hexapawn{} }

type hexapawn struct{}

// The ways in which it ends.
const (
	byBreakthrough = "breakthrough"
	byBlock        = "blocked"
)

var aboutHexapawn = games.About{
	ID:       "hexapawn",
	Aliases:  []string{"pawns"},
	Name:     "Hexapawn",
	Sentence: "Two rows of pawns: be the first across, or leave the other side without a move.",
	Brief: [3]string{
		"Go one cell ahead, or take diagonally.",
		"Reach the far row to win, or leave",
		"the other side without a move.",
	},
	HowTo: `# A turn
Move a pawn one cell ahead, if that is empty, or capture one of the
enemy's diagonally ahead.

# The end
A pawn on the far row wins. A side without a move loses.`,
	Options: []games.Option{
		{Key: "cols", Min: 3, Max: 8, Default: 3, Label: "Columns", Help: "Each side has a pawn in every column."},
		{Key: "rows", Min: 3, Max: 8, Default: 3, Label: "Rows", Help: "The pawns start in the first and in the last row."},
	},
	Sides:   [2]string{"White", "Black"},
	Reasons: map[string]string{byBreakthrough: "a pawn on the far row", byBlock: "no move left"},
}

func (hexapawn) About() *games.About { return &aboutHexapawn }

func (hexapawn) Check(games.Options) error { return nil }

// Longest follows from the rows that all pawns together can advance.
func (hexapawn) Longest(o games.Options) (plies int, bounded bool) {
	return 2*o["cols"]*(o["rows"]-2) + 1, true
}

func (g hexapawn) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	s := &pawns{cols: o["cols"], rows: o["rows"]}
	row := uint64(1)<<s.cols - 1
	s.own = [2]uint64{row, row << (8 * (s.rows - 1))}
	return s.Freeze(), nil
}

func (g hexapawn) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "turn")
	if err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	s := &pawns{cols: o["cols"], rows: o["rows"]}
	if err := t.CheckSize(s.cols, s.rows); err != nil {
		return nil, err
	}
	switch t.Fields["turn"] {
	case "black":
		s.turn = games.Second
	case "white", "":
	default:
		return nil, games.BadOption("turn is white or black")
	}
	for i, row := range t.Rows {
		for col, c := range []byte(row) {
			at := uint64(1) << (8*(s.rows-1-i) + col)
			switch c {
			case 'P':
				s.own[games.First] |= at
			case 'p':
				s.own[games.Second] |= at
			case '.':
			default:
				return nil, games.BadOption("a cell is P, p or .")
			}
		}
	}
	if s.across(games.First) && s.across(games.Second) {
		return nil, games.BadOption("both sides are across")
	}
	s.settle()
	return s.Freeze(), nil
}

// pawns is the state of a game of Hexapawn. Cell 8*row+col stands for one bit.
type pawns struct {
	cols, rows int
	own        [2]uint64 // by side
	turn       games.Side
	end        games.Result
	past       [][2]uint64 // own before each of the moves that can be taken back
}

func (s *pawns) Turn() games.Side { return s.turn }

func (s *pawns) Result() games.Result { return s.end }

func (s *pawns) across(side games.Side) bool {
	far := 8 * (s.rows - 1)
	if side == games.Second {
		far = 0
	}
	return s.own[side]>>far&0xff != 0
}

// settle works out whether the game is over.
func (s *pawns) settle() {
	s.end = games.Result{}
	switch {
	case s.across(games.First):
		s.end = games.Won(games.First, byBreakthrough)
	case s.across(games.Second):
		s.end = games.Won(games.Second, byBreakthrough)
	case s.each(func(games.Code, bool) bool { return false }):
		s.end = games.Won(s.turn.Other(), byBlock)
	}
}

// each calls f for each legal move until it returns false, and reports whether it never did.
func (s *pawns) each(f func(c games.Code, capture bool) bool) bool {
	if s.end.Over {
		return true
	}
	ahead := 8 - 16*int(s.turn)
	for left := s.own[s.turn]; left != 0; left &= left - 1 {
		from := bits.TrailingZeros64(left)
		for aside := -1; aside <= 1; aside++ {
			to := from + ahead + aside
			if col := from%8 + aside; col < 0 || col >= s.cols {
				continue
			}
			enemy, mine := s.own[s.turn.Other()]>>to&1 != 0, s.own[s.turn]>>to&1 != 0
			if (aside != 0 && enemy || aside == 0 && !enemy && !mine) && !f(games.Code(from<<6|to), enemy) {
				return false
			}
		}
	}
	return true
}

func (s *pawns) Moves(dst []games.Code) []games.Code {
	s.each(func(c games.Code, _ bool) bool {
		dst = append(dst, c)
		return true
	})
	return dst
}

func (s *pawns) Play(c games.Code) {
	s.past = append(s.past, s.own)
	from, to := c>>6, c&63
	s.own[s.turn] ^= 1<<from | 1<<to
	s.turn = s.turn.Other()
	s.own[s.turn] &^= 1 << to
	s.settle()
}

func (s *pawns) Undo() {
	last := len(s.past) - 1
	s.own, s.past = s.past[last], s.past[:last]
	s.turn, s.end = s.turn.Other(), games.Result{}
}

func (s *pawns) clone() *pawns {
	c := *s
	c.past = nil
	return &c
}

func (s *pawns) Clone() games.State { return s.clone() }

func (s *pawns) Freeze() games.Position {
	s.past = nil
	return &pawnPosition{games.SnapshotOf(s), s}
}

func (s *pawns) Move(c games.Code) games.Move {
	from, to, mark := int(c>>6), int(c&63), "-"
	if s.own[s.turn.Other()]>>to&1 != 0 {
		mark = "x"
	}
	return games.Move(board.Name(from%8, from/8) + mark + board.Name(to%8, to/8))
}

func (s *pawns) Code(m games.Move) (games.Code, error) {
	for _, c := range s.Moves(nil) {
		if s.Move(c) == m {
			return c, nil
		}
	}
	if s.end.Over {
		return 0, games.Illegal(m, "the game is over")
	}
	return 0, games.Illegal(m, "a pawn goes one cell ahead or captures diagonally")
}

// Search returns the position for looking ahead.
func (s *pawns) Search() games.Search { return &pawnsSearch{*s.clone()} }

// pawnsSearch is a state of Hexapawn that is searched.
type pawnsSearch struct{ pawns }

func (s *pawnsSearch) Over() (over bool, outcome int) { return s.end.Over, s.end.For(s.turn) }

func (s *pawnsSearch) Pass() bool { return false }

func (s *pawnsSearch) Key() uint64 {
	return board.Mix(board.Mix(s.own[0])*3 + s.own[1]*2 + uint64(s.turn))
}

func (s *pawnsSearch) Moves(dst []games.Ranked) []games.Ranked { return s.ranked(dst, false) }

func (s *pawnsSearch) Noisy(dst []games.Ranked) (moves []games.Ranked, must bool) {
	return s.ranked(dst, true), false
}

func (s *pawnsSearch) ranked(dst []games.Ranked, captures bool) []games.Ranked {
	s.each(func(c games.Code, capture bool) bool {
		switch {
		case capture:
			dst = append(dst, games.Ranked{Code: c, Rank: 1000})
		case !captures:
			dst = append(dst, games.Ranked{Code: c})
		}
		return true
	})
	return dst
}

// Evaluate counts the pawns, and the rows that they have come.
func (s *pawnsSearch) Evaluate() int {
	value := 0
	for row := range s.rows {
		value += bits.OnesCount64(s.own[games.First]>>(8*row)&0xff) * (100 + 10*row)
		value -= bits.OnesCount64(s.own[games.Second]>>(8*row)&0xff) * (100 + 10*(s.rows-1-row))
	}
	if s.turn == games.Second {
		return -value
	}
	return value
}

// pawnPosition is an immutable position of Hexapawn.
type pawnPosition struct {
	games.Snapshot
	s *pawns // the same state
}

func (p *pawnPosition) Options() games.Options {
	return games.Options{"cols": p.s.cols, "rows": p.s.rows}
}

// Greedy captures where it can.
func (p *pawnPosition) Greedy() []games.Move {
	all := p.Legal()
	captures := slices.DeleteFunc(slices.Clone(all), func(m games.Move) bool { return m[2] != 'x' })
	if len(captures) > 0 {
		return captures
	}
	return all
}

// Read takes a move without its mark too: b2c3.
func (p *pawnPosition) Read(typed string) (games.Move, error) {
	text := board.Lower(strings.TrimSpace(typed))
	if len(text) == 5 && (text[2] == '-' || text[2] == 'x') {
		text = text[:2] + text[3:]
	}
	if len(text) != 4 {
		return "", games.Illegal(typed, "a move is two cells: b1-b2 or b2xc3")
	}
	for _, name := range []string{text[:2], text[2:]} {
		if _, _, ok := board.Square(name, p.s.cols, p.s.rows); !ok {
			return "", games.Illegal(typed, "%s is no cell", name)
		}
	}
	mark := "-"
	if text[0] != text[2] {
		mark = "x"
	}
	return games.Move(text[:2] + mark + text[2:]), nil
}

func (p *pawnPosition) Rows() []string {
	var rows []string
	for row := p.s.rows - 1; row >= 0; row-- {
		cells := make([]byte, p.s.cols)
		for col := range cells {
			at := 8*row + col
			cells[col] = ".Pp"[p.s.own[games.First]>>at&1|p.s.own[games.Second]>>at&1<<1]
		}
		rows = append(rows, string(cells))
	}
	return rows
}

func (p *pawnPosition) String() string {
	header := []string{"turn=" + []string{"white", "black"}[p.s.turn]}
	return board.Join(append(header, aboutHexapawn.Changed(p.Options())...), p.Rows())
}
