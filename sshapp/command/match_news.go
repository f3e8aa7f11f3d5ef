package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// tellMatch says what happens in a match after the view v, until it is over or ctx ends: the moves of others with the time that is left to
// each side, and when the clock that runs has little left. What the caller does is not news: the command that did it has printed it.
func tellMatch(ctx context.Context, say text.Say, seat *lobby.Seat, v *lobby.View, tell func(string)) {
	n := matchNews{say: say, who: seat.User(), tell: tell}
	for !v.Over {
		next, err := n.next(ctx, seat, v)
		if err != nil {
			return // the caller is gone, or the club closes, which the prompt says
		}
		n.tellChange(v, next)
		v = next
	}
}

// A matchNews tells one caller about one match.
type matchNews struct {
	say  text.Say
	who  lobby.User
	tell func(string)
}

// next returns the view that follows v. Until then it warns when the running clock has little left. The errors are those of Seat.Next.
func (n matchNews) next(ctx context.Context, seat *lobby.Seat, v *lobby.View) (*lobby.View, error) {
	for _, left := range warnings(v) {
		until, cancel := context.WithDeadline(ctx, v.Clock.Since.Add(v.Clock.Left[v.Clock.Turn]-left))
		next, err := seat.Next(until, v.Seq)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return next, err
		}
		if n.mine(v, v.Clock.Turn) {
			n.tell(n.say.T("You have %s left.", n.say.TimeInWords(left)))
		} else {
			n.tell(n.say.T("%s has %s left.", n.name(v.Seats[v.Clock.Turn]), n.say.TimeInWords(left)))
		}
	}
	return seat.Next(ctx, v.Seq)
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

// tellChange says what has happened from one view to the next.
func (n matchNews) tellChange(old, v *lobby.View) {
	var words []string
	if v.Ply() < old.Ply() {
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
	began := old.Started.IsZero() && !v.Started.IsZero()
	switch {
	case v.Over:
		words = append(words, n.say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, n.name(v.Seats[games.First]), n.name(v.Seats[games.Second]))+".")
	case began:
		words = append(words, n.say.T("The match begins: %s against %s.", n.name(v.Seats[games.First]), n.name(v.Seats[games.Second])))
	case len(words) == 0:
		return
	}
	if !v.Over {
		words = append(words, n.times(v)...)
		if v.YourTurn(n.who) {
			words = append(words, n.say.T("It is your move."))
		}
	}
	n.tell(strings.Join(words, " "))
}

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

// mine says whether the caller plays a side.
func (n matchNews) mine(v *lobby.View, side int) bool { return v.Holds(n.who, games.Side(side)) }

// name is what somebody at a match is called.
func (n matchNews) name(o storage.Occupant) string {
	if o.Kind == storage.Bot {
		return n.say.T("%s (bot)", text.Clean(o.Name))
	}
	return n.say.Name(o.Name)
}
