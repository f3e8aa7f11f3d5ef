package lobby

import (
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
)

// matchNews is matches.News: what follows from what becomes of matches.
type matchNews struct{ *Lobby }

// Filed has lists, and who is remembered to be gone, follow the registry.
func (l matchNews) Filed(c registry.Change) {
	l.presence.Forget(c.Free...)
	l.lists.note(c)
	if c.Public || c.Plies { // who plays, and how their clocks stand
		l.whoChanged()
	}
}

// Changed ends the chat of a match that is over, and shows what has become of a rematch.
func (l matchNews) Changed(s *match.Summary, over bool) {
	if over {
		l.Chat.End(s.ID, l.presence.Audience(s.ID)) // after the registry has forgotten it
	}
	l.rematchChanged(s, over)
}

// Over counts a match that is over.
func (l matchNews) Over(v *match.View) {
	if v.Ratings != nil {
		l.leaderboards.rated(v.Game.About().ID)
	}
	l.countAbort(v)
	l.keepApart(&v.Summary)
}

// EndedElsewhere counts a match that has ended at another node and was not in memory here.
func (l matchNews) EndedElsewhere(last *match.Summary) {
	l.countLate(last)
	l.keepApart(last)
	if last.Rated {
		l.leaderboards.rated(last.Game.About().ID)
	}
}

// Loaded shows the rematch of a finished match.
func (l matchNews) Loaded(id storage.MatchID) { l.showRematch(id) }

// presenceNews is presence.Listener: what follows from who comes and goes.
type presenceNews struct{ *Lobby }

// Arrived tells those who follow a user.
func (l presenceNews) Arrived(u User) { l.arrived(u) }

// Left forgets the lists of somebody who is gone.
func (l presenceNews) Left(k match.Key) { l.lists.forget(k) }

// CameOrWent has the lists count people again.
func (l presenceNews) CameOrWent() { l.lists.noteHere() }

// Changed has the list of who is here made again.
func (l presenceNews) Changed() { l.whoChanged() }
