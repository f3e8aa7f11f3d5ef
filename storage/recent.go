package storage

import "time"

// What a rated match counts depends on the matches of its players that counted lately. They are kept by player, with what else the weights
// of results depend on (independence.go), and follow from the results.

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

// recentMatches are what is kept of each player for the results to come.
var recentMatches = Table[PlayerID, form]{
	Name: "recent_matches", Keys: Text(isPlayerID), Traits: Traits{From: []string{"results"}, Anew: true},
	Values: JSON[PlayerID, form](2),
}
