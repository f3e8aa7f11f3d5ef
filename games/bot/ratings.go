package bot

// ratings are the ratings of the levels by game, as measured by matches between neighbours with
//
//	ludoteca rate --go --levels random,greedy,pupil,club,expert,champion --games 200 --openings 2 --seed 1
//
// Master is not here: it has not met its neighbour in as many games in every game yet.
var ratings = map[string]map[string]int{
	"flugelrad": {
		"random":   0,
		"greedy":   156,
		"pupil":    1196,
		"club":     2236,
		"expert":   3156,
		"champion": 3479,
	},
	"fourmation": {
		"random":   0,
		"greedy":   413,
		"pupil":    755,
		"club":     884,
		"expert":   945,
		"champion": 970,
	},
	"momentum": {
		"random":   0,
		"greedy":   1040,
		"pupil":    1644,
		"club":     2063,
		"expert":   2409,
		"champion": 2597,
	},
	"petteia": {
		"random":   0,
		"greedy":   1040,
		"pupil":    2081,
		"club":     2879,
		"expert":   3194,
		"champion": 3455,
	},
	"tanks": {
		"random":   0,
		"greedy":   1040,
		"pupil":    2081,
		"club":     2462,
		"expert":   2785,
		"champion": 3086,
	},
}
