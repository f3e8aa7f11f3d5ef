package command

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/storage/storagetest"
)

// TestPlayWithoutComputer: where the club has no computer player of a game, play says so.
func TestPlayWithoutComputer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{Games: catalog.All()})
		if err != nil {
			t.Fatal(err)
		}
		defer club.Close()
		h := &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{Gate: fastGate()})}
		h.as("ana", Done, "name ana")
		ana := h.hear(key("ana"), false)
		ana.told.take()
		for _, line := range []string{"play tanks", "play tanks first"} {
			ana.types(line + "\n")
			if got := ana.told.take(); !strings.Contains(got, "There is no computer player for Breakthrough Tanks here just now.") {
				t.Errorf("%s is refused with %q", line, got)
			}
		}
	})
}
