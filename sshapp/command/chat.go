package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
	relationstore "ludoteca/storage/relations"
)

// chatRows are the commands about what people write.
func chatRows() []*row {
	return group(text.T("Chat"),
		&row{Name: "say", Summary: text.T("write to the other player, or to those who watch with you. Greetings: :hello :luck :thanks :wait :nice :played :game :bye"),
			Args: []tree.Arg{codeArg(), {Name: "TEXT", Help: text.T("what you write, to the end of the line, or a greeting")}}, Raw: true, Run: plain(say)},
		&row{Name: "chat", Summary: text.T("what was written at a match, with --follow as it comes; chat off and chat on are your switch"),
			Usage: "CODE [--follow] | on | off", Args: []tree.Arg{codeArg()}, Follows: true, Run: readChat, Sub: []*row{
				{Name: "on", Summary: text.T("see chat again"), Run: plain(func(c *call) error { return switchChat(c, false) })},
				{Name: "off", Summary: text.T("neither see nor write lines at matches"), Run: plain(func(c *call) error { return switchChat(c, true) })},
			}},
	)
}

// relationRows are the commands about the players whom the caller follows and blocks.
func relationRows() []*row {
	return []*row{
		{Name: "follow", Summary: text.T("be told when a player comes in"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Following, true))},
		{Name: "unfollow", Summary: text.T("no longer follow a player"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Following, false))},
		{Name: "following", Summary: text.T("the players you follow, and who of them is here"), Cost: tree.Heavy, Run: plain(related(relations.Following))},
		{Name: "block", Summary: text.T("have no chat, challenges or pairing with a player"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Blocked, true))},
		{Name: "unblock", Summary: text.T("no longer block a player"), Args: []tree.Arg{nameArg()}, Run: plain(relate(relations.Blocked, false))},
		{Name: "blocked", Summary: text.T("the players you block"), Cost: tree.Heavy, Run: plain(related(relations.Blocked))},
	}
}

type chatJSON struct {
	At       *string              `json:"at"`
	By       string               `json:"by"`
	ByKind   storage.OccupantKind `json:"by_kind"`
	Room     string               `json:"room"`
	Text     string               `json:"text"`     // of a greeting, in the reader's language
	Greeting string               `json:"greeting"` // the id of a greeting; "" for what was typed
}

// writer returns the user who writes at a match. A guest writes as an unknown visitor.
func (c *call) writer() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return c.visitor()
	}
	return c.player()
}

// say writes a line at a match. Its words are the code and the text, as it was typed.
func say(c *call) error {
	seat, err := c.seat(c.writer)
	if err != nil {
		return err
	}
	line, greeting := text.Clean(c.words[1]), ""
	if id, ok := strings.CutPrefix(line, ":"); ok && text.IsGreeting(id) {
		line, greeting = "", id
	}
	if err := seat.Say(c.ctx, line, greeting); err != nil {
		return err
	}
	chat, err := seat.Chat(c.ctx, 0)
	if err != nil {
		return err
	}
	for i := len(chat.Lines) - 1; i >= 0; i-- { // the newest line of the caller
		if chat.Lines[i].Own {
			return c.chatLine(chat.Lines[i])
		}
	}
	return nil
}

// chatLine prints one line.
func (c *call) chatLine(line chat.ViewLine) error {
	if !c.asJSON {
		return c.printf("%s\n", c.say.ChatLine(line))
	}
	return c.json(chatJSON{
		jsonTime(line.At), c.say.Name(line.By.Name), line.By.Kind, line.Room.String(), c.say.ChatText(line.Line), line.Greeting,
	})
}

// readChat prints the lines of a match; with --follow each new one too, for as long as the caller stays.
func readChat(f *tree.Flags) run {
	follow := f.Bool("follow", text.T("go on with each line as it is written"))
	return func(c *call) error { return c.readChat(*follow) }
}

func (c *call) readChat(follow bool) error {
	var seat *seats.Seat
	var lines unseen
	var chat *chat.View
	printNew := func() error {
		for _, line := range lines.of(chat) {
			if err := c.chatLine(line); err != nil {
				return err
			}
		}
		return nil
	}
	err := c.step(func() (err error) {
		if seat, err = c.seat(c.visitor); err != nil {
			return err
		}
		if chat, err = seat.Chat(c.ctx, 0); err != nil {
			return err
		}
		if follow {
			v, err := seat.Now(c.ctx)
			if err != nil {
				return err
			}
			c.staysAt(v, seat.User())
		}
		return printNew()
	})
	if err != nil {
		return err
	}
	switch {
	case chat.Off && !c.asJSON:
		err = c.printf("%s\n", c.say.Error(lobby.ErrChatOff))
	case chat.Waiting > 0 && !c.asJSON:
		err = c.printf("%s\n", c.say.WaitingLines(chat.Waiting))
	case len(chat.Lines) == 0 && !c.asJSON:
		err = c.printf("%s\n", c.say.T("Nobody has written anything here."))
	}
	for follow && err == nil {
		if chat, err = seat.Chat(c.ctx, chat.Seq); err == nil {
			err = printNew()
		}
	}
	return err
}

// switchChat switches the caller's chat on or off.
func switchChat(c *call, off bool) error {
	if _, err := c.owner(); err != nil {
		return err
	}
	who, settings, err := c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
	if err != nil {
		return err
	}
	settings.ChatOff = off
	if err := c.lobby().Accounts.SaveSettings(c.ctx, who, settings); err != nil {
		return err
	}
	switch {
	case c.asJSON:
		return c.json(struct {
			Chat string `json:"chat"`
		}{map[bool]string{false: "on", true: "off"}[off]})
	case off:
		return c.printf("%s\n", c.say.T("Chat is off: you neither see nor write lines at matches."))
	}
	return c.printf("%s\n", c.say.T("Chat is on."))
}

// unseen finds the lines of a chat that a reader has not got yet. The zero value has got none.
type unseen struct {
	seen map[chatPlace]bool
}

// A chatPlace identifies a line of a chat.
type chatPlace struct {
	room   chatstore.Room
	number uint64
}

// of returns the lines that were not there before. A line of a guest may come late, between others.
func (u *unseen) of(chat *chat.View) (lines []chat.ViewLine) {
	now := make(map[chatPlace]bool, len(chat.Lines))
	for _, line := range chat.Lines {
		place := chatPlace{line.Room, line.Number}
		if now[place] = true; !u.seen[place] {
			lines = append(lines, line)
		}
	}
	u.seen = now
	return lines
}

// tellChat calls tell with each line that other users write at a match after seen, until ctx ends or the match can't be read any more.
func tellChat(ctx context.Context, say text.Say, seat *seats.Seat, seen *chat.View, tell func(string)) {
	var lines unseen
	for lines.of(seen); ; {
		var err error
		if seen, err = seat.Chat(ctx, seen.Seq); err != nil {
			return
		}
		others := slices.DeleteFunc(lines.of(seen), func(l chat.ViewLine) bool { return l.Own })
		if missed := len(others) - maxTold; missed > 1 {
			tell(say.T("%d earlier lines are left out.", missed))
			others = others[missed:]
		}
		for _, line := range others {
			tell(say.ChatLine(line))
		}
	}
}

// maxTold bounds the lines that are told of many lines at once. They are the last ones, unless there is only one more.
const maxTold = 5

// relate returns the command that adds a player to one of the caller's lists, or removes them from it.
func relate(kind relationstore.Kind, on bool) func(*call) error {
	return func(c *call) error {
		who, err := c.player()
		if err != nil {
			return err
		}
		name, err := c.lobby().Relations.Relate(c.ctx, who, kind, c.words[0], on)
		if errors.Is(err, lobby.ErrUnchanged) {
			err = nil // it is as the caller wants it
		}
		if err != nil {
			return err
		}
		if c.asJSON {
			if kind == relations.Blocked {
				return c.json(struct {
					Name    string `json:"name"`
					Blocked bool   `json:"blocked"`
				}{name, on})
			}
			return c.json(struct {
				Name      string `json:"name"`
				Following bool   `json:"following"`
			}{name, on})
		}
		return c.printf("%s\n", c.say.Related(kind, name, on))
	}
}

type relatedJSON struct {
	Name   string  `json:"name"`
	Since  *string `json:"since"`
	Online bool    `json:"online"` // false for players that the caller blocks
}

// related returns the command that prints a list of the caller's.
func related(kind relationstore.Kind) func(*call) error {
	return func(c *call) error {
		who, err := c.owner()
		if err != nil {
			return err
		}
		all, err := c.lobby().Relations.Related(c.ctx, who, kind)
		if err != nil {
			return err
		}
		var rows []string
		for _, r := range all {
			if c.asJSON {
				if err := c.json(relatedJSON{r.Name, jsonTime(r.Since), r.Online}); err != nil {
					return err
				}
				continue
			}
			here := ""
			if r.Online {
				here = c.say.T("here")
			}
			rows = append(rows, r.Name+"\t"+day(r.Since)+"\t"+here)
		}
		switch {
		case len(rows) > 0 || c.asJSON:
			return c.table(rows)
		case kind == relations.Blocked:
			return c.printf("%s\n", c.say.T("You block nobody."))
		}
		return c.printf("%s\n", c.say.T("You follow nobody. To begin: follow NAME"))
	}
}
