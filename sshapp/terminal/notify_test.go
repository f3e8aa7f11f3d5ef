package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestNotify: each terminal gets the sequence that it knows, once, and text in it can't end it.
func TestNotify(t *testing.T) {
	const (
		asOSC9   = "\x1b]9;Ludoteca: your move\a"
		asOSC99  = "\x1b]99;i=ludoteca:d=0;Ludoteca\x1b\\\x1b]99;i=ludoteca:d=1:p=body;your move\x1b\\"
		asOSC777 = "\x1b]777;notify;Ludoteca;your move\a"
	)
	long := strings.Repeat("é", maxNotifyBytes)
	for _, tt := range []struct {
		name, term, env string
		shown           []Notify
		want            string
	}{
		{"iTerm2", "xterm-256color", "LC_TERMINAL=iTerm2", []Notify{{"Ludoteca", "your move"}}, asOSC9},
		{"WezTerm", "xterm-256color", "TERM_PROGRAM=WezTerm", []Notify{{"Ludoteca", "your move"}}, asOSC9},
		{"ghostty", "xterm-ghostty", "", []Notify{{"Ludoteca", "your move"}}, asOSC9},
		{"kitty", "xterm-kitty", "", []Notify{{"Ludoteca", "your move"}}, asOSC99},
		{"kitty under another name", "xterm-256color", "TERM_PROGRAM=kitty", []Notify{{"Ludoteca", "your move"}}, asOSC99},
		{"foot", "foot-extra", "", []Notify{{"Ludoteca", "your move"}}, asOSC777},
		{"urxvt", "rxvt-unicode-256color", "", []Notify{{"Ludoteca", "your move"}}, asOSC777},
		{"one that isn't known", "xterm-256color", "", []Notify{{"Ludoteca", "your move"}}, asOSC9},
		{"a console", "linux", "TERM_PROGRAM=WezTerm", []Notify{{"Ludoteca", "your move"}}, ""},
		{"no terminal", "dumb", "", []Notify{{"Ludoteca", "your move"}}, ""},
		{"tmux", "tmux-256color", "LC_TERMINAL=iTerm2", []Notify{{"Ludoteca", "your move"}}, ""},
		{"the last of two", "xterm", "", []Notify{{"Ludoteca", "first"}, {"Ludoteca", "your move"}}, asOSC9},
		{"control characters", "xterm", "", []Notify{{"Ludo\x1b]2;teca", "your\a\x1b\\\x9c \u202emove\n\x00"}}, "\x1b]9;Ludo]2,teca: your\\ move\a"},
		{"a title with a separator", "foot", "", []Notify{{"a;b", "c;d"}}, "\x1b]777;notify;a,b;c;d\a"},
		{"a number of a command", "xterm", "", []Notify{{"", "4;1;50"}}, "\x1b]9;: 4;1;50\a"},
		{"a long text", "xterm", "", []Notify{{long, long}}, "\x1b]9;" + long[:maxNotifyBytes] + ": " + long[:maxNotifyBytes] + "\a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &probe{
					update: func(msg tea.Msg) tea.Cmd {
						if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "n" {
							var all []tea.Cmd
							for _, n := range tt.shown {
								all = append(all, func() tea.Msg { return n })
							}
							return tea.Sequence(all...)
						}
						return nil
					},
					view: func() tea.View { return fullScreen("page") },
				}
				c := startReading(t, t.Context(), m, Options{Term: tt.term, Env: strings.Fields(tt.env)})
				c.pass(time.Second)
				before := c.frameCount()
				c.send("n")
				c.pass(time.Second)
				c.mu.Lock()
				got := strings.Join(c.frames[before:], "")
				c.mu.Unlock()
				if got != tt.want {
					t.Errorf("the client got %q, want %q", got, tt.want)
				}
				c.conn.Close()
				c.end(ErrGone)
			})
		})
	}
}
