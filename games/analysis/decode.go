package analysis

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"ludoteca/games"
)

// Decode reads what Encode has written, of any version of the method. Any input is safe, and takes memory in proportion
// to its size; the error wraps ErrForm.
func Decode(b []byte) (*Analysis, error) {
	r := &reader{rest: b}
	a := &Analysis{Version: r.number(maxCount), Nodes: r.number(maxCount)}
	words := r.words()
	n := r.number(MaxPlies + 1)
	if n > len(r.rest)/leastPoint { // believe no number before making room for it
		r.bad = true
	}
	if !r.bad {
		a.Points = make([]Point, n)
		for i := range a.Points {
			a.Points[i] = r.point(words)
		}
	}
	if r.bad || len(r.rest) > 0 {
		return nil, fmt.Errorf("%w: %d bytes that make no sense", ErrForm, len(b))
	}
	again, err := a.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, b) {
		return nil, fmt.Errorf("%w: it is written otherwise", ErrForm)
	}
	return a, nil
}

// The fewest bytes that a word and a point take.
const (
	leastWord  = 2
	leastPoint = 4
)

// A reader reads numbers and bytes. Once something is missing or out of range it is bad, and returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

// number reads a number from 0 to most.
func (r *reader) number(most int) int {
	v, n := binary.Uvarint(r.rest)
	if r.bad || n <= 0 || v > uint64(most) {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *reader) value() int {
	v, n := binary.Varint(r.rest)
	if r.bad || n <= 0 || v < -games.MaxEvaluation || v > games.MaxEvaluation {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) words() []games.Move {
	n := r.number(maxCount)
	if r.bad || n > len(r.rest)/leastWord {
		r.bad = true
		return nil
	}
	words := make([]games.Move, n)
	for i := range words {
		words[i] = games.Move(r.bytes(r.number(maxWord)))
	}
	return words
}

func (r *reader) point(words []games.Move) Point {
	kind := r.bytes(1)
	if r.bad {
		return Point{}
	}
	p := Point{Proven: Verdict(kind[0] & 3), Mark: Mark(kind[0] >> 2)}
	p.Value = r.value()
	p.Chance = float64(r.number(sure)) / sure
	if p.decided() {
		p.Plies = r.number(maxCount)
	}
	n := r.number(MaxLine)
	if r.bad || n == 0 {
		return p
	}
	p.Line = make([]games.Move, n)
	for i := range p.Line {
		if number := r.number(max(len(words)-1, 0)); number < len(words) {
			p.Line[i] = words[number]
		}
	}
	p.Best = p.Line[0]
	return p
}
