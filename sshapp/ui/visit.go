package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/presence"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/tells"
	"ludoteca/sshapp/ui/screen"
)

// A visit tells the lobby where the session is, and that its player has pressed a key.
type visit struct {
	session *presence.Session // nil before the player is present
	place   atboard.Place     // as the lobby was told
}

// enter makes the player present until the session ends. dropped reports whether the line of the client died; nil: it never does.
func enter(e *screen.Env, dropped func() bool) tea.Cmd {
	l, ctx, who, from := e.Lobby, e.Ctx, e.Who, e.Origin
	return func() tea.Msg {
		context.AfterFunc(ctx, l.Connect(who, from))
		session := l.Visit(who, true)
		context.AfterFunc(ctx, func() {
			if session != nil {
				session.Leave(dropped != nil && dropped())
			}
		})
		news, leave := l.Arrivals(who)
		context.AfterFunc(ctx, leave)
		if l.Together == nil || who.ID == "" {
			return listeningMsg{from: news, visit: session}
		}
		var told *tells.Incoming
		if l.Tells != nil {
			told, leave = l.Tells.Listen(who)
			context.AfterFunc(ctx, leave)
		}
		invitations, leave := l.Together.Listen(who)
		context.AfterFunc(ctx, leave)
		return listeningMsg{news, invitations, told, session}
	}
}

// follow tells the lobby of a key and of the session's place, if that has changed. It reports whether the session is at another match now.
func (v *visit) follow(pressed bool, place atboard.Place) (moved bool) {
	if v.session == nil {
		return false
	}
	if pressed {
		v.session.Pressed()
	}
	if place == v.place {
		return false
	}
	moved = place.Match != v.place.Match
	v.place = place
	v.session.AtPlace(place)
	return moved
}
