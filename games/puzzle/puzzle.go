// Package puzzle is puzzles: positions in which exactly one first move wins by force, with the answer to every defence and a reply to
// every wrong move. It reads them from text, proves them again, and plays them with people.
//
// The puzzles of a game are text beside its engine, games/GAME/puzzles.txt, which `ludoteca puzzles` makes: some 300 to 600 bytes
// each, 300 KB for all games.
package puzzle

import (
	"hash/fnv"
	"slices"

	"ludoteca/games"
)

// A Puzzle is a position in which the side to move wins within some plies by exactly one first move; by one or several in the puzzle of a win that
// a player missed in a match, which no text holds.
type Puzzle struct {
	ID    string         // idLength characters, which follow from the position
	Game  games.Game     // that it is of
	Start games.Position // the position
	Plies int            // within which the solution wins: an odd number, from MinPlies to MaxPlies; 1, too, if a player missed the win

	// Beyond is how far the other first moves were looked at: none of them wins within Beyond plies. It is Plies or more.
	Beyond int

	// Missed is how many computer players chose another first move, of those that were asked.
	Missed int

	Solution *Step

	// Wrong has, for each move that the side to move makes in the main line, the replies to the other moves.
	Wrong [][]Reply
}

// The plies of a solution. A win in one move is no puzzle.
const (
	MinPlies = 3
	MaxPlies = 15
)

// A Step is a move of the side that solves the puzzle, and its answers to what the other side can do then.
type Step struct {
	Move games.Move

	// Answers are none if the move wins at once. The first defence of the first answer is one that holds out longest.
	Answers []Answer
}

// An Answer is the step that wins after some defences.
type Answer struct {
	Defences []games.Move
	Others   bool // after all defences too that have no answer of their own
	Step     *Step
}

// After returns the step that answers a defence, or nil.
func (s *Step) After(defence games.Move) *Step {
	var others *Step
	for i := range s.Answers {
		a := &s.Answers[i]
		if slices.Contains(a.Defences, defence) {
			return a.Step
		}
		if a.Others {
			others = a.Step
		}
	}
	return others
}

// Longest returns the defence that holds out longest and the step that answers it, or nil if the move of s wins at once.
func (s *Step) Longest() (defence games.Move, answer *Step) {
	if len(s.Answers) == 0 || len(s.Answers[0].Defences) == 0 {
		return "", nil
	}
	return s.Answers[0].Defences[0], s.Answers[0].Step
}

// A Reply is the move of the other side after some wrong moves. Where Wins is set, the moves are none of the wrong ones: they win in
// time as well as the move of the main line. In the puzzles that games come with there are such moves after the first move alone.
type Reply struct {
	Moves  []games.Move
	Others bool // after all wrong moves too that have no reply of their own
	Reply  games.Move
	Wins   bool
}

// replyTo returns the reply to a move; "" if there is none. wins reports that the move wins, too.
func replyTo(replies []Reply, move games.Move) (reply games.Move, wins bool) {
	for i := range replies {
		r := &replies[i]
		if slices.Contains(r.Moves, move) {
			return r.Reply, r.Wins
		}
		if r.Others {
			reply = r.Reply
		}
	}
	return reply, false
}

// Side returns the side that is to win.
func (p *Puzzle) Side() games.Side { return p.Start.Turn() }

// Moves returns how many moves the side to move needs.
func (p *Puzzle) Moves() int { return (p.Plies + 1) / 2 }

// Line returns the main line: the solution against the longest defence, Plies moves.
func (p *Puzzle) Line() (line []games.Move) {
	for s := p.Solution; s != nil; {
		line = append(line, s.Move)
		defence, next := s.Longest()
		if next != nil {
			line = append(line, defence)
		}
		s = next
	}
	return line
}

// What the first rating of a puzzle is made of.
const (
	ratingOfTwo    = 900 // a win in two moves that no computer player misses
	ratingOfMove   = 200 // for each further move
	ratingOfMissed = 130 // for each computer player that misses the first move
)

// Rating returns the rating that a puzzle begins with, by its length and by how many computer players miss its first move.
func (p *Puzzle) Rating() int {
	return ratingOfTwo + (p.Moves()-2)*ratingOfMove + p.Missed*ratingOfMissed
}

// Canonical returns a text that puzzles of a game share exactly if their positions turn into each other by a symmetry of the game.
func Canonical(g games.Game, start games.Position) string {
	text := start.String()
	if s, ok := g.(games.Symmetric); ok {
		text = s.Canonical(start)
	}
	return g.About().ID + " " + start.Options().String() + " " + text
}

// The form of an ID. There are no vowels, so it is never a word.
const (
	idLength  = 5
	idLetters = "0123456789bcdfghjkmnpqrstvwxz"
)

// IDOf returns the ID of the puzzle with a canonical text.
func IDOf(canonical string) string {
	h := fnv.New64a()
	h.Write([]byte(canonical))
	sum := h.Sum64()
	id := make([]byte, idLength)
	for i := range id {
		id[i] = idLetters[sum%uint64(len(idLetters))]
		sum /= uint64(len(idLetters))
	}
	return string(id)
}
