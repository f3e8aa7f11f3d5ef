package widget

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
		want    List
		clicked bool
	}{
		{"first line", click(2, tea.MouseLeft), List{At: 4, top: 4}, true},
		{"last line", click(5, tea.MouseLeft), List{At: 7, top: 4}, true},
		{"above", click(1, tea.MouseLeft), List{At: 5, top: 4}, false},
		{"below", click(6, tea.MouseLeft), List{At: 5, top: 4}, false},
		{"another button", click(3, tea.MouseRight), List{At: 5, top: 4}, false},
		{"a button let go", tea.MouseReleaseMsg{X: 9, Y: 3, Button: tea.MouseLeft}, List{At: 5, top: 4}, false},
		{"wheel down", wheel(tea.MouseWheelDown), List{At: 8, top: 5}, false},
		{"wheel up", wheel(tea.MouseWheelUp), List{At: 2, top: 2}, false},
		{"wheel sideways", wheel(tea.MouseWheelLeft), List{At: 5, top: 4}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, clicked := List{At: 5, top: 4}.Mouse(tt.msg, 2, 10, 4)
			if got != tt.want || clicked != tt.clicked {
				t.Errorf("%+v leads to %+v, %v, want %+v, %v", tt.msg, got, clicked, tt.want, tt.clicked)
			}
		})
	}
	if got, clicked := (List{}).Mouse(click(4, tea.MouseLeft), 2, 2, 4); clicked || got != (List{}) {
		t.Errorf("a click below the last of two lines leads to %+v, %v", got, clicked)
	}
}
