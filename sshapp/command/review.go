package command

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/studies"
	"ludoteca/lobby/together"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A studied is a finished match that a user looks through, alone or together with another person.
type studied struct {
	say      wording.Words
	view     *lobby.View
	who      lobby.User
	tells    func() prompt.Manner
	together *prompt.Together
	own      bool // it is a study of the user, which nobody else sees

	practice string // what the match made of the user's practice rating; "": it did not count

	mu    sync.Mutex     // guards what follows: another person may lead the user to other positions
	place together.Place // that questions are about
	notes []studies.Note // of the user on the match
}

// newStudied returns a review at its beginning.
func newStudied(c *call, who lobby.User, v *lobby.View) (s *studied, err error) {
	s = &studied{say: c.say, view: v, who: who, tells: c.caller.current.Manner, together: c.caller.together}
	s.practice = prompt.PracticeChange(c.ctx, c.lobby().Practice, c.say, v, who)
	s.notes, err = c.lobby().Studies.Notes(c.ctx, who, v.ID)
	return s, err
}

func (s *studied) Name() string { return s.view.Game.About().ID }
func (s *studied) Code() string { return string(s.view.ID) }

func (s *studied) at() (v *lobby.View, ply int) { return s.view, s.now().Ply }

func (s *studied) annotate(notes []studies.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = notes
}

// now returns the place that questions are about.
func (s *studied) now() together.Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place
}

// Show has questions be about a place from now on.
func (s *studied) Show(p together.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place = p
}

// Left ends looking at the review together with another person.
func (s *studied) Left() { s.together.Abandon() }

func (s *studied) Look() prompt.Look { return s.lookAt(s.now()) }

// lookAt returns the position of a place.
func (s *studied) lookAt(p together.Place) prompt.Look {
	ply := min(p.Ply, len(s.view.Moves))
	look := prompt.Look{Narrator: prompt.Narrate(s.say, s.view, s.who, s.tells()), Ply: ply}
	look.Position, _ = s.view.After(ply) // the moves of a finished match are legal
	if ply > 0 {
		look.Last = s.view.Moves[ply-1]
		look.Before, _ = s.view.After(ply - 1)
	}
	for _, m := range p.Line[:p.Shown] {
		next, err := look.Position.Play(m)
		if err != nil {
			break // the boards of both people know the same rules
		}
		look.Before, look.Last, look.Position = look.Position, m, next
		look.Ply++
	}
	return look
}

func (s *studied) Play(context.Context, games.Move) ([]string, error) {
	return nil, refusal{codeOver, s.say.T("This match is over: you are looking through it. next and back go through its moves.")}
}

func (s *studied) Hint(context.Context) ([]string, error) {
	return nil, refusal{codeOver, s.say.T("This match is over. To learn which moves were mistakes: analyse")}
}

func (s *studied) By(_ context.Context, steps int) ([]string, error) {
	return s.GoTo(s.now().Ply + steps)
}

func (s *studied) GoTo(ply int) ([]string, error) {
	seat := s.together.Seat()
	switch {
	case seat != nil && seat.Side() == together.Follower:
		return nil, refusal{codeNotOpen, s.say.T("The other player leads: your board shows what theirs shows. To go on alone: together leave")}
	case ply < 0:
		return nil, refusal{codeNotFound, s.say.T("This is the beginning.")}
	case ply > len(s.view.Moves):
		return nil, refusal{codeNotFound, s.say.T("This is the end: the match has %d moves.", len(s.view.Moves))}
	}
	p := together.Place{Ply: ply}
	s.Show(p)
	if seat != nil {
		seat.Show(p)
	}
	return s.Tell(p), nil
}

// Tell returns the sentences that tell a place.
func (s *studied) Tell(p together.Place) []string {
	look, moves := s.lookAt(p), len(s.view.Moves)
	head := s.say.N(moves, "The beginning of the match; one move follows.", "The beginning of the match; %d moves follow.")
	switch {
	case p.Shown > 0:
		head = s.say.T("Not played, move %d after move %d of the match: %s", p.Shown, p.Ply, strings.Join(look.Narrator.Move(look.Before, look.Last), " "))
	case look.Before != nil:
		head = s.say.T("Move %d of %d: %s", look.Ply, moves, strings.Join(look.Narrator.Move(look.Before, look.Last), " "))
	case moves == 0:
		head = s.say.T("No move was made in this match.")
	}
	lines := append([]string{head}, drawing(s.tells(), look.Position)...)
	if p.Shown > 0 {
		return lines
	}
	if look.Ply == moves {
		lines = append(lines, prompt.Ending(s.say, s.view, s.who))
		if s.practice != "" {
			lines = append(lines, s.practice)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notes {
		if n.Ply == look.Ply {
			lines = append(lines, s.say.T("Your note: %s", text.Clean(n.Text)))
		}
	}
	return lines
}

// review begins to look through a finished match, at its beginning.
func review(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if s, ok := c.study().(*studied); ok { // from the beginning again
		return studying(c, func(prompt.Study) ([]string, error) { return s.GoTo(0) })
	}
	if len(c.words) == 0 {
		last, err := lastFinished(c)
		if err != nil {
			return nil, err
		}
		c.words = []string{string(last)}
	}
	who, v, own, err := reviewAsked(c)
	if err != nil {
		return nil, err
	}
	s, err := newStudied(c, who, v)
	if err != nil {
		return nil, err
	}
	s.own = own
	c.caller.current.Begin(s)
	lines, err := s.GoTo(0)
	return answer(append([]string{s.title()}, lines...)), err
}

// lastFinished returns the last finished match of the caller.
func lastFinished(c *call) (storage.MatchID, error) {
	who, err := c.visitor()
	if err != nil {
		return "", err
	}
	if who.Kind.HasAccount() {
		all, _, err := c.lobby().Results.History(c.ctx, standings.HistoryQuery{Name: who.Name, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(all) > 0 {
			return all[0].ID, nil
		}
	}
	return "", refusal{codeNotFound, c.say.T("You have no finished match yet. review ID looks through one of others: history lists them.")}
}

// reviewAsked finds what the first word names: a finished match, or a study of the caller, which own says.
func reviewAsked(c *call) (who lobby.User, v *lobby.View, own bool, err error) {
	who, v, own, err = viewAsked(c, c.visitor)
	if err == nil && !v.Over {
		err = refusal{codeNotOpen, c.say.T("This match is not over yet.")}
	}
	return who, v, own, err
}

// title says which match it is, and how it ended.
func (s *studied) title() string {
	n := s.Look().Narrator
	return s.say.T("%s, %s against %s. %s", s.say.Spell(s.view.Game.About().Name), n.Names[0], n.Names[1], prompt.Ending(s.say, s.view, s.who))
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
