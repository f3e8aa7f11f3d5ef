package terminal

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// TestHugeFrameIsLetGo: the memory of a frame that is far larger than usual is given back before the next one. The memory of the largest usual
// frame is kept.
func TestHugeFrameIsLetGo(t *testing.T) {
	window := Window{MaxWidth, MaxHeight}
	var page strings.Builder
	for y := range MaxHeight {
		for x := range MaxWidth { // each cell in a colour of its own: 20 bytes for each
			fmt.Fprintf(&page, "\x1b[38;2;%d;%d;7mx", x%256, y%256)
		}
		page.WriteByte('\n')
	}
	colours, plain := page.String(), strings.Repeat(strings.Repeat("x", MaxWidth)+"\n", MaxHeight)
	for _, tt := range []struct {
		name, content string
		kept          bool
	}{{"huge", colours, false}, {"usual", plain, true}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				content := tt.content
				m := &probe{view: func() tea.View { return fullScreen(content) }}
				d := newDriver(Options{Term: "xterm-256color", Env: []string{"COLORTERM=truecolor"}, Window: window})
				d.model = m
				draw := func() {
					d.changed, d.next = true, d.now
					d.draw()
					if len(d.frame) > 0 {
						<-d.writer.frames // the client has it
						d.writer.finish()
					}
				}
				draw()
				first := cap(d.frame)
				if len(d.frame) < MaxWidth*MaxHeight || !tt.kept && len(d.frame) <= maxKeptFrame {
					t.Fatalf("the first frame has %d bytes", len(d.frame))
				}
				content = "a line"
				draw()
				if kept := cap(d.frame) == first; kept != tt.kept || !tt.kept && cap(d.frame) > maxKeptFrame {
					t.Errorf("after a frame of %d bytes the buffer for the next one has %d, as before: %v, want %v", first, cap(d.frame), kept, tt.kept)
				}
			})
		})
	}
}
