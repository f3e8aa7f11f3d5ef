package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestWhatATerminalGets(t *testing.T) {
	tests := []struct {
		name    string
		term    string
		env     []string
		plain   bool
		profile colorprofile.Profile
	}{
		{"xterm", "xterm", nil, false, colorprofile.ANSI},
		{"xterm with 256 colours", "xterm-256color", nil, false, colorprofile.ANSI256},
		{"true colour", "xterm-256color", []string{"COLORTERM=truecolor"}, false, colorprofile.TrueColor},
		{"kitty", "xterm-kitty", nil, false, colorprofile.TrueColor},
		{"tmux", "tmux-256color", nil, false, colorprofile.ANSI256},
		{"linux console", "linux", nil, true, colorprofile.ANSI},
		{"vt100", "vt100", nil, true, colorprofile.ASCII},
		{"vt220", "vt220", nil, true, colorprofile.ASCII},
		{"monochrome", "xterm-mono", nil, false, colorprofile.ASCII},
		{"dumb", "dumb", nil, true, colorprofile.NoTTY},
		{"unset", "", nil, true, colorprofile.NoTTY},
		{"absurd", strings.Repeat("xterm-kitty", 100), nil, true, colorprofile.NoTTY},
		{"no colour", "xterm-256color", []string{"COLORTERM=truecolor", "NO_COLOR=1"}, false, colorprofile.ASCII},
		{"no colour in other words", "xterm-kitty", []string{"NO_COLOR=please"}, false, colorprofile.ASCII},
		{"no colour, but empty", "xterm", []string{"NO_COLOR="}, false, colorprofile.ANSI},
		{"another TERM in the environment", "vt100", []string{"TERM=xterm-kitty"}, true, colorprofile.ASCII},
		{"a client that would have tmux run here", "xterm", []string{"TTY_FORCE=1", "TMUX=/tmp/x,1,0"}, false, colorprofile.ANSI},
		{"broken environment", "xterm", []string{"", "=", "x"}, false, colorprofile.ANSI},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := isPlain(tt.term); got != tt.plain {
				t.Errorf("isPlain(%q) = %t, want %t", tt.term, got, tt.plain)
			}
			if got := profileOf(tt.term, tt.env); got != tt.profile {
				t.Errorf("profileOf(%q, %q) = %v, want %v", tt.term, tt.env, got, tt.profile)
			}
		})
	}
}
