package pairings

import (
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
)

// TestPlenty: players of whom each may be paired with plenty of others can all be paired, by a matching as well. It meets both answers, and fewer players
// than that too.
func TestPlenty(t *testing.T) {
	met := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 13).Draw(t, "players")
		bye := n%2 == 1
		often := rapid.IntRange(0, 9).Draw(t, "pairs that have met, of ten")
		tenth := rapid.IntRange(0, 9)
		d := &draw{players: make([]player, n), met: make([][]bool, n), odd: bye}
		all := indexes(0, n)
		for i := range all {
			p := &d.players[i]
			p.bye = tenth.Draw(t, "bye") < 3
			p.wishes, p.want, p.imbalance = true, games.Side(rapid.IntRange(0, 1).Draw(t, "side")), rapid.IntRange(0, 2).Draw(t, "imbalance")
			d.met[i] = make([]bool, n)
			for j := range i {
				d.met[i][j] = tenth.Draw(t, "met") < often
				d.met[j][i] = d.met[i][j]
			}
		}
		plenty := d.plenty(all, bye)
		met[plenty]++
		if plenty && !d.perfect(all, bye) {
			t.Fatal("they can't all be paired")
		}
	})
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("%d times there are plenty, %d times not", met[true], met[false])
	}
}
