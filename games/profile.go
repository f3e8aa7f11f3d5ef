package games

import (
	"cmp"
	"fmt"
	"slices"
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

	// Presets are the computer players that search, the weakest first. The last one gives the hints.
	Presets []Preset

	// Set is the name of the option set in which the computer players were measured, and with which a match against them
	// begins if nothing else is chosen; "" is Classic.
	Set string

	// Length is how many plies a game with the options of Set lasts on average. Players under a clock share their time out by it.
	// For the built-in games it was measured in 60 games of equal players that search, after two random plies.
	Length int

	// Scale is how far ahead a side must be to expect 73 % of the points: the scale of the logistic curve that foretells
	// best how games between people end. `ludoteca scale` measures it.
	Scale float64

	// RateNodes is what the strongest preset looks at for a move when `ludoteca rate` measures it: less than in the club, so that
	// the games end within an hour, and no clock, so that they are the same on any machine. 0: as in the club.
	RateNodes int

	// Ratings are the measured ratings of the computer players by the ID of their level; nil if they have not been measured.
	Ratings map[string]Rating
}

// A Preset is what one computer player may do for a move.
type Preset struct {
	Level  string // the ID of the level, which package bot has words for
	Nodes  int    // positions that it looks at, at most
	Spread int    // moves that seem worse than the best by less than this are chosen as well

	// Depth is how many plies ahead it looks at most, and how many noisy moves in a row it follows from there; 0: as far as
	// its nodes go.
	Depth int

	// Overlooks is the percentage of the moves one ply after its own that it doesn't see. Two plies after its own move it
	// is twice as many, and so on.
	Overlooks int

	// Misses is the percentage of its own moves that it doesn't see, even if they win. Only levels below Pupil miss any.
	Misses int

	// Plans are, by side, the weights of the evaluation in place of the game's own, by their names: what a player that
	// has a favourite plan makes too much or too little of. The game must be Tunable.
	Plans [2][]Weight

	// Learned has it evaluate by what the game has learned, if anything, instead of by weights.
	Learned bool

	// Proves has it prove what it calls won or lost.
	Proves bool

	// Advised has it ask the game for advice before it searches.
	Advised bool
}

// A Rating is by how many points a computer player is stronger than the weakest one of the game.
type Rating struct {
	Points int

	// More reports that it is stronger by more than Points: somewhere below, one level made all the points against another, so
	// that the difference has no upper bound.
	More bool
}

// TopNodes is what the strongest preset looks at if it has the time.
const TopNodes = 4_000_000

// UsualNoisyPlies is enough for all captures in games where what is taken off stays off.
const UsualNoisyPlies = 16

// UsualPresets returns the presets of a game: the weak ones, which see little, then the strong ones, and Master, which looks at
// TopNodes. The strong ones evaluate by what was learned and prove what they call decided; from Champion on they also ask for advice.
// Each game chooses its numbers so that each step shows and none is longer than 300 points. Ten times as many positions add less,
// the further a player looks already.
func UsualPresets(weak []Preset, strong ...Preset) []Preset {
	presets := append(slices.Clone(weak), strong...)
	presets = append(presets, Preset{Level: "master", Nodes: TopNodes, Spread: 2})
	advised := false
	for i := len(weak); i < len(presets); i++ {
		advised = advised || presets[i].Level == "champion"
		presets[i].Learned, presets[i].Proves, presets[i].Advised = true, true, advised
	}
	return presets
}

// Expert and Champion return the presets of those levels, which look at nodes positions a move.
func Expert(nodes int) Preset { return Preset{Level: "expert", Nodes: nodes, Spread: 8} }

// Champion is like Expert, for the level below Master.
func Champion(nodes int) Preset { return Preset{Level: "champion", Nodes: nodes, Spread: 3} }

// Profiled is an optional ability of a Game: to be searched otherwise than by UsualProfile.
type Profiled interface {
	Profile() *Profile
}

// UsualProfile returns the profile of a game that has none of its own.
func UsualProfile() Profile {
	weak := []Preset{
		{Level: "pupil", Nodes: 4_000, Spread: 20, Depth: 2, Overlooks: 10},
		{Level: "club", Nodes: 20_000, Spread: 10, Depth: 4, Overlooks: 2},
	}
	return Profile{
		Repeats: true, NoisyPlies: UsualNoisyPlies, Presets: UsualPresets(weak, Expert(10_000), Champion(60_000)), Length: 60, Scale: 100,
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

// OptionsOf returns the complete options with which a match against the computer begins, which the profile's option set has.
func OptionsOf(g Game) Options {
	set, _ := g.About().OptionSet(cmp.Or(ProfileOf(g).Set, Classic))
	return set.Options
}

// ParseRatings reads the text form of ratings: a line "LEVEL RATING" for each level, with > before a rating that is too low because
// of a step without an upper bound. Lines that begin with # and empty ones are passed over.
func ParseRatings(text string) (map[string]Rating, error) {
	ratings := map[string]Rating{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		level, number, _ := strings.Cut(line, " ")
		number, more := strings.CutPrefix(strings.TrimSpace(number), ">")
		points, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("line %d: %.40q is no level and rating", i+1, line)
		}
		if _, twice := ratings[level]; twice {
			return nil, fmt.Errorf("line %d: %.40q is rated twice", i+1, level)
		}
		ratings[level] = Rating{Points: points, More: more}
	}
	return ratings, nil
}

// MustParseRatings is ParseRatings for the ratings that are built in. It panics on an error.
func MustParseRatings(text string) map[string]Rating {
	ratings, err := ParseRatings(text)
	if err != nil {
		panic("games: built-in ratings: " + err.Error())
	}
	return ratings
}
