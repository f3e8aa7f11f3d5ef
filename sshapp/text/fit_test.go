package text

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// TestTranslationsKeepTheColumns measures the words of each language for which there is only so much room, as the notes of the template tell
// translators. A verb counts as it is written: two cells, as much as most numbers take.
func TestTranslationsKeepTheColumns(t *testing.T) {
	file, err := fs.ReadFile(localeFiles, template)
	if err != nil {
		t.Fatal(err)
	}
	all, err := offer(localeFiles, 0)
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for block := range strings.SplitSeq(string(file), "\n\n") {
		cells := 0
		for line := range strings.SplitSeq(block, "\n") {
			if n := 0; scanned(line, "#. At most %d cells.", &n) {
				cells = n
			}
			id, ok := strings.CutPrefix(line, "msgid ")
			if !ok || cells == 0 {
				continue
			}
			key, err := strconv.Unquote(id)
			if err != nil {
				t.Fatal(err)
			}
			measured++
			for _, l := range all {
				for _, ascii := range []bool{false, true} {
					said := []string{Say{language: l, ascii: ascii}.T(key)}
					for _, form := range l.plurals[key] {
						said = append(said, Say{ascii: ascii}.Spell(form))
					}
					for _, words := range said {
						if Width(words) > cells {
							t.Errorf("%s: %q has %d cells, and %q only %d", l.name, words, Width(words), key, cells)
						}
					}
				}
			}
		}
	}
	if measured < 100 {
		t.Errorf("only %d sentences have room in the template", measured)
	}
}

// scanned reports whether a line is a format with one number.
func scanned(line, format string, n *int) bool {
	_, err := fmt.Sscanf(line, format, n)
	return err == nil
}
