package review

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/storage"
)

// TestNotes: a note is written on the position of the match that is on the board, shown there alone, changed and removed. The other player has none.
func TestNotes(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.ready()
		l.Keys("left", "w")
		l.Sees("Write a note here; nobody else sees it.", "enter", "keep the note")
		l.Keys("too late: q", "left", "right", "enter")
		l.Sees("Your note: too late: q", "move 6 of 7")
		l.Keys("left")
		l.Misses("Your note")
		l.Keys("right", "w", "!", "esc")
		l.Sees("Your note: too late: q")
		l.Misses("q!")
		l.Keys("w", "!", "enter", "b")
		l.Misses("Your note") // in a variation
		l.Keys("esc")
		l.Sees("Your note: too late: q!")
		if notes, err := l.Club.Studies.Notes(t.Context(), l.Rui, l.Ref.ID); err != nil || len(notes) > 0 {
			t.Errorf("the other player has %v, %v", notes, err)
		}
		l.Keys("w", "ctrl+u", "enter")
		l.Misses("Your note")
		if notes, err := l.Club.Studies.Notes(t.Context(), l.Ana, l.Ref.ID); err != nil || len(notes) > 0 {
			t.Errorf("after the note was removed: %v, %v", notes, err)
		}
	})
}

// TestNotesTakeAllInput: what is typed or pasted while a note is written is text alone, without control characters, and no more than fits.
func TestNotesTakeAllInput(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Keys("left", "w", "ngfabm?")
		l.Send(tea.PasteMsg{Content: "\x1b[2J\u202e" + strings.Repeat("x", 1000)})
		l.Send(tea.MouseClickMsg{X: 20, Y: 8, Button: tea.MouseLeft})
		l.Send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		l.Keys("enter")
		l.Sees("move 6 of 7", "Your note:", "ngfabm?")
		notes, err := l.Club.Studies.Notes(t.Context(), l.Ana, l.Ref.ID)
		if err != nil || len(notes) != 1 || len(notes[0].Text) != 280 || !strings.HasPrefix(notes[0].Text, "ngfabm?[2Jxx") || notes[0].Ply != 6 {
			t.Errorf("kept %v, %v", notes, err)
		}
	})
}

// TestNoteRefused: a note that can't be kept says why, and stays to be changed. Guests and spectators of a running match have none.
func TestNoteRefused(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.ready()
		l.Keys("left", "w", "late", "enter")
		s := l.App.Top().(reviewScreen)
		next, _ := s.Update(notesMsg{err: lobby.ErrManyNotes})
		if r := next.(reviewScreen); r.Input.Problem == "" || len(r.notes.notes) != 1 {
			t.Errorf("after a refusal: %q, notes %v", r.Input.Problem, r.notes.notes)
		}
		s.notes = s.notes.edit(s.at)
		s.notes.sending = true
		next, _ = s.Update(notesMsg{err: lobby.ErrManyNotes})
		if r := next.(reviewScreen); !r.notes.typing || r.notes.entry.Text != "late" || r.notes.sending {
			t.Errorf("a refused note: typing %v, %q", r.notes.typing, r.notes.entry.Text)
		}
		guest := *s.env
		guest.Who = lobby.User{Kind: storage.Guest, ID: "g1"}
		running := *s.view
		running.Over = false
		if mayNote(&guest, s.view) || mayNote(s.env, &running) || !mayNote(s.env, s.view) {
			t.Error("notes are for players, on finished matches")
		}
	})
}
