package review

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	studystore "ludoteca/storage/studies"
)

// A notePane holds the user's own notes on the match, and the one that is being written. Nobody else sees them.
type notePane struct {
	notes   []studies.Note // by ply
	known   bool           // they have been read
	typing  bool
	entry   widget.Entry
	sending bool
}

// noteCells is the largest width of a typed note, in cells: a full note of wide characters.
const noteCells = 2 * studystore.MaxRunes

// noteLines is how many lines of a note stand beside the board.
const noteLines = 6

// notesMsg is the user's notes on the match. After one that could not be kept there is only the error.
type notesMsg struct {
	notes []studies.Note
	err   error
}

// read asks for the user's notes on a finished match.
func (n notePane) read(e *screen.Env, v *lobby.View) tea.Cmd {
	if !mayNote(e, v) {
		return nil
	}
	ctx, club, who, id := e.Ctx, e.Lobby, e.Who, v.ID
	return func() tea.Msg {
		notes, err := club.Notes(ctx, who, id)
		return notesMsg{notes, err}
	}
}

// mayNote reports whether a user may have notes on a match.
func mayNote(e *screen.Env, v *lobby.View) bool { return v.Over && e.Who.Kind.HasAccount() }

// at returns the note on a position; "" if there is none.
func (n notePane) at(ply int) string {
	var texts []string
	for _, note := range n.notes {
		if note.Ply == ply {
			texts = append(texts, text.Clean(note.Text))
		}
	}
	return strings.Join(texts, " ") // two accounts that were merged may have one each
}

// edit begins to write the note on a position, with the text that it has.
func (n notePane) edit(ply int) notePane {
	n.typing, n.entry = true, widget.Entry{}.Insert(n.at(ply), noteCells)
	return n
}

// typed takes a key as text of the note, as far as there is room.
func (n notePane) typed(msg tea.KeyPressMsg) notePane {
	entry, _ := n.entry.Typed(msg, noteCells)
	return n.edited(entry)
}

// pasted takes pasted words as text of the note, as far as there is room.
func (n notePane) pasted(words string) notePane {
	for _, r := range words {
		n = n.edited(n.entry.Insert(string(r), noteCells))
	}
	return n
}

func (n notePane) edited(entry widget.Entry) notePane {
	if utf8.RuneCountInString(entry.Text) <= max(studystore.MaxRunes, utf8.RuneCountInString(n.entry.Text)) {
		n.entry = entry
	}
	return n
}

// take takes an answer. A note that could not be kept stays to be changed.
func (n notePane) take(msg notesMsg) notePane {
	if msg.err == nil {
		n.notes, n.known = msg.notes, true
		n.typing = n.typing && !n.sending
	}
	n.sending = false
	return n
}

// add adds the note on a position to the panel beside the board, or its beginning.
func (n notePane) add(e *screen.Env, ply int, on *boardpage.Panel) {
	note := n.at(ply)
	if note == "" {
		return
	}
	on.Gap()
	lines := text.Wrap(e.Say.T("Your note: %s", note), on.Width())
	if len(lines) > noteLines {
		lines = append(lines[:noteLines-1:noteLines-1], text.Cut(strings.Join(lines[noteLines-1:], " "), on.Width()))
	}
	for _, line := range lines {
		on.Line(boardpage.Run{Style: e.Theme.Accent, Text: line})
	}
	on.Gap()
}

// noteKeys are the keys while a note is written.
var noteKeys = widget.Actions[reviewScreen]{Footer: []widget.Action[reviewScreen]{
	widget.On("enter", text.T("keep the note"), keepNote, "enter"),
	widget.On("esc", text.T("cancel"), cancelNote, "esc"),
}}

// canNote reports whether a note can be written on the position of the match that is on the board.
func canNote(s reviewScreen) bool {
	return s.variation == nil && s.notes.known && !s.notes.sending
}

func writeNote(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.notes = s.notes.edit(s.at)
	return s, nil
}

func cancelNote(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.notes.typing = false
	return s, nil
}

// keepNote has the note kept. One without a text is removed.
func keepNote(s reviewScreen) (reviewScreen, tea.Cmd) {
	words := strings.TrimSpace(s.notes.entry.Text)
	switch {
	case s.notes.sending:
		return s, nil
	case words == s.notes.at(s.at):
		return cancelNote(s)
	}
	s.notes.sending = true
	ctx, club, who, v, ply := s.env.Ctx, s.env.Lobby, s.env.Who, s.view, s.at
	return s, func() tea.Msg {
		notes, err := club.WriteNote(ctx, who, v, ply, words)
		return notesMsg{notes, err}
	}
}
