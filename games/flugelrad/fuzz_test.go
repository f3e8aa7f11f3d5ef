package flugelrad

import (
	"testing"

	"ludoteca/games/gamestest"
)

func FuzzMove(f *testing.F) {
	gamestest.FuzzMove(f, New(), []string{"0:1", wheel5, wonByO}, []string{"3:2", " 0 1", "0:6", "\x1b[31m0:1", ":::"})
}

func FuzzOptions(f *testing.F) { gamestest.FuzzOptions(f, New()) }

func FuzzParse(f *testing.F) {
	gamestest.FuzzParse(f, New(), 0, "turn=X "+startRow, wheel5, wonByO,
		"chain=1 turn=O turns=3 last=0 move_limit=0 repetition=0 connect=4 fresh_wheel=0 "+startRow)
}

func FuzzGame(f *testing.F) {
	gamestest.FuzzGame(f, New(), optionSets(f), plain, "0:1 5:1 0:5 5:5 zz 7:1", "0:1 0:5 0:1 0:5 0:1 0:5")
}
