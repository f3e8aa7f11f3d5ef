package puzzle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
)

// ErrText is wrapped by every error about a text that holds no puzzles.
var ErrText = errors.New("not the text of puzzles")

// A Set is the puzzles of a game, and how many positions were searched for them.
type Set struct {
	Game      games.Game
	Positions int // that were searched
	Games     int // that these positions came up in
	Puzzles   []*Puzzle
}

// The text of a set begins with a line of how many positions of how many games were searched. Each puzzle is a block of lines, and
// a line without text ends it:
//
//	puzzle 7kx3d plies=5 beyond=7 missed=2
//	last=e4 turn=X ....../......                  the position
//	d5(e6=f7(g8=e5 *=h8) b1,*=g8)                 the solution
//	e5=c4 *=d6                                    the replies to wrong first moves
//	*=d6                                          the replies to wrong second moves, and so on
//
// A step of the solution is a move, and in round brackets its answers to defences: moves, or * for all others, and the step after
// an equals sign. Replies to wrong moves are written as answers of one move. Moves that win as well as that of the main line have a
// plus sign instead.
const (
	headMark   = "searched"
	puzzleMark = "puzzle"
	noteMark   = "#"

	maxLine    = 1 << 14 // bytes
	maxPuzzles = 1 << 14 // of a set
	maxMove    = 16      // bytes of a move
	maxMissed  = 99
	maxCount   = 1 << 60

	otherMark = "*"
	winsMark  = "+"
)

// Of returns the puzzles that a game comes with. There are none if it is not games.Puzzled.
func Of(g games.Game) (Set, error) {
	p, ok := g.(games.Puzzled)
	if !ok {
		return Set{Game: g}, nil
	}
	return Read(g, p.Puzzles())
}

// Read reads the text of a set, as Set.String writes it. It refuses what is not of the form, positions that are none of the game,
// and main lines that are illegal or don't win in time. Puzzle.Check proves the rest. The error wraps ErrText and names the line.
// Any text is safe.
func Read(g games.Game, text string) (Set, error) {
	r := &reader{set: Set{Game: g}, ids: map[string]int{}}
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		r.line++
		if err := r.read(line); err != nil {
			return Set{}, fmt.Errorf("%w: line %d: %w", ErrText, r.line, err)
		}
	}
	if err := r.end(); err != nil {
		return Set{}, fmt.Errorf("%w: line %d: %w", ErrText, r.line, err)
	}
	return r.set, nil
}

// A reader reads one text.
type reader struct {
	set  Set
	line int
	next *Puzzle // the one that is being read, or nil
	ids  map[string]int
}

// read takes the next line.
func (r *reader) read(line string) error {
	switch {
	case len(line) > maxLine:
		return fmt.Errorf("it is longer than %d bytes", maxLine)
	case strings.HasPrefix(line, noteMark):
		return nil
	case line == "":
		return r.end()
	case r.next == nil:
		return r.begin(line)
	case r.next.Start == nil:
		start, err := games.Study(r.set.Game, line)
		if err != nil {
			return err
		}
		r.next.Start = start
		return nil
	case r.next.Solution == nil:
		step, err := readStep(line, r.next.Plies)
		if err != nil {
			return err
		}
		r.next.Solution = step
		return r.next.checkLine()
	case len(r.next.Wrong) == r.next.Moves():
		return errors.New("the puzzle should have ended with an empty line")
	}
	replies, err := readReplies(line)
	if err != nil {
		return err
	}
	if len(r.next.Wrong) == 0 && slices.ContainsFunc(replies, func(one Reply) bool { return one.Wins }) {
		return errors.New("only one first move may win")
	}
	r.next.Wrong = append(r.next.Wrong, replies)
	return nil
}

// begin reads the first line of a block, or of the text.
func (r *reader) begin(line string) error {
	words := strings.Split(line, " ")
	switch {
	case words[0] == headMark && len(words) == 3:
		var err1, err2 error
		r.set.Positions, err1 = field(words[1], "positions", 0, maxCount)
		r.set.Games, err2 = field(words[2], "games", 0, maxCount)
		return errors.Join(err1, err2)
	case words[0] != puzzleMark || len(words) != 5:
		return fmt.Errorf("a puzzle begins with %q, its ID and three numbers, not with %.40q", puzzleMark, line)
	case len(r.set.Puzzles) == maxPuzzles:
		return fmt.Errorf("there are more than %d puzzles", maxPuzzles)
	}
	p := &Puzzle{ID: words[1], Game: r.set.Game}
	if len(p.ID) != idLength || strings.Trim(p.ID, idLetters) != "" {
		return fmt.Errorf("%.40q is no ID of a puzzle", p.ID)
	}
	if at, twice := r.ids[p.ID]; twice {
		return fmt.Errorf("the puzzle %s is there twice, the first time in line %d", p.ID, at)
	}
	r.ids[p.ID] = r.line
	var errs [3]error
	p.Plies, errs[0] = field(words[2], "plies", MinPlies, MaxPlies)
	p.Beyond, errs[1] = field(words[3], "beyond", MinPlies, 2*MaxPlies+1)
	p.Missed, errs[2] = field(words[4], "missed", 0, maxMissed)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if p.Plies%2 == 0 || p.Beyond%2 == 0 || p.Beyond < p.Plies {
		return fmt.Errorf("a win takes an odd number of plies, and the other moves are looked at as far at least; here %d and %d", p.Plies, p.Beyond)
	}
	r.next = p
	return nil
}

// field reads a word KEY=NUMBER.
func field(word, key string, least, most int) (int, error) {
	text, ok := strings.CutPrefix(word, key+"=")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < least || n > most || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%.40q is not %s=N with N from %d to %d", word, key, least, most)
	}
	return n, nil
}

// end ends the present block, if there is one.
func (r *reader) end() error {
	p := r.next
	if p == nil {
		return nil
	}
	if len(p.Wrong) != p.Moves() {
		return fmt.Errorf("the puzzle %s ends too early: it has replies to the wrong moves at %d of %d moves", p.ID, len(p.Wrong), p.Moves())
	}
	r.set.Puzzles = append(r.set.Puzzles, p)
	r.next = nil
	return nil
}

// checkLine reports whether the main line is legal and wins in exactly the plies of the puzzle.
func (p *Puzzle) checkLine() error {
	state, line := p.Start.State(), p.Line()
	if len(line) != p.Plies {
		return fmt.Errorf("the main line has %d moves, not %d", len(line), p.Plies)
	}
	for i, m := range line {
		if state.Result().Over {
			return fmt.Errorf("the main line goes on after the end of the game, with move %d, %s", i+1, m)
		}
		c, err := state.Code(m)
		if err != nil {
			return fmt.Errorf("move %d of the main line: %w", i+1, err)
		}
		state.Play(c)
	}
	if state.Result().For(p.Side()) != 1 {
		return errors.New("the main line doesn't win")
	}
	return nil
}

// readStep reads a step that wins within some plies.
func readStep(text string, plies int) (*Step, error) {
	s := &scanner{text: text}
	step, err := s.step(plies)
	if err == nil && s.at != len(text) {
		err = s.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return step, nil
}

// readReplies reads the replies to wrong moves.
func readReplies(text string) (replies []Reply, err error) {
	s := &scanner{text: text}
	for {
		moves, others, err := s.moves()
		if err != nil {
			return nil, err
		}
		r := Reply{Moves: moves, Others: others}
		if !others && s.skip(winsMark[0]) {
			r.Wins = true
		} else if r.Reply, err = s.move(); err != nil {
			return nil, err
		}
		replies = append(replies, r)
		if s.at == len(text) {
			return replies, nil
		}
		if !s.skip(' ') {
			return nil, s.unexpected()
		}
	}
}

// A scanner reads a line from left to right.
type scanner struct {
	text string
	at   int
}

// skip passes over a character and reports whether it was there.
func (s *scanner) skip(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// unexpected returns the error about what stands at the present place.
func (s *scanner) unexpected() error {
	if s.at == len(s.text) {
		return errors.New("the line ends too early")
	}
	return fmt.Errorf("%.20q is unexpected in column %d", s.text[s.at:], s.at+1)
}

// isOfMove reports whether a character may stand in a move.
func isOfMove(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == ':'
}

// move reads a move.
func (s *scanner) move() (games.Move, error) {
	begin := s.at
	for s.at < len(s.text) && isOfMove(s.text[s.at]) {
		s.at++
	}
	if s.at == begin || s.at-begin > maxMove {
		s.at = begin
		return "", s.unexpected()
	}
	return games.Move(s.text[begin:s.at]), nil
}

// moves reads a list of moves, the mark of all others at its end, and the equals sign.
func (s *scanner) moves() (moves []games.Move, others bool, err error) {
	for {
		if s.skip(otherMark[0]) {
			others = true
			break
		}
		m, err := s.move()
		if err != nil {
			return nil, false, err
		}
		moves = append(moves, m)
		if !s.skip(',') {
			break
		}
	}
	if !s.skip('=') {
		return nil, false, s.unexpected()
	}
	return moves, others, nil
}

// step reads a step that wins within some plies.
func (s *scanner) step(plies int) (*Step, error) {
	m, err := s.move()
	if err != nil {
		return nil, err
	}
	step := &Step{Move: m}
	if !s.skip('(') {
		return step, nil
	}
	if plies < MinPlies {
		return nil, fmt.Errorf("%s at column %d is one move too many", m, s.at-len(m))
	}
	for {
		moves, others, err := s.moves()
		if err != nil {
			return nil, err
		}
		next, err := s.step(plies - 2)
		if err != nil {
			return nil, err
		}
		step.Answers = append(step.Answers, Answer{moves, others, next})
		if s.skip(')') {
			return step, nil
		}
		if !s.skip(' ') {
			return nil, s.unexpected()
		}
	}
}

// String returns the set as text, which Read reads.
func (s Set) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s positions=%d games=%d\n", headMark, s.Positions, s.Games)
	for _, p := range s.Puzzles {
		b.WriteString("\n" + p.String())
	}
	return b.String()
}

// String returns the block of lines of a puzzle.
func (p *Puzzle) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s plies=%d beyond=%d missed=%d\n%s\n%s\n", puzzleMark, p.ID, p.Plies, p.Beyond, p.Missed, p.Start, p.Solution)
	for _, replies := range p.Wrong {
		for i, r := range replies {
			if i > 0 {
				b.WriteByte(' ')
			}
			writeMoves(&b, r.Moves, r.Others)
			if r.Wins {
				b.WriteString(winsMark)
			}
			b.WriteString(string(r.Reply))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// String returns the text of a step.
func (s *Step) String() string {
	var b strings.Builder
	s.write(&b)
	return b.String()
}

func (s *Step) write(b *strings.Builder) {
	b.WriteString(string(s.Move))
	for i, a := range s.Answers {
		if i == 0 {
			b.WriteByte('(')
		} else {
			b.WriteByte(' ')
		}
		writeMoves(b, a.Defences, a.Others)
		a.Step.write(b)
	}
	if len(s.Answers) > 0 {
		b.WriteByte(')')
	}
}

// writeMoves writes a list of moves, the mark of all others, and the equals sign.
func writeMoves(b *strings.Builder, moves []games.Move, others bool) {
	for i, m := range moves {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(m))
	}
	if others {
		if len(moves) > 0 {
			b.WriteByte(',')
		}
		b.WriteString(otherMark)
	}
	b.WriteByte('=')
}
