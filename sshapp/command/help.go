package command

import (
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// A helpJSON is what lists of help say of a command, or of a verb of operators, in English. tree.Help has these fields too.
type helpJSON struct {
	Name    string `json:"name" help:"the name of the command"`
	Usage   string `json:"usage" help:"how the command is called"`
	Summary string `json:"summary" help:"what the command does, in English"`
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
	var labels []string
	for _, d := range all {
		labels = append(labels, "  "+d.Label()+"\t"+c.say.T(d.Summary))
	}
	rows := paragraph(c.say.T("Ludoteca, a board-game club. Without a command you get the full screen."))
	heading := ""
	for i, laid := range tree.Columns(labels) {
		d := all[i]
		if d.Group != heading {
			heading = d.Group
			rows = append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T(heading)))
		}
		rows = append(rows, reply.Of(laid, helpJSON{d.Name, d.Line(), d.Summary}))
	}
	rows = append(append(rows, reply.ForPeople("")), paragraph(c.say.T("More about one: help COMMAND. All take --json: one object a line, for scripts."))...)
	return reply.One(rows...), nil
}

// paragraph returns a text for people on lines of the width of help.
func paragraph(words string) (rows []reply.Row) {
	for _, line := range text.Wrap(words, tree.Width) {
		rows = append(rows, reply.ForPeople(line))
	}
	return rows
}

// helpWith says what a command does, what it takes and what it prints.
func helpWith(c *call, d *row) reply.Reply {
	return reply.One(reply.Made(func() string { return d.Page(c.say.Say) }, func() any { return d.Help() }))
}
