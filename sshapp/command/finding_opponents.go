package command

import (
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/quick"
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
		&row{Name: "new", Aliases: []tree.Alias{{Name: "seek", Adds: []string{"--public"}}}, Example: "new tanks size=6 --vs first --clock 5+3", Answer: openedJSON{}, Summary: text.T("open a match and print its code: private, --public for all, --to NAME as a challenge"), Args: []tree.Arg{gameArg(), {
			Name: "key=value ...", Optional: true, Words: tree.Many, Help: text.T("options of the game, such as size=6; games lists them"),
		}}, Run: newMatchFlags},
		&row{Name: "quick", Example: "quick tanks,petteia --clock blitz", Answer: openedJSON{}, Summary: text.T("take the fairest open offer of some games, or open one of the first and wait; without GAME as the last time"), Args: []tree.Arg{optional(gamesArg())},
			Run: quickFlags},
		&row{Name: "go", Prompt: true, Answer: answerJSON{}, Summary: text.T("go to the quick match for which an opponent is found"), Run: plain(goToQuick)},
		&row{Name: "stop", Prompt: true, Answer: answerJSON{}, Summary: text.T("stop looking for a quick match"), Run: plain(stopQuick)},
		&row{Name: "offers", Aliases: []tree.Alias{{Name: "sought"}}, Answer: offerJSON{}, Summary: text.T("the open offers, oldest first; with --follow more as they come"), Cost: tree.Heavy, FollowFlag: true, Args: []tree.Arg{optional(gameArg())}, Run: offersFlags},
		&row{Name: "join", Answer: matchJSON{}, Summary: text.T("take the free seat of a match"), Args: []tree.Arg{codeArg()}, Run: plain(join)},
		standingRow(),
		&row{Name: "matches", Answer: unfinishedJSON{}, Summary: text.T("your unfinished matches, those waiting for you first"), Cost: tree.Heavy, Run: plain(matches)},
	)
}

func quickFlags(f *tree.Flags) run {
	q := quickMatch{preset: presetFlag(f), clock: f.String("clock", "none|5+3|3d|CLASS", "none", text.T("the clock, or any of a class: bullet, blitz, rapid, classical, days"))}
	q.casual = f.Bool("casual", text.T("play a casual match, which doesn't count for ratings"))
	q.rated = f.Bool("rated", text.T("play a rated match, also the first time"))
	return func(c *call) (reply.Reply, error) {
		q.chosen = f.Given("preset") || f.Given("clock") || *q.casual || *q.rated
		return q.play(c)
	}
}

// A quickMatch is what the flags of quick say.
type quickMatch struct {
	preset, clock *string
	casual, rated *bool
	chosen        bool // one of the flags was given
}

// wanted returns what the caller has named and the flags say; no games if the caller has named none.
func (q quickMatch) wanted(c *call) (w quick.Wanted, err error) {
	switch {
	case *q.casual && *q.rated:
		return w, usageError{words: c.say.T("A match is either rated or casual.")}
	case len(c.words) == 0 && q.chosen:
		return w, usageError{words: c.say.T("Which game?")}
	case len(c.words) == 0:
		return w, nil
	}
	w.Rated = !*q.casual && c.caller.Fingerprint != ""
	for name := range strings.SplitSeq(c.words[0], ",") {
		g, err := c.game(name)
		if err != nil {
			return w, err
		}
		o, err := optionsOf(c.say, g, *q.preset, nil)
		if err != nil {
			return w, err
		}
		w.Games = append(w.Games, quick.Choice{Game: g.About().ID, Options: o})
	}
	if w.Clock, w.Class, err = quick.ParseClock(*q.clock); err != nil {
		err = usageError{words: c.say.Error(err)}
	}
	return w, err
}

// play takes the fairest offer of others, or opens one; in the line mode it begins a search instead. It remembers what was asked for, for the next
// time and for the full screen. The first quick match of a player who chooses nothing but the game is casual.
func (q quickMatch) play(c *call) (reply.Reply, error) {
	w, err := q.wanted(c)
	if err != nil {
		return nil, err
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	_, settings, err := c.account()
	if err != nil {
		return nil, err
	}
	last, before := c.lobby().Quick.LastQuick(settings)
	waits, asked := c.say.T("You wait for an opponent."), *q.casual || *q.rated
	switch {
	case len(w.Games) == 0 && !before:
		return nil, usageError{words: c.say.T("Which game?")}
	case len(w.Games) == 0:
		w = last
		if !w.Rated && !settings.QuickAsked && who.Kind.HasAccount() {
			// Translators: quick GAME --rated stays as it is.
			waits += " " + c.say.T("Your quick matches are casual. For rated ones: quick GAME --rated")
			asked = true
		}
	case !before && !q.chosen && who.Kind.HasAccount():
		w = quick.First(w.Games...)
		// Translators: --casual stays as it is.
		waits += " " + c.say.T("Your first quick match is casual, with 5 minutes and 3 s more for each move. The next ones count for your rating, unless you say --casual.")
	}
	ref, err := lobby.Ref{}, error(nil)
	if c.tells() {
		if ref, err = c.lobby().Quick.Take(c.ctx, who, w); err == nil && ref == (lobby.Ref{}) {
			err = c.caller.search.Begin(who, w)
		}
	} else {
		ref, err = c.lobby().Quick.Quick(c.ctx, who, w)
	}
	if err != nil {
		return nil, err
	}
	now := c.lobby().Quick.RememberQuick(settings, w)
	if now.QuickAsked = now.QuickAsked || asked; now != settings {
		remember(c, who, now)
	}
	if ref == (lobby.Ref{}) {
		return answer([]string{waits, c.say.T("Meanwhile you may play the computer, take a lesson or solve puzzles: the club calls you. stop ends the search.")}), nil
	}
	return opened(c, who, ref, waits)
}

// goToQuick leaves the board for the quick match to which the caller is called.
func goToQuick(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if !c.caller.search.Called() {
		return nil, refusal{codeNotOpen, c.say.T("No opponent waits for you now.")}
	}
	c.caller.current.Leave()
	c.visit.at("")
	c.caller.search.Come()
	return answer([]string{c.say.T("You go to your quick match.")}), nil
}

// stopQuick ends the caller's search.
func stopQuick(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if !c.caller.search.End() {
		return answer([]string{c.say.T("You are not looking for a quick match.")}), nil
	}
	return answer([]string{c.say.T("The club no longer looks for an opponent for you.")}), nil
}

func offersFlags(f *tree.Flags) run {
	follow := f.Bool("follow", text.T("stay for a day, and print each offer as it comes"))
	return func(c *call) (reply.Reply, error) {
		if *follow {
			return followOffers(c), nil
		}
		return offers(c)
	}
}

// offers lists what the caller can take: first what others offer to the caller alone, then the public offers, the oldest first.
func offers(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		wanted, err := c.wantedGame()
		if err != nil {
			return reply.Part{}, err
		}
		who, err := c.visitor()
		if err != nil {
			return reply.Part{}, err
		}
		var rows []reply.Row
		for _, offer := range slices.Concat(c.lobby().Lists.Yours(who).Invitations, c.lobby().Lists.Offers(who, wanted)) {
			if wanted == "" || offer.Game == wanted {
				rows = append(rows, offerRow(c, describeOffer(c, offer, who)))
			}
		}
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("There are no open offers.")))
		}
		for _, k := range c.lobby().Lists.Now(who).Sought {
			rows = append(rows, reply.ForPeople(c.say.Sought(k, c.lobby().Game)))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	}), nil
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
	return strings.Join([]string{o.Code, o.Game, say.T("vs %s", shownName(say, o.By)), words, day(say, o.Since), say.ShortClock(o.Clock)}, "\t")
}

// unfinishedCells describes a match of the caller's in a table.
func unfinishedCells(say wording.Words, m lists.Mine) string {
	state, opponent := say.T("waiting for the other side"), say.T("vs %s", shownName(say, m.Opponent))
	switch {
	case m.Started.IsZero() && m.Reserved.Kind != storage.Free:
		state, opponent = say.T("waiting for an answer"), say.T("vs %s", shownName(say, m.Reserved))
	case m.Standing:
		state, opponent = say.T("your standing offer"), shownName(say, m.Opponent)
	case m.Started.IsZero():
		state, opponent = say.T("waiting for somebody to join"), shownName(say, m.Opponent)
	case m.YourTurn && stands(m):
		state = say.T("your move, the clock stands")
	case m.YourTurn:
		state = say.T("your move")
	case stands(m):
		state = say.T("waiting for the other side, the clock stands")
	}
	return strings.Join([]string{m.Code, m.Game, opponent, state, day(say, m.LastAt), say.ShortClock(m.Clock)}, "\t")
}

// stands reports whether the clock of a match stands now.
func stands(m lists.Mine) bool { return time.Now().Before(m.Stands) }

type unfinishedJSON struct {
	historyJSON
	Code     string `json:"code" help:"the code of the match, for other commands"`
	YourSide string `json:"your_side" help:"the side that you play: first or second"`
	YourTurn bool   `json:"your_turn" help:"whether it is your move"`

	Stands *string `json:"stands_until" help:"until when the clock stands, for a vacation or an adjournment; null: it does not"`

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
	var until *string
	if stands(m) {
		until = jsonTime(m.Stands)
	}
	return unfinishedJSON{
		historyJSON: historyJSON{
			ID: m.ID, Game: m.Game, Options: m.Options, First: sitting[games.First].Name, Second: sitting[games.Second].Name,
			Plies: m.Ply, Rated: m.Rated, Clock: m.Clock.String(), Started: jsonTime(m.Started),
			aidJSON: aid(m.From, m.Start, m.Helped), kindsJSON: kindsJSON{sitting[games.First].Kind, sitting[games.Second].Kind},
		},
		Code: m.Code, YourSide: m.Side.String(), YourTurn: m.YourTurn, Stands: until, To: to,
	}
}
