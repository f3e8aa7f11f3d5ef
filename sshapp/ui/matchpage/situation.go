package matchpage

import (
	"slices"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
)

// A situation is what all parts of the page know of the match: how it stands, and for whom.
type situation struct {
	env  *screen.Env
	seat *seats.Seat // nil until the match was found
	view *lobby.View // nil until the first one has come
}

// plays reports whether the player holds a seat.
func (m situation) plays() bool {
	if m.view == nil {
		return false
	}
	_, ok := m.view.Side(m.env.Who)
	return ok
}

// opponent returns the occupant of the other seat than the player's.
func (m situation) opponent() storage.Occupant {
	side, _ := m.view.Side(m.env.Who)
	return m.view.Seats[side.Other()]
}

// bothSeats reports whether two people play at this keyboard.
func (m situation) bothSeats() bool {
	return m.view.Holds(m.env.Who, games.First) && m.view.Holds(m.env.Who, games.Second)
}

// waiting reports whether the second seat is free.
func (m situation) waiting() bool { return m.view != nil && m.view.Started.IsZero() && !m.view.Over }

// running reports whether the match is being played.
func (m situation) running() bool { return m.view != nil && !m.view.Started.IsZero() && !m.view.Over }

// inPlay reports whether the match is being played and the player holds a seat.
func (m situation) inPlay() bool { return m.running() && m.plays() }

// hasPlayed reports whether the player held a seat in a match that is over.
func (m situation) hasPlayed() bool { return m.view.Over && m.plays() }

// neverStarted reports whether a seat is still free.
func (m situation) neverStarted() bool {
	return m.view.Seats[games.First].Kind == storage.Free || m.view.Seats[games.Second].Kind == storage.Free
}

// awaitsFriend reports whether the player waits for an opponent who may come with the code.
func (m situation) awaitsFriend() bool {
	return m.waiting() && m.plays() && m.view.Reserved.Kind == storage.Free
}

// rings reports whether the bell rings for what is new: the other side has moved, come, asked or ended the match.
func (m situation) rings(old *lobby.View) bool {
	if !m.plays() || m.bothSeats() {
		return false
	}
	items := news.Between(old, m.view, m.env.Who)
	if len(items) > 0 && items[0].Kind == news.TakenBack {
		return false
	}
	return slices.ContainsFunc(items, func(i news.Item) bool { return i.WantsAct() || i.OfYours() && (m.view.Over || i.Kind != news.Declined) })
}

// names returns the names of the players, by side.
func (m situation) names() [2]string {
	names := describe.Names(m.env, m.view.Game, m.view.Seats)
	for side, o := range m.view.Seats {
		switch {
		case o.Kind != storage.Free:
		case m.view.Reserved.Kind != storage.Free:
			names[side] = describe.Occupant(m.env, m.view.Reserved)
		default:
			names[side] = m.env.Say.T("nobody yet")
		}
	}
	return names
}

// standing says in two words how things stand.
func (m situation) standing() string {
	say := m.env.Say
	switch {
	case m.view.Over:
		return say.T("over")
	case m.waiting():
		return say.T("waiting")
	case m.bothSeats():
		return say.T("%s to move", describe.SideName(m.env, m.view.Game.About(), int(m.view.Turn))) // the player's name is there already
	case m.view.YourTurn(m.env.Who):
		return say.T("your move")
	case m.plays():
		return say.T("waiting")
	}
	return say.T("watching")
}

// WindowTitle returns "your move" if the player is to move.
func (m situation) WindowTitle() string {
	if m.view != nil && m.view.YourTurn(m.env.Who) && !m.bothSeats() {
		return m.env.Say.T("your move")
	}
	return ""
}

// ConfirmLeave returns a question while a match goes on.
func (m situation) ConfirmLeave() string {
	say := m.env.Say
	switch {
	case !m.inPlay():
		return ""
	case m.env.Who.Player() == "":
		return say.T("Guests who leave lose their match after a while. Leave? ctrl+c once more.")
	}
	if !m.view.Clock.Deadline().IsZero() {
		return say.T("Your clock runs on while you are away. Leave? ctrl+c once more.")
	}
	return say.T("Your match goes on, and waits for you here. Leave? ctrl+c once more.")
}

// ConfirmBack returns a question while the player's match goes on by the clock, so that one esc too many, meant to release a piece, costs no
// time.
func (m situation) ConfirmBack() string {
	if !m.inPlay() || !m.view.Clock.Running() || m.view.Clock.Setting.Kind != lobby.Fischer {
		return ""
	}
	return m.env.Say.T("Your clock runs on while you are away. Leave the board? esc once more.")
}

// InMatch keeps the session from ending while a match goes on.
func (m situation) InMatch() bool { return m.running() }

// Place implements screen.Board.
func (m situation) Place() (p atboard.Place) {
	if m.view != nil {
		p.Match = m.view.ID
	}
	return p
}

// EventBoard returns the board of an event to which the match belongs.
func (m situation) EventBoard() (of storage.TournamentBoard) {
	if m.view != nil {
		of = m.view.Tournament
	}
	return of
}
