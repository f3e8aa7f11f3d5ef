package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	operatorstore "ludoteca/storage/operators"
)

// A verb is something that operators do: a row of the table of operator VERB.
type verb struct {
	name    string
	args    string
	summary string   // in English
	flags   []string // that it takes, besides --json
	least   int
	most    int // negative is any number
	run     func(c *call, o *lobby.Operator, words []string) error
}

// usage is how a verb is called.
func (v *verb) usage() string {
	reason := ""
	if slices.Contains(v.flags, "reason") {
		reason = "--reason TEXT"
	}
	return strings.Join(strings.Fields("operator "+v.name+" "+v.args+" "+reason+" [--json]"), " ")
}

// verbs returns all verbs. Those that change something want --reason, and are kept in the audit log.
func verbs() []verb {
	return []verb{
		{name: "help", summary: text.T("what operators can do"), run: listVerbs},
		{name: "status", summary: text.T("how busy the club is"), run: func(c *call, _ *lobby.Operator, _ []string) error { return showStatus(c) }},
		{name: "reports", flags: []string{"all", "done", "done-by", "reason"}, args: "[--all] [--done NUMBER|--done-by NAME]",
			summary: text.T("what players report; --done says that one is dealt with, --done-by all of one player"), run: reports},
		{name: "audit", flags: []string{"limit"}, args: "[--limit N]", summary: text.T("what operators have done, newest first"), run: audit},
		{name: "player", args: "NAME", summary: text.T("all that the club knows of a player"), least: 1, most: 1, run: file},
		{name: "bans", summary: text.T("the bans that hold now"), run: bans},
		{name: "mute", flags: []string{"for", "reason"}, args: "NAME [--for 7d]", summary: text.T("let a player say nothing; --for 0s lets them again"), least: 1, most: 1, run: mute},
		{name: "close", flags: []string{"reason"}, args: "NAME", summary: text.T("close an account, end its sessions and its matches"), least: 1, most: 1,
			run: func(c *call, o *lobby.Operator, w []string) error {
				return c.done(o.Close(c.ctx, w[0], c.flags.reason))
			}},
		{name: "reopen", flags: []string{"reason"}, args: "NAME", summary: text.T("open a closed account again"), least: 1, most: 1,
			run: func(c *call, o *lobby.Operator, w []string) error {
				return c.done(o.Reopen(c.ctx, w[0], c.flags.reason))
			}},
		{name: "rename", flags: []string{"reason"}, args: "NAME NEW", summary: text.T("give a player another name; the old one is kept for them for 90 days"), least: 2, most: 2,
			run: func(c *call, o *lobby.Operator, w []string) error {
				return c.done(o.Rename(c.ctx, w[0], w[1], c.flags.reason))
			}},
		{name: "merge", flags: []string{"reason"}, args: "NAME INTO", summary: text.T("give the keys of an account to another one, and close it"), least: 2, most: 2,
			run: func(c *call, o *lobby.Operator, w []string) error {
				return c.done(o.Merge(c.ctx, w[0], w[1], c.flags.reason))
			}},
		{name: "ban", flags: []string{"for", "reason"}, args: "KEY|ADDRESS|BLOCK [--for 7d]", summary: text.T("keep a key or addresses out, without --for for good"), least: 1, most: 1, run: ban},
		{name: "unban", flags: []string{"reason"}, args: "KEY|ADDRESS|BLOCK", summary: text.T("lift a ban"), least: 1, most: 1,
			run: func(c *call, o *lobby.Operator, w []string) error {
				return c.done(o.Unban(c.ctx, w[0], c.flags.reason))
			}},
		{name: "end", flags: []string{"result", "reason"}, args: "CODE|ID [--result first|second|draw|void]", summary: text.T("end a running match, without --result as void"), least: 1, most: 1, run: end},
		{name: "unrate", flags: []string{"player", "between", "reason"}, args: "ID | --player NAME | --between A B", summary: text.T("take a result out of the ratings, or all of a player, or of two"), most: 1,
			run: unrate},
		{name: "recompute", flags: []string{"reason"}, summary: text.T("work out all ratings anew"), run: recompute},
		{name: "announce", flags: []string{"reason"}, args: "[TEXT]", summary: text.T("a line for everybody, shown for a day; without TEXT it is taken away"), most: -1,
			run: announce},
		{name: "limits", flags: []string{"reason"}, args: "[NAME=VALUE]", summary: text.T("the limits; NAME=VALUE changes one until the next start"), most: 1, run: limits},
		{name: "undo", flags: []string{"reason"}, args: "NUMBER", summary: text.T("take an act back, by its number in the audit log"), least: 1, most: 1, run: undo},
	}
}

// ControlSocket is the audit log's name for operators on the machine itself.
const ControlSocket = "control socket"

// OperatorFlags declares the flags of operator VERB.
func OperatorFlags(set *pflag.FlagSet) { operatorFlags(&flags{set: set}) }

func operatorFlags(f *flags) {
	f.set.StringVar(&f.reason, "reason", "", "why; every act wants it, and the audit log keeps it")
	f.set.StringVar(&f.lasts, "for", "", "how long a ban or a mute lasts, such as 7d or 12h; for good when empty")
	f.set.StringVar(&f.result, "result", "void", "how a match ends: first, second, draw or void")
	f.set.StringVar(&f.player, "player", "", "whose rated matches unrate takes out")
	f.set.StringVar(&f.between, "between", "", "one of two players whose rated matches with each other unrate takes out; the other one follows")
	f.set.Uint64Var(&f.done, "done", 0, "number of a report that is dealt with")
	f.set.StringVar(&f.doneBy, "done-by", "", "name of a player whose open reports are all dealt with")
	f.set.BoolVar(&f.all, "all", false, "reports that were dealt with too")
	f.set.IntVar(&f.limit, "limit", 20, "how many entries of the audit log, at most 1000")
}

// OperatorUsage returns the usage of operator VERB, a line for each verb.
func OperatorUsage() string {
	var b strings.Builder
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-52s %s\n", strings.TrimSpace(v.name+" "+v.args), v.summary)
	}
	return b.String()
}

// Operate runs operator VERB for an operator on the machine itself, without a key, and returns the exit status.
func (r *Runner) Operate(ctx context.Context, words []string, out, complaints io.Writer) int {
	all := append([]string{"operator"}, words...)
	return r.Run(ctx, Caller{Operator: true, ConnectionID: ControlSocket, words: all}, strings.Join(all, " "), out, complaints)
}

func verbNames() string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return strings.Join(names, " ")
}

// listVerbs says what operators can do.
func listVerbs(c *call, _ *lobby.Operator, _ []string) error {
	rows := []string{c.say.T("What changes something wants --reason TEXT and is kept in the audit log. All take --json.")}
	for _, v := range verbs() {
		usage := strings.TrimSpace("operator " + v.name + " " + v.args)
		if c.flags.json {
			if err := c.json(helpJSON{v.name, usage, v.summary}); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, "  "+usage+"\t"+c.say.T(v.summary))
	}
	if c.flags.json {
		return nil
	}
	return c.table(rows)
}

// operate finds the verb.
func operate(c *call) error {
	if len(c.words) == 0 {
		c.words = []string{"help"}
	}
	name, words := c.words[0], c.words[1:]
	for _, v := range verbs() {
		if v.name != name {
			continue
		}
		if err := c.suits(&v, words); err != nil {
			return err
		}
		by := c.caller.Fingerprint
		if by == "" {
			by = ControlSocket
		}
		sessions := c.runner.options.Sessions
		if sessions == nil {
			sessions = lobby.NoSessions{}
		}
		err := v.run(c, c.lobby().Operators.As(by, sessions), words)
		switch {
		case errors.Is(err, lobby.ErrReason):
			return usageError{c.say.T("Say why with --reason TEXT, of at most 500 letters."), v.usage()}
		case errors.Is(err, lobby.ErrNoSuchMatch):
			return refusal{codeNotFound, c.say.T("There is no match with this code or id.")}
		}
		return err
	}
	return usageError{words: c.say.T("There is no verb %s; the verbs are: %s.", short(name), verbNames())}
}

// suits reports as a usageError what a verb doesn't take of the words and flags that it is given: they would do nothing, or something else than
// the operator means.
func (c *call) suits(v *verb, words []string) error {
	if len(words) < v.least || v.most >= 0 && len(words) > v.most {
		return usageError{c.say.T("%s takes other words.", v.name), v.usage()}
	}
	wrong := ""
	c.flags.set.Visit(func(f *pflag.Flag) {
		if f.Name != "json" && !slices.Contains(v.flags, f.Name) {
			wrong = f.Name
		}
	})
	if wrong != "" {
		return usageError{c.say.T("%s has no flag %s.", v.name, short("--"+wrong)), v.usage()}
	}
	return nil
}

type entryJSON struct {
	Number   uint64  `json:"number"`
	At       *string `json:"at"`
	By       string  `json:"by"`
	Verb     string  `json:"verb"`
	Subject  string  `json:"subject"`
	Reason   string  `json:"reason"`
	Until    *string `json:"until"` // when a mute or a ban ends by itself; null: never, or it is another act
	Ended    *string `json:"ended"` // when it has ended, however; null while it lasts
	CanUndo  bool    `json:"can_undo"`
	Undoes   uint64  `json:"undoes"`    // 0: none
	UndoneBy uint64  `json:"undone_by"` // 0: it stands
}

func (c *call) entries(all ...operatorstore.AuditEntry) error {
	var rows []string
	ends := lobby.AuditEnds(all, time.Now())
	for i, e := range all {
		canUndo := e.Undo != nil && e.UndoneBy == 0
		if c.flags.json {
			until := e.Until
			if !until.Before(lobby.Forever) {
				until = time.Time{}
			}
			err := c.json(entryJSON{e.Number, jsonTime(e.At), e.By, e.Verb, e.Subject, e.Reason, jsonTime(until), jsonTime(ends[i]), canUndo, e.Undoes, e.UndoneBy})
			if err != nil {
				return err
			}
			continue
		}
		note := c.say.AuditNote(e, ends[i])
		act := strings.TrimSpace(e.Verb + " " + text.Clean(e.Subject))
		rows = append(rows, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", e.Number, day(e.At), act, text.Clean(e.Reason), note, e.By))
	}
	return c.table(rows)
}

// done prints the entry of an act.
func (c *call) done(e operatorstore.AuditEntry, err error) error {
	if err != nil {
		return err
	}
	return c.entries(e)
}

// unrate takes one result out, or all of a player or of two.
func unrate(c *call, o *lobby.Operator, words []string) error {
	var entries []operatorstore.AuditEntry
	var err error
	switch player, between := c.flags.player, c.flags.between; {
	case player == "" && between == "" && len(words) == 1:
		return c.done(o.Unrate(c.ctx, words[0], c.flags.reason))
	case player != "" && between == "" && len(words) == 0:
		entries, err = o.UnrateAll(c.ctx, player, "", c.flags.reason)
	case player == "" && between != "" && len(words) == 1:
		entries, err = o.UnrateAll(c.ctx, between, words[0], c.flags.reason)
	default:
		return usageError{words: c.say.T("unrate takes the ID of a match, or --player NAME, or --between A B.")}
	}
	if len(entries) > 0 {
		err = errors.Join(c.entries(entries...), err)
	}
	return err
}

func audit(c *call, o *lobby.Operator, _ []string) error {
	if c.flags.limit < 1 || c.flags.limit > 1000 {
		return usageError{words: c.say.T("--limit takes a number from 1 to 1000.")}
	}
	all, err := o.Audit(c.ctx, 0, c.flags.limit)
	if err != nil {
		return err
	}
	if len(all) == 0 && !c.flags.json {
		return c.printf("%s\n", c.say.T("No operator has done anything yet."))
	}
	return c.entries(all...)
}

type reportJSON struct {
	Number  uint64  `json:"number"`
	At      *string `json:"at"`
	By      string  `json:"by"`
	About   string  `json:"about"`
	AboutID string  `json:"about_id"` // stays the same when the player takes another name or deletes the account
	Match   string  `json:"match"`
	Reason  string  `json:"reason"`
	Handled *string `json:"handled"`
	Entry   uint64  `json:"entry"` // of the audit log, by which it was; 0 while it is open

	Chat []writtenJSON `json:"chat"` // the last lines of the match, as the reporting player has seen them
}

type writtenJSON struct {
	At   *string `json:"at"`
	By   string  `json:"by"`
	Text string  `json:"text"`
}

// written returns the lines of a chat that a report keeps.
func (c *call) written(r operatorstore.Report) []writtenJSON {
	lines := []writtenJSON{}
	for _, l := range r.Chat {
		words := c.say.ChatText(chat.Line{Text: l.Text, Greeting: l.Greeting})
		lines = append(lines, writtenJSON{jsonTime(l.At), c.say.Name(l.By), words})
	}
	return lines
}

func reports(c *call, o *lobby.Operator, _ []string) error {
	if c.flags.done != 0 {
		return c.done(o.Handle(c.ctx, c.flags.done, c.flags.reason))
	}
	if c.flags.doneBy != "" {
		return c.done(o.HandleBy(c.ctx, c.flags.doneBy, c.flags.reason))
	}
	all, err := o.Reports(c.ctx, c.flags.all)
	if err != nil {
		return err
	}
	if len(all) == 0 && !c.flags.json {
		return c.printf("%s\n", c.say.T("No open reports."))
	}
	return c.reports(all)
}

func (c *call) reports(all []operatorstore.Report) error {
	var rows []string
	for _, r := range all {
		if c.flags.json {
			err := c.json(reportJSON{
				r.Number, jsonTime(r.At), r.ByName, r.AboutName, string(r.About), string(r.Match), r.Reason, jsonTime(r.HandledAt), r.Handled,
				c.written(r),
			})
			if err != nil {
				return err
			}
			continue
		}
		note := c.say.T("open")
		if r.Handled != 0 {
			note = c.say.T("done %s", day(r.HandledAt))
		}
		rows = append(rows, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", r.Number, day(r.At), c.say.T("%s about %s", r.ByName, r.AboutName), r.Match, text.Clean(r.Reason), note))
		for _, l := range c.written(r) {
			rows = append(rows, "    "+l.By+": "+l.Text) // a cell of its own would widen the first column
		}
	}
	return c.table(rows)
}

type visitJSON struct {
	From string  `json:"from"`
	Last *string `json:"last"` // null if it is not known
}

type fileJSON struct {
	Name       string       `json:"name"`
	Since      *string      `json:"since"`
	Online     bool         `json:"online"`
	Closed     bool         `json:"closed"`
	MergedInto string       `json:"merged_into"`
	MutedUntil *string      `json:"muted_until"`
	Former     []string     `json:"former_names"`
	Keys       []visitJSON  `json:"keys"`
	Blocks     []visitJSON  `json:"blocks"`    // of addresses, of the last 30 days
	Addresses  []visitJSON  `json:"addresses"` // of the last day, without addresses that limits spare
	Unfinished []string     `json:"unfinished"`
	Finished   []string     `json:"finished"` // ids of the newest
	Reports    []reportJSON `json:"reports"`
	Games      []gameRating `json:"games"`
}

type gameRating struct {
	Game string `json:"game"`
	standingJSON
}

func file(c *call, o *lobby.Operator, words []string) error {
	f, err := o.Dossier(c.ctx, words[0])
	if err != nil {
		return err
	}
	if c.flags.json {
		j := fileJSON{
			Name: f.Name, Since: jsonTime(f.Since), Online: f.Online, Closed: f.Restriction.Closed, MergedInto: f.Into,
			MutedUntil: jsonTime(f.Restriction.Muted), Former: append([]string{}, f.Former...), Keys: visitsJSON(f.Keys), Blocks: visitsJSON(f.Blocks), Addresses: []visitJSON{},
			Unfinished: []string{}, Finished: []string{}, Reports: []reportJSON{}, Games: []gameRating{},
		}
		for _, a := range f.Addresses {
			j.Addresses = append(j.Addresses, visitJSON{a.Addr.String(), jsonTime(a.Last)})
		}
		for _, m := range f.Unfinished {
			j.Unfinished = append(j.Unfinished, string(m.ID))
		}
		for _, m := range f.Finished {
			j.Finished = append(j.Finished, string(m.ID))
		}
		for _, r := range f.Reports {
			j.Reports = append(j.Reports, reportJSON{
				r.Number, jsonTime(r.At), r.ByName, r.AboutName, string(r.About), string(r.Match), r.Reason, jsonTime(r.HandledAt), r.Handled,
				c.written(r),
			})
		}
		for _, s := range f.Games {
			j.Games = append(j.Games, gameRating{s.Game, standing(s)})
		}
		return c.json(j)
	}
	say := c.say
	rows := []string{f.Name + "\t" + say.T("since %s", day(f.Since))}
	add := func(cells ...string) { rows = append(rows, strings.Join(cells, "\t")) }
	if f.Online {
		add(say.T("here"), say.T("now"))
	}
	switch {
	case f.Into != "":
		add(say.T("merged"), say.T("into %s", f.Into))
	case f.Restriction.Closed:
		add(say.T("closed"))
	}
	if time.Now().Before(f.Restriction.Muted) {
		add(say.T("muted"), say.T("until %s", day(f.Restriction.Muted)))
	}
	for _, n := range f.Former {
		add(say.T("formerly"), n)
	}
	for _, v := range f.Keys {
		add(say.T("key"), v.From, say.T("last %s", day(v.Last)))
	}
	for _, a := range f.Addresses {
		add(say.T("address"), a.Addr.String(), say.T("last %s", day(a.Last)))
	}
	for _, v := range f.Blocks {
		add(say.T("from"), v.From, say.T("last %s", day(v.Last)))
	}
	for _, s := range f.Games {
		add(s.Game, standing(s).cells(say))
	}
	for _, m := range f.Unfinished {
		add(say.T("unfinished"), string(m.ID)+" "+m.Game)
	}
	for _, m := range f.Finished {
		add(say.T("finished"), string(m.ID)+" "+m.Game, day(m.Ended), m.First.Name+" - "+m.Second.Name, token(m.Result), c.reason(m))
	}
	for _, r := range f.Reports {
		add(say.T("reported"), say.T("%d by %s", r.Number, r.ByName), day(r.At), text.Clean(r.Reason))
	}
	return c.table(rows)
}

func visitsJSON(all []accounts.Visit) []visitJSON {
	list := []visitJSON{}
	for _, v := range all {
		list = append(list, visitJSON{v.From, jsonTime(v.Last)})
	}
	return list
}

func bans(c *call, o *lobby.Operator, _ []string) error {
	all := o.Bans()
	if len(all) == 0 && !c.flags.json {
		return c.printf("%s\n", c.say.T("Nobody is banned."))
	}
	var rows []string
	for _, b := range all {
		if c.flags.json {
			if err := c.json(struct {
				Subject string  `json:"subject"`
				At      *string `json:"at"`
				Until   *string `json:"until"` // null: for good
				Reason  string  `json:"reason"`
				Entry   uint64  `json:"entry"`
			}{b.Subject, jsonTime(b.At), jsonTime(b.Until), b.Reason, b.Entry}); err != nil {
				return err
			}
			continue
		}
		until := c.say.T("for good")
		if !b.Until.IsZero() {
			until = c.say.T("until %s", day(b.Until))
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s", b.Subject, until, text.Clean(b.Reason)))
	}
	return c.table(rows)
}

// until is the end of --for, and otherwise the time for good.
func (c *call) until(forGood time.Time) (time.Time, error) {
	text := c.flags.lasts
	if text == "" {
		return forGood, nil
	}
	d, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * 24 * time.Hour
	}
	const most = 100 * 365 * 24 * time.Hour
	if err != nil || d < 0 || d > most {
		return time.Time{}, usageError{words: c.say.T("--for takes a time such as 7d or 12h.")}
	}
	return time.Now().Add(d), nil
}

func mute(c *call, o *lobby.Operator, words []string) error {
	until, err := c.until(lobby.Forever)
	if err != nil {
		return err
	}
	return c.done(o.Mute(c.ctx, words[0], until, c.flags.reason))
}

func ban(c *call, o *lobby.Operator, words []string) error {
	until, err := c.until(time.Time{})
	if err != nil {
		return err
	}
	return c.done(o.Ban(c.ctx, words[0], until, c.flags.reason))
}

func end(c *call, o *lobby.Operator, words []string) error {
	result := c.flags.result
	switch result {
	case "void":
		result = ""
	case "first", "second", "draw":
	default:
		return usageError{words: c.say.T("--result takes first, second, draw or void.")}
	}
	return c.done(o.End(c.ctx, words[0], result, c.flags.reason))
}

func announce(c *call, o *lobby.Operator, words []string) error {
	entry, err := o.Announce(c.ctx, strings.Join(words, " "), c.flags.reason)
	if errors.Is(err, lobby.ErrSpec) {
		return refusal{codeIllegal, c.say.T("An announcement is one line of at most 500 letters, without control characters.")}
	}
	return c.done(entry, err)
}

func recompute(c *call, o *lobby.Operator, _ []string) error {
	report, err := o.Recompute(c.ctx, c.flags.reason)
	if err != nil {
		return err
	}
	if c.flags.json {
		return c.json(struct {
			Results  int `json:"results"`
			Ratings  int `json:"ratings"`
			Matches  int `json:"matches"`
			Differed int `json:"differed"`
		}{report.Results, report.Ratings, report.Matches, len(report.Differed)})
	}
	if len(report.Differed) == 0 && report.Matches == 0 && report.Recent == 0 {
		return c.printf("%s\n", c.say.T("%d results, %d ratings: nothing differed", report.Results, report.Ratings))
	}
	return c.printf("%s\n", c.say.T("%d results, %d ratings: %d ratings and the changes of %d matches were put right",
		report.Results, report.Ratings, len(report.Differed), report.Matches))
}

func undo(c *call, o *lobby.Operator, words []string) error {
	number, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil {
		return usageError{words: c.say.T("%s is no number of the audit log.", short(words[0]))}
	}
	return c.done(o.Undo(c.ctx, number, c.flags.reason))
}

// report tells the operators about a player.
func report(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	var r operatorstore.Report
	switch side, ok := sides[c.flags.side]; {
	case c.flags.side != "" && (!ok || c.flags.match == ""):
		return usageError{words: c.say.T("--side takes first or second, with --match.")}
	case ok:
		r, err = c.lobby().Operators.ReportSide(c.ctx, who, c.caller.Origin, c.flags.match, side, strings.Join(c.words, " "))
	case len(c.words) < 2:
		return usageError{words: c.say.T("Something is missing.")}
	default:
		r, err = c.lobby().Operators.Report(c.ctx, who, c.caller.Origin, c.words[0], c.flags.match, strings.Join(c.words[1:], " "))
	}
	if err != nil {
		return err
	}
	if c.flags.json {
		return c.json(struct {
			About  string `json:"about"`
			Match  string `json:"match"`
			Reason string `json:"reason"`
		}{r.AboutName, string(r.Match), r.Reason})
	}
	return c.printf("%s\n", c.say.T("Thank you. The operator will look at what you say about %s.", r.AboutName))
}

func reportFlags(f *flags) {
	f.set.StringVar(&f.match, "match", "", "")
	f.set.StringVar(&f.side, "side", "", "")
}

// sides are the sides of a match as --side names them.
var sides = map[string]games.Side{"first": games.First, "second": games.Second}
