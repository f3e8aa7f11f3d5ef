package bot

import (
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
)

// TestPlaysFromAnyPosition has the strongest level move in positions that no game leads to: a board whose cells have changed
// places at random. Each move is legal, and nothing panics.
func TestPlaysFromAnyPosition(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(7)
		player, err := Strongest(g, 300)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for range 2_000 {
			p := reach(t, g, nil, r.N(20), r)
			odd, err := games.Study(g, shuffled(p.String(), r))
			if err != nil {
				continue
			}
			if found++; found > 40 {
				break
			}
			for range 3 {
				thought, err := player.Think(t.Context(), odd, r)
				if err != nil || !slices.Contains(odd.Legal(), thought.Move) {
					t.Fatalf("%s: %+v, %v", odd, thought, err)
				}
				if odd, err = odd.Play(thought.Move); err != nil {
					t.Fatal(err)
				}
				if odd.Result().Over {
					break
				}
			}
		}
		if found < 20 {
			t.Errorf("only %d positions", found)
		}
	})
}

// shuffled returns the text of a position whose cells have changed places at random.
func shuffled(text string, r *games.Random) string {
	at := strings.LastIndexByte(text, ' ') + 1
	board := []byte(text[at:])
	for range len(board) / 4 {
		i := r.N(len(board))
		if j := r.N(len(board)); board[i] != '/' && board[j] != '/' {
			board[i], board[j] = board[j], board[i]
		}
	}
	return text[:at] + string(board)
}
