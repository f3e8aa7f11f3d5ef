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
	l.Lists.Note(c)
	if c.Public || c.Plies { // who plays, and how their clocks stand
		l.People.Changed()
	}
}

// Changed ends the chat of a match that is over, and shows what has become of a rematch.
func (l matchNews) Changed(s *match.Summary, over bool) {
	if over {
		l.Chat.End(s.ID, l.presence.Audience(s.ID)) // after the registry has forgotten it
	}
	l.Rematches.Changed(s, over)
}

// Over counts a match that is over.
func (l matchNews) Over(v *match.View) {
	if v.Ratings != nil {
		l.Standings.Rated(v.Game.About().ID)
	}
	l.Manners.CountAbort(v)
	l.Manners.KeepApart(&v.Summary)
}

// EndedElsewhere counts a match that has ended at another node and was not in memory here.
func (l matchNews) EndedElsewhere(last *match.Summary) {
	l.Manners.CountLate(last)
	l.Manners.KeepApart(last)
	if last.Rated {
		l.Standings.Rated(last.Game.About().ID)
	}
}

// Loaded shows the rematch of a finished match.
func (l matchNews) Loaded(id storage.MatchID) { l.Rematches.Show(id) }

// presenceNews is presence.Listener: what follows from who comes and goes.
type presenceNews struct{ *Lobby }

// Arrived tells those who follow a user.
func (l presenceNews) Arrived(u User) { l.Relations.Arrived(u) }

// Left forgets the lists of somebody who is gone.
func (l presenceNews) Left(k match.Key) { l.Lists.Forget(k) }

// CameOrWent has the lists count people again.
func (l presenceNews) CameOrWent() { l.Lists.NoteHere() }

// Changed has the list of who is here made again.
func (l presenceNews) Changed() { l.People.Changed() }
