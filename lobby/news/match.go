package news

import (
	"context"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// Between returns what happens in a match between two views of it, the older one first, in the order in which it is told: moves of others, and
// that moves were taken back; that the match begins or is over; that it is the user's move; offers, their answers, what makes the clock stand, and
// whether the opponent is there. What the user does is not news.
func Between(old, v *match.View, u match.User) (items []Item) {
	if old.Over {
		return rematch(old, v, u)
	}
	began := old.Started.IsZero() && !v.Started.IsZero()
	_, sat := old.Side(u)
	_, sits := v.Side(u)
	if v.Over && endedBy(old, v, u) || began && sits && !sat {
		return nil
	}
	items = moves(old, v, u)
	switch {
	case v.Over:
		if end, ok := End(v, u); ok {
			items = append(items, end)
		}
		return items
	case began:
		items = append(items, seen(Begins, v))
	}
	if len(items) > 0 && v.YourTurn(u) {
		items = append(items, seen(YourMove, v))
	}
	items = append(items, offers(old, v, u)...)
	items = append(items, pauses(old, v, u)...)
	if !began {
		items = append(items, presence(old, v, u)...)
	}
	for i := range items {
		if side, ok := v.Side(u); ok && items[i].By.Kind == storage.Free {
			items[i].By = v.Seats[side.Other()]
		}
	}
	return items
}

// seen returns an item of a kind that is seen in a view.
func seen(kind Kind, v *match.View) Item {
	return Item{Kind: kind, Match: v.Ref, At: v.LastAt, View: v}
}

// seenOf is seen, of the user on a side.
func seenOf(kind Kind, v *match.View, side games.Side) Item {
	i := seen(kind, v)
	i.Side, i.By = side, v.Seats[side]
	return i
}

// endedBy reports whether a user has ended a match: by the last move, by a command, or by agreeing to a draw.
func endedBy(old, v *match.View, u match.User) bool {
	return didEnd(v, u) || v.Reason == "agreement" && match.HasOffer(old.OffersTo(u), matches.OfferDraw)
}

// didEnd reports whether a match has ended by a move or a command of a user.
func didEnd(v *match.View, u match.User) bool {
	return v.EndedBy != storage.Nobody && v.Holds(u, v.EndedBy.Side()) && v.Reason != "timeout" && v.Reason != "abandoned"
}

// moves returns an item for each move that others have made, and one if moves were taken back.
func moves(old, v *match.View, u match.User) (items []Item) {
	granted := match.HasOffer(old.OffersTo(u), matches.OfferTakeback) // by the user
	if v.Ply() < old.Ply() && !granted {
		items = append(items, seen(TakenBack, v))
	}
	made, side := v.Moves[min(old.Ply(), v.Ply()):], old.Turn
	pos := old.Position
	for _, m := range made {
		if !v.Holds(u, side) {
			i := seenOf(Moved, v, side)
			i.Move, i.Before = m, pos
			items = append(items, i)
		}
		var err error
		if pos, err = pos.Play(m); err != nil {
			break // the views are of one match, so this can't be
		}
		side = pos.Turn()
	}
	return items
}

// offers returns an item for each new offer of another side, and for an offer of the user that was declined.
func offers(old, v *match.View, u match.User) (items []Item) {
	for _, o := range match.NewOffers(old.Between, v.Between) {
		if !v.Holds(u, o.By) {
			i := seenOf(Offered, v, o.By)
			i.Offer, i.At = o.Kind, o.At
			items = append(items, i)
		}
	}
	if kind := v.OfferDeclined(old, u); kind != "" {
		i := seen(Declined, v)
		i.Offer = kind
		items = append(items, i)
	}
	return items
}

// pauses returns an item for each pause that has begun or has ended before its time, unless the user has done that: their own vacation, consent to
// adjourn, a move at an adjourned match, or going on with it.
func pauses(old, v *match.View, u match.User) (items []Item) {
	add := func(side games.Side, p match.Pause, was time.Time) {
		i := seen(Paused, v)
		if p.Kind == match.OnVacation {
			i = seenOf(Paused, v, side)
		}
		if p.Until.IsZero() {
			i.Kind, p.Until = Resumed, was
		}
		i.Pause = p
		items = append(items, i)
	}
	for side, until := range v.Pauses.Vacation {
		if was := old.Pauses.Vacation[side]; !until.Equal(was) && !v.Holds(u, games.Side(side)) {
			add(games.Side(side), match.Pause{Kind: match.OnVacation, By: storage.SeatOf(games.Side(side)), Until: until}, was)
		}
	}
	until, was := v.Pauses.Adjourned, old.Pauses.Adjourned
	var own bool
	switch {
	case until.Equal(was):
		return items
	case !until.IsZero():
		own = match.HasOffer(old.OffersTo(u), matches.OfferAdjourn)
	case v.Ply() > old.Ply():
		own = v.Holds(u, old.Turn)
	case v.ContinuedBy != storage.Nobody:
		own = v.Holds(u, v.ContinuedBy.Side())
	}
	if !own {
		add(0, match.Pause{Kind: match.Adjourned, By: storage.Nobody, Until: until}, was)
	}
	return items
}

// rematch returns the item that the other side of a match that is over asks for another one.
func rematch(old, v *match.View, u match.User) []Item {
	r := v.Rematch
	if _, plays := v.Side(u); r == nil || old.Rematch != nil || !plays || u.Is(r.By) {
		return nil
	}
	i := seen(Rematch, v)
	i.Match, i.By, i.At, i.Offer = r.Ref, r.By, r.At, match.OfferRematch
	return []Item{i}
}

// presence returns an item if the user's opponent has gone or has come back.
func presence(old, v *match.View, u match.User) []Item {
	side, plays := v.Side(u)
	was, now := old.Presence[side.Other()], v.Presence[side.Other()]
	if !plays || v.Started.IsZero() || v.Holds(u, side.Other()) || (was.Near == atboard.Gone) == (now.Near == atboard.Gone) {
		return nil
	}
	kind := Returned
	if now.Near == atboard.Gone {
		kind = Left
	}
	return []Item{seenOf(kind, v, side.Other())}
}

// End returns what the end of a match, or of an offer, means to a user; v is a view after the end. ok is false if the user themselves has ended
// it.
func End(v *match.View, u match.User) (i Item, ok bool) {
	side, mine := v.Side(u)
	i = seen(Over, v)
	i.At, i.Invited = v.Ended, !mine
	if mine {
		i.By = v.Seats[side.Other()]
	}
	switch {
	case didEnd(v, u):
		return i, false
	case !v.Started.IsZero():
		return i, true
	case v.Reserved.Kind == storage.Free:
		i.Kind = Untaken
		return i, true
	}
	free := v.FreeSide()
	declined, withdrawn := v.EndedBy == storage.SeatOf(free), v.EndedBy == storage.SeatOf(free.Other())
	i.Side, i.By, i.Offer = free, v.Reserved, match.OfferChallenge
	if !mine {
		i.Side, i.By = free.Other(), v.Seats[free.Other()]
	}
	if v.RematchOf != "" {
		i.Offer = match.OfferRematch
	}
	switch {
	case declined:
		i.Kind = Declined
		return i, mine
	case withdrawn:
		i.Kind = Withdrawn
		return i, !mine
	}
	i.Kind = Lapsed
	return i, true
}

// A Seat is a user's handle to a match; see seats.Seat.
type Seat interface {
	User() match.User
	Now(ctx context.Context) (*match.View, error)
	Next(ctx context.Context, after uint64) (*match.View, error)
}

// EndWait is how long the end of a match may take to show: the lists know of it a moment before its views.
const EndWait = 10 * time.Second

// Resolve returns what an item of the kind Ended means to the user. ok is false if it means nothing, or the match can't be read any more.
func Resolve(ctx context.Context, seat Seat) (end Item, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, EndWait)
	defer cancel()
	v, err := seat.Now(ctx)
	for err == nil && !v.Over {
		v, err = seat.Next(ctx, v.Seq)
	}
	if err != nil {
		return Item{}, false
	}
	return End(v, seat.User())
}
