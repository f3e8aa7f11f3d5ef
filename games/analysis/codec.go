package analysis

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"ludoteca/games"
)

// The stored form of an analysis
//
//	version, nodes
//	number of words, then each: length, text          the moves that come up, each once
//	number of points, then each:
//	  kind                                            2 bits of judgement, 2 bits of mark, 1 bit if there is a claim
//	  value (signed), thousandths of the chance
//	  plies                                           only if a win is proven
//	  number of moves in the line, then each: the number of its word
//	  if there is a claim: the number of the word of its kind, its count,
//	    0 or 1 and the number of the word of its move, number of cells, then each: the number of its word
//
// Analyses that were stored before there were claims have none, and are otherwise of the same form. The kinds and cells of claims are words as
// moves are.
//
// Numbers are varints; kind is one byte. Whatever differs from what Encode writes is refused.

// Bounds of the stored form.
const (
	maxWord  = 64 // bytes of a move: several times the longest there is
	maxCells = 32 // of a claim
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
		for _, m := range a.Points[i].words() {
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
		kind := byte(p.Proven) | byte(p.Mark)<<2
		if p.Why.Kind != "" {
			kind |= claimBit
		}
		b = append(b, kind)
		b = binary.AppendVarint(b, int64(p.Value))
		b = binary.AppendUvarint(b, uint64(shareOf(p.Chance, games.First)))
		if p.decided() {
			b = binary.AppendUvarint(b, uint64(p.Plies))
		}
		b = binary.AppendUvarint(b, uint64(len(p.Line)))
		for _, m := range p.Line {
			b = binary.AppendUvarint(b, number[m])
		}
		if p.Why.Kind != "" {
			b = appendClaim(b, &p.Why, number)
		}
	}
	return b, nil
}

// claimBit is set in the kind of a point with a claim.
const claimBit = 1 << 4

// words returns all words of a point.
func (p *Point) words() []games.Move {
	words := slices.Clone(p.Line)
	if p.Why.Kind == "" {
		return words
	}
	words = append(words, games.Move(p.Why.Kind))
	if p.Why.Move != "" {
		words = append(words, p.Why.Move)
	}
	for _, c := range p.Why.Cells {
		words = append(words, games.Move(c))
	}
	return words
}

// appendClaim appends a claim.
func appendClaim(b []byte, c *games.Claim, number map[games.Move]uint64) []byte {
	b = binary.AppendUvarint(b, number[games.Move(c.Kind)])
	b = binary.AppendUvarint(b, uint64(c.Count))
	if c.Move == "" {
		b = append(b, 0)
	} else {
		b = binary.AppendUvarint(append(b, 1), number[c.Move])
	}
	b = binary.AppendUvarint(b, uint64(len(c.Cells)))
	for _, cell := range c.Cells {
		b = binary.AppendUvarint(b, number[games.Move(cell)])
	}
	return b
}

// checkClaim refuses what would not come back from the stored form of a claim.
func checkClaim(c *games.Claim) error {
	if c.Kind == "" {
		if c.Move != "" || c.Cells != nil || c.Count != 0 {
			return fmt.Errorf("a claim of no kind")
		}
		return nil
	}
	if c.Count < 0 || c.Count > maxCount || len(c.Cells) > maxCells || c.Cells != nil && len(c.Cells) == 0 {
		return fmt.Errorf("a claim about %d, on %d cells", c.Count, len(c.Cells))
	}
	words := Point{Why: *c}
	for _, w := range words.words() {
		if err := checkWord(w); err != nil {
			return err
		}
	}
	return nil
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
		return fmt.Errorf("judgement %d, mark %d", p.Proven, p.Mark)
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
	return checkClaim(&p.Why)
}

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

// Decode reads what Encode has written, of any version of the method. Any input is safe, and takes memory in proportion
// to its size; the error wraps ErrForm.
func Decode(b []byte) (*Analysis, error) {
	r := &reader{rest: b}
	a := &Analysis{Version: r.number(maxCount), Nodes: r.number(maxCount)}
	words := r.words()
	n := r.number(MaxPlies + 1)
	if n > len(r.rest)/leastPoint { // check the number before making room for it
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
	claimed := kind[0]&claimBit != 0
	p := Point{Proven: Judgement(kind[0] & 3), Mark: Mark(kind[0] &^ claimBit >> 2)}
	p.Value = r.value()
	p.Chance = float64(r.number(sure)) / sure
	if p.decided() {
		p.Plies = r.number(maxCount)
	}
	if n := r.number(MaxLine); !r.bad && n > 0 {
		p.Line = make([]games.Move, n)
		for i := range p.Line {
			p.Line[i] = r.word(words)
		}
		p.Best = p.Line[0]
	}
	if claimed {
		p.Why = r.claim(words)
	}
	return p
}

// word reads the number of a word.
func (r *reader) word(words []games.Move) games.Move {
	if number := r.number(max(len(words)-1, 0)); number < len(words) {
		return words[number]
	}
	return ""
}

func (r *reader) claim(words []games.Move) games.Claim {
	c := games.Claim{Kind: string(r.word(words)), Count: r.number(maxCount)}
	if r.number(1) == 1 {
		c.Move = r.word(words)
	}
	if n := r.number(maxCells); !r.bad && n > 0 {
		c.Cells = make([]string, n)
		for i := range c.Cells {
			c.Cells[i] = string(r.word(words))
		}
	}
	return c
}
