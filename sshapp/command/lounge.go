package command

import (
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/lounge"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// loungeRow is the command about the room for all who are here.
func loungeRow() *row {
	return &row{Name: "lounge", Answer: loungeJSON{}, Summary: text.T("what is said in the lounge, the room for all who are here; the line mode goes in"),
		Usage: "[--follow] | say TEXT | leave", Split: splitLounge, Cost: tree.Heavy, FollowFlag: true, Run: readLounge, Sub: []*row{
			{Name: "say", Example: "lounge say who plays a game?", Answer: loungeJSON{}, Summary: text.T("write a line in the lounge; guests and accounts younger than an hour read only"), Args: []tree.Arg{
				{Name: "TEXT", Words: tree.Many, Help: text.T("what you write, to the end of the line")},
			}, Run: plain(sayInLounge)},
			{Name: "leave", Answer: answerJSON{}, Summary: text.T("no longer be told what is said in the lounge, in the line mode"), Run: plain(leaveLounge)},
		}}
}

// A loungeJSON is a line in the lounge.
type loungeJSON struct {
	At   *string `json:"at" help:"when the line was written"`
	By   string  `json:"by" help:"the name of the writer"`
	Text string  `json:"text" help:"the line"`
}

// splitLounge splits the words of lounge: what follows say is a text as it was typed.
func splitLounge(d *row, rest string) []string {
	if name, text, _ := strings.Cut(strings.TrimSpace(rest), " "); name == "say" {
		return append([]string{name}, splitNote(d, text)...)
	}
	return strings.Fields(rest)
}

// loungeShown is how many lines the line mode prints when the caller goes in.
const loungeShown = 10

// readLounge prints the last lines; with --follow each new one too, for as long as the caller stays. In the line mode the caller goes in, and is told
// each new line at the prompt.
func readLounge(f *tree.Flags) run {
	follow := f.Bool("follow", text.T("go on with each line as it is written"))
	return func(c *call) (reply.Reply, error) {
		who, err := c.visitor()
		if err != nil {
			return nil, err
		}
		if who.ID == "" { // a key without an account reads as a guest does
			who = c.lobby().Accounts.Guest(c.caller.ConnectionID)
		}
		v, err := c.lobby().Lounge.Next(c.ctx, who, 0)
		if err != nil {
			return nil, err
		}
		rows, last := linesOf(c.say, v, 0)
		if note := loungeNote(c.say, v); note != "" {
			rows = append(rows, reply.ForPeople(note))
		}
		if c.visit != nil && !*follow && !v.Closed && !v.Off {
			c.caller.lounge.Enter(last)
			rows = rows[max(0, len(rows)-loungeShown):]
			rows = append(rows, reply.ForPeople(c.say.T("You are in the lounge, and are told what is said there. To write: lounge say TEXT. To leave: lounge leave")))
		}
		return func(yield func(reply.Part, error) bool) {
			wait := func() error {
				if err := c.lobby().Lounge.Wait(c.ctx, v.Seq); err != nil {
					return err
				}
				return c.runner.gate.Step(c.ctx, c.caller.origin().Person, func() error { // each line wakes all who follow at once
					if v, err = c.lobby().Lounge.NextSince(c.ctx, who, v.Seq, last); err == nil {
						rows, last = linesOf(c.say, v, last)
					}
					return err
				})
			}
			for yield(reply.Part{Rows: rows}, nil) && *follow && yield(reply.Part{Wait: wait}, nil) {
			}
		}, nil
	}
}

// linesOf returns the lines of a view, and the number of the last one; shown if there is none.
func linesOf(say wording.Words, v *lounge.View, shown uint64) (rows []reply.Row, last uint64) {
	last = shown
	for _, l := range v.Lines {
		last = l.Number
		rows = append(rows, loungeLine(say, l))
	}
	return rows, last
}

func loungeLine(say wording.Words, l lounge.Line) reply.Row {
	return reply.Of(say.Talk().Lounge(l), loungeJSON{jsonTime(l.At), say.Name(l.By.Name), text.Clean(l.Text)})
}

// loungeNote tells people what the lines don't; "" for nothing.
func loungeNote(say wording.Words, v *lounge.View) string {
	switch {
	case v.Off:
		return say.Error(lobby.ErrChatOff)
	case v.Closed:
		return say.Error(lobby.ErrLoungeClosed)
	case len(v.Lines) == 0:
		return say.T("Nobody has written anything here.")
	}
	return ""
}

// sayInLounge writes a line.
func sayInLounge(c *call) (reply.Reply, error) {
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	said, err := c.lobby().Lounge.Say(c.ctx, who, text.Clean(strings.Join(c.words, " ")))
	if err != nil {
		return nil, err
	}
	return reply.One(loungeLine(c.say, said)), nil
}

// leaveLounge has the line mode tell no more of the lounge.
func leaveLounge(c *call) (reply.Reply, error) {
	if !c.caller.lounge.Leave() {
		return nil, refusal{codeNotOpen, c.say.T("You are not in the lounge. To go in, in the line mode: lounge")}
	}
	return answer([]string{c.say.T("You have left the lounge.")}), nil
}
