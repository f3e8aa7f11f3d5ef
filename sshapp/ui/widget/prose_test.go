package widget

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
)

// TestProseFlows: words flow in windows narrower than their lines, headings and indented lines stay.
func TestProseFlows(t *testing.T) {
	words := "# A heading that is rather long\none two three\nfour five\n\n- item one of\n  indented and rather long\nsix\n"
	for _, tt := range []struct {
		width int
		want  []string
	}{
		{80, []string{"# A heading that is rather long", "one two three", "four five", "", "- item one of", "  indented and rather long", "six"}},
		{14, []string{"# A heading that is rather long", "one two", "three four", "five", "", "- item one", "of", "  indented and rather long", "six"}},
	} {
		if got := (Prose{Words: words}).Lines(tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("in %d cells: %q, want %q", tt.width, got, tt.want)
		}
	}
}

// TestProseOutdentsDrawings: a drawing keeps its shape, and gives up the indentation that its lines share before it is cut.
func TestProseOutdentsDrawings(t *testing.T) {
	prose := Prose{Words: "Hit:\n\n    x . x . x     . . x\n    . x x x .     . . x\n     heavy        destroyer\n\nThat is all."}
	for w, want := range map[int][]string{
		80: {"Hit:", "", "    x . x . x     . . x", "    . x x x .     . . x", "     heavy        destroyer", "", "That is all."},
		28: {"Hit:", "", " x . x . x     . . x", " . x x x .     . . x", "  heavy        destroyer", "", "That is all."},
		20: {"Hit:", "", "x . x . x     . . x", ". x x x .     . . x", " heavy        destroyer", "", "That is all."},
	} {
		if got := prose.Lines(w); !slices.Equal(got, want) {
			t.Errorf("in %d columns:\n%q, want\n%q", w, got, want)
		}
	}
}

// TestProseScrolls shows the lines a to j in a window where four of them have room.
func TestProseScrolls(t *testing.T) {
	const width, height = 8, 7
	theme := NewTheme(ThemePlain, colorprofile.NoTTY, true)
	for _, tt := range []struct {
		keys, want string
	}{
		{"", "a b c d v"}, {"down", "^ b c d e v"}, {"enter enter", "^ c d e f v"}, {"up", "a b c d v"}, {"space", "^ d e f g v"},
		{"pgdown pgdown", "^ g h i j"}, {"end", "^ g h i j"}, {"end up", "^ f g h i v"}, {"end home", "a b c d v"}, {"x", "a b c d v"},
	} {
		s := Prose{Words: " a\n b\n c\n d\n e\n f\n g\n h\n i\n j"}
		for _, key := range strings.Fields(tt.keys) {
			s = s.Key(key, width, height)
		}
		c := canvas.New(width, height)
		p := NewPage(c, canvas.Area(0, 0, width, height))
		s.Draw(&p, theme)
		if got := strings.Join(strings.Fields(c.Plain()), " "); got != tt.want {
			t.Errorf("keys %q show %q, want %q", tt.keys, got, tt.want)
		}
	}
	if s := (Prose{Words: " a\n b\n c\n d\n e\n f", top: 2}).Fit(width, 20); s.top != 0 {
		t.Errorf("in a window with room for all, line %d is the first", s.top)
	}
}

func TestParagraphs(t *testing.T) {
	if got, want := Paragraphs("# A", "b\n", "", "c", "# D", "e"), "# A\nb\n\nc\n\n# D\ne"; got != want {
		t.Errorf("Paragraphs = %q, want %q", got, want)
	}
}
