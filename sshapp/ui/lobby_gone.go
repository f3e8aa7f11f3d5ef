package ui

import (
	"cmp"
	"slices"

	"ludoteca/storage"
)

// A departure is an old row that is gone, and behind how many of the fresh rows it stands.
type departure struct {
	row
	behind int
}

// merged puts fresh rows in the place of the old ones, and keeps those that are gone, marked so, behind the row that
// they stood behind. Those that have just gone are for the sweep with that number: in a busy club others go all the time, and
// none of them may wait for the last.
func merged(old, fresh []row, sweep int) (rows []row, anyGone bool) {
	var gone []departure
	f, behind := finder{rows: fresh}, 0
	for _, o := range old {
		if i := f.find(o, behind); i >= 0 {
			behind = i + 1
			continue
		}
		if o.id == "" {
			continue // a remark
		}
		if !o.gone {
			o.gone, o.sweep = true, sweep
		}
		gone = append(gone, departure{o, behind})
	}
	if len(gone) == 0 {
		return fresh, false
	}
	slices.SortStableFunc(gone, func(a, b departure) int { return cmp.Compare(a.behind, b.behind) })
	rows = make([]row, 0, len(fresh)+len(gone))
	for i := range len(fresh) + 1 {
		for ; len(gone) > 0 && gone[0].behind == i; gone = gone[1:] {
			rows = append(rows, gone[0].row)
		}
		if i < len(fresh) {
			rows = append(rows, fresh[i])
		}
	}
	return rows, true
}

// A finder finds rows among fresh ones. Most stand where they are expected, behind the one before. Some others are looked for
// among all; if there are many, in an index: however many have come and gone, the work grows with the rows, not their square.
type finder struct {
	rows   []row
	looked int
	index  map[identity]int
}

// An identity is what tells rows apart.
type identity struct {
	id      storage.MatchID
	block   block
	heading bool
}

func (r row) identity() identity { return identity{r.id, r.block, r.heading} }

// maxLooks is how many rows are looked for without an index, which would be much garbage for a few.
const maxLooks = 16

// find returns the place of a row like r, -1 if there is none.
func (f *finder) find(r row, expected int) int {
	of := r.identity()
	if expected < len(f.rows) && f.rows[expected].identity() == of {
		return expected
	}
	if f.looked++; f.looked <= maxLooks {
		return slices.IndexFunc(f.rows, func(r row) bool { return r.identity() == of })
	}
	if f.index == nil {
		f.index = make(map[identity]int, len(f.rows))
		for i, r := range f.rows {
			f.index[r.identity()] = i
		}
	}
	if i, ok := f.index[of]; ok {
		return i
	}
	return -1
}

// swept returns the rows without those that are gone and for a sweep up to that number, except the held one.
func swept(rows []row, sweep int, held storage.MatchID) []row {
	due := func(r row) bool { return r.gone && r.sweep <= sweep && r.id != held }
	if !slices.ContainsFunc(rows, due) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), due)
}
