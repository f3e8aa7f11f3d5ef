package live

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Planned moves
//
// This file plays the moves of plans; package match says which one a plan has, and package plans keeps them.
//
// After each change in a match with days a move, its owner reads the plan of the side to move and plays the move that the plan has. The other
// side's move is in the log and visible by then: the answer is an append of its own. If the program is killed in between, the summary says that the
// side to move has a plan, so the match is due when the program starts again, or when another node becomes the owner.

// Plans has what players have prepared; see plans.Stored.
type Plans interface {
	Plan(ctx context.Context, id storage.MatchID, side games.Side) (p matches.Plan, ok bool, err error)
	Drop(ctx context.Context, id storage.MatchID, side games.Side) error
}

// plannedMoves plays what the plan of the side to move has. Only the match's goroutine uses it.
type plannedMoves struct {
	config *Config
	looked bool // at the plan, since the last change
}

// changed says that the match has changed or was loaded.
func (p *plannedMoves) changed() { p.looked = false }

// due reports whether the side to move may have a plan that has not been read since the last change.
func (p *plannedMoves) due(s *match.State) bool {
	if p.looked || s.Seq == 0 || s.Over() {
		return false
	}
	summary := s.Summary()
	return summary.MayHavePlan()
}

// play reads the plan of the side to move and passes the act that plays its move to do. It drops a plan that the match has left. If the plan has
// nothing to play now, it calls idle: then due reports false.
func (p *plannedMoves) play(ctx context.Context, s *match.State, do func(match.Act) error, idle func()) error {
	side := s.Turn()
	plan, ok, err := p.config.Plans.Plan(ctx, s.ID, side)
	if err != nil {
		return err
	}
	if ok {
		seat := storage.SeatOf(side)
		m, state := s.Planned(seat, plan)
		if state == match.PlanPlays && checkMove(s.Position, m) == nil {
			return do(match.PlayPlanned(seat, m))
		}
		if state != match.PlanWaits {
			if err := p.config.Plans.Drop(ctx, s.ID, side); err != nil {
				return err
			}
		}
	}
	p.looked = true
	idle()
	return nil
}
