package schema

import (
	"fmt"
	"slices"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	"ludoteca/storage/cluster"
	"ludoteca/storage/kv"
	"ludoteca/storage/learning"
	"ludoteca/storage/matches"
	"ludoteca/storage/migrations"
	"ludoteca/storage/notices"
	"ludoteca/storage/operators"
	"ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/standingoffers"
	"ludoteca/storage/studies"
	"ludoteca/storage/tells"
	"ludoteca/storage/tournaments"
	"ludoteca/storage/vacations"
)

// contents are what the packages of the store keep.
var contents = []storage.Contents{
	{Tables: []storage.AnyTable{metaTable{}}, Cells: []storage.AnyCell{SchemaNumber, migrating}},
	accounts.Contents(), relations.Contents(), results.Contents(), matches.Contents(), chat.Contents(), operators.Contents(), cluster.Contents(),
	learning.Contents(), studies.Contents(), tells.Contents(), tournaments.Contents(), notices.Contents(), standingoffers.Contents(), vacations.Contents(),
}

// tables are all tables of the present schema.
var tables = func() (all []storage.AnyTable) {
	for _, c := range contents {
		all = append(all, c.Tables...)
	}
	return all
}()

// TableNames returns the names of all tables.
func TableNames() []string {
	all := make([]string, len(tables))
	for i, k := range tables {
		all[i] = k.TableName()
	}
	return all
}

// TableNamed returns the table with a name, nil if there is none.
func TableNamed(name string) storage.AnyTable {
	for _, k := range tables {
		if k.TableName() == name {
			return k
		}
	}
	return nil
}

// A metaTable is the table meta: cells under names of their own.
type metaTable struct{}

// TableName implements storage.AnyTable.
func (metaTable) TableName() string { return storage.Meta }

// TableTraits implements storage.AnyTable.
func (metaTable) TableTraits() storage.Traits { return storage.Traits{} }

// Valid implements storage.AnyTable.
func (metaTable) Valid(key, value []byte) error {
	for _, of := range contents {
		for _, c := range of.Cells {
			if c.CellName() == string(key) {
				return c.Valid(value)
			}
		}
	}
	return storage.Damaged("there is no %q in the table meta", key)
}

// Shown implements storage.AnyTable.
func (metaTable) Shown(key []byte) string { return storage.Printable(key) }

// SchemaNumber is the number of the schema.
var SchemaNumber = storage.Cell[int]{
	Name: migrations.SchemaName,
	Values: storage.Codec[string, int]{
		Encode: func(n int) ([]byte, error) { return migrations.FormatSchema(n), nil },
		Decode: func(_ string, value []byte) (int, error) { return migrations.ParseSchema(value) },
	},
}

// migrating is how far a migration has come that isn't complete; migrations alone read and write it.
var migrating = storage.Cell[struct{}]{
	Name: migrations.MarkerName,
	Values: storage.Codec[string, struct{}]{
		Decode: func(_ string, value []byte) (none struct{}, err error) { return none, migrations.CheckMarker(value) },
	},
}

// complete checks that every section is there, if the engine can tell.
func complete(r kv.Reader) error {
	have, exact, err := kv.SectionsOf(r)
	if err != nil || !exact {
		return err
	}
	for _, name := range TableNames() {
		if !slices.Contains(have, name) {
			return fmt.Errorf("%w: the part %q is missing", storage.ErrDamaged, name)
		}
	}
	return nil
}
