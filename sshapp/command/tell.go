package command

import (
	"strings"

	"ludoteca/lobby/tells"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// tellRows are the commands by which players write to each other outside of matches.
func tellRows() []*row {
	return []*row{
		{Name: "tell", Example: "tell ana tea at five?", Answer: tellJSON{}, Split: splitNote,
			Summary: text.T("write to a player, who reads it now or later; you follow each other or have played three matches"),
			Args: []tree.Arg{
				{Name: "NAME", Sample: "ana", Help: text.T("the name of the player")},
				{Name: "TEXT", Words: tree.Many, Help: text.T("what you write, to the end of the line")},
			}, Run: plain(tell)},
		{Name: "tells", Answer: tellJSON{}, Summary: text.T("what you and others have written to each other in the last 30 days"), Cost: tree.Heavy, Run: plain(readTells)},
	}
}

// A tellJSON is a line from one player to another.
type tellJSON struct {
	At   *string `json:"at" help:"when the line was written"`
	By   string  `json:"by" help:"the name of the writer"`
	To   string  `json:"to" help:"the name of the player to whom it was written"`
	Text string  `json:"text" help:"the line"`
}

// tell writes a line to a player.
func tell(c *call) (reply.Reply, error) {
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	line, err := c.lobby().Tells.Tell(c.ctx, who, c.words[0], text.Clean(strings.Join(c.words[1:], " ")))
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Of(c.say.Talk().Told(line), tellOf(line))), nil
}

// readTells prints the lines to and from the caller.
func readTells(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		who, err := c.owner()
		if err != nil {
			return reply.Part{}, err
		}
		all, err := c.lobby().Tells.All(c.ctx, who)
		if err != nil {
			return reply.Part{}, err
		}
		var rows []reply.Row
		for _, l := range all {
			rows = append(rows, reply.Of(c.say.Minute(l.At)+"  "+c.say.Talk().Told(l), tellOf(l)))
		}
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("Nobody has written to you, and you have written to nobody. To begin: tell NAME TEXT")))
		}
		return reply.Part{Rows: rows}, nil
	}), nil
}

func tellOf(l tells.Line) tellJSON { return tellJSON{jsonTime(l.At), l.By, l.To, text.Clean(l.Text)} }
