package terminal

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Notify is a message that shows a notification on the user's desktop with the next frame, if the terminal can. Of several before that frame the
// last one is shown. The driver takes the message; models don't see it.
type Notify struct{ Title, Body string }

// ShowNotification returns a command that shows a notification.
func ShowNotification(title, body string) tea.Cmd {
	return func() tea.Msg { return Notify{title, body} }
}

// maxNotifyBytes bounds the title and the body of a notification.
const maxNotifyBytes = 200

// A notifier is the sequence by which a terminal shows notifications.
type notifier uint8

// The sequences. Terminals that are not known get that of iTerm2, which Windows Terminal has too and others ignore.
const (
	notifyNone notifier = iota
	notify9             // OSC 9: iTerm2, WezTerm, ghostty, Windows Terminal
	notify99            // OSC 99: kitty
	notify777           // OSC 777: urxvt, foot
)

// notifierOf returns the sequence for a terminal, by what its client says of it. Multiplexers have none: they pass no such sequence on.
func notifierOf(term string, env []string) notifier {
	named := func(variable, value string) bool { return slices.Contains(env, variable+"="+value) }
	begins := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(term, name) })
	}
	switch {
	case isPlain(term), begins("screen", "tmux"):
		return notifyNone
	case begins("xterm-kitty"), named("TERM_PROGRAM", "kitty"):
		return notify99
	case begins("foot", "rxvt-unicode", "urxvt"), named("TERM_PROGRAM", "foot"):
		return notify777
	}
	return notify9
}

// append appends the sequence that shows a notification. Its text has no control characters. In front of the text of OSC 9 stands a title, so
// that no text is taken for one of the numbered commands that some terminals have there.
func (n notifier) append(buf []byte, shown Notify) []byte {
	title := shorten(printable(strings.ReplaceAll(shown.Title, ";", ",")), maxNotifyBytes)
	body := shorten(printable(shown.Body), maxNotifyBytes)
	switch n {
	case notify9:
		return append(buf, "\x1b]9;"+title+": "+body+"\a"...)
	case notify99:
		return append(buf, "\x1b]99;i=ludoteca:d=0;"+title+"\x1b\\\x1b]99;i=ludoteca:d=1:p=body;"+body+"\x1b\\"...)
	case notify777:
		return append(buf, "\x1b]777;notify;"+title+";"+body+"\a"...)
	}
	return buf
}
