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
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
	relationstore "ludoteca/storage/relations"
)

// chatCommands are the commands about what people write.
func chatCommands() []*row {
	return group(text.T("Chat"),
		&row{Name: "say", Example: "say K7QM2X good luck", Answer: chatJSON{}, Summary: text.T("write to the other player, or to those who watch with you. Greetings: :hello :luck :thanks :wait :nice :played :game :bye"),
			Args: []tree.Arg{codeArg(), {Name: "TEXT", Help: text.T("what you write, to the end of the line, or a greeting")}}, Raw: true, Run: plain(say)},
		&row{Name: "chat", Example: "chat K7QM2X --follow", Answer: chatJSON{}, Summary: text.T("what was written at a match, with --follow as it comes; chat off and chat on are your switch"),
			Usage: "CODE [--follow] | on | off", Args: []tree.Arg{codeArg()}, Follows: true, Run: readChat, Sub: []*row{
				{Name: "on", Answer: switchJSON{}, Summary: text.T("see chat again"), Run: plain(switchChat("on"))},
				{Name: "off", Answer: switchJSON{}, Summary: text.T("neither see nor write lines at matches"), Run: plain(switchChat("off"))},
			}},
	)
}

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

type chatJSON struct {
	At       *string              `json:"at" help:"when it was"`
	By       string               `json:"by" help:"the name of the player"`
	ByKind   storage.OccupantKind `json:"by_kind" help:"player, guest, bot or engine"`
	Room     string               `json:"room" help:"players or spectators"`
	Text     string               `json:"text" help:"the text"`                                          // of a greeting, in the reader's language
	Greeting string               `json:"greeting" help:"the id of a greeting; \"\" for what was typed"` // the id of a greeting; "" for what was typed
}

// writer returns the user who writes at a match. A guest writes as an unknown visitor.
func (c *call) writer() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return c.visitor()
	}
	return c.player()
}

// say writes a line at a match. Its words are the code and the text, as it was typed.
func say(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.writer)
	if err != nil {
		return nil, err
	}
	line, greeting := text.Clean(c.words[1]), ""
	if id, ok := strings.CutPrefix(line, ":"); ok && wording.IsGreeting(id) {
		line, greeting = "", id
	}
	if err := seat.Say(c.ctx, line, greeting); err != nil {
		return nil, err
	}
	chat, err := seat.Chat(c.ctx, 0)
	if err != nil {
		return nil, err
	}
	for i := len(chat.Lines) - 1; i >= 0; i-- { // the newest line of the caller
		if chat.Lines[i].Own {
			return reply.One(chatRow(c.say, chat.Lines[i])), nil
		}
	}
	return reply.One(), nil
}

// chatRow is one line of a chat.
func chatRow(say wording.Words, line chat.ViewLine) reply.Row {
	return reply.Made(func() string { return say.ChatLine(line) }, func() any {
		return chatJSON{jsonTime(line.At), say.Name(line.By.Name), line.By.Kind, line.Room.String(), say.ChatText(line.Line), line.Greeting}
	})
}

// readChat prints the lines of a match; with --follow each new one too, for as long as the caller stays.
func readChat(f *tree.Flags) run {
	follow := f.Bool("follow", text.T("go on with each line as it is written"))
	return func(c *call) (reply.Reply, error) {
		return func(yield func(reply.Part, error) bool) {
			var lines unseen
			seat, chat, err := chatAt(c, *follow)
			if err != nil {
				yield(reply.Part{}, err)
				return
			}
			rows := chatRows(c.say, lines.of(chat))
			if note := chatNote(c.say, chat); note != "" {
				rows = append(rows, reply.ForPeople(note))
			}
			for yield(reply.Part{Rows: rows}, err) && err == nil && *follow {
				if chat, err = seat.Chat(c.ctx, chat.Seq); err == nil {
					rows = chatRows(c.say, lines.of(chat))
				}
			}
		}, nil
	}
}

// chatAt finds the match that the first word names, and its chat. A caller who follows it stays at the board.
func chatAt(c *call, follow bool) (*seats.Seat, *chat.View, error) {
	seat, err := c.seat(c.visitor)
	if err != nil {
		return nil, nil, err
	}
	chat, err := seat.Chat(c.ctx, 0)
	if err != nil || !follow {
		return seat, chat, err
	}
	v, err := seat.Now(c.ctx)
	if err != nil {
		return nil, nil, err
	}
	c.staysAt(v, seat.User())
	return seat, chat, nil
}

func chatRows(say wording.Words, lines []chat.ViewLine) (rows []reply.Row) {
	for _, line := range lines {
		rows = append(rows, chatRow(say, line))
	}
	return rows
}

// chatNote tells people what the lines of a chat don't; "" for nothing.
func chatNote(say wording.Words, chat *chat.View) string {
	switch {
	case chat.Off:
		return say.Error(lobby.ErrChatOff)
	case chat.Waiting > 0:
		return say.WaitingLines(chat.Waiting)
	case len(chat.Lines) == 0:
		return say.T("Nobody has written anything here.")
	}
	return ""
}

// A switchJSON is whether the caller sees chat: on or off.
type switchJSON struct {
	Chat string `json:"chat" help:"on or off"`
}

// switchChat returns the command that switches the caller's chat on or off.
func switchChat(to string) run {
	return func(c *call) (reply.Reply, error) {
		if _, err := c.owner(); err != nil {
			return nil, err
		}
		who, settings, err := c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
		if err != nil {
			return nil, err
		}
		settings.ChatOff = to == "off"
		if err := c.lobby().Accounts.SaveSettings(c.ctx, who, settings); err != nil {
			return nil, err
		}
		words := c.say.T("Chat is on.")
		if settings.ChatOff {
			words = c.say.T("Chat is off: you neither see nor write lines at matches.")
		}
		return reply.One(reply.Of(words, switchJSON{to})), nil
	}
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
func tellChat(ctx context.Context, say wording.Words, seat *seats.Seat, seen *chat.View, tell func(string)) {
	var lines unseen
	for lines.of(seen); ; {
		var err error
		if seen, err = seat.Chat(ctx, seen.Seq); err != nil {
			return
		}
		others := slices.DeleteFunc(lines.of(seen), func(l chat.ViewLine) bool { return l.Own })
		if missed := len(others) - maxTold; missed > 1 {
			tell(say.N(missed, "One earlier line is left out.", "%d earlier lines are left out."))
			others = others[missed:]
		}
		for _, line := range others {
			tell(say.ChatLine(line))
		}
	}
}

// maxTold bounds the lines that are told of many lines at once. They are the last ones, unless there is only one more.
const maxTold = 5

// Answers of follow and block.
type (
	followingJSON struct {
		Name      string `json:"name" help:"the name"`
		Following bool   `json:"following" help:"whether you follow the player"`
	}
	blockingJSON struct {
		Name    string `json:"name" help:"the name"`
		Blocked bool   `json:"blocked" help:"whether you block the player"`
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
	Name   string  `json:"name" help:"the name"`
	Since  *string `json:"since" help:"since when"`
	Online bool    `json:"online" help:"whether the player is here"` // false for players that the caller blocks
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
				rows = append(rows, reply.Of(r.Name+"\t"+day(r.Since)+"\t"+here, relatedJSON{r.Name, jsonTime(r.Since), r.Online}))
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
