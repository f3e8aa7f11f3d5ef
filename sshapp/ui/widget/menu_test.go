package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestMenuChooses: a click on a line chooses it, a click beside the lines does not, and in a low window the lines scroll.
func TestMenuChooses(t *testing.T) {
	const n = 9
	click := func(y int) tea.MouseClickMsg { return tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft} }
	for _, tt := range []struct {
		name   string
		height int
		at     int // the line with the cursor before the click
		y      int
		chosen bool
		want   int
	}{
		{"the first line", 24, 3, FirstLine + 1, true, 0},
		{"the last line", 24, 0, FirstLine + n, true, n - 1},
		{"above", 24, 3, FirstLine, false, 3},
		{"below", 24, 3, FirstLine + 1 + n, false, 3},
		{"scrolled", 12, n - 1, FirstLine + 1, true, n - 5},
		{"below the lines of a low window", 12, 0, FirstLine + 6, false, 0},
	} {
		m, _ := Menu{}.Update(tea.WindowSizeMsg{Width: 80, Height: tt.height}, n)
		for range tt.at {
			m = m.Key(tea.KeyPressMsg{Code: tea.KeyDown}, n)
		}
		m, chosen := m.Update(click(tt.y), n)
		if chosen != tt.chosen || m.At() != tt.want {
			t.Errorf("%s: chosen %v, line %d, want %v, %d", tt.name, chosen, m.At(), tt.chosen, tt.want)
		}
	}
}
