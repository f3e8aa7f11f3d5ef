package command

import (
	"errors"
	"strings"

	"ludoteca/games/ugi/gui"
	"ludoteca/lobby"
	"ludoteca/lobby/engines"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/programlink"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// engineRow is the row of engine.
func engineRow() *row {
	return &row{
		Name: "engine", Example: "engine petteia --rated", Answer: engineJSON{}, Run: engine,
		Summary: text.T("play with a program that speaks UGI on stdin and stdout, as a computer account; --become makes this account one"),
		Args: []tree.Arg{optional(gameArg()), {
			Name: "key=value ...", Optional: true, Words: tree.Many, Help: text.T("options of the game, such as size=6; games lists them"),
		}},
	}
}

// An engineJSON is a computer account.
type engineJSON struct {
	Name  string               `json:"name" help:"the name of the computer account"`
	Kind  storage.OccupantKind `json:"kind" help:"always engine"`
	Owner string               `json:"owner" help:"the name of the player whose it is; \"\": nobody has agreed to that"`
}

// engine makes a computer account, or makes the caller its owner.
func engine(f *tree.Flags) run {
	become := f.Bool("become", text.T("make your account a computer account, for ever; it must not have played"))
	yes := f.Bool("yes", text.T("confirm --become: without it nothing happens"))
	owner := f.String("owner", "NAME", "", text.T("with --become: the player whose account it is; they agree by engine --adopt"))
	adopt := f.String("adopt", "NAME", "", text.T("own the computer account NAME, which has named you as its owner; a player owns at most 3"))
	p := programFlags{
		clock:  f.String("clock", "none|5+3|3d", programClock, text.T("the clock of its offers: none, minutes and seconds for each move (5+3), or days for each move (3d)")),
		rated:  f.Bool("rated", text.T("offer rated matches, and accept rated challenges")),
		open:   f.Int("open", "N", 1, text.T("play up to N matches at a time, 1 to 8; each free place is a public offer")),
		accept: f.String("accept", "LIST", "", text.T("accept challenges by everyone, followed, or NAME,...; without --open it makes no offers")),
		given:  f.Given,
	}
	return func(c *call) (reply.Reply, error) {
		switch {
		case len(c.words) > 0 && (*become || *yes || *adopt != "" || *owner != ""):
			return nil, usageError{words: c.say.T("--become, --owner and --adopt stand without a game.")}
		case len(c.words) > 0:
			return p.play(c)
		case *become && *adopt != "":
			return nil, usageError{words: c.say.T("--become and --adopt don't go together.")}
		case *adopt != "":
			return adoptEngine(c, *adopt)
		case *become && *yes:
			return becomeEngine(c, *owner)
		case *become:
			return nil, refusal{codeUsage, c.say.T("Nothing is changed yet. Your account would be a computer account for ever: only a program could play with it. To do it: engine --become --yes")}
		}
		return nil, usageError{words: c.say.T("Which game?")}
	}
}

// becomeEngine makes the caller's account a computer account. The caller's sessions end, this one too.
func becomeEngine(c *call, owner string) (reply.Reply, error) {
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	if err := c.lobby().Accounts.Become(c.ctx, who, owner, c.sessions()); err != nil {
		return nil, noOwner(c, owner, err)
	}
	words := c.say.T("%s is a computer account now, for ever.", who.Name)
	if owner != "" {
		words += " " + c.say.T("%s owns it as soon as they say: %s", owner, c.say.SSH("engine --adopt "+who.Name))
	}
	return reply.One(reply.Of(words, engineJSON{Name: who.Name, Kind: storage.Engine})), nil
}

// adoptEngine makes the caller the owner of a computer account.
func adoptEngine(c *call, name string) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	if err := c.lobby().Accounts.Adopt(c.ctx, who, name); err != nil {
		return nil, noOwner(c, name, err)
	}
	p, err := c.lobby().Accounts.ByName(c.ctx, name)
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Of(c.say.T("The computer account %s is yours.", p.Name), engineJSON{p.Name, p.Kind(), who.Name})), nil
}

// programClock is the clock of a program's offers without --clock: with one, nobody who leaves keeps a place.
const programClock = "5+3"

// programFlags are the flags by which a program plays.
type programFlags struct {
	clock, accept *string
	rated         *bool
	open          *int
	given         func(flag string) bool
}

// wish returns what the program plays.
func (p programFlags) wish(c *call) (w engines.Wish, err error) {
	if *p.open < 1 || *p.open > engines.MaxMatches {
		return w, usageError{words: c.say.T("--open is a number from 1 to %d.", engines.MaxMatches)}
	}
	if w.Game, err = c.game(c.words[0]); err != nil {
		return w, err
	}
	if w.Options, err = optionsOf(c.say, w.Game, "", c.words[1:]); err != nil {
		return w, err
	}
	if w.Clock, err = clockSetting(c.say, *p.clock); err != nil {
		return w, err
	}
	w.Rated, w.Matches, w.Offers, w.AnyClock = *p.rated, *p.open, *p.accept == "" || p.given("open"), !p.given("clock")
	w.Accepts, err = accepts(c, *p.accept)
	return w, err
}

// maxAccepted is how many names --accept takes.
const maxAccepted = 50

// accepts reads --accept.
func accepts(c *call, list string) (a engines.Accepts, err error) {
	if list == "" {
		return a, nil
	}
	names := strings.Split(list, ",")
	if len(names) > maxAccepted {
		return a, usageError{words: c.say.T("--accept takes at most %d names.", maxAccepted)}
	}
	a.Players = make(map[storage.PlayerID]bool)
	for _, name := range names {
		switch name {
		case "everyone":
			a.Everyone = true
		case "followed":
			a.Followed = true
		default:
			p, err := c.lobby().Accounts.ByName(c.ctx, name)
			if err != nil {
				return a, noOwner(c, name, err)
			}
			a.Players[p.ID] = true
		}
	}
	return a, nil
}

// play has the program at the other end of the session play until it ends.
func (p programFlags) play(c *call) (reply.Reply, error) {
	switch {
	case c.visit != nil || c.caller.Input == nil:
		return nil, refusal{codeUsage, c.say.T("A program plays in a session of its own: %s", c.say.SSH("engine "+strings.Join(c.words, " ")))}
	case c.asJSON:
		return nil, usageError{words: c.say.T("What a program reads is UGI, not JSON.")}
	}
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	if who.Kind != storage.Engine {
		return nil, lobby.ErrNoEngine
	}
	w, err := p.wish(c)
	if err != nil {
		return nil, err
	}
	link := programlink.New(c.caller.Input, c.out, c.caller.hangUp)
	told := newReporter(c, who)
	err = c.lobby().Engines.Play(c.ctx, engines.Program{
		User: who, Origin: c.caller.Origin, Link: link.GUI(), Lag: c.caller.Lag, Dropped: c.caller.Dropped, Report: told.report,
	}, w)
	switch {
	case c.ctx.Err() != nil:
		told.line(c.runner.goodbye(c.ctx, c.say).words)
	case errors.Is(err, gui.ErrEnded):
		told.line(c.say.T("The program has ended. Its unfinished matches go on when it comes back in time."))
	default:
		told.line(c.say.T("This session ends: %s", told.fault(err)))
	}
	told.close()
	c.caller.Input.Close() // no sooner: nothing can be written after it
	link.Wait()
	return nil, gate.ErrGone // all is said
}

// noOwner gives an error about a name words that repeat it.
func noOwner(c *call, name string, err error) error {
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return refusal{codeNotFound, c.say.T("Nobody here is called %s.", tree.Quoted(name))}
	}
	return err
}
