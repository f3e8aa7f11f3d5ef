package lobby

import (
	"context"
	"slices"

	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// # Callbacks
//
// What services tell others that are made after them. Nothing is told before New has made them all. A service that can wait for another one waits
// on a feed or a channel of it instead.

// nodeNews is nodes.Listener.
type nodeNews struct{ *Lobby }

// Changed has the matches, tournaments and standing offers that this node owns now go on here.
func (l nodeNews) Changed() {
	l.Matches.Failover.OwnersChanged()
	l.Tournaments.Unfinished.WakeAll()
	l.Standing.Wake()
}

// Outage gives clocks back the time during which no node was up.
func (l nodeNews) Outage(o clusterstore.Outage) { l.Matches.Failover.ClubDown(o) }

// accountsChanged does what follows from a change of accounts, made here or at another node.
func (l *Lobby) accountsChanged(ctx context.Context, c restrictions.Change) {
	if c.InForce {
		for id, name := range l.Restrictions.Names() {
			l.base.here.Rename(personKey(id), name)
		}
		l.Lounge.Close(l.Restrictions.LoungeClosed())
	}
	for _, id := range c.Renamed {
		l.Lists.NoteOwn(personKey(id)) // presence does so for users who are here, but others read lists too
	}
	if c.InForce || len(c.Became) > 0 {
		l.Standings.Changed()
	}
	if c.Records || c.Elsewhere {
		l.Matches.Finished.RecordsChanged()
	}
	for _, id := range c.Deleted {
		l.forget(id)
	}
	if c.InForce {
		l.endSessions(ctx, c.Closed) // also at the closing of another node that this one hasn't followed yet
		l.Standing.Wake()
	}
	if c.Elsewhere {
		return // the other node has done the rest, and relations are rows of their own
	}
	for _, id := range slices.Concat(c.Deleted, c.Left) {
		l.Relations.Forget(id)
	}
	for _, id := range c.Deleted {
		l.Matches.Ending.EndOf(ctx, id, match.Abandon)
		l.Tournaments.Unfinished.WakeAll()
	}
	for _, id := range c.Merged {
		l.Vacations.Merged(ctx, id)
	}
}

// forget has the services that keep something of a player in memory forget a player whose account is deleted.
func (l *Lobby) forget(id storage.PlayerID) {
	for _, s := range []interface{ Forget(storage.PlayerID) }{l.Notices, l.Standing, l.Vacations, l.Chat, l.Lounge} {
		s.Forget(id)
	}
}

// endSessions ends the sessions of users who are banned, and of players whose accounts are closed.
func (l *Lobby) endSessions(ctx context.Context, closed []storage.PlayerID) {
	sessions := l.Sessions.Served()
	sessions.EndBanned()
	for _, id := range closed {
		if keys, err := l.base.store.Keys(ctx, id); err == nil {
			sessions.EndKeys(keys, ErrAccountClosed)
		}
	}
}

func personKey(id storage.PlayerID) match.Key {
	return match.Key{Kind: storage.Person, ID: string(id)}
}

// relationNews is relations.News.
type relationNews struct{ *Lobby }

// Changed has the list of who is here made again.
func (l relationNews) Changed() { l.People.Changed() }

// Blocked withdraws the offers between two users of whom one blocks the other, and ends the review that they look at together.
func (l relationNews) Blocked(a, b User) {
	l.Manners.WithdrawBetween(a, b)
	l.Together.Separate(a, b)
}

// presenceNews is presence.Listener.
type presenceNews struct{ *Lobby }

// Arrived tells those who follow a user, and has the user's standing offers opened.
func (l presenceNews) Arrived(u User) {
	l.Relations.Arrived(u)
	l.Standing.Arrived(u)
}

// Left forgets the lists of a user who is gone, and the nickname of a guest.
func (l presenceNews) Left(k match.Key) {
	l.Lists.Forget(k)
	l.Nicknames.Left(k)
}

// CameOrWent has the lists count people again.
func (l presenceNews) CameOrWent() { l.Lists.NoteHere() }

// Renamed has the lists of a user show the new name.
func (l presenceNews) Renamed(k match.Key) { l.Lists.NoteOwn(k) }

// Changed has the list of who is here made again.
func (l presenceNews) Changed() { l.People.Changed() }

// matchNews is matches.News.
type matchNews struct{ *Lobby }

// Filed has lists, and who is remembered to be gone, follow the registry.
func (l matchNews) Filed(c registry.Change) {
	l.base.here.Forget(c.Free...)
	l.Lists.Note(c)
	if c.Public || c.Plies { // who plays, and how their clocks stand
		l.People.Changed()
	}
}

// Changed ends the chat of a match that is over, and shows what has become of a rematch.
func (l matchNews) Changed(s *match.Summary, over bool) {
	if over {
		l.Chat.End(s.ID, l.base.here.Audience(s.ID)) // after the registry has forgotten it
		l.Standing.Ended(s.ID)
		if s.InTournament() {
			l.Tournaments.Unfinished.Wake(s.Tournament.ID)
		}
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
