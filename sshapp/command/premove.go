package command

import (
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// premoveRow is the command of the line mode for a move ahead.
func premoveRow() *row {
	return &row{Name: "premove", Prompt: true, Example: "premove c3", Answer: answerJSON{},
		Summary: text.T("a move that is played as soon as it is your turn, in a match whose clock counts seconds; premove off takes it back"), Args: []tree.Arg{codeArg(), {
			Name: "MOVE", Words: 3, Asks: text.T("Which move?"), Help: text.T("the move, or off"),
		}}, Run: plain(premove)}
}

// premove keeps a move ahead in the session of the line mode.
func premove(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	_, seated := v.Side(seat.User())
	typed, move, words := strings.Join(c.words[1:], " "), games.Move(""), c.say.T("No move is entered ahead.")
	switch {
	case strings.EqualFold(typed, "off"):
	case v.Over:
		return nil, lobby.ErrOver
	case !seated:
		return nil, lobby.ErrNotSeated
	case !v.Ticks():
		return nil, refusal{codeNotOpen, c.say.T("Moves can be entered ahead in a match whose clock counts seconds.")}
	case v.YourTurn(seat.User()):
		return nil, refusal{codeNotOpen, c.say.T("It is your turn: type the move itself.")}
	default:
		if move, err = v.Position.Read(typed); err != nil {
			return nil, err
		}
		words = c.say.T("%s is played as soon as it is your turn; premove off takes it back.", string(move))
	}
	if !c.caller.current.SetPremove(v.ID, move) {
		return nil, lobby.ErrLate
	}
	return answer([]string{words}), nil
}
