package ugi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
)

// A Command is a line that a GUI sends to an engine. String returns the line without its end.
type Command interface {
	fmt.Stringer
	isCommand()
}

// The commands without arguments.
type (
	Hello   struct{} // asks the engine who it is, and begins the session
	IsReady struct{} // asks whether the engine has done all that it was told
	NewGame struct{} // says that what follows is of another game
	Stop    struct{} // ends the search
	Quit    struct{} // ends the engine
)

// SetOption gives an option of the engine a value.
type SetOption struct{ Name, Value string }

// SetPosition says which position the commands after it are about: the one after Moves from a start.
type SetPosition struct {
	From  string // the position to start from, in one line; "" is the start of the game
	Moves []games.Move
}

// A Clock is what a side has left for the game.
type Clock struct{ Left, Increment time.Duration }

// Go asks for a move within limits. The zero value of each is no limit.
type Go struct {
	Clocks   [2]*Clock // of the sides, in the order of play; nil if the line says nothing of a side
	MoveTime time.Duration
	Depth    int // in plies
	Nodes    int // positions
	Infinite bool
}

// A Query asks about the present position.
type Query struct{ About string }

// What can be asked by a Query.
const (
	FirstToMove = "p1turn"   // answered by true or false
	GameOver    = "gameover" // answered by true or false
	GameResult  = "result"   // answered by p1win, p2win, draw or none
)

// commands are all commands by their first words: how each reads the words after that. The error of each is about its arguments.
var commands = map[string]func(words) (Command, error){
	"ugi":        func(words) (Command, error) { return Hello{}, nil },
	"isready":    func(words) (Command, error) { return IsReady{}, nil },
	"uginewgame": func(words) (Command, error) { return NewGame{}, nil },
	"stop":       func(words) (Command, error) { return Stop{}, nil },
	"quit":       func(words) (Command, error) { return Quit{}, nil },
	"setoption":  readSetOption,
	"position":   readPosition,
	"go":         readGo,
	"query":      readQuery,
}

// ParseCommand reads a line. The error wraps ErrUnknown if it begins with no command, and ErrSyntax if its command is not written as it
// should be. An empty line is unknown.
func ParseCommand(line string) (Command, error) {
	w := wordsOf(line)
	name := w.next()
	read, ok := commands[name]
	if !ok {
		return nil, fmt.Errorf("%w command %.40q", ErrUnknown, name)
	}
	c, err := read(w)
	if err != nil {
		return nil, fmt.Errorf("%s %w: %w", name, ErrSyntax, err)
	}
	return c, nil
}

func (Hello) isCommand()       {}
func (IsReady) isCommand()     {}
func (NewGame) isCommand()     {}
func (Stop) isCommand()        {}
func (Quit) isCommand()        {}
func (SetOption) isCommand()   {}
func (SetPosition) isCommand() {}
func (Go) isCommand()          {}
func (Query) isCommand()       {}

func (Hello) String() string   { return "ugi" }
func (IsReady) String() string { return "isready" }
func (NewGame) String() string { return "uginewgame" }
func (Stop) String() string    { return "stop" }
func (Quit) String() string    { return "quit" }

// readSetOption reads "name NAME value VALUE". Both may have spaces; a button has no value.
func readSetOption(w words) (Command, error) {
	if w.next() != "name" {
		return nil, fmt.Errorf("it is setoption name NAME value VALUE")
	}
	name, _ := w.until("value")
	if name == "" {
		return nil, fmt.Errorf("the name is missing")
	}
	return SetOption{name, w.rest()}, nil
}

func (c SetOption) String() string {
	line := "setoption name " + plain(c.Name)
	if value := plain(c.Value); value != "" {
		line += " value " + value
	}
	return line
}

// readPosition reads "startpos" or "fen TEXT", and "moves MOVE ..." after it.
func readPosition(w words) (Command, error) {
	var p SetPosition
	var behind string
	switch w.next() {
	case "startpos":
		var extra string
		if extra, behind = w.until("moves"); extra != "" {
			return nil, fmt.Errorf("only moves can follow startpos, not %.40q", extra)
		}
	case "fen":
		if p.From, behind = w.until("moves"); p.From == "" {
			return nil, fmt.Errorf("the text behind fen is missing")
		}
	default:
		return nil, fmt.Errorf("it is position startpos or position fen TEXT")
	}
	if behind != "" {
		for _, m := range w {
			p.Moves = append(p.Moves, games.Move(m))
		}
	}
	return p, nil
}

func (c SetPosition) String() string {
	var line strings.Builder
	line.WriteString("position startpos")
	if c.From != "" {
		line.Reset()
		line.WriteString("position fen " + plain(c.From))
	}
	if len(c.Moves) > 0 {
		line.WriteString(" moves")
		for _, m := range c.Moves {
			line.WriteString(" " + string(m))
		}
	}
	return line.String()
}

// The largest numbers that are told apart; larger ones count as these.
const (
	maxMilliseconds = 1e12 // some 31 years
	maxNumber       = 1e15
)

// readGo reads limits. By the custom of UCI it ignores words that it doesn't know.
func readGo(w words) (Command, error) {
	var g Go
	var left, increment [2]*time.Duration
	times := map[string]**time.Duration{
		"p1time": &left[games.First], "p2time": &left[games.Second], "p1inc": &increment[games.First], "p2inc": &increment[games.Second],
	}
	for len(w) > 0 {
		var err error
		switch word := w.next(); word {
		case "p1time", "p2time", "p1inc", "p2inc":
			var n int64
			n, err = number(word, w.next(), -maxMilliseconds, maxMilliseconds)
			d := time.Duration(max(n, 0)) * time.Millisecond // a clock may have run out
			*times[word] = &d
		case "movetime":
			var n int64
			n, err = number(word, w.next(), 1, maxMilliseconds)
			g.MoveTime = time.Duration(n) * time.Millisecond
		case "depth":
			g.Depth, err = count(word, w.next())
		case "nodes":
			g.Nodes, err = count(word, w.next())
		case "infinite":
			g.Infinite = true
		}
		if err != nil {
			return nil, err
		}
	}
	for side := range left {
		if left[side] == nil {
			continue // an increment alone is no clock
		}
		g.Clocks[side] = &Clock{Left: *left[side]}
		if increment[side] != nil {
			g.Clocks[side].Increment = *increment[side]
		}
	}
	return g, nil
}

// count reads a number from 1 on.
func count(name, word string) (int, error) {
	n, err := number(name, word, 1, maxNumber)
	return int(n), err
}

// number reads a number from least on. One above most counts as most.
func number(name, word string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil && !(isNumber(word) && word[0] != '-') || n < least {
		return 0, fmt.Errorf("%s takes a number from %d on, not %.40q", name, max(least, 0), word)
	}
	return min(n, most), nil
}

// isNumber reports whether a word is a whole number, however large.
func isNumber(word string) bool {
	digits := strings.TrimPrefix(word, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func (g Go) String() string {
	var line strings.Builder
	line.WriteString("go")
	for i, c := range g.Clocks {
		if c != nil {
			fmt.Fprintf(&line, " p%dtime %d", i+1, c.Left.Milliseconds())
		}
	}
	for i, c := range g.Clocks {
		if c != nil {
			fmt.Fprintf(&line, " p%dinc %d", i+1, c.Increment.Milliseconds())
		}
	}
	if g.MoveTime > 0 {
		fmt.Fprintf(&line, " movetime %d", max(g.MoveTime.Milliseconds(), 1))
	}
	if g.Depth > 0 {
		fmt.Fprintf(&line, " depth %d", g.Depth)
	}
	if g.Nodes > 0 {
		fmt.Fprintf(&line, " nodes %d", g.Nodes)
	}
	if g.Infinite {
		line.WriteString(" infinite")
	}
	return line.String()
}

// readQuery reads what is asked. What the protocol doesn't know is left to the engine.
func readQuery(w words) (Command, error) {
	about := w.rest()
	if about == "" {
		return nil, fmt.Errorf("it is query p1turn, query gameover or query result")
	}
	return Query{about}, nil
}

func (c Query) String() string { return "query " + plain(c.About) }

// ResultWord returns the answer to the query GameResult.
func ResultWord(r games.Result) string {
	switch {
	case !r.Over:
		return "none"
	case r.Draw:
		return "draw"
	case r.Winner == games.First:
		return "p1win"
	}
	return "p2win"
}
