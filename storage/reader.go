package storage

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Reader reads numbers and bytes from a value that may be damaged. Once something is missing it is bad, and
// returns zeros.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Wholly returns ErrDamaged if something was missing or something is left.
func (r *Reader) Wholly() error {
	if r.Bad || len(r.Rest) > 0 {
		return fmt.Errorf("%w: a rating makes no sense", ErrDamaged)
	}
	return nil
}

// Float reads the bits of a number.
func (r *Reader) Float() float64 {
	if b := r.Bytes(8); b != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Uvarint reads a number without a sign, as encoding/binary writes it.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	return took(r, v, n)
}

// Varint reads a number with a sign, as encoding/binary writes it.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	return took(r, v, n)
}

func took[T any](r *Reader, v T, n int) (zero T) {
	if r.Bad || n <= 0 {
		r.Bad = true
		return zero
	}
	r.Rest = r.Rest[n:]
	return v
}

// Bytes reads n bytes, which share the memory of the value.
func (r *Reader) Bytes(n uint64) []byte {
	if r.Bad || n > uint64(len(r.Rest)) {
		r.Bad = true
		return nil
	}
	b := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return b
}

// Text reads bytes after their number.
func (r *Reader) Text() []byte { return r.Bytes(r.Uvarint()) }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}
