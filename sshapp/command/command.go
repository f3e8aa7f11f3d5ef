// Package command does what `ssh HOST COMMAND` asks for, and the line mode, which takes the same commands one a line. What it
// prints with --json is a contract with scripts: fields are added, never renamed.
//
//	command.go   the table of commands; parsing, help, and what all of them print with
//	info.go      about the club: games, rules, accounts, ratings, status
//	match.go     about one match: opening, joining, showing, playing
//	history.go   finished matches: history, records, analyses
//	linemode.go  the line mode
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	shlex "github.com/anmitsu/go-shlex"
	"github.com/spf13/pflag"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// The exit statuses.
const (
	Done    = 0 // it is done
	Refused = 1 // it was refused or something was not found; one line on stderr says why
	Usage   = 2 // the command was called wrongly; the line shows the right way
)

// maxWords bounds the words of one command line.
const maxWords = 64

// A Caller is who gives a command, as far as their connection tells.
type Caller struct {
	Fingerprint  string // of the key that signed; "" for a guest
	ConnectionID string // tells guests apart
	User         string // the SSH user name: a wish, used as a suggestion for a name
	Origin       string // the address that wrong guesses of codes are counted for; "" is none
	Operator     bool

	// SignUp makes an account, as lobby.SignUp does; nil is that of the lobby itself.
	SignUp func(ctx context.Context, fingerprint, name string) (lobby.User, error)
}

// Options are what a Runner can do without.
type Options struct {
	Status func() status.Status // what operators are told; nil: they have no command to ask for it
	Idle   time.Duration        // how long the line mode waits for a line; 0 is for ever
}

// A Runner runs commands on one lobby. It holds nothing that changes.
type Runner struct {
	lobby   *lobby.Lobby
	log     *slog.Logger
	options Options
}

// New returns a runner.
func New(l *lobby.Lobby, log *slog.Logger, o Options) *Runner {
	return &Runner{lobby: l, log: log, options: o}
}

// A command is a row of the table.
type command struct {
	name    string
	args    string // the words after the name, as help shows them
	summary string
	who     audience
	least   int // fewest words after the name, flags apart
	most    int // most words; negative is any number
	flags   func(*flags)
	run     func(*call) error
	follows bool // it may go on until something happens in a match; in the line mode the next line ends it
}

// An audience is who may give a command. For others there is no such command.
type audience uint8

const (
	anyone    audience = iota // guests too; commands that need a seat refuse them in words of their own
	operators                 // if there is a status to ask for
)

// flags are all flags that any command has. Each command declares those that it takes.
type flags struct {
	set   *pflag.FlagSet
	json  bool
	game  string
	limit int
	side  string
	vs    string
	rated bool
	words bool
}

func jsonFlag(f *flags) { f.set.BoolVar(&f.json, "json", false, "") }

func newFlags(f *flags) {
	jsonFlag(f)
	f.set.StringVar(&f.side, "side", "random", "")
	f.set.StringVar(&f.vs, "vs", "", "")
	f.set.BoolVar(&f.rated, "rated", false, "")
}

func showFlags(f *flags) {
	jsonFlag(f)
	f.set.BoolVar(&f.words, "words", false, "")
}

func historyFlags(f *flags) {
	jsonFlag(f)
	f.set.StringVar(&f.game, "game", "", "")
	f.set.IntVar(&f.limit, "limit", 20, "")
}

// table returns all commands, in the order in which help lists them.
func table() []command {
	return []command{
		{name: "help", summary: "what can be asked here", most: 1, run: help},
		{name: "games", summary: "the games and their options", run: listGames},
		{name: "rules", args: "GAME", summary: "how a game is played", least: 1, most: 1, run: rules},
		{name: "name", args: "NAME", summary: "take a name for a key that has none yet", least: 1, most: 1, run: takeName},
		{name: "whoami", args: "[--json]", summary: "who you are here", flags: jsonFlag, run: whoami},
		{name: "new", args: "GAME [key=value ...] [--side first|second|random] [--vs LEVEL] [--rated] [--json]",
			summary: "open a private match and print its code", least: 1, most: -1, flags: newFlags, run: newMatch},
		{name: "join", args: "CODE", summary: "take the free seat of a match", least: 1, most: 1, run: join},
		{name: "show", args: "CODE [--words] [--json]", summary: "a match as it is now; --words tells the board in sentences",
			least: 1, most: 1, flags: showFlags, run: show},
		{name: "watch", args: "CODE [--json]", summary: "a match; with --json a line now and one for every change",
			least: 1, most: 1, flags: jsonFlag, run: watch, follows: true},
		{name: "move", args: "CODE MOVE", summary: "play a move", least: 2, most: 4, run: move},
		{name: "takeback", args: "CODE", summary: "undo your last move against a computer player, or the last one of both your seats", least: 1, most: 1, run: takeback},
		{name: "hint", args: "CODE [--json]", summary: "what the strongest computer player would do in your place",
			least: 1, most: 1, flags: jsonFlag, run: hint},
		{name: "resign", args: "CODE", summary: "give a match to the other side", least: 1, most: 1, run: resign},
		{name: "matches", args: "[--json]", summary: "your unfinished matches, those waiting for you first", flags: jsonFlag, run: matches},
		{name: "history", args: "[NAME] [--game GAME] [--limit N] [--json]", summary: "finished matches, newest first",
			most: 1, flags: historyFlags, run: history},
		{name: "record", args: "ID|CODE", summary: "the whole record of a match", least: 1, most: 1, run: record},
		{name: "analyse", args: "ID|CODE [--json]", summary: "where a finished match was won and lost",
			least: 1, most: 1, flags: jsonFlag, run: analyse},
		{name: "leaderboard", args: "[GAME] [--json]", summary: "the ratings", most: 1, flags: jsonFlag, run: leaderboard},
		{name: "profile", args: "[NAME] [--json]", summary: "a player", most: 1, flags: jsonFlag, run: profile},

		{name: "status", args: "[--json]", summary: "what the club has to carry just now", who: operators, flags: jsonFlag, run: showStatus},
	}
}

// usage is how a command is called.
func (d *command) usage() string { return strings.TrimSpace(d.name + " " + d.args) }

// asks asks for the first word that is missing after so many.
func (d *command) asks(given int) string {
	missing := ""
	if words := strings.Fields(d.args); given < len(words) {
		missing = words[given]
	}
	switch missing {
	case "CODE", "ID|CODE":
		return "Which match?"
	case "GAME":
		return "Which game?"
	case "NAME":
		return "Which name?"
	case "MOVE":
		return "Which move?"
	}
	return "Something is missing."
}

// shortUsage leaves long usages to help COMMAND.
func (d *command) shortUsage() string {
	args := d.args
	if len(args) > 24 {
		first, _, _ := strings.Cut(args, " ")
		args = first + " ..."
	}
	return strings.TrimSpace(d.name + " " + args)
}

// commands returns those that this caller may give.
func (c *call) commands() []command {
	var may []command
	for _, d := range table() {
		if d.who == anyone || c.caller.Operator && c.runner.options.Status != nil {
			may = append(may, d)
		}
	}
	return may
}

func find(among []command, name string) *command {
	for _, d := range among {
		if d.name == name {
			return &d
		}
	}
	return nil
}

// names are the names of the commands that this caller may give.
func (c *call) names(separator string) string {
	var all []string
	for _, d := range c.commands() {
		all = append(all, d.name)
	}
	return strings.Join(all, separator)
}

func help(c *call) error {
	if len(c.words) == 1 {
		d := find(c.commands(), c.words[0])
		if d == nil {
			return refuse("There is no command %s. The commands are: %s.", short(c.words[0]), c.names(" "))
		}
		return c.printf("%s\n\n    %s\n", d.summary, d.usage())
	}
	rows := []string{"Ludoteca, a board-game club. Without a command you get the full screen.", ""}
	for _, d := range c.commands() {
		rows = append(rows, "  "+d.shortUsage()+"\t"+d.summary)
	}
	return c.table(append(rows, "", "More about one: help COMMAND"))
}

// A usageError ends a command that was called wrongly, with words about what is wrong.
type usageError struct{ words string }

func (e usageError) Error() string { return e.words }

// A refusal ends a command with words for the caller.
type refusal struct{ words string }

func (e refusal) Error() string { return e.words }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// Code returns the code of a command line that asks for a board, "join CODE" or "watch CODE", and which of both.
func Code(line string) (name, code string, ok bool) {
	words, err := split(line)
	if err != nil || len(words) != 2 || words[0] != "join" && words[0] != "watch" || strings.HasPrefix(words[1], "-") {
		return "", "", false
	}
	return words[0], words[1], true
}

// Run runs one command line and returns its exit status. It ends soon after ctx does. Any line is safe.
func (r *Runner) Run(ctx context.Context, who Caller, line string, out, complaints io.Writer) int {
	status, done := r.perform(ctx, who, line, out, complaints)
	if !done {
		fmt.Fprintln(complaints, text.Say{}.Error(lobby.ErrClosed)) // or the caller is gone, and hears nothing
	}
	return status
}

// perform is Run without the words about a command that ended because its context did: then it isn't done, and refused.
func (r *Runner) perform(ctx context.Context, who Caller, line string, out, complaints io.Writer) (status int, done bool) {
	c := &call{runner: r, caller: who, ctx: ctx, out: out}
	d, err := c.parse(line)
	if err == nil {
		err = d.run(c)
	}
	var wrong usageError
	var said refusal
	switch {
	case err == nil:
		return Done, true
	case ctx.Err() != nil:
		return Refused, false
	case errors.As(err, &wrong):
		fmt.Fprintln(complaints, c.usageLine(d, wrong))
		return Usage, true
	case errors.As(err, &said):
		fmt.Fprintln(complaints, said.words)
	default:
		fmt.Fprintln(complaints, text.Say{}.Error(err))
		r.logUnknown(err)
	}
	return Refused, true
}

// logUnknown logs what the words for a person hide: errors that are none of the club's own.
func (r *Runner) logUnknown(err error) {
	if (text.Say{}).Error(err) == (text.Say{}).Error(errUnknown) {
		r.log.Error("command failed", "err", err)
	}
}

var errUnknown = errors.New("an error without words of its own")

func (c *call) usageLine(d *command, wrong usageError) string {
	if d == nil {
		return fmt.Sprintf("%s. The commands are: %s. Try: help", wrong.words, c.names(" "))
	}
	words := wrong.words
	if !strings.HasSuffix(words, "?") && !strings.HasSuffix(words, ".") {
		words += "."
	}
	return fmt.Sprintf("%s Usage: %s", words, d.usage())
}

// A call is one run of one command.
type call struct {
	runner *Runner
	caller Caller
	ctx    context.Context
	out    io.Writer
	words  []string // after the name of the command, flags apart
	flags  flags
}

// parse finds the command and fills in words and flags.
func (c *call) parse(line string) (*command, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		words = []string{"help"}
	}
	d := find(c.commands(), words[0])
	if d == nil {
		return nil, usageError{fmt.Sprintf("there is no command %s", short(words[0]))}
	}
	set := pflag.NewFlagSet(d.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	c.flags.set = set
	if d.flags != nil {
		d.flags(&c.flags)
	}
	if err := set.Parse(words[1:]); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return d, usageError{d.summary}
		}
		return d, usageError{flagWords(err)}
	}
	c.words = set.Args()
	switch {
	case len(c.words) < d.least:
		return d, usageError{d.asks(len(c.words))}
	case d.most >= 0 && len(c.words) > d.most:
		return d, usageError{fmt.Sprintf("%s is too much", short(c.words[d.most]))}
	}
	return d, nil
}

// flagWords says what is wrong with a flag.
func flagWords(err error) string {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return fmt.Sprintf("--%s can't be %s", bad.GetFlag().Name, short(bad.GetValue()))
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() != "" {
		return fmt.Sprintf("%s is neither a flag nor a word for this command", short("-"+unknown.GetSpecifiedShortnames()))
	}
	return text.Cut(text.Clean(err.Error()), 80)
}

// split takes a command line apart as a shell would.
func split(line string) ([]string, error) {
	if strings.ContainsRune(line, 0) {
		return nil, usageError{"a command has no NUL bytes"}
	}
	words, err := shlex.Split(line, true)
	switch {
	case err != nil:
		return nil, usageError{"a quotation mark is not closed"}
	case len(words) > maxWords:
		return nil, usageError{"that is too many words"}
	}
	return words, nil
}

// short makes a word that was typed safe and short enough to be repeated.
func short(word string) string { return fmt.Sprintf("%q", text.Cut(text.Clean(word), 40)) }

func (c *call) lobby() *lobby.Lobby { return c.runner.lobby }

// visitor returns who looks around: the player of the key, or somebody without a name or a seat.
func (c *call) visitor() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return c.lobby().Guest(c.caller.ConnectionID), nil
	}
	who, _, err := c.lobby().SignIn(c.ctx, c.caller.Fingerprint)
	if errors.Is(err, lobby.ErrNoAccount) {
		return lobby.User{}, nil
	}
	return who, err
}

// player returns the player of the key, and signs a new key up under the SSH user name.
func (c *call) player() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return lobby.User{}, refuse("A guest may look, not sit: a seat needs a key (ssh-keygen makes one), or the full screen.")
	}
	who, _, err := c.lobby().SignIn(c.ctx, c.caller.Fingerprint)
	if !errors.Is(err, lobby.ErrNoAccount) {
		return who, err
	}
	name := c.lobby().SuggestName(c.ctx, c.caller.User)
	if name != "" {
		who, err = c.signUp(name)
		if errors.Is(err, lobby.ErrHasAccount) || errors.Is(err, lobby.ErrNameTaken) {
			who, _, err = c.lobby().SignIn(c.ctx, c.caller.Fingerprint) // another first command of this key may have been quicker
		}
		if !errors.Is(err, lobby.ErrNoAccount) {
			return who, err
		}
	}
	return lobby.User{}, refuse("Your key has no name here yet, and %s can't be it. Take one first: name NAME", short(c.caller.User))
}

// signUp makes an account for the caller's key.
func (c *call) signUp(name string) (lobby.User, error) {
	if f := c.caller.SignUp; f != nil {
		return f(c.ctx, c.caller.Fingerprint, name)
	}
	return c.lobby().SignUp(c.ctx, c.caller.Fingerprint, name)
}

func (c *call) game(name string) (games.Game, error) {
	g, err := c.lobby().Game(name)
	if errors.Is(err, lobby.ErrNoSuchGame) {
		var ids []string
		for _, g := range c.lobby().Games() {
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

// The tabwriter takes every character for one cell wide. It gets a cell of a table that has wider ones, or marks that take no
// room, as so many of a character that no text has.
const standIn = "\ue000"

var standIns = regexp.MustCompile(standIn + "+")

// stamp is a time as every program of the club prints it: "" while it has not come.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// jsonTime is a time in JSON: null while it has not come.
func jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
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
