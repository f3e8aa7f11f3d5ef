package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/screen"
)

// A navigator shows screens, leads back from them and gives each the size of its place in the window.
type navigator struct {
	env      *screen.Env
	pages    screen.Pages
	screens  stack // never empty after App.Init
	lists    listFeed
	settings *sessionSettings
	note     *note
	notices  *noticeLines

	window tea.WindowSizeMsg
	fitted int // how many lines of notices there were when the screens got their sizes
}

// layout returns how the window is divided now.
func (n *navigator) layout() layout {
	return layout{
		window:  n.window,
		notices: n.notices.lines(n.window.Width),
		screens: len(n.screens.slots),
		beside:  n.window.Width >= wideHelp && n.screens.helpOfBoard(),
	}
}

// send lets the screen at a place of the stack take a message. Settings that it changes hold from then on.
func (n *navigator) send(at int, msg tea.Msg) tea.Cmd {
	cmd := n.screens.send(at, msg)
	if s, ok := n.screens.slots[at].screen.(screen.SettingsChooser); ok && s.Settings() != n.env.Settings {
		return tea.Batch(cmd, n.settings.choose(s.Settings()))
	}
	return cmd
}

// sendTop lets the screen on top take a message.
func (n *navigator) sendTop(msg tea.Msg) tea.Cmd { return n.send(n.screens.last(), msg) }

// push puts a screen on top. On a full stack, the screen right above the lobby is dropped.
func (n *navigator) push(s screen.Screen) tea.Cmd {
	n.screens.makeRoom()
	var covered tea.Cmd
	if n.screens.top() != nil {
		covered = n.sendTop(screen.CoveredMsg{})
	}
	n.screens.add(s)
	at, l := n.screens.last(), n.layout()
	size := tea.Batch(covered, n.send(at, l.size(at)))
	if l.beside {
		size = tea.Batch(size, n.send(at-1, l.size(at-1)))
	}
	return tea.Batch(size, n.screens.initTop(), n.lists.send())
}

// replace shows a screen instead of the one on top.
func (n *navigator) replace(s screen.Screen) tea.Cmd {
	n.screens.cut(n.screens.last())
	return n.push(s)
}

// back drops the screen on top.
func (n *navigator) back() tea.Cmd { return n.backTo(n.screens.last()) }

// backTo drops all screens but the lowest count.
func (n *navigator) backTo(count int) tea.Cmd {
	beside, at := n.layout().beside, count-1
	n.screens.cut(count)
	n.note.set("")
	var size tea.Cmd
	if l := n.layout(); (beside || l.notices != n.fitted) && !tooSmall(n.window) {
		size = n.send(at, l.size(at))
	}
	return tea.Batch(size, n.send(at, screen.ResumedMsg{}), n.lists.send())
}

// home leads back to the lobby, or to the page on which the player waits for an opponent.
func (n *navigator) home() tea.Cmd {
	if n.screens.last() == 0 {
		return nil
	}
	_, at := n.screens.waiting()
	return n.backTo(at + 1)
}

// showMatch shows the board of a match.
func (n *navigator) showMatch(msg screen.MatchMsg) tea.Cmd {
	if msg.Replace {
		n.screens.cut(n.screens.last())
	}
	return n.push(n.pages.Match(n.env, msg.Ref))
}

// resizeTo takes the new size of the window. The screens hear nothing of one that is too small for them, but the one on top hears that
// it can't be seen.
func (n *navigator) resizeTo(window tea.WindowSizeMsg) tea.Cmd {
	wasSmall := tooSmall(n.window)
	n.window = window
	switch small := tooSmall(window); {
	case small && !wasSmall:
		return n.sendTop(screen.CoveredMsg{})
	case wasSmall && !small:
		return tea.Batch(n.resize(), n.sendTop(screen.ResumedMsg{}))
	}
	return n.resize()
}

// resize tells all screens their size.
func (n *navigator) resize() tea.Cmd {
	if tooSmall(n.window) {
		return nil // the screens stay as they are until there is room again
	}
	l := n.layout()
	n.fitted = l.notices
	cmds := make([]tea.Cmd, 0, len(n.screens.slots))
	for at := range n.screens.slots {
		cmds = append(cmds, n.send(at, l.size(at)))
	}
	return tea.Batch(cmds...)
}

// fit resizes the screens if there are more or fewer lines of notices than when they got their sizes.
func (n *navigator) fit() tea.Cmd {
	if tooSmall(n.window) || n.notices.lines(n.window.Width) == n.fitted {
		return nil
	}
	return n.resize()
}
