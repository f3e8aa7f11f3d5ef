package matchpage

import (
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/presence"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/storage"
)

// The lines of the panel about the people at a board: the presence of the players, and the spectators. Both come with the views of the match.
// The time for which a player has been gone is as of the last drawing.

// players returns the lines of both players.
func (s matchScreen) players(names [2]string) (lines [2]boardpage.PlayerLine) {
	e, now := s.env, s.env.Now()
	ratings, clocks := describe.Strengths(e, s.view), boardpage.ShownClocks(e, s.view, now)
	for side, name := range names {
		lines[side] = boardpage.PlayerLine{Name: name, Rating: ratings[side], Clock: clocks[side]}
		if o := s.view.Seats[side]; s.showsPresence() && isPerson(o) {
			near := s.view.Presence[side]
			if e.Is(o) {
				near = lobby.Presence{Near: lobby.Here} // whatever the others have seen yet
			}
			lines[side].Mark, lines[side].Absent = s.nearness(near, now)
		}
	}
	return lines
}

func isPerson(o storage.Occupant) bool { return o.Kind == storage.Person || o.Kind == storage.Guest }

// showsPresence reports whether the names have presence marks. They do while the match goes on, and at its end for its players, who may want
// another match. A user who plays alone needs no marks.
func (s matchScreen) showsPresence() bool {
	if !s.plays() {
		return !s.view.Over
	}
	side, _ := s.view.Side(s.env.Who)
	return !s.bothSeats() && isPerson(s.view.Seats[side.Other()])
}

// nearness returns the mark for a player's presence and, if they aren't here, long and short words for it.
func (s matchScreen) nearness(p lobby.Presence, now time.Time) (mark boardpage.Run, absent [2]string) {
	t, say := s.env.Theme, s.env.Say
	if p.Near == lobby.Here {
		return boardpage.Run{Style: t.Accent, Text: t.Here}, absent
	}
	mark, absent[0] = boardpage.Run{Style: t.Dim, Text: t.Away}, say.Nearness(p, now)
	if p.Near == lobby.Gone {
		if !p.Command || now.Sub(p.Since) >= presence.IdleAfter { // who has just given a command isn't gone
			mark = boardpage.Run{Style: t.Bold, Text: t.Gone}
		}
		if gone := now.Sub(p.Since); gone >= time.Minute {
			absent[1] = say.Span(gone)
		}
	}
	return mark, absent
}

// addSpectators says how many watch, and who. Below a board the line stands in the place of the empty one, where there is room for more.
func (s matchScreen) addSpectators(p *boardpage.Panel, beside bool) {
	words := s.env.Say.Spectators(s.view.Spectators, p.Width())
	if words == "" || !beside && p.Room() < 2 {
		return
	}
	p.Line(boardpage.Run{Style: s.env.Theme.Dim, Text: words})
	if !beside {
		p.SkipGap()
	}
}
