package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// The index of results leads from a player, and from two players, to their rated matches, the newest first by a scan from the end.
// An entry says nothing but the number of a result, and results never change, so neither do entries.

// A resultPlace is an entry of the index: it leads to a result of a player in a game, or of two players.
type resultPlace struct {
	game   string
	one    storage.PlayerID
	other  storage.PlayerID // "": the entry is one of a single player; else of two, in the order of their bytes
	number uint64
}

// Kinds of entries of the index: the first part of their keys.
const (
	byPlayer = "player" // then the player, the game, and the number of the result
	byPair   = "pair"   // then the game, the two players, and the number of the result
)

// ResultIndex leads to the results of players.
var ResultIndex = storage.Table[resultPlace, struct{}]{
	Name: "result_index", Values: storage.None[resultPlace](), Traits: storage.Traits{From: []string{"results"}, Anew: true},
	Keys: storage.KeyForm[resultPlace]{
		Add: func(b []byte, k resultPlace) []byte {
			parts := []string{byPlayer, string(k.one), k.game}
			if k.other != "" {
				parts = []string{byPair, k.game, string(k.one), string(k.other)}
			}
			for _, part := range parts {
				b = append(append(b, part...), 0)
			}
			return storage.AppendSeq(b, k.number)
		},
		Parse: func(b []byte) (k resultPlace, ok bool) {
			if parts := bytes.SplitN(b, []byte{0}, 4); string(parts[0]) == byPlayer && len(parts) == 4 {
				k.one, k.game = storage.PlayerID(parts[1]), string(parts[2])
				k.number, ok = storage.ReadSeq(parts[3])
			} else if parts := bytes.SplitN(b, []byte{0}, 5); string(parts[0]) == byPair && len(parts) == 5 {
				k.game, k.one, k.other = string(parts[1]), storage.PlayerID(parts[2]), storage.PlayerID(parts[3])
				k.number, ok = storage.ReadSeq(parts[4])
			}
			return k, ok
		},
		Valid: func(k resultPlace) bool {
			return storage.IsPlayerID(k.one) && (k.other == "" || storage.IsPlayerID(k.other))
		},
	},
}

// SamePlies is how many first moves make two matches the same, with the same winner: a repeated match says nothing new of strength.
const SamePlies = 20

// lastMeetings is with how many rated matches of the two players a new one is compared.
const lastMeetings = 2

// FirstMoves returns a fingerprint of the first SamePlies moves of a match.
func FirstMoves(moves []games.Move) string {
	hash := sha256.New()
	for _, m := range moves[:min(len(moves), SamePlies)] {
		hash.Write([]byte(m))
		hash.Write([]byte{0}) // no move holds one
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// winner returns who won, "" after a draw.
func (r Result) winner() storage.PlayerID {
	switch r.Result {
	case "first":
		return r.First
	case "second":
		return r.Second
	}
	return ""
}

// A meeting is what a result says of an earlier match of the same two players in the same game.
type meeting struct {
	moves  [16]byte // a fingerprint of the first moves, see Result.Moves; zero if they are unknown
	winner int8     // 1: the player who is the first of the pair, 2: the other one, 0: neither
}

func (r Result) meeting() (m meeting) {
	if r.Moves != "" {
		sum := sha256.Sum256([]byte(r.Moves))
		copy(m.moves[:], sum[:])
	}
	switch pair := r.pair(); r.winner() {
	case "":
	case pair.one:
		m.winner = 1
	default:
		m.winner = 2
	}
	return m
}

// repeats reports whether a match had the winner and the first moves of an earlier one. Under older rules than togetherRules the moves are unknown.
func (r Result) repeats(earlier []meeting) bool {
	return r.Moves != "" && slices.Contains(earlier, r.meeting())
}

// pair names the two players of a result, in the order of their bytes, and its game.
func (r Result) pair() resultPlace {
	return resultPlace{game: r.Game, one: min(r.First, r.Second), other: max(r.First, r.Second)}
}

// Places returns the places of a result in the index.
func (r Result) places(number uint64) []resultPlace {
	all := []resultPlace{r.pair(), {game: r.Game, one: r.First}, {game: r.Game, one: r.Second}}
	for i := range all {
		all[i].number = number
	}
	return all
}

// PutResultIndex adds a result to the index.
func PutResultIndex(tx kv.Tx, number uint64, r Result) {
	for _, place := range r.places(number) {
		ResultIndex.Add(tx, place)
	}
}

// resultsOf returns the range of a player's results in a game, and resultsOfPair the range of two players' results.
func resultsOf(id storage.PlayerID, game string) storage.Range[resultPlace, struct{}] {
	return ResultIndex.Under(byPlayer, string(id), game)
}

func resultsOfPair(pair resultPlace) storage.Range[resultPlace, struct{}] {
	return ResultIndex.Under(byPair, pair.game, string(pair.one), string(pair.other))
}

// newestResults returns the numbers of the newest results in a range of the index, at most n, the newest first.
func newestResults(r kv.Reader, g storage.Range[resultPlace, struct{}], n int) ([]uint64, error) {
	var numbers []uint64
	for e, err := range g.Reversed().Expecting(n).Scan(r) {
		if err != nil {
			return nil, err
		}
		if numbers = append(numbers, e.Key.number); len(numbers) == n {
			break
		}
	}
	return numbers, nil
}

// readMeetings returns the last rated matches that the two players of a result had in its game.
func readMeetings(r kv.Reader, of Result) ([]Result, error) {
	numbers, err := newestResults(r, resultsOfPair(of.pair()), lastMeetings)
	if err != nil {
		return nil, err
	}
	return Results.GetAll(r, numbers)
}
