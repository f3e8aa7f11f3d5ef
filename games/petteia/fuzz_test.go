package petteia_test

import (
	"testing"

	"ludoteca/games/gamestest"
	"ludoteca/games/petteia"
)

func FuzzMove(f *testing.F) {
	gamestest.FuzzMove(f, petteia.New(), []string{"a1-a7", "turn=O captured=1,2 quiet=3 " + emptyRows + "X..........O"},
		[]string{"a1-a5", "A1 a5", " l8-c8 ", "a1-", "a1-a5-a6", "a\xff-b1"})
}

func FuzzOptions(f *testing.F) { gamestest.FuzzOptions(f, petteia.New()) }

func FuzzParse(f *testing.F) {
	gamestest.FuzzParse(f, petteia.New(), 0,
		kit.Start(f, "safe_entry=0 repetition=0").String(),
		"turn=O captured=1,2 quiet=3 "+emptyRows+"X..........O",
		"turn=X captured=0,0 "+emptyRows,
		"turn= captured=, /////// ",
	)
}

func FuzzGame(f *testing.F) {
	sets := kit.Sets(f, "", "safe_entry=0 captures_to_win=2", "repetition=2 quiet_limit=0", "quiet_limit=5")
	gamestest.FuzzGame(f, petteia.New(), sets, plain, "a1-a7 a8-a7 a1-a7", "a1-a2 a8-a7 a2-a1 a7-a8 a1-a2 a8-a7 a2-a1 a7-a8 a1-a2")
}
