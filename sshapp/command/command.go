// Package command does what `ssh HOST COMMAND` asks for, and the plain prompt that takes the same commands a line at a
// time. What it prints with --json is a contract with scripts: fields are added, never renamed.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	shlex "github.com/anmitsu/go-shlex"
	"github.com/spf13/pflag"

	"ludoteca/lobby"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/text"
)

// The exit statuses.
const (
	Done    = 0 // it is done
	Refused = 1 // it was refused or something was not found; one line on stderr says why
	Usage   = 2 // the command was called wrongly; the line shows the right way
)

// maxWords bounds the words of one command line.
const maxWords = 64

// A Caller is who gives a command, as far as his connection tells.
type Caller struct {
	Fingerprint  string // of the key that signed; "" for a guest
	ConnectionID string // tells guests apart
	User         string // the SSH user name: a wish, used as a suggestion for a name
	Origin       string // the address that wrong guesses of codes are held to; "" is none
	Operator     bool   // may ask for the status

	// SignUp makes an account, as lobby.SignUp does; nil is that of the lobby itself.
	SignUp func(ctx context.Context, fingerprint, name string) (lobby.Who, error)
}

// Options are what a Runner can do without.
type Options struct {
	Status func() status.Status // what operators are told; nil: they have no command to ask for it
	Idle   time.Duration        // how long the prompt waits for a line; 0 is for ever
}

// A Runner runs commands on one club. It holds nothing that changes.
type Runner struct {
	club    *lobby.Lobby
	log     *slog.Logger
	options Options
}

// New returns a runner.
func New(club *lobby.Lobby, log *slog.Logger) *Runner { return &Runner{club: club, log: log} }

// With returns a runner of the same club with these options.
func (r *Runner) With(o Options) *Runner { return &Runner{club: r.club, log: r.log, options: o} }

// A verb is one command.
type verb struct {
	name    string
	usage   string // the words after the name
	summary string
	least   int // fewest words after the name, flags apart
	most    int // most words; negative is any number
	flags   func(*flags)
	run     func(*call) error
}

// flags are all flags that any verb has. Each verb declares those that it takes.
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

func withJSON(f *flags) { f.set.BoolVar(&f.json, "json", false, "") }

// verbs are all commands, in the order in which help lists them.
func verbs() []verb {
	return []verb{
		{"help", "", "what can be asked here", 0, 1, nil, help},
		{"games", "", "the games and their options", 0, 0, nil, listGames},
		{"rules", "GAME", "how a game is played", 1, 1, nil, rules},
		{"name", "NAME", "take a name for a key that has none yet", 1, 1, nil, takeName},
		{"whoami", "[--json]", "who you are here", 0, 0, withJSON, whoami},
		{"new", "GAME [key=value ...] [--side first|second|random] [--vs LEVEL] [--rated] [--json]",
			"open a private match and print its code", 1, -1, newFlags, newMatch},
		{"join", "CODE", "take the free seat of a match", 1, 1, nil, join},
		{"show", "CODE [--words] [--json]", "a match as it is now; --words tells the board in sentences", 1, 1, showFlags, show},
		{"watch", "CODE [--json]", "a match; with --json a line now and one for every change", 1, 1, withJSON, watch},
		{"move", "CODE MOVE", "play a move", 2, 4, nil, move},
		{"takeback", "CODE", "undo your last move against a computer player", 1, 1, nil, takeback},
		{"hint", "CODE [--json]", "what the strongest computer player would do in your place", 1, 1, withJSON, hint},
		{"resign", "CODE", "give a match to the other side", 1, 1, nil, resign},
		{"matches", "[--json]", "your unfinished matches, those waiting for you first", 0, 0, withJSON, matches},
		{"history", "[NAME] [--game GAME] [--limit N] [--json]", "finished matches, newest first", 0, 1, historyFlags, history},
		{"record", "ID|CODE", "the whole record of a match", 1, 1, nil, record},
		{"analyse", "ID|CODE [--json]", "where a finished match was won and lost", 1, 1, withJSON, analyse},
		{"leaderboard", "[GAME] [--json]", "the ratings", 0, 1, withJSON, leaderboard},
		{"profile", "[NAME] [--json]", "a player", 0, 1, withJSON, profile},
	}
}

// errUsage ends a command that was called wrongly, with words about what is wrong.
type errUsage struct{ words string }

func (e errUsage) Error() string { return e.words }

// refusal ends a command with words for the one who gave it.
type refusal struct{ words string }

func (e refusal) Error() string { return e.words }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// Known says whether the first word of a command line is one of the commands.
func Known(line string) bool {
	words, err := split(line)
	return err == nil && len(words) > 0 && find(verbs(), words[0]) != nil
}

// Code returns the code of a command line that wants to go to a board, "join CODE" or "watch CODE", and which of both.
func Code(line string) (name, code string, ok bool) {
	words, err := split(line)
	if err != nil || len(words) != 2 || words[0] != "join" && words[0] != "watch" || strings.HasPrefix(words[1], "-") {
		return "", "", false
	}
	return words[0], words[1], true
}

// Run runs one command line and returns its exit status. It ends soon after ctx does. Any line is safe.
func (r *Runner) Run(ctx context.Context, who Caller, line string, out, complaints io.Writer) int {
	status := r.perform(ctx, who, line, out, complaints)
	if status == cutShort {
		fmt.Fprintln(complaints, text.Say{}.Error(lobby.ErrClosed)) // or the one who asked is gone, and hears nothing
		return Refused
	}
	return status
}

// cutShort is the status of a command that ended because its context did, before it was done.
const cutShort = -1

// perform is Run without the words about a command that was cut short.
func (r *Runner) perform(ctx context.Context, who Caller, line string, out, complaints io.Writer) int {
	c := &call{runner: r, caller: who, ctx: ctx, out: out}
	v, err := c.parse(line)
	if err == nil {
		err = v.run(c)
	}
	var wrong errUsage
	var said refusal
	switch {
	case err == nil:
		return Done
	case ctx.Err() != nil:
		return cutShort
	case errors.As(err, &wrong):
		fmt.Fprintln(complaints, c.usageLine(v, wrong))
		return Usage
	case errors.As(err, &said):
		fmt.Fprintln(complaints, said.words)
	default:
		fmt.Fprintln(complaints, text.Say{}.Error(err))
		r.logUnknown(err)
	}
	return Refused
}

// logUnknown keeps what the words for a person hide: errors that are none of the club's own.
func (r *Runner) logUnknown(err error) {
	if (text.Say{}).Error(err) == (text.Say{}).Error(errUnknown) {
		r.log.Error("command failed", "err", err)
	}
}

var errUnknown = errors.New("nobody knows this error")

func (c *call) usageLine(v *verb, wrong errUsage) string {
	if v == nil {
		return fmt.Sprintf("%s. The commands are: %s. Try: help", wrong.words, c.names())
	}
	return fmt.Sprintf("%s. Usage: %s", wrong.words, strings.TrimSpace(v.name+" "+v.usage))
}

// parse finds the verb and fills in words and flags.
func (c *call) parse(line string) (*verb, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		words = []string{"help"}
	}
	v := find(c.verbs(), words[0])
	if v == nil {
		return nil, errUsage{fmt.Sprintf("there is no command %s", short(words[0]))}
	}
	set := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	c.flags.set = set
	if v.flags != nil {
		v.flags(&c.flags)
	}
	if err := set.Parse(words[1:]); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return v, errUsage{v.summary}
		}
		return v, errUsage{flagWords(err)}
	}
	c.words = set.Args()
	switch {
	case len(c.words) < v.least:
		return v, errUsage{"something is missing"}
	case v.most >= 0 && len(c.words) > v.most:
		return v, errUsage{fmt.Sprintf("%s is too much", short(c.words[v.most]))}
	}
	return v, nil
}

// flagWords says what is wrong with a flag.
func flagWords(err error) string {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return fmt.Sprintf("--%s can't be %s", bad.GetFlag().Name, short(bad.GetValue()))
	}
	return text.Cut(text.Clean(err.Error()), 80)
}

// split takes a command line apart as a shell would.
func split(line string) ([]string, error) {
	if strings.ContainsRune(line, 0) {
		return nil, errUsage{"a command has no NUL bytes"}
	}
	words, err := shlex.Split(line, true)
	switch {
	case err != nil:
		return nil, errUsage{"a quotation mark is not closed"}
	case len(words) > maxWords:
		return nil, errUsage{"that is too many words"}
	}
	return words, nil
}

func find(among []verb, name string) *verb {
	for _, v := range among {
		if v.name == name {
			return &v
		}
	}
	return nil
}

func (c *call) names() string {
	var all []string
	for _, v := range c.verbs() {
		all = append(all, v.name)
	}
	return strings.Join(all, " ")
}

// short makes somebody's word safe and short enough to be repeated to him.
func short(word string) string { return fmt.Sprintf("%q", text.Cut(text.Clean(word), 40)) }
