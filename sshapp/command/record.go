package command

import (
	"context"
	"errors"
	"io"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/records"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/cast"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/results"
)

// record prints the whole record of a match, finished or not.
func record(f *tree.Flags) run {
	asCast := f.Bool("cast", text.T("write an asciicast, which terminal players show"))
	size := f.String("size", "COLSxROWS", "", text.T("the columns and lines of the asciicast, from 40x20 to 240x70; 80x24 without it"))
	return func(c *call) (reply.Reply, error) {
		cells, err := castSize(c, *asCast, *size)
		switch {
		case err != nil:
			return nil, err
		case *asCast:
			return castReply(c, cells), nil
		}
		return recordReply(c), nil
	}
}

// recordReply is the record of the match that the first word names.
func recordReply(c *call) reply.Reply {
	return reply.Later(func() (reply.Part, error) {
		st, f, err := ownStudy(c)
		switch {
		case err == nil:
			return reply.Part{Rows: []reply.Row{{
				Words:  func() (string, error) { return strings.TrimSuffix(st.Text, "\n"), nil },
				Object: func() (any, error) { return studyLine(c, st, f) },
			}}}, nil
		case !errors.Is(err, lobby.ErrNoSuchMatch):
			return reply.Part{}, err
		}
		seat, err := c.seat(c.visitor)
		if err != nil {
			return reply.Part{}, err
		}
		f, err = seat.Record(c.ctx)
		if err != nil {
			return reply.Part{}, err
		}
		return reply.Part{Rows: []reply.Row{{
			Words:  func() (string, error) { return written(c.records().Of(f).Write) },
			Object: func() (any, error) { return recordLine(c.records(), f) },
		}}}, nil
	})
}

type recordJSON struct {
	historyJSON
	Moves []games.Move `json:"moves" help:"all moves"`
	Spent []int64      `json:"spent_ms" help:"how many milliseconds each move took; given moves took none"`
	Text  string       `json:"text" help:"the record, as it is printed without --json"`
}

// records writes the records of the club.
func (c *call) records() records.Writer { return c.lobby().Games() }

// recordLine returns what JSON says of a match.
func recordLine(w records.Writer, f results.Finished) (recordJSON, error) {
	var whole strings.Builder
	err := w.Of(f).Write(&whole)
	spent := make([]int64, 0, len(f.Moves))
	for _, d := range f.Spent() {
		spent = append(spent, d.Milliseconds())
	}
	return recordJSON{finished(f), append([]games.Move{}, f.Moves...), spent, whole.String()}, err
}

// castSize returns the size of the cast that the flags of record ask for.
func castSize(c *call, asCast bool, size string) (cast.Size, error) {
	switch {
	case size != "" && !asCast, c.asJSON && asCast:
		return cast.Size{}, usageError{words: c.say.T("--size goes with --cast, and --cast without --json.")}
	case size == "":
		return cast.DefaultSize, nil
	}
	cells, err := cast.ParseSize(size)
	if err != nil {
		return cells, usageError{words: c.say.T("--size is columns and lines, from 40x20 to 240x70: 80x24.")}
	}
	return cells, nil
}

// castReply is the match or the study that the first word names, as an asciicast.
func castReply(c *call, size cast.Size) reply.Reply {
	return reply.Later(func() (reply.Part, error) {
		_, v, _, err := viewAsked(c, c.visitor)
		if err != nil {
			return reply.Part{}, err
		}
		m, err := cast.New(c.say, cast.Theme(), v)
		if err != nil {
			return reply.Part{}, err
		}
		return reply.Part{Rows: []reply.Row{{
			Words: func() (string, error) { return written(func(w io.Writer) error { return m.Write(w, size) }) },
		}}}, nil
	})
}

// replay says how a match is played in the terminal: Runner.Replay serves the session that has one. For scripts it prints what record does.
func replay(c *call) (reply.Reply, error) {
	if c.asJSON {
		return recordReply(c), nil
	}
	return reply.Later(func() (p reply.Part, err error) {
		if _, _, _, err := viewAsked(c, c.visitor); err != nil {
			return p, err
		}
		return p, refusal{codeUsage, c.say.T("A replay needs a terminal: %s", c.say.SSHScreen("replay "+text.Clean(c.words[0])))}
	}), nil
}

// ReplayOf returns the word of a command line that asks for the replay of a match: "replay ID".
func ReplayOf(line string) (id string, ok bool) {
	words, err := split(wording.Words{}, line)
	if err != nil || len(words) != 2 || words[0] != "replay" || words[1] == "" || words[1][0] == '-' {
		return "", false
	}
	return words[1], true
}

// Replay returns the match or the study that a session asks for by "replay ID", in a language and for terminals with a theme. A caller who may not
// see the record gets words that say why.
func (r *Runner) Replay(ctx context.Context, who Caller, id string, say wording.Words, theme *widget.Theme) (m *cast.Match, refused string) {
	c := &call{runner: r, caller: who, ctx: ctx, say: say, words: []string{id}}
	defer func() { c.disconnect() }()
	end, err := r.gate.Begin(ctx, who.origin())
	if err == nil {
		defer end()
		var v *lobby.View
		if _, v, _, err = viewAsked(c, c.visitor); err == nil {
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

// ownStudy returns the study of the caller that the first word names, and the same as the record of a match. The error is lobby.ErrNoSuchMatch if
// there is none.
func ownStudy(c *call) (st studies.Study, f results.Finished, err error) {
	if c.caller.Fingerprint == "" || len(c.words) == 0 {
		return st, f, lobby.ErrNoSuchMatch
	}
	who, err := c.visitor()
	if err == nil {
		st, err = c.lobby().Studies.Study(c.ctx, who, c.words[0])
	}
	if err == nil {
		f, err = c.lobby().Studies.Record(st)
	}
	return st, f, err
}

// studyView is ownStudy as a view of a finished match.
func studyView(c *call) (v *lobby.View, err error) {
	st, _, err := ownStudy(c)
	if err != nil {
		return nil, err
	}
	return c.lobby().Studies.View(st)
}

// viewAsked finds what the first word names, for a user that as returns: a study of the caller, which own says, or a match, finished or not.
func viewAsked(c *call, as func() (lobby.User, error)) (who lobby.User, v *lobby.View, own bool, err error) {
	switch v, err = studyView(c); {
	case err == nil:
		who, err = as()
		return who, v, true, err
	case !errors.Is(err, lobby.ErrNoSuchMatch):
		return who, nil, false, err
	}
	seat, v, err := c.seatNow(as)
	if err != nil {
		return who, nil, false, err
	}
	return seat.User(), v, false, nil
}

// studyLine returns what JSON says of a study: as of a match, with its own text.
func studyLine(c *call, st studies.Study, f results.Finished) (recordJSON, error) {
	line, err := recordLine(c.records(), f)
	line.Text = st.Text
	return line, err
}
