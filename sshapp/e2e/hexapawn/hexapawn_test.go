package hexapawn

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestHexapawn holds that the game is one like the others. Its tree is known to have 252 positions.
func TestHexapawn(t *testing.T) {
	kit := gamestest.Kit[*pawnPosition]{Game: hexapawn{}}
	gamestest.About(t, kit.Game, byBreakthrough, byBlock)
	gamestest.Properties(t, kit.Game, kit.Sets(t, append(gamestest.Extremes(kit.Game), "cols=8 rows=8")...), 5)
	gamestest.AllocatesNothing(t, kit.Start(t, "cols=8 rows=8"))
	gamestest.Perft(t, kit.Game, 252, 3, 10, 28, 56, 70, 64, 20)
	gamestest.Endings(t, kit.Game, []gamestest.Ending{
		{Name: "on", Text: "ppp/.../PPP"},
		{Name: "across", Text: "turn=black p.P/.../PP.", Want: games.Won(games.First, byBreakthrough)},
		{Name: "blocked", Text: "turn=black .p./.P./...", Want: games.Won(games.First, byBlock)},
		{Name: "none left", Text: ".../.../P.p", Want: games.Won(games.Second, byBreakthrough)},
	})
	gamestest.Refused(t, kit.Start(t, ""), "a1xb2", "one cell ahead")
}
