package tanks

import (
	"testing"

	"ludoteca/games/gamestest"
)

func FuzzMove(f *testing.F) {
	gamestest.FuzzMove(f, New(), []string{"e2-e3 d7-d6", arena}, []string{
		"e2-e3", " E2 E3 ", "e2e3", "e2xe3", "a10-b11", "x2xx3", "z99z99", "e2--e3", "e2", "-", "x", "e\u0662-e3", "\u212a2-e3",
		"e2-e99999999999999999999", "c3xc6", "d3xc4",
	})
}

func FuzzOptions(f *testing.F) { gamestest.FuzzOptions(f, New()) }

func FuzzParse(f *testing.F) {
	gamestest.FuzzParse(f, New(), 2*maxTanks*maxSize,
		arena, "turn=top ..d..m../.M....../.....D../......../......../....m.../......../T.......",
		"size=6 turn=top M...../....../....../....../....../m.....", "turn=bot size=6 ....../....../....../....../....../......",
		"turn=bot size=6 mmmmmm/mmmmmm/mmmmmm/MMMMMM/MMMMMM/MMMMMM", "turn=bot size=8 MMM", "turn=bot", "turn=bot turn=bot .",
		"size=7 turn=bot .",
	)
}

func FuzzGame(f *testing.F) {
	sets := kit.Sets(f, "size=6", "size=8", "size=10", "size=12", "size=16", "size=26")
	gamestest.FuzzGame(f, New(), sets, plain, "b2-b3 b5-b4 b3xb4 d1-d6", "e2-e3 d7-d6 e3-e4 a1-a3")
}
