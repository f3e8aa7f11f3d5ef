package greeting

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNew: a greeting shows what an operator wrote without its controls, and what can't be shown is refused in words.
func TestNew(t *testing.T) {
	wide := strings.Repeat("x", 76)
	for _, tt := range []struct {
		title, name, text string
		shown             string
		lines             []string
		err               string
	}{
		{"nothing", "", "", "Ludoteca", nil, ""},
		{"a name and lines", "Clube da Lousã", "Fridays at 20:00.\r\n\r\nTea is in the kitchen.\n\n", "Clube da Lousã", []string{"Fridays at 20:00.", "", "Tea is in the kitchen."}, ""},
		{"controls", "Club\x1b[2J", "red \x1b[31mtea\a\n", "Club[2J", []string{"red [31mtea"}, ""},
		{"as wide as can be", "", wide, "Ludoteca", []string{wide}, ""},
		{"too wide", "", "a\n" + wide + "x", "", nil, "line 2 of FILE takes 77 columns, and 76 are shown at most"},
		{"too many", "", "a\nb\nc\nd", "", nil, "FILE has more than 3 lines"},
		{"not UTF-8", "", "\xff", "", nil, "FILE is not text in UTF-8"},
		{"a long name", strings.Repeat("x", 31), "", "", nil, "--club-name takes 31 columns"},
		{"a name of controls", "\x07", "", "", nil, "--club-name has nothing that can be shown"},
	} {
		t.Run(tt.title, func(t *testing.T) {
			file := ""
			if tt.text != "" {
				file = filepath.Join(t.TempDir(), "welcome")
				if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			g, err := New(tt.name, file)
			if tt.err != "" {
				if want := strings.ReplaceAll(tt.err, "FILE", file); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
				return
			}
			if err != nil || g.Name() != tt.shown || !slices.Equal(g.Lines(), tt.lines) {
				t.Errorf("%q %q, %v; want %q %q", g.Name(), g.Lines(), err, tt.shown, tt.lines)
			}
		})
	}
	if _, err := New("", filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is no greeting")
	}
}
