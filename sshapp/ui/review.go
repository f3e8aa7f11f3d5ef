package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// review steps through a match, move by move: one that is over, or what has been played of one that goes on. Of one that
// is over it also says where it was won and lost, as soon as the club has worked that out, and lets the reader leave what
// was played for a branch: to see a better line, or to try moves of his own.
//
//	the match --b--> a better line --a--+
//	    |  ^              |             v
//	    |  +-----esc------+---esc--- his own moves --c--> a new match against the computer
//	    +------------------a------------^
type review struct {
	env  *env
	id   storage.MatchID
	size tea.WindowSizeMsg
	ctx  context.Context    // of the wait for the analysis, which ends with the screen
	stop context.CancelFunc // nil while there is none

	view    *lobby.View // nil until it has come
	reel    *reel
	lesson  lesson
	problem string // why something can't be done

	at     int              // after how many moves of the match
	branch *branch          // what was not played, if that is on the board
	scene  *boardview.Scene // what is on the board
	told   string           // what the last move did
	turned bool             // the player has turned the board round
	hidden bool             // he wants no graph
	scroll boardview.Scroll // of a board that doesn't fit
	grip   grip             // of who tries moves
	board  *boardview.Easel // what was drawn last, shared by all copies: App alone calls them
}

// reelMsg is the match to look at.
type reelMsg struct {
	view *lobby.View
	reel *reel
	err  error
}

// newReview returns the screen that steps through a match.
func newReview(e *env, id storage.MatchID) screen {
	return review{env: e, id: id, board: new(boardview.Easel)}
}

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
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		return s.retold(), nil
	case reelMsg:
		if msg.err != nil {
			s.problem = s.env.say.Error(msg.err)
			return s, nil
		}
		s.view, s.reel = msg.view, msg.reel
		s.ctx, s.stop = context.WithCancel(s.env.ctx)
		return s.goTo(len(s.view.Moves)), s.study()
	case studyMsg:
		s.lesson, s.problem = s.lesson.take(s.env.say, s.reel, s.view.Start, msg), ""
		return s.retold(), s.study()
	case tea.PasteMsg:
		if s.playing() {
			s.grip = s.grip.retyped(s.grip.typed.insert(msg.Content, typedCells))
		}
	case tea.MouseWheelMsg:
		s = s.wheel(msg)
	case tea.MouseClickMsg:
		if s.view != nil && msg.Button == tea.MouseLeft {
			s = s.click(msg)
		}
	case tea.KeyPressMsg:
		if s.view != nil {
			s.problem = ""
			s, cmd = s.key(msg)
		}
	}
	return s.scrolled(), cmd
}

// Close ends the wait for the analysis.
func (s review) Close() {
	if s.stop != nil {
		s.stop()
	}
}

// study asks how far the analysis is. Only of a match that is over there is one, and what is ready stays so.
func (s review) study() tea.Cmd {
	if !s.view.Over || len(s.view.Moves) == 0 || s.lesson.done() {
		return nil
	}
	club, ctx, id, after := s.env.club, s.ctx, s.id, s.lesson.seq()
	return func() tea.Msg {
		study, err := club.Study(ctx, id, after)
		return studyMsg{study, err}
	}
}

// goTo goes to the board after a number of moves of the match, as far as there are so many.
func (s review) goTo(at int) review {
	if s.view == nil {
		return s
	}
	s.at = max(min(at, len(s.view.Moves)), 0)
	s.branch = nil
	return s.show()
}

// show prepares what is on the board.
func (s review) show() review {
	if s.view == nil {
		return s
	}
	var before *boardview.Scene
	var last games.Move
	if s.branch != nil {
		s.scene, before, last = s.branch.scene()
	} else {
		s.scene, before = s.reel.scene(s.at)
		if s.at > 0 {
			last = s.view.Moves[s.at-1]
		}
	}
	s.told = ""
	if before != nil {
		s.told = s.tell(before, last)
	}
	s.grip.hand = s.scene.Newest()
	return s.scrolled()
}

// retold is show when the words may have changed but not the board: the hand stays where it is.
func (s review) retold() review {
	hand := s.grip.hand
	s = s.show()
	s.grip.hand = hand
	return s.scrolled()
}

// scrolled keeps what matters in view on boards that don't fit.
func (s review) scrolled() review {
	if s.scene != nil {
		s.scroll = s.spread(s.size.Width, s.size.Height).board.Scroll
	}
	return s
}

// tell says who made a move and what it did, and in the match also what it was worth.
func (s review) tell(before *boardview.Scene, m games.Move) string {
	say, name := s.env.say, s.names()[before.Position().Turn()]
	doing := does(say, before, m)
	if s.branch != nil {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	remark := s.remark(s.at)
	if remark == "" {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	played := say.T("%s plays %s", name, string(m)+signOf(s.lesson.mark(s.at)))
	if room := (s.size.Width - 2*margin) * (footLines(s.size.Width) - 1); s.narrow() || text.Width(played+doing+": "+remark) > room {
		doing = "" // the board shows it
	}
	return played + doing + ": " + remark
}

func (s review) names() [2]string { return namesOf(s.env, s.view.Game, s.view.Seats) }

// narrow says that there is no room for words that could be missed.
func (s review) narrow() bool { return s.size.Width < bothColumns }

// playing says that the reader tries moves of his own: letters are moves now.
func (s review) playing() bool { return s.branch != nil && s.branch.playing }

// flipped says whether the board is shown from the second side.
func (s review) flipped() bool { return flippedFor(s.scene, s.view, s.env.who) != s.turned }

func (s review) Title() string {
	if s.view == nil {
		return "Ludoteca" + s.env.theme.dot + s.env.say.T("review")
	}
	if s.narrow() {
		return titleOf(s.env, s.view, true)
	}
	return titleOf(s.env, s.view, false) + s.env.theme.dot + s.env.say.T("review")
}

func (s review) Status() string {
	say := s.env.say
	switch {
	case s.view == nil:
		return text.Clean(s.env.who.Name)
	case s.branch != nil && len(s.branch.moves) == 0:
		return say.T("not played")
	case s.branch != nil:
		return say.T("%d of %d", s.branch.at, len(s.branch.moves)) + s.env.theme.dot + say.T("not played")
	}
	return say.T("move %d of %d", s.at, len(s.view.Moves))
}

// Typing says that letters are moves.
func (s review) Typing() bool { return s.playing() }

// Escaping says that esc leaves a branch, not the page.
func (s review) Escaping() bool { return s.branch != nil }
