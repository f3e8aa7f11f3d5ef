package lineedit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// keys types at a terminal and returns the line that stands there, and what was shown.
func keys(t *Editor, typed string) (text, echo string) {
	t.Add([]byte(typed))
	var lines []string
	for {
		l, ok, shown := t.Line()
		echo += string(shown)
		if !ok {
			break
		}
		lines = append(lines, l.Text)
	}
	return strings.Join(append(lines, string(t.text)), "|"), echo
}

func TestEditing(t *testing.T) {
	words := func(string) []string { return []string{"move", "moves", "mine", "play", "petteia"} }
	for _, tt := range []struct{ name, typed, text, echo string }{
		{"up brings a line back", "who\rgames\r\x1b[A", "who|games|games", "who\r\ngames\r\ngames"},
		{"twice, and down again", "who\rgames\r\x1b[A\x1b[A\x1b[B", "who|games|games", "who\r\ngames\r\ngames\b \b\b \b\b \b\b \b\b \bwho\b \b\b \b\b \bgames"},
		{"what was being typed comes back", "who\rga\x1bOA\x1bOB", "who|ga", "who\r\nga\b \b\b \bwho\b \b\b \b\b \bga"},
		{"nothing before", "\x1b[Aa", "a", "a"},
		{"ctrl+p and ctrl+n", "who\r\x10\x0e", "who|", "who\r\nwho\b \b\b \b\b \b"},
		{"the same line is kept once", "who\rwho\rgames\r\x1b[A\x1b[A\x1b[A", "who|who|games|who", "who\r\nwho\r\ngames\r\ngames\b \b\b \b\b \b\b \b\b \bwho"},
		{"other keys are nothing", "a\x1b[3~\x1b[1;5Cb\x1bfc", "abc", "abc"},
		{"ctrl+w takes a word back", "play pet \x17", "play ", "play pet \b \b\b \b\b \b\b \b"},
		{"tab completes", "pl\t", "play ", "play "},
		{"as far as it can", "mov\t", "move", "move"},
		{"a second tab shows what there is", "m\t\t", "m", "m\r\nmine move moves\r\nm"},
		{"nothing fits", "x\t\t", "x", "x"},
		{"a wide letter takes two cells", "棋\x7f", "", "棋\b \b\b \b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, echo := keys(&Editor{Keys: true, Complete: words}, tt.typed)
			if text != tt.text || echo != tt.echo {
				t.Errorf("%q shows %q; want %q, %q", text, echo, tt.text, tt.echo)
			}
		})
	}
}

// TestPastIsBounded: of all lines that are typed only the last few are kept.
func TestPastIsBounded(t *testing.T) {
	var past pastLines
	for i := range 10 * maxPast {
		past.add(fmt.Sprint("line ", i))
	}
	if len(past.lines) != maxPast {
		t.Errorf("%d lines are kept", len(past.lines))
	}
	for range 10 {
		past.add(strings.Repeat("x", MaxLine-1))
		past.add(strings.Repeat("y", MaxLine-1))
	}
	if len(past.lines) > maxPastBytes/(MaxLine-1) {
		t.Errorf("%d long lines are kept", len(past.lines))
	}
}

// TestLongLineIsRefusedEarly: a line that is too long is refused before its end arrives.
func TestLongLineIsRefusedEarly(t *testing.T) {
	var typed Editor
	typed.Add([]byte(strings.Repeat("x", MaxLine)))
	if l, ok, _ := typed.Line(); ok {
		t.Fatalf("a line of %d bytes that has not ended is taken: %v", MaxLine, l)
	}
	typed.Add([]byte("x"))
	if l, ok, _ := typed.Line(); !ok || l.Err != ErrLong {
		t.Errorf("one byte more: %v, %v, want %v", l, ok, ErrLong)
	}
}

// cook returns the lines that a terminal without a line discipline types, and what is shown on it.
func cook(typed string) (lines, echo string) {
	t := Editor{Keys: true}
	for chunk := range slices.Chunk([]byte(typed), 100) {
		for t.Add(chunk); ; {
			l, ok, shown := t.Line()
			echo += string(shown)
			if !ok {
				break
			}
			lines += l.Text + "\n"
		}
	}
	return lines, echo
}

func TestKeys(t *testing.T) {
	tests := []struct{ name, typed, lines, echo string }{
		{"a line", "help\r", "help\n", "help\r\n"},
		{"corrected", "hepl\x7f\x7flp\r", "help\n", "hepl\b \b\b \blp\r\n"},
		{"a letter of two bytes is one", "zé\x7fe\r", "ze\n", "zé\b \be\r\n"},
		{"nothing to take back", "\x7f\x08a\r", "a\n", "a\r\n"},
		{"all taken back", "abc\x15d\r", "d\n", "abc\b \b\b \b\b \bd\r\n"},
		{"ctrl+d ends on an empty line only", "a\x04\r\x04b\r", "a\n", "a\r\n\r\n"},
		{"ctrl+c ends", "abc\x03def\r", "", "abc\r\n"},
		{"too long", strings.Repeat("a", MaxLine) + "bc\x7f\r", strings.Repeat("a", MaxLine-1) + "\n",
			strings.Repeat("a", MaxLine) + "\b \b\r\n"},
		{"other keys are nothing", "a\x1b\x01\tb\r", "ab\n", "ab\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if lines, echo := cook(tt.typed); lines != tt.lines || echo != tt.echo {
				t.Errorf("lines %q, echo %q; want %q, %q", lines, echo, tt.lines, tt.echo)
			}
		})
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("help\r\x7f\x15é\x03")
	f.Fuzz(func(t *testing.T, typed string) {
		lines, echo := cook(typed)
		for _, l := range strings.Split(lines, "\n") {
			if len(l) > MaxLine {
				t.Errorf("a line of %d bytes", len(l))
			}
			if utf8.ValidString(typed) && strings.ContainsAny(l, "\x1b\x07\x00") {
				t.Errorf("control characters in %q", l)
			}
		}
		if strings.ContainsAny(echo, "\x1b\x07\x00") {
			t.Errorf("control characters in the echo %q", echo)
		}
	})
}

// TestByteOrderMark: a byte order mark in front of the first line is no part of it.
func TestByteOrderMark(t *testing.T) {
	for _, keys := range []bool{false, true} {
		typed := Editor{Keys: keys}
		typed.Add([]byte("\ufeffshow K7QM2X\nwho\n"))
		for _, want := range []string{"show K7QM2X", "who"} {
			if l, ok, _ := typed.Line(); !ok || l.Text != want {
				t.Errorf("keys %v: %q, want %q", keys, l.Text, want)
			}
		}
	}
}
