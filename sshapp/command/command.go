// Package command does what `ssh HOST COMMAND` asks for, and the line mode, which takes the same commands one a line. What it
// prints with --json is a contract with scripts: fields are added, never renamed.
//
//	command.go     the table of commands; parsing, help, and what all of them print with
//	info.go        about the club: games, rules, accounts, ratings, status
//	match.go       about one match: opening, joining, showing, playing
//	television.go  the best match that is being played
//	presence.go    who is here, and claims against players who have gone
//	offers.go      finding opponents: quick matches, offers, rematches
//	agreement.go   what one side of a match offers the other, and the answers
//	chat.go        what people write at matches; following and blocking
//	account.go     the caller's own account: keys, recovery, name, export, deletion
//	history.go     finished matches: history, records, analyses
//	cast.go        matches as they were played: asciicasts, and the replay in a terminal
//	operator.go    what operators do, and reports to them
//	limits.go      the limits that operators see and change
//	linemode.go    the line mode; current_match.go is the match that it is at
//	match_news.go  what it tells of that match, and lobby_news.go of everything else
//	gate.go        how many commands come, and how much they hold up
//	fair_queue.go  few places, which people get in turn
//	refusals.go    the codes by which scripts tell refusals apart
package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	shlex "github.com/anmitsu/go-shlex"
	"github.com/spf13/pflag"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/relations"
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

// A Caller is the user who gives a command, as far as their connection identifies them.
type Caller struct {
	Fingerprint  string // of the key that signed; "" for a guest
	ConnectionID string // tells guests apart
	User         string // the SSH user name: a wish, used as a suggestion for a name
	Origin       origin.Origin
	Operator     bool
	Locale       text.Say // the language of the client, for callers without an account

	current *currentMatch // of a line mode; nil: there is none
	words   []string      // the command line where it has come apart already; nil: it is to be split

	Lag     func() time.Duration // how long the line takes there and back; nil: it is not measured
	Dropped func() bool          // whether the line died; nil: it never does
	HangUp  func()               // ends the session of a client that doesn't read, and pending writes to it; nil: nothing does

	// SignUp makes an account, as accounts.Service does; nil is that itself.
	SignUp func(ctx context.Context, fingerprint, name string) (lobby.User, error)
}

// origin returns where the caller comes from, and always which person.
func (c Caller) origin() origin.Origin {
	from := c.Origin
	from.Person = cmp.Or(from.Person, c.Fingerprint, c.ConnectionID)
	return from
}

// hangUp is HangUp, if there is one.
func (c Caller) hangUp() {
	if c.HangUp != nil {
		c.HangUp()
	}
}

// Options are the optional parts of a Runner.
type Options struct {
	Status func() status.Status // for operators; nil: they have no status command
	Idle   func() time.Duration // how long the line mode waits for a line, and a command that follows something for news; nil and 0 are for ever
	Gate   *Gate                // nil: one of its own

	// IdleBoard is Idle for a command that follows a match in which the caller sits.
	IdleBoard func() time.Duration

	// Bulletin returns the newest bulletin, its number, and a channel that is closed when there is a newer one. nil: there are no
	// bulletins.
	Bulletin func() (b notices.Bulletin, number uint64, newer <-chan struct{})

	Sessions lobby.Sessions // that acts of operators end; nil: there are none
	Limits   Limits         // that operators see and change; nil: they can't
}

// A Runner runs commands on one lobby. It holds nothing that changes.
type Runner struct {
	lobby   *lobby.Lobby
	log     *slog.Logger
	options Options
	gate    *Gate
}

// New returns a runner.
func New(l *lobby.Lobby, log *slog.Logger, o Options) *Runner {
	if o.Gate == nil {
		o.Gate = NewGate(DefaultRate, DefaultBurst)
	}
	return &Runner{lobby: l, log: log, options: o, gate: o.Gate}
}

// A command is a row of the table.
type command struct {
	name    string
	args    string // the words after the name, as help shows them
	summary string // in English
	who     audience
	cost    cost
	least   int // fewest words after the name, flags apart
	most    int // most words; negative is any number
	flags   func(*flags)
	run     func(*call) error
	raw     bool // the words after the first are one text, as it was typed

	// split takes what follows the name apart where some of it is text as it was typed; nil: as a shell would.
	split   func(rest string) []string
	follows bool // it may go on until something happens in a match; in the line mode the next line ends it
}

// An audience is the group of callers that may give a command. For others the command doesn't exist.
type audience uint8

const (
	anyone    audience = iota // guests too; commands that need a seat refuse them in words of their own
	operators                 // if there is a status to ask for
)

// A cost says how a command passes the gate.
type cost uint8

const (
	light cost = iota // runs at once
	heavy             // runs as one step, in its turn
	steps             // runs in several steps, each in its turn
)

// flags are all flags that any command has. Every command takes --json; each declares the others that it takes.
type flags struct {
	set    *pflag.FlagSet
	json   bool
	game   string
	limit  int
	side   string
	vs     string
	rated  bool
	preset string
	clock  string
	casual bool // of quick
	from   string
	public bool // of new, as both below
	rating string
	to     string
	words  bool
	follow bool // of chat
	cast   bool // of record, as below
	size   string
	number uint64 // of accept and decline

	reason  string // of operator, as all below but match
	lasts   string
	player  string
	between string
	result  string
	done    uint64
	doneBy  string
	all     bool
	match   string // of report
	yes     bool   // of delete
}

func newFlags(f *flags) {
	f.set.StringVar(&f.side, "side", "random", "")
	f.set.StringVar(&f.vs, "vs", "", "")
	f.set.StringVar(&f.clock, "clock", "none", "")
	f.set.BoolVar(&f.rated, "rated", false, "")
	f.set.StringVar(&f.preset, "preset", "", "")
	f.set.StringVar(&f.from, "from", "", "")
	f.set.BoolVar(&f.public, "public", false, "")
	f.set.StringVar(&f.rating, "rating", "", "")
	f.set.StringVar(&f.to, "to", "", "")
}

func showFlags(f *flags) {
	f.set.BoolVar(&f.words, "words", false, "")
}

func historyFlags(f *flags) {
	f.set.StringVar(&f.game, "game", "", "")
	f.set.IntVar(&f.limit, "limit", 20, "")
}

// table returns all commands, in the order in which help lists them.
func table() []command {
	return []command{
		{name: "help", args: "[COMMAND]", summary: text.T("what you can do here"), most: 1, run: help},
		{name: "games", summary: text.T("the games and their options"), run: listGames},
		{name: "rules", args: "GAME", summary: text.T("how a game is played"), least: 1, most: 1, run: rules},
		{name: "name", args: "NAME", summary: text.T("take a name for a key that has none yet"), least: 1, most: 1, run: takeName},
		{name: "whoami", summary: text.T("who you are here"), run: whoami},
		{name: "new", args: "GAME [key=value ...] [--preset NAME] [--side first|second|random] [--vs LEVEL] [--clock none|5+3|3d] [--rated] [--public] [--rating MIN-MAX] [--to NAME] [--from POSITION]",
			summary: text.T("open a match and print its code: private, --public for all, --to NAME as a challenge"), least: 1, most: -1, flags: newFlags, run: newMatch},
		{name: "quick", args: "[GAME] [--preset NAME] [--clock none|5+3|3d] [--casual]",
			summary: text.T("take the fairest open offer of a game, or open one and wait; without GAME as the last time"), most: 1, flags: quickFlags, run: quick},
		{name: "offers", args: "[GAME]", summary: text.T("the open offers, oldest first"), cost: heavy, most: 1, run: offers},
		{name: "join", args: "CODE", summary: text.T("take the free seat of a match"), least: 1, most: 1, run: join},
		{name: "show", args: "CODE [--words]", summary: text.T("a match as it is now; --words describes the board in sentences"),
			cost: steps, least: 1, most: 1, flags: showFlags, run: show},
		{name: "watch", args: "CODE", summary: text.T("a match; with --json a line now and one for every change"),
			least: 1, most: 1, run: watch, follows: true},
		{name: "tv", args: "[GAME]", summary: text.T("the best match now; with --json a line for every change, and on to the next match"),
			most: 1, run: television, follows: true},
		{name: "move", args: "CODE MOVE", summary: text.T("play a move"), least: 2, most: 4, run: move},
		{name: "takeback", args: "CODE", summary: text.T("take back your last move; another player is asked first"), least: 1, most: 1, run: takeback},
		{name: "draw", args: "CODE", summary: text.T("offer a draw, or agree to one"), least: 1, most: 1, run: draw},
		{name: "accept", args: "CODE [draw|takeback|rematch|challenge] [--number N]", summary: text.T("accept what the other side offers: a draw, a takeback, a rematch, a challenge"),
			least: 1, most: 2, flags: answerFlags, run: accept},
		{name: "decline", args: "CODE [draw|takeback|rematch|challenge] [--number N]", summary: text.T("decline what the other side offers"),
			least: 1, most: 2, flags: answerFlags, run: decline},
		{name: "hint", args: "CODE", summary: text.T("what the strongest computer player would do in your place"),
			least: 1, most: 1, run: hint},
		{name: "resign", args: "CODE", summary: text.T("give a match to the other side"), least: 1, most: 1, run: resign},
		{name: "abort", args: "CODE", summary: text.T("call a match off before both sides have moved, or withdraw an offer"),
			least: 1, most: 1, run: abort},
		{name: "claim", args: "CODE win|draw", summary: text.T("end a match whose other side has gone, as your win or a draw"),
			least: 2, most: 2, run: claim},
		{name: "rematch", args: "CODE", summary: text.T("ask for the same match with sides swapped, or accept it"), least: 1, most: 1, run: rematch},
		{name: "matches", summary: text.T("your unfinished matches, those waiting for you first"), cost: heavy, run: matches},
		{name: "history", args: "[NAME] [--game GAME] [--limit N]", summary: text.T("finished matches, newest first"),
			cost: steps, most: 1, flags: historyFlags, run: history},
		{name: "record", args: "ID|CODE [--cast] [--size COLSxROWS]", summary: text.T("the whole record of a match; --cast writes an asciicast"), cost: heavy, least: 1, most: 1, flags: castFlags, run: record},
		{name: "replay", args: "ID|CODE", summary: text.T("play a match in the terminal, move by move"), cost: heavy, least: 1, most: 1, run: replay},
		{name: "analyse", args: "ID|CODE", summary: text.T("where a finished match was won and lost"),
			cost: steps, least: 1, most: 1, run: analyse},
		{name: "who", summary: text.T("who is here, and what they do"), cost: heavy, run: who},
		{name: "leaderboard", args: "[GAME]", summary: text.T("the ratings"), cost: steps, most: 1, run: leaderboard},
		{name: "profile", args: "[NAME]", summary: text.T("a player"), most: 1, run: profile},

		{name: "keys", args: "[add | claim CODE | remove FINGERPRINT]", summary: text.T("your keys: list, add and remove them"), most: -1, run: ownKeys},
		{name: "recovery", summary: text.T("a new recovery code, for when you lose your keys"), run: newRecovery},
		{name: "recover", args: "NAME CODE", summary: text.T("let this key into an account, with its recovery code"), least: 2, most: -1, run: recoverAccount},
		{name: "rename", args: "NAME", summary: text.T("take another name, once in 30 days"), least: 1, most: 1, run: rename},
		{name: "export", summary: text.T("everything that the club keeps of you, as JSON lines"), cost: steps, run: export},
		{name: "delete", args: "[--yes]", summary: text.T("delete your account"), flags: deleteFlags, run: deleteAccount},

		{name: "say", args: "CODE TEXT", summary: text.T("write to the other player, or to those who watch with you. Greetings: :hello :luck :thanks :wait :nice :played :game :bye"),
			least: 2, most: 2, run: say, raw: true},
		{name: "chat", args: "CODE [--follow] | on | off", summary: text.T("what was written at a match, with --follow as it comes; chat off and chat on are your switch"),
			least: 1, most: 1, flags: chatFlags, run: readChat, follows: true},
		{name: "follow", args: "NAME", summary: text.T("be told when a player comes in"), least: 1, most: 1, run: relate(relations.Following, true)},
		{name: "unfollow", args: "NAME", summary: text.T("no longer follow a player"), least: 1, most: 1, run: relate(relations.Following, false)},
		{name: "following", summary: text.T("the players you follow, and who of them is here"), cost: heavy, run: related(relations.Following)},
		{name: "block", args: "NAME", summary: text.T("have no chat, challenges or pairing with a player"), least: 1, most: 1, run: relate(relations.Blocked, true)},
		{name: "unblock", args: "NAME", summary: text.T("no longer block a player"), least: 1, most: 1, run: relate(relations.Blocked, false)},
		{name: "blocked", summary: text.T("the players you block"), cost: heavy, run: related(relations.Blocked)},

		{name: "report", split: splitReport, args: "[NAME] REASON [--match CODE|ID] [--side first|second]", summary: text.T("tell the operator about a player; the chat of your last match goes with it, or of --match. --side names who sat there"), least: 1, most: -1,
			flags: reportFlags, run: report},

		{name: "operator", split: splitOperator, args: "VERB ... [--reason TEXT]", summary: text.T("what operators do; operator help lists the verbs"), who: operators,
			most: -1, flags: operatorFlags, run: operate},
		{name: "status", summary: text.T("how busy the club is"), who: operators, run: showStatus},
	}
}

// usage is how a command is called.
func (d *command) usage() string {
	return strings.Join(strings.Fields(d.name+" "+d.args+" [--json]"), " ")
}

// asks returns a question for the first missing word after the given ones.
func (d *command) asks(say text.Say, given int) string {
	missing := ""
	if words := strings.Fields(d.args); given < len(words) {
		missing = words[given]
	}
	switch missing {
	case "CODE", "ID|CODE":
		return say.T("Which match?")
	case "GAME":
		return say.T("Which game?")
	case "NAME":
		return say.T("Which name?")
	case "MOVE":
		return say.T("Which move?")
	case "win|draw":
		return say.T("What do you claim: win, or draw?")
	}
	return say.T("Something is missing.")
}

// shortUsage leaves long usages to help COMMAND. An argument in brackets is there whole or not at all.
func (d *command) shortUsage() string {
	args := d.args
	if len(args) > 24 {
		first, _, _ := strings.Cut(args, " ")
		if strings.Count(first, "[") > strings.Count(first, "]") {
			first = ""
		}
		args = strings.TrimSpace(first + " ...")
	}
	return strings.TrimSpace(d.name + " " + args)
}

// commands returns the commands that this caller may give.
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

// A helpJSON is what help says of a command, or of a verb of operators, in English.
type helpJSON struct {
	Name    string `json:"name"`
	Usage   string `json:"usage"`
	Summary string `json:"summary"`
}

func help(c *call) error {
	all := c.commands()
	if len(c.words) == 1 {
		d := find(all, c.words[0])
		if d == nil {
			return usageError{words: c.say.T("There is no command %s. The commands are: %s.", short(c.words[0]), c.names(" "))}
		}
		if !c.flags.json {
			return c.printf("%s\n\n    %s\n", c.say.T(d.summary), d.usage())
		}
		all = []command{*d}
	}
	if c.flags.json {
		for _, d := range all {
			if err := c.json(helpJSON{d.name, d.usage(), d.summary}); err != nil {
				return err
			}
		}
		return nil
	}
	rows := []string{c.say.T("Ludoteca, a board-game club. Without a command you get the full screen."), ""}
	for _, d := range c.commands() {
		rows = append(rows, "  "+d.shortUsage()+"\t"+c.say.T(d.summary))
	}
	return c.table(append(rows, "", c.say.T("More about one: help COMMAND. All take --json: one object a line, for scripts.")))
}

// A usageError ends a command that was called wrongly, with a sentence about what is wrong.
type usageError struct {
	words string
	usage string // how it is called; "": as the table of commands says
}

func (e usageError) Error() string { return e.words }

// A refusal ends a command with words for the caller.
type refusal struct {
	code  code
	words string
}

func (e refusal) Error() string { return e.words }

// Code returns the code of a command line that asks for a board, "join CODE" or "watch CODE", and which of both.
func Code(line string) (name, code string, ok bool) {
	words, err := split(text.Say{}, line)
	if err != nil || len(words) != 2 || words[0] != "join" && words[0] != "watch" || strings.HasPrefix(words[1], "-") {
		return "", "", false
	}
	return words[0], words[1], true
}

// Run runs one command line and returns its exit status. It ends soon after ctx does. Any line is safe.
func (r *Runner) Run(ctx context.Context, who Caller, line string, out, complaints io.Writer) int {
	language := sync.OnceValue(func() text.Say { return r.language(context.WithoutCancel(ctx), who) })
	status, done := r.perform(ctx, who, nil, language, line, out, complaints)
	if !done {
		fmt.Fprintln(complaints, r.goodbye(ctx, language()).words) // or the caller is gone, and hears nothing
	}
	return status
}

// language returns the language of a caller's account, or else of their client.
func (r *Runner) language(ctx context.Context, who Caller) text.Say {
	if who.Fingerprint != "" {
		if _, settings, err := r.lobby.Accounts.SignIn(ctx, who.Fingerprint); err == nil && settings.Language != "" {
			return who.Locale.In(settings.Language)
		}
	}
	return who.Locale
}

// goodbye returns the message for a session whose ctx has ended: an operator has ended it, or the club or this node closes.
func (r *Runner) goodbye(ctx context.Context, say text.Say) refusal {
	why := context.Cause(ctx)
	if !lobby.IsDismissal(why) {
		why = r.lobby.Closing()
	}
	return refusal{codeOf(why), say.Error(why)}
}

// perform is Run without the message for a command that ended because its context did: done is false then, and status is Refused. perform
// calls language as soon as the command may begin. visit is the visit of the line mode, or nil.
func (r *Runner) perform(ctx context.Context, who Caller, visit *boardVisit, language func() text.Say, line string, out, complaints io.Writer) (status int, done bool) {
	c := &call{runner: r, caller: who, ctx: ctx, out: out, visit: visit}
	defer func() { c.disconnect() }()
	end, err := r.gate.Begin(ctx, who.origin())
	var d *command
	scripted := wantsJSON(line) // as long as the line isn't read
	if err == nil {
		defer end()
		c.say = language()
		if d, err = c.parse(line); err == nil {
			scripted = c.flags.json
		}
	}
	if err == nil {
		if err = c.pass(d); err != nil && !errors.Is(err, errGone) {
			c.takeBackSignUp()
		}
	}
	var wrong usageError
	var said refusal
	refuse := func(why code, words string) { // for scripts too
		if scripted {
			_, _ = out.Write(refusalLine(why, words, retryAfter(err))) // fails only for a client that is gone
		}
	}
	complain := func(words ...string) { // in one line, with what a new account must know
		if c.recovery != "" {
			words = append(words, c.say.T("You are %s here now.", c.signedUp), c.say.RecoveryCode(c.recovery))
		}
		if len(words) > 0 {
			fmt.Fprintln(complaints, strings.Join(words, " "))
		}
	}
	switch {
	case err == nil:
		complain()
		return Done, true
	case ctx.Err() != nil:
		if visit == nil {
			bye := r.goodbye(ctx, language())
			refuse(bye.code, bye.words)
		}
		return Refused, false
	case errors.Is(err, errGone):
		return Refused, true
	case errors.As(err, &wrong):
		refuse(codeUsage, c.usageLine(d, wrong))
		complain(c.usageLine(d, wrong))
		return Usage, true
	case errors.As(err, &said):
		refuse(said.code, said.words)
		complain(said.words)
	default:
		refuse(codeOf(err), c.say.Error(err))
		complain(c.say.Error(err))
		r.logUnknown(err)
	}
	return Refused, true
}

// pass runs a command as its cost demands.
func (c *call) pass(d *command) error {
	c.counted = d.cost != light
	defer func() {
		if c.ended != nil {
			c.ended()
		}
	}()
	if d.cost == heavy {
		return c.step(func() error { return d.run(c) })
	}
	if !d.follows {
		return d.run(c)
	}
	defer c.limitIdle()()
	err := d.run(c)
	if err != nil && errors.Is(context.Cause(c.ctx), errIdleStream) {
		return refusal{codeClosed, c.say.T("Nothing has happened here for a long time, so the club ended this. Come back soon.")}
	}
	return err
}

// step runs work in its turn. The first step of a heavy command is refused while there are too many heavy commands. The output of work is
// written after the step has left its place, because the client may be slow. The error is errGone if the client was hung up on because it
// left too many bytes unread.
func (c *call) step(work func() error) error {
	client, printed := c.out, new(bytes.Buffer)
	from, gate := c.caller.origin(), c.runner.gate
	c.out = printed
	var err error
	if c.counted {
		c.counted = false
		var begins *heavyCommand
		if begins, err = gate.enter(c.ctx, from); err != nil {
			c.out = client
			return err
		}
		defer begins.leave() // also if the work panics
		err = begins.step(work)
		c.ended = begins.goOn()
	} else {
		err = gate.Step(c.ctx, from.Person, work)
	}
	c.out = client
	if printed.Len() == 0 {
		return err
	}
	release, ok := gate.keep(from, printed.Cap(), c.caller.hangUp)
	defer release()
	if !ok {
		return errGone
	}
	return cmp.Or(c.write(printed.Bytes()), err)
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
		return c.say.T("%s The commands are: %s. Try: help", wrong.words, c.names(" "))
	}
	return c.say.T("%s Usage: %s", wrong.words, cmp.Or(wrong.usage, d.usage()))
}

// A call is one run of one command.
type call struct {
	runner *Runner
	caller Caller
	say    text.Say // the language for people; what is printed with --json doesn't depend on it
	ctx    context.Context
	out    io.Writer
	words  []string // after the name of the command, flags apart
	flags  flags

	counted bool   // the next step is the first of a heavy command
	ended   func() // stops counting a heavy command; nil: none has begun

	idle idleLimit // of a command that follows something

	newcomer lobby.User // the owner of an account that the command has made on its way; the zero User: none
	signedUp string     // the name of that account; "" for none
	recovery string     // its recovery code, until it is printed

	stake stakeAt     // the one that was worked out last
	leave func()      // ends the connection that connect began; nil: there is none
	visit *boardVisit // of the line mode; nil: the command is a session of its own
}

// parse finds the command and fills in words and flags.
func (c *call) parse(line string) (*command, error) {
	words, err := c.split(line)
	if err != nil {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		return find(c.commands(), name), err
	}
	if len(words) == 0 {
		words = []string{"help"}
	}
	d := find(c.commands(), words[0])
	if d == nil {
		return nil, usageError{words: c.say.T("There is no command %s.", short(words[0]))}
	}
	set := pflag.NewFlagSet(d.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	c.flags.set = set
	set.BoolVar(&c.flags.json, "json", false, "")
	if d.flags != nil {
		d.flags(&c.flags)
	}
	if err := set.Parse(words[1:]); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return d, usageError{words: c.say.T(d.summary) + "."}
		}
		return d, usageError{words: flagWords(c.say, err)}
	}
	c.words = set.Args()
	switch {
	case len(c.words) < d.least:
		return d, usageError{words: d.asks(c.say, len(c.words))}
	case d.most >= 0 && len(c.words) > d.most:
		return d, usageError{words: c.say.T("%s is one word too many.", short(c.words[d.most]))}
	}
	return d, nil
}

// split takes a command line apart. A command whose text is raw has three words at most, and its flags before or after all others.
func (c *call) split(line string) ([]string, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	d := find(c.commands(), name)
	switch {
	case c.caller.words != nil:
		return c.caller.words, nil
	case d == nil || strings.ContainsRune(line, 0):
		return split(c.say, line)
	case d.split != nil:
		return append([]string{name}, d.split(rest)...), nil
	case !d.raw:
		return split(c.say, line)
	}
	words := []string{name}
	rest = strings.TrimSpace(rest)
	before, first := strings.CutPrefix(rest, "--json ")
	after, last := strings.CutSuffix(before, " --json")
	if first || last || rest == "--json" {
		words, rest = append(words, "--json"), strings.TrimSpace(strings.TrimPrefix(after, "--json"))
	}
	words = append(words, "--")
	if code := c.caller.current.code(); code != "" && !c.caller.current.isCode(rest) {
		words = append(words, code)
	} else if code, text, ok := strings.Cut(rest, " "); ok {
		words, rest = append(words, code), strings.TrimSpace(text)
	}
	if rest != "" {
		words = append(words, rest)
	}
	return words, nil
}

// flagWords says what is wrong with a flag.
func flagWords(say text.Say, err error) string {
	var bad *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bad):
		return say.T("--%s can't be %s.", bad.GetFlag().Name, short(bad.GetValue()))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return say.T("%s is neither a flag nor a word for this command.", short("-"+unknown.GetSpecifiedShortnames()))
	case errors.As(err, &unknown):
		return say.T("There is no flag %s here.", short("--"+unknown.GetSpecifiedName()))
	case errors.As(err, &bare):
		return say.T("--%s needs a value.", bare.GetFlag().Name)
	}
	return say.T("One of the flags is not written as a flag.")
}

// split takes a command line apart as a shell would.
func split(say text.Say, line string) ([]string, error) {
	if strings.ContainsRune(line, 0) {
		return nil, usageError{words: say.T("A command has no NUL bytes.")}
	}
	words, err := shlex.Split(line, true)
	switch {
	case err != nil:
		return nil, usageError{words: say.T("A quotation mark is not closed.")}
	case len(words) > maxWords:
		return nil, usageError{words: say.T("That is too many words.")}
	}
	return words, nil
}

// short makes a word that was typed safe and short enough to be repeated.
func short(word string) string { return fmt.Sprintf("%q", text.Cut(text.Clean(word), 40)) }

func (c *call) lobby() *lobby.Lobby { return c.runner.lobby }

// connect tells the lobby where a user connects from, until the command ends.
func (c *call) connect(who lobby.User) {
	if c.leave == nil && who.ID != "" {
		c.leave = c.lobby().Connect(who, c.caller.Origin)
	}
}

func (c *call) disconnect() {
	if c.leave != nil {
		c.leave()
	}
}

// visitor returns the user who looks around: the player who owns the key, or a visitor without a name or a seat.
func (c *call) visitor() (who lobby.User, err error) {
	defer func() { c.connect(who) }()
	if c.caller.Fingerprint == "" {
		return c.lobby().Accounts.Guest(c.caller.ConnectionID), nil
	}
	who, _, err = c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
	if errors.Is(err, lobby.ErrNoAccount) {
		return lobby.User{}, nil
	}
	return who, err
}

// player returns the player who owns the key. It signs a new key up under the SSH user name.
func (c *call) player() (who lobby.User, err error) {
	defer func() { c.connect(who) }()
	if c.caller.Fingerprint == "" {
		return lobby.User{}, refusal{codeGuest, c.say.T("A guest may look, not sit: a seat needs a key (ssh-keygen makes one), or the full screen.")}
	}
	who, _, err = c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
	if !errors.Is(err, lobby.ErrNoAccount) {
		return who, err
	}
	name := c.lobby().Accounts.SuggestName(c.ctx, c.caller.User)
	if name != "" {
		who, err = c.signUp(name)
		if err == nil {
			c.newcomer, c.signedUp = who, who.Name
			c.recovery, _ = c.lobby().Keys.NewRecovery(c.ctx, who) // without one they can ask for another
		}
		if errors.Is(err, lobby.ErrHasAccount) || errors.Is(err, lobby.ErrNameTaken) || errors.Is(err, lobby.ErrNameAlike) {
			who, _, err = c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint) // another first command of this key may have been quicker
		}
		if !errors.Is(err, lobby.ErrNoAccount) {
			return who, err
		}
	}
	return lobby.User{}, refusal{codeGuest, c.say.T("Your key has no name here yet, and %s can't be it. Take one first: name NAME", short(c.caller.User))}
}

// sitter returns the player of the key for an act in the match that the first word names. A key without an account has no seat there: it is
// refused, and not signed up.
func (c *call) sitter() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return c.player()
	}
	who, err := c.visitor()
	if err == nil && who.ID == "" {
		if _, err = c.find(who); err == nil {
			err = lobby.ErrNotSeated
		}
		err = c.named(err)
	}
	return who, err
}

// takeBackSignUp deletes the account that a command has made on its way, which then failed.
func (c *call) takeBackSignUp() {
	if c.newcomer.ID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), takeBackTime)
	defer cancel()
	if err := c.lobby().Accounts.TakeBackSignUp(ctx, c.newcomer); err != nil {
		return // it is in use already, or stays
	}
	c.signedUp, c.recovery = "", ""
}

// takeBackTime is how long the end of a failed command waits for the store at most.
const takeBackTime = 5 * time.Second

// signUp makes an account for the caller's key.
func (c *call) signUp(name string) (lobby.User, error) {
	if f := c.caller.SignUp; f != nil {
		return f(c.ctx, c.caller.Fingerprint, name)
	}
	return c.lobby().Accounts.SignUp(c.ctx, c.caller.Fingerprint, name)
}

func (c *call) game(name string) (games.Game, error) {
	g, err := c.lobby().Game(name)
	if errors.Is(err, lobby.ErrNoSuchGame) {
		var ids []string
		for _, g := range c.lobby().Games() {
			ids = append(ids, g.About().ID)
		}
		return nil, refusal{codeNotFound, c.say.T("There is no game %s here. The games are: %s.", short(name), strings.Join(ids, ", "))}
	}
	return g, err
}

// json prints one object on one line. The first one of a command that has made an account has its recovery code too.
func (c *call) json(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	line := b.Bytes()
	if object, isObject := bytes.CutSuffix(line, []byte("}\n")); isObject && c.recovery != "" {
		line = fmt.Appendf(nil, "%s,\"recovery_code\":%q}\n", object, c.recovery)
		c.recovery = ""
	}
	return c.write(line)
}

func (c *call) printf(format string, args ...any) error {
	return c.write(fmt.Appendf(nil, format, args...))
}

// errGone means that the client has disconnected. That is not an error of the club, and a message would have no reader.
var errGone = errors.New("the client is gone")

func (c *call) write(p []byte) error {
	if _, err := c.out.Write(p); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
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

// standIn is the character of which the tabwriter gets one a cell for a field with wide characters or combining marks: it takes every
// character for one cell wide. No text contains standIn.
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
	return text.Minute(t)
}

// date is a time in a table for people that is kept to the day alone.
func date(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// shownName is an occupant in a table for people.
func (c *call) shownName(o storage.Occupant) string {
	switch o.Kind {
	case storage.Free:
		return c.say.T("nobody yet")
	case storage.Bot:
		return c.say.T("%s (bot)", o.Name)
	default:
		return c.say.Name(o.Name)
	}
}
