package storage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"ludoteca/storage/kv"
)

// # Going through a whole store
//
// An index that is made anew may look at every entry of a section. It does so in steps: each is one transaction of bounded
// size, which also writes how far it has come into a marker in the meta section. Work that was interrupted goes on from the marker, and
// nodes that start at the same time share it.

// stepWrites is about how many entries one step reads or writes: half of what etcd must take in one transaction, less the reads and writes
// that the last entry of a step causes.
const stepWrites = 2000

// Step calls each for the entries of some ranges that come after a key, and that call returns how many further entries it reads or writes.
// It ends at stepWrites of them, and returns the key of the last entry, nil if there is none. The ranges are in order.
func Step(r kv.Reader, ranges []kv.Range, after []byte, each func(kv.Pair) (more int, err error)) (last []byte, err error) {
	n := 0
	for _, g := range ranges {
		if after != nil && bytes.Compare(g.From, after) <= 0 {
			g.From = append(bytes.Clone(after), 0)
		}
		if g.To != nil && bytes.Compare(g.From, g.To) >= 0 {
			continue
		}
		for p, err := range r.Scan(g) {
			if err != nil {
				return nil, err
			}
			more, err := each(p)
			if err != nil {
				return nil, err
			}
			last = bytes.Clone(p.Key)
			if n += 1 + more; n >= stepWrites {
				return last, nil
			}
		}
	}
	return last, nil
}

// An Index follows from entries of other sections, by rules that have a version.
type Index struct {
	What    string   // in words, for the log
	Table   AnyTable // all of whose entries belong to the index
	Marker  Cell[[]byte]
	Version string // of the rules: decimal digits

	// Step adds what follows from the next entries after a key to the index. It returns the key of the last one, nil after the last step.
	Step func(tx kv.Tx, after []byte) (last []byte, err error)

	// Mend is instead of Step for an index that is made as a whole: it makes all entries right, whatever is there, and has the marker say that the
	// index is complete. An entry of which the index follows is taken in at once while it runs. It calls report with how many of something it has read.
	Mend func(ctx context.Context, engine kv.Store, report func(of string, n int)) error
}

// The marker of an index is its version alone when the index is complete. While it is made anew, the version is followed by a zero byte, one
// of these, and the key to which the present step has come; of an index that has Mend, by any bytes instead of the key.
const (
	clearing = 'c' // the index of another version is being removed
	filling  = 'f'
)

// progress reads the marker of an index. The phase is 0 for a complete one.
func progress(marker []byte) (version string, phase byte, last []byte) {
	before, after, _ := bytes.Cut(marker, []byte{0})
	if len(after) == 0 {
		return string(before), 0, nil
	}
	if len(after) > 1 {
		last = bytes.Clone(after[1:])
	}
	return string(before), after[0], last
}

// Indexed reports whether the index with a marker takes an entry in at once. It doesn't while it is made anew and has yet to come to the key
// of the entry, because it would take it in twice then.
func Indexed(r kv.Reader, marker Cell[[]byte], key []byte) (bool, error) {
	value, _, err := marker.Find(r)
	if err != nil {
		return false, err
	}
	_, phase, last := progress(value)
	return phase == 0 || phase == filling && bytes.Compare(key, last) <= 0, nil
}

// Complete reports whether a marker says that the index is complete, by the present rules.
func (x Index) Complete(marker []byte) bool { return string(marker) == x.Version }

// Filling reports whether a marker says that the index is being filled, by the present rules.
func (x Index) Filling(marker []byte) bool {
	version, phase, _ := progress(marker)
	return version == x.Version && phase == filling
}

// FillingMarker returns the marker of an index that is being filled.
func (x Index) FillingMarker(last []byte) []byte { return x.marker(filling, last) }

func (x Index) marker(phase byte, last []byte) []byte {
	return append(append([]byte(x.Version), 0, phase), last...)
}

// Build makes an index anew if it isn't of the present version. It leaves an index that a program of another version is making. The log gets a line
// at the start, one every ten seconds, and one at the end, but none of what takes a moment; nil is silence.
func (x Index) Build(ctx context.Context, engine kv.Store, log *slog.Logger) error {
	return x.build(ctx, engine, log, false)
}

// Rebuild is Build for an index that has Mend, which is called even if the index is complete.
func (x Index) Rebuild(ctx context.Context, engine kv.Store, log *slog.Logger) error {
	return x.build(ctx, engine, log, true)
}

// progressEvery is how often a build logs how far it has come.
const progressEvery = 10 * time.Second

func (x Index) build(ctx context.Context, engine kv.Store, log *slog.Logger, always bool) error {
	var now []byte
	if err := engine.View(ctx, func(r kv.Reader) (err error) {
		now, _, err = x.Marker.Find(r)
		return err
	}); err != nil || x.Complete(now) && !always {
		return err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	said, begun := time.Now(), false
	begin := func() {
		if !begun {
			log.Info("making an index anew", "index", x.What)
			begun = true
		}
	}
	report := func(of string, n int) {
		if now := time.Now(); now.Sub(said) >= progressEvery {
			begin()
			log.Info("an index is being made", "index", x.What, of, n)
			said = now
		}
	}
	done := x.Mend != nil && (x.Complete(now) || x.Filling(now)) // but for Mend
	for steps := 0; !done; steps++ {
		if steps == 2 { // a small store, which takes fewer steps, isn't worth a line
			begin()
		}
		err := engine.Update(ctx, func(tx kv.Tx) (err error) {
			done, err = x.Next(tx, steps == 0)
			return err
		})
		if err != nil {
			return fmt.Errorf("storage: %s: %w", x.What, err)
		}
		report("steps", steps+1)
	}
	if x.Mend != nil {
		if err := x.Mend(ctx, engine, report); err != nil {
			return fmt.Errorf("storage: %s: %w", x.What, err)
		}
	}
	if begun {
		log.Info("done with an index", "index", x.What)
	}
	return nil
}

// Next takes one step of making an index anew, and reports whether that was the last, but for Mend. Only the first step of a program may begin.
func (x Index) Next(tx kv.Tx, first bool) (done bool, err error) {
	value, _, err := x.Marker.Find(tx)
	if err != nil {
		return false, err
	}
	version, phase, last := progress(value)
	switch {
	case version == x.Version && phase == 0:
		return true, nil // another node was faster
	case version != x.Version && !first:
		return true, nil // a program of another version has begun meanwhile
	case version != x.Version:
		phase, last = clearing, nil
	}
	switch {
	case phase == clearing:
		last, err = Step(tx, []kv.Range{kv.Prefix([]byte(x.Table.TableName() + "\x00"))}, nil, func(p kv.Pair) (int, error) { tx.Delete(p.Key); return 0, nil })
		if last == nil {
			phase = filling
		}
		last = nil
	case x.Mend != nil:
		return true, nil
	default:
		if last, err = x.Step(tx, last); last == nil {
			return true, cmp.Or(err, x.Marker.Put(tx, []byte(x.Version)))
		}
	}
	return false, cmp.Or(err, x.Marker.Put(tx, x.marker(phase, last)))
}
