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

// topNodes is what the strongest level looks at for a move if it has the time.
const topNodes = 4_000_000

// rungsOf returns the levels whose middle ones look at so many positions. The numbers are chosen by game, so that the upper
// steps, those to Expert, Champion and Master, are each one that shows. Ten times as many positions add less the further a player
// looks already: so the last step is the longest, above all in a game that can be held by looking far enough.
func rungsOf(club, expert, champion int) [len(rungs)]rungPlan {
	return [...]rungPlan{
		{nodes: 200, spread: 60},
		{nodes: club, spread: 20},
		{nodes: expert, spread: 8},
		{nodes: champion, spread: 3},
		{nodes: topNodes, spread: 2},
	}
}

// byDefault is the plan of a game that has none of its own.
var byDefault = plan{repeats: true, noisy: usualNoisy, rungs: rungsOf(2_000, 10_000, 60_000)}

// plans are those of the games that do better otherwise. In Momentum marbles that are pushed off come back, so that there
// is no end of pushing; 4Mation and Petteia are drawn too readily.
var plans = map[string]plan{
	"momentum":  {noisy: 3, rungs: byDefault.rungs},
	"petteia":   {contempt: 25, repeats: true, noisy: usualNoisy, rungs: rungsOf(2_000, 8_000, 40_000)},
	"flugelrad": {repeats: true, noisy: usualNoisy, rungs: rungsOf(1_000, 5_000, 20_000)},
	"fourmation": {contempt: 8, noisy: usualNoisy, rungs: [...]rungPlan{
		{nodes: 400, spread: 8},
		{nodes: 4_000, spread: 4},
		{nodes: 40_000, spread: 3},
		{nodes: 400_000, spread: 2},
		{nodes: topNodes, spread: 2},
	}},
}

// planOf returns the plan of the game with this ID.
func planOf(game string) plan {
	if p, ok := plans[game]; ok {
		return p
	}
	return byDefault
}
