package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestListMouse works on a list of 10 lines of which 4 are shown, from line 2 of the body on, with the cursor on the line 5.
func TestListMouse(t *testing.T) {
	click := func(y int, b tea.MouseButton) tea.MouseMsg { return tea.MouseClickMsg{X: 9, Y: y, Button: b} }
	wheel := func(b tea.MouseButton) tea.MouseMsg { return tea.MouseWheelMsg{X: 9, Y: 3, Button: b} }
	tests := []struct {
		name    string
		msg     tea.MouseMsg
		want    list
		clicked bool
	}{
		{"first line", click(2, tea.MouseLeft), list{at: 4, top: 4}, true},
		{"last line", click(5, tea.MouseLeft), list{at: 7, top: 4}, true},
		{"above", click(1, tea.MouseLeft), list{at: 5, top: 4}, false},
		{"below", click(6, tea.MouseLeft), list{at: 5, top: 4}, false},
		{"another button", click(3, tea.MouseRight), list{at: 5, top: 4}, false},
		{"a button let go", tea.MouseReleaseMsg{X: 9, Y: 3, Button: tea.MouseLeft}, list{at: 5, top: 4}, false},
		{"wheel down", wheel(tea.MouseWheelDown), list{at: 8, top: 5}, false},
		{"wheel up", wheel(tea.MouseWheelUp), list{at: 2, top: 2}, false},
		{"wheel sideways", wheel(tea.MouseWheelLeft), list{at: 5, top: 4}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, clicked := list{at: 5, top: 4}.mouse(tt.msg, 2, 10, 4)
			if got != tt.want || clicked != tt.clicked {
				t.Errorf("%+v leads to %+v, %v, want %+v, %v", tt.msg, got, clicked, tt.want, tt.clicked)
			}
		})
	}
	if got, clicked := (list{}).mouse(click(4, tea.MouseLeft), 2, 2, 4); clicked || got != (list{}) {
		t.Errorf("a click below the last of two lines leads to %+v, %v", got, clicked)
	}
}
