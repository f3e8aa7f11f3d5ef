package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// TestSmallWindows: a window in which nothing fits says so, in as many lines as it takes.
func TestSmallWindows(t *testing.T) {
	tests := []struct {
		name string
		w, h int
		want []string // without empty lines and blanks at either end
	}{
		{"one line", 39, 24, []string{"A bit more room, please: 40x20."}},
		{"just one line", 31, 1, []string{"A bit more room, please: 40x20."}},
		{"two lines", 30, 10, []string{"A bit more room, please:", "40x20."}},
		{"more lines", 10, 5, []string{"A bit more", "room,", "please:", "40x20."}},
		{"as many as there are", 10, 2, []string{"A bit more", "room,"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := NewApp(t.Context(), Config{Club: &fakeClub{}, Who: ana, Term: "xterm-256color"})
			a.Init()
			a.Update(tea.WindowSizeMsg{Width: tt.w, Height: tt.h})
			var got []string
			for line := range strings.Lines(ansi.Strip(a.View().Content)) {
				if line = strings.TrimSpace(line); line != "" {
					got = append(got, line)
				}
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%dx%d shows %q, want %q", tt.w, tt.h, got, tt.want)
			}
		})
	}
}

func TestStatusThatFits(t *testing.T) {
	tests := []struct {
		name, status string
		room         int
		want         string
	}{
		{"all", "ana · 4Mation 1523 · 7 here", 27, "ana · 4Mation 1523 · 7 here"},
		{"without the middle", "ana · 4Mation 1523 · 7 here", 26, "ana · 7 here"},
		{"the last part", "ana · 4Mation 1523 · 7 here", 11, "7 here"},
		{"what stands alone", "ana · your move", 9, "your move"},
		{"nothing", "ana · your move", 8, ""},
		{"no room", "ana", -3, ""},
		{"no status", "", -3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fitted(tt.status, " · ", tt.room); got != tt.want {
				t.Errorf("%q in %d cells is %q, want %q", tt.status, tt.room, got, tt.want)
			}
		})
	}
}
