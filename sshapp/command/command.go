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
//	wait.go        waiting until something wants the caller
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
	"slices"
	"strings"
	"sync"
	"time"

	shlex "github.com/anmitsu/go-shlex"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/wording"
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
	Locale       wording.Words // the language of the client, for callers without an account

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
	waits   *waits
	table   []*row
}

// New returns a runner.
func New(l *lobby.Lobby, log *slog.Logger, o Options) *Runner {
	if o.Gate == nil {
		o.Gate = NewGate(DefaultRate, DefaultBurst)
	}
	return &Runner{lobby: l, log: log, options: o, gate: o.Gate, waits: newWaits(), table: table()}
}

// A row is a command of the table.
type row = tree.Command[run]

// A run does what a command line asks for. It has the values of the flags already.
type run func(*call) (reply.Reply, error)

// plain is the Run of a row without flags.
func plain(r run) func(*tree.Flags) run { return func(*tree.Flags) run { return r } }

// group puts rows under one heading of help.
func group(heading string, rows ...*row) []*row {
	for _, r := range rows {
		r.Group = heading
	}
	return rows
}

// table returns all commands, in the order in which help lists them.
func table() []*row {
	return tree.Link(slices.Concat(clubRows(), findingRows(), matchRows(), agreementRows(), historyRows(), peopleRows(), chatCommands(), accountRows(), operatorRows()))
}

// commands returns the commands that this caller may give.
func (r *Runner) commands(who Caller) []*row {
	if who.Operator && r.options.Status != nil {
		return r.table
	}
	return slices.DeleteFunc(slices.Clone(r.table), func(d *row) bool { return d.Who != tree.Anyone })
}

// A helpJSON is what help says of a command, or of a verb of operators, in English.
type helpJSON struct {
	Name    string `json:"name" help:"the name"`
	Usage   string `json:"usage" help:"how the command is called"`
	Summary string `json:"summary" help:"what the command does"`
}

// maxNested is the number of words that name a command at most.
const maxNested = 2

// help prints what commands there are, or what one of them does.
func help(c *call) (reply.Reply, error) {
	all := c.runner.commands(c.caller)
	if len(c.words) > 0 {
		d, among := (*row)(nil), all
		for _, name := range c.words {
			if d = tree.Find(among, name); d == nil {
				return nil, usage(tree.Unknown(c.say.Say, among, name))
			}
			among = d.Sub
		}
		return helpWith(c, d), nil
	}
	rows := []reply.Row{reply.ForPeople(c.say.T("Ludoteca, a board-game club. Without a command you get the full screen."))}
	heading := ""
	for _, d := range all {
		if d.Group != heading {
			heading = d.Group
			rows = append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T(heading)))
		}
		rows = append(rows, reply.Of("  "+d.Short()+"\t"+c.say.T(d.Summary), helpJSON{d.Name, d.Line(), d.Summary}))
	}
	return reply.Table(append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T("More about one: help COMMAND. All take --json: one object a line, for scripts.")))...), nil
}

// helpWith says what a command does, what it takes and what it prints.
func helpWith(c *call, d *row) reply.Reply {
	return reply.One(reply.Made(func() string {
		head, rows, foot := d.HelpRows(c.say.Say)
		return strings.Join(head, "\n") + "\n" + reply.Align(rows) + strings.Join(foot, "\n")
	}, func() any { return d.Help() }))
}

// A usageError ends a command that was called wrongly, with a sentence about what is wrong.
type usageError struct {
	words string
	usage string // how it is called; "": as the table of commands says, if there is such a command
}

func (e usageError) Error() string { return e.words }

// usage makes what is wrong with a command line an error of this package.
func usage(e *tree.UsageError) usageError { return usageError{e.Words, e.Usage} }

// A refusal ends a command with words for the caller.
type refusal struct {
	code  code
	words string
}

func (e refusal) Error() string { return e.words }

// Code returns the code of a command line that asks for a board, "join CODE" or "watch CODE", and which of both.
func Code(line string) (name, code string, ok bool) {
	words, err := split(wording.Words{}, line)
	if err != nil || len(words) != 2 || words[0] != "join" && words[0] != "watch" || strings.HasPrefix(words[1], "-") {
		return "", "", false
	}
	return words[0], words[1], true
}

// Run runs one command line and returns its exit status. It ends soon after ctx does. Any line is safe.
func (r *Runner) Run(ctx context.Context, who Caller, line string, out, complaints io.Writer) int {
	language := sync.OnceValue(func() wording.Words { return r.language(context.WithoutCancel(ctx), who) })
	status, done := r.perform(ctx, who, nil, language, line, out, complaints)
	if !done {
		fmt.Fprintln(complaints, r.goodbye(ctx, language()).words) // or the caller is gone, and hears nothing
	}
	return status
}

// language returns the language of a caller's account, or else of their client.
func (r *Runner) language(ctx context.Context, who Caller) wording.Words {
	if who.Fingerprint != "" {
		if _, settings, err := r.lobby.Accounts.SignIn(ctx, who.Fingerprint); err == nil && settings.Language != "" {
			return who.Locale.In(settings.Language)
		}
	}
	return who.Locale
}

// goodbye returns the message for a session whose ctx has ended: an operator has ended it, or the club or this node closes.
func (r *Runner) goodbye(ctx context.Context, say wording.Words) refusal {
	why := context.Cause(ctx)
	if !lobby.IsDismissal(why) {
		why = r.lobby.Closing()
	}
	return refusal{codeOf(why), say.Error(why)}
}

// perform is Run without the message for a command that ended because its context did: done is false then, and status is Refused. perform
// calls language as soon as the command may begin. visit is the visit of the line mode, or nil.
func (r *Runner) perform(ctx context.Context, who Caller, visit *boardVisit, language func() wording.Words, typed string, out, complaints io.Writer) (status int, done bool) {
	c := &call{runner: r, caller: who, ctx: ctx, out: out, visit: visit}
	defer func() { c.disconnect() }()
	end, err := r.gate.Begin(ctx, who.origin())
	var line tree.Line[run]
	scripted := wantsJSON(typed) // as long as the line isn't read
	if err == nil {
		defer end()
		c.say = language()
		if line, err = c.parse(typed); err == nil {
			scripted = c.asJSON
		}
	}
	if err == nil {
		if err = c.pass(line); err != nil && !errors.Is(err, errGone) {
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
		refuse(codeUsage, c.usageLine(line.Command, wrong))
		complain(c.usageLine(line.Command, wrong))
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
func (c *call) pass(line tree.Line[run]) error {
	d := line.Command
	if line.Help {
		return c.print(helpWith(c, d), tree.Light, false)
	}
	if d.Follows {
		defer c.limitIdle()()
	}
	answer, err := line.Run(c)
	if err == nil {
		err = c.print(answer, d.Cost, d.Follows)
	}
	if err != nil && errors.Is(context.Cause(c.ctx), errIdleStream) {
		return refusal{codeClosed, c.say.T("Nothing has happened here for a long time, so the club ended this. Come back soon.")}
	}
	return err
}

// logUnknown logs what the words for a person hide: errors that are none of the club's own.
func (r *Runner) logUnknown(err error) {
	if (wording.Words{}).Error(err) == (wording.Words{}).Error(errUnknown) {
		r.log.Error("command failed", "err", err)
	}
}

var errUnknown = errors.New("an error without words of its own")

func (c *call) usageLine(d *row, wrong usageError) string {
	if d == nil {
		return wrong.words
	}
	return c.say.T("%s Usage: %s", wrong.words, cmp.Or(wrong.usage, d.Line()))
}

// A call is one run of one command.
type call struct {
	runner *Runner
	caller Caller
	say    wording.Words // the language for people; what is printed with --json doesn't depend on it
	ctx    context.Context
	out    io.Writer
	words  []string // after the name of the command, flags apart
	asJSON bool

	idle idleLimit // of a command that follows something

	newcomer lobby.User // the owner of an account that the command has made on its way; the zero User: none
	signedUp string     // the name of that account; "" for none
	recovery string     // its recovery code, until it is printed

	stake stakeAt     // the one that was worked out last
	leave func()      // ends the connection that connect began; nil: there is none
	away  func()      // ends the visit of a command that follows a match; nil: there is none
	visit *boardVisit // of the line mode; nil: the command is a session of its own
}

// parse reads a command line and fills in words and asJSON.
func (c *call) parse(typed string) (tree.Line[run], error) {
	commands := c.runner.commands(c.caller)
	words, err := c.split(commands, typed)
	if err != nil {
		name, _, _ := strings.Cut(strings.TrimSpace(typed), " ")
		return tree.Line[run]{Command: tree.Find(commands, name)}, err
	}
	if len(words) == 0 {
		words = []string{"help"}
	}
	line, err := tree.Parse(c.say.Say, commands, words)
	if wrong, ok := errors.AsType[*tree.UsageError](err); ok {
		return line, usage(wrong)
	}
	c.words, c.asJSON = line.Words, line.JSON
	return line, err
}

// split takes a command line apart. A command whose text is raw has three words at most, and its flags before or after all others.
func (c *call) split(commands []*row, line string) ([]string, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	d := tree.Find(commands, name)
	switch {
	case c.caller.words != nil:
		return c.caller.words, nil
	case d == nil || strings.ContainsRune(line, 0):
		return split(c.say, line)
	case d.Split != nil:
		return append([]string{name}, d.Split(d, rest)...), nil
	case !d.Raw, strings.HasPrefix(strings.TrimSpace(rest), "--help"):
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

// split takes a command line apart as a shell would.
func split(say wording.Words, line string) ([]string, error) {
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

func (c *call) lobby() *lobby.Lobby { return c.runner.lobby }

// connect tells the lobby where a user connects from, until the command ends.
func (c *call) connect(who lobby.User) {
	if c.leave == nil && who.ID != "" {
		c.leave = c.lobby().Connect(who, c.caller.Origin)
	}
}

func (c *call) disconnect() {
	if c.away != nil {
		c.away()
	}
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
	return lobby.User{}, refusal{codeGuest, c.say.T("Your key has no name here yet, and %s can't be it. Take one first: name NAME", tree.Quoted(c.caller.User))}
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
		return nil, refusal{codeNotFound, c.say.T("There is no game %s here. The games are: %s.", tree.Quoted(name), strings.Join(ids, ", "))}
	}
	return g, err
}

// encode makes the line of an object.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// encode makes the line of an object. The first one of a command that has made an account has its recovery code too.
func (c *call) encode(v any) ([]byte, error) {
	line, err := encode(v)
	if object, isObject := bytes.CutSuffix(line, []byte("}\n")); err == nil && isObject && c.recovery != "" {
		line = fmt.Appendf(nil, "%s,\"recovery_code\":%q}\n", object, c.recovery)
		c.recovery = ""
	}
	return line, err
}

// errGone means that the client has disconnected. That is not an error of the club, and a message would have no reader.
var errGone = errors.New("the client is gone")

func (c *call) write(p []byte) error {
	if _, err := c.out.Write(p); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}

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
	return wording.Minute(t)
}

// date is a time in a table for people that is kept to the day alone.
func date(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// shownName is an occupant in a table for people.
func shownName(say wording.Words, o storage.Occupant) string {
	switch o.Kind {
	case storage.Free:
		return say.T("nobody yet")
	case storage.Bot:
		return say.T("%s (bot)", o.Name)
	default:
		return say.Name(o.Name)
	}
}
