// Package migrations brings a store that an older version of the program wrote to the present schema.
//
// A schema is a number: how many steps made it. A step makes sections, or goes through the entries of some and writes what follows from them. It
// does so in transactions of bounded size, each of which also writes how far it has come into a marker in the section meta. A migration that was
// interrupted goes on from the marker, and nodes that start at the same time share it. The first transaction sets the number of the present
// schema, so that an older program refuses the store from then on.
//
// The package knows stored forms alone. It imports nothing of the data model: the rest of the program moves on, and the functions here that
// read an old form and write the next one stay as they were when the step was added.
package migrations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"ludoteca/storage/kv"
)

// ErrNewer means that a newer version of the program has written the store.
var ErrNewer = errors.New("a newer version of the program made this store")

// Names of the entries of the section meta that belong to this package.
const (
	SchemaName = "schema"    // the number of the schema in decimal digits: this form never changes
	MarkerName = "migrating" // how far migrations have come that aren't complete; see CheckMarker
)

const meta = "meta"

var (
	schemaKey = []byte(meta + "\x00" + SchemaName)
	markerKey = []byte(meta + "\x00" + MarkerName)
)

// Count returns the number of the schema to which Run brings a store.
func Count() int { return len(steps()) }

// Run brings a store to the present schema, and returns the number of steps that it had taken before: 0 if it is new. It writes nothing if the
// store has the schema already. The log gets a line at the start, one every ten seconds, and one at the end; nil is silence. The error wraps
// ErrNewer, kv.ErrDamaged or one of the engine.
func Run(ctx context.Context, engine kv.Store, log *slog.Logger) (from int, err error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := runner{steps: steps(), log: log, now: time.Now}
	return r.run(ctx, engine)
}

// progressEvery is how often a migration logs how far it has come.
const progressEvery = 10 * time.Second

// A runner takes steps.
type runner struct {
	steps []step
	log   *slog.Logger
	now   func() time.Time
}

func (r runner) run(ctx context.Context, engine kv.Store) (from int, err error) {
	err = engine.View(ctx, func(reader kv.Reader) (err error) {
		from, _, err = taken(reader, len(r.steps))
		return err
	})
	if err != nil || from == len(r.steps) {
		return from, err
	}
	if from > 0 {
		r.log.Info("migrating the store", "from", from, "to", len(r.steps))
	}
	entries, rewritten, unread, said := 0, 0, 0, r.now()
	for more := true; more; {
		var t *task
		err := engine.Update(ctx, func(tx kv.Tx) (err error) {
			t = &task{Tx: tx}
			return t.further(r.steps)
		})
		if err != nil {
			return from, err
		}
		more, entries, rewritten, unread = t.more, entries+t.entries, rewritten+t.rewritten, unread+t.unread
		if now := r.now(); more && now.Sub(said) >= progressEvery {
			table, _, _ := bytes.Cut(t.after, []byte{0})
			r.log.Info("the store is being migrated", "part", string(table), "entries", entries, "rewritten", rewritten)
			said = now
		}
	}
	if from > 0 {
		r.log.Info("store migrated", "from", from, "to", len(r.steps), "entries", entries, "rewritten", rewritten, "damaged", unread)
	}
	return from, nil
}

// Taken returns how many steps a store has taken, 0 if it is empty. begun reports whether a migration to the present schema was interrupted. The
// error wraps ErrNewer if the store has taken steps that this version doesn't know.
func Taken(r kv.Reader) (n int, begun bool, err error) { return taken(r, Count()) }

// taken is Taken for a program that knows some steps.
func taken(r kv.Reader, known int) (n int, begun bool, err error) {
	schema, err := Schema(r)
	switch {
	case err != nil:
		return schema, false, err
	case schema > known:
		return schema, false, fmt.Errorf("%w: it has schema %d and this version knows %d", ErrNewer, schema, known)
	case schema == 0:
		return 0, false, nil
	}
	m, begun, err := findMarker(r)
	if err != nil || begun {
		return m.taken, begun, err
	}
	return schema, false, nil
}

// Schema returns the number of the schema of a store, 0 for an empty one.
func Schema(r kv.Reader) (int, error) {
	value, err := r.Get(schemaKey)
	if err != nil {
		return 0, err
	}
	if value != nil {
		return ParseSchema(value)
	}
	names, _, err := kv.SectionsOf(r)
	switch {
	case err != nil || len(names) == 0:
		return 0, err
	case !slices.Contains(names, meta):
		return 0, damaged("it is the database of another program")
	}
	return 0, damaged("it doesn't say which version made it")
}

// ParseSchema reads the number of a schema as it is stored. The error wraps kv.ErrDamaged.
func ParseSchema(value []byte) (int, error) {
	n, err := strconv.ParseUint(string(value), 10, 31)
	if err != nil || n == 0 {
		return 0, damaged("it doesn't say which version made it")
	}
	return int(n), nil
}

// FormatSchema returns the stored form of the number of a schema.
func FormatSchema(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// A marker is how far migrations have come that aren't complete.
type marker struct {
	taken int    // steps that are complete
	after []byte // the key to which the next one has come, or nothing
}

func findMarker(r kv.Reader) (m marker, there bool, err error) {
	value, err := r.Get(markerKey)
	if err != nil || value == nil {
		return m, false, err
	}
	m, err = parseMarker(value)
	return m, err == nil, err
}

// CheckMarker reports what is wrong with the value of a marker; nil is nothing. It is the number of steps that are complete in decimal digits, a
// zero byte, and the key to which the next one has come.
func CheckMarker(value []byte) error {
	_, err := parseMarker(value)
	return err
}

func parseMarker(value []byte) (m marker, err error) {
	number, rest, ok := bytes.Cut(value, []byte{0})
	n, err := strconv.ParseUint(string(number), 10, 31)
	if err != nil || !ok {
		return m, damaged("it doesn't say how far its migration has come")
	}
	m.taken = int(n)
	if len(rest) > 0 {
		m.after = bytes.Clone(rest)
	}
	return m, nil
}

// A task is one transaction of a migration.
type task struct {
	kv.Tx
	after []byte // the key to which the present step has come; nil: it begins
	more  bool   // there is more to do in another transaction

	entries, rewritten, unread int // that this transaction has looked at
	writes, bytes              int // of this transaction
}

// further takes the steps that are due, up to one that needs another transaction.
func (t *task) further(steps []step) error {
	done, _, err := taken(t, len(steps))
	if err != nil || done == len(steps) {
		return err
	}
	m, _, err := findMarker(t)
	if err != nil {
		return err
	}
	t.after = m.after
	t.Put(schemaKey, FormatSchema(len(steps)))
	for i, take := range steps[done:] {
		if err := take(t); err != nil {
			return fmt.Errorf("change to schema %d: %w", done+i+1, err)
		}
		if t.more {
			t.Put(markerKey, append(append(FormatSchema(done+i), 0), t.after...))
			return nil
		}
		t.after = nil // it is a key of the step before
	}
	t.Delete(markerKey)
	return nil
}

// damaged returns an error for an entry that makes no sense.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", kv.ErrDamaged, fmt.Sprintf(format, args...))
}
