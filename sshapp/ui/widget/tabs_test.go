package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
)

// TestTabs: a wide window shows all names with the chosen one marked, a narrow one the chosen one alone.
func TestTabs(t *testing.T) {
	theme := NewTheme(ThemePlain, colorprofile.NoTTY, true)
	for _, tt := range []struct {
		width int
		want  string
	}{
		{BothColumns, "   one  <two>  three"}, {BothColumns - 1, "   < two >"},
	} {
		c := canvas.New(tt.width, 1)
		p := NewPage(c, canvas.Area(0, 0, tt.width, 1))
		DrawTabs(&p, theme, []string{"one", "two", "three"}, 1)
		if got := strings.TrimRight(c.Plain(), " \n"); got != tt.want {
			t.Errorf("in %d cells %q, want %q", tt.width, got, tt.want)
		}
	}
}
