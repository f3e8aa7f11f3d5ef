package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/screen"
)

// A listFeed sends the lobby's newest lists to the screen on top, if it wants them. Only then does it wait for newer ones.
type listFeed struct {
	env       *screen.Env
	screens   *stack
	note      *note
	newest    screen.ListsMsg
	listening bool // a call of Directory.Next is on its way
}

// nextListsMsg is the answer of Directory.Next.
type nextListsMsg struct {
	who   lobby.User
	lists screen.ListsMsg
	err   error
}

// send sends the lists to the screen on top if it wants them, and waits for newer ones.
func (f *listFeed) send() tea.Cmd {
	if _, ok := f.screens.top().(screen.ListSubscriber); !ok {
		return nil
	}
	if f.newest.Lists == nil {
		return f.await(0)
	}
	return tea.Batch(f.screens.send(f.screens.last(), f.newest), f.await(f.newest.Lists.Seq))
}

// await waits for lists that are newer than after, unless it waits already.
func (f *listFeed) await(after uint64) tea.Cmd {
	if f.listening {
		return nil
	}
	f.listening = true
	l, ctx, who := f.env.Lobby, f.env.Ctx, f.env.Who
	return func() tea.Msg {
		lists, err := l.Next(ctx, who, after)
		if err != nil {
			return nextListsMsg{who: who, err: err}
		}
		return nextListsMsg{who: who, lists: screen.ListsMsg{Lists: lists, Yours: lists.Yours}}
	}
}

// take sends the lists of an answer on, unless the session has another user since.
func (f *listFeed) take(msg nextListsMsg) tea.Cmd {
	f.listening = false
	switch {
	case msg.who != f.env.Who:
	case msg.err != nil:
		if f.env.Ctx.Err() == nil {
			f.note.set(f.env.Say.Error(msg.err))
		}
		return nil // it would fail again; the next screen that wants lists asks anew
	default:
		f.newest = msg.lists
	}
	return f.send()
}
