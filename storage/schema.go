package storage

import (
	"fmt"
	"slices"

	"ludoteca/storage/kv"
	"ludoteca/storage/migrations"
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
var cells = []AnyCell{schemaNumber, migrating, announcement, salt, heartbeat, outage, voids, casualDone, lookalikesIndex, talliesIndex}

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

// schemaNumber is the number of the schema.
var schemaNumber = Cell[int]{
	Name: migrations.SchemaName,
	Values: Codec[string, int]{
		Encode: func(n int) ([]byte, error) { return migrations.FormatSchema(n), nil },
		Decode: func(_ string, value []byte) (int, error) { return migrations.ParseSchema(value) },
	},
}

// migrating is how far a migration has come that isn't complete; migrations alone read and write it.
var migrating = Cell[struct{}]{
	Name: migrations.MarkerName,
	Values: Codec[string, struct{}]{
		Decode: func(_ string, value []byte) (none struct{}, err error) { return none, migrations.CheckMarker(value) },
	},
}

// complete checks that every section is there, if the engine can tell.
func complete(r kv.Reader) error {
	have, exact, err := kv.SectionsOf(r)
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
