package matchpage

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/accountpage"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/people"
	"ludoteca/sshapp/ui/review"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// The commands at the board of a match, as conditions and actions on the screen. What the rules of the match say about them comes from its
// view; what else may be in the way is below.

// The reasons of this screen.
var (
	errNothingPlayed = boardpage.Reason(text.T("There is nothing to look back at yet."))
	errNotReported   = boardpage.Reason(text.T("Only an opponent with an account can be reported."))
)

// matchCommands are the commands at the board of a match.
var matchCommands = boardpage.CommandTable[matchScreen]{
	boardpage.CmdJoin:     {May: may(match.JoinAct), Run: ask((*seats.Seat).Join)},
	boardpage.CmdResign:   {May: may(match.ResignAct), Run: ask((*seats.Seat).Resign), Ask: always(text.T("Resign this match? Enter once more, esc to play on."))},
	boardpage.CmdAbort:    {May: may(match.AbortAct), Run: abort, Ask: askAbort},
	boardpage.CmdTakeback: {May: may(match.TakebackAct), Run: ask((*seats.Seat).Takeback)},
	boardpage.CmdDraw:     {May: may(match.OfferDrawAct), Run: ask((*seats.Seat).OfferDraw), Ask: askDraw},

	boardpage.CmdAdjourn:  {May: may(match.AdjournAct), Run: ask((*seats.Seat).Adjourn)},
	boardpage.CmdContinue: {May: may(match.ContinueAct), Run: ask((*seats.Seat).Continue)},

	boardpage.CmdAccept:          {May: mayAnswer, Run: answer("", true)},
	boardpage.CmdDecline:         {May: mayAnswer, Run: answer("", false)},
	boardpage.CmdAcceptDraw:      {May: mayAnswerOne(matches.OfferDraw), Run: answer(matches.OfferDraw, true)},
	boardpage.CmdAcceptTakeback:  {May: mayAnswerOne(matches.OfferTakeback), Run: answer(matches.OfferTakeback, true)},
	boardpage.CmdDeclineDraw:     {May: mayAnswerOne(matches.OfferDraw), Run: answer(matches.OfferDraw, false)},
	boardpage.CmdDeclineTakeback: {May: mayAnswerOne(matches.OfferTakeback), Run: answer(matches.OfferTakeback, false)},

	boardpage.CmdAcceptAdjourn:  {May: mayAnswerOne(matches.OfferAdjourn), Run: answer(matches.OfferAdjourn, true)},
	boardpage.CmdDeclineAdjourn: {May: mayAnswerOne(matches.OfferAdjourn), Run: answer(matches.OfferAdjourn, false)},

	boardpage.CmdClaim:     {May: mayClaim, Run: claim(false), Ask: always(text.T("Claim the win? Enter once more, esc to play on."))},
	boardpage.CmdClaimDraw: {May: mayClaim, Run: claim(true), Ask: always(text.T("Claim a draw? Enter once more, esc to play on."))},
	boardpage.CmdHint:      {May: may(match.HintAct), Run: hinted},
	boardpage.CmdFlip:      {May: mayFlip, Run: flip},
	boardpage.CmdChat:      {May: chats, Run: openChat},
	boardpage.CmdRematch:   {May: mayRematch, Run: rematch},
	boardpage.CmdNew:       {May: mayGoOn, Run: newOpponent},
	boardpage.CmdPremove:   {May: mayDropPremove, Run: dropPremove},
	boardpage.CmdReview:    {May: mayReview, Run: openReview},
	boardpage.CmdPlan:      {May: mayPlan, Run: openPlan},
	boardpage.CmdPlanDrop:  {May: mayDropPlan, Run: dropPlan},
	boardpage.CmdKeep:      {May: mayKeep, Run: keep},
	boardpage.CmdReport:    {May: mayReport, Run: report},
	boardpage.CmdHelp:      {May: boardpage.Always[matchScreen], Run: openHelp},
	boardpage.CmdWho:       {May: boardpage.Always[matchScreen], Run: boardpage.ShowPlayers[matchScreen]},
	boardpage.CmdLobby:     {May: boardpage.Always[matchScreen], Run: boardpage.GoHome[matchScreen]},
	boardpage.CmdQuit:      {May: boardpage.Always[matchScreen], Run: boardpage.Quit[matchScreen]},
}

// may returns the condition of an act of the match.
func may(act match.ActKind) func(matchScreen) error {
	return func(s matchScreen) error { return s.may(act) }
}

// may returns nil if the player may do an act now, else why not. While a move is on its way, it isn't the player's turn any more.
func (s matchScreen) may(act match.ActKind) error {
	if s.sending != "" && (act == match.MoveAct || act == match.HintAct) {
		return lobby.ErrNotYourTurn
	}
	return s.view.May(s.env.Who, act)
}

// yours reports whether the player can move now.
func (s matchScreen) yours() bool { return s.view != nil && s.may(match.MoveAct) == nil }

// helped reports whether the player may ask for hints when it is their turn.
func (s matchScreen) helped() bool {
	err := s.view.May(s.env.Who, match.HintAct)
	return err == nil || errors.Is(err, lobby.ErrNotYourTurn)
}

// can reports whether a command can be done now.
func (s matchScreen) can(c string) bool { return matchCommands[c].Can(s) }

// possible returns whether a command can be done, as a condition of a key.
func possible(c string) func(matchScreen) bool {
	return func(s matchScreen) bool { return s.can(c) }
}

// callsOff reports whether the player may call off a match that is being played.
func callsOff(s matchScreen) bool { return s.running() && s.can(boardpage.CmdAbort) }

// ask returns the action of an act of the match.
func ask(act func(*seats.Seat, context.Context) error) func(matchScreen) (matchScreen, tea.Cmd) {
	return func(s matchScreen) (matchScreen, tea.Cmd) {
		seat := s.seat
		return s.call(func(ctx context.Context) (tea.Cmd, error) { return nil, act(seat, ctx) })
	}
}

// always returns a question that is the same each time.
func always(question string) func(matchScreen) string {
	return func(s matchScreen) string { return s.env.Say.T(question) }
}

func askAbort(s matchScreen) string {
	if s.running() {
		return s.env.Say.T("Call this match off? Enter once more, esc to play on.")
	}
	return ""
}

// abort calls the match off. An offer that is withdrawn or declined leaves no board to stay at.
func abort(s matchScreen) (matchScreen, tea.Cmd) {
	var then tea.Cmd
	if s.waiting() {
		then = screen.Home
	}
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) { return then, seat.Abort(ctx) })
}

// askDraw returns the question before a draw if the player holds both seats. Otherwise it returns "", because the other side must agree.
func askDraw(s matchScreen) string {
	if s.bothSeats() {
		return s.env.Say.T("End this match as a draw? Enter once more, esc to play on.")
	}
	return ""
}

// mayAnswer returns nil if the other side offers the player something: a draw, a takeback, a rematch, or the match itself.
func mayAnswer(s matchScreen) error { return s.view.MayAnswer(s.env.Who, lobby.OfferRef{}) }

// mayAnswerOne returns the condition for answering one of several offers by its kind.
func mayAnswerOne(kind string) func(matchScreen) error {
	return func(s matchScreen) error {
		if len(s.view.OffersTo(s.env.Who)) < 2 {
			return lobby.ErrNoOffer
		}
		return s.view.MayAnswer(s.env.Who, lobby.OfferRef{Kind: kind})
	}
}

// answer returns the action that answers the open offer of a kind; "" is the only one.
func answer(kind string, yes bool) func(matchScreen) (matchScreen, tea.Cmd) {
	return func(s matchScreen) (matchScreen, tea.Cmd) {
		o, err := s.offers.chosen(kind)
		if err != nil {
			s.Input.Problem = s.env.Say.Error(err)
			return s, nil
		}
		seat := s.seat
		return s.call(func(ctx context.Context) (tea.Cmd, error) { return answerOffer(ctx, seat, o, yes) })
	}
}

func mayClaim(s matchScreen) error {
	if s.seat == nil {
		return lobby.ErrNoClaim
	}
	return s.seat.MayClaim(s.view)
}

func claim(draw bool) func(matchScreen) (matchScreen, tea.Cmd) {
	return ask(func(seat *seats.Seat, ctx context.Context) error { return seat.Claim(ctx, draw) })
}

func hinted(s matchScreen) (next matchScreen, cmd tea.Cmd) {
	s.hint, cmd = s.hint.ask(s.situation)
	return s, cmd
}

func mayFlip(s matchScreen) error { return s.MayFlip() }

// flip turns the board round.
func flip(s matchScreen) (matchScreen, tea.Cmd) {
	s.Board = s.Board.Flip(s.env.Say)
	return s, nil
}

func mayRematch(s matchScreen) error { return seats.MayRematch(s.view, s.env.Who) }

func rematch(s matchScreen) (matchScreen, tea.Cmd) {
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) {
		ref, err := seat.Rematch(ctx)
		return screen.ReplaceByMatch(ref), err
	})
}

// mayGoOn returns nil if the player has played the match to its end, else why they can't look for the next one here.
func mayGoOn(s matchScreen) error {
	switch {
	case !s.view.Over:
		return lobby.ErrNotOver
	case !s.plays():
		return lobby.ErrNotSeated
	}
	return nil
}

// another returns the wish for a quick match with the game, options, clock and rating mode of this one. After a match against the computer or at one
// keyboard, clock and rating mode come from the player's last quick match, if there was one.
func another(s matchScreen) quick.Wanted {
	w := quick.One(seats.Spec{Game: s.view.Game.About().ID, Options: s.view.Options, Rated: s.view.Agreed, Clock: s.view.Clock.Setting})
	if s.bothSeats() || s.opponent().Kind == storage.Bot {
		if last, ok := s.env.Lobby.LastQuick(s.env.Settings); ok {
			w.Rated, w.Clock, w.Class = last.Rated, last.Clock, last.Class
		}
	}
	return w
}

// newOpponent opens a quick match of the same kind.
func newOpponent(s matchScreen) (matchScreen, tea.Cmd) {
	l, who, wanted := s.env.Lobby, s.env.Who, another(s)
	return s.call(func(ctx context.Context) (tea.Cmd, error) {
		ref, err := l.Quick(ctx, who, wanted)
		return screen.ReplaceByMatch(ref), err
	})
}

func mayReview(s matchScreen) error {
	if s.view.Ply() == 0 {
		return errNothingPlayed
	}
	return nil
}

func openReview(s matchScreen) (matchScreen, tea.Cmd) {
	return s, screen.Push(review.New(s.env, s.ref))
}

// mayPlan returns nil if the player may prepare answers to the other side's next moves.
func mayPlan(s matchScreen) error {
	_, err := s.view.MayPlan(s.env.Who)
	return err
}

func openPlan(s matchScreen) (matchScreen, tea.Cmd) {
	return s, screen.Push(review.NewPlan(s.env, s.ref))
}

// mayDropPlan returns nil if there is a plan to drop.
func mayDropPlan(s matchScreen) error {
	if s.plan.Empty() {
		return boardpage.ErrNotNow
	}
	return nil
}

func dropPlan(s matchScreen) (matchScreen, tea.Cmd) { return s, boardpage.DropPlan(s.env, s.view) }

// mayKeep returns nil for a guest: only they have matches to keep.
func mayKeep(s matchScreen) error {
	if s.env.Who.Kind != storage.Guest {
		return boardpage.ErrNotNow
	}
	return nil
}

// keep shows a guest how the finished matches of this visit can be kept.
func keep(s matchScreen) (matchScreen, tea.Cmd) {
	return s, screen.Push(accountpage.NewGuestMatches(s.env))
}

// mayReport returns nil if the player can tell the operator about the opponent, else why not: both need accounts.
func mayReport(s matchScreen) error {
	switch {
	case !s.plays():
		return lobby.ErrNotSeated
	case !s.env.Who.Kind.HasAccount():
		return lobby.ErrNeedsKey
	case s.bothSeats(), !s.opponent().Kind.HasAccount():
		return errNotReported
	}
	return nil
}

// report shows the form for what the player tells the operator. The match and its chat go along.
func report(s matchScreen) (matchScreen, tea.Cmd) {
	side, _ := s.view.Side(s.env.Who)
	return s, screen.Push(people.NewSideReport(s.env, s.view.Seats[side.Other()].Name, s.view.ID, side.Other()))
}

// chats is mayChat for the screen.
func chats(s matchScreen) error { return mayChat(s.situation) }

// openChat opens the pane; closeChat closes it, and what is typed stays for the next time.
func openChat(s matchScreen) (next matchScreen, cmd tea.Cmd) {
	s.chat.open, s.chat.unread, s.Input.Problem = true, false, ""
	s.chat, cmd = s.chat.read(s.situation)
	return s, cmd
}

func closeChat(s matchScreen) (matchScreen, tea.Cmd) {
	s.chat.open, s.Input.Problem = false, ""
	return s, nil
}

// greet chooses a greeting.
func greet(s matchScreen, msg tea.KeyPressMsg) (matchScreen, tea.Cmd) {
	s.chat, s.Input.Problem = s.chat.greet(msg.String() == "up"), ""
	return s, nil
}

// typedChat returns the screen with what was typed in the chat, if that is text.
func (s matchScreen) typedChat(chat chatPane, ok bool) matchScreen {
	if ok {
		s.chat, s.Input.Problem = chat, ""
	}
	return s
}

// sendChat sends the typed line, or carries out a command that is typed as a line, as it would be at the board. A command that is refused is
// there to be typed again.
func sendChat(s matchScreen) (matchScreen, tea.Cmd) {
	if line, command := s.chat.line(); command {
		s.chat = s.chat.closed()
		s.Input = s.Input.Cancel(s.Scene).Paste(line)
		return s.enter()
	}
	chat, cmd := s.chat.send(s.situation)
	if cmd != nil {
		s.chat, s.Input.Problem = chat, ""
	}
	return s, cmd
}

// cancel clears the typed text or the selection, or takes a premove back.
func cancel(s matchScreen) (matchScreen, tea.Cmd) {
	if !s.Input.Cancels() {
		s.premove = ""
	}
	s.Input = s.Input.Cancel(s.Scene)
	return s, nil
}

// complete completes a typed command.
func complete(s matchScreen) (matchScreen, tea.Cmd) {
	s.Input = s.Input.Complete(matchCommands.Available(s))
	return s, nil
}

func openHelp(s matchScreen) (matchScreen, tea.Cmd) { return s, screen.ShowHelp }
