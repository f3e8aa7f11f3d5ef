package live

import (
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A Waiting is the state of a match that is not in its log: times of its people, by the machine's clock. It stays in memory when the match
// itself does not: with the summary, it says when the match has to end because a user is gone.
type Waiting struct {
	SeatedAt  [2]time.Time // when the occupant of a side sat down, or the program started; zero: there is none
	OwnerHere bool         // the owner of an offer that ends when they leave has been here since it was opened, or the program started
	ChangedAt time.Time    // when the match last changed, or the program started
	ReadAt    time.Time    // when a reader of the match last came or left; a time before the start of the program if none has since
	FirstMove firstMove    // of a match that limits first moves
}

// A firstMove is the timer of the first move of the side to move, by the machine's clock.
type firstMove struct {
	made     int       // moves when the timer began
	since    time.Time // when both players were first here after that; zero: not yet
	absent   bool      // a player was gone at the last call of firstMoveAt
	returned time.Time // when both players were here again
}

// returnGrace is the least time that the side to move has for its first move after both players are here again.
const returnGrace = 30 * time.Second

// firstMoveAt returns when the time of the side to move for its first move is up, in a match without a clock: match.FirstMove after both players
// were first here. It returns zero while a player is gone, and in a match that doesn't limit first moves. It must be called whenever a player
// comes or goes.
func (w *Waiting) firstMoveAt(c *Schedule, s *match.Summary) time.Time {
	if !s.LimitsFirstMoves() {
		return time.Time{}
	}
	f, now := &w.FirstMove, time.Now()
	if f.made != s.Made() {
		*f = firstMove{made: s.Made()}
	}
	for _, o := range s.Seats {
		if _, gone := c.Presence.Away(match.KeyOf(o)); gone {
			f.absent = true
			return time.Time{}
		}
	}
	switch {
	case f.since.IsZero():
		f.since = now
	case f.absent:
		f.returned = now
	}
	f.absent = false
	return later(f.since.Add(match.FirstMove), f.returned.Add(returnGrace))
}

// flagAt returns when the match ends unless the side to move makes a move, by the machine's clock; zero for never.
func (w *Waiting) flagAt(c *Schedule, s *match.Summary) time.Time {
	if at := c.machineTime(s.FlagAt()); !at.IsZero() {
		return at
	}
	return w.firstMoveAt(c, s)
}

// Restarted returns the Waiting of a match when the program starts.
func Restarted(s *match.Summary) Waiting {
	now := time.Now()
	w := Waiting{ChangedAt: now, ReadAt: now.Add(-watchedLingers)}
	w.seat(s, now)
	return w
}

// Changed is called when another node has written to the match while it is not in memory here.
func (w *Waiting) Changed(s *match.Summary) {
	w.ChangedAt = time.Now()
	w.seat(s, w.ChangedAt)
}

// seat sets SeatedAt of newly taken seats to now.
func (w *Waiting) seat(s *match.Summary, now time.Time) {
	for side, o := range s.Seats {
		if o.Kind != storage.Free && w.SeatedAt[side].IsZero() {
			w.SeatedAt[side] = now
		}
	}
}

// Due returns when a match that is not in memory has something to do. It is due at once if a computer player has to move or to answer, the side to
// move has a plan, or the clock has to be resumed, and later when a user leaves it, a player's time is up, or an exhibition has been unwatched for
// too long. The time is zero if nothing is due, or another node owns the match.
func (w *Waiting) Due(c *Schedule, s *match.Summary) time.Time {
	if !c.Owned(s.ID) {
		return time.Time{}
	}
	_, at := w.leaving(c, s)
	switch {
	case s.Exhibition() && c.LookedAt(s.ID):
		return w.ChangedAt
	case s.Exhibition():
		return w.ReadAt.Add(Unwatched)
	case s.BotToAct(), c.MustResume(s), s.Planned:
		return w.ChangedAt
	}
	if flag := w.flagAt(c, s); !flag.IsZero() && (at.IsZero() || flag.Before(at)) {
		return flag
	}
	return at
}

// leaving returns which seat will leave the match and when, unless its occupant comes back before: the seat of a guest who has gone, or of the
// owner of an offer who has gone; Nobody for an offer that has waited too long. The time is zero if no seat will leave.
//
// A public offer to play now, or a rematch, ends at once with the last connection of its owner: a player who takes it must find an opponent at
// the board. Offers with a clock that counts days don't, nor do private offers, which are for a friend who may come at any time,
// nor challenges. An offer may set the time until which it waits. If a command opened the offer, or the club has just started, its owner
// has not been here yet: the offer then waits AwayOffer for them.
func (w *Waiting) leaving(c *Schedule, s *match.Summary) (seat storage.Seat, at time.Time) {
	waiting := s.Started.IsZero()
	sooner := func(s storage.Seat, t time.Time) {
		if at.IsZero() || t.Before(at) {
			seat, at = s, t
		}
	}
	for side, o := range s.Seats {
		offer := waiting && (s.Public || s.RematchOf != "") && s.Clock.Setting.Kind != clock.Correspondence
		if o.Kind != storage.Guest && (!o.Kind.HasAccount() || !offer) {
			continue
		}
		since, gone := c.Presence.Away(match.KeyOf(o))
		if !gone {
			w.OwnerHere = w.OwnerHere || offer
			continue
		}
		patience := c.AwayGuest
		switch {
		case offer && (w.OwnerHere || !since.Before(w.SeatedAt[side])):
			patience = 0
		case offer:
			patience = AwayOffer
		}
		sooner(storage.SeatOf(games.Side(side)), later(since, w.SeatedAt[side]).Add(patience))
	}
	if !waiting {
		return seat, at
	}
	if s.Reserved.Kind == storage.Guest {
		if since, gone := c.Presence.Away(match.KeyOf(s.Reserved)); gone {
			sooner(storage.Nobody, later(since, w.ChangedAt).Add(c.AwayGuest))
		}
	}
	if until := c.machineTime(s.Until()); !until.IsZero() {
		sooner(storage.Nobody, until)
	}
	sooner(storage.Nobody, time.Now().Add(c.PrivateWait-c.Now().Sub(s.Opened)))
	return seat, at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
