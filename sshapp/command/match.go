package command

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// matchRows are the commands about one match.
func matchRows() []*row {
	return group(text.T("At a match"),
		&row{Name: "show", Example: "show K7QM2X --words", Answer: matchJSON{}, Summary: text.T("a match as it is now; --words describes the board in sentences"), Cost: tree.Steps, Args: []tree.Arg{codeArg()}, Run: show},
		&row{Name: "watch", Answer: matchJSON{}, Summary: text.T("a match; with --json a line now and one for every change"), Args: []tree.Arg{codeArg()}, Follows: true, Run: plain(watch)},
		&row{Name: "tv", Answer: matchJSON{}, Summary: text.T("the best match now; with --json a line for every change, and on to the next match"), Args: []tree.Arg{optional(gameArg())},
			Follows: true, Run: plain(television)},
		waitRow(),
		&row{Name: "move", Example: "move K7QM2X c3", Answer: matchJSON{}, Summary: text.T("play a move"), Args: []tree.Arg{codeArg(), {
			Name: "MOVE", Words: 3, Asks: text.T("Which move?"), Help: text.T("the move, as rules GAME writes moves; show prints those that are legal with --json"),
		}}, Run: plain(move)},
		&row{Name: "hint", Answer: hintJSON{}, Summary: text.T("what the strongest computer player would do in your place"), Args: []tree.Arg{codeArg()}, Run: plain(hint)},
		&row{Name: "resign", Answer: matchJSON{}, Summary: text.T("give a match to the other side"), Args: []tree.Arg{codeArg()}, Run: plain(resign)},
		&row{Name: "abort", Answer: matchJSON{}, Summary: text.T("call a match off before both sides have moved, or withdraw an offer"), Args: []tree.Arg{codeArg()}, Run: plain(abort)},
		&row{Name: "claim", Example: "claim K7QM2X win", Answer: matchJSON{}, Summary: text.T("end a match whose other side has gone, as your win or a draw"), Args: []tree.Arg{codeArg(), {
			Name: "win|draw", Asks: text.T("What do you claim: win, or draw?"), Help: text.T("what the match ends as"),
		}}, Run: plain(claim)},
	)
}

// seat finds the match that the first word names. as is how the caller comes to it: visitor, sitter or player.
func (c *call) seat(as func() (lobby.User, error)) (*seats.Seat, error) {
	who, err := as()
	if err != nil {
		return nil, err
	}
	ref, err := c.find(who)
	if err == nil {
		var seat *seats.Seat
		if seat, err = c.lobby().Seats.At(c.ctx, who, ref); err == nil {
			c.looksAt(seat, ref)
			return seat.WithLag(c.caller.Lag), nil
		}
	}
	return nil, c.named(err)
}

// looksAt makes a match the current one of the line mode, and the user present at its board.
func (c *call) looksAt(seat *seats.Seat, ref lobby.Ref) {
	c.caller.current.set(c.ctx, seat, ref)
	c.visit.at(seat.ID())
}

// find returns the match that the first word names. Operators see all matches.
func (c *call) find(who lobby.User) (lobby.Ref, error) {
	if c.caller.Operator {
		return c.lobby().Finder.Reveal(c.ctx, c.words[0])
	}
	return c.lobby().Finder.Find(c.ctx, who, c.caller.Origin, c.words[0])
}

// seatNow finds the match that the first word names, and how it stands.
func (c *call) seatNow(as func() (lobby.User, error)) (*seats.Seat, *lobby.View, error) {
	seat, err := c.seat(as)
	if err != nil {
		return nil, nil, err
	}
	v, err := seat.Now(c.ctx)
	return seat, v, err
}

// act does something for a player in the match that the first word names, and answers with the match as it stands then.
func act(c *call, do func(*seats.Seat, *lobby.View) error) (reply.Reply, error) {
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	if err := do(seat, v); err != nil {
		return nil, err
	}
	if v, err = seat.Now(c.ctx); err != nil {
		return nil, err
	}
	return showMatch(c, v, seat.User(), false), nil
}

// named gives an error about a code words that repeat the code.
func (c *call) named(err error) error {
	if errors.Is(err, lobby.ErrNoSuchMatch) {
		return refusal{codeNotFound, c.say.NoSuchCode(c.words[0])}
	}
	return err
}

// A newMatch is what the flags of new say.
type newMatch struct {
	preset, side, vs, clock *string
	rated, public           *bool
	rating, to, from        *string
}

func newMatchFlags(f *tree.Flags) run {
	n := newMatch{
		preset: presetFlag(f),
		side:   f.String("side", "first|second|random", "random", text.T("the side that you play")),
		vs:     f.String("vs", "LEVEL", "", text.T("play against the computer at this level; games lists the levels")),
		clock:  clockFlag(f),
		rated:  f.Bool("rated", text.T("let the match count for the ratings of both players")),
		public: f.Bool("public", text.T("offer the match to all players instead of a friend with the code")),
		rating: f.String("rating", "MIN-MAX", "", text.T("offer it only to players with such a rating, like 1400-1600")),
		to:     f.String("to", "NAME", "", text.T("challenge this player")),
		from:   f.String("from", "POSITION", "", text.T("begin from a position in one line, as show prints it with --json; such a match is not rated")),
	}
	return n.open
}

// presetFlag declares the flag with a set of options.
func presetFlag(f *tree.Flags) *string {
	return f.String("preset", "NAME", "", text.T("a named set of options; games lists them"))
}

// clockFlag declares the flag with a clock.
func clockFlag(f *tree.Flags) *string {
	return f.String("clock", "none|5+3|3d", "none", text.T("the clock: none, minutes and seconds for each move (5+3), or days for each move (3d)"))
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
	ref, err := c.lobby().Seats.Open(c.ctx, who, spec)
	if errors.Is(err, lobby.ErrNoSuchLevel) {
		return nil, refusal{codeNotFound, c.say.T("There is no computer player %s here. There are: %s.", tree.Quoted(*n.vs), levelNames(c))}
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

func levelNames(c *call) string {
	var ids []string
	for _, l := range c.lobby().Levels() {
		ids = append(ids, l.ID)
	}
	return strings.Join(ids, ", ")
}

// An openedJSON is a match in which the caller has taken a seat.
type openedJSON struct {
	Code    string          `json:"code" help:"the code"`
	ID      storage.MatchID `json:"id" help:"the id"`
	Game    string          `json:"game" help:"the id of the game"`
	Options games.Options   `json:"options" help:"the options of the game"`
	Side    string          `json:"side" help:"the side: first or second"`
	Clock   string          `json:"clock" help:"the clock: none, 5+3 or 3d"`
	Waiting bool            `json:"waiting" help:"whether the other seat is free"` // the other seat is free
}

// opened answers with a match in which the caller now has a seat. waits tells what the match waits for; "" means a friend with the code.
func opened(c *call, who lobby.User, ref lobby.Ref, waits string) (reply.Reply, error) {
	v, err := c.view(who, ref)
	if err != nil {
		return nil, err
	}
	side := games.First
	if v.Holds(who, games.Second) {
		side = games.Second
	}
	return reply.One(reply.Made(
		func() string { return ref.Code + "\n" + openedWords(c.say, v, ref, side, waits) },
		func() any {
			return openedJSON{ref.Code, ref.ID, v.Game.About().ID, v.Options, side.String(), v.Clock.Setting.String(), v.Started.IsZero()}
		},
	)), nil
}

// openedWords says what a match waits for, or how it is played on.
func openedWords(say wording.Words, v *lobby.View, ref lobby.Ref, side games.Side, waits string) string {
	to, until := v.Reserved, v.Until()
	switch {
	case !v.Started.IsZero():
		return say.T("%s against %s, %s. Your moves: move %s MOVE", v.Game.About().Name, shownName(say, v.Seats[side.Other()]), say.YouPlay(side), ref.Code)
	case waits != "":
		return waits
	case to.Kind != storage.Free && !until.IsZero():
		return say.T("%s is challenged, and has %s to answer.", shownName(say, to), say.TimeLeft(time.Until(until)))
	case to.Kind != storage.Free:
		return say.T("%s is challenged, and has not answered yet.", shownName(say, to))
	}
	return say.T("%s, %s. Tell your friend the code, to join with: %s", v.Game.About().Name, say.YouPlay(side), say.SSHScreen("join "+ref.Code))
}

func (c *call) view(who lobby.User, ref lobby.Ref) (*lobby.View, error) {
	seat, err := c.lobby().Seats.At(c.ctx, who, ref)
	if err != nil {
		return nil, err
	}
	c.looksAt(seat, ref)
	return seat.Now(c.ctx)
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
	return showMatch(c, v, who, false), nil
}

// matchJSON is a match at one moment, as show and watch print it.
type matchJSON struct {
	ID       storage.MatchID `json:"id" help:"the id"`
	Code     string          `json:"code" help:"the code"`
	Game     string          `json:"game" help:"the id of the game"`
	Options  games.Options   `json:"options" help:"the options of the game"`
	First    string          `json:"first" help:"the first side"`
	Second   string          `json:"second" help:"the second side"`
	Ply      int             `json:"ply" help:"how many moves were made before"`
	Moves    []games.Move    `json:"moves" help:"the moves"`
	Board    []string        `json:"board" help:"the board as rows of text"`
	Turn     string          `json:"turn" help:"the side to move; \"\" when the match is over"` // "" when the match is over
	Legal    []games.Move    `json:"legal" help:"the legal moves"`
	Result   string          `json:"result" help:"first, second, draw, or \"\" while it is open"`
	Reason   string          `json:"reason" help:"the reason"`
	Rated    bool            `json:"rated" help:"whether it counts for ratings"`
	Clock    clockJSON       `json:"clock" help:"the clock: none, 5+3 or 3d"`
	Offer    *matchOfferJSON `json:"offer" help:"the newest offer of one side to the other; null: none"` // the newest that one side offers the other; null: nothing
	Offers   []openOfferJSON `json:"offers" help:"all open offers, the oldest first"`                    // all that are open, the oldest first
	Position string          `json:"position" help:"the position in one line"`                           // in one line, as games.Game.Parse reads it

	Presence   presenceJSON `json:"presence" help:"how near each side is to the board: here, away or gone"`
	ClaimIn    *int         `json:"claim_in_s" help:"after how many seconds you may claim the match; null: never"` // after how many seconds the caller may claim the match; null for never
	Spectators int          `json:"spectators" help:"how many watch"`
	Watching   []string     `json:"watching" help:"the names of the first spectators"`                  // the names of the first of them
	Stake      *stakeJSON   `json:"stake" help:"what the match would do to your rating; null: nothing"` // of the caller; null for spectators, and if the match is over or not rated
	aidJSON
	kindsJSON
}

// stakeJSON is by how much the rating of a player would change if the match ended now, in points.
type stakeJSON struct {
	Win  float64 `json:"win" help:"points for a win"`
	Draw float64 `json:"draw" help:"points for a draw"`
	Loss float64 `json:"loss" help:"points for a loss"`
}

// clockJSON is the clock of a match at one moment.
type clockJSON struct {
	Kind      string `json:"kind" help:"none, fischer or correspondence"`                                       // none, fischer or correspondence
	Base      int    `json:"base_s" help:"seconds for each side, or for each move of a clock that counts days"` // for each side, or each move if it counts days
	Increment int    `json:"increment_s" help:"seconds added for each move"`
	First     *int64 `json:"first_ms" help:"milliseconds left to the first side; null without a clock"` // left to each side; null without a clock
	Second    *int64 `json:"second_ms" help:"milliseconds left to the second side; null without a clock"`
	Running   string `json:"running" help:"the side whose clock runs; \"\" for neither"` // the side whose clock runs; "" for neither
}

// clockOf returns the clock of a match as it is now.
func clockOf(v *lobby.View) clockJSON {
	set := v.Clock.Setting
	j := clockJSON{Kind: set.Kind.String(), Base: int(set.Base / time.Second), Increment: int(set.Increment / time.Second)}
	if set.Kind == lobby.NoClock {
		return j
	}
	now := time.Now()
	j.First, j.Second = new(v.Clock.LeftAt(0, now).Milliseconds()), new(v.Clock.LeftAt(1, now).Milliseconds())
	if v.Clock.Running() {
		j.Running = v.Turn.String()
	}
	return j
}

func describe(c *call, v *lobby.View, who lobby.User) matchJSON {
	m := matchJSON{
		ID: v.ID, Code: v.Code, Game: v.Game.About().ID, Options: v.Options,
		First: v.Seats[games.First].Name, Second: v.Seats[games.Second].Name,
		Ply: v.Ply(), Moves: v.Moves, Result: v.Result, Reason: v.Reason, Rated: v.Rated, Clock: clockOf(v),
		Presence: presenceOf(v), ClaimIn: claimIn(c, v, who), Spectators: v.Spectators.Count,
		aidJSON: aid(v.From, v.Start, v.Helped), kindsJSON: kindsJSON{v.Seats[games.First].Kind, v.Seats[games.Second].Kind},
	}
	m.Watching = make([]string, 0, len(v.Spectators.Names))
	for _, o := range v.Spectators.Names {
		m.Watching = append(m.Watching, o.Name)
	}
	if m.Moves == nil {
		m.Moves = []games.Move{}
	}
	m.Offer, m.Offers = matchOffer(v), openOffers(v)
	if s, err := c.stakeOf(v, who); err == nil && s != nil { // unknown if the store fails
		m.Stake = &stakeJSON{s.Win, s.Draw, s.Loss}
	}
	m.stand(v.Position, v.Over)
	return m
}

// stakeLife is how long a command that prints many lines of a match prints the same stake: other matches of its players may change it.
const stakeLife = time.Minute

// A stakeAt is the stake of a caller in a match.
type stakeAt struct {
	match   storage.MatchID
	started bool
	stake   *standings.Stake
	at      time.Time // when it was worked out
}

// stakeOf returns what a match would do to the rating of the caller, as of the last minute: over a network it takes several questions to the
// store, and watch prints a line for each move.
func (c *call) stakeOf(v *lobby.View, who lobby.User) (*standings.Stake, error) {
	if v.Over {
		return nil, nil
	}
	if k := &c.stake; k.match == v.ID && k.started == !v.Started.IsZero() && time.Since(k.at) < stakeLife {
		return k.stake, nil
	}
	s, err := c.lobby().Seats.Stake(c.ctx, who, v)
	if err != nil {
		return nil, err
	}
	c.stake = stakeAt{v.ID, !v.Started.IsZero(), s, time.Now()}
	return s, nil
}

// prepareStake works out the stake before the turn of a command, which is not for waiting for the store. An error comes again where the stake is
// printed.
func (c *call) prepareStake(v *lobby.View, who lobby.User) { _, _ = c.stakeOf(v, who) }

// stand fills in what follows from the position.
func (m *matchJSON) stand(p games.Position, over bool) {
	m.Board, m.Position, m.Turn, m.Legal = p.Rows(), p.String(), "", []games.Move{}
	if !over {
		m.Turn = p.Turn().String()
		m.Legal = append(m.Legal, p.Legal()...)
	}
}

// show prints a match. It holds no turn while it waits for the store to find the match. Otherwise many callers at once, as after the loss of
// another node, would wait for each other's answers.
func show(f *tree.Flags) run {
	words := f.Bool("words", text.T("describe the board in sentences, as for a screen reader"))
	return func(c *call) (reply.Reply, error) { return showNow(c, *words) }
}

func showNow(c *call, sentences bool) (reply.Reply, error) {
	seat, v, err := c.seatNow(c.visitor)
	if err != nil {
		return nil, err
	}
	c.prepareStake(v, seat.User())
	return showMatch(c, v, seat.User(), sentences), nil
}

// watch prints the match as show does. With --json it goes on with a line for every change until the match ends or the node is cut off; the
// reader can ask another node then. A slow reader gets views in bigger steps, and the lines between are made from their events. watch may go on
// for hours, so it isn't counted among a person's heavy commands, but its first line is printed in turn as theirs are.
func watch(c *call) (reply.Reply, error) {
	if !c.asJSON {
		return showNow(c, false)
	}
	seat, err := c.seat(c.visitor)
	if err != nil {
		return nil, err
	}
	if c.visit == nil {
		c.away = c.follows(seat)
	}
	seen, err := seat.Now(c.ctx)
	if err != nil {
		return nil, err
	}
	c.prepareStake(seen, seat.User())
	return func(yield func(reply.Part, error) bool) {
		who := seat.User()
		if !yield(reply.Part{Rows: []reply.Row{matchRow(c, seen, who, false)}}, nil) {
			return
		}
		c.shows(seen, who)
		for !seen.Over {
			c.staysAt(seen, who)
			v, err := seat.Follow(c.ctx, seen.Seq)
			if err != nil {
				yield(reply.Part{}, err)
				return
			}
			lines, err := changes(c, seen, v, who)
			if !yield(forScripts(lines), err) || err != nil {
				return
			}
			c.shows(v, who)
			seen = v
		}
	}, nil
}

// forScripts is a part of lines for scripts.
func forScripts(lines []any) (p reply.Part) {
	for _, line := range lines {
		p.Rows = append(p.Rows, reply.ForScripts(line))
	}
	return p
}

// changes returns a line for every visible change from one view to the next: a player joins, moves are taken back, a move is made. The last
// line is the newer view itself. The lines that a slow reader has missed are derived from the moves of both views, so a move that was made
// and taken back in between is not shown.
func changes(c *call, old, v *lobby.View, who lobby.User) (lines []any, err error) {
	line, pos := describe(c, old, who), old.Position
	waiting := false // line has changed and is not among lines: it may be the last
	add := func() {
		if waiting {
			next := line
			next.Moves = slices.Clone(line.Moves) // it grows and shrinks here
			next.stand(pos, false)
			lines, waiting = append(lines, next), false
		}
	}
	if old.Started.IsZero() && !v.Started.IsZero() {
		line.First, line.Second = v.Seats[games.First].Name, v.Seats[games.Second].Name
		line.FirstKind, line.SecondKind = v.Seats[games.First].Kind, v.Seats[games.Second].Kind
		waiting = true
	}
	common := 0
	for common < min(old.Ply(), v.Ply()) && old.Moves[common] == v.Moves[common] {
		common++
	}
	if common < old.Ply() {
		add()
		line.Offer, line.Offers = nil, []openOfferJSON{}
		line.Ply, line.Moves, line.aidJSON = common, slices.Clone(v.Moves[:common]), aid(v.From, v.Start, v.Helped)
		if pos, err = v.After(common); err != nil {
			return nil, err
		}
		waiting = true
	}
	for _, m := range v.Moves[common:] {
		add()
		if pos, err = pos.Play(m); err != nil {
			return nil, err
		}
		line.Ply, line.Moves, line.Offer, line.Offers = line.Ply+1, append(slices.Clip(line.Moves), m), nil, []openOfferJSON{}
		waiting = true
	}
	if v.Over && !pos.Result().Over && v.Reason != "length_limit" { // else the last move and the end are one change
		add()
	}
	return append(lines, describe(c, v, who)), nil
}

// showMatch answers with a match as it is now.
func showMatch(c *call, v *lobby.View, who lobby.User, sentences bool) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		yield(reply.Part{Rows: []reply.Row{matchRow(c, v, who, sentences)}, Last: true}, nil)
		c.shows(v, who)
	}
}

// matchRow is a match at one moment. sentences describe its board instead of a drawing.
func matchRow(c *call, v *lobby.View, who lobby.User, sentences bool) reply.Row {
	return reply.Row{
		Words:  func() (string, error) { return matchWords(c, v, who, sentences) },
		Object: func() (any, error) { return describe(c, v, who), nil },
	}
}

// matchWords describes a match for people.
func matchWords(c *call, v *lobby.View, who lobby.User, sentences bool) (string, error) {
	a := v.Game.About()
	lines := []string{c.say.T("%s, match %s: %s (%s) - %s (%s)", a.Name, cmp.Or(v.Code, string(v.ID)),
		shownName(c.say, v.Seats[games.First]), c.say.T(a.Sides[games.First]), shownName(c.say, v.Seats[games.Second]), c.say.T(a.Sides[games.Second]))}
	if words := clockWords(c.say, v); words != "" {
		lines = append(lines, words)
	}
	lines = append(lines, company(c, v, who)...)
	if n := v.Ply(); n > 0 {
		lines = append(lines, c.say.T("after move %d, %s", n, string(v.Moves[n-1])))
	}
	if v.From != "" {
		lines = append(lines, c.say.T("begun from a position: %s", v.From))
	}
	if v.Start > 0 {
		lines = append(lines, c.say.T("begun after move %d", v.Start))
	}
	if words := c.say.Helped(v.Helped); words != "" {
		lines = append(lines, words)
	}
	if v.Temporary {
		lines = append(lines, c.say.Temporary(v.Result))
	}
	stake, err := c.stakeOf(v, who)
	switch {
	case err != nil:
		return "", err
	case stake != nil:
		lines = append(lines, strings.Join(c.say.Stake(*stake), ", "))
	case v.Over && v.Ratings != nil:
		lines = append(lines, c.say.T("Ratings: %s %s, %s %s", shownName(c.say, v.Seats[games.First]), wording.Points(standings.Gain(v.Ratings[games.First])),
			shownName(c.say, v.Seats[games.Second]), wording.Points(standings.Gain(v.Ratings[games.Second]))))
	}
	board := boardview.Text(v.Position)
	if sentences {
		board = boardview.Sentences(c.say.Say, c.say.Ending, a, v.Position)
	}
	for _, line := range board {
		lines = append(lines, "  "+line)
	}
	if !sentences { // which say that too
		var names [2]string
		for side, o := range v.Seats {
			if names[side] = shownName(c.say, o); o.Kind == storage.Free {
				names[side] = c.say.T(a.Sides[side])
			}
		}
		lines = append(lines, boardview.Facts(c.say.Say, names, v.Position)...)
	}
	lines = append(lines, offerWords(c, v, who)...)
	return strings.Join(lines, "\n") + "\n" + stateWords(c.say, v, who), nil
}

// clockWords says which clock a match has, and what is left to each side; "" without a clock.
func clockWords(say wording.Words, v *lobby.View) string {
	set, now := v.Clock.Setting, time.Now()
	switch {
	case set.Kind == lobby.NoClock:
		return ""
	case v.Started.IsZero():
		return say.T("Clock: %s", say.Clock(set))
	}
	return say.T("Clock %s: %s %s, %s %s", say.Clock(set),
		shownName(say, v.Seats[games.First]), say.TimeLeft(v.Clock.LeftAt(0, now)),
		shownName(say, v.Seats[games.Second]), say.TimeLeft(v.Clock.LeftAt(1, now)))
}

// stateWords says in one line what a match waits for, or how it ended.
func stateWords(say wording.Words, v *lobby.View, who lobby.User) string {
	first, second := say.Name(v.Seats[games.First].Name), say.Name(v.Seats[games.Second].Name)
	switch {
	case v.Over:
		return say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, first, second)
	case v.Started.IsZero():
		if v.Code == "" {
			return say.T("waiting for somebody to join")
		}
		return say.T("waiting for somebody to join with the code %s", v.Code)
	case v.YourTurn(who):
		return say.T("your move")
	default:
		return say.T("waiting for %s", v.Seats[v.Turn].Name)
	}
}

func move(c *call) (reply.Reply, error) {
	return act(c, func(seat *seats.Seat, v *lobby.View) error {
		typed := strings.Join(c.words[1:], " ")
		m, err := v.Position.Read(typed)
		if err != nil {
			m = games.Move(typed) // the match says first whether any move could be made now
		}
		return seat.Move(c.ctx, m, lobby.AnyPly)
	})
}

// takeback undoes the caller's last move against a computer player, or the last one of both the caller's seats, and asks another user
// to agree to that.
func takeback(c *call) (reply.Reply, error) {
	return act(c, func(seat *seats.Seat, _ *lobby.View) error { return seat.Takeback(c.ctx) })
}

type hintJSON struct {
	Code   string       `json:"code" help:"the code"`
	Ply    int          `json:"ply" help:"how many moves were made before"` // the moves made before it
	Move   games.Move   `json:"move" help:"the move"`
	Value  *int         `json:"value" help:"the value"`                                     // for the side to move; a man, marble or the like is some 100; null without a search
	Proven string       `json:"proven" help:"who wins for certain: first, second, or \"\""` // "", or who wins: first, second
	Plies  *int         `json:"plies" help:"how many moves were made"`                      // to that end, at most; null if none is proven
	Line   []games.Move `json:"line" help:"the moves that are expected"`
}

// hint prints what the strongest computer player would do in the caller's place.
func hint(c *call) (reply.Reply, error) {
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	h, err := seat.Hint(c.ctx)
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Made(func() string { return c.say.Hint(h) }, func() any { return hintOf(v, h) })), nil
}

// hintOf describes a hint for the side to move in a match.
func hintOf(v *lobby.View, h lobby.Hint) hintJSON {
	j := hintJSON{Code: v.Code, Ply: h.Ply, Move: h.Move, Line: append([]games.Move{}, h.Line...)}
	if h.Ahead || h.Proven {
		j.Value = &h.Value
	}
	switch {
	case h.Proven && h.Plies > 0:
		j.Proven, j.Plies = v.Turn.String(), new(h.Plies)
	case h.Proven && h.Plies < 0:
		j.Proven, j.Plies = v.Turn.Other().String(), new(-h.Plies)
	}
	return j
}

func resign(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.sitter)
	if err != nil {
		return nil, err
	}
	said := c.say.T("Resigned.")
	err = seat.Resign(c.ctx)
	if errors.Is(err, lobby.ErrNotStarted) {
		said = c.say.T("Nobody had joined yet: the match is withdrawn.")
		err = seat.Abort(c.ctx)
	}
	if err != nil {
		return nil, err
	}
	return reply.One(sayOrDescribe(c, seat, said)), nil
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
	Code     string `json:"code" help:"the code"`
	YourSide string `json:"your_side" help:"the side that you play"`
	YourTurn bool   `json:"your_turn" help:"whether it is your move"`

	To *string `json:"to" help:"the player who is asked; null: none"` // the player whom the caller challenges or asks for a rematch, until they answer; or null
	By *string `json:"by" help:"the name of the player"`              // the player who challenges the caller or asks them for a rematch, until answered; or null
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
