package gamestest

import (
	"fmt"
	"hash/crc32"
	"slices"
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
	for _, line := range strings.Split(a.HowTo["en"], "\n") {
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

// HowTo checks that the rules for people are in the other languages what they are in English, headings, paragraphs, items and
// drawings in the same order, and fit their place. sum is the checksum of the English page from which the others were made.
func HowTo(t *testing.T, g games.Game, sum string) {
	t.Helper()
	a := g.About()
	if now := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(a.HowTo["en"]))); now != sum {
		t.Errorf("the rules have changed: change the other languages as well, then note %s here", now)
	}
	for code, page := range a.HowTo {
		for _, line := range strings.Split(page, "\n") {
			if line != "" {
				fits(t, code, line, howToWidth)
			}
		}
		if want, got := outline(a.HowTo["en"]), outline(page); !slices.Equal(want, got) {
			t.Errorf("%s has the outline\n%q, want\n%q", code, got, want)
		}
	}
}

// outline is what makes up a page, without its words: headings, paragraphs, items and drawings.
func outline(page string) []string {
	var parts []string
	add := func(part string) {
		if len(parts) == 0 || parts[len(parts)-1] != part || part == "heading" || part == "item" {
			parts = append(parts, part)
		}
	}
	for line := range strings.SplitSeq(strings.TrimRight(page, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			add("heading")
		case strings.HasPrefix(line, "- "):
			add("item")
		case strings.HasPrefix(line, " ") && parts[len(parts)-1] == "item":
			// it goes on
		case strings.HasPrefix(line, " "):
			add("drawing")
		case line == "":
			add("gap")
		default:
			add("words")
		}
	}
	return parts
}

// fits checks that a line has words, and no more columns than width. All of them are letters one column wide.
func fits(t *testing.T, what, line string, width int) {
	t.Helper()
	if n := utf8.RuneCountInString(line); n > width || strings.TrimSpace(line) == "" {
		t.Errorf("%s %q has %d columns, want 1 to %d", what, line, n, width)
	}
}
