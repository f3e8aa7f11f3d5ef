package command

import (
	"strings"

	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
)

// A helpJSON is what help says of a command, or of a verb of operators, in English.
type helpJSON struct {
	Name    string `json:"name" help:"the name"`
	Usage   string `json:"usage" help:"how the command is called"`
	Summary string `json:"summary" help:"what the command does"`
}

// maxNested is the number of words that name a command at most.
const maxNested = 2

// help prints what commands there are, or what one of them does.
func help(c *call) (reply.Reply, error) {
	all := c.runner.commands(c.caller)
	if len(c.words) > 0 {
		d, among := (*row)(nil), all
		for _, name := range c.words {
			if d = tree.Find(among, name); d == nil {
				return nil, usage(tree.Unknown(c.say.Say, among, name))
			}
			among = d.Sub
		}
		return helpWith(c, d), nil
	}
	rows := []reply.Row{reply.ForPeople(c.say.T("Ludoteca, a board-game club. Without a command you get the full screen."))}
	heading := ""
	for _, d := range all {
		if d.Group != heading {
			heading = d.Group
			rows = append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T(heading)))
		}
		rows = append(rows, reply.Of("  "+d.Short()+"\t"+c.say.T(d.Summary), helpJSON{d.Name, d.Line(), d.Summary}))
	}
	return reply.Table(append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T("More about one: help COMMAND. All take --json: one object a line, for scripts.")))...), nil
}

// helpWith says what a command does, what it takes and what it prints.
func helpWith(c *call, d *row) reply.Reply {
	return reply.One(reply.Made(func() string {
		head, rows, foot := d.HelpRows(c.say.Say)
		return strings.Join(head, "\n") + "\n" + reply.Align(rows) + strings.Join(foot, "\n")
	}, func() any { return d.Help() }))
}
