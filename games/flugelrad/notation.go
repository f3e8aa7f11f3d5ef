package flugelrad

import (
	"fmt"
	"regexp"
	"strings"

	"ludoteca/games"
	"ludoteca/games/board"
)

// marks are the letters of the sides in the board text.
var marks = [2]byte{games.First: 'X', games.Second: 'O'}

// Move returns the canonical text of a move.
func (s *State) Move(c games.Code) games.Move {
	wheel, steps := decode(c)
	return games.Move([]byte{'0' + byte(wheel), ':', '0' + byte(steps)})
}

// Code returns the code of a legal move, or the error that names the broken rule.
func (s *State) Code(m games.Move) (games.Code, error) {
	wheel, steps, ok := split(string(m))
	switch {
	case !s.Running():
		return 0, games.Illegal(m, "the game is over")
	case !ok:
		return 0, games.Illegal(m, notATurn)
	}
	switch s.barred(wheel) {
	case JustTurned:
		return 0, games.Illegal(m, "wheel %d was turned just now", wheel)
	case NoBalls:
		return 0, games.Illegal(m, "wheel %d is empty", wheel)
	}
	if s.idle(wheel).turns(wheel)&only(code(wheel, steps)) != 0 {
		return 0, games.Illegal(m, "this turn would change nothing")
	}
	return code(wheel, steps), nil
}

const notATurn = "a turn is a wheel from 0 to 6, a colon and 1 to 5 steps"

// split reads the canonical text of a move.
func split(m string) (wheel, steps int, ok bool) {
	if len(m) != 3 || m[1] != ':' {
		return 0, 0, false
	}
	wheel, steps = int(m[0])-'0', int(m[2])-'0'
	return wheel, steps, wheel >= 0 && wheel < Wheels && steps >= 1 && steps <= stepsOfWheel
}

// Read turns what a person typed into a move: the two digits say everything, so spaces, and a missing or wrong mark between
// them do not matter.
func (p *Position) Read(typed string) (games.Move, error) {
	m := typedTurn.ReplaceAllString(strings.TrimSpace(board.Fold(typed)), "$1:$2")
	if _, _, ok := split(m); !ok {
		return "", games.Illegal(typed, notATurn)
	}
	return games.Move(m), nil
}

var typedTurn = regexp.MustCompile(`^([0-9]) *[:-]? *([0-9])$`)

// Rows returns the board text, one row.
func (p *Position) Rows() []string { return []string{textOf(p.s.balls())} }

// textOf returns the points 1 to 30 in order.
func textOf(balls [2]grid) string {
	row := make([]byte, Points)
	for i := range row {
		row[i] = '.'
		for side, mark := range marks {
			if balls[side]&table.bit[i+1] != 0 {
				row[i] = mark
			}
		}
	}
	return string(row)
}

// String returns the position in one line: turn, last, turns, options that are not the defaults, board. Earlier
// positions are not in it, so one that is read back has come up once.
func (p *Position) String() string {
	header := []string{fmt.Sprintf("turn=%c", marks[p.s.turn])}
	if p.s.last != noWheel {
		header = append(header, fmt.Sprintf("last=%d", p.s.last))
	}
	header = append(header, fmt.Sprintf("turns=%d", p.s.turns))
	return board.Join(append(header, about.Changed(p.s.rules.options)...), p.Rows())
}

// maxTurns is the largest number of turns that Parse accepts: more than any game has, and far from overflow.
const maxTurns = 1_000_000_000

// Parse reads a position in one line. turn must be given; without last no wheel is locked, and turns is 0 if left out.
// Each side must have its nine balls.
func (g game) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "turn", "last", "turns")
	if err != nil {
		return nil, err
	}
	s := new(State)
	if err := s.parseHeader(t.Fields); err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	s.rules = newRules(o)
	if limit := s.rules.moveLimit; limit > 0 && int(s.turns) > limit {
		return nil, games.NoPosition("turns=%d is more than the limit of %d", s.turns, limit)
	}
	balls, err := parseBalls(strings.Join(t.Rows, "/"))
	if err != nil {
		return nil, err
	}
	s.setUp(balls)
	return s.Freeze(), nil
}

// parseHeader sets the turn, the wheel turned last and the number of turns.
func (s *State) parseHeader(fields map[string]string) error {
	switch turn, given := fields["turn"]; {
	case !given:
		return games.NoPosition("turn is missing")
	case turn == "O":
		s.turn = games.Second
	case turn != "X":
		return games.NoPosition("turn is neither X nor O")
	}
	s.last = noWheel
	if last, given := fields["last"]; given {
		wheel, ok := board.Number(last, Wheels-1)
		if !ok {
			return games.NoPosition("last is not a wheel from 0 to %d", Wheels-1)
		}
		s.last = int8(wheel)
	}
	if turns, given := fields["turns"]; given {
		number, ok := board.Number(turns, maxTurns)
		if !ok {
			return games.NoPosition("turns is not a number from 0 to %d", maxTurns)
		}
		s.turns = int32(number)
	}
	return nil
}

// parseBalls reads the board text.
func parseBalls(row string) (balls [2]grid, err error) {
	if len(row) != Points {
		return balls, games.NoPosition("the board has %d points instead of %d", len(row), Points)
	}
	for i := range Points {
		switch row[i] {
		case marks[games.First]:
			balls[games.First] |= table.bit[i+1]
		case marks[games.Second]:
			balls[games.Second] |= table.bit[i+1]
		case '.':
		default:
			return balls, games.NoPosition("point %d is none of . X O", i+1)
		}
	}
	if x, o := count(balls[games.First]), count(balls[games.Second]); x != ballsEach || o != ballsEach {
		return balls, games.NoPosition("there are %d X and %d O on the board instead of %d each", x, o, ballsEach)
	}
	return balls, nil
}
