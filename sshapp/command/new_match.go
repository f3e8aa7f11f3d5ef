package command

import (
	"errors"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A newMatch is what the flags of new say.
type newMatch struct {
	preset, side, vs, clock *string
	rated, public           *bool
	rating, to, from        *string
	standing                *int
	standingGiven           bool
}

func newMatchFlags(f *tree.Flags) run {
	n := newMatch{
		preset:   presetFlag(f),
		side:     f.String("side", "first|second|random", "random", text.T("the side that you play")),
		vs:       f.String("vs", "LEVEL", "", text.T("play against the computer at this level; games lists the levels")),
		clock:    clockFlag(f),
		rated:    f.Bool("rated", text.T("let the match count for the ratings of both players")),
		public:   f.Bool("public", text.T("offer the match to all players instead of a friend with the code")),
		rating:   f.String("rating", "MIN-MAX", "", text.T("offer it only to players whose rating is in this range, such as 1400-1600")),
		to:       f.String("to", "NAME", "", text.T("challenge this player")),
		standing: f.Int("standing", "N", 0, text.T("keep such an offer open to all: a new one opens when one is taken, with at most N matches at a time, 1 to 4")),
		from:     f.String("from", "POSITION", "", text.T("begin from a position in one line, as show prints it with --json; such a match is not rated")),
	}
	return func(c *call) (reply.Reply, error) {
		n.standingGiven = f.Given("standing")
		return n.open(c)
	}
}

// open opens a match.
func (n newMatch) open(c *call) (reply.Reply, error) {
	spec := seats.Spec{Rated: *n.rated, Bot: *n.vs, Public: *n.public, To: *n.to}
	side, ok := seats.ParseChoice(*n.side)
	if !ok {
		return nil, usageError{words: c.say.T("--side is first, second or random.")}
	}
	var err error
	if spec.Clock, err = clockSetting(c.say, *n.clock); err != nil {
		return nil, err
	}
	if spec.Range, err = ratingRange(c.say, *n.rating); err != nil {
		return nil, err
	}
	g, err := c.game(c.words[0])
	if err != nil {
		return nil, err
	}
	spec.Game, spec.Side = g.About().ID, side
	words := c.words[1:]
	spec.From, words = startPosition(g, *n.from, words)
	if spec.From == "" || len(words) > 0 || *n.preset != "" { // else the position says them
		if spec.Options, err = optionsOf(c.say, g, *n.preset, words); err != nil {
			return nil, err
		}
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	var ref lobby.Ref
	var kept standingoffers.Kept
	if n.standingGiven {
		spec.Public = true
		kept, err = c.lobby().Standing.Keep(c.ctx, who, spec, *n.standing)
		ref = kept.Ref
	} else {
		ref, err = c.lobby().Seats.Open(c.ctx, who, spec)
	}
	if errors.Is(err, lobby.ErrNoSuchLevel) {
		return nil, refusal{codeNotFound, c.say.T("There is no computer player %s here. There are: %s.", tree.Quoted(*n.vs), levelNames(c, spec.Game))}
	}
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return nil, refusal{codeNotFound, c.say.T("There is no player %s here. Check how the name is written.", tree.Quoted(*n.to))}
	}
	if err != nil {
		return nil, err
	}
	waits := ""
	if spec.Public {
		waits = c.say.T("You wait for an opponent.")
	}
	if n.standingGiven {
		waits += " " + c.say.N(*n.standing, "The offer stays open, with one match at a time. To end it: standing end %d",
			"The offer stays open, with at most %d matches at a time. To end it: standing end %d", *n.standing, kept.Number)
	}
	return opened(c, who, ref, waits)
}

// ratingRange reads --rating.
func ratingRange(say wording.Words, flag string) (r [2]int, err error) {
	if flag == "" {
		return r, nil
	}
	r, ok := seats.ParseRange(flag)
	if !ok {
		err = usageError{words: say.T("--rating is two numbers up to %d, like 1400-1600.", seats.MaxRating)}
	}
	return r, err
}

// startPosition returns the position that --from says, and the words that are options. A position is several words, and ssh passes them
// on without the quotation marks that a shell took away: if the value of the flag is no position by itself, the words belong to it.
func startPosition(g games.Game, flag string, words []string) (text string, options []string) {
	if flag == "" {
		return "", words
	}
	if _, err := g.Parse(flag); err == nil {
		return flag, words
	}
	return strings.Join(append([]string{flag}, words...), " "), nil
}

// optionsOf reads the options of a game from words of the form key=value and from --preset.
func optionsOf(say wording.Words, g games.Game, preset string, words []string) (games.Options, error) {
	o, err := games.ParseOptionsOf(g, preset, words)
	bad, ok := errors.AsType[*games.OptionError](err)
	switch {
	case ok && bad.Malformed:
		return nil, usageError{words: say.Options(bad) + "."}
	case ok:
		return nil, refusal{codeIllegal, say.Options(bad) + "."}
	}
	return o, err
}

// clockSetting reads --clock.
func clockSetting(say wording.Words, flag string) (lobby.ClockSetting, error) {
	set, err := lobby.ParseClock(flag)
	if err != nil {
		err = usageError{words: say.Error(err)}
	}
	return set, err
}

// levelNames returns the ids of the computer players of a game.
func levelNames(c *call, game string) string {
	var ids []string
	for _, l := range lobby.LevelsOf(c.lobby().Levels(), game) {
		ids = append(ids, l.ID)
	}
	return strings.Join(ids, ", ")
}

// An openedJSON is a match in which the caller has taken a seat.
type openedJSON struct {
	Code    string          `json:"code" help:"the code of the match, for other commands and for your opponent"`
	ID      storage.MatchID `json:"id" help:"the id of the match, which never changes"`
	Game    string          `json:"game" help:"the id of the game"`
	Options games.Options   `json:"options" help:"the value of each option of the game, by its key"`
	Side    string          `json:"side" help:"the side that you play: first or second"`
	Clock   string          `json:"clock" help:"none, minutes and seconds a move such as 5+3, or days a move such as 3d"`
	Waiting bool            `json:"waiting" help:"whether the other seat is still free"`
}

// opened answers with a match in which the caller now has a seat. waits tells what the match waits for; "" means a friend with the code.
//
// The caller must learn the code of a match that is written. So what is answered is what this node has in memory, and no view of the match, which
// a node that has lost the store meanwhile refuses. Without a view, the line mode shows no board. A match that has ended meanwhile is read.
func opened(c *call, who lobby.User, ref lobby.Ref, waits string) (reply.Reply, error) {
	seat, err := c.lobby().Seats.At(c.ctx, who, ref)
	if err != nil {
		return nil, err
	}
	c.looksAt(seat, ref)
	m := seat.Summary()
	var v *lobby.View
	if m == nil || c.tells() && !m.Started.IsZero() {
		switch v, err = seat.Now(c.ctx); {
		case err == nil:
			m = &v.Summary
		case m == nil:
			return nil, err
		}
	}
	side := games.First
	if m.Holds(who, games.Second) {
		side = games.Second
	}
	return reply.One(reply.Made(
		func() string {
			if c.tells() && v != nil && !m.Started.IsZero() {
				return strings.Join(arrival(c, v, who), "\n")
			}
			return ref.Code + "\n" + openedWords(c.say, m, ref, side, waits)
		},
		func() any {
			return openedJSON{ref.Code, ref.ID, m.Game.About().ID, m.Options, side.String(), m.Clock.Setting.String(), m.Started.IsZero()}
		},
	)), nil
}

// openedWords says what a match waits for, or how it is played on.
func openedWords(say wording.Words, m *match.Summary, ref lobby.Ref, side games.Side, waits string) string {
	to, until := m.Reserved, m.Until()
	switch {
	case !m.Started.IsZero():
		return say.T("%s against %s, %s. Your moves: move %s MOVE", m.Game.About().Name, shownName(say, m.Seats[side.Other()]), say.YouPlay(side), ref.Code)
	case waits != "":
		return waits
	case to.Kind != storage.Free && !until.IsZero():
		return say.T("%s is challenged, and has %s to answer.", shownName(say, to), say.TimeLeft(time.Until(until)))
	case to.Kind != storage.Free:
		return say.T("%s is challenged, and has not answered yet.", shownName(say, to))
	}
	return say.T("%s, %s. Tell your friend the code, to join with: %s", m.Game.About().Name, say.YouPlay(side), say.SSHScreen("join "+ref.Code))
}

func join(c *call) (reply.Reply, error) {
	// An unknown code makes no account.
	var found lobby.Ref
	if c.caller.Fingerprint != "" {
		who, err := c.visitor()
		if err != nil {
			return nil, err
		}
		if found, err = c.lobby().Finder.Find(c.ctx, who, c.caller.Origin, c.words[0]); err != nil {
			return nil, c.named(err)
		}
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	var ref lobby.Ref
	if strings.EqualFold(string(found.ID), c.words[0]) { // lists name offers by both
		ref, err = c.lobby().Seats.Take(c.ctx, who, found.ID)
	} else {
		ref, err = c.lobby().Seats.Join(c.ctx, who, c.caller.Origin, c.words[0])
	}
	if err != nil {
		return nil, c.named(err)
	}
	v, err := c.view(who, ref)
	if err != nil {
		return nil, err
	}
	if c.tells() {
		return arrived(c, v, who), nil
	}
	return showMatch(c, v, who, false), nil
}
