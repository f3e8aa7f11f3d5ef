package command

import (
	"context"
	"errors"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/cast"
	"ludoteca/sshapp/ui/widget"
)

func castFlags(f *flags) {
	f.set.BoolVar(&f.cast, "cast", false, "")
	f.set.StringVar(&f.size, "size", "", "")
}

// castSize returns the size of the cast that the flags ask for.
func (c *call) castSize() (cast.Size, error) {
	switch {
	case c.flags.size != "" && !c.flags.cast, c.flags.json && c.flags.cast:
		return cast.Size{}, usageError{words: c.say.T("--size goes with --cast, and --cast without --json.")}
	case c.flags.size == "":
		return cast.DefaultSize, nil
	}
	size, err := cast.ParseSize(c.flags.size)
	if err != nil {
		return size, usageError{words: c.say.T("--size is columns and lines, from 40x20 to 240x70: 80x24.")}
	}
	return size, nil
}

// writeCast prints a match as an asciicast.
func (c *call) writeCast(seat *seats.Seat, size cast.Size) error {
	v, err := seat.Now(c.ctx)
	if err != nil {
		return err
	}
	m, err := cast.New(c.say, cast.Theme(), v)
	if err != nil {
		return err
	}
	return m.Write(c.out, size)
}

// replay says how a match is played in the terminal: Runner.Replay serves the session that has one. For scripts it prints what record does.
func replay(c *call) error {
	if c.flags.json {
		return record(c)
	}
	if _, err := c.seat(c.visitor); err != nil {
		return err
	}
	return refusal{codeUsage, c.say.T("A replay needs a terminal: %s", c.say.SSHScreen("replay "+text.Clean(c.words[0])))}
}

// ReplayOf returns the word of a command line that asks for the replay of a match: "replay ID".
func ReplayOf(line string) (id string, ok bool) {
	words, err := split(text.Say{}, line)
	if err != nil || len(words) != 2 || words[0] != "replay" || words[1] == "" || words[1][0] == '-' {
		return "", false
	}
	return words[1], true
}

// Replay returns the match that a session asks for by "replay ID", in a language and for terminals with a theme. A caller who may not see
// the record gets words that say why.
func (r *Runner) Replay(ctx context.Context, who Caller, id string, say text.Say, theme *widget.Theme) (m *cast.Match, refused string) {
	c := &call{runner: r, caller: who, ctx: ctx, say: say, words: []string{id}}
	defer func() { c.disconnect() }()
	end, err := r.gate.Begin(ctx, who.origin())
	if err == nil {
		defer end()
		var v *lobby.View
		if _, v, err = c.seatNow(c.visitor); err == nil {
			m, err = cast.New(say, theme, v)
		}
	}
	var said refusal
	switch {
	case err == nil:
		return m, ""
	case errors.As(err, &said):
		return nil, said.words
	}
	r.logUnknown(err)
	return nil, say.Error(err)
}
