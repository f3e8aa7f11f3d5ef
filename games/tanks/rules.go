// Package tanks is Breakthrough Tanks: two armies that only go forward, and a far row to reach.
// RULES.md beside this file is the rule sheet; comments here name its sections.
package tanks

import (
	"math/bits"

	"ludoteca/games"
)

// What a tank may meet on the cell where it goes: nothing, or an enemy.
const (
	free = 1 << iota
	foe
	any = free | foe
)

// reach says what each kind may meet over one cell (0) and over two (1), to the left, straight ahead and to the right as
// seen by the first player; for the second it is the same, because no kind makes a difference between left and right.
// A turn, the table.
var reach = [Medium + 1][2][3]uint8{
	Heavy:     {{any, any, any}, {foe, foe, foe}},
	Destroyer: {{free, any, free}, {0, foe, 0}},
	Medium:    {{any, any, any}, {0, 0, 0}},
}

// A way is where the tanks of a side go.
type way struct {
	forward uint      // what to add to a cell to get the one in front of it, modulo the size of a word
	onto    [32]uint8 // by kind*8 + far*4 + side: bit n says that it may go onto contents of class n
}

// ways are the ways of both sides: up for the first, down for the second.
var ways = func() (w [2]way) {
	w[games.First].forward = stride
	w[games.Second].forward = -w[games.First].forward
	for kind, distances := range reach {
		for far, sides := range distances {
			for side, may := range sides {
				i := kind*8 + far*4 + side
				w[games.First].onto[i] = may&free<<empty | may&foe>>1<<tankOf(games.Second).class()
				w[games.Second].onto[i] = may&free<<empty | may&foe>>1<<tankOf(games.First).class()
			}
		}
	}
	return w
}()

// A State is a position of a game as search and playouts use it. It implements the rules, Position only wraps it.
// Its only pointers lead to tables that never change: an assignment copies it.
//
// Moves are found among tries: the moves that a tank could make if nothing stood in its way and everything could be
// captured. There are three for each tank, over one cell, and three more for each tank with a gun, over two. Every move is
// one try only. So to draw a random move it is enough to draw tries until one is a legal move: all moves are equally likely,
// and it takes as long on a large board as on a small one.
type State struct {
	board  [boardCells]content
	armies [2]army
	size   uint8
	turn   games.Side
	end    end
	winner games.Side // once the game has ended
}

// An end says how a game has ended, from its zero value on: not at all.
type end uint8

const (
	running end = iota
	breakthrough
	noPieces
)

// Turn is the side to move; after the end, the side that would have been.
func (s *State) Turn() games.Side { return s.turn }

// Result says whether the game is over.
func (s *State) Result() games.Result {
	switch s.end {
	case breakthrough:
		return games.Won(s.winner, reasonBreakthrough)
	case noPieces:
		return games.Won(s.winner, reasonNoPieces)
	}
	return games.Result{}
}

func code(from, to cell) games.Code { return games.Code(from<<cellBits | to) }

func cells(c games.Code) (from, to cell) { return cell(c >> cellBits), cell(c % (1 << cellBits)) }

// Moves appends all legal moves, in the order of their tries.
func (s *State) Moves(dst []games.Code) []games.Code {
	if s.end != running {
		return dst
	}
	for n := range s.tries() {
		if from, to, legal := s.try(n); legal {
			dst = append(dst, code(from, to))
		}
	}
	return dst
}

// tries returns how many tries the side to move has.
func (s *State) tries() int {
	a := &s.armies[s.turn%2]
	return 3 * int(a.tanks()+a.guns())
}

// try returns the n-th try, counted from 0, and whether it is a legal move: first three tries for each tank over one
// cell, then three for each with a gun over two.
func (s *State) try(n int) (from, to cell, legal bool) {
	a := &s.armies[s.turn%2]
	number, side := uint(n)/3, uint(n)%3
	far := number / max(a.tanks(), 1)
	t := a.list[number-far*a.tanks()]
	from = t.cell()
	to = from + cell((a.way.forward+side-1)<<far)
	return from, to, a.way.onto[uint(t.kind())*8+far*4+side]>>s.board[to].class()&1 == 1
}

// Play makes a legal move.
func (s *State) Play(c games.Code) {
	from, to := cells(c)
	var unused games.Random
	s.run(from, to, 1, &unused)
}

// Playout plays uniformly random legal moves to the end, or limit moves if limit is positive, and returns how many
// it played. For each move it draws tries, one number from r each, until one is legal; at the end it has taken one number
// more. A player always has a move, so a legal try comes up.
func (s *State) Playout(r *games.Random, limit int) (plies int) {
	if s.end != running {
		return 0
	}
	for {
		if from, to, legal := s.try(r.N(s.tries())); legal {
			return s.run(from, to, limit, r)
		}
	}
}

// run makes a legal move, and then random ones until the game is over or it has made limit moves in all; a limit below 1
// stops nothing. A turn; End of the game.
//
// This is one loop and not a loop around Play because it is where playouts spend their time, nearly all of it waiting
// to learn that they have guessed wrong whether a try is a legal move. So there are no other guesses in a try, the number for
// the next one is drawn before, and nothing goes through memory that fits in registers.
func (s *State) run(from, to cell, limit int, r *games.Random) (plies int) {
	mine, theirs := &s.armies[s.turn%2], &s.armies[s.turn.Other()%2]
	random := *r
	x := random.Uint64()
	for {
		me, victim := s.board[from%boardCells], s.board[to%boardCells]
		s.board[from%boardCells] = empty
		mine.list[me.number()] = mine.list[me.number()].to(to)
		if victim != empty {
			s.remove(theirs, victim)
		}
		s.board[to%boardCells] = me

		plies++
		if to-mine.far < stride || theirs.tanks() == 0 || plies == limit {
			*r = random
			s.stop(mine, theirs, to, plies)
			return plies
		}
		mine, theirs = theirs, mine

		tanks, triples := mine.tanks(), mine.tanks()+mine.guns()
		for {
			// The same as try(N(3*triples)) without a division.
			triple, rest := bits.Mul64(x, uint64(triples))
			side, _ := bits.Mul64(rest, 3)
			x = random.Uint64()

			near := uint(int(uint(triple)-tanks) >> 63) // all ones for a move over one cell, else 0
			t := mine.list[(uint(triple)-tanks&^near)%maxTanks]
			by := mine.way.forward + uint(side) - 1
			by += by &^ near
			from, to = t.cell(), t.cell()+cell(by)
			onto := mine.way.onto[(uint(t.kind())*8+4&^near+uint(side))%32]
			if onto>>s.board[to%boardCells].class()&1 == 1 {
				break
			}
		}
	}
}

// stop ends a run after the given number of plies, the last one by mine to a cell.
func (s *State) stop(mine, theirs *army, to cell, plies int) {
	mover := s.turn ^ games.Side(plies-1)&1
	s.turn = mover.Other()
	switch {
	case to-mine.far < stride:
		s.end, s.winner = breakthrough, mover
	case theirs.tanks() == 0:
		s.end, s.winner = noPieces, mover
	}
}

// Set makes s a copy of from.
func (s *State) Set(from games.State) { *s = *from.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() games.State {
	c := *s
	return &c
}
