package command

import (
	"errors"

	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// engineRow is the row of engine.
func engineRow() *row {
	return &row{
		Name: "engine", Example: "engine --become --yes --owner ana", Answer: engineJSON{}, Run: engine,
		Summary: text.T("make this account a computer account, whose matches a program plays"),
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
	return func(c *call) (reply.Reply, error) {
		switch {
		case *become && *adopt != "":
			return nil, usageError{words: c.say.T("--become and --adopt don't go together.")}
		case *adopt != "":
			return adoptEngine(c, *adopt)
		case *become && *yes:
			return becomeEngine(c, *owner)
		case *become:
			return nil, refusal{codeUsage, c.say.T("Nothing is changed yet. Your account would be a computer account for ever: only a program could play with it. To do it: engine --become --yes")}
		}
		return nil, usageError{words: c.say.T("What is to be done?")}
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

// noOwner gives an error about a name words that repeat it.
func noOwner(c *call, name string, err error) error {
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return refusal{codeNotFound, c.say.T("Nobody here is called %s.", tree.Quoted(name))}
	}
	return err
}
