package bot

// ratings are the ratings of the levels by game, as measured by matches between neighbours with
//
//	ludoteca rate GAME --games 200 --openings 2 --seed 1 --levels random,greedy,pupil,club,expert,champion,master:NODES
//
// NODES was 1,000,000 in Momentum and 4Mation, 400,000 in Petteia, 300,000 in Tanks and 200,000 in Flügelrad, to have the
// games played within an hour: less than Master has in the club. With --go instead of GAME the whole table is made anew, with
// one number for all games.
var ratings = map[string]map[string]int{
	"flugelrad": {
		"random":   0,
		"greedy":   156,
		"pupil":    1196,
		"club":     2045,
		"expert":   2843,
		"champion": 3185,
		"master":   3483,
	},
	"fourmation": {
		"random":   0,
		"greedy":   413,
		"pupil":    755,
		"club":     884,
		"expert":   945,
		"champion": 970,
		"master":   975,
	},
	"momentum": {
		"random":   0,
		"greedy":   1040,
		"pupil":    1644,
		"club":     2063,
		"expert":   2344,
		"champion": 2552,
		"master":   2767,
	},
	"petteia": {
		"random":   0,
		"greedy":   1040,
		"pupil":    2081,
		"club":     2879,
		"expert":   3054,
		"champion": 3269,
		"master":   3484,
	},
	"tanks": {
		"random":   0,
		"greedy":   1040,
		"pupil":    2081,
		"club":     2462,
		"expert":   2738,
		"champion": 2953,
		"master":   3134,
	},
}
