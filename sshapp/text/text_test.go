package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "ana", "ana"},
		{"accents", "João", "João"},
		{"decomposed", "Joa\u0303o", "João"},
		{"other scripts", "Ζωή 王さん", "Ζωή 王さん"},
		{"screen escape", "a\x1b[2Jb", "a[2Jb"},
		{"title escape", "\x1b]0;x\a", "]0;x"},
		{"one-byte escape", "a\u009b2Jb", "a2Jb"},
		{"bell and backspace", "a\a\bb\x7f", "ab"},
		{"line ends", "a\r\nb\tc\u2028d", "a  b c d"},
		{"direction", "a\u202eb\u2066c\u200fd", "abcd"},
		{"zero width", "a\u200bb\u200dc\ufeffd\u00ade", "abcde"},
		{"fillers", "a\u3164b\u115fc\u2800d", "abc d"},
		{"variation selectors", "a\ufe0f\U000e0100b", "ab"},
		{"tags", "a\U000e0041b", "ab"},
		{"a tower of marks", "e\u0301\u0302\u0303\u0304\u0305", "é\u0302\u0303"},
		{"marks on nothing", "\u0301\u0302a", "a"},
		{"marks that enclose", "a\u20dd", "a"},
		{"flags and skins", "\U0001f1e9\U0001f1ea \U0001f44d\U0001f3ff", "DE \U0001f44d"},
		{"a family", "a👨\u200d👩\u200d👧 👩", "a👨 👩"},
		{"a joined picture with selectors and colours", "❤\ufe0f\u200d🔥🏳\ufe0f\u200d🌈👩\U0001f3fd\u200d💻!", "❤🏳👩!"},
		{"a joiner that joins nothing", "\u200d👧a\u200d👧", "👧a👧"},
		{"the flag of a part", "🏴\U000e0067\U000e0062\U000e007f", "🏴"},
		{"a key", "1\ufe0f\u20e3", "1"},
		{"bad UTF-8", "a\xff\xfeb", "a??b"},
		{"private use", "a\ue000b", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCleanLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anything().Draw(t, "in")
		got := Clean(in)
		if again := Clean(got); again != got {
			t.Fatalf("Clean(%q) = %q, cleaned again %q", in, got, again)
		}
		for _, r := range got {
			if unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
				t.Fatalf("Clean(%q) = %q keeps %U", in, got, r)
			}
		}
		if stripped := ansi.Strip(got); stripped != got {
			t.Fatalf("Clean(%q) = %q keeps a sequence", in, got)
		}
	})
}

// anything draws strings with a liking for what is dangerous.
func anything() *rapid.Generator[string] {
	evil := rapid.SampledFrom([]string{"\x1b[31m", "\x1b[m", "\x1b]0;x\a", "\u0301", "\u202e", "\u200d", "\ufe0f", "\r\n", "é", "王", "●", "…", "\xff", "ﬁ", "\U0001f1e9", "한", "\u0e33"})
	part := rapid.OneOf(evil, rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	return rapid.Map(rapid.SliceOfN(part, 0, 8), func(parts []string) string { return strings.Join(parts, "") })
}

// TestGuestMatches: a code that has brought nothing says so, and that it still works.
func TestWidth(t *testing.T) {
	tests := []struct {
		in   string
		want int
	}{
		{"", 0}, {"ana", 3}, {"Flügelrad", 9}, {"‹ 7 ›", 5}, {"e\u0301", 1}, {"●\ufe0f", 2}, {"©\ufe0f", 2}, {"王さん", 6}, {"│─…", 3}, {"👩‍🚀", 2},
	}
	for _, tt := range tests {
		if got := Width(tt.in); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestCutAndFit(t *testing.T) {
	tests := []struct {
		in    string
		cells int
		cut   string
		fit   string
	}{
		{"ana", 5, "ana", "ana  "},
		{"ana", 3, "ana", "ana"},
		{"anabela", 4, "ana…", "ana…"},
		{"d4 d3 ...", 8, "d4 d3…", "d4 d3…  "},
		{"王さん", 6, "王さん", "王さん"},
		{"王さん", 4, "王…", "王… "},
		{"王さん", 1, "…", "…"},
		{"ana", 0, "", ""},
		{"ana", -1, "", ""},
	}
	for _, tt := range tests {
		if got := Cut(tt.in, tt.cells); got != tt.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.cells, got, tt.cut)
		}
		if got := Fit(tt.in, tt.cells); got != tt.fit {
			t.Errorf("Fit(%q, %d) = %q, want %q", tt.in, tt.cells, got, tt.fit)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, cells := Clean(anything().Draw(t, "s")), rapid.IntRange(0, 30).Draw(t, "cells")
		for name, got := range map[string]string{"Fit": Fit(s, cells), "FitLeft": FitLeft(s, cells)} {
			if Width(got) != cells {
				t.Fatalf("%s(%q, %d) = %q, which has %d cells", name, s, cells, got, Width(got))
			}
		}
	})
}

// TestPlainIsClean: what is taken for clean without a look is what the look would leave, and as wide as the tables say.
func TestPlainIsClean(t *testing.T) {
	plain := 0
	for r := range rune(0x10000) {
		for _, s := range []string{string(r), "a" + string(r) + "b", "é" + string(r) + "·"} {
			if !isPlain(s) {
				continue
			}
			plain++
			if got := clean(s); got != s {
				t.Errorf("clean(%q) = %q", s, got)
			}
			if got, want := Width(s), displaywidth.String(s); got != want {
				t.Errorf("Width(%q) = %d, the tables say %d", s, got, want)
			}
		}
	}
	for _, s := range []string{"● to move", "‹ › ↑ ↓ … × │ ○"} {
		if !isPlain(s) {
			t.Errorf("%q takes the way through the tables of Unicode", s)
		}
	}
	if plain < 1000 {
		t.Errorf("only %d texts are plain", plain)
	}
}

// TestWrapKeepsWords: lines fit, hold every word in its order, and end only where the next word has no room.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{"a", "ana", "is to move", "é", "王さん", "\u0301", "Donaudampfschiff", " ", "\n", "  "}),
			rapid.String())).Draw(t, "words")
		for i, w := range words {
			words[i] = Clean(w)
		}
		s := strings.Join(words, rapid.SampledFrom([]string{" ", "  ", "\t", ""}).Draw(t, "between"))
		cells := rapid.IntRange(-1, 20).Draw(t, "cells")
		got := Wrap(s, cells)
		var want []string
		for _, word := range strings.Fields(s) {
			want = append(want, strings.Fields(Cut(word, max(cells, 1)))...)
		}
		if said := strings.Fields(strings.Join(got, " ")); !slices.Equal(said, want) {
			t.Fatalf("Wrap(%q, %d) is %q, which says %q, want %q", s, cells, got, said, want)
		}
		for i, line := range got {
			if Width(line) > max(cells, 1) {
				t.Fatalf("Wrap(%q, %d) has the line %q of %d cells", s, cells, line, Width(line))
			}
			if i == 0 {
				continue
			}
			first, _, _ := strings.Cut(line, " ")
			if joined := got[i-1] + " " + first; Width(joined) <= cells {
				t.Fatalf("Wrap(%q, %d) is %q, but %q has room for %q", s, cells, got, got[i-1], first)
			}
		}
	})
}

func TestWrap(t *testing.T) {
	if got := strings.Join(Wrap("one two  three\nfour", 9), "|"); got != "one two|three|four" {
		t.Errorf("wrapped to %q", got)
	}
	if got := strings.Join(Wrap("Donaudampfschiff ab", 8), "|"); got != "Donauda…|ab" {
		t.Errorf("wrapped to %q", got)
	}
	if got := Wrap("  ", 8); got != nil {
		t.Errorf("nothing wrapped to %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, cells := Clean(anything().Draw(t, "s")), rapid.IntRange(1, 30).Draw(t, "cells")
		for _, line := range Wrap(s, cells) {
			if Width(line) > cells {
				t.Fatalf("Wrap(%q, %d) has the line %q of %d cells", s, cells, line, Width(line))
			}
		}
	})
}

func TestASCII(t *testing.T) {
	tests := []struct{ in, want string }{
		{"ana", "ana"},
		{"Flügelrad", "Flugelrad"},
		{"João Zé Łukasz Ørsted", "Joao Ze Lukasz Orsted"},
		{"straße", "strase"},
		{"a · b…", "a - b."},
		{"‹ 7 ›", "? 7 ?"},
		{"王さん", "??????"},
	}
	for _, tt := range tests {
		if got := ASCII(tt.in); got != tt.want {
			t.Errorf("ASCII(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(anything().Draw(t, "s"))
		got := ASCII(s)
		for _, r := range got {
			if r < ' ' || r > '~' {
				t.Fatalf("ASCII(%q) = %q keeps %U", s, got, r)
			}
		}
	})
}

// TestASCIIKeepsTheColumns: a page must not move when it is folded.
func TestASCIIKeepsTheColumns(t *testing.T) {
	for _, s := range []string{"Flügelrad inês 1702", "● ana ○ rui", "│─┼", "王さん", "Ζωή", "x² ½ №"} {
		if got := ASCII(s); Width(got) != Width(s) {
			t.Errorf("ASCII(%q) = %q: %d cells become %d", s, got, Width(s), Width(got))
		}
	}
}

func TestLocale(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		term    string
		code    string
		ascii   bool
	}{
		{"nothing said", nil, "xterm-256color", "en", false},
		{"english", []string{"LANG=en_GB.UTF-8"}, "xterm", "en", false},
		{"unknown language", []string{"LANG=tlh_KL.UTF-8"}, "xterm", "en", false},
		{"latin-1", []string{"LANG=en_US.ISO-8859-1"}, "xterm", "en", true},
		{"latin-9 with euro", []string{"LANG=de_DE.ISO8859-15@euro"}, "xterm", "de", true},
		{"portuguese", []string{"LANG=pt_PT.UTF-8"}, "xterm", "pt", false},
		{"a language alone", []string{"LANG=de"}, "xterm", "de", false},
		{"messages before LANG", []string{"LANG=de_DE.UTF-8", "LC_MESSAGES=pt_BR.UTF-8"}, "xterm", "pt", false},
		{"utf8 spelt otherwise", []string{"LC_ALL=en_US.utf8"}, "xterm", "en", false},
		{"utf8 with a modifier", []string{"LC_ALL=ca_ES.UTF-8@valencia"}, "xterm", "en", false},
		{"no charset", []string{"LANG=en_US"}, "xterm", "en", false},
		{"C", []string{"LC_ALL=C"}, "xterm", "en", true},
		{"C.UTF-8", []string{"LANG=C.UTF-8"}, "xterm", "en", false},
		{"a mac's charset alone", []string{"LC_CTYPE=UTF-8"}, "xterm", "en", false},
		{"LC_ALL before LANG", []string{"LANG=en_US.ISO-8859-1", "LC_ALL=en_US.UTF-8"}, "xterm", "en", false},
		{"empty does not count", []string{"LC_ALL=", "LANG=C"}, "xterm", "en", true},
		{"the last one counts", []string{"LANG=C", "LANG=en_US.UTF-8"}, "xterm", "en", false},
		{"vt100", []string{"LANG=en_US.UTF-8"}, "vt100", "en", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := FromLocale(tt.environ).Code(); got != tt.code {
				t.Errorf("language %q, want %q", got, tt.code)
			}
			if got := IsASCII(tt.environ, tt.term); got != tt.ascii {
				t.Errorf("ascii %v, want %v", got, tt.ascii)
			}
		})
	}
}

func TestEveryOfferedLanguageIsFound(t *testing.T) {
	for _, l := range Languages() {
		if got := In(l.Code).Code(); got != l.Code {
			t.Errorf("In(%q) speaks %q", l.Code, got)
		}
		if got := FromLocale([]string{"LANG=" + l.Code + "_XX.UTF-8"}).Code(); got != l.Code {
			t.Errorf("a locale of %q leads to %q", l.Code, got)
		}
	}
}

func TestT(t *testing.T) {
	dutch := Say{language: &language{code: "nl", words: map[string]string{"%s wins": "%s wint", "100 %": "100 procent"}}}
	tests := []struct {
		name     string
		say      Say
		sentence string
		args     []any
		want     string
	}{
		{"english", Say{}, "%s wins", []any{"ana"}, "ana wins"},
		{"translated", dutch, "%s wins", []any{"ana"}, "ana wint"},
		{"missing", dutch, "Draw", nil, "Draw"},
		{"a percent sign alone", Say{}, "100 %", nil, "100 %"},
		{"a percent sign translated", dutch, "100 %", nil, "100 procent"},
	}
	for _, tt := range tests {
		if got := tt.say.T(tt.sentence, tt.args...); got != tt.want {
			t.Errorf("%s: T(%q) = %q, want %q", tt.name, tt.sentence, got, tt.want)
		}
	}
}

// TestDiscounts: why a rated match counts less is said once where it is the same for both, else for each.
// TestHintThatWinsAtOnce: a single move has words of its own.
// TestWrapParts keeps every part in one piece.
func TestWrapParts(t *testing.T) {
	parts := []string{"5+3", "finishes 97%", "win +9"}
	for cells, want := range map[int][]string{
		40: {"5+3 · finishes 97% · win +9"}, 27: {"5+3 · finishes 97% · win +9"}, 26: {"5+3 · finishes 97%", "win +9"},
		17: {"5+3", "finishes 97%", "win +9"}, 8: {"5+3", "finishe…", "win +9"},
	} {
		if got := WrapParts(parts, " · ", cells); !slices.Equal(got, want) {
			t.Errorf("%d cells: %q, want %q", cells, got, want)
		}
	}
}

// TestLevelStrength: the strength of a computer player in a game is the measured one, and "" if it wasn't measured.
// TestSpell: where there is only ASCII, the club's words are spelled before they are laid out, and names of people are not.
func TestSpell(t *testing.T) {
	tests := []struct{ in, want string }{
		{"Flügelrad", "Fluegelrad"},
		{"Änderung, schöne Größe", "Aenderung, schoene Groesse"},
		{"ÄNDERUNGEN GELTEN, PRÜFÜ Ü", "AENDERUNGEN GELTEN, PRUEFUE Ue"},
		{"São lances à vista", "São lances à vista"}, // folded later, letter by letter
		{"│ · …", "│ · …"},
		{"plain", "plain"},
	}
	for _, tt := range tests {
		if got := (Say{}).ForASCII(true).Spell(tt.in); got != tt.want {
			t.Errorf("Spell(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if got := (Say{}).Spell(tt.in); got != tt.in {
			t.Errorf("for a terminal that knows more Spell(%q) = %q", tt.in, got)
		}
	}
	say := In("de").ForASCII(true)
	if got := say.T("Better than %s: %s", Clean("jörg"), "x"); got != "Besser als jörg: x" {
		t.Errorf("a name becomes %q", got)
	}
	if got := say.In("de").T("Dark"); got != In("de").T("Dark") || !say.In("pt").ascii {
		t.Errorf("another language of the same terminal says %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(anything().Draw(t, "s"))
		if got := Width(say.Spell(s)); got < Width(s) {
			t.Fatalf("%q has %d cells, spelled only %d", s, Width(s), got)
		}
	})
}
