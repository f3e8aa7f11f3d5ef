package bot

import (
	"reflect"
	"testing"

	"ludoteca/games"
)

// TestStagesChangeNothing searches positions of the games that offer their moves in stages with the stages and without, which
// must not change what is found nor in how many nodes.
func TestStagesChangeNothing(t *testing.T) {
	skipIfShort(t)
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(3)
		for range 8 {
			p := reach(t, g, nil, r.N(40), r)
			pos := searchOf(t, p)
			if _, ok := pos.(games.Staged); !ok {
				t.Skip("no stages")
			}
			if p.Result().Over {
				continue
			}
			find := func(pos games.Search) searchResult {
				return new(workspace).newSearch(t.Context(), pos, 20_000).run(0, maxPly/2, games.NewRandom(1))
			}
			staged, listed := find(pos), find(struct{ games.Search }{pos})
			if !reflect.DeepEqual(staged, listed) {
				t.Errorf("%s: in stages %+v, from a list %+v", p, staged, listed)
			}
		}
	})
}
