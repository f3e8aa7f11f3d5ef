package lobby

import (
	"context"

	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// # Callbacks
//
// What services tell others that are made after them. Nothing is told before New has made them all.

// nodeNews hears which nodes are up, and whether this one reaches the store.
type nodeNews struct{ *Lobby }

// Changed says that the live nodes have changed, or that this node was cut off or reached the store again.
func (l nodeNews) Changed() {
	l.Matches.Failover.OwnersChanged()
	l.Tournaments.Unfinished.WakeAll()
	l.Standing.Wake()
	l.StillCutOff()
}

// StillCutOff publishes whether this node is cut off, and whether that is because the store is full, if it is something new.
func (l nodeNews) StillCutOff() {
	l.Bulletin.CutOff(func() (cutOff, full bool) {
		cutOff = l.base.node.CutOff()
		return cutOff, cutOff && l.base.reach.StoreFull()
	})
}

// Outage gives clocks back the time during which no node was up.
func (l nodeNews) Outage(o clusterstore.Outage) { l.Matches.Failover.ClubDown(o) }

// Rejoined writes the rows of this node again, which were removed while the others thought it gone.
func (l nodeNews) Rejoined() {
	l.Presence.Rejoined()
	l.Nicknames.Rejoined()
}

// peopleNews hears what operators and players do to accounts.
type peopleNews struct{ *Lobby }

// Named says that a player has another name. isNew is false when the names of the store are read.
func (l peopleNews) Named(who match.Key, name string, isNew bool) {
	l.base.here.Rename(who, name)
	if isNew {
		l.Lists.NoteOwn(who) // sessions of the player show the name
	}
}

// Elsewhere does what follows here from what operators have decided, or players have done to their accounts, at another node.
func (l peopleNews) Elsewhere(ctx context.Context, closed, deleted []storage.PlayerID) {
	l.Standings.Changed()
	l.Matches.Finished.RecordsChanged()
	sessions := l.Sessions.Served()
	sessions.EndBanned()
	for _, id := range closed {
		if keys, err := l.base.store.Keys(ctx, id); err == nil {
			sessions.EndKeys(keys, ErrAccountClosed)
		}
	}
	l.Standing.Wake()
	for _, id := range deleted {
		l.Notices.Forget(id)
		l.Standing.Forget(id)
		l.Vacations.Forget(id)
		l.Chat.Forget(match.Key{Kind: storage.Person, ID: string(id)})
		l.Lounge.Forget(match.Key{Kind: storage.Person, ID: string(id)})
	}
}

// Deleted does what follows from an account that its player has deleted here.
func (l peopleNews) Deleted(ctx context.Context, id storage.PlayerID) {
	l.Relations.Forget(id)
	l.Notices.Forget(id)
	l.Standing.Forget(id)
	l.Vacations.Forget(id)
	l.Chat.Forget(match.Key{Kind: storage.Person, ID: string(id)})
	l.Lounge.Forget(match.Key{Kind: storage.Person, ID: string(id)})
	l.Matches.Ending.EndOf(ctx, id, match.Abandon)
	l.Tournaments.Unfinished.WakeAll()
}

// LoungeClosed closes or opens the lounge, as operators have decided.
func (l peopleNews) LoungeClosed(closed bool) {
	if l.Lounge != nil { // else it is being made
		l.Lounge.Close(closed)
	}
}

// Related has the list of who is here made again.
func (l peopleNews) Related() { l.People.Changed() }

// Blocked withdraws the offers between two users of whom one blocks the other, and ends the review that they look at together.
func (l peopleNews) Blocked(a, b User) {
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

// Changed has the list of who is here made again.
func (l presenceNews) Changed() { l.People.Changed() }

// standing is seats.Standing: the service of standing offers is made after the one of seats.
type standing struct{ *Lobby }

// Taking returns nil if a user may take an untaken match, as far as standing offers go.
func (l standing) Taking(u User, id storage.MatchID) (done func(), err error) {
	return l.Standing.Taking(u, id)
}

// Withdrawn ends the standing offer of a user to which an untaken match belongs.
func (l standing) Withdrawn(ctx context.Context, u User, id storage.MatchID) (bool, error) {
	return l.Standing.Withdrawn(ctx, u, id)
}

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
