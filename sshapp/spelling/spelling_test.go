package spelling

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := strings.Fields("help games rules new quick offers show watch move takeback matches history who say chat follow following --json --rated --rating max-sessions max-matches max-sessions-per-address")
	for word, want := range map[string]string{
		"shwo": "show", "shw": "show", "matchs": "matches", "hist": "history", "foll": "follow following", "--ratde": "--rated", "--jsno": "--json",
		"MOVE": "move", "max-sesions": "max-sessions", "max-match": "max-matches", "maxsessionsperaddress": "max-sessions-per-address", "xyzzy": "", "takebak": "takeback", "banana": "", "x": "", "": "", strings.Repeat("show", 20): "",
	} {
		if got := Nearest(word, known); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"show", "show", 0}, {"", "ab", 2}, {"shwo", "show", 1}, {"hsow", "show", 1}, {"sow", "show", 1}, {"shoow", "show", 1}, {"shaw", "show", 1}, {"abc", "xyz", 3}} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
