package fourmation

import (
	"fmt"
	"testing"

	"ludoteca/games/gamestest"
)

func FuzzMove(f *testing.F) {
	gamestest.FuzzMove(f, New(), []string{"d4 e5", "cols=4 rows=4 win_length=3 last=b4 turn=O .X../OX../OO../XX.."},
		[]string{"d4", " E5 ", "a10", "p16", "z99", "d0", "d04", "4d", "d", "d4 e5", "d99999999999999999999"})
}

func FuzzOptions(f *testing.F) { gamestest.FuzzOptions(f, New()) }

func FuzzParse(f *testing.F) {
	gamestest.FuzzParse(f, New(), maxSide*maxSide,
		"cols=4 rows=4 win_length=3 last=b4 turn=O .X../OX../OO../XX..",
		"turn=O last=b2 rows=3 cols=3 win_length=3 .../.X./...",
		"cols=8 rows=3 win_length=3 last=f2 turn=X O.O.O.../.....O../XXX....X",
		"cols=3 rows=3 win_length=3 last=a1 turn=O OXO/OXO/XXX",
		"cols=3 rows=3 win_length=3 last=z9 turn=O .../.X./...", "last=d4", "turn=X turn=X .",
	)
}

// FuzzGame plays on boards of all shapes, with lines of all lengths.
func FuzzGame(f *testing.F) {
	var all []string
	for cols := 3; cols <= maxSide; cols++ {
		for rows := 3; rows <= maxSide; rows++ {
			for win := 3; win <= max(cols, rows); win++ {
				all = append(all, fmt.Sprintf("cols=%d rows=%d win_length=%d", cols, rows, win))
			}
		}
	}
	gamestest.FuzzGame(f, New(), kit.Sets(f, all...), plain, "a1 b2 a1 c3 a2 h8 p16", "b1 a2 b2 a1 c1")
}
