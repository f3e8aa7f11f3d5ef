package flugelrad

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ludoteca/games"
)

// marks are the letters of the sides in the board text.
var marks = [2]byte{games.First: 'X', games.Second: 'O'}

// Move returns the canonical text of a move.
func (s *State) Move(c games.Code) games.Move {
	wheel, steps := decode(c)
	return games.Move([]byte{'0' + byte(wheel), ':', '0' + byte(steps)})
}

// Code returns the code of a move, and whether it is legal.
func (s *State) Code(m games.Move) (c games.Code, legal bool) {
	c, err := s.find(m)
	return c, err == nil
}

// find returns the code of a legal move, or the error that names the broken rule.
func (s *State) find(m games.Move) (games.Code, error) {
	wheel, steps, ok := split(string(m))
	switch {
	case s.result.Over:
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
	if s.balls.turn(wheel, steps) == s.balls {
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

// Read turns what a person typed into a move: spaces may stand around it, and instead of the colon.
func (p *Position) Read(typed string) (games.Move, error) {
	m := strings.TrimSpace(typed)
	if wheel, steps, ok := strings.Cut(m, " "); ok {
		m = wheel + ":" + strings.TrimLeft(steps, " ")
	}
	if _, _, ok := split(m); !ok {
		return "", games.Illegal(typed, notATurn)
	}
	return games.Move(m), nil
}

// Rows returns the board text, one row.
func (p *Position) Rows() []string { return []string{p.s.balls.text()} }

// text returns the points 1 to 30 in order.
func (s sides) text() string {
	row := make([]byte, Points)
	for i := range row {
		row[i] = '.'
		for side, mark := range marks {
			if s[side]&table.bit[i+1] != 0 {
				row[i] = mark
			}
		}
	}
	return string(row)
}

// String returns the position in one line: turn, last, turns, options that are not the defaults, board. Earlier
// positions are not in it, so one that is read back has come up once.
func (p *Position) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn=%c ", marks[p.s.turn])
	if p.s.last != noWheel {
		fmt.Fprintf(&b, "last=%d ", p.s.last)
	}
	fmt.Fprintf(&b, "turns=%d ", p.s.turns)
	for _, o := range about.Options {
		if v := p.s.rules.options[o.Key]; v != o.Default {
			fmt.Fprintf(&b, "%s=%d ", o.Key, v)
		}
	}
	return b.String() + p.s.balls.text()
}

// maxTurns is the largest number of turns that Parse takes: more than anybody plays, and far from overflow.
const maxTurns = 1_000_000_000

// Parse reads a position in one line. turn must be given; without last no wheel is locked, and turns is 0 if left out.
// Each side must have its nine balls.
func (g game) Parse(text string) (games.Position, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("empty position")
	}
	p := &Position{}
	options, err := p.s.parseHeader(words[:len(words)-1])
	if err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, options)
	if err != nil {
		return nil, err
	}
	p.s.rules = newRules(o)
	if limit := p.s.rules.moveLimit; limit > 0 && p.s.turns > limit {
		return nil, fmt.Errorf("turns=%d is more than the limit of %d", p.s.turns, limit)
	}
	if err := p.s.balls.parse(words[len(words)-1]); err != nil {
		return nil, err
	}
	p.s.end(everywhere)
	return p, nil
}

// parseHeader takes turn, last and turns out of the words and returns the others, which should be options.
func (s *State) parseHeader(words []string) (options []string, err error) {
	given := map[string]string{}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		if key != "turn" && key != "last" && key != "turns" {
			options = append(options, w)
			continue
		}
		if _, twice := given[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		given[key] = value
	}
	switch turn, ok := given["turn"]; {
	case !ok:
		return nil, errors.New("turn is missing")
	case turn == "O":
		s.turn = games.Second
	case turn != "X":
		return nil, errors.New("turn is neither X nor O")
	}
	s.last = noWheel
	if last, ok := given["last"]; ok {
		if s.last, err = strconv.Atoi(last); err != nil || s.last < 0 || s.last >= Wheels {
			return nil, errors.New("last is not a wheel from 0 to 6")
		}
	}
	if turns, ok := given["turns"]; ok {
		if s.turns, err = strconv.Atoi(turns); err != nil || s.turns < 0 || s.turns > maxTurns {
			return nil, fmt.Errorf("turns is not a number from 0 to %d", maxTurns)
		}
	}
	return options, nil
}

// parse reads the board text.
func (s *sides) parse(row string) error {
	if len(row) != Points {
		return fmt.Errorf("the board has %d points instead of %d", len(row), Points)
	}
	for i := range Points {
		switch row[i] {
		case marks[games.First]:
			s[games.First] |= table.bit[i+1]
		case marks[games.Second]:
			s[games.Second] |= table.bit[i+1]
		case '.':
		default:
			return fmt.Errorf("point %d is none of . X O", i+1)
		}
	}
	if x, o := count(s[games.First]), count(s[games.Second]); x != ballsEach || o != ballsEach {
		return fmt.Errorf("there are %d X and %d O on the board instead of %d each", x, o, ballsEach)
	}
	return nil
}
