package match

import (
	"errors"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Plans
//
// This file has the rules of plans: which are allowed, and which move one has for a match as it stands. Package plans keeps them, package live plays
// their moves.
//
// A player who waits for the other side's move may prepare answers, in a match whose clock counts days: if e4, then d5. A plan is a tree of moves
// from the present position on. Where the other side moves it may have several moves, where the player moves it has one. The match plays the
// answer as soon as the other side's move is in the log, as an ordinary move of the seat that costs no time.
//
// A plan is no part of the state: only its player sees it, and the log has the moves that were played alone. It is dropped when the line of the
// match leaves it, when a move is taken back, and when the match ends. While the other side's offer is open it waits: the player answers first.

// The reasons why a plan is refused.
var (
	ErrNoPlans    = errors.New("only a match with days a move has plans")
	ErrPlanTurn   = errors.New("it is your turn: move first, then plan")
	ErrPlanLine   = errors.New("a line of a plan begins with a move of the other side and ends with one of yours")
	ErrTwoAnswers = errors.New("the plan has two answers to one move")
	ErrLongPlan   = errors.New("the plan has too many moves")
)

// MayPlan returns the seat for which a user may make a plan now, else why the user may not.
func (v *View) MayPlan(u User) (storage.Seat, error) {
	seat, err := v.state.playing(u)
	switch {
	case err != nil:
		return seat, err
	case v.Clock.Setting.Kind != clock.Correspondence, v.state.hotseat(), !u.Kind.HasAccount():
		return seat, ErrNoPlans
	case v.Turn == seat.Side():
		return seat, ErrPlanTurn
	}
	return seat, nil
}

// NewPlan returns the plan of a user that has all of some lines of moves, as people type them. Each begins with a move of the other side and ends
// with one of the user's. Moves of the other side at the end of a line are left out. It returns the errors of MayPlan, ErrPlanLine, ErrTwoAnswers,
// ErrLongPlan and *games.IllegalError.
func (v *View) NewPlan(u User, lines [][]games.Move, at time.Time) (matches.Plan, error) {
	seat, err := v.MayPlan(u)
	if err != nil {
		return matches.Plan{}, err
	}
	plan := v.emptyPlan(at)
	for _, line := range lines {
		read, turns, err := readLine(v.Position, line)
		if err != nil {
			return matches.Plan{}, err
		}
		if plan, err = withLine(plan, read, turns, seat.Side()); err != nil {
			return matches.Plan{}, err
		}
	}
	if len(plan.Moves) == 0 {
		return matches.Plan{}, ErrPlanLine
	}
	return plan, nil
}

// AddLine returns the plan of a user with one more line. Where the line has another answer than the plan before, the answer of the line counts, and
// what the plan before had after its own is gone. It returns the errors of NewPlan.
func (v *View) AddLine(u User, before matches.Plan, line []games.Move, at time.Time) (matches.Plan, error) {
	plan, err := v.NewPlan(u, [][]games.Move{line}, at)
	if err != nil {
		return matches.Plan{}, err
	}
	seat, _ := v.MayPlan(u)
	for _, old := range v.PlannedLines(before) {
		read, turns, err := readLine(v.Position, old)
		if err != nil {
			continue // the plan does not apply any more
		}
		next, err := withLine(plan, read, turns, seat.Side())
		if errors.Is(err, ErrLongPlan) {
			return matches.Plan{}, err
		}
		if err == nil {
			plan = next
		}
	}
	return plan, nil
}

func (v *View) emptyPlan(at time.Time) matches.Plan {
	return matches.Plan{Ply: v.Ply(), Takebacks: v.state.takebacks, At: moment(at)}
}

// maxPlanLine is the number of moves in the longest line that readLine reads.
const maxPlanLine = matches.MaxPlanned + 1

// readLine returns the moves of a line in canonical form, and the side that makes each.
func readLine(p games.Position, line []games.Move) (read []games.Move, turns []games.Side, err error) {
	if len(line) > maxPlanLine {
		return nil, nil, ErrLongPlan
	}
	for _, typed := range line {
		m, err := p.Read(string(typed))
		if err != nil {
			return nil, nil, err
		}
		turn := p.Turn()
		if p, err = p.Play(m); err != nil {
			return nil, nil, err
		}
		read, turns = append(read, m), append(turns, turn)
	}
	return read, turns, nil
}

// withLine returns a plan of a side with one more line, whose moves are legal.
func withLine(plan matches.Plan, line []games.Move, turns []games.Side, side games.Side) (matches.Plan, error) {
	for len(line) > 0 && turns[len(line)-1] != side {
		line = line[:len(line)-1]
	}
	if len(line) == 0 || turns[0] == side {
		return plan, ErrPlanLine
	}
	moves, at := slices.Clone(plan.Moves), 0
	for i, m := range line {
		next, others := child(moves, at, m)
		switch {
		case next != 0:
			at = next
			continue
		case others && turns[i] == side:
			return plan, ErrTwoAnswers
		case len(moves) == matches.MaxPlanned:
			return plan, ErrLongPlan
		}
		moves = append(moves, matches.PlannedMove{After: at, Move: m})
		at = len(moves)
	}
	plan.Moves = moves
	return plan, nil
}

// child returns the number of a move after another one in a plan, 0 if the plan doesn't have it. others reports whether it has any moves there.
func child(moves []matches.PlannedMove, after int, m games.Move) (number int, others bool) {
	for i, p := range moves {
		if p.After != after {
			continue
		}
		if others = true; p.Move == m {
			return i + 1, true
		}
	}
	return 0, others
}

// planAt returns the number of the move of a plan that the line of the match has come to, 0 for its beginning. ok is false if the match has left the
// plan.
func (s *State) planAt(p matches.Plan) (at int, ok bool) {
	if p.Takebacks != s.takebacks || p.Ply > len(s.Moves) {
		return 0, false
	}
	for _, m := range s.Moves[p.Ply:] {
		if at, _ = child(p.Moves, at, m); at == 0 {
			return 0, false
		}
	}
	return at, true
}

// A PlanState is what a plan has for a match as it stands.
type PlanState uint8

// The states of a plan.
const (
	PlanGone  PlanState = iota // the match has left it, or it has no more moves
	PlanWaits                  // for the other side's move, or for the answer to an offer
	PlanPlays                  // it has a move for the seat
)

// Planned returns what the plan of a seat has for the match as it stands, and the move if it is to be played now.
func (s *State) Planned(seat storage.Seat, p matches.Plan) (games.Move, PlanState) {
	at, ok := s.planAt(p)
	if !ok || s.Over() || s.Started.IsZero() {
		return "", PlanGone
	}
	for _, m := range p.Moves {
		if m.After != at {
			continue
		}
		other := storage.SeatOf(seat.Side().Other())
		if seat.Side() != s.Turn() || s.Offers.Draw == other || s.Offers.Takeback == other || s.Offers.Adjourn == other {
			return "", PlanWaits
		}
		return m.Move, PlanPlays
	}
	return "", PlanGone
}

// PlayPlanned plays a move that the plan of a seat has.
func PlayPlanned(seat storage.Seat, m games.Move) Act {
	return func(s *State) ([]matches.Event, error) {
		if seat.Side() != s.Turn() {
			return nil, ErrNotYourTurn
		}
		return []matches.Event{{Kind: matches.Moved, Seat: seat, Move: m, Planned: true}}, nil
	}
}

// PlannedLines returns what a plan still has for the match of a view, as lines of moves from the present position on. It is nil if the match has
// left the plan.
func (v *View) PlannedLines(p matches.Plan) (lines [][]games.Move) {
	at, ok := v.state.planAt(p)
	if !ok || v.Over {
		return nil
	}
	inner := make([]bool, len(p.Moves)+1)
	for _, m := range p.Moves {
		inner[m.After] = true
	}
	for i := range p.Moves {
		if inner[i+1] {
			continue
		}
		var line []games.Move
		n := i + 1
		for ; n != 0 && n != at; n = p.Moves[n-1].After {
			line = append(line, p.Moves[n-1].Move)
		}
		if n == at && len(line) > 0 {
			slices.Reverse(line)
			lines = append(lines, line)
		}
	}
	return lines
}

// MayHavePlan reports whether the side to move may have a plan: a person is to move in a match with days a move.
func (s *Summary) MayHavePlan() bool {
	return !s.Started.IsZero() && s.Clock.Setting.Kind == clock.Correspondence && !SameUser(s.Seats) && s.Seats[s.Turn].Kind.HasAccount()
}
