package prompt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/news"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

// tellMatch says what happens in a match after the view v, until it is over or ctx ends: the moves of others with the time that is left to
// each side, and when the clock that runs has little left; what the other side offers and answers; for what the clock stands, and when that is over;
// and that the other side goes and comes back. What
// the caller does is not news: the command that did it has printed it. tell gets with each line the offers that the caller can answer then.
// tellMatch reports whether the match is over.
func tellMatch(ctx context.Context, say wording.Words, manner func() Manner, seat *seats.Seat, v *lobby.View, tell func(words string, open []lobby.OpenOffer), told func(*lobby.View)) (over bool) {
	n := matchNews{say: say, manner: manner, who: seat.User(), seat: seat, tell: tell}
	for !v.Over {
		next, err := n.next(ctx, v)
		if err != nil {
			return false // the caller is gone, or the club closes, which the prompt says
		}
		if words := n.change(v, next); len(words) > 0 {
			n.tell(n.drawn(strings.Join(words, " "), v, next), next.OffersTo(n.who))
		}
		if v = next; ctx.Err() == nil {
			told(v)
		}
	}
	return true
}

// A matchNews tells one caller about one match.
type matchNews struct {
	say    wording.Words
	manner func() Manner
	who    lobby.User
	seat   *seats.Seat
	tell   func(words string, open []lobby.OpenOffer)
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

// alarms returns the alarms of a view in order of time: the running clock has little time left, a pause of the clock
// ends, and the match can be claimed.
func (n matchNews) alarms(v *lobby.View) (all []alarm) {
	for _, left := range warnings(v) {
		words := n.say.T("You have %s left.", n.say.TimeInWords(left))
		if !n.mine(v, v.Clock.Turn) {
			words = n.say.T("%s has %s left.", n.name(v.Seats[v.Clock.Turn]), n.say.TimeInWords(left))
		}
		all = append(all, alarm{v.Clock.RunsFrom().Add(v.Clock.Left[v.Clock.Turn] - left), words})
	}
	for _, p := range v.Pauses.At(time.Now()) {
		all = append(all, alarm{p.Until, n.say.PauseOver(&v.Summary, n.who, p, p.Until)})
	}
	if at := n.seat.ClaimAt(v); at.After(time.Now()) {
		all = append(all, alarm{at, n.say.Presence().MayClaim(n.name(n.other(v)), Silent(v)) + " " + HowToClaim(n.say, v.Code)})
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
	for _, t := range []time.Duration{time.Hour, time.Minute, 30 * time.Second, 10 * time.Second} {
		if t < left && (t < time.Hour || v.Clock.Setting.Kind == lobby.Correspondence) {
			times = append(times, t)
		}
	}
	return times
}

// change says in sentences what has happened from one view to the next; none if there is nothing to tell.
func (n matchNews) change(old, v *lobby.View) (words []string) {
	items := news.Between(old, v, n.who)
	timed := false // the times stand behind what was played
	for _, i := range items {
		switch i.Kind {
		case news.TakenBack, news.Moved, news.Begins, news.Resumed:
		default:
			if !timed && len(words) > 0 && !v.Over {
				words = append(words, Times(n.say, v, n.who)...)
			}
			timed = true
		}
		words = append(words, n.item(i, v)...)
	}
	if !timed && len(words) > 0 {
		words = append(words, Times(n.say, v, n.who)...)
	}
	return words
}

// item says in sentences what one item is; v is the view in which it is seen.
func (n matchNews) item(i news.Item, v *lobby.View) []string {
	switch i.Kind {
	case news.Moved:
		return Narrate(n.say, v, n.who, n.manner()).Move(i.Before, i.Move)
	case news.TakenBack:
		return []string{n.say.T("Moves are taken back: the last one is now number %d.", v.Ply())}
	case news.Begins:
		return []string{n.say.T("The match begins: %s against %s.", n.name(v.Seats[games.First]), n.name(v.Seats[games.Second]))}
	case news.YourMove:
		return []string{n.say.T("Your move.") + n.bell()}
	case news.Offered:
		return n.offer(i, v)
	case news.Left, news.Returned:
		return []string{n.presence(i, v)}
	case news.Paused:
		return []string{n.say.Pause(&v.Summary, n.who, i.Pause)}
	case news.Resumed:
		return []string{n.say.PauseOver(&v.Summary, n.who, i.Pause, i.At)}
	}
	switch {
	case v.Over:
		return []string{n.end(v)}
	case i.Kind == news.Declined:
		return []string{n.say.Declines(i.Offer, n.name(i.By))}
	}
	return nil // a rematch, which the lists tell
}

// bell returns what rings the terminal's bell, if the user wants that.
func (n matchNews) bell() string {
	if n.manner().Bell {
		return "\a"
	}
	return ""
}

// drawn returns words with a drawing of the board below them, if moves were made and the user wants that.
func (n matchNews) drawn(words string, old, v *lobby.View) string {
	if !n.manner().Drawn || v.Ply() == old.Ply() {
		return words
	}
	return words + "\n" + strings.Join(boardview.Text(v.Position), "\n")
}

// offer returns the sentences of an offer of another side, with how the caller answers it if they can.
func (n matchNews) offer(i news.Item, v *lobby.View) []string {
	mine, words := v.OffersTo(n.who), n.say.Offers(i.Offer, v.Seats[i.Side].Name)
	asked := slices.ContainsFunc(mine, func(o lobby.OpenOffer) bool { return o.Kind == i.Offer && o.By == i.Side })
	switch {
	case asked && len(mine) > 1:
		return []string{words, HowToAnswerOne(n.say, v.Code, mine)}
	case asked:
		return []string{words, HowToAnswer(n.say, v.Code)}
	}
	return []string{words}
}

// end says how a match ended.
func (n matchNews) end(v *lobby.View) string {
	if v.Started.IsZero() && v.Reserved.Kind != storage.Free {
		_, mine := v.Side(n.who)
		return n.say.Unanswered(v, mine)
	}
	return Ending(n.say, v, n.who)
}

// Ending is the sentence that says how a match ended, to a user who may have won it.
func Ending(say wording.Words, v *lobby.View, who lobby.User) string {
	first, second := v.Seats[games.First], v.Seats[games.Second]
	names := [2]string{say.Name(first.Name), say.Name(second.Name)}
	if winner, decided := map[string]storage.Occupant{"first": first, "second": second}[v.Result]; decided && who.Is(winner) && first != second {
		return say.T("You win: %s", say.Reason(v.Game.About(), v.Options, v.Result, v.Reason, names[games.First], names[games.Second])) + "."
	}
	return say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, names[games.First], names[games.Second]) + "."
}

// presence says that the opponent has gone or has come back, and when the match can be claimed.
func (n matchNews) presence(i news.Item, v *lobby.View) string {
	name, now, at := n.name(i.By), v.Presence[i.Side], n.seat.ClaimAt(v)
	switch {
	case i.Kind == news.Returned:
		return n.say.Arrived(name)
	case at.IsZero() || Silent(v):
		return n.say.Presence().HasGone(name, now.Dropped)
	}
	return n.say.Presence().ComeBackInWords(name, now, time.Until(at))
}

// Silent reports whether only a long silence lets a match be claimed: it has no clock.
func Silent(v *lobby.View) bool { return v.Clock.Setting.Kind == lobby.NoClock }

// Times says how much time each side has left: nothing without a clock.
func Times(say wording.Words, v *lobby.View, who lobby.User) []string {
	now := time.Now()
	left := func(side int) string { return say.TimeInWords(v.Clock.LeftAt(side, now)) }
	holds := func(side int) bool { return v.Holds(who, games.Side(side)) }
	name := func(side int) string { return say.Occupant(v.Seats[side]) }
	mine := slices.IndexFunc([]int{0, 1}, holds)
	deadline := v.Clock.Deadline()
	switch {
	case v.Clock.Setting.Kind == lobby.NoClock:
		return nil
	case !v.Clock.Running() && !deadline.IsZero() && holds(v.Clock.Turn):
		return []string{say.T("Your first move: %s left.", say.TimeInWords(v.Clock.FirstMoveLeft(now)))}
	case !v.Clock.Running() && !deadline.IsZero():
		return []string{say.T("First move of %s: %s left.", name(v.Clock.Turn), say.TimeInWords(v.Clock.FirstMoveLeft(now)))}
	case mine >= 0 && !holds(1-mine):
		return []string{say.T("You have %s left, %s has %s.", left(mine), name(1-mine), left(1-mine))}
	}
	return []string{say.T("%s has %s left, %s has %s.", name(0), left(0), name(1), left(1))}
}

func (n matchNews) mine(v *lobby.View, side int) bool { return v.Holds(n.who, games.Side(side)) }

// other returns the caller's opponent.
func (n matchNews) other(v *lobby.View) storage.Occupant {
	side, _ := v.Side(n.who)
	return v.Seats[side.Other()]
}

// name returns the name of an occupant for a sentence.
func (n matchNews) name(o storage.Occupant) string { return n.say.Occupant(o) }

// HowToAnswer says with which commands an offer is answered.
func HowToAnswer(say wording.Words, code string) string {
	return say.T("Your answer: accept %s or decline %s", code, code)
}

// HowToAnswerOne says with which commands one of several offers is answered.
func HowToAnswerOne(say wording.Words, code string, open []lobby.OpenOffer) string {
	var kinds []string
	for _, o := range open {
		kinds = append(kinds, o.Kind)
	}
	return say.T("Your answer: accept %s or decline %s, and which one: %s", code, code, strings.Join(kinds, ", "))
}

// HowToClaim says with which commands a match is claimed.
func HowToClaim(say wording.Words, code string) string {
	return say.T("Claim the win or a draw: claim %s win, claim %s draw", code, code)
}

// tellChat calls tell with each line that other users write at a match after seen, until ctx ends or the match can't be read any more.
func tellChat(ctx context.Context, say wording.Words, seat *seats.Seat, seen *chat.View, tell func(string), heard func(storage.MatchID, *chat.View)) {
	var lines Unseen
	for lines.Of(seen); ; {
		var err error
		if seen, err = seat.Chat(ctx, seen.Seq); err != nil {
			return
		}
		others := slices.DeleteFunc(lines.Of(seen), func(l chat.ViewLine) bool { return l.Own })
		if missed := len(others) - maxTold; missed > 1 {
			tell(say.N(missed, "One earlier line is left out.", "%d earlier lines are left out."))
			others = others[missed:]
		}
		for _, line := range others {
			tell(say.Talk().Line(line))
		}
		if ctx.Err() == nil {
			heard(seat.ID(), seen)
		}
	}
}

// maxTold bounds the lines that are told of many lines at once. They are the last ones, unless there is only one more.
const maxTold = 5

// Unseen finds the lines of a chat that a reader has not got yet. The zero value has got none.
type Unseen struct {
	seen map[chatPlace]bool
}

// Of returns the lines that were not there before. A line of a guest may come late, between others.
func (u *Unseen) Of(chat *chat.View) (lines []chat.ViewLine) {
	now := make(map[chatPlace]bool, len(chat.Lines))
	for _, line := range chat.Lines {
		place := chatPlace{line.Room, line.Number}
		if now[place] = true; !u.seen[place] {
			lines = append(lines, line)
		}
	}
	u.seen = now
	return lines
}

// A chatPlace identifies a line of a chat.
type chatPlace struct {
	room   chatstore.Room
	number uint64
}
