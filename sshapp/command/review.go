package command

import (
	"context"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// A studied is a finished match that a user looks through. Only the user's commands use it.
type studied struct {
	say   wording.Words
	view  *lobby.View
	who   lobby.User
	tells func() prompt.Manner
	ply   int
	notes []studies.Note // of the user on the match
}

func (s *studied) Name() string { return s.view.Game.About().ID }
func (s *studied) Code() string { return string(s.view.ID) }

func (s *studied) at() (v *lobby.View, ply int) { return s.view, s.ply }

func (s *studied) annotate(notes []studies.Note) { s.notes = notes }

func (s *studied) Look() prompt.Look {
	look := prompt.Look{Narrator: prompt.Narrate(s.say, s.view, s.who, s.tells()), Ply: s.ply}
	look.Position, _ = s.view.After(s.ply) // the moves of a finished match are legal
	if s.ply > 0 {
		look.Last = s.view.Moves[s.ply-1]
		look.Before, _ = s.view.After(s.ply - 1)
	}
	return look
}

func (s *studied) Play(context.Context, games.Move) ([]string, error) {
	return nil, refusal{codeOver, s.say.T("This match is over: you are looking through it. next and back go through its moves.")}
}

func (s *studied) Hint(context.Context) ([]string, error) {
	return nil, refusal{codeOver, s.say.T("This match is over. To learn which moves were mistakes: analyse")}
}

func (s *studied) By(_ context.Context, steps int) ([]string, error) { return s.GoTo(s.ply + steps) }

func (s *studied) GoTo(ply int) ([]string, error) {
	switch {
	case ply < 0:
		return nil, refusal{codeNotFound, s.say.T("This is the beginning.")}
	case ply > len(s.view.Moves):
		return nil, refusal{codeNotFound, s.say.T("This is the end: the match has %d moves.", len(s.view.Moves))}
	}
	s.ply = ply
	look := s.Look()
	head := s.say.T("The beginning of the match; %d moves follow.", len(s.view.Moves))
	switch {
	case look.Before != nil:
		head = s.say.T("Move %d of %d: %s", s.ply, len(s.view.Moves), strings.Join(look.Narrator.Move(look.Before, look.Last), " "))
	case len(s.view.Moves) == 0:
		head = s.say.T("No move was made in this match.")
	}
	lines := append([]string{head}, drawing(s.tells(), look.Position)...)
	if s.ply == len(s.view.Moves) {
		lines = append(lines, text.Sentence(stateWords(s.say, s.view, s.who)))
	}
	for _, n := range s.notes {
		if n.Ply == s.ply {
			lines = append(lines, s.say.T("Your note: %s", text.Clean(n.Text)))
		}
	}
	return lines, nil
}

// review begins to look through a finished match, at its beginning.
func review(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if s, ok := c.study().(*studied); ok { // from the beginning again
		lines, err := s.GoTo(0)
		return answer(lines), err
	}
	seat, v, err := c.seatNow(c.visitor)
	if err != nil {
		return nil, err
	}
	if !v.Over {
		return nil, refusal{codeNotOpen, c.say.T("This match is not over yet.")}
	}
	s := &studied{say: c.say, view: v, who: seat.User(), tells: c.caller.current.Manner}
	if s.notes, err = c.lobby().Studies.Notes(c.ctx, s.who, v.ID); err != nil {
		return nil, err
	}
	c.caller.current.Begin(s)
	n := s.Look().Narrator
	lines, err := s.GoTo(0)
	head := c.say.T("%s, %s against %s. %s", c.say.Spell(v.Game.About().Name), n.Names[0], n.Names[1], text.Sentence(stateWords(c.say, v, s.who)))
	return answer(append([]string{head}, lines...)), err
}

// studying goes to another position of what the user studies.
func studying(c *call, to func(prompt.Study) ([]string, error)) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	s := c.caller.current.Study()
	if s == nil {
		return nil, refusal{codeNotOpen, c.say.T("You are looking through no match. review ID begins with one; history lists them.")}
	}
	lines, err := to(s)
	if err != nil {
		return nil, err
	}
	return answer(lines), nil
}

// step goes forward or back.
func step(by int) run {
	return func(c *call) (reply.Reply, error) {
		return studying(c, func(s prompt.Study) ([]string, error) { return s.By(c.ctx, by) })
	}
}

// goTo goes to the position after a number of moves, or to a step.
func goTo(c *call) (reply.Reply, error) {
	n, err := strconv.Atoi(c.words[0])
	if err != nil {
		return nil, usageError{words: c.say.T("%s is no number of a move.", tree.Quoted(c.words[0]))}
	}
	return studying(c, func(s prompt.Study) ([]string, error) { return s.GoTo(n) })
}
