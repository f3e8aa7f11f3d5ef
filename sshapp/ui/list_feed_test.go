package ui

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/lists"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// A listReader keeps what it is sent and wants lists.
type listReader struct{ echoing }

func (listReader) WantsLists() {}

func (s listReader) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	s.got = append(s.got, msg)
	return s, nil
}

// TestListFeed: the lists go to a screen on top that wants them, and there is never more than one wait for newer ones.
func TestListFeed(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	e := &screen.Env{Ctx: ctx, Who: uitest.Ana, Lobby: (&uitest.FakeLobby{}).Services()}
	var screens stack
	var n note
	f := listFeed{env: e, screens: &screens, note: &n}
	screens.add(echoing{})
	if f.send() != nil || f.listening {
		t.Error("it waits for lists that no screen wants")
	}
	screens.add(listReader{})
	if f.send() == nil || !f.listening {
		t.Error("it doesn't wait for the first lists")
	}
	if f.send() != nil {
		t.Error("it waits twice")
	}
	first := screen.ListsMsg{Lists: &lists.Lists{Seq: 7}}
	if f.take(nextListsMsg{who: uitest.Ana, lists: first}) == nil {
		t.Error("it doesn't wait for newer lists")
	}
	if got := screens.top().(listReader).got; len(got) != 1 || got[0].(screen.ListsMsg).Lists != first.Lists {
		t.Errorf("the screen got %v, want the lists", got)
	}
	f.take(nextListsMsg{who: uitest.Guest, lists: screen.ListsMsg{Lists: &lists.Lists{Seq: 9}}})
	if f.newest.Lists.Seq != 7 {
		t.Error("it has taken the lists of another user")
	}
	if f.take(nextListsMsg{who: uitest.Ana, err: errors.New("broken")}) != nil || n.words == "" || f.listening {
		t.Errorf("after an error the note is %q, and it waits: %v", n.words, f.listening)
	}
	leave()
	if n.set(""); f.take(nextListsMsg{who: uitest.Ana, err: ctx.Err()}) != nil || n.words != "" {
		t.Errorf("the end of the session says %q", n.words)
	}
}
