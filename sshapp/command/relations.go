package command

import (
	"errors"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/relations"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	operatorstore "ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
)

// relationRows are the commands about the players whom the caller follows and blocks.
func relationRows() []*row {
	return []*row{
		{Name: "follow", Answer: followingJSON{}, Summary: text.T("be told when a player comes in"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Following, true))},
		{Name: "unfollow", Answer: followingJSON{}, Summary: text.T("no longer follow a player"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Following, false))},
		{Name: "following", Answer: relatedJSON{}, Summary: text.T("the players you follow, and who of them is here"), Cost: tree.Heavy, Run: plain(related(relations.Following))},
		{Name: "block", Answer: blockingJSON{}, Summary: text.T("have no chat, challenges or pairing with a player"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Blocked, true))},
		{Name: "unblock", Answer: blockingJSON{}, Summary: text.T("no longer block a player"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Blocked, false))},
		{Name: "blocked", Answer: relatedJSON{}, Summary: text.T("the players you block"), Cost: tree.Heavy, Run: plain(related(relations.Blocked))},
	}
}

// Answers of follow and block.
type (
	followingJSON struct {
		Name      string `json:"name" help:"the name of the player"`
		Following bool   `json:"following" help:"whether you follow the player now"`
	}
	blockingJSON struct {
		Name    string `json:"name" help:"the name of the player"`
		Blocked bool   `json:"blocked" help:"whether you block the player now"`
	}
)

// relate returns the command that adds a player to one of the caller's lists, or removes them from it.
func relate(kind relationstore.Kind, on bool) run {
	return func(c *call) (reply.Reply, error) {
		who, err := c.player()
		if err != nil {
			return nil, err
		}
		name, err := c.lobby().Relations.Relate(c.ctx, who, kind, c.words[0], on)
		if err != nil && !errors.Is(err, lobby.ErrUnchanged) { // else it is as the caller wants it
			return nil, err
		}
		var object any = followingJSON{name, on}
		if kind == relations.Blocked {
			object = blockingJSON{name, on}
		}
		return reply.One(reply.Of(c.say.Related(kind, name, on), object)), nil
	}
}

type relatedJSON struct {
	Name   string  `json:"name" help:"the name of the player"`
	Since  *string `json:"since" help:"since when you follow or block the player"`
	Online bool    `json:"online" help:"whether the player is here; always false for players that you block"`
}

// related returns the command that prints a list of the caller's.
func related(kind relationstore.Kind) run {
	return func(c *call) (reply.Reply, error) {
		return reply.Later(func() (reply.Part, error) {
			who, err := c.owner()
			if err != nil {
				return reply.Part{}, err
			}
			all, err := c.lobby().Relations.Related(c.ctx, who, kind)
			if err != nil {
				return reply.Part{}, err
			}
			var rows []reply.Row
			for _, r := range all {
				here := ""
				if r.Online {
					here = c.say.T("here")
				}
				rows = append(rows, reply.Of(r.Name+"\t"+day(c.say, r.Since)+"\t"+here, relatedJSON{r.Name, jsonTime(r.Since), r.Online}))
			}
			switch {
			case len(rows) > 0:
			case kind == relations.Blocked:
				rows = append(rows, reply.ForPeople(c.say.T("You block nobody.")))
			default:
				rows = append(rows, reply.ForPeople(c.say.T("You follow nobody. To begin: follow NAME")))
			}
			return reply.Part{Rows: rows, Table: true}, nil
		}), nil
	}
}

// reportRow is the command with which players tell operators about others.
func reportRow() *row {
	return &row{Name: "report", Example: "report ana swears at me --match K7QM2X", Answer: sentJSON{}, Split: splitReport,
		Summary: text.T("report a player to the operator; the chat of your last match together, or of --match, goes with it"),
		Args: []tree.Arg{
			{Name: "NAME", Optional: true, Help: text.T("the name of the player, unless --side says who it is")},
			{Name: "REASON", Words: tree.Many, Help: text.T("what the player has done, as you write it")},
		}, Run: report}
}

func report(f *tree.Flags) run {
	match := f.String("match", "CODE|ID", "", text.T("the match that it is about, whose chat goes with the report"))
	side := f.String("side", "first|second", "", text.T("the side that the player had in the match of --match"))
	return func(c *call) (reply.Reply, error) {
		r, err := reported(c, *match, *side)
		if err != nil {
			return nil, err
		}
		return reply.One(reply.Of(c.say.T("Thank you. The operator will look at what you say about %s.", r.AboutName),
			sentJSON{r.AboutName, string(r.Match), r.Reason})), nil
	}
}

// A sentJSON is a report that has been kept.
type sentJSON struct {
	About  string `json:"about" help:"the name of the reported player"`
	Match  string `json:"match" help:"the id of the match whose chat goes with the report; \"\": none"`
	Reason string `json:"reason" help:"what you said of the player"`
}

// reported tells the operators about a player: the one of that name, or on a side of a match.
func reported(c *call, match, flag string) (r operatorstore.Report, err error) {
	who, err := c.player()
	if err != nil {
		return r, err
	}
	switch side, ok := sides[flag]; {
	case flag != "" && (!ok || match == ""):
		return r, usageError{words: c.say.T("--side takes first or second, with --match.")}
	case ok:
		return c.lobby().Operators.ReportSide(c.ctx, who, c.caller.Origin, match, side, strings.Join(c.words, " "))
	case len(c.words) < 2:
		return r, usageError{words: c.say.T("Something is missing.")}
	}
	return c.lobby().Operators.Report(c.ctx, who, c.caller.Origin, c.words[0], match, strings.Join(c.words[1:], " "))
}

// sides are the sides of a match as --side names them.
var sides = map[string]games.Side{"first": games.First, "second": games.Second}
