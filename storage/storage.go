// Package storage is what the packages below it are written with: the ids of players and matches, the errors, tables of stored things with
// their keys and codecs, and reads, changes and watches of an engine of kv.
//
// Each subject has a package of its own, which holds its tables and the rules that one transaction upholds: accounts, relations, results,
// matches, chat, operators and cluster. Package schema opens all of them as one store, migrations brings older stores up to date, and repair
// copies and salvages.
//
// Every write is one short transaction that leaves the store true, and it is durable before the call returns. Reads
// never wait for a writer, and never return what a power failure could still take back.
package storage

import (
	"errors"
	"fmt"

	"ludoteca/storage/kv"
	"ludoteca/storage/migrations"
)

// ErrNewer says that a newer version of the program has written the store.
var ErrNewer = migrations.ErrNewer

// What a call finds wrong. The first seven are refusals: nothing was written.
var (
	// ErrStale says that the number of an event is taken or leaves a gap: another writer was faster.
	ErrStale = errors.New("the log has moved on")

	// ErrCodeTaken says that the code of a new match names another match.
	ErrCodeTaken = errors.New("the code is taken")

	// ErrNameTaken says that another player has the name, as names are compared.
	ErrNameTaken = errors.New("the name is taken")

	// ErrNameAlike says that the name is easily mistaken for another player's.
	ErrNameAlike = errors.New("the name looks like another player's")

	// ErrKeyTaken says that an SSH key belongs to another player.
	ErrKeyTaken = errors.New("the key is taken")

	// ErrNotFound says that there is no such player, match or code.
	ErrNotFound = errors.New("not found")

	// ErrUnchanged says that everything is already as the change would make it.
	ErrUnchanged = errors.New("nothing would change")

	// ErrInvalid says that the caller gave something that the store can't hold: a programmer's mistake.
	ErrInvalid = kv.ErrInvalid

	// ErrDamaged says that something read from the store is not what this program wrote.
	ErrDamaged = kv.ErrDamaged

	// ErrCommit says that writing failed. Nothing is known then: the change may be there or not. Read again and go on
	// from what is there. The engine has logged the cause, once for all who got this error.
	ErrCommit = kv.ErrCommit

	// ErrClosed says that the store was closed before the call could do anything.
	ErrClosed = kv.ErrClosed
)

// Damaged returns an error for an entry that makes no sense.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// First returns the first pair of a range; ok is false if there is none.
func First(r kv.Reader, g kv.Range) (p kv.Pair, ok bool, err error) {
	g.Expect = 1
	for p, err := range r.Scan(g) {
		return p, err == nil, err
	}
	return kv.Pair{}, false, nil
}

// Has reports whether there is a value under a key.
func Has(r kv.Reader, key []byte) (bool, error) {
	v, err := r.Get(key)
	return v != nil, err
}
