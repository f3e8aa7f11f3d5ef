package command

import (
	"fmt"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// findingRows are the commands with which a player comes to a match.
func findingRows() []*row {
	return group(text.T("Finding a match"),
		&row{Name: "new", Example: "new tanks size=6 --vs first --clock 5+3", Answer: openedJSON{}, Summary: text.T("open a match and print its code: private, --public for all, --to NAME as a challenge"), Args: []tree.Arg{gameArg(), {
			Name: "key=value ...", Optional: true, Words: tree.Many, Help: text.T("options of the game, such as size=6; games lists them"),
		}}, Run: newMatchFlags},
		&row{Name: "quick", Example: "quick tanks --clock 5+3", Answer: openedJSON{}, Summary: text.T("take the fairest open offer of a game, or open one and wait; without GAME as the last time"), Args: []tree.Arg{optional(gameArg())},
			Run: quickFlags},
		&row{Name: "offers", Answer: offerJSON{}, Summary: text.T("the open offers, oldest first"), Cost: tree.Heavy, Args: []tree.Arg{optional(gameArg())}, Run: plain(offers)},
		&row{Name: "join", Answer: matchJSON{}, Summary: text.T("take the free seat of a match"), Args: []tree.Arg{codeArg()}, Run: plain(join)},
		&row{Name: "matches", Answer: unfinishedJSON{}, Summary: text.T("your unfinished matches, those waiting for you first"), Cost: tree.Heavy, Run: plain(matches)},
	)
}

func quickFlags(f *tree.Flags) run {
	preset, clock := presetFlag(f), clockFlag(f)
	casual := f.Bool("casual", text.T("play a casual match, which doesn't count for ratings"))
	return func(c *call) (reply.Reply, error) {
		return quick(c, *preset, *clock, *casual, f.Given("preset") || f.Given("clock"))
	}
}

// quick takes the fairest offer of others, or opens one. It remembers what was asked for, for the next time and for the full screen.
func quick(c *call, preset, clock string, casual, changed bool) (reply.Reply, error) {
	var spec seats.Spec
	if len(c.words) == 1 {
		g, err := c.game(c.words[0])
		if err != nil {
			return nil, err
		}
		spec.Game, spec.Rated = g.About().ID, !casual && c.caller.Fingerprint != ""
		if spec.Options, err = optionsOf(c.say, g, preset, nil); err != nil {
			return nil, err
		}
		if spec.Clock, err = clockSetting(c.say, clock); err != nil {
			return nil, err
		}
	} else if changed || casual {
		return nil, usageError{words: c.say.T("Which game?")}
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	_, settings, err := c.account()
	if err != nil {
		return nil, err
	}
	if len(c.words) == 0 {
		last, ok := c.lobby().Quick.LastQuick(settings)
		if !ok {
			return nil, usageError{words: c.say.T("Which game?")}
		}
		spec = last
	}
	ref, err := c.lobby().Quick.Quick(c.ctx, who, spec)
	if err != nil {
		return nil, err
	}
	if now := c.lobby().Quick.RememberQuick(settings, spec); now != settings && who.Kind.HasAccount() {
		if err := c.lobby().Accounts.SaveSettings(c.ctx, who, now); err != nil {
			return nil, err
		}
	}
	return opened(c, who, ref, c.say.T("You wait for an opponent."))
}

type offerJSON struct {
	Code          string               `json:"code" help:"the code of the match, for join"`
	ID            storage.MatchID      `json:"id" help:"the id of the match, which never changes"`
	Game          string               `json:"game" help:"the id of the game"`
	Options       games.Options        `json:"options" help:"the value of each option of the game, by its key"`
	Clock         string               `json:"clock" help:"none, minutes and seconds a move such as 5+3, or days a move such as 3d"`
	Rated         bool                 `json:"rated" help:"whether the match would count for ratings"`
	Side          string               `json:"side" help:"the side that you would play: first or second"`
	By            string               `json:"by" help:"the name of the player who offers it"`
	ByKind        storage.OccupantKind `json:"by_kind" help:"what that player is: player, guest, bot or engine"`
	Rating        *float64             `json:"rating" help:"that player's rating at the game, in points; null: none"`
	Provisional   bool                 `json:"provisional" help:"whether that rating is still uncertain"`
	Range         *[2]int              `json:"range" help:"the lowest and the highest rating of players who may take it; null: any"`
	FinishedShare *float64             `json:"finished_share" help:"the share of begun matches that the player has finished, from 0 to 1; null: none has begun"`
	To            *string              `json:"to" help:"the only player who may take it; null: all may"`
	Since         *string              `json:"since" help:"when it was offered"`
	Until         *string              `json:"until" help:"when it lapses; null: unknown"`
	Stake         *stakeJSON           `json:"stake" help:"what the match would do to your rating; null: nothing"`
}

func describeOffer(c *call, o lists.Offer, who lobby.User) offerJSON {
	j := offerJSON{
		Code: o.Code, ID: o.ID, Game: o.Game, Options: o.Options, Clock: o.Clock.String(), Rated: o.Rated, Side: o.Side.String(),
		By: o.By.Name, ByKind: o.By.Kind, Provisional: o.Strength.Provisional, Since: jsonTime(o.Since),
		Until: jsonTime(o.Until),
	}
	if o.To.Kind != storage.Free {
		j.To = &o.To.Name
	}
	if o.Range != [2]int{} {
		j.Range = &o.Range
	}
	if o.Strength.Known {
		j.Rating = &o.Strength.Rating
	}
	if share, known := o.FinishedShare(); known {
		j.FinishedShare = &share
	}
	if s, err := c.lobby().Seats.OfferStake(c.ctx, who, o.ID); err == nil && s != nil { // unknown if the store fails
		j.Stake = &stakeJSON{s.Win, s.Draw, s.Loss}
	}
	return j
}

// offers lists what the caller can take: first what others offer to the caller alone, then the public offers, the oldest first.
func offers(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		wanted := ""
		if len(c.words) == 1 {
			g, err := c.game(c.words[0])
			if err != nil {
				return reply.Part{}, err
			}
			wanted = g.About().ID
		}
		who, err := c.visitor()
		if err != nil {
			return reply.Part{}, err
		}
		var rows []reply.Row
		for _, offer := range slices.Concat(c.lobby().Lists.Yours(who).Invitations, c.lobby().Lists.Offers(who, wanted)) {
			if wanted == "" || offer.Game == wanted {
				o := describeOffer(c, offer, who)
				rows = append(rows, reply.Made(func() string { return offerCells(c, o) }, func() any { return o }))
			}
		}
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("There are no open offers.")))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	}), nil
}

func offerCells(c *call, o offerJSON) string {
	by, kind := shownName(c.say, storage.Occupant{Kind: o.ByKind, Name: o.By}), c.say.T("casual")
	if o.Rating != nil {
		by += " " + shownRating(*o.Rating, o.Provisional)
	}
	if o.Rated {
		kind = c.say.T("rated")
	}
	whom := ""
	switch {
	case o.To != nil:
		// Translators: a challenge that only the reader can accept.
		whom = c.say.T("for you")
	case o.Range != nil:
		whom = fmt.Sprintf("%d-%d", o.Range[0], o.Range[1])
	}
	terms := ""
	if o.FinishedShare != nil {
		terms = c.say.FinishesShort(*o.FinishedShare)
	}
	if s := o.Stake; s != nil {
		terms = strings.TrimPrefix(terms+"; "+strings.Join(c.say.Stake(standings.Stake{Win: s.Win, Draw: s.Draw, Loss: s.Loss}), ", "), "; ")
	}
	return strings.Join([]string{o.Code, o.Game, optionWords(c, o.Game, o.Options), by, kind, o.Clock, whom, terms}, "\t")
}

// optionWords says which options of a game are chosen: the name of an option set, or what differs from the defaults.
func optionWords(c *call, game string, o games.Options) string {
	g, err := c.lobby().Game(game)
	if err != nil {
		return o.String()
	}
	if set := g.About().SetOf(o); set != "" {
		return c.say.T(set)
	}
	return strings.Join(g.About().Changed(o), " ")
}

// matches lists the caller's unfinished matches. Challenges and wishes for a rematch that wait for the caller come first, for people: with
// --json they are lines of offers, because the caller has no seat in them yet, and a script that takes each line for a match of its own would
// decline them when it aborts.
func matches(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		who, err := c.visitor()
		if err != nil {
			return reply.Part{}, err
		}
		yours := c.lobby().Lists.Yours(who)
		var rows []reply.Row
		for _, o := range yours.Invitations {
			rows = append(rows, reply.Made(func() string { return invitationCells(c.say, o) }, func() any { return invitation(o) }))
		}
		for _, m := range yours.Matches {
			rows = append(rows, reply.Made(func() string { return unfinishedCells(c.say, m) }, func() any { return unfinished(m, who) }))
		}
		switch {
		case len(rows) == 0:
			rows = append(rows, reply.ForPeople(c.say.T("You have no unfinished matches.")))
		case len(yours.Invitations) > 0:
			rows = append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T("Challenges are answered with accept CODE or decline CODE.")))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	}), nil
}

// invitationCells describes a challenge, or a wish for a rematch, in a table.
func invitationCells(say wording.Words, o lists.Offer) string {
	words := say.T("challenges you")
	if o.RematchOf != "" {
		words = say.T("would like a rematch")
	}
	return strings.Join([]string{o.Code, o.Game, say.T("vs %s", shownName(say, o.By)), words, day(o.Since), say.ShortClock(o.Clock)}, "\t")
}

// unfinishedCells describes a match of the caller's in a table.
func unfinishedCells(say wording.Words, m lists.Mine) string {
	state, opponent := say.T("waiting for the other side"), say.T("vs %s", shownName(say, m.Opponent))
	switch {
	case m.Started.IsZero() && m.Reserved.Kind != storage.Free:
		state, opponent = say.T("waiting for an answer"), say.T("vs %s", shownName(say, m.Reserved))
	case m.Started.IsZero():
		state, opponent = say.T("waiting for somebody to join"), shownName(say, m.Opponent)
	case m.YourTurn:
		state = say.T("your move")
	}
	return strings.Join([]string{m.Code, m.Game, opponent, state, day(m.LastAt), say.ShortClock(m.Clock)}, "\t")
}

type unfinishedJSON struct {
	historyJSON
	Code     string `json:"code" help:"the code of the match, for other commands"`
	YourSide string `json:"your_side" help:"the side that you play: first or second"`
	YourTurn bool   `json:"your_turn" help:"whether it is your move"`

	To *string `json:"to" help:"the player whom you challenge or ask for a rematch, until the answer; null: none"`
	By *string `json:"by" help:"the player who challenges you or asks you for a rematch, until your answer; null: none"`
}

// invitation describes a challenge or rematch offer that waits for the caller's answer. The caller's seat stays free until then.
func invitation(o lists.Offer) unfinishedJSON {
	var sitting [2]storage.Occupant
	sitting[o.Side.Other()] = o.By
	return unfinishedJSON{
		historyJSON: historyJSON{
			ID: o.ID, Game: o.Game, Options: o.Options, First: sitting[games.First].Name, Second: sitting[games.Second].Name,
			Plies: o.Ply, Rated: o.Rated, Clock: o.Clock.String(),
			aidJSON: aid(o.From, o.Ply, results.Help{}), kindsJSON: kindsJSON{sitting[games.First].Kind, sitting[games.Second].Kind},
		},
		Code: o.Code, YourSide: o.Side.String(), By: &o.By.Name,
	}
}

func unfinished(m lists.Mine, who lobby.User) unfinishedJSON {
	var to *string
	if m.Started.IsZero() && m.Reserved.Kind != storage.Free {
		to = &m.Reserved.Name
	}
	sitting := [2]storage.Occupant{m.Opponent, m.Opponent}
	sitting[m.Side] = who.Occupant()
	return unfinishedJSON{
		historyJSON: historyJSON{
			ID: m.ID, Game: m.Game, Options: m.Options, First: sitting[games.First].Name, Second: sitting[games.Second].Name,
			Plies: m.Ply, Rated: m.Rated, Clock: m.Clock.String(), Started: jsonTime(m.Started),
			aidJSON: aid(m.From, m.Start, m.Helped), kindsJSON: kindsJSON{sitting[games.First].Kind, sitting[games.Second].Kind},
		},
		Code: m.Code, YourSide: m.Side.String(), YourTurn: m.YourTurn, To: to,
	}
}
