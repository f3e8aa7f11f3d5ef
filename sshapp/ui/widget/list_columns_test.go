package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/sshapp/terminal/canvas"
)

// TestColumns: a list that is longer than the page goes on in another column where there is room for one.
func TestColumns(t *testing.T) {
	tests := []struct {
		name       string
		w, h, n    int
		room, each int // lines that are shown, and cells of a column
	}{
		{"no room beside", 159, 10, 99, 6, 159},
		{"two columns", 160, 10, 99, 12, 80},
		{"wide columns", 200, 60, 99, 112, 100},
		{"three columns", 240, 10, 99, 18, 80},
		{"a short list", 240, 10, 6, 6, 240},
		{"no room below", 240, 2, 6, 3, 80},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := NewColumns(tea.WindowSizeMsg{Width: tt.w, Height: tt.h}, 2, 1, tt.n)
			if c.Room() != tt.room || c.width != tt.each {
				t.Errorf("%d lines are shown in columns of %d cells, want %d and %d", c.Room(), c.width, tt.room, tt.each)
			}
		})
	}
}

// TestListInColumns draws a list in two columns, and clicks on what is drawn.
func TestListInColumns(t *testing.T) {
	const n = 9
	size := tea.WindowSizeMsg{Width: 160, Height: 6}
	c := NewColumns(size, 1, 1, n)
	l := List{At: 5}.Fit(n, c.Room())
	page := canvas.New(size.Width, size.Height)
	p := NewPage(page, page.Bounds())
	c.Draw(&p, &Theme{Up: "up", Down: "more"}, l, n, func(p *Page, i int, y canvas.Style) { p.Put(y, string(rune('a'+i))) })
	places := map[string][2]int{}
	for y := range size.Height {
		for x, cell := range page.Row(y) {
			if !cell.IsBlank() {
				places[string(cell.Rune())] = [2]int{x, y}
			}
		}
	}
	want := map[string][2]int{"a": {3, 1}, "b": {3, 2}, "c": {3, 3}, "d": {83, 1}, ">": {81, 3}, "f": {83, 3}, "m": {3, 4}, "o": {4, 4}, "r": {5, 4}}
	want["e"] = places["e"] // on the page twice
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("drawn (-want +got):\n%s\n%s", diff, page.Plain())
	}
	for _, tt := range []struct {
		x, y, at int // -1: nothing is clicked
	}{{3, 1, 0}, {79, 3, 2}, {80, 1, 3}, {83, 3, 5}, {3, 0, -1}, {83, 4, -1}} {
		got, clicked := c.Mouse(l, tea.MouseClickMsg{X: tt.x, Y: tt.y, Button: tea.MouseLeft}, n)
		if clicked != (tt.at >= 0) || clicked && got.At != tt.at {
			t.Errorf("a click at %d,%d is on line %d, %v, want %d", tt.x, tt.y, got.At, clicked, tt.at)
		}
	}
}
