package storage

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"ludoteca/games"
	"ludoteca/storage/kv"
)

// The index of results leads from a player, and from two players, to their rated matches, the newest first by a scan from the end.
// An entry says nothing but the number of a result, and results never change, so neither do entries.

// Kinds of entries of the index: the first part of their keys.
const (
	byPlayer = "player" // + 0 + PlayerID + 0 + game + 0 + seq of the result
	byPair   = "pair"   // + 0 + game + 0 + the two PlayerIDs in the order of their bytes + 0 + seq of the result
)

// SamePlies is how many first moves make two matches the same, with the same winner: a repeated match says nothing new of strength.
const SamePlies = 20

// lastMeetings is with how many rated matches of the two players a new one is compared.
const lastMeetings = 2

// firstMoves returns a fingerprint of the first SamePlies moves of a match.
func firstMoves(moves []games.Move) string {
	hash := sha256.New()
	for _, m := range moves[:min(len(moves), SamePlies)] {
		hash.Write([]byte(m))
		hash.Write([]byte{0}) // no move holds one
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// winner returns who won, "" after a draw.
func (r result) winner() PlayerID {
	switch r.Result {
	case "first":
		return r.First
	case "second":
		return r.Second
	}
	return ""
}

// repeats says whether a match had the winner and the first moves of an earlier one. Of results before version 3 the moves are unknown.
func (r result) repeats(earlier []result) bool {
	for _, was := range earlier {
		if r.Moves != "" && r.Moves == was.Moves && r.winner() == was.winner() {
			return true
		}
	}
	return false
}

// pairKey is the beginning of the keys of the results of the two players of r in its game.
func pairKey(r result) []byte {
	low, high := min(r.First, r.Second), max(r.First, r.Second)
	return resultIndex.key(byPair, r.Game, string(low), string(high), "")
}

// resultKeys returns the keys of a result in the index.
func resultKeys(number uint64, r result) [][]byte {
	keys := [][]byte{binary.BigEndian.AppendUint64(pairKey(r), number)}
	for _, id := range r.players() {
		keys = append(keys, binary.BigEndian.AppendUint64(resultIndex.key(byPlayer, string(id), r.Game, ""), number))
	}
	return keys
}

// putResultIndex adds a result to the index.
func putResultIndex(tx kv.Tx, number uint64, r result) {
	for _, key := range resultKeys(number, r) {
		tx.Put(key, nil)
	}
}

// newestResults returns the numbers of the newest results whose keys in the index begin with prefix, at most n, the newest first.
func newestResults(r kv.Reader, prefix []byte, n int) ([]uint64, error) {
	var numbers []uint64
	g := kv.Prefix(prefix)
	g.Reverse = true
	for p, err := range r.Scan(g) {
		if err != nil {
			return nil, err
		}
		if len(p.Key) != len(prefix)+8 {
			return nil, fmt.Errorf("%w: an entry of the index of results without a number", ErrDamaged)
		}
		if numbers = append(numbers, binary.BigEndian.Uint64(p.Key[len(prefix):])); len(numbers) == n {
			break
		}
	}
	return numbers, nil
}

// readMeetings returns the last rated matches that the two players of a result had in its game.
func readMeetings(r kv.Reader, of result) ([]result, error) {
	numbers, err := newestResults(r, pairKey(of), lastMeetings)
	if err != nil {
		return nil, err
	}
	return readResults(r, numbers)
}

// readResults returns the results with these numbers, in their order.
func readResults(r kv.Reader, numbers []uint64) ([]result, error) {
	var keys [][]byte
	for _, number := range numbers {
		keys = append(keys, results.key(seqKey(number)))
	}
	values, err := r.GetAll(keys)
	if err != nil {
		return nil, err
	}
	var all []result
	for i, value := range values {
		of, err := decodeResult(value)
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", numbers[i], err)
		}
		all = append(all, of)
	}
	return all, nil
}

// indexResult puts a result of an older store into the index. It is part of a migration: results of version 1 and 2 say by these fields
// whose they are.
func indexResult(tx kv.Tx, p kv.Pair) (writes int, err error) {
	number, err := resultNumber(p.Key)
	if err != nil {
		return 0, err
	}
	r, err := decodeResult(p.Value)
	if err != nil {
		return 0, fmt.Errorf("result %d: %w", number, err)
	}
	putResultIndex(tx, number, r)
	return len(resultKeys(number, r)), nil
}
