package boardpage

import (
	"testing"
)

// TestAbsentPlayersFit: the absence of a player is told in full, in short or by the mark alone, and is never cut.
func TestAbsentPlayersFit(t *testing.T) {
	absent := [2]string{" gone for 3 min", " 3 min"}
	const strength, standing, reserve = "  1523", " · in hand 6", "  ●●●●●●"
	for _, tt := range []struct {
		width     int
		cut, tail string
	}{
		{44, "ana", absent[0] + strength + standing + reserve},
		{43, "ana", absent[0] + strength + standing},
		{35, "ana", absent[0] + standing},
		{29, "ana", absent[1] + standing},
		{20, "ana", standing},
		{14, "ana", ""},
	} {
		cut, tail := fitPlayer(tt.width, "ana", absent, strength, standing, reserve)
		if cut != tt.cut || tail != tt.tail {
			t.Errorf("%d cells: %q, %q; want %q, %q", tt.width, cut, tail, tt.cut, tt.tail)
		}
	}
}

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
		cut, tail := fitPlayer(tt.width, tt.name, [2]string{}, strength, standing, reserve)
		if cut != tt.cut || tail != tt.tail {
			t.Errorf("%d cells for %s: %q, %q; want %q, %q", tt.width, tt.name, cut, tail, tt.cut, tt.tail)
		}
	}
}
