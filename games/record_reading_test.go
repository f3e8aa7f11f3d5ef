package games_test

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

const plainRecord = "[Game \"fourmation\"]\n[Clock \"5+3\"]\n\n1. d4 {5:00.0} c3 *\n"

// TestRecordsOfEditors: what editors and mail programs do to a text, a byte order mark, empty lines in front and blanks at the ends of lines,
// changes nothing in a record.
func TestRecordsOfEditors(t *testing.T) {
	for name, text := range map[string]string{
		"byte order mark":  "\ufeff" + plainRecord,
		"lines in front":   "\n  \n\t\r\n" + plainRecord,
		"mark and lines":   "\ufeff\n" + plainRecord,
		"blanks at ends":   strings.ReplaceAll(plainRecord, "\n", " \t\n"),
		"carriage returns": strings.ReplaceAll(plainRecord, "\n", " \r\n"),
	} {
		r, _, err := games.ReadRecord(strings.NewReader(text), catalog.Find)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var again strings.Builder
		if err := r.Write(&again); err != nil || again.String() != plainRecord {
			t.Errorf("%s: written as %q, %v", name, again.String(), err)
		}
	}
}

// TestRefusedRecords: a record that can't be meant is refused in words that say why, with the line in the text as it is.
func TestRefusedRecords(t *testing.T) {
	utf16 := func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			b.WriteByte(c)
			b.WriteByte(0)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, text, want string
		line             int
	}{
		{"UTF-16", "\xff\xfe" + utf16(plainRecord), "UTF-16", 1},
		{"UTF-16 the other way", "\xfe\xff\x00" + utf16(plainRecord), "UTF-16", 1},
		{"UTF-16 without a mark", utf16(plainRecord), "UTF-16", 1},
		{"a clock", strings.ReplaceAll(plainRecord, "5+3", "99"), "is no clock", 2},
		{"a long clock", strings.ReplaceAll(plainRecord, "5+3", "181+0"), "is no clock", 2},
		{"many days", strings.ReplaceAll(plainRecord, "5+3", "15d"), "is no clock", 2},
		{"a clock below lines", "\n\n" + strings.ReplaceAll(plainRecord, "5+3", "05+3"), "is no clock", 4},
		{"a game below lines", "\n\n" + strings.ReplaceAll(plainRecord, "fourmation", "chess"), "no game", 3},
		{"no game", "\n\n" + strings.ReplaceAll(plainRecord, "[Game", "[Play"), "Game is missing", 3},
		{"a move below lines", "\n\n" + strings.ReplaceAll(plainRecord, "c3", "z9"), "z9", 6},
	} {
		_, _, err := games.ReadRecord(strings.NewReader(tt.text), catalog.Find)
		var at *games.RecordError
		if !errors.As(err, &at) || at.Line != tt.line || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in line %d", tt.name, err, tt.want, tt.line)
		}
	}
}
