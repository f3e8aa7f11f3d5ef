package command

import (
	"ludoteca/lobby"
	"ludoteca/lobby/together"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// togetherRow is the command by which two people look at one review.
func togetherRow() *row {
	return &row{
		Name: "together", Prompt: true, Example: "together ana", Usage: "[NAME | accept | decline | leave]", Answer: answerJSON{},
		Summary: text.T("ask another person to look at the match under review with you; without a name: who does"),
		Args:    []tree.Arg{optional(nameArg())}, Run: plain(lookTogether), Sub: []*row{
			{Name: "accept", Answer: answerJSON{}, Summary: text.T("accept the invitation to look at a match together; the other person leads"), Run: plain(acceptTogether)},
			{Name: "decline", Answer: answerJSON{}, Summary: text.T("decline the invitation to look at a match together"), Run: plain(declineTogether)},
			{Name: "leave", Answer: answerJSON{}, Summary: text.T("look at the match alone from now on"), Run: plain(leaveTogether)},
		},
	}
}

// lookTogether asks another person to look at the match under review, or tells who looks at it.
func lookTogether(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if len(c.words) == 0 {
		lines, err := togetherWords(c)
		if err != nil {
			return nil, err
		}
		return answer(lines), nil
	}
	s, ok := c.caller.current.Study().(*studied)
	if !ok {
		return nil, refusal{codeNotOpen, c.say.T("You are looking through no match. review ID begins with one; history lists them.")}
	}
	if s.own {
		return nil, refusal{codeNotOpen, c.say.T("This is a study of yours, which nobody else sees.")}
	}
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	other, err := c.lobby().Challenges.Opponent(c.ctx, who, c.words[0])
	if err != nil {
		return nil, err
	}
	seat, err := c.lobby().Together.Lead(c.ctx, who, lobby.User(other.Occupant), lobby.Ref{ID: s.view.ID, Code: s.view.Code})
	if err != nil {
		return nil, err
	}
	seat.Show(s.now())
	c.caller.together.Begin(seat, &together.View{}, s)
	return answer([]string{c.say.T("%s is asked to look at the match with you. You lead: next, back and goto move both boards.", c.say.Name(other.Name))}), nil
}

// acceptTogether goes to the review that another person leads, who has asked the user.
func acceptTogether(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	c.caller.together.Answered()
	seat, err := c.lobby().Together.Join(c.ctx, who)
	if err != nil {
		return nil, err
	}
	lines, err := follow(c, who, seat)
	if err != nil {
		seat.Leave()
		return nil, err
	}
	return answer(lines), nil
}

// follow has the user be at the review of another person.
func follow(c *call, who lobby.User, seat *together.Seat) ([]string, error) {
	at, err := seat.Next(c.ctx, 0)
	if err != nil {
		return nil, err
	}
	board, err := c.lobby().Seats.At(c.ctx, who, at.Match)
	if err != nil {
		return nil, err
	}
	v, err := board.Now(c.ctx)
	if err != nil {
		return nil, err
	}
	s, err := newStudied(c, who, v)
	if err != nil {
		return nil, err
	}
	c.caller.current.Begin(s)
	c.visit.at(v.ID)
	c.caller.together.Begin(seat, at, s)
	s.Show(at.Place)
	lines := []string{s.title(), c.say.T("%s leads: you are told each position that they go to. say TEXT writes, together leave goes on alone.", c.say.Name(at.People[together.Leader].Name))}
	return append(lines, s.Tell(at.Place)...), nil
}

// declineTogether declines the invitation that waits for the user.
func declineTogether(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	asked := c.caller.together.Answered()
	if asked == (together.Invitation{}) {
		return nil, lobby.ErrNoInvitation
	}
	c.lobby().Together.Decline(who)
	return answer([]string{c.say.T("You don't look at the match with %s.", c.say.Name(asked.By.Name))}), nil
}

// leaveTogether has the user look at the review alone.
func leaveTogether(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if c.caller.together.Seat() == nil {
		return nil, refusal{codeNotOpen, c.say.T("Nobody looks at a match with you.")}
	}
	c.caller.together.Leave()
	return answer([]string{c.say.T("You look at the match alone now.")}), nil
}

// togetherWords tell who looks at the review with the user, or who asks them.
func togetherWords(c *call) ([]string, error) {
	seat := c.caller.together.Seat()
	if seat == nil {
		if asked := c.caller.together.Asked(); asked != (together.Invitation{}) {
			return []string{prompt.Invited(c.say, asked)}, nil
		}
		return []string{c.say.T("Nobody looks at a match with you."), c.say.T("review ID looks through one, and then together NAME asks another person.")}, nil
	}
	v, err := seat.Next(c.ctx, 0)
	if err != nil {
		return nil, err
	}
	other := c.say.Name(v.People[1-seat.Side()].Name)
	switch {
	case !v.Joined:
		return []string{c.say.T("%s is asked, and has not answered.", other)}, nil
	case seat.Side() == together.Leader:
		return []string{c.say.T("You lead; %s sees your board.", other)}, nil
	}
	return []string{c.say.T("%s leads through the review.", other)}, nil
}
