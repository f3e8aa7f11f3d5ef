package storage

import (
	"time"

	"ludoteca/games"
)

// A Player is an account.
type Player struct {
	ID       PlayerID
	Name     string    // as he writes it
	NameKey  string    // the form in which names are compared; unique
	Since    time.Time // UTC
	Settings Settings
}

// Settings are how a player likes the club to look and sound. The zero value is what a newcomer gets.
type Settings struct {
	Theme    string `json:"theme,omitempty"`    // "" is automatic
	Charset  string `json:"charset,omitempty"`  // "", "utf-8" or "ascii"; "" asks the terminal
	Mute     bool   `json:"mute,omitempty"`     // no bell
	Language string `json:"language,omitempty"` // "" asks the client's locale
}

// A Rating is a player's standing in one game, on Glicko-2's 1500 scale, with his rated results.
type Rating struct {
	Rating     float64
	Deviation  float64
	Volatility float64
	At         time.Time // the end of the last rated match; the deviation is as of then. Zero: never played
	Played     int
	Won        int
	Drawn      int
	Lost       int
}

// A Rate computes new ratings after one rated match that ended at the given time; score is the first player's: 1, 0.5
// or 0. It must be pure and give the same bits on every processor. It leaves Played, Won, Drawn and Lost alone; a
// Rating whose At is zero is a newcomer's, whatever its other fields.
type Rate func(first, second Rating, score float64, at time.Time) (newFirst, newSecond Rating)

// A RatingChange is one player's rating before and after a rated match.
type RatingChange struct {
	Before Rating
	After  Rating
}

// A Finished is a match that has ended: one row of history.
type Finished struct {
	ID      MatchID
	Code    string
	Game    string
	Options games.Options
	First   Occupant
	Second  Occupant
	Result  string // first, second, draw, or "" for a void match
	Reason  string
	Plies   int
	Rated   bool
	Public  bool
	Start   int       // how many of the moves were given: made before the players took over
	Helped  Help      // what help was taken
	Started time.Time // the second seat was taken
	Ended   time.Time

	Moves   []games.Move     // only where a whole record is asked for
	Times   []time.Time      // when each move arrived; as long as Moves
	Ratings *[2]RatingChange // of a rated match: first, second
}

// Help is the help that a player took in a match against a computer player. The zero value is none.
type Help struct {
	Hints     int `json:"hints,omitempty"`
	Takebacks int `json:"takebacks,omitempty"`
}

// A Standing is one player's line in the ratings of a game.
type Standing struct {
	Player PlayerID
	Name   string
	Rating Rating
}

// A HistoryQuery says which finished matches are wanted, newest first.
type HistoryQuery struct {
	Player PlayerID // "" is everybody
	Game   string   // "" is every game
	Before Cursor   // only matches after this place in the list; the zero value starts at the newest
	Limit  int      // at most; 1 to 1000
}

// A Cursor is a place in a list of history: the end and id of the last match seen.
type Cursor struct {
	Ended time.Time
	ID    MatchID
}
