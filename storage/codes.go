package storage

import (
	"bytes"
	"context"
	"errors"
	"time"

	"ludoteca/storage/kv"
)

// ByCode returns the match that a code names, from its first event until CodeLife after its end, of a temporary one TemporaryLife. The caller gives
// the code in upper case. The error is ErrNotFound for a code that names nothing, or nothing any more.
func (s *MatchStore) ByCode(ctx context.Context, code string, now time.Time) (MatchID, error) {
	return view(ctx, s.engine, "match by code", func(r kv.Reader) (MatchID, error) { // without the code, which is a secret
		named, err := codes.Get(r, code)
		if err == nil && !named.ends.IsZero() && !now.Before(named.ends) {
			err = ErrNotFound
		}
		return named.match, err
	})
}

// A codeOf is the match that a code names.
type codeOf struct {
	match MatchID
	ends  time.Time // of the code; zero while the match goes on
}

// codes are the matches by code.
var codes = Table[string, codeOf]{
	Name: "codes", Traits: Traits{From: []string{"logs", "finished"}, Anew: true, Secret: true},
	Keys: Text(func(code string) bool { return code != "" && !isFingerprint(code) }),
	Values: Codec[string, codeOf]{
		Encode: func(c codeOf) ([]byte, error) {
			value := append([]byte(c.match), 0)
			if !c.ends.IsZero() {
				value = appendMS(value, c.ends.UnixMilli())
			}
			return value, nil
		},
		Decode: func(_ string, value []byte) (c codeOf, err error) {
			before, after, ok := bytes.Cut(value, []byte{0})
			switch {
			case !ok || len(before) == 0 || len(after) != 0 && len(after) != 8:
				return c, damaged("a code names nothing")
			case len(after) == 8:
				c.ends = fromMS(readMS(after))
			}
			c.match = MatchID(before)
			return c, nil
		},
	},
}

// A codeEnd is the end of a code.
type codeEnd struct {
	at   time.Time
	code string
}

// codeEnds are the codes in the order in which they end, of matches that have ended.
var codeEnds = Table[codeEnd, struct{}]{
	Name: "code_ends", Values: None[codeEnd](), Traits: Traits{From: []string{"logs", "finished"}, Anew: true, Secret: true},
	Keys: Join(Time(), Text[string](nil),
		func(e codeEnd) (time.Time, string) { return e.at, e.code },
		func(at time.Time, code string) codeEnd { return codeEnd{at, code} }),
}

// endCode lets a code of a match end at a time.
func endCode(tx kv.Tx, code string, id MatchID, at time.Time) error {
	codeEnds.add(tx, codeEnd{at, code})
	return codes.Put(tx, code, codeOf{id, at})
}

// Sweep forgets all codes that have ended by now, and returns how many, and with them the temporary records. ByCode does not find such codes
// anyway; this makes room.
func (s *MatchStore) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	for more := true; more; {
		var n int
		err := s.engine.Update(ctx, func(tx kv.Tx) (err error) {
			var old bool
			if n, err = sweepCodes(tx, now); err == nil {
				old, err = sweepOldVoids(tx, now)
			}
			more = n == sweepStep || old
			return err
		})
		if err != nil {
			return codesRemoved, err
		}
		codesRemoved += n
	}
	return codesRemoved, nil
}

// sweepCodes removes up to sweepStep codes, and the records of those of their matches that are temporary.
func sweepCodes(tx kv.Tx, now time.Time) (n int, err error) {
	for p, err := range tx.Scan(codeEnds.Under()) {
		if err != nil {
			return 0, err
		}
		end, ok := codeEnds.parse(p.Key)
		if !ok || end.at.After(now) || n == sweepStep {
			break
		}
		named, there, err := codes.Find(tx, end.code)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return 0, err
		}
		if there {
			if err := forget(tx, named.match, now); err != nil {
				return 0, err
			}
		}
		tx.Delete(p.Key)
		codes.Delete(tx, end.code)
		n++
	}
	return n, nil
}
