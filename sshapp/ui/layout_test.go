package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
)

// TestLayout: the body lies between header, notices and footer. The help of a board stands beside it in a wide window.
func TestLayout(t *testing.T) {
	tests := []struct {
		name string
		l    layout
		want []canvas.Rect // of the screens, the lowest first
	}{
		{"plain", layout{window: tea.WindowSizeMsg{Width: 80, Height: 24}, screens: 1}, []canvas.Rect{canvas.Area(0, 1, 80, 22)}},
		{"notices", layout{window: tea.WindowSizeMsg{Width: 40, Height: 20}, notices: 3, screens: 2},
			[]canvas.Rect{canvas.Area(0, 1, 40, 15), canvas.Area(0, 1, 40, 15)}},
		{"help beside", layout{window: tea.WindowSizeMsg{Width: 120, Height: 40}, screens: 3, beside: true},
			[]canvas.Rect{canvas.Area(0, 1, 120, 38), canvas.Area(0, 1, 80, 38), canvas.Area(80, 1, 40, 38)}},
		{"help beside in a wide window", layout{window: tea.WindowSizeMsg{Width: 200, Height: 60}, screens: 2, beside: true},
			[]canvas.Rect{canvas.Area(0, 1, 124, 58), canvas.Area(124, 1, 76, 58)}},
		{"more notices than lines", layout{window: tea.WindowSizeMsg{Width: 40, Height: 4}, notices: 9, screens: 1}, []canvas.Rect{canvas.Area(0, 1, 40, 0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for at, want := range tt.want {
				if got := tt.l.area(at); got != want {
					t.Errorf("screen %d stands at %v, want %v", at, got, want)
				}
				if got, want := tt.l.size(at), (tea.WindowSizeMsg{Width: want.Dx(), Height: want.Dy()}); got != want {
					t.Errorf("screen %d has the size %v, want %v", at, got, want)
				}
			}
		})
	}
}

// TestMouseOnBody: positions count from the top left of the body, and header, notices, footer and what lies outside are not on it.
func TestMouseOnBody(t *testing.T) {
	l := layout{window: tea.WindowSizeMsg{Width: 80, Height: 24}, notices: 1, screens: 1}
	tests := []struct {
		name string
		x, y int
		on   bool
	}{
		{"first cell", 0, 1, true}, {"last cell", 79, 21, true}, {"header", 5, 0, false}, {"notice", 5, 22, false}, {"footer", 5, 23, false},
		{"right of it", 80, 5, false}, {"left of it", -1, 5, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, msg := range []tea.MouseMsg{
				tea.MouseClickMsg{X: tt.x, Y: tt.y}, tea.MouseWheelMsg{X: tt.x, Y: tt.y}, tea.MouseReleaseMsg{X: tt.x, Y: tt.y}, tea.MouseMotionMsg{X: tt.x, Y: tt.y},
			} {
				got, on := l.onBody(msg)
				if on != tt.on {
					t.Fatalf("%T at %d,%d is on the body: %v, want %v", msg, tt.x, tt.y, on, tt.on)
				}
				if !on {
					continue
				}
				if m := got.(tea.MouseMsg).Mouse(); m.X != tt.x || m.Y != tt.y-1 {
					t.Errorf("%T at %d,%d is at %d,%d of the body", msg, tt.x, tt.y, m.X, m.Y)
				}
			}
		})
	}
}
