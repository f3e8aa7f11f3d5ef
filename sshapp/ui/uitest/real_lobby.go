package uitest

import (
	"context"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/storage/results"
	"ludoteca/storage/storagetest"
)

// OpenLobby opens a real club with a store in memory. It must be called in a bubble.
func OpenLobby(t *testing.T) *lobby.Lobby {
	t.Helper()
	l, err := lobby.New(t.Context(), storagetest.NewMemory(rateOldAccounts), lobby.Config{
		Games: catalog.All(), Levels: []lobby.Level{{ID: "random", Name: "Random", Move: anyMove,
			Sentence: "Plays any move that is allowed: a first opponent that everybody beats."}},
		Seed: func() uint64 { return 7 }, BotDelay: lobby.DefaultBotDelay, AnalysisNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// rateOldAccounts rates matches as if no account were new.
func rateOldAccounts(m results.RatedMatch) [2]results.RatingChange {
	m.Young = [2]bool{}
	return storagetest.Rate(m)
}

// anyMove chooses a move at random.
func anyMove(_ context.Context, p games.Position, r *games.Random) (games.Move, error) {
	legal := p.Legal()
	return legal[r.N(len(legal))], nil
}
