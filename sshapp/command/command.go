// Package command does what `ssh HOST COMMAND` asks for, and the line mode, which takes the same commands one a line. What it
// prints with --json is a contract with scripts: fields are added, never renamed.
//
// References between these files run one way: a file uses those that stand below it, which a test checks.
//
// The line mode:
//
//	linemode.go            reads lines and runs them, and prints what happens meanwhile
//
// All commands:
//
//	command.go             the table of commands, how one line is run, and the pages about all commands
//
// What a user of the line mode has before them, from line to line:
//
//	prompt_commands.go     commands of the line mode alone: play, settings
//	premove.go             a move that is entered ahead
//	together.go            another person who looks at a review too
//	review.go              a finished match that is looked through
//
// Players, accounts and programs:
//
//	account.go             the caller's own account: name, keys, recovery, export, deletion
//	notify.go              notices outside the terminal
//	engine.go              computer accounts, and the programs that play for them; program_report.go what their owners are told
//	event.go               events: lists and pages of them, announcing, entering
//	operator.go            what operators do
//	people.go              who is here, leaderboards, profiles; relations.go follows, blocks and reports
//
// Finished matches:
//
//	history.go             history and analyses; openings.go how rated ones began; note.go private notes on them; database.go the records of all
//	record.go              records, asciicasts and the replay in a terminal; imported_records.go records from elsewhere
//
// Matches that are played:
//
//	match.go               acts at a match; agreement.go what one side offers the other; watch.go showing and following; wait.go waiting
//	plan.go                moves that the caller prepares for the other side's next ones
//	vacation.go            the caller's vacation; zone.go the time zone in which the caller reads times
//	questions.go           questions about a position, answered in sentences
//	finding_opponents.go   finding opponents, and the caller's unfinished matches; new_match.go opens a match or takes a seat
//	standing_offers.go     the offers that players keep open
//	open_offers.go         the open offers, now and as they come
//	chat.go                what people write at matches; tell.go what players write to each other elsewhere; lounge.go the room for all
//
// Games:
//
//	games.go               games and rules
//	lesson.go              the lessons of the games
//	puzzle.go              puzzles: shown, solved by commands and in the line mode
//
// What commands share:
//
//	help.go                what commands there are, and what one of them does
//	told_in_sentences.go   a match told in sentences, in the line mode, and acts in a match
//	match_words.go         a match in words; match_json.go a match as an object
//	named_match.go         the match that a command names, and the caller's seat there
//	splitting_lines.go     splits lines into words, and texts as they were typed
//	call.go                a Runner, and one call of a command
//	arguments.go           arguments and flags that several commands take
//	caller.go              who gives a command, and the board that the user is at
//	limits.go              the limits that operators see and change
//	format.go              times, names and ratings as commands print them
//	refusals.go            how commands refuse, and the codes by which scripts tell refusals apart
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/kv"
)

// The exit statuses.
const (
	Done    = 0 // it is done
	Refused = 1 // it was refused or something was not found; one line on stderr says why
	Usage   = 2 // the command was called wrongly; the line shows the right way
)

// New returns a runner.
func New(l *lobby.Lobby, log *slog.Logger, o Options) *Runner {
	if o.Gate == nil {
		o.Gate = gate.New(gate.DefaultRate, gate.DefaultBurst)
	}
	return &Runner{lobby: l, log: log, options: o, gate: o.Gate, table: table(), waits: gate.NewWaits(), offerReaders: gate.NewWaits()}
}

// table returns all commands, in the order in which help lists them.
func table() []*row {
	return tree.Link(slices.Concat(clubRows(), findingRows(), eventRows(), matchRows(), questionRows(), agreementRows(), historyRows(), peopleRows(), chatCommands(), accountRows(), promptRows(), operatorRows()))
}

// boardCommands are the commands that ask for a board on the screen.
var boardCommands = []string{"join", "watch", "review"}

// Code returns the code or id of a command line that asks for a board, "join CODE", "watch CODE" or "review ID", and which of these.
func Code(line string) (name, code string, ok bool) {
	words, err := split(wording.Words{}, line)
	if err != nil || len(words) != 2 || strings.HasPrefix(words[1], "-") {
		return "", "", false
	}
	if slices.ContainsFunc(watchAliases(), func(a tree.Alias) bool { return a.Name == words[0] }) {
		words[0] = "watch"
	}
	if !slices.Contains(boardCommands, words[0]) {
		return "", "", false
	}
	return words[0], words[1], true
}

// Run runs one command line and returns its exit status. It ends soon after ctx does. Any line is safe.
func (r *Runner) Run(ctx context.Context, who Caller, line string, out, complaints io.Writer) int {
	language := sync.OnceValues(func() (wording.Words, *signedIn) { return r.language(context.WithoutCancel(ctx), who) })
	status, done := r.perform(ctx, who, nil, language, line, out, complaints)
	if !done {
		say, _ := language()
		fmt.Fprintln(complaints, r.goodbye(ctx, say).words) // or the caller is gone, and hears nothing
	}
	return status
}

// perform is Run without the message for a command that ended because its context did: done is false then, and status is Refused. perform
// calls language, which may return the caller's account too, as soon as the command may begin. visit is the visit of the line mode, or nil.
func (r *Runner) perform(ctx context.Context, who Caller, visit *boardVisit, language func() (wording.Words, *signedIn), typed string, out, complaints io.Writer) (status int, done bool) {
	ctx = kv.WithWaits(ctx)
	c := &call{runner: r, caller: who, ctx: ctx, out: out, stderr: complaints, visit: visit}
	defer func() { c.disconnect() }()
	end, err := r.gate.Begin(ctx, who.origin())
	var line tree.Line[run]
	scripted := wantsJSON(typed) // as long as the line isn't read
	if err == nil {
		defer end()
		c.say, c.known = language()
		if line, err = c.parse(typed); err == nil {
			scripted = c.asJSON
		}
	}
	if err == nil {
		if err = c.pass(line); err != nil && !errors.Is(err, gate.ErrGone) {
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
		keepLessons(c)
		complain()
		return Done, true
	case ctx.Err() != nil:
		if visit == nil {
			say, _ := language()
			bye := r.goodbye(ctx, say)
			refuse(bye.code, bye.words)
		}
		return Refused, false
	case errors.Is(err, gate.ErrGone):
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
	cost := d.Cost
	if line.Follows {
		defer c.limitIdle()()
	}
	answer, err := line.Run(c)
	if err == nil {
		err = c.print(answer, cost, line.Follows)
	}
	if err != nil && errors.Is(context.Cause(c.ctx), gate.ErrIdle) {
		return refusal{codeClosed, c.say.T("Nothing has happened here for a long time, so the club ended this. Come back soon.")}
	}
	return err
}

func (c *call) usageLine(d *row, wrong usageError) string {
	if d == nil {
		return wrong.words
	}
	return c.say.T("%s Usage: %s", wrong.words, cmp.Or(wrong.usage, d.Line()))
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
	if c.visit != nil {
		if d := tree.Find(commands, words[0]); d != nil {
			words = append(words[:1:1], withCode(c, d, words[1:])...)
		} else {
			return tree.Line[run]{}, usageError{words: unknown(c, commands, words[0])}
		}
	}
	line, err := tree.Parse(c.say.Say, commands, words)
	if wrong, ok := errors.AsType[*tree.UsageError](err); ok {
		return line, usage(wrong)
	}
	c.words, c.asJSON = line.Words, line.JSON
	return line, err
}

// withCode returns the words after the name of a command of the line mode, with the code of the current match where the command takes one and none
// is given.
func withCode(c *call, d *row, words []string) []string {
	code := c.caller.current.Code()
	if code == prompt.Here && d.Group != questions && d.Name != "move" && d.Name != "hint" { // there is no match
		return words
	}
	if code == "" || len(d.Args) == 0 || d.Args[0].Name != codeArg().Name && d.Args[0].Name != matchArg().Name {
		return words
	}
	at := d.FirstWord(words)
	switch {
	case at >= 0 && (tree.Find(d.Sub, words[at]) != nil || c.caller.current.IsCode(words[at])):
		return words
	case at < 0:
		at = len(words)
	}
	return slices.Insert(slices.Clone(words), at, code)
}

// unknown says that a word of the line mode is no command, and which are like it.
func unknown(c *call, commands []*row, word string) string {
	none := c.say.T("%s is no command and no move here.", tree.Quoted(word))
	if near := tree.Near(commands, word, "quit"); len(near) > 0 {
		return c.say.T("%s Did you mean %s?", none, strings.Join(near, ", "))
	}
	if c.caller.current.Code() == "" && readsAsMove(c, word) {
		return c.say.T("%s You are at no board: play GAME begins a match.", none)
	}
	return c.say.T("%s help says what there is.", none)
}

// readsAsMove reports whether a word could be a move of some game.
func readsAsMove(c *call, word string) bool {
	return slices.ContainsFunc(c.lobby().Games(), func(g games.Game) bool {
		o, err := games.Complete(g, nil)
		if err != nil {
			return false
		}
		p, err := g.New(o)
		if err == nil {
			_, err = p.Read(word)
		}
		return err == nil
	})
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
	if code := c.caller.current.Code(); code != "" && !c.caller.current.IsCode(rest) {
		words = append(words, code)
	} else if code, text, ok := strings.Cut(rest, " "); ok {
		words, rest = append(words, code), strings.TrimSpace(text)
	}
	if rest != "" {
		words = append(words, rest)
	}
	return words, nil
}

//go:generate go run ./gendocs ../../docs

// Docs returns the pages about all commands by the names of their files, as they stand in docs.
func Docs() map[string]string {
	all := table()
	return map[string]string{"commands.md": tree.Markdown(all), "ludoteca-commands.7": tree.Man(all)}
}

// OperatorCommand returns operator and its verbs as a command of the program. run gets the words that follow operator.
func OperatorCommand(run func(cmd *cobra.Command, words []string) error) *cobra.Command {
	return tree.Find(table(), "operator").Cobra(run)
}

// Operate runs operator VERB for an operator on the machine itself, without a key, and returns the exit status.
func (r *Runner) Operate(ctx context.Context, words []string, out, complaints io.Writer) int {
	all := append([]string{"operator"}, words...)
	return r.Run(ctx, Caller{Operator: true, ConnectionID: ControlSocket, words: all}, strings.Join(all, " "), out, complaints)
}
