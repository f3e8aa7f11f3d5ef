package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/storage"
)

// shortcut is the command behind a single key, where letters are not a move: when the match is over.
func (s matchScreen) shortcut(key string) (command, bool) {
	if s.running() && s.plays() {
		return cmdNone, false
	}
	var c command
	switch key {
	case "r":
		c = cmdRematch
	case "v":
		c = cmdReview
	case "n":
		c = cmdNewOpponent
	case "a":
		c = cmdAbort
	}
	return c, c != cmdNone && s.can(c)
}

// order starts a command; one that can't be undone waits for a second enter.
func (s matchScreen) startCommand(c command) (matchScreen, tea.Cmd) {
	say := s.env.say
	s.problem = ""
	switch {
	case !s.can(c):
		s.problem = s.refusal(c)
		return s, nil
	case c == cmdResign:
		s.asked, s.problem = c, say.T("Resign this match? Enter once more, esc to play on.")
		return s, nil
	case c == cmdAbort && s.running():
		s.asked, s.problem = c, say.T("Call this match off? Enter once more, esc to play on.")
		return s, nil
	}
	return s.runCommand(c)
}

// refusal says why a command can't do anything now.
func (s matchScreen) refusal(c command) string {
	say := s.env.say
	switch {
	case !s.plays():
		return say.T("You are only watching this match.")
	case c == cmdTakeBack || c == cmdHint:
		return say.Error(s.whyNoHelp(c))
	case c == cmdResign && s.waiting():
		return say.T("Nobody has come yet: /abort takes the match back.")
	case c == cmdAbort && s.running():
		return say.T("Both sides have moved already: /resign instead.")
	case c == cmdRematch, c == cmdNewOpponent:
		return say.T("The match is not over yet.")
	case c == cmdReview:
		return say.T("There is nothing to look back at yet.")
	case s.view.Over:
		return say.T("This match is over.")
	}
	return say.T("That can't be done now.")
}

// unhelped says why there is no help now.
func (s matchScreen) whyNoHelp(c command) error {
	switch {
	case s.view.Over:
		return lobby.ErrOver
	case !s.mayBeHelped():
		return lobby.ErrNoHelp
	case c == cmdTakeBack:
		return lobby.ErrNothingBack
	}
	return lobby.ErrNotYourTurn
}

func (s matchScreen) runCommand(c command) (matchScreen, tea.Cmd) {
	s.problem = ""
	switch c {
	case cmdFlip:
		return s.turn(), nil
	case cmdReview:
		return s, push(newReview(s.env, s.id))
	case cmdHint:
		return s.askHint()
	case cmdHelp:
		return s, push(newHelp(s.env, s))
	case cmdToLobby:
		return s, home
	case cmdQuit:
		return s, leave
	}
	if s.busy {
		return s, nil
	}
	s.busy = true
	club, ctx, seat, who, origin, code := s.env.club, s.env.ctx, s.seat, s.env.who, s.env.origin, s.view.Code
	game := s.view.Game.About().ID
	return s, func() tea.Msg {
		var to storage.MatchID
		var err error
		switch c {
		case cmdJoin:
			_, err = club.Join(ctx, who, origin, code)
		case cmdResign:
			err = seat.Resign(ctx)
		case cmdAbort:
			err = seat.Abort(ctx)
		case cmdTakeBack:
			err = seat.Takeback(ctx)
		case cmdRematch:
			ref, rematchErr := seat.Rematch(ctx)
			to, err = ref.ID, rematchErr
		case cmdNewOpponent:
			ref, quickErr := club.Quick(ctx, who, game)
			to, err = ref.ID, quickErr
		}
		return commandMsg{to, err}
	}
}

// seek looks for a hint. It may take a while, and the player need not wait for it.
func (s matchScreen) askHint() (matchScreen, tea.Cmd) {
	if s.hinting {
		return s, nil
	}
	s.hinting = true
	ctx, seat := s.env.ctx, s.seat
	return s, func() tea.Msg {
		h, err := seat.Hint(ctx)
		return hintMsg{h, err}
	}
}
