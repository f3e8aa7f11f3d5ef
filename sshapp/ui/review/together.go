package review

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/together"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	chatstore "ludoteca/storage/chat"
)

// A togetherPane is the other person who looks at the review, and the chat with them. One of both leads: the board of the other shows the same.
type togetherPane struct {
	ctx  context.Context    // of what the pane waits for: it ends with the screen
	stop context.CancelFunc // nil before the match has come

	seat    *together.Seat // nil: nobody else looks at it
	view    *together.View // as the seat shows it; nil before it has come
	shown   together.Place // what the seat of a person who leads was told last
	typing  bool
	entry   widget.Entry
	sending bool
}

type (
	// ledMsg is the answer to an invitation.
	ledMsg struct {
		seat *together.Seat
		err  error
	}

	// togetherMsg is a newer view of the review that two people look at.
	togetherMsg struct {
		from *together.Seat
		view *together.View
		err  error
	}

	// saidMsg is the answer to a line of the chat.
	saidMsg struct {
		line string
		err  error
	}
)

// togetherLines is how many lines of the chat stand beside the board.
const togetherLines = 6

// NewTogether returns the review of a match that another person leads, who has invited the user.
func NewTogether(e *screen.Env, seat *together.Seat, ref lobby.Ref) screen.Screen {
	return reviewScreen{env: e, opens: clubMatch{ref}, together: togetherPane{seat: seat}}
}

// begun returns the pane with a context to wait in.
func (c togetherPane) begun(ctx context.Context) togetherPane {
	c.ctx, c.stop = context.WithCancel(ctx)
	return c
}

// close ends the review for both people, or the invitation.
func (c togetherPane) close() {
	if c.stop != nil {
		c.stop()
	}
	if c.seat != nil {
		c.seat.Leave()
	}
}

// wait waits for what is newer of the review.
func (c togetherPane) wait() tea.Cmd {
	if c.seat == nil {
		return nil
	}
	ctx, seat, after := c.ctx, c.seat, uint64(0)
	if c.view != nil {
		after = c.view.Seq
	}
	return func() tea.Msg {
		v, err := seat.Next(ctx, after)
		return togetherMsg{seat, v, err}
	}
}

// follows reports whether the board shows what another person leads to.
func (c togetherPane) follows() bool { return c.seat != nil && c.seat.Side() == together.Follower }

// other returns the name of the other person; "" if there is none yet.
func (c togetherPane) other(say wording.Words) string {
	if c.seat == nil || c.view == nil {
		return ""
	}
	return say.Name(c.view.People[1-c.seat.Side()].Name)
}

// state says who leads, or who is waited for; "" if nobody else is there.
func (c togetherPane) state(say wording.Words) string {
	name := c.other(say)
	switch {
	case name == "":
		return ""
	case c.follows():
		return say.T("%s leads through the review.", name)
	case c.view.Joined:
		return say.T("You lead; %s sees your board.", name)
	}
	return say.T("Waiting for %s ...", name)
}

// newest returns the newest line of the chat; "" if there is none.
func (c togetherPane) newest(say wording.Words) string {
	switch {
	case c.view == nil:
		return ""
	case c.view.Waiting > 0:
		return say.Talk().Waiting(c.view.Waiting)
	case len(c.view.Lines) > 0:
		return lineText(say, c.view.Lines[len(c.view.Lines)-1])
	}
	return ""
}

func lineText(say wording.Words, l together.Line) string {
	return say.Name(l.By.Name) + ": " + text.Clean(l.Text)
}

// add adds who leads and the last lines of the chat to the panel beside the board.
func (c togetherPane) add(e *screen.Env, on *boardpage.Panel) {
	state := c.state(e.Say)
	if state == "" {
		return
	}
	on.Gap()
	on.Wrap(e.Theme.Accent, 0, state)
	var lines []boardpage.Run
	for _, l := range c.view.Lines {
		style := e.Theme.Plain
		if c.seat.User().Is(l.By) {
			style = e.Theme.Dim
		}
		for _, part := range text.Wrap(lineText(e.Say, l), on.Width()) {
			lines = append(lines, boardpage.Run{Style: style, Text: part})
		}
	}
	if c.view.Waiting > 0 {
		lines = append(lines, boardpage.Run{Style: e.Theme.Accent, Text: text.Cut(e.Say.Talk().Waiting(c.view.Waiting), on.Width())})
	}
	for _, l := range lines[max(0, len(lines)-togetherLines):] {
		on.Line(l)
	}
	on.Gap()
}

// place returns what stands on the board, for a person who follows.
func (s reviewScreen) place() together.Place {
	p := together.Place{Ply: s.inMatch(), Flipped: s.Flipped(s.view, s.env.Who)}
	if v := s.variation; v != nil {
		p.Line, p.Shown = v.Moves, v.At
	}
	return p
}

func samePlace(a, b together.Place) bool {
	return a.Ply == b.Ply && a.Shown == b.Shown && a.Flipped == b.Flipped && slices.Equal(a.Line, b.Line)
}

// led shows the person who follows what stands on the board, if that has changed. Seat.Show doesn't wait.
func (s reviewScreen) led() reviewScreen {
	if s.view == nil || s.together.seat == nil || s.together.follows() {
		return s
	}
	if p := s.place(); s.together.view == nil || !samePlace(p, s.together.shown) {
		s.together.seat.Show(p)
		s.together.shown = p
	}
	return s
}

// followed shows what stands on the board of the person who leads.
func (s reviewScreen) followed() reviewScreen {
	if s.view == nil || !s.together.follows() || s.together.view == nil {
		return s
	}
	p := s.together.view.Place
	if samePlace(p, s.place()) {
		return s
	}
	s.path = s.goTo(p.Ply)
	if v := NewVariation(s.timeline, s.at, p.Line, OwnMoves); v != nil {
		s.variation = v.To(p.Shown)
	}
	s = s.show()
	if s.Flipped(s.view, s.env.Who) != p.Flipped {
		s.Board = s.Board.Flip(s.env.Say)
	}
	return s
}

// takeTogether takes a newer view of the review, or that it is over.
func (s reviewScreen) takeTogether(msg togetherMsg) (reviewScreen, tea.Cmd) {
	if msg.from != s.together.seat || msg.err != nil {
		return s, nil
	}
	s.together.view = msg.view
	if msg.view.Over {
		name := s.together.other(s.env.Say)
		s.Input.Problem = s.env.Say.AloneNow(name)
		if !msg.view.Joined {
			s.Input.Problem = s.env.Say.NotComing(name)
		}
		s.together.seat, s.together.view, s.together.typing = nil, nil, false
		return s, nil
	}
	return s.followed(), s.together.wait()
}

// togetherKeys are the keys while a name or a line of the chat is typed.
var togetherKeys = widget.Actions[reviewScreen]{Footer: []widget.Action[reviewScreen]{
	widget.On("enter", text.T("send"), sendLine, "enter"),
	widget.On("esc", text.T("cancel"), cancelLine, "esc"),
}}

// followKeys are the keys of a person who follows another one through a review.
var followKeys = widget.Actions[reviewScreen]{Footer: []widget.Action[reviewScreen]{
	widget.On("t", text.T("chat"), openLine, "t"),
	widget.On("esc", text.T("look alone"), leaveTogether, "esc"),
	widget.On("?", text.T("help"), openHelp, "?"),
	widget.On("m", text.T("all mistakes"), list, "m").Listed(analysed),
	widget.On("w", text.T("note"), writeNote, "w").Listed(canNote).When(canNote),
	widget.On("g", text.T("graph"), toggleGraph, "g").Listed(analysed),
}}

// mayTogether returns nil if another person may be invited, or written to.
func mayTogether(s reviewScreen) error {
	switch {
	case s.env.Who.ID == "":
		return lobby.ErrNeedsKey
	case s.env.Lobby.Together == nil || !s.view.Over:
		return boardpage.ErrNotNow
	}
	return nil
}

// mayWrite returns nil if a person is there to write to.
func mayWrite(s reviewScreen) error {
	if s.together.seat == nil {
		return boardpage.ErrNotNow
	}
	return nil
}

// sharable returns nil if the match is one that another person may see.
func sharable(s reviewScreen) error {
	_, err := s.source.shared()
	return err
}

func hasTogether(s reviewScreen) bool { return mayTogether(s) == nil }
func canTogether(s reviewScreen) bool { return hasTogether(s) && sharable(s) == nil }

// togetherWhat says in English what the key t does.
func togetherWhat(s reviewScreen) string {
	if s.together.seat != nil {
		return text.T("chat")
	}
	return text.T("together")
}

// openLine begins a line of the chat, or the name of a person to invite.
func openLine(s reviewScreen) (reviewScreen, tea.Cmd) {
	if err := sharable(s); err != nil {
		s.Input.Problem = boardpage.Why(s.env.Say, err)
		return s, nil
	}
	s.together.typing, s.together.entry = true, widget.Entry{}
	return s, nil
}

func cancelLine(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.together.typing = false
	return s, nil
}

func leaveTogether(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.together.seat.Leave()
	s.together.seat, s.together.view = nil, nil
	return s.on(s.goTo(s.at)), nil
}

// togetherCommand is what may stand before the name of the person to invite.
const togetherCommand = "/together"

// sendLine invites the person whose name is typed, or writes the line to the person who is there.
func sendLine(s reviewScreen) (reviewScreen, tea.Cmd) {
	typed := strings.TrimSpace(s.together.entry.Text)
	name, command := strings.CutPrefix(typed, togetherCommand)
	c := &s.together
	switch {
	case c.sending || typed == "":
		return s, nil
	case command && c.seat != nil:
		s.Input.Problem = s.env.Say.Error(lobby.ErrTogether)
		return s, nil
	}
	c.sending, c.typing = true, false
	ctx, club, who := c.ctx, s.env.Lobby, s.env.Who
	if seat := c.seat; seat != nil {
		return s, func() tea.Msg { return saidMsg{typed, seat.Say(ctx, typed)} }
	}
	if !command {
		name = typed
	}
	ref, _ := s.source.shared() // openLine has asked
	return s, func() tea.Msg {
		other, err := club.Opponent(ctx, who, strings.TrimSpace(name))
		if err != nil {
			return ledMsg{nil, err}
		}
		seat, err := club.Together.Lead(ctx, who, lobby.User(other.Occupant), ref)
		return ledMsg{seat, err}
	}
}

// takeLed takes the answer to an invitation.
func (s reviewScreen) takeLed(msg ledMsg) (reviewScreen, tea.Cmd) {
	s.together.sending = false
	if msg.err != nil {
		s.Input.Problem = s.env.Say.Error(msg.err)
		return s, nil
	}
	s.together.seat, s.together.view = msg.seat, nil
	return s, s.together.wait()
}

// takeSaid takes the answer to a line. One that was refused is typed again, unless another one is by now.
func (s reviewScreen) takeSaid(msg saidMsg) reviewScreen {
	s.together.sending = false
	if msg.err == nil {
		return s
	}
	s.Input.Problem = s.env.Say.Error(msg.err)
	if s.together.seat != nil && !s.together.typing {
		s.together.typing, s.together.entry = true, widget.Entry{}.Insert(msg.line, 2*chatstore.Runes)
	}
	return s
}

// linePrompt says what can be typed.
func (c togetherPane) linePrompt(say wording.Words) string {
	if c.seat != nil {
		return say.T("Write to %s.", c.other(say))
	}
	return say.T("Who is to look at this with you? Type a name.")
}

// togetherWords are the words of the last line in a window where the panel doesn't stand beside the board.
func (s status) togetherWords() statusWords {
	if newest := s.together.newest(s.env.Say); newest != "" {
		return statusWords{s.env.Theme.Plain, "", newest}
	}
	return statusWords{s.env.Theme.Accent, "", s.together.state(s.env.Say)}
}
