package tanks

import (
	"slices"

	"ludoteca/games"
)

// maxSize is the largest number of columns and of rows.
const maxSize = 26

// A cell is its place in State.board. There are 32 to a row, on boards of every size, so that two walls at least stand
// beside every row; a row of walls lies below the board and one above. No move goes further out.
type cell uint

const (
	stride     = 32
	boardCells = 1 << cellBits // more than 28 rows need: an index cut to these bits is always inside
	cellBits   = 10
)

func at(col, row int) cell { return cell((row+1)*stride + col + 2) }

func (c cell) col() int { return int(c%stride) - 2 }
func (c cell) row() int { return int(c/stride) - 1 }

// A content is what stands on a cell: the upper two bits are its class, the others the number of a tank in its army.
type content uint8

// A wall has the class bits of both sides, so that it is neither free nor anybody's enemy.
const (
	empty content = 0
	wall  content = 3 << 6
)

func tankOf(side games.Side) content { return content(side%2+1) << 6 }

func (c content) class() content { return c >> 6 }
func (c content) number() int    { return int(c % maxTanks) }

// A Kind is one of the three kinds of tank.
type Kind uint8

// The kinds, those with a gun that reaches two cells first.
const (
	Heavy Kind = iota
	Destroyer
	Medium
)

// String returns "heavy", "destroyer" or "medium".
func (k Kind) String() string { return [...]string{"heavy", "destroyer", "medium"}[k%3] }

// A tank is its kind and the cell where it stands.
type tank uint16

func (t tank) kind() Kind { return Kind(t >> cellBits) }
func (t tank) cell() cell { return cell(t % (1 << cellBits)) }

// to returns the tank on another cell.
func (t tank) to(c cell) tank { return t>>cellBits<<cellBits | tank(c) }

// maxTanks is how many tanks of a side fit on a board that is set up. In a game it has 52 at most.
const maxTanks = 64

// An army is the tanks of one side, numbered without a gap: the heavies first, then the destroyers, then the mediums.
type army struct {
	way  *way             // where they go
	far  cell             // the wall at the left of the row they want to reach
	list [maxTanks]tank   // by number
	upTo [Medium + 1]uint // how many there are of this kind and those before it
}

// tanks returns how many there are of all kinds, and guns how many heavies and destroyers.
func (a *army) tanks() uint { return a.upTo[Medium] }
func (a *army) guns() uint  { return a.upTo[Destroyer] }

// count returns how many there are of a kind.
func (a *army) count(k Kind) int {
	if k == Heavy {
		return int(a.upTo[Heavy])
	}
	return int(a.upTo[k] - a.upTo[k-1])
}

// clearBoard returns a board without tanks.
func clearBoard(size int, turn games.Side) State {
	s := State{size: uint8(size), turn: turn}
	for i := range s.board {
		s.board[i] = wall
	}
	for row := range size {
		for col := range size {
			s.board[at(col, row)] = empty
		}
	}
	for side := range s.armies {
		s.armies[side].way = &ways[side]
	}
	s.armies[games.First].far = at(-2, size-1)
	s.armies[games.Second].far = at(-2, 0)
	return s
}

// start returns the position in which a game begins. Setup.
func start(size int) State {
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

// add puts a tank on the board; tidy must follow, which settles its number and that of the others. It says whether there
// was room in the army for one more.
func (s *State) add(side games.Side, k Kind, c cell) bool {
	a := &s.armies[side%2]
	if a.tanks() == maxTanks {
		return false
	}
	a.list[a.tanks()] = tank(k)<<cellBits | tank(c)
	for ; k <= Medium; k++ {
		a.upTo[k]++
	}
	return true
}

// tidy numbers the tanks anew, those of one kind row by row from the bottom and each row from the left, so that a
// position has one state only, whatever the way that led to it.
func (s *State) tidy() {
	for side := range s.armies {
		a := &s.armies[side]
		slices.Sort(a.list[:a.tanks()])
		clear(a.list[a.tanks():])
		for i, t := range a.list[:a.tanks()] {
			s.board[t.cell()] = tankOf(games.Side(side)) | content(i)
		}
	}
}

// remove takes a tank out of its army; its cell is left to the caller. The last tank of its kind gets its number, and so
// on with the kinds after it, so that there is no gap.
func (s *State) remove(a *army, victim content) {
	gap := victim.number()
	for k := a.list[gap].kind(); k <= Medium; k++ {
		a.upTo[k]--
		last := int(a.upTo[k] % maxTanks)
		if last == gap {
			continue // there is none of this kind behind the gap
		}
		a.list[gap] = a.list[last]
		s.board[a.list[gap].cell()] = victim.class()<<6 | content(gap)
		gap = last
	}
}

// tankAt returns the tank on a cell, and whose it is.
func (s *State) tankAt(c cell) (side games.Side, t tank, held bool) {
	what := s.board[c]
	for side := range s.armies {
		if what.class() == tankOf(games.Side(side)).class() {
			return games.Side(side), s.armies[side].list[what.number()], true
		}
	}
	return games.First, 0, false
}
