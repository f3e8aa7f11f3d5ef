package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/storage"
)

// greyFor is how long a line that is gone stays in the lists, greyed out.
const greyFor = 2 * time.Second

// lobbyScreen is the first page: what one can do at the left, what is going on at the right.
type lobbyScreen struct {
	env  *env
	size tea.WindowSizeMsg

	right  bool // the lists have the cursor, not the menu
	item   int  // of the menu
	rows   []row
	chosen storage.MatchID // the row with the cursor: it follows its match, wherever that moves
	top    int             // the first line of the lists that is shown

	here    int
	loaded  bool   // lists have come
	sweeps  int    // the number of the last sweep that was set up
	busy    bool   // a seat is being taken: enter waits
	rating  string // the player's own standing, in short
	calling bool   // a match waits for him
}

type (
	sweepMsg    struct{ number int }
	standingMsg struct{ short string }
	tookMsg     struct {
		ref lobby.Ref
		err error
	}
)

func newLobby(e *env) screen { return lobbyScreen{env: e} }

// Lists makes App send listsMsg.
func (s lobbyScreen) Lists() {}

func (s lobbyScreen) Init() tea.Cmd { return s.standing() }

// standing asks for the rating in the game that the player has played most.
func (s lobbyScreen) standing() tea.Cmd {
	club, ctx, who := s.env.club, s.env.ctx, s.env.who
	if who.Player() == "" {
		return nil
	}
	return func() tea.Msg {
		p, err := club.Profile(ctx, who.Name)
		if err != nil {
			return nil // the line is only left out
		}
		best := lobby.Standing{}
		for _, g := range p.Games {
			if g.Played > best.Played {
				best = g
			}
		}
		if g, err := club.Game(best.Game); err == nil && best.Played > 0 {
			return standingMsg{shortName(g) + " " + rated(best.Rating, best.Provisional)}
		}
		return nil
	}
}

func (s lobbyScreen) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case listsMsg:
		return s.update(msg)
	case standingMsg:
		s.rating = msg.short
	case sweepMsg:
		s.rows = swept(s.rows, msg.number, s.held())
	case tookMsg:
		s.busy = false
		if msg.err != nil {
			return s, note(s.env.say.Error(msg.err))
		}
		return s, push(newMatch(s.env, msg.ref.ID))
	case resumedMsg:
		return s, s.standing()
	case tea.MouseWheelMsg:
		s.top += wheel(msg)
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	s.top = s.scrolled(s.top, s.size.Height)
	return s, nil
}

// update takes new lists in: what is new comes at its place, what is gone greys out and goes a little later.
func (s lobbyScreen) update(msg listsMsg) (screen, tea.Cmd) {
	was := s.calling
	s.here = msg.lists.Count
	s.calling = false
	for _, m := range msg.yours.Matches {
		s.calling = s.calling || m.YourTurn
	}
	fresh := rowsOf(s.env, msg)
	if !s.loaded {
		s.rows, s.loaded = fresh, true
		return s, nil
	}
	var cmds []tea.Cmd
	var anyGone bool
	s.rows, anyGone = merged(s.rows, fresh, s.sweeps+1)
	if anyGone {
		s.sweeps++
		cmds = append(cmds, after(s.env.ctx, greyFor, sweepMsg{s.sweeps}))
	}
	if s.calling && !was {
		cmds = append(cmds, bell)
	}
	s.top = s.scrolled(s.top, s.size.Height)
	return s, tea.Batch(cmds...)
}

// after brings msg when the time has passed, unless the session ends before.
func after(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// held is the match whose line must not go, because the cursor stands on it.
func (s lobbyScreen) held() storage.MatchID {
	if s.right {
		return s.chosen
	}
	return ""
}

func (s lobbyScreen) key(msg tea.KeyPressMsg) (screen, tea.Cmd) {
	switch key := msg.String(); key {
	case "tab", "shift+tab", "left", "right":
		to := !s.right
		if key == "left" || key == "right" {
			to = key == "right"
		}
		s = s.turnTo(to)
	case "up", "down", "home", "end", "pgup", "pgdown":
		s = s.move(key)
	case "enter":
		if s.right {
			return s.choose(s.chosen)
		}
		return s, menu[s.item].open(s.env)
	}
	s.top = s.follow(s.size.Height)
	return s, nil
}

// turnTo gives the cursor to a column.
func (s lobbyScreen) turnTo(right bool) lobbyScreen {
	s.right = right
	if right && s.index(s.chosen) < 0 {
		if at := firstMatch(s.rows); at >= 0 {
			s.chosen = s.rows[at].id
		}
	}
	s.rows = swept(s.rows, s.sweeps, s.held())
	return s
}

// move moves the cursor within its column.
func (s lobbyScreen) move(key string) lobbyScreen {
	if !s.right {
		s.item = moved(key, s.item, len(menu), len(menu))
		return s
	}
	var at int
	ids := make([]storage.MatchID, 0, len(s.rows))
	for _, r := range s.rows {
		if r.id != "" {
			if r.id == s.chosen {
				at = len(ids)
			}
			ids = append(ids, r.id)
		}
	}
	if len(ids) > 0 {
		s.chosen = ids[moved(key, at, len(ids), s.size.Height-4)]
	}
	return s
}

// moved returns where a key takes a cursor from place at in a list of n, with pages of the given length.
func moved(key string, at, n, page int) int {
	switch key {
	case "up":
		at--
	case "down":
		at++
	case "pgup":
		at -= max(page, 1)
	case "pgdown":
		at += max(page, 1)
	case "home":
		at = 0
	case "end":
		at = n - 1
	}
	return max(min(at, n-1), 0)
}

// choose does what a line of the lists stands for: goes to the board, or takes the free seat first.
func (s lobbyScreen) choose(id storage.MatchID) (screen, tea.Cmd) {
	at := s.index(id)
	if at < 0 || s.busy {
		return s, nil
	}
	switch r := s.rows[at]; {
	case r.gone && r.seat:
		return s, note(s.env.say.T("This one is gone. Choose another, or open a match yourself."))
	case !r.seat:
		return s, push(newMatch(s.env, id))
	}
	s.busy = true
	club, ctx, who := s.env.club, s.env.ctx, s.env.who
	return s, func() tea.Msg {
		ref, err := club.Take(ctx, who, id)
		return tookMsg{ref, err}
	}
}

// index is the place of a match in the rows, -1 if it has none.
func (s lobbyScreen) index(id storage.MatchID) int {
	for i, r := range s.rows {
		if r.id == id && id != "" {
			return i
		}
	}
	return -1
}

func (s lobbyScreen) Title() string { return "Ludoteca" }

func (s lobbyScreen) Status() string {
	status := s.env.who.Name
	if s.rating != "" {
		status += s.env.theme.dot + s.rating
	}
	if s.loaded {
		status += s.env.theme.dot + s.env.say.T("%d here", s.here)
	}
	return status
}

// Calling is what the window's title says while a match waits.
func (s lobbyScreen) Calling() string {
	if s.calling {
		return s.env.say.T("your move")
	}
	return ""
}

func (s lobbyScreen) Hints() []hint {
	say := s.env.say
	switch {
	case s.size.Width >= bothColumns:
		return []hint{{say.T("arrows"), say.T("move")}, {"enter", say.T("choose")}, {"tab", say.T("other column")}}
	case s.right:
		return []hint{{"enter", say.T("choose")}, {"tab", say.T("menu")}}
	default:
		return []hint{{"enter", say.T("choose")}, {"tab", say.T("lists")}}
	}
}

func (s lobbyScreen) Typing() bool { return false }
