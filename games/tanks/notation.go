package tanks

import (
	"regexp"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/games/board"
)

// letters are the letters of the tanks in the board text, by side and kind.
var letters = [2][Medium + 1]byte{
	games.First:  {Heavy: 'T', Destroyer: 'D', Medium: 'M'},
	games.Second: {Heavy: 't', Destroyer: 'd', Medium: 'm'},
}

const emptyLetter = '.'

// sides are the words of the header.
var sides = [2]string{games.First: "bot", games.Second: "top"}

// A square is a cell as it is written, perhaps outside the board: column and row counted from 0.
type square struct{ col, row int }

// String returns the name of a square: "d4".
func (sq square) String() string { return board.Name(sq.col, sq.row) }

func (c cell) square() square { return square{c.col(), c.row()} }

// The marks between the two cells of a move.
const (
	toEmpty   = "-"
	toCapture = "x"
)

// Move returns the canonical text of a legal move.
func (s *State) Move(c games.Code) games.Move {
	from, to := cells(c)
	return s.text(from.square(), to.square())
}

// text returns a move as it must be written here.
func (s *State) text(from, to square) games.Move {
	mark := toEmpty
	if s.contains(to.col, to.row) && s.enemyOn(to) {
		mark = toCapture
	}
	return games.Move(from.String() + mark + to.String())
}

func (s *State) contains(col, row int) bool { return min(col, row) >= 0 && max(col, row) < int(s.size) }

// enemyOn reports whether a tank of the side that is not to move stands on a square of the board.
func (s *State) enemyOn(sq square) bool {
	side, _, held := s.tankAt(at(sq.col, sq.row))
	return held && side != s.turn
}

// written is a move as it is written. The columns have 26 letters and the rows two digits here, on boards of every size.
var written = regexp.MustCompile(`^([a-z][1-9][0-9]?)[-x]([a-z][1-9][0-9]?)$`)

// split takes the text of a move apart.
func split(text string) (from, to square, ok bool) {
	parts := written.FindStringSubmatch(text)
	if parts == nil {
		return square{}, square{}, false
	}
	return squareOf(parts[1]), squareOf(parts[2]), true
}

func squareOf(text string) square {
	col, row, _ := board.Square(text, 26, 99)
	return square{col, row}
}

// Read turns what a person typed into a move: the two cells say everything, so upper case, spaces, and a missing or wrong
// mark between them do not matter. Cells outside the board are read as well, so that Play can say what is wrong with them.
func (p *Position) Read(typed string) (games.Move, error) {
	from, to, ok := board.Pair(typed)
	if !ok {
		return "", notAMove(typed)
	}
	return p.s.text(squareOf(from), squareOf(to)), nil
}

func notAMove[M ~string](m M) error {
	return games.Illegal(m, "not a move (write two cells with - or x between them, like e2-e3)")
}

// Code returns the code of a legal move, or the error that names the broken rule.
func (s *State) Code(m games.Move) (games.Code, error) {
	from, to, ok := split(string(m))
	switch {
	case !ok:
		return 0, notAMove(m)
	case !s.Running():
		return 0, games.Illegal(m, "the game is over")
	case !s.contains(from.col, from.row):
		return 0, games.Illegal(m, "%s is outside the board", from)
	case !s.contains(to.col, to.row):
		return 0, games.Illegal(m, "%s is outside the board", to)
	}
	side, tank, held := s.tankAt(at(from.col, from.row))
	if !held || side != s.turn {
		return 0, games.Illegal(m, "no tank of yours on %s", from)
	}
	found := code(tank.cell(), at(to.col, to.row))
	if !slices.Contains(s.Moves(nil), found) {
		return 0, s.explain(m, tank, to)
	}
	if right := s.text(from, to); m != right && s.enemyOn(to) {
		return 0, games.Illegal(m, "a capture is written with x: %s", right)
	} else if m != right {
		return 0, games.Illegal(m, "a move to an empty cell is written with -: %s", right)
	}
	return found, nil
}

// explain returns the error that says why a tank cannot go to a square of the board. A turn.
func (s *State) explain(m games.Move, t tank, to square) error {
	from := t.cell().square()
	aside, ahead := max(to.col-from.col, from.col-to.col), to.row-from.row
	if s.turn == games.Second {
		ahead = -ahead
	}
	if side, _, held := s.tankAt(at(to.col, to.row)); held && side == s.turn {
		return games.Illegal(m, "your own tank is on %s", to)
	}
	shape := max(aside, ahead) <= 1 || ahead == 2 && aside != 1 && aside <= 2
	switch {
	case ahead <= 0:
		return games.Illegal(m, "tanks only go forward")
	case !shape:
		return games.Illegal(m, "no tank reaches %s from there", to)
	case ahead == 2 && !s.enemyOn(to):
		return games.Illegal(m, "two steps only to capture")
	case t.kind() == Medium:
		return games.Illegal(m, "a medium tank does not reach %s", to)
	}
	return games.Illegal(m, "destroyers capture only straight ahead")
}

// Rows returns the board text, top row first.
func (p *Position) Rows() []string {
	rows := make([]string, p.s.size)
	text := make([]byte, p.s.size)
	for row := range rows {
		for col := range text {
			text[col] = emptyLetter
			if side, t, held := p.s.tankAt(at(col, row)); held {
				text[col] = letters[side][t.kind()]
			}
		}
		rows[len(rows)-1-row] = string(text)
	}
	return rows
}

// String returns the position in one line: turn, size if it is not the default, rows.
func (p *Position) String() string {
	return board.Join(append([]string{"turn=" + sides[p.s.turn]}, about.Changed(p.Options())...), p.Rows())
}

// Parse reads a position in one line; turn must be given. The board may hold any tanks, up to 64 a side, as long as there
// are some.
func (g game) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "turn")
	if err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	turn := slices.Index(sides[:], t.Fields["turn"])
	if turn < 0 {
		return nil, games.NoPosition("turn must be given as bot or top")
	}
	s := clearBoard(o[optSize], games.Side(turn))
	if err := s.parseRows(t); err != nil {
		return nil, err
	}
	s.judge()
	return s.Freeze(), nil
}

// parseRows sets up the tanks.
func (s *State) parseRows(t board.Text) error {
	size := int(s.size)
	if err := t.CheckSize(size, size); err != nil {
		return err
	}
	tanks := 0
	for i, text := range t.Rows {
		row := size - 1 - i
		for col := range size {
			if text[col] == emptyLetter {
				continue
			}
			side, kind, ok := ofLetter(text[col])
			if !ok {
				return games.NoPosition("row %d of the board has a cell that is none of . M T D m t d", row+1)
			}
			if !s.add(side, kind, at(col, row)) {
				return games.NoPosition("more than %d tanks on one side", maxTanks)
			}
			tanks++
		}
	}
	if tanks == 0 {
		return games.NoPosition("there is no tank on the board")
	}
	s.tidy()
	return nil
}

func ofLetter(letter byte) (games.Side, Kind, bool) {
	for side := range letters {
		if kind := strings.IndexByte(string(letters[side][:]), letter); kind >= 0 {
			return games.Side(side), Kind(kind), true
		}
	}
	return games.First, 0, false
}

// judge finds out whether a position that was set up is the end of a game. Where both players have won, the one counts that
// has just moved, as if that move had won. End of the game.
func (s *State) judge() {
	for _, side := range []games.Side{s.turn.Other(), s.turn} {
		for _, t := range s.armies[side].list() {
			if t.cell().row() == s.far(side) {
				s.Reason, s.Outcome = byBreakthrough, int8(games.Won(side, "").For(s.turn))
				return
			}
		}
	}
	for _, side := range []games.Side{games.First, games.Second} {
		if s.armies[side.Other()].count == 0 {
			s.Reason, s.Outcome = byNoPieces, int8(games.Won(side, "").For(s.turn))
		}
	}
}
