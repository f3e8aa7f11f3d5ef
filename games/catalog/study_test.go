package catalog

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// TestRecordsOfStudies writes and reads records of games under options of all kinds that begin from any position that random moves
// lead to, with more random moves from there: headers, moves and the last position come back, and the text is the same again.
func TestRecordsOfStudies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(All()).Draw(t, "game")
		r := games.NewRandom(rapid.Uint64().Draw(t, "seed"))
		o, err := games.ParseOptions(g, strings.Fields(rapid.SampledFrom(gamestest.Extremes(g)).Draw(t, "options")))
		if err != nil {
			t.Fatal(err)
		}
		p, err := games.Replay(g, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := play(p, r, rapid.IntRange(0, 40).Draw(t, "before"), nil)
		record := games.Record{}
		record.Set(games.HeaderGame, g.About().ID)
		record.Set(games.HeaderOptions, o.String())
		record.Set(games.HeaderSetUp, "1")
		record.Set(games.HeaderFEN, start.String())
		start, err = games.Study(g, start.String()) // without the history that repetitions count
		if err != nil {
			t.Fatal(err)
		}
		record.Begins = start.Turn()
		end := play(start, r, rapid.IntRange(0, 40).Draw(t, "after"), &record.Moves)
		record.Result = games.TokenNone
		record.Set("First", "ana")

		var text, again strings.Builder
		if err := record.Write(&text); err != nil {
			t.Fatal(err)
		}
		back, last, err := games.ReadRecord(strings.NewReader(text.String()), Find)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		if err := back.Write(&again); err != nil || again.String() != text.String() {
			t.Errorf("written again: %v\n%s, was\n%s", err, again.String(), text.String())
		}
		if last.String() != end.String() || !slices.Equal(back.Moves, record.Moves) || !slices.Equal(back.Headers, record.Headers) {
			t.Errorf("%s leads to %s, want %s", text.String(), last, end)
		}
	})
}

// play makes random moves that do not end the game, and adds them to moves unless that is nil.
func play(p games.Position, r *games.Random, plies int, moves *[]games.Move) games.Position {
	for range plies {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		next, err := p.Play(m)
		if err != nil || next.Result().Over {
			return p
		}
		if p = next; moves != nil {
			*moves = append(*moves, m)
		}
	}
	return p
}
