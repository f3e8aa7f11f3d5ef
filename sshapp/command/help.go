package command

import (
	"strings"

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
	if c.tells() && len(c.words) == 0 {
		return reply.One(reply.ForPeople(strings.Join(howToPlay(c), "\n"))), nil
	}
	if len(c.words) > 0 && !(c.tells() && len(c.words) == 1 && c.words[0] == "commands") {
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
	rows := paragraph(c.say.T("%s, a board-game club. Without a command you get the full screen.", c.say.Spell(c.runner.options.Greeting.Name())))
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

// howToPlay says in ten lines how to play in the line mode.
func howToPlay(c *call) []string {
	return []string{
		c.say.T("play petteia begins a game against the computer; lesson petteia teaches it, puzzle gives one to solve, games lists all."),
		c.say.T("quick petteia looks for a person; new petteia opens a match for a friend, who joins with join and its code."),
		c.say.T("At a board you type moves as they are: c2-c5, d4, 3:2. What happens is told when it happens."),
		c.say.T("Ask about the board: what c5, row 3, column c, around c5, mine, theirs, moves, moves c2, threats, count."),
		c.say.T("board reads all rows, last tells the last moves, clock the time left, players who plays; why says why a move was refused."),
		c.say.T("draw, takeback, resign, rematch; accept or decline what the other side offers; say hello writes to them."),
		c.say.T("lobby leaves the board, matches lists your matches, and show with a code goes back to one."),
		c.say.T("history lists finished matches; review with an id looks through one, by next and back."),
		c.say.T("set brief tells less, set board on draws the board, settings lists what there is to set."),
		c.say.T("help commands lists all commands, help and a command explains one; quit leaves."),
	}
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
