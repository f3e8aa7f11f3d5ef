package storage

import (
	"time"

	"ludoteca/storage/kv"
)

// What a rated match counts depends on the matches of its players that counted lately. They are kept by player, and follow
// from the results.

const (
	// Day is the time in which rated matches are counted, and that makes an account an old one.
	Day = 24 * time.Hour

	// DailyMatches is how many rated matches of one player count in a Day, in all games.
	DailyMatches = 40
)

// A recentMatch is a rated match that counted.
type recentMatch struct {
	Ended   int64    `json:"t"` // milliseconds
	Game    string   `json:"g"`
	Against PlayerID `json:"p"`
}

const recentVersion = 1

// lately returns the matches that ended within a Day before a time in milliseconds.
func lately(all []recentMatch, ms int64) []recentMatch {
	kept := make([]recentMatch, 0, len(all)+1)
	for _, m := range all {
		if ms-m.Ended < Day.Milliseconds() {
			kept = append(kept, m)
		}
	}
	return kept
}

func readRecent(r kv.Reader, id PlayerID) ([]recentMatch, error) {
	value, err := r.Get(recentMatches.key(string(id)))
	if err != nil || value == nil {
		return nil, err
	}
	return decodeRecent(value)
}

// decodeRecent reads the stored form of a player's recent matches.
func decodeRecent(value []byte) ([]recentMatch, error) {
	_, content, err := unseal(value, recentVersion)
	if err != nil {
		return nil, err
	}
	var all []recentMatch
	return all, parseJSON(content, &all)
}

func encodeRecent(all []recentMatch) ([]byte, error) { return sealJSON(recentVersion, all) }
