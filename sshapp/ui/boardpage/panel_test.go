package boardpage

import (
	"testing"
)

// TestPlayersFit leaves whole words out of a player's line where there is no room, never halves.
func TestPlayersFit(t *testing.T) {
	const strength, standing, reserve = "  1523", " · in hand 6", "  ●●●●●●"
	for _, tt := range []struct {
		width     int
		name      string
		cut, tail string
	}{
		{34, "ana", "ana", strength + standing + reserve},
		{29, "ana", "ana", strength + standing + reserve},
		{28, "ana", "ana", strength + standing},
		{20, "ana", "ana", standing},
		{34, "Champion (bot)", "Champion (bot)", strength + standing},
		{26, "Champion (bot)", "Champion (bot)", standing},
		{25, "Champion (bot)", "Champion (bo…", standing},
		{20, "Champion (bot)", "Champio…", standing},
		{19, "Champion (bot)", "Champion (bot)", ""},
		{10, "Champion (bot)", "Champion …", ""},
	} {
		cut, tail := fitPlayer(tt.width, tt.name, strength, standing, reserve)
		if cut != tt.cut || tail != tt.tail {
			t.Errorf("%d cells for %s: %q, %q; want %q, %q", tt.width, tt.name, cut, tail, tt.cut, tt.tail)
		}
	}
}
