package gamestest

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ludoteca/games"
)

// The widths in columns that the screens count on; games.About and games.Option promise them.
const (
	briefWidth = 38
	howToWidth = 72
	labelWidth = 24
	helpWidth  = 60
)

// About checks that everything a game says about itself is there and fits its place, that the defaults are a valid set
// of options, and that reasons has words for exactly the given reason codes.
func About(t *testing.T, g games.Game, reasons ...string) {
	t.Helper()
	a := g.About()
	fits(t, "name", a.Name, briefWidth)
	if !strings.HasSuffix(a.Sentence, ".") || strings.Contains(a.Sentence, "\n") {
		t.Errorf("sentence %q does not end in a full stop, or is several lines", a.Sentence)
	}
	for _, line := range a.Brief {
		fits(t, "brief", line, briefWidth)
	}
	for _, line := range strings.Split(a.HowTo, "\n") {
		if line != "" {
			fits(t, "how-to", line, howToWidth)
		}
	}
	for _, side := range a.Sides {
		fits(t, "side", side, labelWidth)
	}
	for _, o := range a.Options {
		fits(t, "label", o.Label, labelWidth)
		fits(t, "help", o.Help, helpWidth)
		if !strings.HasSuffix(o.Help, ".") || unicode.IsLower(rune(o.Help[0])) {
			t.Errorf("help %q is no sentence", o.Help)
		}
		if !o.Allows(o.Default) || !o.Allows(o.Min) || !o.Allows(o.Max) {
			t.Errorf("option %s does not allow its default or a limit: %+v", o.Key, o)
		}
	}
	if _, err := games.Complete(g, nil); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	for _, code := range reasons {
		fits(t, "words for "+code, a.Reasons[code], howToWidth)
	}
	if len(a.Reasons) != len(reasons) {
		t.Errorf("%d reasons have words, want %v", len(a.Reasons), reasons)
	}
}

// fits checks that a line has words, and no more columns than width. All of them are letters one column wide.
func fits(t *testing.T, what, line string, width int) {
	t.Helper()
	if n := utf8.RuneCountInString(line); n > width || strings.TrimSpace(line) == "" {
		t.Errorf("%s %q has %d columns, want 1 to %d", what, line, n, width)
	}
}
