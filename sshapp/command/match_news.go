package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// tellMatch says what happens in a match after the view v, until it is over or ctx ends: the moves of others with the time that is left to
// each side, and when the clock that runs has little left; what the other side offers and answers; and that it goes and comes back. What
// the caller does is not news: the command that did it has printed it. tell gets with each line the offers that the caller can answer then.
func tellMatch(ctx context.Context, say wording.Words, seat *seats.Seat, v *lobby.View, tell func(words string, open []lobby.OpenOffer)) {
	n := matchNews{say: say, who: seat.User(), seat: seat, tell: tell}
	for !v.Over {
		next, err := n.next(ctx, v)
		if err != nil {
			return // the caller is gone, or the club closes, which the prompt says
		}
		if words := n.change(v, next); len(words) > 0 {
			n.tell(strings.Join(words, " "), next.OffersTo(n.who))
		}
		v = next
	}
}

// A matchNews tells one caller about one match.
type matchNews struct {
	say  wording.Words
	who  lobby.User
	seat *seats.Seat
	tell func(words string, open []lobby.OpenOffer)
}

// An alarm is a message for a time, told only if nothing happens in the match before.
type alarm struct {
	at    time.Time
	words string
}

// next returns the view that follows v, and tells the alarms of v until then. It returns the errors of Seat.Next.
func (n matchNews) next(ctx context.Context, v *lobby.View) (*lobby.View, error) {
	for _, a := range n.alarms(v) {
		until, cancel := context.WithDeadline(ctx, a.at)
		next, err := n.seat.Next(until, v.Seq)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return next, err
		}
		n.tell(a.words, v.OffersTo(n.who))
	}
	return n.seat.Next(ctx, v.Seq)
}

// alarms returns the alarms of a view in order of time: the running clock has little time left, and the match can be claimed.
func (n matchNews) alarms(v *lobby.View) (all []alarm) {
	for _, left := range warnings(v) {
		words := n.say.T("You have %s left.", n.say.TimeInWords(left))
		if !n.mine(v, v.Clock.Turn) {
			words = n.say.T("%s has %s left.", n.name(v.Seats[v.Clock.Turn]), n.say.TimeInWords(left))
		}
		all = append(all, alarm{v.Clock.Since.Add(v.Clock.Left[v.Clock.Turn] - left), words})
	}
	if at := n.seat.ClaimAt(v); at.After(time.Now()) {
		all = append(all, alarm{at, n.say.MayClaim(n.name(n.other(v)), silent(v)) + " " + howToClaim(n.say, v.Code)})
	}
	slices.SortFunc(all, func(a, b alarm) int { return a.at.Compare(b.at) })
	return all
}

// warnings are the times that the running clock is to be told at, the longest first. Those that are past were told with the last move.
func warnings(v *lobby.View) (times []time.Duration) {
	if !v.Clock.Running() {
		return nil
	}
	left := v.Clock.LeftAt(v.Clock.Turn, time.Now())
	for _, t := range []time.Duration{time.Hour, time.Minute, 10 * time.Second} {
		if t < left && (t < time.Hour || v.Clock.Setting.Kind == lobby.Correspondence) {
			times = append(times, t)
		}
	}
	return times
}

// change says in sentences what has happened from one view to the next; none if there is nothing to tell.
func (n matchNews) change(old, v *lobby.View) (words []string) {
	began := old.Started.IsZero() && !v.Started.IsZero()
	_, sat := old.Side(n.who)
	_, sits := v.Side(n.who)
	if v.Over && n.ended(old, v) || began && sits && !sat {
		return nil
	}
	words = n.moves(old, v)
	switch {
	case v.Over:
		if end := n.end(v); end != "" {
			words = append(words, end)
		}
		return words
	case began:
		words = append(words, n.begins(v))
	}
	if began || len(words) > 0 {
		words = append(words, n.times(v)...)
		if v.YourTurn(n.who) {
			words = append(words, n.say.T("It is your move."))
		}
	}
	words = append(words, n.offers(old, v)...)
	if !began {
		words = append(words, n.presence(old, v)...)
	}
	return words
}

// ended reports whether the caller has ended the match themselves: they have made the last move, resigned, or agreed to a draw.
func (n matchNews) ended(old, v *lobby.View) bool {
	if n.didEnd(v) {
		return true
	}
	return v.Reason == "agreement" && match.HasOffer(old.OffersTo(n.who), matchstore.OfferDraw)
}

// end says how a match ended; "" for an offer that the caller has withdrawn or declined.
func (n matchNews) end(v *lobby.View) string {
	if v.Started.IsZero() && v.Reserved.Kind != storage.Free {
		_, mine := v.Side(n.who)
		return n.say.Unanswered(v, mine)
	}
	return n.say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, n.name(v.Seats[games.First]), n.name(v.Seats[games.Second])) + "."
}

// didEnd reports whether a match has ended by a move or a command of the caller's.
func (n matchNews) didEnd(v *lobby.View) bool {
	return v.EndedBy != storage.Nobody && n.mine(v, int(v.EndedBy.Side())) && v.Reason != "timeout" && v.Reason != "abandoned"
}

// begins returns the line that a match begins.
func (n matchNews) begins(v *lobby.View) string {
	return n.say.T("The match begins: %s against %s.", n.name(v.Seats[games.First]), n.name(v.Seats[games.Second]))
}

// moves returns a line for each move that others have made, and one if moves were taken back.
func (n matchNews) moves(old, v *lobby.View) (words []string) {
	granted := match.HasOffer(old.OffersTo(n.who), matchstore.OfferTakeback) // by the caller
	if v.Ply() < old.Ply() && !granted {
		words = append(words, n.say.T("Moves are taken back: the last one is now number %d.", v.Ply()))
	}
	moves, side := v.Moves[min(old.Ply(), v.Ply()):], old.Turn
	pos := old.Position
	for _, m := range moves {
		if !n.mine(v, int(side)) {
			words = append(words, n.say.T("%s plays %s", n.name(v.Seats[side]), string(m))+".")
		}
		var err error
		if pos, err = pos.Play(m); err != nil {
			break // the views are of one match, so this can't be
		}
		side = pos.Turn()
	}
	return words
}

// offers returns a line for each new offer of the other side, and for an offer of the caller's that it has declined.
func (n matchNews) offers(old, v *lobby.View) (words []string) {
	mine := v.OffersTo(n.who)
	for _, o := range match.NewOffers(old.Between, v.Between) {
		switch {
		case n.mine(v, int(o.By)):
		case slices.Contains(mine, o) && len(mine) > 1:
			words = append(words, n.say.Offers(o.Kind, v.Seats[o.By].Name), howToAnswerOne(n.say, v.Code, mine))
		case slices.Contains(mine, o):
			words = append(words, n.say.Offers(o.Kind, v.Seats[o.By].Name), howToAnswer(n.say, v.Code))
		default:
			words = append(words, n.say.Offers(o.Kind, v.Seats[o.By].Name))
		}
	}
	if kind := v.OfferDeclined(old, n.who); kind != "" {
		words = append(words, n.say.Declines(kind, n.name(n.other(v))))
	}
	return words
}

// presence returns a line if the other side has gone or has come back.
func (n matchNews) presence(old, v *lobby.View) []string {
	side, plays := v.Side(n.who)
	was, now := old.Presence[side.Other()], v.Presence[side.Other()]
	if !plays || v.Started.IsZero() || n.who.Is(n.other(v)) || (was.Near == lobby.Gone) == (now.Near == lobby.Gone) {
		return nil
	}
	name, at := n.name(n.other(v)), n.seat.ClaimAt(v)
	switch {
	case now.Near != lobby.Gone:
		return []string{n.say.Arrived(name)}
	case at.IsZero() || silent(v):
		return []string{n.say.HasGone(name, now.Dropped)}
	}
	return []string{n.say.ComeBackInWords(name, now, time.Until(at))}
}

// silent reports whether only a long silence lets a match be claimed: it has no clock.
func silent(v *lobby.View) bool { return v.Clock.Setting.Kind == lobby.NoClock }

// times says how much time is left to each side, or for a first move; nothing without a clock.
func (n matchNews) times(v *lobby.View) []string {
	now, say := time.Now(), n.say
	left := func(side int) string { return say.TimeInWords(v.Clock.LeftAt(side, now)) }
	mine := slices.IndexFunc([]int{0, 1}, func(side int) bool { return n.mine(v, side) })
	deadline := v.Clock.Deadline()
	switch {
	case v.Clock.Setting.Kind == lobby.NoClock:
		return nil
	case !v.Clock.Running() && !deadline.IsZero() && n.mine(v, v.Clock.Turn):
		return []string{say.T("Your first move: %s left.", say.TimeInWords(deadline.Sub(now)))}
	case !v.Clock.Running() && !deadline.IsZero():
		return []string{say.T("First move of %s: %s left.", n.name(v.Seats[v.Clock.Turn]), say.TimeInWords(deadline.Sub(now)))}
	case mine >= 0 && !n.mine(v, 1-mine):
		return []string{say.T("You have %s left, %s has %s.", left(mine), n.name(v.Seats[1-mine]), left(1-mine))}
	}
	return []string{say.T("%s has %s left, %s has %s.", n.name(v.Seats[0]), left(0), n.name(v.Seats[1]), left(1))}
}

// mine reports whether the caller plays a side.
func (n matchNews) mine(v *lobby.View, side int) bool { return v.Holds(n.who, games.Side(side)) }

// other returns the caller's opponent.
func (n matchNews) other(v *lobby.View) storage.Occupant {
	side, _ := v.Side(n.who)
	return v.Seats[side.Other()]
}

// name returns the name of an occupant for a sentence.
func (n matchNews) name(o storage.Occupant) string {
	if o.Kind == storage.Bot {
		return n.say.T("%s (bot)", text.Clean(o.Name))
	}
	return n.say.Name(o.Name)
}
