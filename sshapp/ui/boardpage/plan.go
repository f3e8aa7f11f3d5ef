package boardpage

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/plans"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
)

// A Plan is what the user has prepared for the other side's next moves, in a match with days a move. Nobody else sees it.
type Plan struct{ lines []string } // in sentences

// A PlanMsg is what the user has prepared. After a plan that could not be kept there is only the error.
type PlanMsg struct {
	plan Plan
	Err  error
}

// HasPlan reports whether a user may have a plan in a match.
func HasPlan(e *screen.Env, v *lobby.View) bool {
	_, seated := v.Side(e.Who)
	return e.Lobby.Plans != nil && seated && !v.Over && !v.Started.IsZero() && v.Clock.Setting.Kind == lobby.Correspondence && e.Who.Kind.HasAccount()
}

// ReadPlan asks for the user's plan, in a match that may have one.
func ReadPlan(e *screen.Env, v *lobby.View) tea.Cmd {
	if !HasPlan(e, v) {
		return nil
	}
	return func() tea.Msg {
		p, err := e.Lobby.Plans.Of(e.Ctx, e.Who, v.ID)
		return newPlanMsg(e, p, err)
	}
}

// AddToPlan adds a line of moves, from the position of a view on, to the user's plan.
func AddToPlan(e *screen.Env, v *lobby.View, line []games.Move) tea.Cmd {
	return func() tea.Msg {
		p, err := e.Lobby.Plans.Add(e.Ctx, e.Who, v.ID, v.Ply(), line)
		return newPlanMsg(e, p, err)
	}
}

// DropPlan drops the user's plan.
func DropPlan(e *screen.Env, v *lobby.View) tea.Cmd {
	return func() tea.Msg {
		p, err := e.Lobby.Plans.Clear(e.Ctx, e.Who, v.ID)
		return newPlanMsg(e, p, err)
	}
}

func newPlanMsg(e *screen.Env, p plans.Prepared, err error) PlanMsg {
	if err != nil {
		return PlanMsg{Err: err}
	}
	side, _ := p.View.Side(e.Who)
	var plan Plan
	for _, line := range p.Lines {
		plan.lines = append(plan.lines, e.Say.Planned(p.View.Position, side, line))
	}
	return PlanMsg{plan: plan}
}

// Take returns the plan after a message, or the one before if that has an error.
func (p Plan) Take(msg PlanMsg) Plan {
	if msg.Err != nil {
		return p
	}
	return msg.plan
}

// Empty reports whether nothing is prepared.
func (p Plan) Empty() bool { return len(p.lines) == 0 }

// fewPlanned is how many lines of a plan a panel shows.
const fewPlanned = 4

// Words returns the plan in one line, "" for none.
func (p Plan) Words(e *screen.Env) string {
	if len(p.lines) == 0 {
		return ""
	}
	words := e.Say.T("Planned: %s", p.lines[0])
	if more := len(p.lines) - 1; more > 0 {
		words += " " + e.Say.N(more, "And one more line.", "And %d more lines.")
	}
	return words
}

// Add adds the plan to a panel: its first lines beside a board, one below.
func (p Plan) Add(e *screen.Env, on *Panel, beside bool) {
	if p.Empty() {
		return
	}
	if !beside {
		on.Line(Run{e.Theme.Dim, text.Cut(p.Words(e), on.Width())})
		return
	}
	on.Gap()
	on.Line(Run{e.Theme.Accent, e.Say.T("Your plan, which only you see:")})
	for _, line := range p.lines[:min(len(p.lines), fewPlanned)] {
		on.Wrap(e.Theme.Plain, 0, line)
	}
	if more := len(p.lines) - fewPlanned; more > 0 {
		on.Line(Run{e.Theme.Dim, e.Say.N(more, "And one more line.", "And %d more lines.")})
	}
}
