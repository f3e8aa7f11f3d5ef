package storage

import (
	"bytes"
	"fmt"
	"time"
)

// A Codec is how the values of a table are written. The key is known when a value is read, so the value need not repeat it. The errors
// of Encode wrap ErrInvalid, the errors of Decode ErrDamaged.
type Codec[K, V any] struct {
	Encode func(v V) ([]byte, error)
	Decode func(k K, value []byte) (V, error)
	valid  func(v V) bool // reports whether it can be a value of the table, which a damaged store has to be asked; nil: all can
}

// JSON is the codec of values that are stored as they are, as JSON, sealed.
func JSON[K, V any](version int) Codec[K, V] {
	return JSONAs(version, func(v V) V { return v }, func(_ K, v V) (V, error) { return v, nil })
}

// JSONAs is the codec of values that are stored in a form J of their own, as JSON, sealed.
func JSONAs[K, V, J any](version int, to func(V) J, from func(K, J) (V, error)) Codec[K, V] {
	return Codec[K, V]{
		Encode: func(v V) ([]byte, error) { return SealJSON(version, to(v)) },
		Decode: func(k K, value []byte) (v V, err error) {
			content, err := Unseal(value, version)
			if err != nil {
				return v, err
			}
			var j J
			if err := ParseJSON(content, &j); err != nil {
				return v, err
			}
			return from(k, j)
		},
	}
}

// None is the codec of tables whose keys say all.
func None[K any]() Codec[K, struct{}] {
	return Codec[K, struct{}]{
		Encode: func(struct{}) ([]byte, error) { return nil, nil },
		Decode: func(_ K, value []byte) (none struct{}, err error) {
			if len(value) > 0 {
				err = fmt.Errorf("%w: a value where there is none", ErrDamaged)
			}
			return none, err
		},
	}
}

// TimeOrNone is the codec of times in whole milliseconds. The zero time is written as no bytes.
func TimeOrNone[K any]() Codec[K, time.Time] {
	return Codec[K, time.Time]{
		Encode: func(t time.Time) ([]byte, error) {
			if t.IsZero() {
				return nil, nil
			}
			return AppendMS(nil, t.UnixMilli()), nil
		},
		Decode: func(_ K, value []byte) (time.Time, error) {
			switch len(value) {
			case 0:
				return time.Time{}, nil
			case 8:
				return FromMS(ReadMS(value)), nil
			}
			return time.Time{}, Damaged("a time of %d bytes", len(value))
		},
	}
}

// RawBytes is the codec of values that are bytes, which valid accepts.
func RawBytes(valid func([]byte) bool) Codec[string, []byte] {
	return Codec[string, []byte]{
		Encode: func(b []byte) ([]byte, error) { return b, nil },
		Decode: func(_ string, value []byte) ([]byte, error) {
			if !valid(value) {
				return nil, Damaged("a value that makes no sense")
			}
			return bytes.Clone(value), nil
		},
	}
}

// Plain is the codec of values that are one text. valid reports whether one can be a value.
func Plain[K any, V ~string](valid func(V) bool) Codec[K, V] {
	return Codec[K, V]{
		Encode: func(v V) ([]byte, error) { return []byte(v), nil },
		Decode: func(_ K, value []byte) (V, error) { return V(value), nil },
		valid:  valid,
	}
}
