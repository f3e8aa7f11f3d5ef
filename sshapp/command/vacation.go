package command

import (
	"strings"
	"time"

	"ludoteca/lobby/vacations"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/moment"
	"ludoteca/sshapp/text"
)

// vacationRow is the command about the caller's vacation.
func vacationRow() *row {
	return &row{Name: "vacation", Example: "vacation 2026-12-20", Answer: vacationJSON{}, Summary: text.T("days on which the clocks of your matches with days a move stand, 14 a year"),
		Args: []tree.Arg{{
			Name: "start|UNTIL|off", Optional: true, Words: tree.Many,
			Help: text.T("the day on which you are back, as 2026-12-20 in UTC, or a time; start takes all days that are left, off ends the vacation; without it, how many days are left"),
		}}, Run: plain(vacation)}
}

// A vacationJSON is the vacation of the caller.
type vacationJSON struct {
	Left  int     `json:"left_days" help:"how many days of this year are not taken; a begun day counts whole"`
	Until *string `json:"until" help:"until when you are on vacation; null: you are not"`
}

// vacation prints, begins, moves or ends the caller's vacation.
func vacation(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	var v vacations.State
	switch typed := strings.Join(c.words, " "); strings.ToLower(typed) {
	case "":
		v, err = c.lobby().Vacations.Of(c.ctx, who)
	case "off", "end":
		v, err = c.lobby().Vacations.End(c.ctx, who)
	case "start":
		v, err = c.lobby().Vacations.Begin(c.ctx, who, time.Time{})
	default:
		until, ok := untilOf(typed)
		if !ok {
			return nil, usageError{words: c.say.T("%s is no day. Write it as 2026-12-20, or with a time of day and a zone: 2026-12-20 18:00 Europe/Lisbon.", tree.Quoted(typed))}
		}
		v, err = c.lobby().Vacations.Begin(c.ctx, who, until)
	}
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Of(vacationWords(c, v), vacationJSON{v.DaysLeft, jsonTime(v.Until)})), nil
}

// untilOf reads the end of a vacation: the beginning of a day in UTC, or a time.
func untilOf(typed string) (until time.Time, ok bool) {
	if day, err := time.Parse(time.DateOnly, typed); err == nil {
		return day, true
	}
	m, ok := moment.Read(typed, time.Now())
	return m.At, ok
}

func vacationWords(c *call, v vacations.State) string {
	left := c.say.N(v.DaysLeft, "One day of vacation is left this year.", "%d days of vacation are left this year.")
	if v.Until.IsZero() {
		return c.say.T("You are not on vacation.") + " " + left
	}
	return c.say.T("You are on vacation until %s. The clocks of your matches with days a move stand; you may move all the same.", c.say.Minute(v.Until)) + " " + left
}
