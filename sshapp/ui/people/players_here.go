package people

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// playersHere lists the users who are here and what they do. The cursor stays on its user, who stays in the list after leaving for as long as
// the cursor is on them.
//
// The lobby makes the list only while a session waits for it. So the screen asks for the next list by a tick, which App drops while the
// screen is covered.
type playersHere struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	next    func(after uint64) tea.Cmd // waits for a list newer than that with a number
	stop    context.CancelFunc         // ends the wait
	who     *lists.Who                 // nil until the first list has come
	waiting bool                       // for the next list
	ticks   int                        // number of the newest TickMsg
	busy    bool                       // a request about a player is on its way

	list   widget.List
	gone   *lists.Present // has left, with the cursor on them; nil: none
	goneAt int            // their line
}

type whoMsg struct {
	who *lists.Who
	err error
}

// A followedMsg is the answer to a request to follow or unfollow a player: words for a note.
type followedMsg struct {
	words string
	err   error
}

// NewPlayersHere returns the list of the users who are here.
func NewPlayersHere(e *screen.Env) screen.Screen {
	ctx, stop := context.WithCancel(e.Ctx)
	l, who := e.Lobby, e.Who
	next := func(after uint64) tea.Cmd {
		return func() tea.Msg {
			list, err := l.NextWho(ctx, who, after)
			return whoMsg{list, err}
		}
	}
	return playersHere{env: e, next: next, stop: stop, waiting: true}
}

func (s playersHere) Init() tea.Cmd { return s.next(0) }

// Close ends the wait for the next list.
func (s playersHere) Close() { s.stop() }

// The intervals at which the list is redrawn: while clocks run in it, and otherwise.
const (
	clockTick = time.Second
	awayTick  = 30 * time.Second
)

// tick asks for the next list, if the screen doesn't wait for one, and has the times drawn again.
func (s playersHere) tick() (playersHere, tea.Cmd) {
	var next tea.Cmd
	if !s.waiting && s.who != nil {
		s.waiting, next = true, s.next(s.who.Seq)
	}
	wait := awayTick
	for i := range s.len() {
		if p := s.at(i); p.Clock.Shown && p.Clock.Running {
			wait = clockTick
			break
		}
	}
	s.ticks++
	return s, tea.Batch(next, screen.After(s.env.Ctx, wait, screen.TickMsg{Number: s.ticks}))
}

func (s playersHere) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	n := s.len()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.columns().Room())
	case whoMsg:
		s.waiting = false
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s = s.update(msg.who)
		s.ticks++
		return s, screen.After(s.env.Ctx, clockTick, screen.TickMsg{Number: s.ticks})
	case screen.TickMsg:
		if msg.Number == s.ticks {
			return s.tick()
		}
	case screen.ResumedMsg:
		return s.tick()
	case followedMsg:
		s.busy = false
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		return s, screen.Note(msg.words)
	case tea.MouseMsg:
		was := s.list
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, n); clicked && was.At == s.list.At && s.canChallenge() {
			return s.challenge()
		}
		return s.moved(), nil
	case tea.KeyPressMsg:
		return screen.Press(s, &playersHereKeys, msg)
	}
	return s, nil
}

// update takes a new list. The cursor stays on its person, on the same line of the window if that can be.
func (s playersHere) update(who *lists.Who) playersHere {
	first := s.who == nil
	at := s.chosen()
	s.who, s.gone = who, nil
	if first || at == nil {
		if first && s.len() > 1 && s.isOwn(s.at(0)) {
			s.list.At = 1 // there is more to do with others
		}
		s.list = s.list.Fit(s.len(), s.columns().Room())
		return s
	}
	place := -1
	for i := range who.Here {
		if p := &who.Here[i]; p.Kind == at.Kind && p.ID == at.ID {
			place = i
		}
	}
	if place < 0 {
		place = min(s.list.At, len(who.Here))
		s.gone, s.goneAt = at, place
	}
	s.list = s.list.Shift(place-s.list.At, s.len(), s.columns().Room())
	return s
}

// moved takes the one who has left out of the list, once the cursor is elsewhere.
func (s playersHere) moved() playersHere {
	if s.gone == nil || s.list.At == s.goneAt {
		return s
	}
	if s.list.At > s.goneAt {
		s.list.At--
	}
	s.gone = nil
	s.list = s.list.Fit(s.len(), s.columns().Room())
	return s
}

// len returns how many lines the list has.
func (s playersHere) len() int {
	switch {
	case s.who == nil:
		return 0
	case s.gone != nil:
		return len(s.who.Here) + 1
	}
	return len(s.who.Here)
}

// at returns who is on a line.
func (s playersHere) at(i int) *lists.Present {
	switch {
	case s.gone != nil && i == s.goneAt:
		return s.gone
	case s.gone != nil && i > s.goneAt:
		i--
	}
	return &s.who.Here[i]
}

// chosen returns the user under the cursor, or nil if there is none.
func (s playersHere) chosen() *lists.Present {
	if s.list.At >= s.len() {
		return nil
	}
	return s.at(s.list.At)
}

var playersHereKeys = widget.Actions[playersHere]{
	Footer: []widget.Action[playersHere]{
		widget.On("enter", text.T("challenge"), playersHere.challenge, "enter").When(playersHere.canChallenge),
		widget.On("f", text.T("follow"), playersHere.follow, "f").When(playersHere.canFollow).Doing(playersHere.followWhat),
		widget.On("w", text.T("watch"), playersHere.watch, "w").When(playersHere.canWatch),
		widget.On("p", text.T("profile"), playersHere.profile, "p").When(playersHere.hasProfile),
		widget.Typed[playersHere]("esc", text.T("back")), // App's key, named here to stand before what is needed less
		widget.On("y", text.T("your lists"), playersHere.relations, "y"),
	},
	Others: widget.JumpKeys(playersHere.move, widget.ArrowKeys(playersHere.move)),
}

func (s playersHere) move(msg tea.KeyPressMsg) (playersHere, tea.Cmd) {
	s.list = s.list.Key(msg.String(), s.len(), s.columns().Room())
	return s.moved(), nil
}

// isOwn reports whether p is the session's player.
func (s playersHere) isOwn(p *lists.Present) bool {
	return s.env.Is(storage.Occupant{Kind: p.Kind, ID: p.ID})
}

// canChallenge reports whether the user under the cursor can be challenged. A guest who has left can't.
func (s playersHere) canChallenge() bool {
	p := s.chosen()
	return p != nil && !s.isOwn(p) && (p != s.gone || p.Kind.HasAccount())
}

func (s playersHere) challenge() (playersHere, tea.Cmd) {
	return s, screen.Push(newmatch.NewChallenge(s.env, s.chosen().Name))
}

func (s playersHere) hasProfile() bool {
	p := s.chosen()
	return p != nil && p.Kind.HasAccount()
}

func (s playersHere) profile() (playersHere, tea.Cmd) {
	return s, screen.Push(newProfile(s.env, s.chosen().Name))
}

// relations shows the players that the session's player follows and blocks.
func (s playersHere) relations() (playersHere, tea.Cmd) {
	return s, screen.Push(NewRelations(s.env))
}

func (s playersHere) canWatch() bool {
	p := s.chosen()
	return p != nil && p.Match != ""
}

func (s playersHere) watch() (playersHere, tea.Cmd) {
	return s, screen.ShowMatch(lobby.Ref{ID: s.chosen().Match})
}

func (s playersHere) canFollow() bool {
	p := s.chosen()
	return p != nil && p.Kind.HasAccount() && s.env.Who.Kind.HasAccount() && !s.isOwn(p)
}

// followWhat says in English what f does now.
func (s playersHere) followWhat() string {
	if s.chosen().Followed {
		return text.T("unfollow")
	}
	return text.T("follow")
}

// follow follows or unfollows the player under the cursor. The next list shows the change.
func (s playersHere) follow() (playersHere, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	l, ctx, who, say, name, on := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Say, s.chosen().Name, !s.chosen().Followed
	return s, func() tea.Msg {
		shown, err := l.Relate(ctx, who, lobby.Following, name, on)
		return followedMsg{say.Related(lobby.Following, shown, on), err}
	}
}

// columns returns where the lines stand: there are marks above and below them, and a remark at the end.
func (s playersHere) columns() widget.Columns {
	return widget.NewColumns(s.size, widget.FirstLine+1, remarkLines, s.len())
}

const remarkLines = 3

// The columns of the list, in cells. A narrow window has no room for ratings and long names: they stand in the remark about the one under
// the cursor.
const (
	followCells     = 2
	hereNameCells   = 21
	narrowNameCells = 12
)

func (s playersHere) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t := s.env.Theme
	p.Down(widget.FirstLine)
	if s.who == nil {
		return
	}
	wide := p.Width >= widget.BothColumns
	s.columns().Draw(&p, t, s.list, s.len(), func(p *widget.Page, i int, y canvas.Style) {
		one := s.at(i)
		mark := ""
		if one.Followed {
			mark = "*"
		}
		if one == s.gone {
			y = t.Removed
		}
		occupant := storage.Occupant{Kind: one.Kind, Name: one.Name}
		p.Field(y, mark, followCells)
		if wide {
			p.Field(y, describe.OccupantIn(s.env, occupant, hereNameCells-1), hereNameCells)
			p.Field(y, s.game(one), describe.GameCells)
			p.Number(y, s.rating(one), describe.RatingCells-2).To(p.At + 2)
		} else {
			p.Field(y, describe.OccupantIn(s.env, occupant, narrowNameCells-1), narrowNameCells)
		}
		p.Put(y, s.doing(one))
	})
	s.drawRemark(&p, wide)
}

// drawRemark says below the list what it has no room for.
func (s playersHere) drawRemark(p *widget.Page, wide bool) {
	t, say := s.env.Theme, s.env.Say
	if one := s.chosen(); !wide && one != nil {
		words := say.Occupant(storage.Occupant{Kind: one.Kind, Name: one.Name})
		if one.Strength.Known {
			words += ", " + s.game(one) + " " + s.rating(one)
		}
		p.Wrap(widget.MenuColumn, t.Dim, words+t.Dot+s.doing(one), p.Width-2*widget.MenuColumn)
	}
	switch more := s.who.Count - len(s.who.Here); {
	case more > 0:
		p.Line(widget.MenuColumn, t.Dim, say.N(more, "One more is here. A challenge by name finds them.", "%d more are here. A challenge by name finds them."))
	case s.who.Count <= 1 && s.gone == nil:
		p.Line(widget.MenuColumn, t.Dim, say.T("Nobody else is here just now."))
	}
}

// doing returns a user's activity in words, and until when they are on vacation.
func (s playersHere) doing(p *lists.Present) string {
	if p == s.gone {
		return s.env.Say.T("gone")
	}
	words := s.env.Say.Presence().Doing(*p, describe.GameName(s.env, p.Game), s.env.Now())
	if !p.Kind.HasAccount() {
		return words
	}
	if away := s.env.Say.OnVacation(s.env.Lobby.Vacations.Until(storage.PlayerID(p.ID))); away != "" {
		words += ", " + away
	}
	return words
}

// game returns the name of the game in which a player has a rating; "" for none.
func (s playersHere) game(p *lists.Present) string {
	if !p.Strength.Known {
		return ""
	}
	return describe.GameName(s.env, p.Game)
}

func (s playersHere) rating(p *lists.Present) string {
	if !p.Strength.Known {
		return ""
	}
	return describe.Rated(p.Strength.Rating, p.Strength.Provisional)
}

func (s playersHere) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Everybody who is here, with the rating in the game that they play, or else have played most. Those whom you follow come first, marked with a star."),
		say.T("Enter challenges the player under the cursor, w watches their match, p shows their profile, and f follows them: then you are told when they come."),
		say.T("Y shows all whom you follow, and whom you block."),
		say.T("Guests play casual matches."),
	)
}

func (s playersHere) Title() string {
	say, dot := s.env.Say, s.env.Theme.Dot
	if s.who == nil {
		return s.env.Greeting.Name() + dot + say.T("players here")
	}
	return s.env.Greeting.Name() + dot + say.T("players here (%d)", s.who.Count)
}

func (s playersHere) Status() string { return s.env.Who.Name }

func (s playersHere) ShortHelp() []key.Binding  { return playersHereKeys.ShortHelp(s) }
func (s playersHere) FullHelp() [][]key.Binding { return playersHereKeys.FullHelp(s) }
func (s playersHere) Typing() bool              { return false }
