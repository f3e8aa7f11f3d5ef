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
	"ludoteca/storage"
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
	casual := f.Bool("casual", text.T("let the match count for no ratings"))
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
		spec.Game, spec.Rated = g.About().ID, !casual
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
	_, settings, err := c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
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
	if now := c.lobby().Quick.RememberQuick(settings, spec); now != settings {
		if err := c.lobby().Accounts.SaveSettings(c.ctx, who, now); err != nil {
			return nil, err
		}
	}
	return opened(c, who, ref, c.say.T("You wait for an opponent."))
}

// rematch asks for the same match with sides swapped, or accepts that the other side asks for it.
func rematch(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.sitter)
	if err != nil {
		return nil, err
	}
	ref, err := seat.Rematch(c.ctx)
	if err != nil {
		return nil, err
	}
	return opened(c, seat.User(), ref, c.say.T("You wait for the other side to accept."))
}

// abort ends a match without a result before both sides have moved, and withdraws an offer.
func abort(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.sitter)
	if err != nil {
		return nil, err
	}
	if err := seat.Abort(c.ctx); err != nil {
		return nil, err
	}
	return reply.One(sayOrDescribe(c, seat, c.say.T("The match is called off."))), nil
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

type offerJSON struct {
	Code          string               `json:"code" help:"the code"`
	ID            storage.MatchID      `json:"id" help:"the id"`
	Game          string               `json:"game" help:"the id of the game"`
	Options       games.Options        `json:"options" help:"the options of the game"`
	Clock         string               `json:"clock" help:"the clock: none, 5+3 or 3d"`
	Rated         bool                 `json:"rated" help:"whether it counts for ratings"`
	Side          string               `json:"side" help:"the side: first or second"` // that the taker plays
	By            string               `json:"by" help:"the name of the player"`
	ByKind        storage.OccupantKind `json:"by_kind" help:"player, guest, bot or engine"`
	Rating        *float64             `json:"rating" help:"the rating"` // null if there is none
	Provisional   bool                 `json:"provisional" help:"whether the rating is still uncertain"`
	Range         *[2]int              `json:"range" help:"the least and the greatest rating of who may take it; null: all may"`         // of ratings; null: any player may take it
	FinishedShare *float64             `json:"finished_share" help:"the share of begun matches that the player finishes; null: unknown"` // of the matches that by has begun; null: it is not known
	To            *string              `json:"to" help:"the player who is asked; null: none"`                                            // the only player who may take it; null: all may
	Since         *string              `json:"since" help:"since when"`
	Until         *string              `json:"until" help:"when it ends; null: never, or unknown"`                 // when it ends if it isn't taken; null: unknown
	Stake         *stakeJSON           `json:"stake" help:"what the match would do to your rating; null: nothing"` // what it would do to the rating of a caller who takes it; null: nothing
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
