package command

import (
	"strconv"
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// noteRow is the command that keeps private notes.
func noteRow() *row {
	return &row{Name: "note", Answer: noteJSON{}, Example: "note K7QM2X 12 here I missed the push", Summary: text.T("your private notes on a finished match, or a new one"), Cost: tree.Steps, Args: []tree.Arg{
		matchArg(),
		{Name: "PLY", Optional: true, Help: text.T("after how many moves; without it the note is on the position under review, or on the last one")},
		{Name: "TEXT", Optional: true, Words: tree.Many, Help: text.T("the note, of at most 280 characters, in place of the one there; without it your notes are printed")},
	}, Split: splitNote, Run: note}
}

// A noteJSON is a private note on a position.
type noteJSON struct {
	Match storage.MatchID `json:"id" help:"the id of the match"`
	Ply   int             `json:"ply" help:"how many moves were made before the position"`
	Text  string          `json:"text" help:"the note"`
	At    *string         `json:"at" help:"when it was written"`
}

func noteOf(match storage.MatchID, n studies.Note) noteJSON {
	return noteJSON{match, n.Ply, n.Text, jsonTime(n.At)}
}

// note prints the caller's notes on a finished match, after writing or removing one if the words say so.
func note(f *tree.Flags) run {
	remove := f.Bool("remove", text.T("remove the note there"))
	return func(c *call) (reply.Reply, error) {
		return reply.Later(func() (reply.Part, error) {
			at, err := notedMatch(c)
			if err != nil {
				return reply.Part{}, err
			}
			asked := notedWords(c.words[1:], at.ply)
			if *remove && asked.text != "" {
				return reply.Part{}, usageError{words: c.say.T("--remove takes no text.")}
			}
			var notes []studies.Note
			if asked.text != "" || *remove {
				notes, err = c.lobby().Studies.WriteNote(c.ctx, at.who, at.view, asked.ply, asked.text)
			} else {
				notes, err = c.lobby().Studies.Notes(c.ctx, at.who, at.view.ID)
			}
			if err != nil {
				return reply.Part{}, err
			}
			if at.review != nil {
				at.review.annotate(notes)
			}
			var rows []reply.Row
			for _, n := range notes {
				if asked.all && !*remove || n.Ply == asked.ply {
					rows = append(rows, noted(c, at.view.ID, n))
				}
			}
			switch {
			case *remove:
				rows = append(rows, reply.ForPeople(c.say.T("The note is removed.")))
			case len(rows) == 0 && asked.all:
				rows = append(rows, reply.ForPeople(c.say.T("You have no notes on this match.")))
			case len(rows) == 0:
				rows = append(rows, reply.ForPeople(c.say.Error(lobby.ErrNoNote)))
			}
			return reply.Part{Rows: rows}, nil
		}), nil
	}
}

// A reviewed is a match under review in the line mode.
type reviewed interface {
	at() (v *lobby.View, ply int)  // the match, and the position that the user is at
	annotate(notes []studies.Note) // has the notes of the user told from now on
}

// A notedAt is the match or the study on which a caller has notes.
type notedAt struct {
	who    lobby.User
	view   *lobby.View
	ply    int      // of the position meant where none is named
	review reviewed // nil: the match is not under review
}

// notedMatch finds the match or the study that the first word names. One under review stays so.
func notedMatch(c *call) (at notedAt, err error) {
	if s, ok := c.study().(reviewed); ok && strings.EqualFold(c.words[0], c.study().Code()) {
		at.view, at.ply = s.at()
		at.review = s
		at.who, err = c.owner()
		return at, err
	}
	if at.who, at.view, _, err = viewAsked(c, c.owner); err == nil {
		at.ply = at.view.Ply()
	}
	return at, err
}

// A noteAsked is what the words after the match say.
type noteAsked struct {
	ply  int
	text string // "": no note is written
	all  bool   // neither a position is named nor a text given
}

// notedWords reads the words after the match. ply is the position meant where none is named.
func notedWords(words []string, ply int) noteAsked {
	asked := noteAsked{ply: ply, all: len(words) == 0}
	if len(words) > 0 {
		if n, err := strconv.Atoi(words[0]); err == nil {
			asked.ply, words = n, words[1:]
		}
	}
	asked.text = strings.TrimSpace(text.Clean(strings.Join(words, " ")))
	return asked
}

// noted is a note in a line.
func noted(c *call, match storage.MatchID, n studies.Note) reply.Row {
	return reply.Made(func() string { return c.say.Noted(n.Ply, n.Text) }, func() any { return noteOf(match, n) })
}
