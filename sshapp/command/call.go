package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// A call is one run of one command.
type call struct {
	runner *Runner
	caller Caller
	ctx    context.Context
	out    io.Writer
	words  []string // after the name of the command, flags apart
	flags  flags
}

func (c *call) club() *lobby.Lobby { return c.runner.club }

// visitor returns who looks around: the player of the key, or somebody without a name or a seat.
func (c *call) visitor() (lobby.Who, error) {
	if c.caller.Fingerprint == "" {
		return c.club().Guest(c.caller.ConnectionID), nil
	}
	who, _, err := c.club().SignIn(c.ctx, c.caller.Fingerprint)
	if errors.Is(err, lobby.ErrNoAccount) {
		return lobby.Who{}, nil
	}
	return who, err
}

// player returns the player of the key, signing him up under the SSH user name if the key is new here.
func (c *call) player() (lobby.Who, error) {
	if c.caller.Fingerprint == "" {
		return lobby.Who{}, refuse("A guest may look, not sit: a seat needs a key (ssh-keygen makes one), or the full screen.")
	}
	who, _, err := c.club().SignIn(c.ctx, c.caller.Fingerprint)
	if !errors.Is(err, lobby.ErrNoAccount) {
		return who, err
	}
	name := c.club().SuggestName(c.ctx, c.caller.User)
	if name != "" {
		who, err = c.signUp(name)
		if errors.Is(err, lobby.ErrHasAccount) || errors.Is(err, lobby.ErrNameTaken) {
			who, _, err = c.club().SignIn(c.ctx, c.caller.Fingerprint) // another first command of this key may have been quicker
		}
		if !errors.Is(err, lobby.ErrNoAccount) {
			return who, err
		}
	}
	return lobby.Who{}, refuse("Your key has no name here yet, and %s can't be it. Take one first: name NAME", short(c.caller.User))
}

// signUp makes an account for the caller's key.
func (c *call) signUp(name string) (lobby.Who, error) {
	if f := c.caller.SignUp; f != nil {
		return f(c.ctx, c.caller.Fingerprint, name)
	}
	return c.club().SignUp(c.ctx, c.caller.Fingerprint, name)
}

// match finds the match that the first word names.
func (c *call) match(who lobby.Who) (*lobby.Seat, error) {
	id, err := c.club().Find(c.ctx, who, c.caller.Origin, c.words[0])
	if err == nil {
		var seat *lobby.Seat
		if seat, err = c.club().At(c.ctx, who, id); err == nil {
			return seat, nil
		}
	}
	return nil, c.named(err)
}

// board finds the match that the first word names, and how it stands.
func (c *call) board(who lobby.Who) (*lobby.Seat, *lobby.View, error) {
	seat, err := c.match(who)
	if err != nil {
		return nil, nil, err
	}
	v, err := seat.Now(c.ctx)
	return seat, v, err
}

// named gives an error about a code the words that repeat it.
func (c *call) named(err error) error {
	if errors.Is(err, lobby.ErrNoSuchMatch) {
		return refusal{text.Say{}.NoSuchCode(c.words[0])}
	}
	return err
}

func (c *call) game(name string) (games.Game, error) {
	g, err := c.club().Game(name)
	if errors.Is(err, lobby.ErrNoSuchGame) {
		var ids []string
		for _, g := range c.club().Games() {
			ids = append(ids, g.About().ID)
		}
		return nil, refuse("There is no game %s here. The games are: %s.", short(name), strings.Join(ids, ", "))
	}
	return g, err
}

// json prints one object on one line.
func (c *call) json(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return c.write(b.Bytes())
}

func (c *call) printf(format string, args ...any) error {
	return c.write(fmt.Appendf(nil, format, args...))
}

func (c *call) write(p []byte) error {
	_, err := c.out.Write(p)
	return err
}

// table prints aligned columns: cells of a row are apart by tabs.
func (c *call) table(rows []string) error {
	var b bytes.Buffer
	var odd []string
	t := tabwriter.NewWriter(&b, 0, 1, 2, ' ', 0)
	for _, r := range rows {
		cells := strings.Split(r, "\t")
		for i, cell := range cells {
			if w := text.Width(cell); w > 0 && w != utf8.RuneCountInString(cell) {
				odd, cells[i] = append(odd, cell), strings.Repeat(standIn, w)
			}
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range strings.Lines(b.String()) {
		line = standIns.ReplaceAllStringFunc(line, func(string) (cell string) {
			cell, odd = odd[0], odd[1:]
			return cell
		})
		out.WriteString(strings.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
	return c.write(out.Bytes())
}

// The tabwriter takes every character for one cell wide. A cell of a table that has wider ones, or marks that take no room,
// is in its hands as so many of a character that no text has.
const standIn = "\ue000"

var standIns = regexp.MustCompile(standIn + "+")

// stamp is a time as every program of the club prints it: "" while it has not come.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// day is a time in a table for people.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// shownName is an occupant in a table for people.
func shownName(o storage.Occupant) string {
	switch o.Kind {
	case storage.Free:
		return "-"
	case storage.Bot:
		return o.Name + " (bot)"
	default:
		return o.Name
	}
}
