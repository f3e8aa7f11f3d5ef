package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/tells"
)

// Tells is the part of a Store that keeps the lines of players to each other; tells.Store documents the methods.
type Tells interface {
	AddTell(ctx context.Context, from, to tells.Party, friend bool, text string, at time.Time) error
	Tells(ctx context.Context, player storage.PlayerID, after time.Time, evidence bool) ([]tells.Line, error)
	SeeTells(ctx context.Context, player storage.PlayerID, last uint64) error
}

// telling has two players and what tests do with them.
type telling struct {
	t        *testing.T
	s        Store
	ann, bob tells.Party
	at       int // the minute of the last line
}

func newTelling(t *testing.T, s Store) *telling {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	return &telling{t, s, tells.Party{ID: ann.ID, Name: ann.Name}, tells.Party{ID: bob.ID, Name: bob.Name}, 0}
}

// tell has a line written in the next minute.
func (b *telling) tell(from, to tells.Party, text string, want error) {
	b.t.Helper()
	b.at++
	wants(b.t, fmt.Sprintf("%q from %s", text, from.Name), b.s.AddTell(b.t.Context(), from, to, true, text, minute(b.at)), want)
}

// box checks the lines of a player: of each the number, who wrote it, the text, and whether it waits.
func (b *telling) box(what string, of tells.Party, want ...string) {
	b.t.Helper()
	lines, err := b.s.Tells(b.t.Context(), of.ID, time.Time{}, false)
	wants(b.t, what, err, nil)
	var got []string
	for _, l := range lines {
		words := fmt.Sprintf("%d %s: %s", l.Number, l.Name, l.Text)
		if l.Sent {
			words = fmt.Sprintf("%d to %s: %s", l.Number, l.Name, l.Text)
		}
		if l.Waiting {
			words += " (waits)"
		}
		got = append(got, words)
	}
	same(b.t, what, got, want)
}

// toldLines: a line is in the box of both players, waits until the other has seen it, and is kept for tells.Life.
func toldLines(t *testing.T, s Store) {
	b, ctx := newTelling(t, s), t.Context()
	b.box("nothing", b.ann)
	b.tell(b.ann, b.bob, "hello", nil)
	b.tell(b.ann, b.bob, "tea?", nil)
	b.tell(b.bob, b.ann, "yes", nil)
	b.box("of the one", b.ann, "1 to bob: hello", "2 to bob: tea?", "3 bob: yes (waits)")
	b.box("of the other", b.bob, "1 ann: hello (waits)", "2 ann: tea? (waits)", "3 to ann: yes")
	wants(t, "see the first", s.SeeTells(ctx, b.bob.ID, 1), nil)
	b.box("after that", b.bob, "1 ann: hello", "2 ann: tea? (waits)", "3 to ann: yes")
	wants(t, "see all", s.SeeTells(ctx, b.bob.ID, 99), nil)
	wants(t, "see all again", s.SeeTells(ctx, b.bob.ID, 99), nil)
	b.box("after all", b.bob, "1 ann: hello", "2 ann: tea?", "3 to ann: yes")
	lines, err := s.Tells(ctx, b.bob.ID, minute(2), false)
	wants(t, "the newest", err, nil)
	same(t, "the newest", lines, []tells.Line{{Number: 3, At: minute(3), Peer: b.ann.ID, Name: "ann", Sent: true, Text: "yes"}})

	b.tell(b.ann, b.ann, "me", storage.ErrInvalid)
	b.tell(b.ann, b.bob, "", storage.ErrInvalid)
	b.tell(b.ann, b.bob, strings.Repeat("é", 4*tells.MaxRunes), storage.ErrInvalid)
	b.tell(b.ann, tells.Party{ID: "2222222222222222", Name: "eva"}, "hello", storage.ErrNotFound)
	_, err = s.Sweep(ctx, minute(1).Add(tells.Life))
	wants(t, "sweep", err, nil)
	b.box("after the life of the first", b.bob, "2 ann: tea?", "3 to ann: yes")
}

// boundedTells: of one player five lines at most are unanswered, twenty wait, and the box forgets what was read.
func boundedTells(t *testing.T, s Store) {
	b, ctx := newTelling(t, s), t.Context()
	for n := range tells.MaxUnanswered {
		b.tell(b.ann, b.bob, fmt.Sprint(n), nil)
	}
	b.tell(b.ann, b.bob, "one too many", tells.ErrUnanswered)
	wants(t, "see all", s.SeeTells(ctx, b.bob.ID, 99), nil)
	b.tell(b.ann, b.bob, "one too many although they are seen", tells.ErrUnanswered)
	b.tell(b.bob, b.ann, "an answer", nil)
	for n := range tells.MaxUnanswered {
		b.tell(b.ann, b.bob, fmt.Sprint("again ", n), nil)
	}
	waiting := tells.MaxUnanswered
	for n := 0; waiting < tells.MaxWaiting; n++ {
		other := signUp(t, s, fmt.Sprint("other", n))
		for range tells.MaxUnanswered {
			b.tell(tells.Party{ID: other.ID, Name: other.Name}, b.bob, "x", nil)
			waiting++
		}
	}
	eva := signUp(t, s, "eva")
	b.tell(tells.Party{ID: eva.ID, Name: eva.Name}, b.bob, "one too many", tells.ErrManyWaiting)
	wants(t, "see them", s.SeeTells(ctx, b.bob.ID, 99), nil)
	for range tells.MaxKept {
		b.tell(b.bob, b.ann, "x", nil)
		wants(t, "see", s.SeeTells(ctx, b.ann.ID, 9999), nil)
		b.tell(b.ann, b.bob, "y", nil)
		wants(t, "see", s.SeeTells(ctx, b.bob.ID, 9999), nil)
	}
	lines, err := s.Tells(ctx, b.bob.ID, time.Time{}, false)
	wants(t, "a full box", err, nil)
	if len(lines) != tells.MaxKept {
		t.Errorf("a full box has %d lines, want %d", len(lines), tells.MaxKept)
	}
}

// tellsOfStrangers: players whom one doesn't follow fill neither the lines that wait nor the box of that one.
func tellsOfStrangers(t *testing.T, s Store) {
	b, ctx := newTelling(t, s), t.Context()
	b.tell(b.ann, b.bob, "hello", nil)
	b.tell(b.bob, b.ann, "hello to you", nil)
	wants(t, "see it", s.SeeTells(ctx, b.bob.ID, 9999), nil)
	strangers := 0
	flood := func(want int) {
		t.Helper()
		kept := 0
		for range 8 {
			p := signUp(t, s, fmt.Sprint("stranger", strangers))
			strangers++
			for n := range tells.MaxUnanswered {
				b.at++
				err := s.AddTell(ctx, tells.Party{ID: p.ID, Name: p.Name}, b.bob, false, fmt.Sprint(n), minute(b.at))
				switch {
				case err == nil:
					kept++
				case !errors.Is(err, tells.ErrManyWaiting):
					t.Fatal(err)
				}
			}
		}
		if kept != want {
			t.Errorf("%d lines of strangers wait, want %d", kept, want)
		}
	}
	flood(tells.MaxWaiting - tells.ForFriends)
	b.tell(b.ann, b.bob, "tea?", nil)
	for range 2 * tells.MaxKept / (tells.MaxWaiting - tells.ForFriends) {
		wants(t, "see all", s.SeeTells(ctx, b.bob.ID, 9999), nil)
		flood(tells.MaxWaiting - tells.ForFriends)
	}
	lines, err := s.Tells(ctx, b.bob.ID, time.Time{}, false)
	wants(t, "the box", err, nil)
	var of []string
	for _, l := range lines {
		if l.Peer == b.ann.ID {
			of = append(of, l.Text)
		}
	}
	same(t, "the lines of the friend", of, []string{"hello", "hello to you", "tea?"})
}

// deletedTells: who deletes the account takes their box along. Others see no line of theirs any more; reports do for a day.
func deletedTells(t *testing.T, s Store) {
	b, ctx := newTelling(t, s), t.Context()
	b.tell(b.ann, b.bob, "hello", nil)
	b.tell(b.bob, b.ann, "yes?", nil)
	deleted := minute(10)
	_, err := s.DeletePlayer(ctx, b.ann.ID, deleted)
	wants(t, "delete", err, nil)
	b.box("of the deleted", b.ann)
	wants(t, "forget", s.ForgetName(ctx, b.ann.ID), nil)
	b.box("of the other", b.bob)
	evidence, err := s.Tells(ctx, b.bob.ID, time.Time{}, true)
	wants(t, "evidence", err, nil)
	same(t, "evidence", evidence, []tells.Line{{Number: 1, At: minute(1), Peer: b.ann.ID, Name: "ann", Text: "hello", Until: deleted.Add(tells.EvidenceLife)}})
	b.tell(b.bob, b.ann, "are you there?", storage.ErrNotFound)
	_, err = s.Sweep(ctx, deleted.Add(tells.EvidenceLife))
	wants(t, "sweep", err, nil)
	evidence, err = s.Tells(ctx, b.bob.ID, time.Time{}, true)
	wants(t, "a day later", err, nil)
	same(t, "a day later", evidence, []tells.Line(nil))
}

// AddTell implements Tells.
func (m *Memory) AddTell(ctx context.Context, from, to tells.Party, friend bool, text string, at time.Time) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if from.ID == to.ID || text == "" {
		return storage.ErrInvalid
	}
	for _, id := range []storage.PlayerID{from.ID, to.ID} {
		if p, known := m.players[id]; !known || !p.Deleted.IsZero() {
			return storage.ErrNotFound
		}
	}
	waiting, unanswered, most := 0, 0, tells.MaxWaiting
	if !friend {
		most -= tells.ForFriends
	}
	for _, l := range m.tells[to.ID] {
		if l.Waiting {
			waiting++
		}
		if l.Peer == from.ID {
			unanswered++
			if l.Sent {
				unanswered = 0
			}
		}
	}
	switch {
	case unanswered >= tells.MaxUnanswered:
		return tells.ErrUnanswered
	case waiting >= most:
		return tells.ErrManyWaiting
	}
	at = storage.Stored(at)
	m.addTell(to.ID, tells.Line{At: at, Peer: from.ID, Name: from.Name, Text: text, Waiting: true})
	m.addTell(from.ID, tells.Line{At: at, Peer: to.ID, Name: to.Name, Text: text, Sent: true})
	return nil
}

func (m *Memory) addTell(player storage.PlayerID, l tells.Line) {
	box := m.tells[player]
	l.Number = 1
	if len(box) > 0 {
		l.Number = box[len(box)-1].Number + 1
	}
	m.tells[player] = append(box, l)
}

// Tells implements Tells.
func (m *Memory) Tells(ctx context.Context, player storage.PlayerID, after time.Time, _ bool) (lines []tells.Line, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return slices.DeleteFunc(slices.Clone(m.tells[player]), func(l tells.Line) bool { return !l.At.After(after) }), nil
}

// SeeTells implements Tells.
func (m *Memory) SeeTells(ctx context.Context, player storage.PlayerID, last uint64) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for i := range m.tells[player] {
		if l := &m.tells[player][i]; l.Number <= last {
			l.Waiting = false
		}
	}
	return nil
}
