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
func (s matchScreen) mayChat() error {
	side, seated := s.view.Side(s.env.Who)
	other := s.view.Seats[side.Other()]
	switch {
	case s.env.Settings.ChatOff:
		return lobby.ErrChatOff
	case seated && (s.bothSeats() || !isPerson(other)):
		return lobby.ErrNoCompany
	}
	return nil
}

// hasChat reports whether the user may chat.
func (s matchScreen) hasChat() bool { return s.view != nil && s.mayChat() == nil }

// readChat waits for what is newer in the chat, unless something does already.
func (s *matchScreen) readChat() tea.Cmd {
	if s.chat.reading || s.seat == nil || !s.hasChat() {
		return nil
	}
	s.chat.reading = true
	after := uint64(0)
	if s.chat.now != nil {
		after = s.chat.now.Seq
	}
	ctx, seat := s.env.Ctx, s.seat
	return func() tea.Msg {
		chat, err := seat.Chat(ctx, after)
		return chatMsg{chat, err}
	}
}

// setChat takes what is new in the chat.
func (s matchScreen) setChat(msg chatMsg) (matchScreen, tea.Cmd) {
	s.chat.reading = false
	if msg.err != nil {
		return s, nil // the next view asks anew
	}
	if old := s.chat.now; old != nil && !s.chat.open {
		last, before := newest(msg.chat), newest(old)
		s.chat.unread = s.chat.unread || msg.chat.Waiting > old.Waiting || last.Number > 0 && !last.Own && last != before
	}
	s.chat.now = msg.chat
	return s, s.readChat()
}

// newest returns the newest line of a chat, the zero value if there is none.
func newest(c *chat.View) chat.ViewLine {
	if len(c.Lines) == 0 {
		return chat.ViewLine{}
	}
	return c.Lines[len(c.Lines)-1]
}

// openChat opens the pane; closeChat closes it, and what is typed stays for the next time.
func (s matchScreen) openChat() (matchScreen, tea.Cmd) {
	s.chat.open, s.chat.unread, s.input.Problem = true, false, ""
	cmd := s.readChat()
	return s, cmd
}

func (s matchScreen) closeChat() (matchScreen, tea.Cmd) {
	s.chat.open, s.input.Problem = false, ""
	return s, nil
}

// tabIsChat reports whether tab opens the chat: while a command is typed it completes that.
func (s matchScreen) tabIsChat() bool { return s.input.Empty() && s.hasChat() }

func (s matchScreen) tab() (matchScreen, tea.Cmd) {
	if s.tabIsChat() {
		return s.openChat()
	}
	return s.complete()
}

// chatKeys are the keys while the pane is open. All others are text.
var chatKeys = widget.Actions[matchScreen]{Footer: []widget.Action[matchScreen]{
	widget.On("enter", text.T("send"), matchScreen.send, "enter"),
	widget.OnKey(text.T("up down"), text.T("greetings"), matchScreen.greet, "up", "down").When(matchScreen.chatEmpty),
	widget.On("tab", text.T("back to the board"), matchScreen.closeChat, "tab", "esc"),
}}

func (s matchScreen) chatEmpty() bool { return s.chat.entry.Text == "" }

// greet chooses a greeting.
func (s matchScreen) greet(msg tea.KeyPressMsg) (matchScreen, tea.Cmd) {
	n := len(lobby.Greetings()) + 1
	step := 1
	if msg.String() == "up" {
		step = n - 1
	}
	s.chat.greeting, s.input.Problem = (s.chat.greeting+step)%n, ""
	return s, nil
}

// typeChat takes a key as text of a line.
func (s matchScreen) typeChat(msg tea.KeyPressMsg) matchScreen {
	entry, used := s.chat.entry.Typed(msg, lineCells)
	if used && utf8.RuneCountInString(entry.Text) <= chatstore.Runes {
		s.chat.entry, s.chat.greeting, s.input.Problem = entry, 0, ""
	}
	return s
}

// pasteChat takes pasted words as text of a line, as far as they fit.
func (s matchScreen) pasteChat(words string) matchScreen {
	entry := s.chat.entry.Insert(words, lineCells)
	if utf8.RuneCountInString(entry.Text) <= chatstore.Runes {
		s.chat.entry, s.chat.greeting, s.input.Problem = entry, 0, ""
	}
	return s
}

// send sends the typed line or the chosen greeting. The line comes back with the chat. A line that begins with a slash is a command at the
// board and isn't sent; a line that begins with two slashes is sent with one.
func (s matchScreen) send() (matchScreen, tea.Cmd) {
	line, greeting := strings.TrimSpace(s.chat.entry.Text), ""
	switch {
	case strings.HasPrefix(line, "//"):
		line = line[1:]
	case strings.HasPrefix(line, "/"):
		return s.commandInChat(line)
	}
	if line == "" && s.chat.greeting > 0 {
		greeting = lobby.Greetings()[s.chat.greeting-1]
	}
	if s.chat.sending || s.seat == nil || line == "" && greeting == "" {
		return s, nil
	}
	s.chat.sending, s.chat.entry, s.chat.greeting, s.input.Problem = true, widget.Entry{}, 0, ""
	ctx, seat := s.env.Ctx, s.seat
	return s, func() tea.Msg { return saidMsg{line, seat.Say(ctx, line, greeting)} }
}

// commandInChat carries out a command that is typed as a line, as it would be at the board. One that is refused is there to be typed again.
func (s matchScreen) commandInChat(line string) (matchScreen, tea.Cmd) {
	s.chat.open, s.chat.entry, s.chat.greeting = false, widget.Entry{}, 0
	s.input = s.input.Cancel(s.scene).Paste(line)
	return s.enter()
}

// said takes the answer to a line. One that was refused is typed again, unless another one is by now.
func (s matchScreen) said(msg saidMsg) matchScreen {
	s.chat.sending = false
	if msg.err == nil {
		return s
	}
	if s.chatEmpty() {
		s.chat.entry = s.chat.entry.Insert(msg.line, lineCells)
	}
	s.input.Problem = s.env.Say.Error(msg.err)
	return s
}

// chatPrompt returns the visible part of the typed line, and the column of the cursor in it.
func (s matchScreen) chatPrompt(room int) (shown string, cursor int) {
	if g := s.chat.greeting; g > 0 {
		shown = text.Cut(s.env.Say.Greeting(lobby.Greetings()[g-1]), room)
		return shown, 0
	}
	shown, cursor = s.chat.entry.Text, s.chat.entry.Column()
	for cursor >= max(room, 1) && shown != "" { // what is before the cursor moves out at the left
		_, size := utf8.DecodeRuneInString(shown)
		cursor -= text.Width(shown) - text.Width(shown[size:])
		shown = shown[size:]
	}
	return text.Cut(shown, room), cursor
}

// fillChat fills the panel with the last lines of the chat.
func (s matchScreen) fillChat(p *boardpage.Panel, room int) {
	t, say := s.env.Theme, s.env.Say
	var lines []boardpage.Run
	add := func(run boardpage.Run) {
		for _, part := range text.Wrap(run.Text, p.Width()) {
			lines = append(lines, boardpage.Run{Style: run.Style, Text: part})
		}
	}
	if c := s.chat.now; c != nil {
		for _, line := range c.Lines[max(0, len(c.Lines)-room):] {
			y := t.Plain
			if line.Own {
				y = t.Dim
			}
			add(boardpage.Run{Style: y, Text: say.ChatLine(line)})
		}
		if c.Waiting > 0 {
			add(boardpage.Run{Style: t.Accent, Text: say.WaitingLines(c.Waiting)})
		}
	}
	if len(lines) == 0 {
		add(boardpage.Run{Style: t.Dim, Text: s.aboutChat()})
	}
	for _, line := range lines[max(0, len(lines)-room):] {
		p.Line(line)
	}
}

// aboutChat says who reads what is written here.
func (s matchScreen) aboutChat() string {
	if s.plays() {
		return s.env.Say.T("What you write here is for the other player. Those who watch don't see it.")
	}
	return s.env.Say.T("What you write here is for those who watch. The players see it when the match is over.")
}

// addNewest adds the newest line of the chat to the panel, in two lines at most.
func (s matchScreen) addNewest(p *boardpage.Panel) {
	c := s.chat.now
	if c == nil || !s.hasChat() || len(c.Lines) == 0 && c.Waiting == 0 {
		return
	}
	y, words := s.env.Theme.Dim, ""
	if c.Waiting > 0 {
		y, words = s.env.Theme.Accent, s.env.Say.WaitingLines(c.Waiting)
	}
	if n := len(c.Lines); n > 0 {
		words = s.env.Say.ChatLine(c.Lines[n-1])
		if y = s.env.Theme.Plain; c.Lines[n-1].Own {
			y = s.env.Theme.Dim
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
