package command

import (
	"fmt"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// standingRow is the command for the offers that a player keeps open.
func standingRow() *row {
	return &row{Name: "standing", Answer: keptOfferJSON{}, Summary: text.T("the offers that you keep open, made with new --standing: list and end them"), Usage: "[end NUMBER]",
		Run: plain(listStanding), Sub: []*row{
			{Name: "end", Example: "standing end 1", Answer: keptOfferJSON{}, Summary: text.T("end a standing offer; matches that are played go on"), Args: []tree.Arg{
				{Name: "NUMBER", Sample: "1", Asks: text.T("Which standing offer?"), Help: text.T("the number of the standing offer, as standing prints it")},
			}, Run: plain(endStanding)},
		}}
}

type keptOfferJSON struct {
	Number  int           `json:"number" help:"the number of the standing offer among yours, for standing end"`
	Game    string        `json:"game" help:"the id of the game"`
	Options games.Options `json:"options" help:"the value of each option of the game, by its key"`
	Clock   string        `json:"clock" help:"none, minutes and seconds a move such as 5+3, or days a move such as 3d"`
	Rated   bool          `json:"rated" help:"whether its matches count for ratings"`
	Side    string        `json:"side" help:"the side that you play: first, second or random"`
	Range   *[2]int       `json:"range" help:"the lowest and the highest rating of players who may take it; null: any"`
	Places  int           `json:"places" help:"how many of its matches go on at a time, the one that waits included"`
	Waiting *string       `json:"waiting" help:"the code of its match that waits to be taken; null: none does"`
	Playing []string      `json:"playing" help:"the codes of its matches that are played"`
	Since   *string       `json:"since" help:"when you made it"`
}

func keptOfferOf(o standingoffers.Offer) keptOfferJSON {
	j := keptOfferJSON{
		Number: o.Number, Game: o.Spec.Game, Options: o.Spec.Options, Clock: o.Spec.Clock.String(), Rated: o.Spec.Rated, Side: "random",
		Places: o.Places, Playing: []string{}, Since: jsonTime(o.Since),
	}
	switch o.Spec.Side {
	case seats.PlayFirst:
		j.Side = games.First.String()
	case seats.PlaySecond:
		j.Side = games.Second.String()
	}
	if o.Spec.Range != [2]int{} {
		j.Range = &o.Spec.Range
	}
	for _, ref := range o.Untaken {
		j.Waiting = &ref.Code
	}
	for _, ref := range o.Played {
		j.Playing = append(j.Playing, ref.Code)
	}
	return j
}

// standingCells describes a standing offer in a table.
func standingCells(c *call, j keptOfferJSON) string {
	kind, whom := c.say.T("casual"), ""
	if j.Rated {
		kind = c.say.T("rated")
	}
	if j.Range != nil {
		whom = fmt.Sprintf("%d-%d", j.Range[0], j.Range[1])
	}
	waits := c.say.T("none is open now")
	if j.Waiting != nil {
		waits = c.say.T("open: %s", *j.Waiting)
	}
	// Translators: of a standing offer: how many of its matches are played, and how many may go on at a time.
	played := c.say.T("%d of %d are played", len(j.Playing), j.Places)
	return strings.Join([]string{strconv.Itoa(j.Number), j.Game, optionWords(c, j.Game, j.Options), kind, j.Clock, whom, waits, played}, "\t")
}

// listStanding lists the standing offers of the caller.
func listStanding(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		who, err := c.owner()
		if err != nil {
			return reply.Part{}, err
		}
		var rows []reply.Row
		for _, o := range c.lobby().Standing.Of(who) {
			if j := keptOfferOf(o); !o.Ends {
				rows = append(rows, reply.Made(func() string { return standingCells(c, j) }, func() any { return j }))
			}
		}
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("You keep no offer open. To begin: new GAME --clock 3d --standing 2")))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	}), nil
}

// endStanding ends a standing offer of the caller.
func endStanding(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(c.words[0])
	if err != nil {
		return nil, usageError{words: c.say.T("The number of a standing offer is the first thing on its line: standing")}
	}
	for _, o := range c.lobby().Standing.Of(who) {
		if o.Number == number {
			if err := c.lobby().Standing.End(c.ctx, who, number); err != nil {
				return nil, err
			}
			return reply.One(reply.Of(c.say.T("The standing offer has ended. Its matches that are played go on."), keptOfferOf(o))), nil
		}
	}
	return nil, lobby.ErrNoStanding
}
