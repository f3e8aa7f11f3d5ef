package games

import (
	"fmt"
	"strconv"
	"strings"
)

// A Profile says how a game is searched, and what has been measured of that. It is fixed data; callers must not change it.
type Profile struct {
	// Contempt is how much worse than equal a draw seems to the side that searches, so that it plays on. A man is some 100.
	Contempt int

	// Repeats says that a game may be drawn because positions come up again.
	Repeats bool

	// NoisyPlies is how many noisy moves in a row, as Search.Noisy lists them, are followed at the end of a line.
	NoisyPlies int

	// ProofShare is for games in which wins are forced in long and narrow lines: 1/ProofShare of the nodes of a move go into
	// a proof before the search. 0: none.
	ProofShare int

	// Presets are the strengths of the computer players that search, the weakest first.
	Presets [Presets]Preset

	// Length is how many plies a game with the usual options lasts on average. Players under a clock share their time out by it.
	// For the built-in games it was measured in 60 games of equal players that search, after two random plies.
	Length int

	// Scale is how far ahead a side must be to expect 73 % of the points: the scale of the logistic curve that foretells
	// best how games between people end. `ludoteca scale` measures it.
	Scale float64

	// RateNodes is what the strongest preset looks at for a move when `ludoteca rate` measures it: less than in the club, so that
	// the games end within an hour, and no clock, so that they are the same on any machine. 0: as in the club.
	RateNodes int

	// Ratings are the measured ratings of the computer players by the ID of their level; nil if they have not been measured.
	Ratings map[string]int
}

// Presets is how many computer players search.
const Presets = 5

// A Preset is what one computer player may do for a move.
type Preset struct {
	Nodes  int // positions that it looks at, at most
	Spread int // moves that seem worse than the best by less than this are chosen as well

	// Depth is how many plies ahead it looks at most, and how many noisy moves in a row it follows from there; 0: as far as
	// its nodes go.
	Depth int

	// Overlooks is the percentage of the moves one ply after its own that it doesn't see. Two plies after its own move it
	// is twice as many, and so on.
	Overlooks int

	// Plans are, by side, the weights of the evaluation in place of the game's own, by their names: what a player that
	// has a favourite plan makes too much or too little of. The game must be Tunable.
	Plans [2][]Weight
}

// TopNodes is what the strongest preset looks at if it has the time.
const TopNodes = 4_000_000

// UsualNoisyPlies is enough for all captures in games where what is taken off stays off.
const UsualNoisyPlies = 16

// UsualPresets returns five presets: pupil and club, which see little, two that look at expert and champion positions a move,
// and the strongest, which looks at TopNodes. Each game chooses its numbers so that each of the upper steps shows. Ten times as
// many positions add less, the further a player looks already. So the last step is the longest, above all in a game that can be
// held by looking far enough.
func UsualPresets(pupil, club Preset, expert, champion int) [Presets]Preset {
	return [...]Preset{
		pupil,
		club,
		{Nodes: expert, Spread: 8},
		{Nodes: champion, Spread: 3},
		{Nodes: TopNodes, Spread: 2},
	}
}

// Profiled is an optional ability of a Game: to be searched otherwise than by UsualProfile.
type Profiled interface {
	Profile() *Profile
}

// UsualProfile returns the profile of a game that has none of its own.
func UsualProfile() Profile {
	pupil := Preset{Nodes: 4_000, Spread: 20, Depth: 2, Overlooks: 10}
	club := Preset{Nodes: 20_000, Spread: 10, Depth: 4, Overlooks: 2}
	return Profile{
		Repeats: true, NoisyPlies: UsualNoisyPlies, Presets: UsualPresets(pupil, club, 10_000, 60_000), Length: 60, Scale: 100,
		RateNodes: 300_000,
	}
}

// ProfileOf returns the profile of a game.
func ProfileOf(g Game) *Profile {
	if p, ok := g.(Profiled); ok {
		return p.Profile()
	}
	p := UsualProfile()
	return &p
}

// ParseRatings reads the text form of ratings: a line "LEVEL RATING" for each level. Lines that begin with # and empty
// ones are passed over.
func ParseRatings(text string) (map[string]int, error) {
	ratings := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		level, number, _ := strings.Cut(line, " ")
		rating, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil {
			return nil, fmt.Errorf("line %d: %.40q is no level and rating", i+1, line)
		}
		if _, twice := ratings[level]; twice {
			return nil, fmt.Errorf("line %d: %.40q is rated twice", i+1, level)
		}
		ratings[level] = rating
	}
	return ratings, nil
}

// MustParseRatings is ParseRatings for the ratings that are built in. It panics on an error.
func MustParseRatings(text string) map[string]int {
	ratings, err := ParseRatings(text)
	if err != nil {
		panic("games: built-in ratings: " + err.Error())
	}
	return ratings
}
