package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ludoteca/storage/kv"
)

// tables are all tables of the present schema.
var tables = []AnyTable{metaTable{}, players, names, lookalikes, keys, playerKeys, logs, summaries, finished, history, codes,
	codeEnds, results, changes, ratings, recentMatches, settled, analyses, resultIndex, tallies, audit, restrictions, formerNames, bans, reports, visits, unrated,
	credentials, keyCodes, guestCodes, deletions, relations, chat, nodes, presence, seekers, places, notices, attempts}

// tableNames returns the names of all tables.
func tableNames() []string {
	all := make([]string, len(tables))
	for i, k := range tables {
		all[i] = k.name()
	}
	return all
}

// tableNamed returns the table with a name, nil if there is none.
func tableNamed(name string) AnyTable {
	for _, k := range tables {
		if k.name() == name {
			return k
		}
	}
	return nil
}

// A metaTable is the table meta: cells under names of their own.
type metaTable struct{}

// meta is the name of the table meta.
const meta = "meta"

// cells are all that is in the table meta.
var cells = []AnyCell{schemaNumber, migratingTo, announcement, salt, heartbeat, outage, voids, casualDone, lookalikesIndex, talliesIndex}

func (metaTable) name() string   { return meta }
func (metaTable) traits() Traits { return Traits{} }

func (metaTable) Valid(key, value []byte) error {
	for _, c := range cells {
		if c.name() == string(key) {
			return c.valid(value)
		}
	}
	return damaged("there is no %q in the table meta", key)
}

func (metaTable) shown(key []byte) string { return printable(key) }

// schemaNumber is the number of the schema in decimal digits: this form never changes.
var schemaNumber = Cell[int]{
	Name: "schema",
	Values: Codec[string, int]{
		Encode: func(n int) ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil },
		Decode: func(_ string, value []byte) (int, error) {
			n, err := strconv.ParseUint(string(value), 10, 31)
			if err != nil || n == 0 {
				return 0, damaged("it doesn't say which version made it")
			}
			return int(n), nil
		},
	},
}

// A migration changes a store from one schema to the next. Those that are due run in one transaction, up to one that goes through a
// section (inSteps). The first transaction sets the number of the present schema, so that an older program refuses the store from then on.
type migration func(tx kv.Tx) error

// migrations are the steps from an empty store to the present schema; the number of a schema is how many steps made
// it. Steps are only ever added at the end, and never changed once a store has taken them: they name
// sections and write values literally, because the rest of the package moves on.
func migrations() []migration {
	return []migration{
		func(tx kv.Tx) error {
			return makeSections(tx, "meta", "players", "names", "keys", "player_keys", "logs", "finished", "history",
				"codes", "code_ends", "results", "changes", "ratings")
		},
		// Events and records of version 2, beside those of version 1: an older program must not take them for damaged.
		func(kv.Tx) error { return nil },
		func(tx kv.Tx) error { return makeSections(tx, "analyses") },
		// The number of a result follows from the one before, and no longer from a counter of bbolt's: an older program,
		// which goes by the counter, must not write a result over another.
		func(kv.Tx) error { return nil },
		// Events of version 3, beside the older ones.
		func(kv.Tx) error { return nil },
		// Records of version 3, beside the older ones.
		func(kv.Tx) error { return nil },
		func(tx kv.Tx) error { return makeSections(tx, "lookalikes") },
		// Logs in blocks, beside single events, and summaries. What a summary says follows from the log by the rules of the
		// game, so those of the matches that there are already are left to be made.
		both(
			func(tx kv.Tx) error { return makeSections(tx, "summaries") },
			inSteps("logs", func(tx kv.Tx, p kv.Pair) (int, error) {
				id, _, ok := bytes.Cut(p.Key[len("logs\x00"):], []byte{0})
				if !ok {
					return 0, fmt.Errorf("%w: a log without a match", ErrDamaged)
				}
				tx.Put(append([]byte("summaries\x00"), id...), nil)
				return 1, nil
			}),
		),
		// Results of version 2 and changes of version 2, beside the older ones.
		func(tx kv.Tx) error { return makeSections(tx, "recent_matches") },
		func(tx kv.Tx) error {
			return makeSections(tx, "audit", "restrictions", "former_names", "bans", "reports", "visits", "unrated")
		},
		// Events of version 4, summaries of version 2 and records of version 4, beside the older ones.
		func(kv.Tx) error { return nil },
		// Records of version 5, beside the older ones.
		func(kv.Tx) error { return nil },
		// The times of keys, beside keys without one, and players who are deleted.
		func(tx kv.Tx) error { return makeSections(tx, "credentials", "key_codes", "deletions") },
		// Open counts what there is.
		func(tx kv.Tx) error { return makeSections(tx, "tallies") },
		func(tx kv.Tx) error { return makeSections(tx, "relations") },
		// Summaries with open offers, logs with takebacks between people and records of draws by agreement, beside the older ones.
		func(kv.Tx) error { return nil },
		// Results of version 3, beside the older ones, and an index of all.
		both(func(tx kv.Tx) error { return makeSections(tx, "result_index") }, inSteps("results", indexResult)),
		func(tx kv.Tx) error { return makeSections(tx, "chat") },
		func(tx kv.Tx) error { return makeSections(tx, "guest_codes") },
		// Players of version 2, beside the older ones.
		func(kv.Tx) error { return nil },
		func(tx kv.Tx) error {
			return makeSections(tx, "nodes", "presence", "seekers", "places", "notices", "attempts")
		},
		// Lines of chat that only reports show, beside the others: an older program must not show them.
		func(kv.Tx) error { return nil },
		// Results of version 4, with what they change, recent matches and visits of version 2, beside the older ones.
		func(tx kv.Tx) error { return makeSections(tx, "settled") },
	}
}

// both is two migrations that make one step.
func both(first, second migration) migration {
	return func(tx kv.Tx) error {
		if err := first(tx); err != nil {
			return err
		}
		return second(tx)
	}
}

// makeSections makes sections in an engine that keeps them apart.
func makeSections(tx kv.Tx, names ...string) error {
	if m, ok := tx.(kv.SectionMaker); ok {
		for _, name := range names {
			m.MakeSection(name)
		}
	}
	return nil
}

// sectionsOf returns the sections of a store, and whether those without keys are among them.
func sectionsOf(r kv.Reader) (names []string, exact bool, err error) {
	if s, ok := r.(kv.SectionReader); ok {
		return s.Sections(), true, nil
	}
	for from := []byte(nil); ; {
		p, ok, err := first(r, kv.Range{From: from})
		if err != nil || !ok {
			return names, false, err
		}
		name, _, _ := strings.Cut(string(p.Key), "\x00")
		names = append(names, name)
		from = []byte(name + "\x01")
	}
}

// schemaOf returns the number of the schema of a store, 0 for an empty one.
func schemaOf(r kv.Reader) (int, error) {
	number, known, err := schemaNumber.Find(r)
	if err != nil || known {
		return number, err
	}
	names, _, err := sectionsOf(r)
	switch {
	case err != nil || len(names) == 0:
		return 0, err
	case !slices.Contains(names, meta):
		return 0, damaged("it is the database of another program")
	}
	return 0, damaged("it doesn't say which version made it")
}

// A migrationProgress is how far migrations have come that aren't complete.
type migrationProgress struct {
	taken int    // steps that are complete
	after []byte // the key to which the next one has come, or nothing
}

// migratingTo is how far migrations have come that aren't complete: the number of steps in decimal digits, a zero byte, and the key.
var migratingTo = Cell[migrationProgress]{
	Name: "migrating",
	Values: Codec[string, migrationProgress]{
		Encode: func(p migrationProgress) ([]byte, error) {
			return append(append(strconv.AppendInt(nil, int64(p.taken), 10), 0), p.after...), nil
		},
		Decode: func(_ string, value []byte) (migrationProgress, error) {
			number, rest, ok := bytes.Cut(value, []byte{0})
			n, err := strconv.ParseUint(string(number), 10, 31)
			if err != nil || !ok {
				return migrationProgress{}, damaged("it doesn't say how far its migration has come")
			}
			p := migrationProgress{taken: int(n)}
			if len(rest) > 0 {
				p.after = bytes.Clone(rest)
			}
			return p, nil
		},
	},
}

// migrate brings a store to the schema that the steps make, and returns how many of them it had taken. It writes nothing if the store has
// the schema already.
func migrate(ctx context.Context, engine kv.Store, steps []migration) (from int, err error) {
	err = engine.View(ctx, func(r kv.Reader) (err error) {
		from, err = stepsTaken(r, len(steps))
		return err
	})
	if err != nil || from == len(steps) {
		return from, err
	}
	for more := true; more; {
		err := engine.Update(ctx, func(tx kv.Tx) (err error) {
			more, err = migrateFurther(tx, steps)
			return err
		})
		if err != nil {
			return from, err
		}
	}
	return from, nil
}

// stepsTaken returns how many of so many steps a store has taken. The error is ErrNewer if it has taken others after them.
func stepsTaken(r kv.Reader, known int) (int, error) {
	schema, err := schemaOf(r)
	switch {
	case err != nil:
		return schema, err
	case schema > known:
		return schema, fmt.Errorf("%w: it has schema %d and this version knows %d", ErrNewer, schema, known)
	case schema == 0:
		return 0, nil
	}
	if p, begun, err := migratingTo.Find(r); err != nil || begun {
		return p.taken, err
	}
	return schema, nil
}

// migrateFurther takes the steps that are due, up to one that needs another transaction.
func migrateFurther(tx kv.Tx, steps []migration) (more bool, err error) {
	taken, err := stepsTaken(tx, len(steps))
	if err != nil || taken == len(steps) {
		return false, err
	}
	if err := schemaNumber.Put(tx, len(steps)); err != nil {
		return false, err
	}
	for i, take := range steps[taken:] {
		if i > 0 {
			migratingTo.Delete(tx) // its key is of the step before
		}
		err := take(tx)
		if u := (unfinished{}); errors.As(err, &u) {
			return true, migratingTo.Put(tx, migrationProgress{taken + i, u.after})
		}
		if err != nil {
			return false, fmt.Errorf("change to schema %d: %w", taken+i+1, err)
		}
	}
	migratingTo.Delete(tx)
	return false, nil
}

// complete checks that every section is there, if the engine can tell.
func complete(r kv.Reader) error {
	have, exact, err := sectionsOf(r)
	if err != nil || !exact {
		return err
	}
	for _, name := range tableNames() {
		if !slices.Contains(have, name) {
			return fmt.Errorf("%w: the part %q is missing", ErrDamaged, name)
		}
	}
	return nil
}
