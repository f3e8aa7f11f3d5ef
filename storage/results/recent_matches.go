package results

import (
	"time"

	"ludoteca/storage"
)

// What a rated match counts depends on the matches of its players that counted lately. They are kept by player, with what else the weights
// of results depend on (independence.go), and follow from the results.

const (
	// Day is the time in which rated matches are counted, and that makes an account an old one.
	Day = 24 * time.Hour

	// DailyMatches is how many rated matches of one player count in a Day, in all games.
	DailyMatches = 40
)

// A RecentMatch is a rated match that counted.
type RecentMatch struct {
	Ended   int64            `json:"t"` // milliseconds
	Game    string           `json:"g"`
	Against storage.PlayerID `json:"p"`
}

// lately returns the matches that ended within a Day before a time in milliseconds.
func lately(all []RecentMatch, ms int64) []RecentMatch {
	kept := make([]RecentMatch, 0, len(all)+1)
	for _, m := range all {
		if ms-m.Ended < Day.Milliseconds() {
			kept = append(kept, m)
		}
	}
	return kept
}

// RecentMatches are what is kept of each player for the results to come.
var RecentMatches = storage.Table[storage.PlayerID, Form]{
	Name: "recent_matches", Keys: storage.Text(storage.IsPlayerID), Traits: storage.Traits{From: []string{"results"}, Anew: true},
	Values: storage.JSON[storage.PlayerID, Form](2),
}
