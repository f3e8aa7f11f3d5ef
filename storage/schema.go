package storage

import (
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"
)

// The buckets. Below, + puts parts together, 0 is a zero byte (which no part holds), seq and ms are 8 bytes, big
// endian, ms being milliseconds since 1970 with the sign bit turned so that they sort. Sealed values carry a version
// and a checksum (value.go).
const (
	meta       = "meta"        // schemaKey -> number of the schema in decimal digits: this form never changes
	players    = "players"     // PlayerID -> player, JSON, sealed
	names      = "names"       // key form of a name -> PlayerID
	keys       = "keys"        // SHA-256 fingerprint of an SSH key -> PlayerID
	playerKeys = "player_keys" // PlayerID + 0 + fingerprint -> nothing
	logs       = "logs"        // MatchID + 0 + seq -> event (event_code.go), of matches that go on
	finished   = "finished"    // MatchID -> compact record (record.go) of a match that has ended
	history    = "history"     // PlayerID or nothing + 0 + game or nothing + 0 + ms of the end + MatchID -> nothing
	codes      = "codes"       // code -> MatchID + 0 + ms of the code's end, or + nothing while the match goes on
	codeEnds   = "code_ends"   // ms of the code's end + code -> nothing
	results    = "results"     // seq, in the order of rating -> one rated result, JSON, sealed: the facts
	changes    = "changes"     // the same seq -> both players' ratings before and after, sealed: follows from results
	ratings    = "ratings"     // game + 0 + PlayerID -> rating, sealed: follows from results
	analyses   = "analyses"    // MatchID -> analysis of a match in finished, sealed: can be made anew from its record
)

// buckets are all buckets of the present schema.
var buckets = [...]string{meta, players, names, keys, playerKeys, logs, finished, history, codes, codeEnds, results,
	changes, ratings, analyses}

// schemaKey is the key in the meta bucket that holds the number of the schema.
const schemaKey = "schema"

// A migration changes a store from one schema to the next. All that are due run in one transaction, so a store is
// never found between two.
type migration func(tx *bbolt.Tx) error

// migrations are the steps from an empty file to the present schema; the number of a schema is how many steps made
// it. Steps are only ever added at the end, and never changed once a store has taken them: they name
// buckets and write values literally, because the rest of the package moves on.
func migrations() []migration {
	return []migration{
		func(tx *bbolt.Tx) error {
			return createBuckets(tx, "meta", "players", "names", "keys", "player_keys", "logs", "finished", "history",
				"codes", "code_ends", "results", "changes", "ratings")
		},
		// Events and records of version 2, beside those of version 1: an older program must not take them for damaged.
		func(*bbolt.Tx) error { return nil },
		func(tx *bbolt.Tx) error { return createBuckets(tx, "analyses") },
	}
}

func createBuckets(tx *bbolt.Tx, names ...string) error {
	for _, name := range names {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	return nil
}

// schemaOf returns the number of the schema of a store, 0 for an empty file.
func schemaOf(tx *bbolt.Tx) (int, error) {
	b := tx.Bucket([]byte(meta))
	if b == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return 0, fmt.Errorf("%w: it is the database of another program", ErrDamaged)
		}
		return 0, nil
	}
	n, err := strconv.ParseUint(string(b.Get([]byte(schemaKey))), 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%w: it doesn't say which version made it", ErrDamaged)
	}
	return int(n), nil
}

// migrate brings a store to the schema that the steps make. It writes nothing if the store has it already.
func migrate(db *bbolt.DB, steps []migration) (from int, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		from, err = schemaOf(tx)
		return err
	})
	switch {
	case err != nil:
		return from, err
	case from > len(steps):
		return from, fmt.Errorf("%w: it has schema %d and this version knows %d", ErrNewer, from, len(steps))
	case from == len(steps):
		return from, nil
	}
	return from, db.Update(func(tx *bbolt.Tx) error {
		for i, step := range steps[from:] {
			if err := step(tx); err != nil {
				return fmt.Errorf("change to schema %d: %w", from+i+1, err)
			}
		}
		b := tx.Bucket([]byte(meta))
		if b == nil {
			return errors.New("no migration made the meta bucket")
		}
		return b.Put([]byte(schemaKey), strconv.AppendInt(nil, int64(len(steps)), 10))
	})
}

// complete checks that every bucket is there.
func complete(tx *bbolt.Tx) error {
	for _, name := range buckets {
		if tx.Bucket([]byte(name)) == nil {
			return fmt.Errorf("%w: the part %q is missing", ErrDamaged, name)
		}
	}
	return nil
}

// bucket returns a bucket that is there in every store.
func bucket(tx *bbolt.Tx, name string) *bbolt.Bucket { return tx.Bucket([]byte(name)) }
