package petteia

import (
	"fmt"
	"strings"

	"ludoteca/games"
	"ludoteca/games/board"
)

// notMove is the rule that a text breaks which is no move at all.
const notMove = "not a move (write it like a1-a5)"

// Move returns the text of a legal move.
func (s *State) Move(c games.Code) games.Move { return texts[c] }

// Code returns the code of a legal move, or the error that names the broken rule.
func (s *State) Code(m games.Move) (games.Code, error) {
	from, to, ok := cellsOf(m)
	if !ok {
		return 0, games.Illegal(m, notMove)
	}
	code, straight := codeOf(from, to)
	switch {
	case !s.Running():
		return 0, games.Illegal(m, "the game is over")
	case !s.men[s.turn].meets(only(from)):
		return 0, games.Illegal(m, "no man of yours on %s", from)
	case from == to:
		return 0, games.Illegal(m, "the man must move")
	case !straight:
		return 0, games.Illegal(m, "not in a straight line")
	}
	if st := &steps[code]; !st.free(s.occupied()) {
		return 0, games.Illegal(m, "%s stands in the way", nearest(st, s.occupied()))
	}
	return code, nil
}

// nearest returns the first occupied cell on the way.
func nearest(st *step, occupied set) Cell {
	way := st.blocked(occupied).slice()
	if st.from < st.to {
		return way[0]
	}
	return way[len(way)-1]
}

// cellsOf takes a move apart: cell "-" cell.
func cellsOf(m games.Move) (from, to Cell, ok bool) {
	a, b, hyphen := strings.Cut(string(m), "-")
	from, okFrom := cellNamed(a)
	to, okTo := cellNamed(b)
	return from, to, hyphen && okFrom && okTo
}

// Read turns what a person typed into a move: the two cells say everything, so upper case, spaces, and a missing or wrong
// mark between them do not matter.
func (p *Position) Read(typed string) (games.Move, error) {
	from, to, _ := board.Pair(typed)
	m := games.Move(from + "-" + to)
	if _, _, ok := cellsOf(m); !ok {
		return "", games.Illegal(typed, notMove)
	}
	return m, nil
}

// signs are the men of both sides in the board text.
const signs = "XO"

// Rows returns the board, row 8 first: "." empty, "X" first player, "O" second player.
func (p *Position) Rows() []string {
	rows := make([]string, 0, Rows)
	for row := Rows - 1; row >= 0; row-- {
		line := []byte(strings.Repeat(".", Cols))
		for col := range Cols {
			if side, man := p.At(CellAt(col, row)); man {
				line[col] = signs[side]
			}
		}
		rows = append(rows, string(line))
	}
	return rows
}

// String returns the position in one line: the header with the options that aren't the defaults, and the rows.
func (p *Position) String() string {
	state := fmt.Sprintf("turn=%c captured=%d,%d quiet=%d", signs[p.s.turn], p.s.taken[0], p.s.taken[1], p.s.quiet)
	return board.Join(append([]string{state}, about.Changed(p.s.rules.options)...), p.Rows())
}

// maxQuiet is the largest count of quiet turns that Parse accepts.
const maxQuiet = 1 << 30

// Parse reads a position. The words turn and captured must be there, quiet and options may. Earlier positions are not
// in the text, so the repetition rule starts anew.
func (g game) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "turn", "captured", "quiet")
	if err != nil {
		return nil, err
	}
	complete, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	s := &State{rules: rulesOf(complete)}
	if err := s.readHeader(t.Fields); err != nil {
		return nil, err
	}
	if err := s.readRows(t); err != nil {
		return nil, err
	}
	s.checkEnd()
	return s.Freeze(), nil
}

func (s *State) readHeader(fields map[string]string) error {
	turn := strings.Index(signs, fields["turn"])
	if len(fields["turn"]) != 1 || turn < 0 {
		return games.NoPosition("turn is %.40q; it must be X or O", fields["turn"])
	}
	s.turn = games.Side(turn)
	x, o, _ := strings.Cut(fields["captured"], ",")
	byX, okX := board.Number(x, maxMen)
	byO, okO := board.Number(o, maxMen)
	if !okX || !okO {
		return games.NoPosition("captured is %.40q; it must be two numbers from 0 to %d, like 2,1", fields["captured"], maxMen)
	}
	s.taken = [2]int16{int16(byX), int16(byO)}
	if quiet, given := fields["quiet"]; given {
		turns, ok := board.Number(quiet, maxQuiet)
		if !ok {
			return games.NoPosition("quiet is %.40q; it must be a number from 0 to %d", quiet, maxQuiet)
		}
		s.quiet = int32(turns)
	}
	return nil
}

// readRows sets up the men, row 8 first.
func (s *State) readRows(t board.Text) error {
	if err := t.CheckSize(Cols, Rows); err != nil {
		return err
	}
	for i, line := range t.Rows {
		row := Rows - 1 - i
		for col := range Cols {
			switch side := strings.IndexByte(signs, line[col]); {
			case side >= 0:
				s.men[side] = s.men[side].with(only(CellAt(col, row)))
			case line[col] != '.':
				return games.NoPosition("row %d is %.40q; a cell is X, O or a dot", row+1, line)
			}
		}
	}
	for side := range s.men {
		if n := s.men[side].len(); n > maxMen {
			return games.NoPosition("%c has %d men; no side has more than %d", signs[side], n, maxMen)
		}
	}
	return nil
}
