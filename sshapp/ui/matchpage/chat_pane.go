package matchpage

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	chatstore "ludoteca/storage/chat"
)

// A chatPane is the chat of the match. While it is open it stands where the panel does, never over the board, and what is typed is a line
// of it. While it is closed, the panel shows the newest line.
type chatPane struct {
	open     bool
	unread   bool // another user has written since it was open
	reading  bool // a Cmd waits for what is newer
	now      *chat.View
	entry    widget.Entry
	greeting int // the greeting that enter sends, from 1 on; 0: none
	sending  bool
}

// A chatMsg holds a newer view of the chat.
type chatMsg struct {
	chat *chat.View
	err  error
}

// saidMsg is the answer to a line that was sent: the text and the greeting again if it was refused.
type saidMsg struct {
	line string
	err  error
}

// lineCells is the largest width of a typed chat line, in cells: a full line of wide characters.
const lineCells = 2 * chatstore.Runes

// mayChat returns nil if the user can have a partner in the chat while the match goes on, else why not. Spectators always can.
func mayChat(m situation) error {
	switch {
	case m.env.Settings.ChatOff:
		return lobby.ErrChatOff
	case m.plays() && (m.bothSeats() || !isPerson(m.opponent())):
		return lobby.ErrNoCompany
	}
	return nil
}

// hasChat reports whether the user may chat.
func hasChat(m situation) bool { return m.view != nil && mayChat(m) == nil }

// read waits for what is newer in the chat, unless something does already.
func (c chatPane) read(m situation) (chatPane, tea.Cmd) {
	if c.reading || m.seat == nil || !hasChat(m) {
		return c, nil
	}
	c.reading = true
	after := uint64(0)
	if c.now != nil {
		after = c.now.Seq
	}
	ctx, seat := m.env.Ctx, m.seat
	return c, func() tea.Msg {
		chat, err := seat.Chat(ctx, after)
		return chatMsg{chat, err}
	}
}

// take takes what is new in the chat.
func (c chatPane) take(m situation, msg chatMsg) (chatPane, tea.Cmd) {
	c.reading = false
	if msg.err != nil {
		return c, nil // the next view asks anew
	}
	if old := c.now; old != nil && !c.open {
		last, before := newest(msg.chat), newest(old)
		c.unread = c.unread || msg.chat.Waiting > old.Waiting || last.Number > 0 && !last.Own && last != before
	}
	c.now = msg.chat
	return c.read(m)
}

// newest returns the newest line of a chat, the zero value if there is none.
func newest(c *chat.View) chat.ViewLine {
	if len(c.Lines) == 0 {
		return chat.ViewLine{}
	}
	return c.Lines[len(c.Lines)-1]
}

// empty reports whether no line is typed.
func (c chatPane) empty() bool { return c.entry.Text == "" }

// greet chooses the next greeting, or the one before if up is true.
func (c chatPane) greet(up bool) chatPane {
	n := len(lobby.Greetings()) + 1
	step := 1
	if up {
		step = n - 1
	}
	c.greeting = (c.greeting + step) % n
	return c
}

// typed takes a key as text of a line; ok is false if it is none, or the line is full.
func (c chatPane) typed(msg tea.KeyPressMsg) (next chatPane, ok bool) {
	entry, used := c.entry.Typed(msg, lineCells)
	if !used {
		return c, false
	}
	return c.edited(entry)
}

// pasted takes pasted words as text of a line, as far as they fit.
func (c chatPane) pasted(words string) (next chatPane, ok bool) {
	return c.edited(c.entry.Insert(words, lineCells))
}

func (c chatPane) edited(entry widget.Entry) (next chatPane, ok bool) {
	if utf8.RuneCountInString(entry.Text) > chatstore.Runes {
		return c, false
	}
	c.entry, c.greeting = entry, 0
	return c, true
}

// line returns the typed line. One that begins with a slash is a command at the board and isn't sent; one that begins with two slashes is sent
// with one.
func (c chatPane) line() (line string, command bool) {
	line = strings.TrimSpace(c.entry.Text)
	switch {
	case strings.HasPrefix(line, "//"):
		return line[1:], false
	case strings.HasPrefix(line, "/"):
		return line, true
	}
	return line, false
}

// closed returns the pane closed, and without what was typed.
func (c chatPane) closed() chatPane {
	c.open, c.entry, c.greeting = false, widget.Entry{}, 0
	return c
}

// send sends the typed line or the chosen greeting. It comes back with the chat. The command is nil if there is nothing to send, or a line is on
// its way.
func (c chatPane) send(m situation) (chatPane, tea.Cmd) {
	line, _ := c.line()
	greeting := ""
	if line == "" && c.greeting > 0 {
		greeting = lobby.Greetings()[c.greeting-1]
	}
	if c.sending || m.seat == nil || line == "" && greeting == "" {
		return c, nil
	}
	c.sending, c.entry, c.greeting = true, widget.Entry{}, 0
	ctx, seat := m.env.Ctx, m.seat
	return c, func() tea.Msg { return saidMsg{line, seat.Say(ctx, line, greeting)} }
}

// said takes the answer to a line. One that was refused is typed again, unless another one is by now.
func (c chatPane) said(msg saidMsg) chatPane {
	c.sending = false
	if msg.err != nil && c.empty() {
		c.entry = c.entry.Insert(msg.line, lineCells)
	}
	return c
}

// prompt returns the visible part of the typed line, and the column of the cursor in it.
func (c chatPane) prompt(say wording.Words, room int) (shown string, cursor int) {
	if g := c.greeting; g > 0 {
		shown = text.Cut(say.Talk().Greeting(lobby.Greetings()[g-1]), room)
		return shown, 0
	}
	return c.entry.Shown(room)
}

// fill fills the panel with the last lines of the chat.
func (c chatPane) fill(m situation, p *boardpage.Panel, room int) {
	t, say := m.env.Theme, m.env.Say
	var lines []boardpage.Run
	add := func(run boardpage.Run) {
		for _, part := range text.Wrap(run.Text, p.Width()) {
			lines = append(lines, boardpage.Run{Style: run.Style, Text: part})
		}
	}
	if now := c.now; now != nil {
		for _, line := range now.Lines[max(0, len(now.Lines)-room):] {
			y := t.Plain
			if line.Own {
				y = t.Dim
			}
			add(boardpage.Run{Style: y, Text: say.Talk().Line(line)})
		}
		if now.Waiting > 0 {
			add(boardpage.Run{Style: t.Accent, Text: say.Talk().Waiting(now.Waiting)})
		}
	}
	if len(lines) == 0 {
		add(boardpage.Run{Style: t.Dim, Text: aboutChat(m)})
	}
	for _, line := range lines[max(0, len(lines)-room):] {
		p.Line(line)
	}
}

// aboutChat says who reads what is written here.
func aboutChat(m situation) string {
	if m.plays() {
		return m.env.Say.T("What you write here is for the other player. Those who watch don't see it.")
	}
	return m.env.Say.T("What you write here is for those who watch. The players see it when the match is over.")
}

// addNewest adds the newest line of the chat to the panel, in two lines at most.
func (c chatPane) addNewest(m situation, p *boardpage.Panel) {
	now := c.now
	if now == nil || !hasChat(m) || len(now.Lines) == 0 && now.Waiting == 0 {
		return
	}
	y, words := m.env.Theme.Dim, ""
	if now.Waiting > 0 {
		y, words = m.env.Theme.Accent, m.env.Say.Talk().Waiting(now.Waiting)
	}
	if n := len(now.Lines); n > 0 {
		words = m.env.Say.Talk().Line(now.Lines[n-1])
		if y = m.env.Theme.Plain; now.Lines[n-1].Own {
			y = m.env.Theme.Dim
		}
	}
	p.Gap()
	lines := text.Wrap(words, p.Width())
	if len(lines) > 2 {
		lines = []string{lines[0], text.Cut(strings.Join(lines[1:], " "), p.Width())}
	}
	for _, line := range lines {
		p.Line(boardpage.Run{Style: y, Text: line})
	}
}
