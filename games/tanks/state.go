// Package tanks is Breakthrough Tanks: two armies that only go forward, and a far row to reach.
// RULES.md beside this file is the rule sheet; comments here name its sections.
package tanks

import (
	"slices"

	"ludoteca/games"
)

// What a tank may meet on the cell where it goes: nothing, or an enemy.
const (
	free = 1 << iota
	foe
	either = free | foe
)

// reach says what each kind may meet over one cell (0) and over two (1), to the left, straight ahead and to the right as
// seen by the first player; for the second it is the same, because no kind makes a difference between left and right.
// A turn, the table.
var reach = [Medium + 1][2][3]uint8{
	Heavy:     {{either, either, either}, {foe, foe, foe}},
	Destroyer: {{free, either, free}, {0, foe, 0}},
	Medium:    {{either, either, either}, {0, 0, 0}},
}

// A direction says where the tanks of a side go.
type direction struct {
	forward uint      // what to add to a cell to get the one in front of it, modulo the size of a word
	onto    [32]uint8 // by kind*8 + far*4 + way: bit n says that it may go onto contents of class n
}

// target returns the cell that a tank comes to over one cell (far 0) or two (far 1), to the left, straight ahead or to the
// right, and whether it may go there.
func (d *direction) target(board *[boardCells]content, t tank, far, way uint) (to cell, ok bool) {
	to = t.cell() + cell((d.forward+way-1)<<far)
	return to, d.onto[(uint(t.kind())*8+far*4+way)%32]>>board[to%boardCells].class()&1 == 1
}

// directions are the directions of the two sides: up for the first, down for the second.
var directions = func() (d [2]direction) {
	d[games.First].forward = stride
	d[games.Second].forward = -d[games.First].forward
	for kind, distances := range reach {
		for far, ways := range distances {
			for way, may := range ways {
				i := kind*8 + far*4 + way
				d[games.First].onto[i] = may&free<<empty | may&foe>>1<<tankOf(games.Second).class()
				d[games.Second].onto[i] = may&free<<empty | may&foe>>1<<tankOf(games.First).class()
			}
		}
	}
	return d
}()

// A State is the rules: a position that plays moves and takes them back. It implements games.State.
type State struct {
	board  [boardCells]content
	armies [2]army
	size   uint8
	turn   games.Side
	games.Ending
	past []played
}

var _ games.State = (*State)(nil)

// An army is the tanks of one side by number, in any order. A tank that is captured leaves its number to the last one.
type army struct {
	tanks [maxTanks]tank
	count int
}

// list returns the tanks that are on the board.
func (a *army) list() []tank { return a.tanks[:a.count] }

// A played move is what it takes to undo it. The zero value is a pass, which only a search makes.
type played struct {
	code   games.Code
	victim tank
	number int8 // of the victim, or none
}

// none is the number of no tank.
const none = -1

// The reasons why a game ends, by their numbers in an Ending.
const (
	byBreakthrough uint8 = iota + 1
	byNoPieces
)

// reasons are the reason codes of the rule sheet.
var reasons = [...]string{byBreakthrough: "breakthrough", byNoPieces: "no_pieces"}

// clearBoard returns a board without tanks.
func clearBoard(size int, turn games.Side) *State {
	s := &State{size: uint8(size), turn: turn}
	for i := range s.board {
		s.board[i] = wall
	}
	for row := range size {
		for col := range size {
			s.board[at(col, row)] = empty
		}
	}
	return s
}

// start returns the position in which a game begins. Setup.
func start(size int) *State {
	s := clearBoard(size, games.First)
	for col := range size {
		home := Destroyer
		switch col {
		case 0, size - 1:
			home = Medium
		case size/2 - 1, size / 2:
			home = Heavy
		}
		s.add(games.First, home, at(col, 0))
		s.add(games.First, Medium, at(col, 1))
		s.add(games.Second, home, at(col, size-1))
		s.add(games.Second, Medium, at(col, size-2))
	}
	s.tidy()
	return s
}

// add puts a tank on the board; tidy must follow. It reports whether there was room in the army for one more.
func (s *State) add(side games.Side, k Kind, c cell) bool {
	a := &s.armies[side%2]
	if a.count == maxTanks {
		return false
	}
	a.tanks[a.count] = tank(k)<<cellBits | tank(c)
	a.count++
	return true
}

// tidy numbers the tanks anew: the heavies first, then the destroyers, then the mediums, each kind row by row from the bottom and
// each row from the left. So a position has one state only, whatever moves led to it.
func (s *State) tidy() {
	for side := range s.armies {
		a := &s.armies[side]
		slices.Sort(a.list())
		clear(a.tanks[a.count:])
		for i, t := range a.list() {
			s.board[t.cell()] = tankOf(games.Side(side)) | content(i)
		}
	}
}

// tankAt returns the tank on a cell, and whose it is.
func (s *State) tankAt(c cell) (side games.Side, t tank, held bool) {
	what := s.board[c]
	for side := range s.armies {
		if what.class() == tankOf(games.Side(side)).class() {
			return games.Side(side), s.armies[side].tanks[what.number()], true
		}
	}
	return games.First, 0, false
}

// Turn is the side to move; after the end, the side that would have been.
func (s *State) Turn() games.Side { return s.turn }

// Result reports whether the game is over.
func (s *State) Result() games.Result { return s.ResultOf(s.turn, reasons[:]) }

func code(from, to cell) games.Code { return games.Code(from<<cellBits | to) }

func cells(c games.Code) (from, to cell) { return cell(c >> cellBits), cell(c % (1 << cellBits)) }

// Moves appends all legal moves: those over one cell, tank by tank, then those over two. A turn.
func (s *State) Moves(dst []games.Code) []games.Code {
	if !s.Running() {
		return dst
	}
	d := &directions[s.turn%2]
	for far := range uint(2) {
		for _, t := range s.armies[s.turn%2].list() {
			if far == 1 && t.kind() == Medium {
				continue
			}
			for way := range uint(3) {
				if to, ok := d.target(&s.board, t, far, way); ok {
					dst = append(dst, code(t.cell(), to))
				}
			}
		}
	}
	return dst
}

// Play makes a legal move. A turn; End of the game.
func (s *State) Play(c games.Code) {
	from, to := cells(c)
	mover, enemy := &s.armies[s.turn%2], &s.armies[s.turn.Other()%2]
	me, victim := s.board[from], s.board[to]
	move := played{code: c, number: none}
	s.board[from] = empty
	if victim != empty {
		move.victim, move.number = enemy.tanks[victim.number()], int8(victim.number())
		enemy.count--
		last := enemy.tanks[enemy.count]
		enemy.tanks[victim.number()] = last
		s.board[last.cell()] = victim // its class, and the number that is free now
	}
	s.board[to] = me
	mover.tanks[me.number()] = mover.tanks[me.number()].to(to)
	s.past = append(s.past, move)
	switch {
	case to.row() == s.far(s.turn):
		s.Reason, s.Outcome = byBreakthrough, -1
	case enemy.count == 0:
		s.Reason, s.Outcome = byNoPieces, -1
	}
	s.turn = s.turn.Other()
}

// Undo takes the last move back.
func (s *State) Undo() {
	move := s.past[len(s.past)-1]
	s.past = s.past[:len(s.past)-1]
	s.turn = s.turn.Other()
	s.Ending = games.Ending{}
	if move == (played{}) {
		return
	}
	from, to := cells(move.code)
	mover, enemy := &s.armies[s.turn%2], &s.armies[s.turn.Other()%2]
	me := s.board[to]
	mover.tanks[me.number()] = mover.tanks[me.number()].to(from)
	s.board[from], s.board[to] = me, empty
	if move.number == none {
		return
	}
	class := tankOf(s.turn.Other())
	last := enemy.tanks[move.number]
	enemy.tanks[enemy.count] = last
	s.board[last.cell()] = class | content(enemy.count)
	enemy.count++
	enemy.tanks[move.number] = move.victim
	s.board[to] = class | content(move.number)
}

// far is the row that a side wants to reach.
func (s *State) far(side games.Side) int {
	if side == games.First {
		return int(s.size) - 1
	}
	return 0
}

// Clone returns an independent copy.
func (s *State) Clone() games.State { return s.clone() }

func (s *State) clone() *State {
	c := *s
	c.past = nil
	return &c
}
