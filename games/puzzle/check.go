package puzzle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// The ways in which Check refuses a puzzle. The puzzle may still be right where it was ErrBound.
var (
	ErrBroken = errors.New("the puzzle is broken")
	ErrBound  = errors.New("the puzzle takes more positions to check than allowed")
)

// UsualNodes is how many positions a check may look at unless it is told otherwise: some seconds' worth.
const UsualNodes = 20_000_000

// checkMemory is the bytes of the table of the search that proposes replies to the checker.
const checkMemory = 8 << 20

// A Report is what Check has seen.
type Report struct {
	Checked int // positions in which the checker has played
	Nodes   int // positions that the search for replies has looked at
}

// Check proves a puzzle again, by the whole rules of the game and without the search that found it:
//
//   - The solution wins within Plies plies against every defence, by the answers of the puzzle alone.
//   - No other first move wins within Beyond plies: the other side's reply of the puzzle, and then moves that a search proposes, are
//     played against everything.
//   - Later in the main line, the other moves win within the plies that are left there if the puzzle says so, and else they don't.
//   - The other side has a reply to each wrong move of the main line.
//   - At least one other first move is not refuted at once.
//
// The error says in words what is wrong. It wraps ErrBroken, or ErrBound after nodes positions, or is the error of ctx.
func (p *Puzzle) Check(ctx context.Context, nodes int) (Report, error) {
	searchable, ok := p.Start.State().(games.Searchable)
	if !ok {
		return Report{}, proof.ErrNoSearch
	}
	c := &check{puzzle: p, nodes: nodes, decider: proof.NewDecider(ctx, checkMemory)}
	c.state, c.pos = p.Start.State(), searchable.Search()
	err := c.run(ctx)
	c.report.Nodes = c.decider.Nodes()
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return c.report, err
}

// A check is one call of Puzzle.Check.
type check struct {
	puzzle  *Puzzle
	nodes   int // that may be looked at
	decider *proof.Decider
	report  Report

	// The present position of the main line.
	state games.State
	pos   games.Search
}

// broken returns an error that wraps ErrBroken.
func (c *check) broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBroken, fmt.Sprintf(format, args...))
}

func (c *check) run(ctx context.Context) error {
	p := c.puzzle
	if err := p.checkLine(); err != nil {
		return c.broken("%v", err)
	}
	if len(p.Wrong) != p.Moves() {
		return c.broken("it has replies to the wrong moves at %d of %d moves", len(p.Wrong), p.Moves())
	}
	if err := c.solution(ctx); err != nil {
		return err
	}
	for i, line := 0, p.Line(); i < len(line); i++ {
		if i%2 == 0 {
			if err := c.others(ctx, i, line[i]); err != nil {
				return err
			}
		}
		code, err := c.state.Code(line[i])
		if err != nil {
			return c.broken("%v", err)
		}
		c.state.Play(code)
		c.pos.Play(code)
	}
	return nil
}

// left returns how many positions the checker may still play in.
func (c *check) left() int { return max(0, c.nodes-c.report.Checked-c.decider.Nodes()) }

// solution proves that the solution wins.
func (c *check) solution(ctx context.Context) error {
	s := &strategy{puzzle: c.puzzle, state: c.puzzle.Start.State()}
	claim := proof.Claim{Side: c.puzzle.Side(), Aim: proof.ToWin, Plies: c.puzzle.Plies}
	report, err := proof.Check(ctx, c.puzzle.Start, claim, s, c.left())
	c.report.Checked += report.Nodes
	switch {
	case errors.Is(err, proof.ErrBound):
		return ErrBound
	case errors.Is(err, proof.ErrRefuted) && s.trouble != "":
		return c.broken("%s", s.trouble)
	case errors.Is(err, proof.ErrRefuted):
		return c.broken("the solution doesn't win in %d plies after %v", c.puzzle.Plies, report.Line)
	case err != nil:
		return err
	case report.Plies < c.puzzle.Plies:
		return c.broken("the solution takes %d plies at most, not %d", report.Plies, c.puzzle.Plies)
	}
	return nil
}

// others proves that the moves beside that of the main line after ply plies are wrong there, and that each of them has a reply.
func (c *check) others(ctx context.Context, ply int, right games.Move) error {
	left := c.puzzle.Plies - ply
	within := left
	if ply == 0 {
		within = c.puzzle.Beyond
	}
	replies := c.puzzle.Wrong[ply/2]
	sensible := 0
	for _, code := range c.state.Moves(nil) {
		move := c.state.Move(code)
		if move == right {
			continue
		}
		refuted, err := c.wrong(ctx, code, move, within, replies)
		if err != nil {
			return err
		}
		if !refuted {
			sensible++
		}
	}
	if ply == 0 && sensible == 0 {
		return c.broken("every other first move loses at once, so there is nothing to find")
	}
	return nil
}

// wrong proves that a move does not win within some plies. refuted reports that the other side wins at once.
func (c *check) wrong(ctx context.Context, code games.Code, move games.Move, within int, replies []Reply) (refuted bool, err error) {
	side := c.puzzle.Side()
	c.state.Play(code)
	c.pos.Play(code)
	defer func() {
		c.pos.Undo()
		c.state.Undo()
	}()
	if r := c.state.Result(); r.Over {
		if r.For(side) == 1 && within > 1 {
			return false, c.broken("%s wins at once", move)
		}
		return r.For(side) == -1, nil
	}
	text, wins := replyTo(replies, move)
	if wins {
		return false, c.alsoWins(ctx, move, within)
	}
	if text == "" {
		return false, c.broken("there is no reply to the wrong move %s", move)
	}
	reply, err := c.state.Code(text)
	if err != nil {
		return false, c.broken("the reply to the wrong move %s: %v", move, err)
	}
	if within > 1 {
		if err := c.prevented(ctx, move, reply, within-1); err != nil {
			return false, err
		}
	}
	return c.loses(side), nil
}

// loses reports whether the side that is to move next, the other one, wins at once.
func (c *check) loses(side games.Side) bool {
	for _, code := range c.state.Moves(nil) {
		c.state.Play(code)
		lost := c.state.Result().For(side) == -1
		c.state.Undo()
		if lost {
			return true
		}
	}
	return false
}

// prevented proves that the other side, which is to move after a wrong move, does not lose within some plies if it makes the reply.
func (c *check) prevented(ctx context.Context, wrong games.Move, reply games.Code, plies int) error {
	side := c.puzzle.Side()
	name := c.state.Move(reply)
	c.pos.Play(reply)
	over, _ := c.pos.Over()
	wins, known := false, true
	if !over {
		wins, known = c.decider.Wins(c.pos, side, plies-1, c.left())
	}
	c.pos.Undo()
	if !known {
		return ErrBound
	}
	if wins {
		return c.secondWin(ctx, wrong, name, plies)
	}
	claim := proof.Claim{Side: side.Other(), Aim: proof.ToPrevent, Plies: plies}
	position := c.state.Clone().Freeze()
	report, err := proof.Check(ctx, position, claim, &replying{reply, c.decider.Strategy(c.left())}, c.left())
	c.report.Checked += report.Nodes
	switch {
	case errors.Is(err, proof.ErrBound):
		return ErrBound
	case errors.Is(err, proof.ErrRefuted):
		return c.broken("%s is answered by %s, but wins after %v", wrong, name, report.Line)
	}
	return err
}

// alsoWins proves that a move that was made wins within some plies, itself included.
func (c *check) alsoWins(ctx context.Context, move games.Move, within int) error {
	wins, known := c.decider.Wins(c.pos, c.puzzle.Side(), within-1, c.left())
	if !known {
		return ErrBound
	}
	claim := proof.Claim{Side: c.puzzle.Side(), Aim: proof.ToWin, Plies: within - 1}
	report, err := proof.Check(ctx, c.state.Clone().Freeze(), claim, c.decider.Strategy(c.left()), c.left())
	c.report.Checked += report.Nodes
	switch {
	case errors.Is(err, proof.ErrBound):
		return ErrBound
	case !wins || errors.Is(err, proof.ErrRefuted):
		return c.broken("%s does not win in %d plies, as it should", move, within)
	}
	return err
}

// secondWin returns the error about a wrong move whose reply does not hold.
func (c *check) secondWin(ctx context.Context, wrong, reply games.Move, plies int) error {
	wins, known := c.decider.Wins(c.pos, c.puzzle.Side(), plies, c.left())
	if !known || !wins {
		return c.broken("%s after the wrong move %s does not hold for %d plies", reply, wrong, plies)
	}
	claim := proof.Claim{Side: c.puzzle.Side(), Aim: proof.ToWin, Plies: plies}
	report, err := proof.Check(ctx, c.state.Clone().Freeze(), claim, c.decider.Strategy(c.left()), c.left())
	c.report.Checked += report.Nodes
	if err != nil {
		return c.broken("%s after the wrong move %s does not hold for %d plies", reply, wrong, plies)
	}
	return c.broken("%s wins as well, in %d plies", wrong, report.Plies+1)
}

// A replying strategy makes one reply, and what another strategy chooses from then on.
type replying struct {
	reply games.Code
	then  proof.Strategy
}

func (r *replying) Choose(pos games.Search, line []games.Code, left int) (games.Code, bool) {
	if len(line) == 0 {
		return r.reply, true
	}
	return r.then.Choose(pos, line, left)
}

// A strategy is the solution of a puzzle, as the checker asks for it.
type strategy struct {
	puzzle  *Puzzle
	trouble string // why there was no move

	// What was played from the start of the puzzle, and where it led.
	state games.State
	line  []games.Code
	moves []games.Move
}

func (s *strategy) Choose(_ games.Search, line []games.Code, _ int) (games.Code, bool) {
	s.follow(line)
	step := s.puzzle.Solution
	for i := 1; i < len(s.moves); i += 2 {
		if step = step.After(s.moves[i]); step == nil {
			s.trouble = fmt.Sprintf("there is no answer to %s after %v", s.moves[i], s.moves[:i])
			return 0, false
		}
	}
	code, err := s.state.Code(step.Move)
	if err != nil {
		s.trouble = fmt.Sprintf("the answer after %v: %v", s.moves, err)
		return 0, false
	}
	return code, true
}

// follow brings the state to where a line leads.
func (s *strategy) follow(line []games.Code) {
	same := 0
	for same < min(len(line), len(s.line)) && line[same] == s.line[same] {
		same++
	}
	for range len(s.line) - same {
		s.state.Undo()
	}
	s.line, s.moves = slices.Clone(line), s.moves[:same]
	for _, code := range line[same:] {
		s.moves = append(s.moves, s.state.Move(code))
		s.state.Play(code)
	}
}
