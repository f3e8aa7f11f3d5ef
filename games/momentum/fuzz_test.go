package momentum

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

func FuzzMove(f *testing.F) {
	gamestest.FuzzMove(f, New(), []string{"d4", "d4 swap", forcedX, "size=10 ply=0 " + rowsOf(10), "size=26 ply=0 " + rowsOf(26)},
		[]string{"d4", "SWAP ", "a10", "a0", "m13", "\x1b[31md4"})
}

func FuzzOptions(f *testing.F) { gamestest.FuzzOptions(f, New()) }

func FuzzParse(f *testing.F) {
	gamestest.FuzzParse(f, New(), Limit, forcedX, "ply=0 "+emptyRows, "ply=60 "+emptyRows, "size=8 marbles=6 ply=0 turn=X "+rowsOf(8),
		"ply=1 turn=O X......"+emptyRows[7:],
		"size=20 ply=0 "+rowsOf(20), "marbles=26 ply=1 "+emptyRows)
}

func FuzzGame(f *testing.F) {
	gamestest.FuzzGame(f, New(), optionSets(f, []int{7, 10, 13, 14, 20, 26}, []int{6, 8, 12, 26}), plain, "d4 swap e5 d4 zz a0")
}

func plain(o games.Options) gamestest.Reference { return newReference(o[optSize], o[optMarbles]) }
