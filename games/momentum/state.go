// Package momentum plays Momentum: every drop knocks its neighbours away, and the first to have all of its marbles on
// the board wins. RULES.md beside this file is the exact statement of the rules.
//
// State is the rules. Squares are bits, sixteen to a row, four rows to a word, with at least one unused square on every
// side of the board. So a square is one byte, a direction is a constant to add, and no step needs to ask for the edge:
//
//	# # # # # # #      column c of row r, both counted from 0, is square 16(r+1) + c+1
//	# . . . . . #      up is +16, right is +1, up and right is +17, ...
//	# . X O . . #
//	# . . . . . #      the eight neighbours of a square are three bits in each of three rows
//	# # # # # # #
//
// One set holds all marbles, another the marbles of the second player.
//
// State is for boards of up to 13 by 13 and up to 12 marbles each, as in most games. A wideState plays all others, by the same
// rules, and a Position asks either of them.
package momentum

import (
	"cmp"
	"math/bits"

	"ludoteca/games"
)

// Limit is the number of moves, of both players together, after which every game ends.
const Limit = 60

// swap stands in place of a square in a move. Square 0 is off every board.
const swap square = 0

// directions are the eight steps from a square to its neighbours, in the order of the bits of set.near. A step back is
// the negative, modulo 256.
var directions = [9]square{239, 240, 241, 255, 0, 1, 15, 16, 17}

// The most that a State has room for.
const (
	stateSize    = 13
	stateMarbles = 12
)

// settings are a complete set of options.
type settings struct {
	options games.Options
	size    int
	each    int // marbles of each player
}

func settingsOf(o games.Options) settings { return settings{o, o[optSize], o[optMarbles]} }

// rules is what one complete set of options comes to. All states of a game share it; it never changes.
type rules struct {
	settings
	squares []square       // the board, bottom row first, from left to right
	board   set            // the same
	rim     set            // the squares from which a marble can be pushed off
	inward  [256][3]square // by square of the rim: the directions into the board whose opposites lead off it
}

func newRules(o games.Options) *rules {
	r := &rules{settings: settingsOf(o)}
	for row := range r.size {
		for col := range r.size {
			r.squares = append(r.squares, squareAt(col, row))
			r.board.add(squareAt(col, row), 1)
		}
	}
	for _, at := range r.squares {
		n := 0
		for _, d := range directions {
			if !r.board.has(at-d) && r.board.has(at+d) {
				r.inward[at][n] = d
				r.rim.add(at, 1)
				n++
			}
		}
	}
	return r
}

// A State is the rules: a position that plays moves and takes them back. It implements games.State. Its move codes are
// squares, and 0 for the swap.
type State struct {
	present
	past  []present // before each of the moves that can be taken back
	rules *rules
}

// present is what a move changes.
type present struct {
	held   set // squares with a marble on them
	second set // squares with a marble of the second player
	standing
}

// standing is how a game stands, without the board.
type standing struct {
	placed [2]int // marbles on the board by side
	turn   games.Side
	ply    uint8
	games.Ending
}

var _ games.State = (*State)(nil)

// The reasons why a game ends, by their numbers in an Ending.
const (
	byAllPlaced uint8 = iota + 1
	byMoveLimit
)

// reasons are the reason codes of the rule sheet.
var reasons = [...]string{byAllPlaced: "all_placed", byMoveLimit: "move_limit"}

// Turn is the side to move.
func (s *standing) Turn() games.Side { return s.turn }

// Result reports whether the game is over.
func (s *standing) Result() games.Result { return s.ResultOf(s.turn, reasons[:]) }

// Moves appends the codes of the legal moves: the forced drops if there are any, else all empty cells and perhaps the
// swap.
func (s *State) Moves(dst []games.Code) []games.Code {
	if !s.Running() {
		return dst
	}
	if s.enemyHasOneLeft(s.rules.each) {
		if drops := s.forced(); drops.n > 0 {
			return drops.appendTo(dst)
		}
	}
	for _, at := range s.rules.squares {
		if !s.held.has(at) {
			dst = append(dst, games.Code(at))
		}
	}
	if s.canSwap() {
		dst = append(dst, games.Code(swap))
	}
	return dst
}

// Play makes a legal move.
func (s *State) Play(c games.Code) {
	s.past = append(s.past, s.present)
	if square(c) == swap {
		s.swap()
	} else {
		s.drop(square(c))
	}
	s.ply++
	s.turn = s.turn.Other()
	s.checkEnd(s.rules.each)
}

// Undo takes the last move back.
func (s *State) Undo() {
	last := len(s.past) - 1
	s.present = s.past[last]
	s.past = s.past[:last]
}

// drop puts a marble of the side to move on the empty square c and moves the last marble of every line beside it.
// A push stays on its own ray from c, so they can be made one after another.
func (s *State) drop(c square) {
	for near := s.held.near(c); near != 0; near &= near - 1 {
		last, beyond := s.line(c, directions[bits.TrailingZeros32(near)])
		s.push(last, beyond)
	}
	s.put(c, s.turn)
}

// line follows the unbroken line of marbles that begins beside c in direction d. It returns the last of them, which is
// c itself if there is none, and the square beyond, which is empty or off the board.
func (s *State) line(c, d square) (last, beyond square) {
	last, beyond = c, c+d
	for s.held.has(beyond) {
		last, beyond = beyond, beyond+d
	}
	return last, beyond
}

// push moves a marble, back to its owner's hand if there is no square to come to.
func (s *State) push(from, to square) {
	side := s.owner(from)
	s.held.remove(from)
	s.second.remove(from)
	s.placed[side]--
	if s.rules.board.has(to) {
		s.put(to, side)
	}
}

func (s *State) put(at square, side games.Side) {
	s.held.add(at, 1)
	s.second.add(at, uint64(side))
	s.placed[side]++
}

// word returns word i of the set of squares on which side has its marbles.
func (s *State) word(side games.Side, i int) uint64 {
	return s.held[i] & (s.second[i] ^ (uint64(side) - 1))
}

// owner returns whose marble is on a square that holds one.
func (s *State) owner(at square) games.Side { return games.Side(s.second.bit(at)) }

// swap puts a marble of the second player in the place of the only one on the board.
func (s *State) swap() {
	s.second = s.held
	s.placed = [2]int{0, 1}
}

// canSwap reports whether swap is legal. The marbles are counted because Parse takes positions that no game can reach.
func (s *standing) canSwap() bool {
	return s.ply == 1 && s.placed == [2]int{1, 0} && s.Running()
}

// checkEnd works out the result after a move in a game in which each side has each marbles.
func (s *standing) checkEnd(each int) {
	own, enemy := s.placed[s.turn], s.placed[s.turn.Other()]
	switch {
	case enemy == each:
		s.Reason, s.Outcome = byAllPlaced, -1
	case s.ply >= Limit:
		s.Reason, s.Outcome = byMoveLimit, int8(cmp.Compare(own, enemy))
	}
}

// enemyHasOneLeft reports whether the enemy of the side to move has one of its marbles left, so that forced drops come first.
func (s *standing) enemyHasOneLeft(each int) bool { return s.placed[s.turn.Other()] == each-1 }

// forced returns the drops that push an enemy marble off the board. Only a marble on the rim can be pushed off, and the
// drop that does it is the first empty square of a line that goes in from it.
func (s *State) forced() (drops list) {
	rim := s.rules.rim
	for i := range rim {
		w := rim[i] & s.word(s.turn.Other(), i)
		for ; w != 0; w &= w - 1 {
			at := square(i<<6 + bits.TrailingZeros64(w))
			for _, d := range s.rules.inward[at] {
				if _, beyond := s.line(at, d); s.rules.board.has(beyond) {
					drops.add(beyond)
				}
			}
		}
	}
	return drops
}

// Clone returns an independent copy.
func (s *State) Clone() games.State { return s.clone() }

func (s *State) clone() *State { return &State{present: s.present, rules: s.rules} }
