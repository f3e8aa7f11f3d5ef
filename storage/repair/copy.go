package repair

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/migrations"
	"ludoteca/storage/schema"
)

// # Copying a club from one engine to another
//
// A copy is made of one snapshot (kv.ViewLong), in transactions of bounded size. The first writes a marker into the target, which must be empty; the last
// replaces the marker by the number of the schema. So a target with an interrupted copy has the marker, and Unfinished finds it. Before the
// last transaction the copy is read back and compared by counts and checksums.

var (
	// ErrUnfinished means that a copy to the store was interrupted.
	ErrUnfinished = errors.New("a copy of a club to this store was interrupted; make it again, or empty the store")

	// ErrNotEmpty means that the target of a copy holds something.
	ErrNotEmpty = errors.New("the target is not empty")

	// ErrEmpty means that there is no club to copy.
	ErrEmpty = errors.New("there is no club in this store")
)

// copying is the marker. It identifies the copy.
var copying = storage.Cell[[]byte]{Name: "copying", Values: storage.RawBytes(func([]byte) bool { return true })}

// The most that one transaction of a copy writes.
const (
	copyKeys  = 500
	copyBytes = 512 << 10
)

// A Copied is the size of a copied section.
type Copied struct {
	Section  string
	Keys     int
	Bytes    int64  // of keys and values
	Checksum uint32 // CRC-32 (Castagnoli) of the lengths and the bytes of all keys and values, in order
}

// Unfinished returns ErrUnfinished if a copy to the store was interrupted.
func Unfinished(ctx context.Context, engine kv.Store) error {
	return engine.View(ctx, func(r kv.Reader) error {
		_, marked, err := copying.Find(r)
		if err == nil && marked {
			err = ErrUnfinished
		}
		return err
	})
}

// NodesLive reports whether a node is running on a store: it waits up to wait for a heartbeat, if the store has rows of nodes at all.
func NodesLive(ctx context.Context, engine kv.Store, wait time.Duration) (bool, error) {
	var since kv.Revision
	some := false
	err := engine.View(ctx, func(r kv.Reader) (err error) {
		since = r.Revision()
		_, some, err = storage.First(r, cluster.Nodes.All().Range)
		return err
	})
	if err != nil || !some {
		return false, err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for change, err := range engine.Watch(waiting, cluster.Nodes.Prefix(), since) {
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case waiting.Err() != nil:
			return false, nil
		case err != nil:
			return false, err
		case change.Value != nil:
			return true, nil
		}
	}
	return false, nil
}

// Copy copies a snapshot of a whole club from one engine to another, and returns the size of each section, sorted by name. It first
// removes what an interrupted copy has left in the target. The error wraps ErrNotEmpty if the target holds anything else, ErrEmpty if the
// source holds no club, ErrNewer if a newer version of the program wrote it, and ErrUnfinished if the source is itself an interrupted
// copy. After any other error the target is unchanged or unfinished.
func Copy(ctx context.Context, from, to kv.Store) (copied []Copied, err error) {
	err = kv.ViewLong(ctx, from, func(r kv.Reader) (err error) {
		copied, err = copyAll(ctx, r, to)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storage: copy: %w", err)
	}
	return copied, nil
}

func copyAll(ctx context.Context, from kv.Reader, to kv.Store) ([]Copied, error) {
	_, marked, err := copying.Find(from)
	if err != nil {
		return nil, err
	}
	if marked {
		return nil, ErrUnfinished
	}
	number, err := migrations.Schema(from)
	switch {
	case err != nil:
		return nil, err
	case number == 0:
		return nil, ErrEmpty
	case number > migrations.Count():
		return nil, fmt.Errorf("%w: it has schema %d and this version knows %d", storage.ErrNewer, number, migrations.Count())
	}
	c := &copier{ctx: ctx, to: to, name: []byte(rand.Text())}
	if err := c.begin(); err != nil {
		return nil, err
	}
	copied, err := c.walk(from, c.put)
	if err != nil {
		return nil, err
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	var back []Copied
	if err := to.View(ctx, func(r kv.Reader) (err error) {
		back, err = c.walk(r, func(kv.Pair) error { return nil })
		return err
	}); err != nil {
		return nil, err
	}
	if !slices.Equal(copied, back) {
		return nil, fmt.Errorf("%w: the copy reads back as %v, want %v", storage.ErrDamaged, back, copied)
	}
	return copied, c.update(func(tx kv.Tx) error {
		copying.Delete(tx)
		return schema.SchemaNumber.Put(tx, number)
	})
}

// A copier writes a copy.
type copier struct {
	ctx   context.Context // of the copy, which is one call
	to    kv.Store
	name  []byte    // identifies this copy in the marker
	batch []kv.Pair // not written yet
	size  int       // of batch, in bytes
}

// begin marks the target and removes what an interrupted copy has left there.
func (c *copier) begin() error {
	var left []string
	if err := c.to.View(c.ctx, func(r kv.Reader) (err error) {
		_, marked, err := copying.Find(r)
		if err != nil {
			return err
		}
		if left, err = nonEmpty(r); err == nil && len(left) > 0 && !marked {
			err = ErrNotEmpty
		}
		return err
	}); err != nil {
		return err
	}
	err := c.to.Update(c.ctx, func(tx kv.Tx) error {
		_, marked, err := copying.Find(tx)
		if err != nil {
			return err
		}
		if !marked {
			if now, err := nonEmpty(tx); err != nil || len(now) > 0 {
				return errors.Join(err, ErrNotEmpty)
			}
		}
		kv.MakeSections(tx, schema.TableNames()...)
		return copying.Put(tx, c.name)
	})
	for _, name := range left {
		if err == nil {
			err = c.update(func(tx kv.Tx) error {
				if err := tx.DeletePrefix(under(name).From); err != nil {
					return err
				}
				return copying.Put(tx, c.name)
			})
		}
	}
	return err
}

// under returns the range of the table with a name.
func under(name string) kv.Range { return kv.Prefix([]byte(name + "\x00")) }

// nonEmpty returns the sections of a store that hold something.
func nonEmpty(r kv.Reader) (names []string, err error) {
	all, _, err := kv.SectionsOf(r)
	for _, name := range all {
		if err != nil {
			return nil, err
		}
		_, ok, e := storage.First(r, under(name))
		if err = e; ok {
			names = append(names, name)
		}
	}
	return names, err
}

// Update changes the target, unless another copy has replaced the marker.
func (c *copier) update(change func(tx kv.Tx) error) error {
	return c.to.Update(c.ctx, func(tx kv.Tx) error {
		name, _, err := copying.Find(tx)
		if err != nil {
			return err
		}
		if !bytes.Equal(name, c.name) {
			return fmt.Errorf("%w: another copy to it has begun", ErrNotEmpty)
		}
		return change(tx)
	})
}

// walk calls each for every pair that belongs to the copy, and returns the size of each section.
func (c *copier) walk(r kv.Reader, each func(kv.Pair) error) (counted []Copied, err error) {
	names, err := nonEmpty(r)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if k := schema.TableNamed(name); k != nil && k.TableTraits().OfNodes {
			continue
		}
		n, sum := Copied{Section: name}, crc32.New(crc32.MakeTable(crc32.Castagnoli))
		for p, err := range r.Scan(under(name)) {
			if err == nil {
				err = c.ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			if bytes.Equal(p.Key, schema.SchemaNumber.Key()) || bytes.Equal(p.Key, copying.Key()) {
				continue // the last transaction writes one and removes the other
			}
			n.Keys++
			n.Bytes += int64(len(p.Key) + len(p.Value))
			addToSum(sum, p)
			if err := each(p); err != nil {
				return nil, err
			}
		}
		if n.Checksum = sum.Sum32(); n.Keys > 0 {
			counted = append(counted, n)
		}
	}
	return counted, nil
}

func addToSum(sum hash.Hash32, p kv.Pair) {
	fmt.Fprintf(sum, "%d %d ", len(p.Key), len(p.Value)) // a hash takes everything
	_, _ = sum.Write(p.Key)
	_, _ = io.WriteString(sum, " ")
	_, _ = sum.Write(p.Value)
}

// put adds a pair to the batch, which it writes first if that is full.
func (c *copier) put(p kv.Pair) error {
	size := len(p.Key) + len(p.Value)
	if len(c.batch) == copyKeys || len(c.batch) > 0 && c.size+size > copyBytes {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.batch = append(c.batch, kv.Pair{Key: bytes.Clone(p.Key), Value: bytes.Clone(p.Value)})
	c.size += size
	return nil
}

// flush writes the batch.
func (c *copier) flush() error {
	err := c.update(func(tx kv.Tx) error {
		for _, p := range c.batch {
			tx.Put(p.Key, p.Value)
		}
		return nil
	})
	clear(c.batch)
	c.batch, c.size = c.batch[:0], 0
	return err
}
