package people

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	relationstore "ludoteca/storage/relations"
)

// # Following, blocking and reporting the player of a profile

// isOther reports whether the profile belongs to another player and the session's player has an account.
func (s profile) isOther() bool {
	return s.loaded && s.env.Who.Kind.HasAccount() && s.found.ID != s.env.Who.Player()
}

// followWhat returns in English what the key f does now. blockWhat does the same for b.
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

// relate puts the player on a list, or takes them off, one wish at a time.
func (s profile) relate(kind relationstore.Kind, on bool) (profile, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	l, ctx, who, name, id, say := s.env.Lobby, s.env.Ctx, s.env.Who, s.found.Name, s.found.ID, s.env.Say
	return s, func() tea.Msg {
		shown, err := l.Relate(ctx, who, kind, name, on)
		follows, blocks := l.RelationTo(who, id)
		return companyMsg{say.Related(kind, shown, on), follows, blocks, err}
	}
}

func (s profile) report() (profile, tea.Cmd) {
	return s, screen.Push(NewReport(s.env, s.found.Name, ""))
}

// drawCompany reports whether the session's player follows or blocks this one.
func (s profile) drawCompany(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.blocks:
		p.Line(widget.MenuColumn, t.Dim, say.T("You block this player."))
	case s.follows:
		p.Line(widget.MenuColumn, t.Dim, say.T("You follow this player."))
	}
}
