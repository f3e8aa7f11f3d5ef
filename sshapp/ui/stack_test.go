package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/screen"
)

// An echoing screen answers each message with itself, twice.
type echoing struct {
	screen.Reader
	got []tea.Msg
}

func (e echoing) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	e.got = append(e.got, msg)
	say := func() tea.Msg { return msg }
	return e, tea.Batch(say, say)
}

// TestStackAddressesAnswers: the answers of a screen's Cmd bear its address, wherever in the stack it is by then.
func TestStackAddressesAnswers(t *testing.T) {
	var s stack
	s.add(echoing{})
	id := s.slots[0].id
	cmd := s.send(0, "a message")
	s.add(echoing{})
	if at, ok := s.find(id); at != 0 || !ok {
		t.Errorf("the lower screen is at %d, %v, want 0", at, ok)
	}
	batch, ok := cmd().(tea.BatchMsg)
	if !ok || len(batch) != 2 {
		t.Fatalf("the answer is %v, want a batch of two", batch)
	}
	for _, c := range batch {
		if got, want := c(), (screen.Answer{To: id, Msg: "a message"}); got != tea.Msg(want) {
			t.Errorf("the answer is %v, want %v", got, want)
		}
	}
	if got := s.slots[0].screen.(echoing).got; len(got) != 1 {
		t.Errorf("the screen has taken %v, want one message", got)
	}
	s.cut(0)
	if _, ok := s.find(id); ok || s.top() != nil {
		t.Error("the screen is there after it was dropped")
	}
	if s.add(echoing{}); s.slots[0].id == id {
		t.Error("a later screen has the address of one that is gone")
	}
}

// TestStackMakesRoom: a full stack loses the screen right above the lowest, which is closed.
func TestStackMakesRoom(t *testing.T) {
	var s stack
	closed := 0
	for range maxStack {
		s.makeRoom()
		s.add(counted{closed: &closed})
	}
	if closed != 0 {
		t.Fatalf("%d screens are closed before the stack is full", closed)
	}
	lowest, second := s.slots[0].id, s.slots[1].id
	s.makeRoom()
	if _, there := s.find(second); there || closed != 1 || s.slots[0].id != lowest || len(s.slots) != maxStack-1 {
		t.Errorf("%d screens are closed and %d left, with the second: %v", closed, len(s.slots), there)
	}
}
