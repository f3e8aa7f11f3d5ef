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

	view     *lobby.View // nil until it has come
	timeline *timeline
	analysis matchAnalysis
	problem  string // why something can't be done

	at        int              // after how many moves of the match
	variation *variation       // what was not played, if that is on the board
	scene     *boardview.Scene // what is on the board
	moveText  string           // what the last move did
	turned    bool             // the player has turned the board round
	hidden    bool             // he wants no graph
	scroll    boardview.Scroll // of a board that doesn't fit
	input     moveInput        // of who tries moves
	board     *boardview.Easel // what was drawn last, shared by all copies: App alone calls them
}

// reelMsg is the match to look at.
type timelineMsg struct {
	view     *lobby.View
	timeline *timeline
	err      error
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
			return timelineMsg{err: err}
		}
		v, err := seat.Now(ctx)
		if err != nil {
			return timelineMsg{err: err}
		}
		r, err := newTimeline(v)
		return timelineMsg{v, r, err}
	}
}

func (s review) Update(msg tea.Msg) (screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		return s.refresh(), nil
	case timelineMsg:
		if msg.err != nil {
			s.problem = s.env.say.Error(msg.err)
			return s, nil
		}
		s.view, s.timeline = msg.view, msg.timeline
		s.ctx, s.stop = context.WithCancel(s.env.ctx)
		return s.goTo(len(s.view.Moves)), s.waitForAnalysis()
	case analysisMsg:
		s.analysis, s.problem = s.analysis.take(s.env.say, s.timeline, s.view.Start, msg), ""
		return s.refresh(), s.waitForAnalysis()
	case tea.PasteMsg:
		if s.trying() {
			s.input = s.input.withTyped(s.input.typed.insert(msg.Content, typedCells))
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
func (s review) waitForAnalysis() tea.Cmd {
	if !s.view.Over || len(s.view.Moves) == 0 || s.analysis.done() {
		return nil
	}
	club, ctx, id, after := s.env.club, s.ctx, s.id, s.analysis.seq()
	return func() tea.Msg {
		study, err := club.Study(ctx, id, after)
		return analysisMsg{study, err}
	}
}

// goTo goes to the board after a number of moves of the match, as far as there are so many.
func (s review) goTo(at int) review {
	if s.view == nil {
		return s
	}
	s.at = max(min(at, len(s.view.Moves)), 0)
	s.variation = nil
	return s.show()
}

// show prepares what is on the board.
func (s review) show() review {
	if s.view == nil {
		return s
	}
	var before *boardview.Scene
	var last games.Move
	if s.variation != nil {
		s.scene, before, last = s.variation.scene()
	} else {
		s.scene, before = s.timeline.scene(s.at)
		if s.at > 0 {
			last = s.view.Moves[s.at-1]
		}
	}
	s.moveText = ""
	if before != nil {
		s.moveText = s.describeMove(before, last)
	}
	s.input.sel = s.scene.AtLastMove()
	return s.scrolled()
}

// retold is show when the words may have changed but not the board: the hand stays where it is.
func (s review) refresh() review {
	hand := s.input.sel
	s = s.show()
	s.input.sel = hand
	return s.scrolled()
}

// scrolled keeps what matters in view on boards that don't fit.
func (s review) scrolled() review {
	if s.scene != nil {
		s.scroll = s.layout(s.size.Width, s.size.Height).board.Scroll
	}
	return s
}

// tell says who made a move and what it did, and in the match also what it was worth.
func (s review) describeMove(before *boardview.Scene, m games.Move) string {
	say, name := s.env.say, s.names()[before.Position().Turn()]
	doing := effectOf(say, before, m)
	if s.variation != nil {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	remark := s.remark(s.at)
	if remark == "" {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	played := say.T("%s plays %s", name, string(m)+signOf(s.analysis.mark(s.at)))
	if room := (s.size.Width - 2*margin) * (statusLines(s.size.Width) - 1); s.narrow() || text.Width(played+doing+": "+remark) > room {
		doing = "" // the board shows it
	}
	return played + doing + ": " + remark
}

func (s review) names() [2]string { return namesOf(s.env, s.view.Game, s.view.Seats) }

// narrow says that there is no room for words that could be missed.
func (s review) narrow() bool { return s.size.Width < bothColumns }

// playing says that the reader tries moves of his own: letters are moves now.
func (s review) trying() bool { return s.variation != nil && s.variation.trying }

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
	case s.variation != nil && len(s.variation.moves) == 0:
		return say.T("not played")
	case s.variation != nil:
		return say.T("%d of %d", s.variation.at, len(s.variation.moves)) + s.env.theme.dot + say.T("not played")
	}
	return say.T("move %d of %d", s.at, len(s.view.Moves))
}

// Typing says that letters are moves.
func (s review) Typing() bool { return s.trying() }

// Escaping says that esc leaves a branch, not the page.
func (s review) Escaping() bool { return s.variation != nil }
