// Package kv is an ordered key-value store with serialisable transactions: the port between the data model in package
// storage and the engines below it. kv/bolt is the default engine; kvtest is the contract that every engine must pass.
//
// # Keys and values
//
// A key is a section, a zero byte, and a rest, as in "players\x00p1". The section has no zero byte; the rest is any
// bytes. Neither is empty, and the whole key is at most MaxKey bytes. Keys sort byte by byte, so a section's keys lie
// together. A value is any bytes, at most MaxValue; an empty value is not a missing one.
//
// # Snapshots
//
// A reader sees one snapshot: everything of every transaction up to some moment, and nothing of any later one. What a
// snapshot shows is durable: a power failure can't take it back.
//
// # Errors
//
// Besides the errors named here, the methods return the errors of the functions passed to them, and the error of an
// ended context, as they are.
package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// The largest key and value, in bytes.
const (
	MaxKey   = 4 << 10
	MaxValue = 32 << 20
)

var (
	// ErrCommit says that writing failed and that the outcome is unknown: the change may be there or not. Read again and
	// go on from what is there.
	ErrCommit = errors.New("writing to the store failed")

	// ErrClosed says that the store was closed before the call could do anything.
	ErrClosed = errors.New("the store is closed")

	// ErrFailed says that the store can't go on until it is opened anew.
	ErrFailed = errors.New("the store can't go on")

	// ErrDamaged says that what was read is not what was written.
	ErrDamaged = errors.New("the store is damaged")

	// ErrInvalid says that the caller gave a key or value that breaks the rules: a programmer's mistake. Nothing was
	// written.
	ErrInvalid = errors.New("invalid")

	// ErrCompacted says that some changes after a watcher's revision are no longer kept. Read what is there with View, and
	// watch again from the revision of that snapshot.
	ErrCompacted = errors.New("the changes are no longer kept")
)

// A Store is an open store. Its methods may be called by any number of goroutines, but not from inside the functions
// passed to View and Update.
type Store interface {
	// View runs read, once, on the newest snapshot. It never waits for a transaction. The exceptions are rare: after ErrCommit,
	// the first View makes sure of the outcome, and returns ErrCommit if it can't; and an engine that has to rearrange
	// its file may let readers wait for that.
	//
	// The reader and all that it returned are valid until read returns.
	View(ctx context.Context, read func(Reader) error) error

	// Update runs change in a serialisable transaction and returns once it is durable; from then on every View sees it.
	// The transaction buffers its writes: if change returns an error or panics, the transaction leaves no trace, and
	// Update returns that error, or ErrDamaged after a panic. change may run more than once, also after a run that
	// returned nil, and in any goroutine; it must have no effect except through tx, and set rather than add to what it
	// tells its caller.
	//
	// When ctx ends before the engine has begun to write, the transaction is given up and Update returns the error of ctx.
	// Once the engine has begun to write, Update waits for the outcome. After ErrCommit the outcome is unknown.
	Update(ctx context.Context, change func(tx Tx) error) error

	// Watch yields the changes of keys that begin with prefix made after a revision, until ctx ends. Changes come in
	// order: by revision, and the changes of one transaction by key, each key once, with what the transaction left there.
	// Each change comes exactly once. Watch waits for changes; a loop that is slow to take them holds up nobody.
	//
	// The last element is an error: the error of ctx, ErrClosed, ErrFailed, or ErrCompacted if changes were dropped that
	// the watcher has not seen, because it is too slow or its revision too old. The engine bounds what it keeps.
	Watch(ctx context.Context, prefix []byte, after Revision) iter.Seq2[Change, error]

	// Close waits for the transactions that have begun, and ends watches. Calls that come later get ErrClosed. Closing
	// twice is fine.
	Close() error
}

// A LongViewer is a Store that would drop a snapshot while a reader takes its time, and can keep it for one who says so.
type LongViewer interface {
	// ViewLong is View for a read that lasts, such as a copy of the whole store. What it costs the store grows with what is written meanwhile.
	// The store bounds that: the error is ErrCompacted then.
	ViewLong(ctx context.Context, read func(Reader) error) error
}

// ViewLong runs read on the newest snapshot of s, as LongViewer does; of a store that is none as View does.
func ViewLong(ctx context.Context, s Store, read func(Reader) error) error {
	if long, ok := s.(LongViewer); ok {
		return long.ViewLong(ctx, read)
	}
	return s.View(ctx, read)
}

// A Revision numbers the states of a store. It grows with every transaction that changes something, over restarts too;
// there may be gaps.
type Revision int64

// A Reader reads one snapshot. Keys and values that it returns must not be changed, and are valid only until the
// function that was given the reader returns.
type Reader interface {
	// Revision returns the revision of the snapshot. Watching from it misses nothing and repeats nothing.
	Revision() Revision

	// Get returns the value of a key, nil if there is none.
	Get(key []byte) (value []byte, err error)

	// GetAll returns the values of keys in their order, nil for each key without a value. It costs a store on other machines a
	// few requests, however many keys there are.
	GetAll(keys [][]byte) (values [][]byte, err error)

	// Scan yields what is in a range, in order. An error is the last element.
	Scan(r Range) iter.Seq2[Pair, error]
}

// A Tx is a transaction. It reads its own writes; its Revision is the revision of the snapshot on which it began.
type Tx interface {
	Reader

	// Put sets the value of a key. Key and value are copied. If they break the rules, Update returns ErrInvalid and the
	// transaction leaves no trace.
	Put(key, value []byte)

	// Delete removes a key. Removing a missing key changes nothing.
	Delete(key []byte)

	// DeletePrefix removes all keys that begin with prefix, which begins with a section and its zero byte.
	DeletePrefix(prefix []byte) error
}

// A SectionReader is a Reader of an engine that keeps sections apart, as kv/bolt does with buckets. Such an engine can
// tell a section without keys from one that was lost.
type SectionReader interface {
	Sections() []string // the sections that were made, sorted
}

// A SectionMaker is a Tx of an engine that keeps sections apart.
type SectionMaker interface {
	MakeSection(name string) // a section that is there already stays as it is; Put makes its section too
}

// A Pair is a key with its value.
type Pair struct {
	Key   []byte
	Value []byte
}

// A Range says which keys to scan, and in which direction. Writes that a transaction makes while it scans may or may
// not be part of the scan.
type Range struct {
	From    []byte // the first key; nil is the beginning
	To      []byte // the first key after the range; nil is the end
	Reverse bool   // from the last key to the first

	// Expect is about how many pairs the caller will take; 0 if that is not known. It changes nothing about what a scan yields. An engine with
	// its store on other machines asks for Expect pairs at once.
	Expect int
}

// Prefix returns the range of all keys that begin with prefix.
func Prefix(prefix []byte) Range { return Range{From: prefix, To: after(prefix)} }

// after returns the first key after all that begin with prefix, nil if there is none.
func after(prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if prefix[n-1] < 0xff {
			end := bytes.Clone(prefix[:n])
			end[n-1]++
			return end
		}
	}
	return nil
}

// A Change is what a transaction did to a key.
type Change struct {
	Revision Revision // the same for all changes of a transaction
	Key      []byte   // like Value, not to be changed
	Value    []byte   // nil if the key was removed
	More     bool     // another change of the same transaction follows
}

// Check returns ErrInvalid for a key or value that breaks the rules.
func Check(key, value []byte) error {
	switch end := bytes.IndexByte(key, 0); {
	case end <= 0 || end == len(key)-1:
		return fmt.Errorf("%w: a key without a section or without a rest", ErrInvalid)
	case len(key) > MaxKey:
		return fmt.Errorf("%w: a key of %d bytes", ErrInvalid, len(key))
	case len(value) > MaxValue:
		return fmt.Errorf("%w: a value of %d bytes", ErrInvalid, len(value))
	}
	return nil
}

// Meters are functions that an engine calls to report how it is doing. Nil ones are not called. They are called by many
// goroutines at a time and must return at once.
type Meters struct {
	// Read is called after each View with the time it took.
	Read func(took time.Duration)

	// Write is called after each Update with the time from the call to its answer. Refused updates count too; updates that were
	// given up because ctx ended don't.
	Write func(took time.Duration)

	// Commit is called after each commit to disk with the number of transactions that it took in, the time it took, and
	// its error.
	Commit func(transactions int, took time.Duration, err error)

	// Retry is called when a change is about to run again, because others have changed what it read, or because its commit got no
	// answer and was fenced off. An engine with one writer never calls it.
	Retry func()

	// Doubt is called after a commit got no answer in time and the engine has looked for its outcome. known reports whether it was found;
	// if not, the caller gets ErrCommit. An engine with a file never calls it.
	Doubt func(known bool)
}
