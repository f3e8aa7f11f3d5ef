package bot

// A rungPlan is what one level that looks ahead may do in a game.
type rungPlan struct {
	nodes  int // positions it looks at for a move
	spread int // moves that seem worse than the best by less than this are chosen as well; a man is some 100
}

// A plan is how a game is looked ahead in.
type plan struct {
	contempt int  // how much worse than equal a draw seems to whoever thinks, so that it goes on playing
	repeats  bool // a game may be drawn because positions come up again
	noisy    int  // how many plies of noisy moves in a row are looked at after the others
	rungs    [len(rungs)]rungPlan
}

// usualNoisy is enough for all captures in games where what is taken off stays off.
const usualNoisy = 16

// byDefault is the plan of a game that has none of its own.
var byDefault = plan{repeats: true, noisy: usualNoisy, rungs: [len(rungs)]rungPlan{
	{nodes: 200, spread: 60},
	{nodes: 2_000, spread: 20},
	{nodes: 20_000, spread: 8},
	{nodes: 200_000, spread: 3},
	{nodes: 4_000_000, spread: 2},
}}

// plans are those of the games that do better otherwise. In Momentum marbles that are pushed off come back, so that there
// is no end of pushing; 4Mation and Petteia are drawn too readily.
var plans = map[string]plan{
	"momentum": {noisy: 3, rungs: byDefault.rungs},
	"petteia":  {contempt: 25, repeats: true, noisy: usualNoisy, rungs: byDefault.rungs},
	"fourmation": {contempt: 8, noisy: usualNoisy, rungs: [len(rungs)]rungPlan{
		{nodes: 400, spread: 8},
		{nodes: 4_000, spread: 4},
		{nodes: 40_000, spread: 3},
		{nodes: 400_000, spread: 2},
		{nodes: 4_000_000, spread: 2},
	}},
}

// planOf returns the plan of the game with this ID.
func planOf(game string) plan {
	if p, ok := plans[game]; ok {
		return p
	}
	return byDefault
}
