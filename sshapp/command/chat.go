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
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
	relationstore "ludoteca/storage/relations"
)

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
	if id, ok := strings.CutPrefix(line, ":"); ok && wording.IsGreeting(id) {
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
	if !c.flags.json {
		return c.printf("%s\n", c.say.ChatLine(line))
	}
	return c.json(chatJSON{
		jsonTime(line.At), c.say.Name(line.By.Name), line.By.Kind, line.Room.String(), c.say.ChatText(line.Line), line.Greeting,
	})
}

func chatFlags(f *flags) { f.set.BoolVar(&f.follow, "follow", false, "") }

// readChat prints the lines of a match; with --follow each new one too, for as long as the caller stays. chat on and chat off are the
// switch of the settings: a code has six letters.
func readChat(c *call) error {
	if c.words[0] == "on" || c.words[0] == "off" {
		return switchChat(c, c.words[0] == "off")
	}
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
		if c.flags.follow {
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
	case chat.Off && !c.flags.json:
		err = c.printf("%s\n", c.say.Error(lobby.ErrChatOff))
	case chat.Waiting > 0 && !c.flags.json:
		err = c.printf("%s\n", c.say.WaitingLines(chat.Waiting))
	case len(chat.Lines) == 0 && !c.flags.json:
		err = c.printf("%s\n", c.say.T("Nobody has written anything here."))
	}
	for c.flags.follow && err == nil {
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
	case c.flags.json:
		return c.json(struct {
			Chat string `json:"chat"`
		}{c.words[0]})
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
func tellChat(ctx context.Context, say wording.Words, seat *seats.Seat, seen *chat.View, tell func(string)) {
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
		if c.flags.json {
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
			if c.flags.json {
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
		case len(rows) > 0 || c.flags.json:
			return c.table(rows)
		case kind == relations.Blocked:
			return c.printf("%s\n", c.say.T("You block nobody."))
		}
		return c.printf("%s\n", c.say.T("You follow nobody. To begin: follow NAME"))
	}
}
