package people

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// # Following, blocking and reporting the player of a profile

// reasonCells is how wide the reason of a report may be.
const reasonCells = 200

// reportKeys are the keys while the reason of a report is typed. All others are text.
var reportKeys = widget.Actions[profile]{Footer: []widget.Action[profile]{
	widget.On("enter", text.T("report"), profile.sendReport, "enter"),
	widget.On("esc", text.T("back"), profile.endReport, "esc"),
}}

func (s profile) keys() *widget.Actions[profile] {
	if s.reporting {
		return &reportKeys
	}
	return &profileKeys
}

// press handles a key: one of keys, or text of a reason.
func (s profile) press(msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	if run, ok := s.keys().Find(s, msg.String()); ok {
		return run(s, msg)
	}
	if s.reporting {
		s.reason, _ = s.reason.Typed(msg, reasonCells)
	}
	return s, nil
}

// isOther says whether the profile is that of somebody else, and the session's player has an account.
func (s profile) isOther() bool {
	return s.loaded && s.env.Who.Kind == storage.Person && s.found.ID != s.env.Who.Player()
}

// followWhat and blockWhat say in English what f and b do now.
func (s profile) followWhat() string {
	if s.follows {
		return text.T("unfollow")
	}
	return text.T("follow")
}

func (s profile) blockWhat() string {
	if s.blocks {
		return text.T("unblock")
	}
	return text.T("block")
}

func (s profile) follow() (profile, tea.Cmd) { return s.relate(lobby.Following, !s.follows) }
func (s profile) block() (profile, tea.Cmd)  { return s.relate(lobby.Blocked, !s.blocks) }

// relate puts the player on a list, or takes them off.
func (s profile) relate(kind storage.RelationKind, on bool) (profile, tea.Cmd) {
	l, who, name, id, say := s.env.Lobby, s.env.Who, s.found.Name, s.found.ID, s.env.Say
	return s.ask(func(ctx context.Context) companyMsg {
		shown, err := l.Relate(ctx, who, kind, name, on)
		follows, blocks := l.RelationTo(who, id)
		return companyMsg{say.Related(kind, shown, on), follows, blocks, err}
	})
}

// ask asks the lobby for one thing at a time.
func (s profile) ask(request func(ctx context.Context) companyMsg) (profile, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	ctx := s.env.Ctx
	return s, func() tea.Msg { return request(ctx) }
}

func (s profile) report() (profile, tea.Cmd) {
	s.reporting = true
	return s, nil
}

func (s profile) endReport() (profile, tea.Cmd) {
	s.reporting, s.reason = false, widget.Entry{}
	return s, nil
}

func (s profile) sendReport() (profile, tea.Cmd) {
	reason := s.reason.Text
	if reason == "" {
		return s, nil
	}
	s, _ = s.endReport()
	l, who, from, name, say, follows, blocks := s.env.Lobby, s.env.Who, s.env.Origin, s.found.Name, s.env.Say, s.follows, s.blocks
	return s.ask(func(ctx context.Context) companyMsg {
		r, err := l.Report(ctx, who, from, name, "", reason)
		return companyMsg{say.T("Thank you. The operator will look at what you say about %s.", r.AboutName), follows, blocks, err}
	})
}

// drawCompany says whether the session's player follows or blocks this one, and shows the reason that is typed.
func (s profile) drawCompany(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.reporting:
		p.End()
		room := p.Width - 2*widget.MenuColumn
		p.Wrap(widget.MenuColumn, t.Accent, say.T("Why? It goes to the operator of the club, with the chat of your last match:"), room)
		shown := s.reason.Text
		for text.Width(shown) >= max(room, 1) && shown != "" {
			shown = string([]rune(shown)[1:])
		}
		p.Line(widget.MenuColumn, t.Bold, shown+"_")
	case s.blocks:
		p.Line(widget.MenuColumn, t.Dim, say.T("You block this player."))
	case s.follows:
		p.Line(widget.MenuColumn, t.Dim, say.T("You follow this player."))
	}
}
