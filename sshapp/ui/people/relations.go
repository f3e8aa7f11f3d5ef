package people

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	relationstore "ludoteca/storage/relations"
)

// A relations screen lists the players that the session's player follows and blocks. Followed players who are here come first. The store
// bounds both lists.
type relations struct {
	env    *screen.Env
	size   tea.WindowSizeMsg
	tab    int // a place in relationTabs
	lists  [len(relationTabs)][]lobby.Related
	loaded bool
	busy   bool // a request about a player is on its way
	asked  int  // number of the newest question to the lobby; answers to older ones are dropped
	list   widget.List
}

var relationTabs = [...]relationstore.Kind{lobby.Following, lobby.Blocked}

// A relationsMsg holds both lists. After a request about a player it has words for a note.
type relationsMsg struct {
	number int
	words  string
	lists  [len(relationTabs)][]lobby.Related
	err    error
}

// NewRelations returns the lists of the players that the session's player follows and blocks.
func NewRelations(e *screen.Env) screen.Screen { return relations{env: e} }

func (s relations) isGuest() bool { return !s.env.Who.Kind.HasAccount() }

// Init asks for the lists. Guests have none.
func (s relations) Init() tea.Cmd {
	if s.isGuest() {
		return nil
	}
	return s.load(func() (string, error) { return "", nil })
}

// load does something first, and asks for the lists then.
func (s relations) load(first func() (words string, err error)) tea.Cmd {
	l, ctx, who, number := s.env.Lobby, s.env.Ctx, s.env.Who, s.asked
	return func() tea.Msg {
		msg := relationsMsg{number: number}
		if msg.words, msg.err = first(); msg.err != nil {
			return msg
		}
		for i, kind := range relationTabs {
			if msg.lists[i], msg.err = l.Related(ctx, who, kind); msg.err != nil {
				return msg
			}
		}
		slices.SortStableFunc(msg.lists[0], func(a, b lobby.Related) int {
			switch {
			case a.Online == b.Online:
				return 0
			case a.Online:
				return -1
			}
			return 1
		})
		return msg
	}
}

func (s relations) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	n := len(s.shown())
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.columns().Room())
	case relationsMsg:
		return s.setLists(msg)
	case screen.TickMsg:
		if msg.Number == s.asked {
			return s.refresh()
		}
	case screen.ResumedMsg:
		return s.refresh()
	case tea.MouseMsg:
		was := s.list
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, n); clicked && was.At == s.list.At {
			return s.profile()
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &relationsKeys, msg)
	}
	return s, nil
}

// refresh asks for the lists again: who is here changes.
func (s relations) refresh() (screen.Screen, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.asked++
	return s, s.Init()
}

// setLists shows new lists, with the cursor on its player as long as they are there.
func (s relations) setLists(msg relationsMsg) (screen.Screen, tea.Cmd) {
	if msg.number != s.asked {
		return s, nil
	}
	s.busy = false
	again := screen.After(s.env.Ctx, awayTick, screen.TickMsg{Number: s.asked})
	if msg.err != nil {
		return s, tea.Batch(again, screen.Note(s.env.Say.Error(msg.err)))
	}
	var name string
	if at := s.chosen(); at != nil {
		name = at.Name
	}
	s.lists, s.loaded = msg.lists, true
	if at := slices.IndexFunc(s.shown(), func(r lobby.Related) bool { return r.Name == name }); at >= 0 {
		s.list.At = at
	}
	s.list = s.list.Fit(len(s.shown()), s.columns().Room())
	if msg.words != "" {
		again = tea.Batch(again, screen.Note(msg.words))
	}
	return s, again
}

// shown returns the list that is shown.
func (s relations) shown() []lobby.Related { return s.lists[s.tab] }

// chosen returns the player under the cursor, or nil if there is none.
func (s relations) chosen() *lobby.Related {
	if all := s.shown(); s.list.At < len(all) {
		return &all[s.list.At]
	}
	return nil
}

var relationsKeys = widget.Actions[relations]{
	Footer: []widget.Action[relations]{
		widget.On("enter", text.T("profile"), relations.profile, "enter").When(relations.hasChosen),
		widget.On("f", text.T("unfollow"), relations.takeOff, "f").When(relations.follows),
		widget.On("b", text.T("unblock"), relations.takeOff, "b").When(relations.blocks),
		widget.Typed[relations]("esc", text.T("back")), // App's key, named here to stand before what is needed less
		widget.On("c", text.T("challenge"), relations.challenge, "c").When(relations.follows),
		widget.OnKey("tab", text.T("other list"), relations.change, "tab", "right", "shift+tab", "left").When(relations.hasLists),
	},
	Others: widget.JumpKeys(relations.move, widget.ArrowKeys(relations.move)),
}

func (s relations) hasLists() bool  { return !s.isGuest() }
func (s relations) hasChosen() bool { return s.chosen() != nil }
func (s relations) follows() bool   { return s.hasChosen() && relationTabs[s.tab] == lobby.Following }
func (s relations) blocks() bool    { return s.hasChosen() && relationTabs[s.tab] == lobby.Blocked }

func (s relations) move(msg tea.KeyPressMsg) (relations, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.shown()), s.columns().Room())
	return s, nil
}

func (s relations) change(msg tea.KeyPressMsg) (relations, tea.Cmd) {
	s.tab, s.list = widget.Cycle(s.tab, len(relationTabs), msg.String()), widget.List{}
	return s, nil
}

func (s relations) profile() (relations, tea.Cmd) {
	return s, screen.Push(newProfile(s.env, s.chosen().Name))
}

func (s relations) challenge() (relations, tea.Cmd) {
	return s, screen.Push(newmatch.NewChallenge(s.env, s.chosen().Name))
}

// takeOff takes the player under the cursor off the list.
func (s relations) takeOff() (relations, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	s.asked++
	l, ctx, who, say, name, kind := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Say, s.chosen().Name, relationTabs[s.tab]
	return s, s.load(func() (string, error) {
		shown, err := l.Relate(ctx, who, kind, name, false)
		return say.Related(kind, shown, false), err
	})
}

// firstRelation is the line of the first player, below the tabs and the mark for what is above.
const firstRelation = widget.FirstLine + 2

// columns returns where the lines stand.
func (s relations) columns() widget.Columns {
	return widget.NewColumns(s.size, firstRelation, 0, len(s.shown()))
}

// hereCells is the width of the column that says who is here.
const hereCells = 12

func (s relations) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say, room := s.env.Theme, s.env.Say, min(area.Dx()-2*widget.MenuColumn, widget.Readable)
	p.Down(widget.FirstLine)
	if s.isGuest() {
		p.Wrap(widget.MenuColumn, t.Accent, say.T("Guests follow and block nobody. With a key you are told when players whom you follow come in, and those whom you block can neither write to you nor challenge you."), room)
		return
	}
	if !s.loaded {
		return
	}
	widget.DrawTabs(&p, t, []string{say.T("you follow (%d)", len(s.lists[0])), say.T("you block (%d)", len(s.lists[1]))}, s.tab)
	if len(s.shown()) == 0 {
		words := say.T("You follow nobody. F on a profile, or under Players here, begins it: then you are told when they come in.")
		if relationTabs[s.tab] == lobby.Blocked {
			words = say.T("You block nobody. B on a profile begins it: no chat, no challenges and no pairing between you.")
		}
		p.End()
		p.Wrap(widget.MenuColumn, t.Dim, words, room)
		return
	}
	s.columns().Draw(&p, t, s.list, len(s.shown()), func(p *widget.Page, i int, y canvas.Style) {
		one := s.shown()[i]
		p.Field(y, say.Name(one.Name), hereNameCells)
		if relationTabs[s.tab] == lobby.Following {
			here := ""
			if one.Online {
				here = say.T("here")
			}
			p.Field(y, here, hereCells)
		}
		if p.Width >= widget.BothColumns {
			p.Put(t.Dim, say.T("since %s", say.Date(one.Since)))
		}
	})
}

func (s relations) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Those whom you follow, who is here first, and those whom you block. Nobody is told of either."),
		say.T("Enter shows the profile of the player under the cursor, c challenges them. F or b takes them off the list; the same key on the profile puts them back."),
	)
}

func (s relations) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("followed and blocked")
}
func (s relations) Status() string { return s.env.Who.Name }

func (s relations) ShortHelp() []key.Binding  { return relationsKeys.ShortHelp(s) }
func (s relations) FullHelp() [][]key.Binding { return relationsKeys.FullHelp(s) }
func (s relations) Typing() bool              { return false }
