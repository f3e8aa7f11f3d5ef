package fourmation

import (
	"fmt"

	"ludoteca/games"
	"ludoteca/games/board"
)

// marks are the letters of the board text: of each side, and of an empty cell.
var (
	marks     = [2]byte{games.First: 'X', games.Second: 'O'}
	emptyMark = byte('.')
)

// The widest board that notation has letters and two digits for: what lies on it is a cell, if not of this board.
const lettersOfColumns, numbersOfRows = 26, 99

// String returns the name of a cell: "d4".
func (c cell) String() string { return board.Name(c.col(), c.row()) }

// Move returns the canonical text of a legal move.
func (s *State) Move(c games.Code) games.Move { return games.Move(cell(c).String()) }

// Code returns the code of a legal move, or the error that names the broken rule.
func (s *State) Code(m games.Move) (games.Code, error) {
	col, row, ok := board.Square(string(m), lettersOfColumns, numbersOfRows)
	switch {
	case !ok:
		return 0, notAMove(m)
	case !s.Running():
		return 0, games.Illegal(m, "the game is over")
	case !s.contains(col, row):
		return 0, games.Illegal(m, "outside the board")
	}
	if _, held := s.at(col, row); held {
		return 0, games.Illegal(m, "not an empty cell")
	}
	if last := cell(s.cell); last != none && max(distance(col, last.col()), distance(row, last.row())) > 1 {
		return 0, games.Illegal(m, "not next to the last move, %s", last)
	}
	return games.Code(at(col, row)), nil
}

func distance(a, b int) int { return max(a-b, b-a) }

func notAMove[M ~string](m M) error {
	return games.Illegal(m, "not a move (write the column letter and the row number, like d4)")
}

func (s *State) contains(col, row int) bool {
	return min(col, row) >= 0 && col < int(s.cols) && row < int(s.rows)
}

// at returns whose piece is on a cell of the board, and whether there is one.
func (s *State) at(col, row int) (side games.Side, held bool) {
	for _, side := range []games.Side{games.First, games.Second} {
		if s.lines[side].across[row]>>col&1 == 1 {
			return side, true
		}
	}
	return games.First, false
}

// Read turns what a person typed into a move: a cell as board.One reads it, in upper or lower case. Cells outside the
// board are read as well, so that Play can say what is wrong with them.
func (p *Position) Read(typed string) (games.Move, error) {
	m := board.One(typed)
	if len(m) > len("z26") {
		return "", notAMove(typed)
	}
	m = board.Lower(m)
	if _, _, ok := board.Square(m, lettersOfColumns, numbersOfRows); !ok {
		return "", notAMove(typed)
	}
	return games.Move(m), nil
}

// Rows returns the board text, top row first.
func (p *Position) Rows() []string {
	rows := make([]string, p.s.rows)
	text := make([]byte, p.s.cols)
	for row := range rows {
		for col := range text {
			text[col] = emptyMark
			if side, held := p.s.at(col, row); held {
				text[col] = marks[side]
			}
		}
		rows[len(rows)-1-row] = string(text)
	}
	return rows
}

// String returns the position in one line: options that are not the defaults, previous move, turn, rows.
func (p *Position) String() string {
	last := "-"
	if p.s.cell != none {
		last = cell(p.s.cell).String()
	}
	header := about.Changed(p.Options())
	return board.Join(append(header, fmt.Sprintf("last=%s turn=%c", last, marks[p.s.turn])), p.Rows())
}

// Parse reads a position in one line; last and turn must be given. The board may hold what no game leads to as long as
// turn agrees with the number of pieces and last is a piece of the other player. A full line elsewhere does not count.
func (g game) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "last", "turn")
	if err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	s := start(o[optCols], o[optRows], o[optWin])
	if err := s.parseRows(t); err != nil {
		return nil, err
	}
	switch turn := t.Fields["turn"]; turn {
	case "":
		return nil, games.NoPosition("turn is missing")
	case string(marks[s.turn]):
	default:
		return nil, games.NoPosition("turn is %.9q, but by the pieces on the board it is %c", turn, marks[s.turn])
	}
	if err := s.parseLast(t.Fields["last"]); err != nil {
		return nil, err
	}
	return s.Freeze(), nil
}

// parseRows sets up the pieces, and the turn, which follows from their numbers.
func (s *State) parseRows(t board.Text) error {
	cols, rows := int(s.cols), int(s.rows)
	if err := t.CheckSize(cols, rows); err != nil {
		return err
	}
	var pieces [2]int
	for i, text := range t.Rows {
		row := rows - 1 - i
		for col := range cols {
			switch mark := text[col]; mark {
			case emptyMark:
			case marks[games.First]:
				s.set(at(col, row), games.First)
				pieces[games.First]++
			case marks[games.Second]:
				s.set(at(col, row), games.Second)
				pieces[games.Second]++
			default:
				return games.NoPosition("row %d of the board has a cell that is none of . X O", row+1)
			}
		}
	}
	switch pieces[games.First] - pieces[games.Second] {
	case 0:
		s.turn = games.First
	case 1:
		s.turn = games.Second
	default:
		return games.NoPosition("%d X and %d O: X has as many pieces as O, or one more",
			pieces[games.First], pieces[games.Second])
	}
	return nil
}

// parseLast sets the previous move, and the result, which follows from it.
func (s *State) parseLast(text string) error {
	empty := s.turn == games.First
	for _, word := range s.lines[games.First].across {
		empty = empty && word == 0
	}
	if text == "-" && empty {
		return nil
	}
	col, row, ok := board.Square(text, int(s.cols), int(s.rows))
	if !ok {
		return games.NoPosition("last is not the cell of the previous move")
	}
	if side, held := s.at(col, row); !held || side == s.turn {
		return games.NoPosition("last=%s is not a piece of the player who has just moved", text)
	}
	s.set(at(col, row), s.turn.Other())
	return nil
}

// set makes c the previous move, one of side; it puts a piece there if there is none. The turn stays as it is.
func (s *State) set(c cell, side games.Side) {
	turn := s.turn
	s.turn = side
	s.Play(games.Code(c))
	s.turn = turn
}
