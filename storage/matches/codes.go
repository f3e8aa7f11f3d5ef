package matches

import (
	"bytes"
	"context"
	"errors"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// ByCode returns the match that a code names, from the first event of the match until CodeLife after its end, or TemporaryLife if it is
// temporary. The caller gives the code in upper case. The error is ErrNotFound for an unknown or expired code.
func (s *Store) ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error) {
	return storage.View(ctx, s.engine, "match by code", func(r kv.Reader) (storage.MatchID, error) { // without the code, which is a secret
		named, err := Codes.Get(r, code)
		if err == nil && !named.Ends.IsZero() && !now.Before(named.Ends) {
			err = storage.ErrNotFound
		}
		return named.Match, err
	})
}

// A CodeOf is the match that a code names.
type CodeOf struct {
	Match storage.MatchID
	Ends  time.Time // of the code; zero while the match goes on
}

// Codes are the matches by code.
var Codes = storage.Table[string, CodeOf]{
	Name: "codes", Traits: storage.Traits{From: []string{"logs", "finished"}, Anew: true, Secret: true},
	Keys: storage.Text(func(code string) bool { return code != "" && !storage.IsFingerprint(code) }),
	Values: storage.Codec[string, CodeOf]{
		Encode: func(c CodeOf) ([]byte, error) {
			value := append([]byte(c.Match), 0)
			if !c.Ends.IsZero() {
				value = storage.AppendMS(value, c.Ends.UnixMilli())
			}
			return value, nil
		},
		Decode: func(_ string, value []byte) (c CodeOf, err error) {
			before, after, ok := bytes.Cut(value, []byte{0})
			switch {
			case !ok || len(before) == 0 || len(after) != 0 && len(after) != 8:
				return c, storage.Damaged("a code names nothing")
			case len(after) == 8:
				c.Ends = storage.FromMS(storage.ReadMS(after))
			}
			c.Match = storage.MatchID(before)
			return c, nil
		},
	},
}

// A CodeEnd is the end of a code.
type CodeEnd struct {
	At   time.Time
	Code string
}

// CodeEnds are the codes in the order in which they end, of matches that have ended.
var CodeEnds = storage.Table[CodeEnd, struct{}]{
	Name: "code_ends", Values: storage.None[CodeEnd](), Traits: storage.Traits{From: []string{"logs", "finished"}, Anew: true, Secret: true},
	Keys: storage.Join(storage.Time(), storage.Text[string](nil),
		func(e CodeEnd) (time.Time, string) { return e.At, e.Code },
		func(at time.Time, code string) CodeEnd { return CodeEnd{at, code} }),
}

// EndCode lets a code of a match end at a time.
func EndCode(tx kv.Tx, code string, id storage.MatchID, at time.Time) error {
	CodeEnds.Add(tx, CodeEnd{at, code})
	return Codes.Put(tx, code, CodeOf{id, at})
}

// Sweep removes all expired codes, with the temporary records, and returns how many codes it removed. ByCode doesn't find expired codes
// anyway; Sweep makes room.
func (s *Store) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	for more := true; more; {
		var n int
		err := s.engine.Update(ctx, func(tx kv.Tx) (err error) {
			var old bool
			if n, err = sweepCodes(tx, now); err == nil {
				old, err = results.SweepOldVoids(tx, now)
			}
			more = n == storage.SweepStep || old
			return err
		})
		if err != nil {
			return codesRemoved, err
		}
		codesRemoved += n
	}
	return codesRemoved, nil
}

// sweepCodes removes up to SweepStep codes, and the records of their temporary matches.
func sweepCodes(tx kv.Tx, now time.Time) (n int, err error) {
	for p, err := range tx.Scan(CodeEnds.All().Range) {
		if err != nil {
			return 0, err
		}
		end, ok := CodeEnds.Parse(p.Key)
		if !ok || end.At.After(now) || n == storage.SweepStep {
			break
		}
		named, there, err := Codes.Find(tx, end.Code)
		if err != nil && !errors.Is(err, storage.ErrDamaged) {
			return 0, err
		}
		if there {
			if err := results.Forget(tx, named.Match, now); err != nil {
				return 0, err
			}
		}
		tx.Delete(p.Key)
		Codes.Delete(tx, end.Code)
		n++
	}
	return n, nil
}
