package analysis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"ludoteca/games"
)

// The stored form of an analysis
//
//	version, nodes
//	number of words, then each: length, text          the moves that come up, each once
//	number of points, then each:
//	  kind                                            2 bits of verdict, 2 bits of mark
//	  value (signed), thousandths of the chance
//	  plies                                           only if a win is proven
//	  number of moves in the line, then each: the number of its word
//
// Numbers are varints; kind is one byte. Whatever differs from what Encode writes is refused.

// Bounds of the stored form.
const (
	maxWord  = 64 // bytes of a move: several times the longest there is
	maxCount = math.MaxInt32
)

// ErrForm is wrapped by every error about bytes that Decode can't make an analysis of.
var ErrForm = errors.New("this is no analysis")

// Encode returns the stored form of an analysis. The error wraps ErrForm if Decode would not read it.
func (a *Analysis) Encode() ([]byte, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	number := map[games.Move]uint64{}
	var words []games.Move
	for i := range a.Points {
		for _, m := range a.Points[i].Line {
			if _, known := number[m]; !known {
				number[m] = uint64(len(words))
				words = append(words, m)
			}
		}
	}
	b := binary.AppendUvarint(nil, uint64(a.Version))
	b = binary.AppendUvarint(b, uint64(a.Nodes))
	b = binary.AppendUvarint(b, uint64(len(words)))
	for _, w := range words {
		b = binary.AppendUvarint(b, uint64(len(w)))
		b = append(b, w...)
	}
	b = binary.AppendUvarint(b, uint64(len(a.Points)))
	for i := range a.Points {
		p := &a.Points[i]
		b = append(b, byte(p.Proven)|byte(p.Mark)<<2)
		b = binary.AppendVarint(b, int64(p.Value))
		b = binary.AppendUvarint(b, uint64(shareOf(p.Chance, games.First)))
		if p.decided() {
			b = binary.AppendUvarint(b, uint64(p.Plies))
		}
		b = binary.AppendUvarint(b, uint64(len(p.Line)))
		for _, m := range p.Line {
			b = binary.AppendUvarint(b, number[m])
		}
	}
	return b, nil
}

// check refuses what would not come back from its stored form as it is.
func (a *Analysis) check() error {
	if a.Version < 1 || a.Version > maxCount || a.Nodes < 0 || a.Nodes > maxCount {
		return fmt.Errorf("%w: version %d, %d nodes", ErrForm, a.Version, a.Nodes)
	}
	if n := len(a.Points); n < 1 || n > MaxPlies+1 {
		return fmt.Errorf("%w: %d positions", ErrForm, n)
	}
	for i := range a.Points {
		if err := a.Points[i].check(); err != nil {
			return fmt.Errorf("%w: position %d: %w", ErrForm, i, err)
		}
	}
	return nil
}

// check says what makes no sense in a point.
func (p *Point) check() error {
	best := games.Move("")
	if len(p.Line) > 0 {
		best = p.Line[0]
	}
	switch {
	case p.Value < -games.MaxEvaluation || p.Value > games.MaxEvaluation:
		return fmt.Errorf("a value of %d", p.Value)
	case !(p.Chance >= 0 && p.Chance <= 1) || float64(shareOf(p.Chance, games.First))/sure != p.Chance:
		return fmt.Errorf("a chance of %v", p.Chance)
	case p.Proven > ProvenDraw || p.Mark > Blunder:
		return fmt.Errorf("verdict %d, mark %d", p.Proven, p.Mark)
	case p.Plies < 0 || p.Plies > maxCount || p.Plies > 0 && !p.decided():
		return fmt.Errorf("%d plies to the end", p.Plies)
	case len(p.Line) > MaxLine || p.Best != best:
		return fmt.Errorf("the best move is %.20q, the line has %d", p.Best, len(p.Line))
	}
	for _, m := range p.Line {
		if err := checkWord(m); err != nil {
			return err
		}
	}
	return nil
}

// decided says whether the position is a proven win of either side.
func (p *Point) decided() bool { return p.Proven == ProvenFirst || p.Proven == ProvenSecond }

// checkWord refuses what no game writes as a move.
func checkWord(m games.Move) error {
	for _, c := range []byte(m) {
		if c <= ' ' || c > '~' {
			return fmt.Errorf("the move %.20q", m)
		}
	}
	if m == "" || len(m) > maxWord {
		return fmt.Errorf("a move of %d bytes", len(m))
	}
	return nil
}
