package review

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
)

// In a match with days a move that goes on, the user may play on for both sides from the present position, and keep what was played as answers to
// the other side's next moves.

// NewPlan is New, but begins with trying moves from the present position on if the user may plan.
func NewPlan(e *screen.Env, ref lobby.Ref) screen.Screen {
	return reviewScreen{env: e, opens: clubMatch{ref}, planAtOnce: true}
}

// mayPlan reports whether the user may play on from the present position to make a plan.
func (p path) mayPlan(e *screen.Env) bool {
	if p.view == nil || p.ended || !boardpage.HasPlan(e, p.view) || p.inMatch() != len(p.view.Moves) {
		return false
	}
	_, err := p.view.MayPlan(e.Who)
	return err == nil
}

// planning reports whether the user plays on to make a plan.
func planning(s reviewScreen) bool { return s.trying() && s.mayPlan(s.env) }

// plans reports whether the user may make a plan from the board on.
func plans(s reviewScreen) bool { return s.variation == nil && s.mayPlan(s.env) }

// mayPlanLine returns nil while the user plays on to make a plan.
func mayPlanLine(s reviewScreen) error {
	if !planning(s) {
		return boardpage.ErrNotNow
	}
	return nil
}

// planLine keeps the moves that were played up to the board as a line of the user's plan.
func planLine(s reviewScreen) (reviewScreen, tea.Cmd) {
	return s, boardpage.AddToPlan(s.env, s.view, s.variation.Moves[:s.variation.At])
}

// mayDropPlan returns nil if there is a plan to drop.
func mayDropPlan(s reviewScreen) error {
	if s.plan.Empty() {
		return boardpage.ErrNotNow
	}
	return nil
}

func dropPlan(s reviewScreen) (reviewScreen, tea.Cmd) { return s, boardpage.DropPlan(s.env, s.view) }

// tryWhat says in English what trying moves is for.
func tryWhat(s reviewScreen) string {
	if plans(s) {
		return text.T("plan moves")
	}
	return text.T("try moves")
}

// planEndedMsg says that the match of a plan is over.
type planEndedMsg struct{}

// awaitEnd waits for the end of a match in which the user may have a plan: the review keeps the match as it was, but a plan of one that is over is
// none.
func awaitEnd(s reviewScreen) tea.Cmd {
	ref, err := s.source.shared()
	if err != nil || !boardpage.HasPlan(s.env, s.view) {
		return nil
	}
	l, ctx, who, after := s.env.Lobby, s.analysis.ctx, s.env.Who, s.view.Seq
	return func() tea.Msg {
		seat, err := l.At(ctx, who, ref)
		for err == nil {
			var v *lobby.View
			if v, err = seat.Next(ctx, after); err == nil && v.Over {
				return planEndedMsg{}
			} else if err == nil {
				after = v.Seq
			}
		}
		return nil
	}
}
