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

// A section is a kind of entry: the keys in it begin with its name and a zero byte.
type section string

// The sections. Below, + puts parts together, 0 is a zero byte (which no part holds), seq and ms are 8 bytes, big
// endian, ms being milliseconds since 1970 with the sign bit turned so that they sort. Sealed values carry a version
// and a checksum (values.go).
const (
	meta          section = "meta"           // schemaKey -> number of the schema in decimal digits: this form never changes; voidsKey (codes.go), casualKey (retention.go), lookalikesKey (lookalikes.go), announcementKey (audit.go), saltKey (visits.go), heartbeatKey (heartbeat.go), talliesKey (tallies.go), migratingKey, outageKey (nodes.go)
	logs          section = "logs"           // MatchID + 0 + seq -> block of events from seq on (logs.go), of matches that go on
	summaries     section = "summaries"      // MatchID -> summary (summaries.go) of a match that goes on; nothing: it is yet to be made
	finished      section = "finished"       // MatchID -> compact record (records.go) of a match that has ended
	history       section = "history"        // PlayerID or nothing + 0 + game or nothing + 0 + ms of the end + MatchID -> nothing
	codes         section = "codes"          // code -> MatchID + 0 + ms of the code's end, or + nothing while the match goes on
	codeEnds      section = "code_ends"      // ms of the code's end + code -> nothing
	results       section = "results"        // seq, in the order of rating -> one rated result, JSON, sealed: the facts
	changes       section = "changes"        // the same seq -> both players' ratings before and after, sealed: follows from results
	ratings       section = "ratings"        // game + 0 + PlayerID -> rating, sealed: follows from results
	recentMatches section = "recent_matches" // PlayerID -> what the weights of the next rated matches depend on, JSON, sealed (recent.go, independence.go): follows from results
	settled       section = "settled"        // game -> its settled players and oldest accounts, JSON, sealed (independence.go): follows from results
	resultIndex   section = "result_index"   // kind + 0 + PlayerID and game, or game and two PlayerIDs + 0 + seq -> nothing (result_index.go): follows from results
	analyses      section = "analyses"       // MatchID -> analysis of a match in finished, sealed: can be made anew from its record
	tallies       section = "tallies"        // PlayerID + 0 + kind + 0 + game, opponent or nothing -> how many matches, JSON, sealed (tallies.go): follows from finished

	// Of a club with several nodes alone.
)

// tables are all tables of the present schema.
var tables = []AnyTable{meta, players, names, lookalikes, keys, playerKeys, logs, summaries, finished, history, codes,
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

func (s section) name() string { return string(s) }

func (s section) traits() Traits { return sectionTraits[s] }

func (s section) Valid(key, value []byte) error {
	if !fits[s](key, value) {
		return ErrDamaged
	}
	return nil
}

func (s section) shown(key []byte) string { return shownKey(s, key) }

// key returns the key in a section that consists of parts with a zero byte between them.
func (s section) key(parts ...string) []byte {
	n := len(s)
	for _, part := range parts {
		n += 1 + len(part)
	}
	key := append(make([]byte, 0, n+8), s...) // often a number follows
	for _, part := range parts {
		key = append(append(key, 0), part...)
	}
	return key
}

// all returns the range of all keys of a section.
func (s section) all() kv.Range { return kv.Prefix(s.key("")) }

// rest returns what follows the section in a key.
func (s section) rest(key []byte) []byte { return key[len(s)+1:] }

// schemaKey is the key in the meta section that holds the number of the schema.
const schemaKey = "schema"

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
	value, err := r.Get(meta.key(schemaKey))
	if err != nil {
		return 0, err
	}
	if value == nil {
		names, _, err := sectionsOf(r)
		switch {
		case err != nil:
			return 0, err
		case len(names) == 0:
			return 0, nil
		case !slices.Contains(names, string(meta)):
			return 0, fmt.Errorf("%w: it is the database of another program", ErrDamaged)
		}
	}
	n, err := strconv.ParseUint(string(value), 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%w: it doesn't say which version made it", ErrDamaged)
	}
	return int(n), nil
}

// migratingKey is the key of the marker of migrations that aren't complete, in the meta section: how many steps are, in decimal digits, a
// zero byte, and the key to which the next one has come, or nothing.
const migratingKey = "migrating"

// migrating reads the marker. taken is -1 if there is none.
func migrating(r kv.Reader) (taken int, after []byte, err error) {
	value, err := r.Get(meta.key(migratingKey))
	if err != nil || value == nil {
		return -1, nil, err
	}
	return parseMigrating(value)
}

func parseMigrating(value []byte) (taken int, after []byte, err error) {
	number, rest, ok := bytes.Cut(value, []byte{0})
	n, err := strconv.ParseUint(string(number), 10, 31)
	if err != nil || !ok {
		return -1, nil, fmt.Errorf("%w: it doesn't say how far its migration has come", ErrDamaged)
	}
	if len(rest) > 0 {
		after = bytes.Clone(rest)
	}
	return int(n), after, nil
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
	if taken, _, err := migrating(r); err != nil || taken >= 0 {
		return taken, err
	}
	return schema, nil
}

// migrateFurther takes the steps that are due, up to one that needs another transaction.
func migrateFurther(tx kv.Tx, steps []migration) (more bool, err error) {
	taken, err := stepsTaken(tx, len(steps))
	if err != nil || taken == len(steps) {
		return false, err
	}
	tx.Put(meta.key(schemaKey), strconv.AppendInt(nil, int64(len(steps)), 10))
	for i, take := range steps[taken:] {
		if i > 0 {
			tx.Delete(meta.key(migratingKey)) // its key is of the step before
		}
		err := take(tx)
		if u := (unfinished{}); errors.As(err, &u) {
			tx.Put(meta.key(migratingKey), append(append(strconv.AppendInt(nil, int64(taken+i), 10), 0), u.after...))
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("change to schema %d: %w", taken+i+1, err)
		}
	}
	tx.Delete(meta.key(migratingKey))
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
