package text

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// translated are the checksums of the English pages of rules from which the others were made.
var translated = map[string]string{
	"momentum": "b3d45ad9", "petteia": "673bc0c0", "fourmation": "35b80824", "flugelrad": "99af4c67", "tanks": "f326517d",
}

// TestRulesInEveryLanguage holds the pages of rules to the English ones: none missing, none behind, all in shape.
func TestRulesInEveryLanguage(t *testing.T) {
	for _, g := range catalog.All() {
		about := g.About()
		if now := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(about.HowTo))); now != translated[about.ID] {
			t.Errorf("the rules of %s have changed: change the other languages as well, then note %s here", about.ID, now)
		}
		for _, l := range languages {
			if l == english {
				continue
			}
			page := Say{l}.HowTo(about)
			if page == about.HowTo {
				t.Errorf("no rules of %s in %s", about.ID, l.name)
			}
			for i, line := range strings.Split(page, "\n") {
				if Width(line) > 72 {
					t.Errorf("%s, %s, line %d has %d columns: %q", l.name, about.ID, i+1, Width(line), line)
				}
			}
			if want, got := outline(about.HowTo), outline(page); !slices.Equal(want, got) {
				t.Errorf("%s, %s has the outline\n%q, want\n%q", l.name, about.ID, got, want)
			}
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

// TestHowToFallsBack: a language or a game without a page of its own shows the English one.
func TestHowToFallsBack(t *testing.T) {
	page := "# The aim\nTo win."
	for _, s := range []Say{{}, {&language{code: "nl"}}, {&language{code: "pt"}}} {
		if got := s.HowTo(&games.About{ID: "hopscotch", HowTo: page}); got != page {
			t.Errorf("%s shows %q", s.Code(), got)
		}
	}
}
