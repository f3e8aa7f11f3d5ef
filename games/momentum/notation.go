package momentum

import (
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
)

const swapText games.Move = "swap"

// marks are the letters of the sides in the board text.
var marks = [2]byte{games.First: 'X', games.Second: 'O'}

// Move returns the canonical text of a legal move.
func (s *State) Move(c games.Code) games.Move {
	if square(c) == swap {
		return swapText
	}
	return cellText(square(c))
}

func cellText(sq square) games.Move { return games.Move(board.Name(sq.col(), sq.row())) }

// Code returns the code of a legal move, or the error that names the broken rule.
func (s *State) Code(m games.Move) (games.Code, error) { return codeOf(s, m) }

// codeOf is Code of either kind of state.
func codeOf(s core, m games.Move) (games.Code, error) {
	if !s.stand().Running() {
		return 0, games.Illegal(m, "the game is over")
	}
	if m == swapText {
		if !s.stand().canSwap() {
			return 0, games.Illegal(m, "swap only as the second move")
		}
		return games.Code(swap), nil
	}
	size := s.set().size
	col, row, ok := board.Square(string(m), size, size)
	if !ok {
		return 0, games.Illegal(m, "no such cell")
	}
	if _, held := s.at(col, row); held {
		return 0, games.Illegal(m, "cell taken")
	}
	c := s.dropOn(col, row)
	if forced := s.forcedDrops(); len(forced) > 0 && !slices.Contains(forced, c) {
		return 0, games.Illegal(m, "you must push an enemy marble off")
	}
	return c, nil
}

// Read turns what a person typed into a move: swap, or a cell as board.One reads it, in upper or lower case.
func (p *Position) Read(typed string) (games.Move, error) {
	m := board.One(typed)
	if len(m) <= len(swapText) {
		m = board.Lower(m)
	}
	size := p.Size()
	if _, _, ok := board.Square(m, size, size); !ok && m != string(swapText) {
		last := board.Name(size-1, size-1)
		if p.CanSwap() {
			return "", games.Illegal(typed, "a move is a cell from a1 to %s, or swap", last)
		}
		return "", games.Illegal(typed, "a move is a cell from a1 to %s", last)
	}
	return games.Move(m), nil
}

// Rows returns the board text, top row first.
func (p *Position) Rows() []string {
	rows := make([]string, p.Size())
	line := make([]byte, p.Size())
	for row := range rows {
		for col := range line {
			line[col] = '.'
			if side, held := p.At(col, row); held {
				line[col] = marks[side]
			}
		}
		rows[len(rows)-1-row] = string(line)
	}
	return rows
}

// String returns the position in one line: options that are not the defaults, ply, turn, rows.
func (p *Position) String() string {
	header := about.Changed(p.Options())
	return board.Join(append(header, fmt.Sprintf("ply=%d turn=%c", p.Ply(), marks[p.Turn()])), p.Rows())
}

// Parse reads a position in one line. ply must be given. turn may be left out: it follows from ply. The board may hold
// what no game leads to, as long as no player has more marbles than it owns and the player to move has one in hand.
func (g game) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "ply", "turn")
	if err != nil {
		return nil, err
	}
	var header standing
	if err := header.parse(t.Fields); err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	s := blank(o)
	now, each := s.stand(), s.set().each
	*now = header
	if err := parseRows(s, t); err != nil {
		return nil, err
	}
	if now.placed[now.turn] >= each || now.placed[now.turn.Other()] > each {
		return nil, games.NoPosition("too many marbles on the board: each player owns %d", each)
	}
	if now.checkEnd(each); now.Running() && now.placed[0]+now.placed[1] == s.set().size*s.set().size {
		return nil, games.NoPosition("no cell of the board is empty")
	}
	return s.Freeze(), nil
}

// parse sets the number of moves and the turn, which follows from it.
func (s *standing) parse(fields map[string]string) error {
	text, given := fields["ply"]
	if !given {
		return games.NoPosition("ply is missing")
	}
	ply, ok := board.Number(text, Limit)
	if !ok {
		return games.NoPosition("ply is not a number from 0 to %d", Limit)
	}
	s.ply, s.turn = uint8(ply), games.Side(ply%2)
	switch turn, given := fields["turn"]; {
	case !given:
	case turn != "X" && turn != "O":
		return games.NoPosition("turn is neither X nor O")
	case turn[0] != marks[s.turn]:
		return games.NoPosition("turn=%s does not agree with ply=%d", turn, ply)
	}
	return nil
}

// parseRows sets up the marbles; the top row comes first.
func parseRows(s core, t board.Text) error {
	size := s.set().size
	if err := t.CheckSize(size, size); err != nil {
		return err
	}
	for i, row := range t.Rows {
		for col := range size {
			switch row[col] {
			case 'X':
				s.place(col, size-1-i, games.First)
			case 'O':
				s.place(col, size-1-i, games.Second)
			case '.':
			default:
				return games.NoPosition("row %d of the board has a cell that is none of . X O", size-i)
			}
		}
	}
	return nil
}
