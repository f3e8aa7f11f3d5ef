package command

import (
	"cmp"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// matchWords describes a match for people.
func matchWords(c *call, v *lobby.View, who lobby.User, sentences bool) (string, error) {
	a := v.Game.About()
	lines := []string{c.say.T("%s, match %s: %s (%s) - %s (%s)", a.Name, cmp.Or(v.Code, string(v.ID)),
		shownName(c.say, v.Seats[games.First]), c.say.T(a.Sides[games.First]), shownName(c.say, v.Seats[games.Second]), c.say.T(a.Sides[games.Second]))}
	if words := clockWords(c.say, v); words != "" {
		lines = append(lines, words)
	}
	lines = append(lines, c.say.Paused(&v.Summary, who, time.Now())...)
	lines = append(lines, company(c, v, who)...)
	if n := v.Ply(); n > 0 {
		lines = append(lines, c.say.T("after move %d, %s", n, string(v.Moves[n-1])))
	}
	if v.From != "" {
		lines = append(lines, c.say.T("begun from a position: %s", v.From))
	}
	if v.Start > 0 {
		lines = append(lines, c.say.T("begun after move %d", v.Start))
	}
	if words := c.say.Helped(v.Helped); words != "" {
		lines = append(lines, words)
	}
	if v.Temporary {
		lines = append(lines, c.say.Temporary(v.Result))
	}
	stake, err := c.stakeOf(v, who)
	switch {
	case err != nil:
		return "", err
	case stake != nil:
		lines = append(lines, strings.Join(c.say.Stake(*stake), ", "))
	case v.Over && v.Ratings != nil:
		lines = append(lines, c.say.T("Ratings: %s %s, %s %s", shownName(c.say, v.Seats[games.First]), wording.Points(standings.Gain(v.Ratings[games.First])),
			shownName(c.say, v.Seats[games.Second]), wording.Points(standings.Gain(v.Ratings[games.Second]))))
	}
	board := boardview.Text(v.Position)
	if sentences {
		board = boardview.Sentences(c.say.Say, c.say.Ending, a, v.Position)
	}
	for _, line := range board {
		lines = append(lines, "  "+line)
	}
	if !sentences { // which say that too
		var names [2]string
		for side, o := range v.Seats {
			if names[side] = shownName(c.say, o); o.Kind == storage.Free {
				names[side] = c.say.T(a.Sides[side])
			}
		}
		lines = append(lines, boardview.Facts(c.say.Say, names, v.Position)...)
	}
	lines = append(lines, offerWords(c, v, who)...)
	return strings.Join(lines, "\n") + "\n" + stateWords(c.say, v, who), nil
}

// clockWords says which clock a match has, and what is left to each side; "" without a clock.
func clockWords(say wording.Words, v *lobby.View) string {
	set, now := v.Clock.Setting, time.Now()
	switch {
	case set.Kind == lobby.NoClock:
		return ""
	case v.Started.IsZero():
		return say.T("Clock: %s", say.Clock(set))
	}
	return say.T("Clock %s: %s %s, %s %s", say.Clock(set),
		shownName(say, v.Seats[games.First]), say.TimeLeft(v.Clock.LeftAt(0, now)),
		shownName(say, v.Seats[games.Second]), say.TimeLeft(v.Clock.LeftAt(1, now)))
}

// stateWords says in one line what a match waits for, or how it ended.
func stateWords(say wording.Words, v *lobby.View, who lobby.User) string {
	first, second := say.Name(v.Seats[games.First].Name), say.Name(v.Seats[games.Second].Name)
	switch {
	case v.Over:
		return say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, first, second)
	case v.Started.IsZero():
		if v.Code == "" {
			return say.T("waiting for somebody to join")
		}
		return say.T("waiting for somebody to join with the code %s", v.Code)
	case v.YourTurn(who):
		return say.T("your move")
	default:
		return say.T("waiting for %s", v.Seats[v.Turn].Name)
	}
}

// company returns lines about the people at a match: whether the players are at the board, when the caller may claim against one who has
// gone, and who watches.
func company(c *call, v *lobby.View, who lobby.User) (lines []string) {
	if words := c.say.Presence().Spectators(v.Spectators, spectatorCells); words != "" {
		defer func() { lines = append(lines, words) }()
	}
	if v.Over || v.Started.IsZero() {
		return nil
	}
	for side, p := range v.Presence {
		o := v.Seats[side]
		if o.Kind == storage.Bot || who.Is(o) {
			continue
		}
		lines = append(lines, c.say.Presence().Whereabouts(shownName(c.say, o), p, time.Now()))
	}
	at := c.lobby().Seats.ClaimAt(who, v)
	side, _ := v.Side(who)
	other, name := v.Presence[side.Other()], c.say.Name(v.Seats[side.Other()].Name)
	left := time.Until(at)
	silent := prompt.Silent(v)
	switch {
	case at.IsZero(), left > 0 && silent:
	case left > 0:
		lines = append(lines, c.say.Presence().ComeBack(name, other, left))
	default:
		lines = append(lines, c.say.Presence().MayClaim(name, silent)+" "+prompt.HowToClaim(c.say, v.Code))
	}
	return lines
}

// spectatorCells is the width of the line that names the spectators, in cells.
const spectatorCells = 72

// offerWords describes the open offers of a match, one a line. Offers to the caller come with the commands that answer them.
func offerWords(c *call, v *lobby.View, who lobby.User) (lines []string) {
	mine := v.OffersTo(who)
	for _, o := range v.OpenOffers() {
		if o.Kind == lobby.OfferChallenge {
			continue // the last line says so
		}
		by := offerer(v, o)
		words := c.say.Offers(o.Kind, by.Name)
		if who.Is(by) {
			words = c.say.OwnOffer(o.Kind)
		}
		if len(mine) == 1 && o == mine[0] {
			words += " " + prompt.HowToAnswer(c.say, v.Code)
		}
		lines = append(lines, words)
	}
	if len(mine) > 1 {
		lines = append(lines, prompt.HowToAnswerOne(c.say, v.Code, mine))
	}
	return lines
}

// matchRow is a match at one moment. sentences describe its board instead of a drawing.
func matchRow(c *call, v *lobby.View, who lobby.User, sentences bool) reply.Row {
	return reply.Row{
		Words:  func() (string, error) { return matchWords(c, v, who, sentences) },
		Object: func() (any, error) { return describe(c, v, who), nil },
	}
}

// showMatch answers with a match as it is now.
func showMatch(c *call, v *lobby.View, who lobby.User, sentences bool) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		yield(reply.Part{Rows: []reply.Row{matchRow(c, v, who, sentences)}, Last: true}, nil)
		c.shows(v, who)
	}
}

// sayOrDescribe says a sentence to people, and describes the match as it is now to scripts.
func sayOrDescribe(c *call, seat *seats.Seat, words string) reply.Row {
	return reply.Row{
		Words: func() (string, error) { return words, nil },
		Object: func() (any, error) {
			v, err := seat.Now(c.ctx)
			if err != nil {
				return nil, err
			}
			return describe(c, v, seat.User()), nil
		},
	}
}
