package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// An appKeys holds the keys that work on every screen now, beside the keys of the screen on top.
type appKeys struct {
	letters key.Binding // hjkl stand for the arrow keys where nothing is typed
	hide    key.Binding // the announcement, or a challenge
	accept  key.Binding // a challenge
	decline key.Binding
	call    key.Binding // the quick match to which the player is called
	join    key.Binding // a review that another person leads
	reply   key.Binding // to a line of another player
	back    key.Binding
	help    key.Binding
	redraw  key.Binding
	next    key.Binding // the next match that waits
	event   key.Binding // the page of the event
	leave   key.Binding

	top     screen.Screen
	onHelp  bool // the help page is on top
	leaving bool // whether to leave is asked
	backing bool // whether to go back is asked

	announced bool // hide is about an announcement
}

// arrows are the keys that the letters stand for.
var arrows = map[string]rune{"h": tea.KeyLeft, "j": tea.KeyDown, "k": tea.KeyUp, "l": tea.KeyRight}

// The keys that work on every screen.
var (
	keyLetters    = widget.Bind(text.T("arrows, hjkl"), text.T("move, where nothing is typed"), "h", "j", "k", "l")
	keyCloseQ     = widget.Bind("esc", text.T("back"), "esc", "q") // of the help
	keyBack       = widget.Bind("esc", text.T("back"), "esc")
	keyHelp       = widget.Bind("?", text.T("help"), "?")
	keyCloseHelp  = widget.Bind("?", text.T("close"), "?")
	keyRedraw     = widget.Bind("ctrl+l", text.T("draw the screen again"), "ctrl+l")
	keyLeave      = widget.Bind("ctrl+c", text.T("leave"), "ctrl+c")
	keyLeaveFree  = widget.Bind("q", text.T("leave"), "q", "ctrl+c")      // where nothing is typed
	keyLeaveAsked = widget.Bind("ctrl+c", text.T("leave"), "q", "ctrl+c") // a second time
)

// keys returns the keys that work now.
func (a *App) keys() appKeys {
	top := a.nav.screens.top()
	free := !top.Typing()
	help := screen.IsHelp(top) // which q closes, as pagers do; elsewhere it leaves
	accept, decline := a.notices.challenge.keys()
	onTop, _ := a.nav.screens.match()
	k := appKeys{
		accept: accept, decline: decline, call: a.notices.call.key(), join: a.notices.invitation.key(), reply: a.notices.told.key(),
		top: top, onHelp: help, leaving: a.note.asks == leaveQuestion, backing: a.note.asks == backQuestion,
		letters: widget.When(free, keyLetters),
		hide:    widget.When(a.notices.canHide() && !handlesEsc(top), keyHide), announced: a.notices.announcement.words != "",
		back:   widget.When(len(a.nav.screens.slots) > 1, keyBack),
		help:   widget.When(free, keyHelp),
		redraw: keyRedraw,
		next:   a.waiting.key(onTop),
		event:  a.eventKey(),
		leave:  keyLeave,
	}
	if k.call.Enabled() { // which has the same key
		k.join = widget.When(false, k.join)
	}
	switch {
	case free && help:
		k.back = keyCloseQ
	case free && k.leaving:
		k.leave = keyLeaveAsked
	case free:
		k.leave = keyLeaveFree
	}
	if k.onHelp {
		k.help = widget.When(free, keyCloseHelp)
	}
	return k
}

// ShortHelp returns the bindings of the footer.
func (k appKeys) ShortHelp() []key.Binding { return k.appendFooter(nil) }

// appendFooter appends the keys of the footer to all. It names the way out of the session only where there is no way back.
func (k appKeys) appendFooter(all []key.Binding) []key.Binding {
	if k.leaving {
		return append(all, k.leave, renamed(k.back, "esc", text.T("play on")))
	}
	if k.backing {
		return append(all, k.back)
	}
	out := k.back
	if !out.Enabled() {
		out = k.leave
	}
	return widget.AppendShown(all, []key.Binding{widget.When(k.announced, k.hide), widget.When(k.ofEvent(), k.event)}, k.top.ShortHelp(), []key.Binding{k.help, out})
}

// ofEvent reports whether the board of a match of an event is on top that is over: the event goes on.
func (k appKeys) ofEvent() bool {
	b, ok := k.top.(screen.EventBoard)
	m, isMatch := k.top.(screen.MatchScreen)
	return ok && isMatch && m.Ended() && b.EventBoard().ID != ""
}

// FullHelp returns the bindings of the help page: the keys of the footer's screen, then all others.
func (k appKeys) FullHelp() [][]key.Binding {
	groups := k.top.FullHelp()
	var own []key.Binding
	if len(groups) > 0 {
		own = widget.Shown(groups[0])
	}
	back, leave := "esc", "ctrl+c"
	if len(k.back.Keys()) > 1 {
		back = "esc, q"
	}
	if len(k.leave.Keys()) > 1 {
		leave = "q, ctrl+c"
	}
	others := [][]key.Binding{own, {k.letters}}
	others = append(others, groups[min(1, len(groups)):]...)
	others = append(others, []key.Binding{
		k.call, k.accept, k.decline, k.join, k.reply,
		renamed(k.back, back, text.T("back")), renamed(k.help, "?", text.T("help for this screen")), k.next, k.event, k.redraw,
		renamed(k.leave, leave, text.T("leave the club")),
	})
	return [][]key.Binding{own, widget.Shown(others...)[len(own):]}
}

// renamed returns b with another name and description.
func renamed(b key.Binding, name, what string) key.Binding {
	b.SetHelp(name, what)
	return b
}

func handlesEsc(s screen.Screen) bool {
	e, ok := s.(screen.EscHandler)
	return ok && e.HandlesEsc()
}

// drawFooter draws as many of the keys that work now as there is room for, whole ones.
func drawFooter(p *widget.Page, e *screen.Env, keys appKeys) {
	t := e.Theme
	p.To(widget.Margin)
	var room [12]key.Binding // for more than any window shows
	for i, k := range keys.appendFooter(room[:0]) {
		name, what := e.Say.T(k.Help().Key), e.Say.T(k.Help().Desc)
		need := text.Width(name) + 1 + text.Width(what)
		if i > 0 {
			need += text.Width(t.Dot)
		}
		if p.At+need > p.Width-widget.Margin {
			break
		}
		if i > 0 {
			p.Put(t.Dim, t.Dot)
		}
		p.Put(t.Bold, name).To(p.At+1).Put(t.Dim, what)
	}
	p.End()
}
