package games_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// corpus holds records for the parsers of other programs: good.tsv and bad.tsv say what each file is. See RECORDS.md.
const corpus = "testdata/records"

// corpusRows reads a table of the corpus without its head, and checks that it has a row for each file in a folder.
func corpusRows(t *testing.T, table, folder string, fields int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, table))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != fields {
			t.Fatalf("%s: %q has %d fields, want %d", table, line, len(row), fields)
		}
		rows, named = append(rows, row), append(named, row[0])
	}
	files, err := filepath.Glob(filepath.Join(corpus, folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, file := range files {
		have = append(have, folder+"/"+filepath.Base(file))
	}
	if !slices.Equal(named[1:], have) {
		t.Fatalf("%s names %q, the files are %q", table, named[1:], have)
	}
	return rows[1:]
}

func readCorpus(t *testing.T, file string) (string, *games.Record, games.Position, error) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, file))
	if err != nil {
		t.Fatal(err)
	}
	r, p, err := games.ReadRecord(strings.NewReader(string(text)), catalog.Find)
	return string(text), r, p, err
}

// TestGoodCorpus: each good record leads to the position in its row, in as many moves, and is written as yes or no says: with the same bytes or
// others. What is written reads back as the same.
func TestGoodCorpus(t *testing.T) {
	for _, row := range corpusRows(t, "good.tsv", "good", 5) {
		text, r, end, err := readCorpus(t, row[0])
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		again := write(t, r)
		same := map[bool]string{true: "yes", false: "no"}[again == text]
		if got := []string{row[0], strconv.Itoa(len(r.Moves)), r.Result, same, end.String()}; !slices.Equal(got, row) {
			t.Errorf("read %q, want %q", got, row)
		}
		if back, last, err := games.ReadRecord(strings.NewReader(again), catalog.Find); err != nil || write(t, back) != again || last.String() != end.String() {
			t.Errorf("%s: written as\n%s, which is read as %+v, %v", row[0], again, back, err)
		}
	}
}

// TestBadCorpus: each broken record is refused at the line and column in its row.
func TestBadCorpus(t *testing.T) {
	for _, row := range corpusRows(t, "bad.tsv", "bad", 4) {
		_, _, _, err := readCorpus(t, row[0])
		at := (*games.RecordError)(nil)
		if !errors.As(err, &at) {
			t.Errorf("%s (%s): %v", row[0], row[3], err)
		} else if got := []string{strconv.Itoa(at.Line), strconv.Itoa(at.Column)}; !slices.Equal(got, row[1:3]) {
			t.Errorf("%s (%s): %v, want line %s, column %s", row[0], row[3], err, row[1], row[2])
		}
	}
}
