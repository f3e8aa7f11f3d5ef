package wording

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// TestRecords: for each broken record of the corpus, the reason is said in each language, with the same line and column, and nothing of the English
// sentence is left.
func TestRecords(t *testing.T) {
	files, err := filepath.Glob("../../games/testdata/records/bad/*")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	find := func(id string) (games.Game, bool) { return games.Find(catalog.All(), id) }
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = games.ReadRecord(strings.NewReader(string(text)), find)
		wrong, ok := errors.AsType[*games.RecordError](err)
		if !ok {
			t.Errorf("%s: %v", path, err)
			continue
		}
		english := Words{}.Error(err)
		if !strings.HasSuffix(err.Error(), strings.TrimPrefix(english, "Line")) {
			t.Errorf("%s: said as %q, the error is %q", path, english, err)
		}
		for language, start := range map[string]string{"de": "Zeile %d, Spalte %d: ", "pt": "Linha %d, coluna %d: "} {
			say := Words{}.In(language)
			said, at := say.Error(err), say.T("Line %d, column %d: %s", wrong.Line, wrong.Column, "")
			if !strings.HasPrefix(start, at[:4]) || !strings.HasPrefix(said, at) || said == at {
				t.Errorf("%s: in %s %q", path, language, said)
			}
			if _, reason, _ := strings.Cut(english, ": "); strings.Contains(said, reason) {
				t.Errorf("%s: in %s it is English: %q", path, language, said)
			}
		}
	}
}
