package command

import (
	"errors"
	"slices"
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// chatCommands are the commands about what people write.
func chatCommands() []*row {
	return group(text.T("Chat"),
		&row{Name: "say", Example: "say K7QM2X good luck", Answer: chatJSON{}, Summary: text.T("write to the other player, or to the other spectators"),
			Args: []tree.Arg{codeArg(), {Name: "TEXT", Help: text.T("what you write, to the end of the line, or a greeting: :hello :luck :thanks :wait :nice :played :game :bye")}}, Raw: true, Run: plain(say)},
		&row{Name: "chat", Example: "chat K7QM2X --follow", Answer: chatJSON{}, Summary: text.T("what was written at a match; chat off hides all chat from you, chat on shows it again"),
			Usage: "CODE [--follow] | on | off", Args: []tree.Arg{codeArg()}, Follows: true, Run: readChat, Sub: []*row{
				{Name: "on", Answer: switchJSON{}, Summary: text.T("see chat again"), Run: plain(switchChat("on"))},
				{Name: "off", Answer: switchJSON{}, Summary: text.T("neither see nor write lines at matches"), Run: plain(switchChat("off"))},
			}},
		loungeRow(),
	)
}

type chatJSON struct {
	At       *string              `json:"at" help:"when the line was written"`
	By       string               `json:"by" help:"the name of the writer"`
	ByKind   storage.OccupantKind `json:"by_kind" help:"what the writer is: player, guest, bot or engine"`
	Room     string               `json:"room" help:"who reads the line: players, spectators, or review for the person who looks at one together with the writer"`
	Text     string               `json:"text" help:"the line; a greeting is in your language"`
	Greeting string               `json:"greeting" help:"which greeting it is, such as hello; \"\": a line that was typed"`
}

// say writes a line at a match, or to the person who looks at the review too. Its words are the code and the text, as it was typed.
func say(c *call) (reply.Reply, error) {
	if c.study() != nil && c.caller.together.Began() {
		return sayTogether(c)
	}
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

// sayTogether writes a line to the person who looks at the review with the user.
func sayTogether(c *call) (reply.Reply, error) {
	seat := c.caller.together.Seat()
	if seat == nil {
		return nil, refusal{codeNotOpen, c.say.T("The other player has left, so nobody would read it. To write at the match itself, go there first: show")}
	}
	if err := seat.Say(c.ctx, c.words[1]); errors.Is(err, lobby.ErrNoCompany) {
		return nil, refusal{codeNotOpen, c.say.T("Nobody has come yet, so nobody would read it.")}
	} else if err != nil {
		return nil, err
	}
	v, err := seat.Next(c.ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(v.Lines) { // the newest line of the caller
		if seat.User().Is(l.By) {
			return reply.One(reply.Made(func() string { return prompt.LineOf(c.say, l) }, func() any {
				return chatJSON{jsonTime(l.At), c.say.Name(l.By.Name), l.By.Kind, togetherRoom, text.Clean(l.Text), ""}
			})), nil
		}
	}
	return reply.One(), nil
}

// togetherRoom is the room of lines at a review that two people look at.
const togetherRoom = "review"

// chatRow is one line of a chat.
func chatRow(say wording.Words, line chat.ViewLine) reply.Row {
	return reply.Made(func() string { return say.Talk().Line(line) }, func() any {
		return chatJSON{jsonTime(line.At), say.Name(line.By.Name), line.By.Kind, line.Room.String(), say.Talk().Text(line.Line), line.Greeting}
	})
}

// readChat prints the lines of a match; with --follow each new one too, for as long as the caller stays.
func readChat(f *tree.Flags) run {
	follow := f.Bool("follow", text.T("go on with each line as it is written"))
	return func(c *call) (reply.Reply, error) {
		return func(yield func(reply.Part, error) bool) {
			var lines prompt.Unseen
			seat, chat, err := chatAt(c, *follow)
			if err != nil {
				yield(reply.Part{}, err)
				return
			}
			rows := chatRows(c.say, lines.Of(chat))
			if note := chatNote(c.say, chat); note != "" {
				rows = append(rows, reply.ForPeople(note))
			}
			wait := func() error {
				if chat, err = seat.Chat(c.ctx, chat.Seq); err == nil {
					rows = chatRows(c.say, lines.Of(chat))
				}
				return err
			}
			for yield(reply.Part{Rows: rows}, nil) && *follow && yield(reply.Part{Wait: wait}, nil) {
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
		return say.Talk().Waiting(chat.Waiting)
	case len(chat.Lines) == 0:
		return say.T("Nobody has written anything here.")
	}
	return ""
}

// A switchJSON is whether the caller sees chat: on or off.
type switchJSON struct {
	Chat string `json:"chat" help:"whether you see chat from now on: on or off"`
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
