package nodes

import "ludoteca/storage"

// A Mirror keeps the state of a node equal to the rows that other nodes write: it reports each change of the rows. It calls its functions one
// after the other.
type Mirror[K comparable, V any] struct {
	Key   func(row V) K
	Known func() []K // returns the keys of all rows that the node holds
	Gone  func(key K)

	// Put handles a new or changed row. news is false for the rows of the first reading.
	Put func(row V, news bool)
}

// Follower returns a follower of the rows. It calls unreadable for a row that can't be read, and skips the row.
func (m Mirror[K, V]) Follower(unreadable func(key string, err error)) storage.Follower[K, V] {
	read := false
	return storage.Follower[K, V]{
		All: func(rows []V) {
			there := make(map[K]bool, len(rows))
			for _, row := range rows {
				there[m.Key(row)] = true
				m.Put(row, read)
			}
			for _, k := range m.Known() {
				if !there[k] {
					m.Gone(k)
				}
			}
			read = true
		},
		Put:  func(row V) { m.Put(row, true) },
		Gone: m.Gone,
		Bad:  unreadable,
	}
}
