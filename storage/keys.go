package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// A KeyForm is how the keys of a table are written. They sort as the parts of which they consist, one after the other: texts by their
// bytes, numbers and times by their value. A text that isn't the last part ends with a zero byte, which no text holds.
type KeyForm[K any] struct {
	Add   func(b []byte, k K) []byte
	Parse func(b []byte) (k K, ok bool)
	Valid func(k K) bool   // reports whether it can be a key of the table, which a damaged store has to be asked
	Shown func(k K) string // for an operator; nil: the bytes, printed safely
	size  int              // bytes of each key; 0: a text
}

// ShownAs returns the same form, with keys that are shown to an operator as text returns them.
func (f KeyForm[K]) ShownAs(text func(K) string) KeyForm[K] {
	f.Shown = text
	return f
}

// Text is the form of keys that are one text. valid reports whether one can be a key; nil is that it isn't empty.
func Text[K ~string](valid func(K) bool) KeyForm[K] {
	if valid == nil {
		valid = func(k K) bool { return k != "" }
	}
	return KeyForm[K]{
		Add:   func(b []byte, k K) []byte { return append(b, k...) },
		Parse: func(b []byte) (k K, ok bool) { return K(b), true },
		Valid: func(k K) bool { return strings.IndexByte(string(k), 0) < 0 && valid(k) },
	}
}

// Number is the form of keys that are numbers: 8 bytes, big endian.
func Number() KeyForm[uint64] {
	return KeyForm[uint64]{Add: AppendSeq, Parse: ReadSeq, Valid: func(uint64) bool { return true }, Shown: func(k uint64) string { return fmt.Sprint(k) }, size: 8}
}

// Byte is the form of keys that are one byte.
func Byte() KeyForm[byte] {
	return KeyForm[byte]{
		Add: func(b []byte, k byte) []byte { return append(b, k) },
		Parse: func(b []byte) (k byte, ok bool) {
			if len(b) != 1 {
				return 0, false
			}
			return b[0], true
		},
		Valid: func(byte) bool { return true },
		size:  1,
	}
}

// Time is the form of keys that are times, in milliseconds: 8 bytes that sort.
func Time() KeyForm[time.Time] {
	return KeyForm[time.Time]{
		Add: func(b []byte, at time.Time) []byte { return AppendMS(b, at.UnixMilli()) },
		Parse: func(b []byte) (at time.Time, ok bool) {
			if len(b) != 8 {
				return at, false
			}
			return FromMS(ReadMS(b)), true
		},
		Valid: func(at time.Time) bool { return at.UnixMilli()>>56 == 0 }, // a time of this age of the world
		Shown: func(at time.Time) string { return at.Format(time.RFC3339) },
		size:  8,
	}
}

// Join is the form of keys that consist of a text, a number or a time, and of something else.
func Join[K, A, B any](first KeyForm[A], second KeyForm[B], apart func(K) (A, B), together func(A, B) K) KeyForm[K] {
	return KeyForm[K]{
		Add: func(b []byte, k K) []byte {
			x, y := apart(k)
			b = first.Add(b, x)
			if first.size == 0 {
				b = append(b, 0)
			}
			return second.Add(b, y)
		},
		Parse: func(b []byte) (k K, ok bool) {
			head, rest := b, []byte(nil)
			if first.size == 0 {
				if head, rest, ok = bytes.Cut(b, []byte{0}); !ok {
					return k, false
				}
			} else {
				if len(b) < first.size {
					return k, false
				}
				head, rest = b[:first.size], b[first.size:]
			}
			x, ok := first.Parse(head)
			y, ok2 := second.Parse(rest)
			if !ok || !ok2 {
				return k, false
			}
			return together(x, y), true
		},
		Valid: func(k K) bool {
			x, y := apart(k)
			return first.Valid(x) && second.Valid(y)
		},
	}
}

// AppendSeq appends a number so that keys sort by it: 8 bytes, big endian.
func AppendSeq(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

// ReadSeq reads what AppendSeq wrote.
func ReadSeq(b []byte) (n uint64, ok bool) {
	if len(b) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}
