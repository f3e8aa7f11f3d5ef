package momentum

import (
	"math/bits"

	"ludoteca/games"
)

// square is a place on the board or around it: the row in the upper four bits, the column in the lower.
type square uint8

func squareAt(col, row int) square { return square((row+1)<<4 | col + 1) }
func (sq square) col() int         { return int(sq&15) - 1 }
func (sq square) row() int         { return int(sq>>4) - 1 }

// set is a set of squares, one bit each.
type set [4]uint64

func (s *set) bit(sq square) uint64      { return s[sq>>6] >> (sq & 63) & 1 }
func (s *set) has(sq square) bool        { return s.bit(sq) != 0 }
func (s *set) add(sq square, bit uint64) { s[sq>>6] |= bit << (sq & 63) } // nothing if bit is 0
func (s *set) remove(sq square)          { s[sq>>6] &^= 1 << (sq & 63) }

// near returns which neighbours of a square of a board are in the set, as bits numbered like directions: three bits of
// each of three rows, without the square itself.
func (s *set) near(sq square) uint32 {
	below, beside, above := sq-17, sq-1, sq+15
	return uint32(s[below>>6]>>(below&63)&7 |
		s[beside>>6]>>(beside&63)&5<<3 |
		s[above>>6]>>(above&63)&7<<6)
}

func (s *set) count() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// list is a set of few squares in the order in which they were added. There is room for every forced drop: at most 11 marbles
// of the enemy are on the rim, and each can be pushed off in at most three directions.
type list struct {
	squares [64]square
	n       uint8
	seen    set
}

func (l *list) add(sq square) {
	l.squares[l.n&63] = sq
	l.n += uint8(1 - l.seen.bit(sq)) // if it is there already, the next one takes the place
	l.seen.add(sq, 1)
}

func (l *list) appendTo(dst []games.Code) []games.Code {
	for _, sq := range l.squares[:l.n] {
		dst = append(dst, games.Code(sq))
	}
	return dst
}
