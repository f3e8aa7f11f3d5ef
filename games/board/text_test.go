package board

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	got, err := Split("  size=6 turn=bot ../.. ", "turn")
	want := Text{Fields: map[string]string{"turn": "bot"}, Options: []string{"size=6"}, Rows: []string{"..", ".."}}
	if err != nil || !cmp.Equal(got, want) {
		t.Fatalf("Split = %v, difference %s", err, cmp.Diff(want, got))
	}
	if err := got.CheckSize(2, 2); err != nil {
		t.Errorf("CheckSize(2, 2) = %v", err)
	}
}

func TestSplitRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", " \t ", "empty"},
		{"a field twice", "turn=X turn=X ..", "turn is given twice"},
		{"a flood", strings.Repeat("x", 5000), "too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Split(tt.text, "turn"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Split = %v, want an error saying %q", err, tt.want)
			}
		})
	}
}

func TestCheckSizeRefuses(t *testing.T) {
	for _, tt := range []struct{ name, rows, want string }{
		{"a row too few", "...", "1 rows instead of 2"},
		{"a short row", "../...", "row 2 of the board is not 3 cells wide"},
		{"a long row", ".../....", "row 1 of the board is not 3 cells wide"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := Split(tt.rows)
			if err != nil {
				t.Fatal(err)
			}
			if err := text.CheckSize(3, 2); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("CheckSize = %v, want an error saying %q", err, tt.want)
			}
		})
	}
}

func TestJoin(t *testing.T) {
	header := make([]string, 1, 2)
	header[0] = "turn=bot"
	if got := Join(header, []string{"..", "X."}); got != "turn=bot ../X." {
		t.Errorf("Join = %q", got)
	}
	if rest := header[:2][1]; rest != "" {
		t.Errorf("Join has written %q behind the header", rest)
	}
}

func TestNumber(t *testing.T) {
	for s, want := range map[string]int{
		"0": 0, "7": 7, "007": 7, "20": 20,
		"": -1, "21": -1, "+7": -1, "-7": -1, "-0": -1, "7 ": -1, "1e1": -1, "0x1": -1, "\u0667": -1, "9223372036854775808": -1,
	} {
		n, ok := Number(s, 20)
		if ok != (want >= 0) || ok && n != want || !ok && n != 0 {
			t.Errorf("Number(%q, 20) = %d, %v, want %d", s, n, ok, want)
		}
	}
}

func TestLower(t *testing.T) {
	const kelvin = "\u212a" // strings.ToLower makes a k of it
	if got := Lower("A1" + kelvin); got != "a1"+kelvin {
		t.Errorf("Lower = %q", got)
	}
}
