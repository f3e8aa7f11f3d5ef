package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// reviewPage is how many moves the page keys go.
const reviewPage = 20

// review steps through a match, move by move: one that is over, or what has been played of one that goes on.
type review struct {
	env  *env
	id   storage.MatchID
	size tea.WindowSizeMsg

	view    *lobby.View // nil until it has come
	reel    *reel
	problem string

	at     int              // after how many moves
	scene  *boardview.Scene // then
	told   string           // what the last of them did
	turned bool             // the player has turned the board round
	scroll boardview.Scroll // of a board that doesn't fit
}

// reelMsg is the match to look at.
type reelMsg struct {
	view *lobby.View
	reel *reel
	err  error
}

// newReview returns the screen that steps through a match.
func newReview(e *env, id storage.MatchID) screen { return review{env: e, id: id} }

func (s review) Init() tea.Cmd {
	club, ctx, who, id := s.env.club, s.env.ctx, s.env.who, s.id
	return func() tea.Msg {
		seat, err := club.At(ctx, who, id)
		if err != nil {
			return reelMsg{err: err}
		}
		v, err := seat.Now(ctx)
		if err != nil {
			return reelMsg{err: err}
		}
		r, err := newReel(v)
		return reelMsg{v, r, err}
	}
}

func (s review) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case reelMsg:
		if msg.err != nil {
			s.problem = s.env.say.Error(msg.err)
			return s, nil
		}
		s.view, s.reel = msg.view, msg.reel
		s = s.step(len(s.view.Moves))
	case tea.MouseWheelMsg:
		s = s.step(s.at + sign(wheel(msg)))
	case tea.KeyPressMsg:
		if s.view != nil {
			s = s.key(msg.String())
		}
	}
	return s, nil
}

func (s review) key(key string) review {
	switch key {
	case "left", "backspace":
		return s.step(s.at - 1)
	case "right", "enter", "space":
		return s.step(s.at + 1)
	case "up":
		return s.step(s.at - 2)
	case "down":
		return s.step(s.at + 2)
	case "pgup":
		return s.step(s.at - reviewPage)
	case "pgdown":
		return s.step(s.at + reviewPage)
	case "home":
		return s.step(0)
	case "end":
		return s.step(len(s.view.Moves))
	case "ctrl+f", "f":
		if can, _ := s.scene.Turns(); can {
			s.turned = !s.turned
		}
	}
	return s
}

// step goes to the board after a number of moves, as far as there are so many.
func (s review) step(at int) review {
	if s.view == nil {
		return s
	}
	at = max(min(at, len(s.view.Moves)), 0)
	if s.scene != nil && at == s.at {
		return s
	}
	var before *boardview.Scene
	s.at = at
	s.scene, before = s.reel.scene(at)
	s.told = ""
	if before != nil {
		s.told = s.tell(before, s.view.Moves[at-1])
	}
	s.scroll = s.spread(s.size.Width, s.size.Height).board.Scroll
	return s
}

// tell says who made a move and what it did.
func (s review) tell(before *boardview.Scene, m games.Move) string {
	words := s.env.say.T("%s plays %s", s.names()[before.Position().Turn()], string(m))
	if what := before.Does(s.env.say, m); what != "" {
		words += ", " + what
	}
	return words
}

func (s review) names() [2]string { return namesOf(s.env, s.view.Game, s.view.Seats) }

// state is what the drawing of the board depends on. Where it doesn't fit, the last move is in view.
func (s review) state() boardview.State {
	return boardview.State{Hand: s.scene.Newest(), Over: true, Scroll: s.scroll,
		Flip: flippedFor(s.scene, s.view, s.env.who) != s.turned}
}

func (s review) spread(w, h int) spread { return spreadOf(s.scene, s.state(), w, h) }

func (s review) View(w, h int) string {
	p := newPage(w, h)
	t, say := s.env.theme, s.env.say
	if s.view == nil {
		p.end()
		p.line(menuColumn, t.dim, say.T("Looking for the match ..."))
		for _, line := range text.Wrap(s.problem, w-2*menuColumn) {
			p.line(menuColumn, t.accent, line)
		}
		return p.String()
	}
	st := s.state()
	sp := spreadOf(s.scene, st, w, h)
	drawSpread(p, sp, s.scene.Draw(lookOf(t), sp.board, st), s.panel(sp))
	p.down(h - footLines(w))
	drawWords(p, t.plain, "", s.told, footLines(w)-1)
	if s.view.Over {
		p.line(margin, t.dim, say.T("As text: ssh ADDRESS record %s", string(s.id)))
	}
	return p.String()
}

// panel is what stands beside the board: the players as they stood then, the end, the moves.
func (s review) panel(sp spread) panel {
	p := panel{width: sp.width, height: sp.height}
	turn := -1
	if !s.scene.Position().Result().Over && s.at < len(s.view.Moves) {
		turn = int(s.scene.Position().Turn())
	}
	drawPlayers(&p, s.env, s.scene, s.names(), strengths(s.env, s.view), turn, sp.beside)
	if s.at == len(s.view.Moves) && s.view.Over {
		drawEnding(&p, s.env, s.view, s.names())
	} else if sp.beside {
		p.gap()
		for _, n := range s.scene.Notes(s.env.say, s.names()) {
			p.wrap(s.env.theme.dim, 0, n.Words)
		}
	}
	drawMoves(&p, s.env.theme, s.view.Moves, s.at, sp.beside)
	return p
}

func (s review) Title() string {
	if s.view == nil {
		return "Ludoteca" + s.env.theme.dot + s.env.say.T("review")
	}
	if s.size.Width < bothColumns {
		return titleOf(s.env, s.view, true)
	}
	return titleOf(s.env, s.view, false) + s.env.theme.dot + s.env.say.T("review")
}

func (s review) Status() string {
	if s.view == nil {
		return text.Clean(s.env.who.Name)
	}
	return s.env.say.T("move %d of %d", s.at, len(s.view.Moves))
}

func (s review) Typing() bool { return false }

func (s review) Hints() []hint {
	say := s.env.say
	hints := []hint{{say.T("left right"), say.T("one move")}, {"esc", say.T("back")}, {"home end", say.T("first and last")}}
	if s.scene != nil {
		if can, _ := s.scene.Turns(); can {
			hints = append(hints, hint{"f", say.T("flip")})
		}
	}
	return append(hints, hint{"?", say.T("help")}, hint{say.T("up down"), say.T("two")}, hint{"pgup pgdn", say.T("twenty")})
}

// Help says what the marks on the board mean.
func (s review) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("Left and right go one move back and on. The board shows the match as it stood then, with the last move marked."),
		say.T("The record of a match is text with all its moves: ssh ADDRESS record and the id that stands below."),
	)
}
