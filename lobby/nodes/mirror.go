package nodes

import "ludoteca/storage"

// A Mirror keeps what a node knows equal to the rows that other nodes write: it tells the difference between what was there and what is there
// now. Its functions are called one after the other.
type Mirror[K comparable, V any] struct {
	Key   func(row V) K
	Known func() []K // what this node knows by rows
	Gone  func(key K)

	// Put takes in that a row is there. news is false for rows of which the node hears as it comes to know the rows for the first time.
	Put func(row V, news bool)
}

// Follower returns what follows the rows. unreadable is called with those that can't be read, which are left out.
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
