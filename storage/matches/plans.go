package matches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// The bounds of a plan.
const (
	MaxPlanned  = 200 // moves in a plan
	maxMoveText = 64  // bytes of a move in a plan
)

// A Plan is what the player in a seat has prepared for the moves of the other side: a tree of moves. Only that player sees it. Its JSON form is
// the stored one.
type Plan struct {
	Ply       int           `json:"ply"`                 // how many moves the line had when the plan was made
	Takebacks int           `json:"takebacks,omitempty"` // how often moves had been taken back by then
	Moves     []PlannedMove `json:"moves"`
	At        time.Time     `json:"at"` // when it was made
}

// A PlannedMove is a move of a plan.
type PlannedMove struct {
	After int        `json:"after,omitempty"` // the number of the move before it in the plan, from 1 on; 0: it is the first one
	Move  games.Move `json:"move"`
}

// A PlanKey names the plan of a seat.
type PlanKey struct {
	Match storage.MatchID
	Seat  storage.Seat
}

// Plans are the plans of the seats of the matches that go on.
var Plans = storage.Table[PlanKey, Plan]{
	Name: "plans",
	Keys: storage.Join(storage.Text[storage.MatchID](nil), storage.Byte(),
		func(k PlanKey) (storage.MatchID, byte) { return k.Match, byte(k.Seat) },
		func(id storage.MatchID, seat byte) PlanKey { return PlanKey{id, storage.Seat(seat)} }).
		ShownAs(func(k PlanKey) string { return fmt.Sprintf("%s seat %d", storage.Printable([]byte(k.Match)), k.Seat) }),
	Values: storage.JSON[PlanKey, Plan](1),
	Check: func(k PlanKey, p Plan) error {
		if checkPlan(k, p) != nil {
			return storage.Damaged("a plan of %d moves", len(p.Moves))
		}
		return nil
	},
}

func checkPlan(k PlanKey, p Plan) error {
	if k.Seat != storage.FirstSeat && k.Seat != storage.SecondSeat || p.Ply < 0 || p.Takebacks < 0 || len(p.Moves) == 0 || len(p.Moves) > MaxPlanned {
		return fmt.Errorf("%w: a plan of %d moves for seat %d", storage.ErrInvalid, len(p.Moves), k.Seat)
	}
	for i, m := range p.Moves {
		if m.After < 0 || m.After > i || m.Move == "" || len(m.Move) > maxMoveText {
			return fmt.Errorf("%w: the planned move %q after number %d", storage.ErrInvalid, m.Move, m.After)
		}
		if err := storage.CheckText(string(m.Move)); err != nil {
			return err
		}
	}
	return nil
}

// SetPlan keeps the plan of a seat in place of the one there. seq is the number of the last event of the match that the player has seen. The
// errors are storage.ErrStale if the match has another one by now, or has ended, and storage.ErrInvalid.
func (s *Store) SetPlan(ctx context.Context, k PlanKey, seq uint64, p Plan) error {
	p.At = storage.Stored(p.At)
	return storage.Update(ctx, s.engine, fmt.Sprintf("plan for match %s", k.Match), func(tx kv.Tx) error {
		if err := errors.Join(storage.CheckKeys(string(k.Match)), checkPlan(k, p)); err != nil {
			return err
		}
		if _, err := checkNext(tx, k.Match, seq+1); err != nil {
			return err
		}
		return Plans.Put(tx, k, p)
	})
}

// Plan returns the plan of a seat. The error is storage.ErrNotFound if there is none.
func (s *Store) Plan(ctx context.Context, k PlanKey) (Plan, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("plan for match %s", k.Match), func(r kv.Reader) (Plan, error) { return Plans.Get(r, k) })
}

// DropPlan removes the plan of a seat, if there is one.
func (s *Store) DropPlan(ctx context.Context, k PlanKey) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("plan for match %s", k.Match), func(tx kv.Tx) error {
		Plans.Delete(tx, k)
		return nil
	})
}

// planned reports whether the side to move in a match has a plan. Only matches with days a move have plans.
func planned(r kv.Reader, m Summary) (bool, error) {
	if !hasDays(m.Opening.Clock) || m.Turn == storage.Nobody {
		return false, nil
	}
	return Plans.Has(r, PlanKey{m.ID, m.Turn})
}

// hasDays reports whether a clock counts days.
func hasDays(clock string) bool { return len(clock) > 0 && clock[len(clock)-1] == 'd' }
