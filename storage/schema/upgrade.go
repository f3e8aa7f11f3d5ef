package schema

import (
	"context"
	"strconv"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
)

// Schema is the number of the schema that this version of the program writes.
func Schema() int { return migrations.Count() }

// An Upgrade is what Open would change in a store.
type Upgrade struct {
	From  int  // the number of the store's schema; 0: the store is new
	To    int  // the number of this version's schema
	Begun bool // an Open of this version was interrupted in the middle

	Indexes []string // that would be made anew, in words
}

// Due reports whether Open would migrate a store that there is.
func (u Upgrade) Due() bool { return u.From > 0 && u.From < u.To }

// UpgradeOf returns what Open would change with the same arguments, and changes nothing. It returns the errors of Open.
func UpgradeOf(ctx context.Context, engine kv.Store, c Config) (u Upgrade, err error) {
	u.To = Schema()
	err = engine.View(ctx, func(r kv.Reader) error {
		var err error
		if u.From, u.Begun, err = migrations.Taken(r); err != nil || u.From == 0 {
			return err
		}
		for _, x := range indexes(c.Lookalikes) {
			marker, _, err := x.Marker.Find(r)
			if err != nil {
				return err
			}
			if string(marker) != x.Version {
				u.Indexes = append(u.Indexes, x.What)
			}
		}
		return nil
	})
	return u, err
}

// indexes are the indexes that Open makes anew when they aren't of the present version.
func indexes(alike accounts.LookalikeRules) []storage.Index {
	var all []storage.Index
	if alike.Of != nil {
		all = append(all, storage.Index{
			What: "index of names that look alike", Table: accounts.Lookalikes, Marker: accounts.LookalikesIndex, Version: strconv.Itoa(alike.Version),
			Step: alike.AddNext,
		})
	}
	return append(all, storage.Index{What: "tallies", Table: results.Tallies, Marker: results.TalliesIndex, Version: strconv.Itoa(results.TallyRules), Step: results.CountRecords}, results.OpeningsBuild(), results.SeasonsBuild())
}
