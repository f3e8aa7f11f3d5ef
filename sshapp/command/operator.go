package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	operatorstore "ludoteca/storage/operators"
)

// operatorRows are the commands of operators.
func operatorRows() []*row {
	return group(text.T("Operators"),
		&row{Name: "operator", Example: "operator close ana --reason 'swears at people'", Answer: helpJSON{}, Summary: text.T("what operators do; without a verb it lists them"), Who: tree.Operators,
			Split: splitOperator, Run: plain(listVerbs), Sub: verbs()},
		&row{Name: "status", Answer: status.Status{}, Summary: text.T("how busy the club is"), Who: tree.Operators, Run: plain(showStatus)},
	)
}

// verbs returns the rows of operator. Those that change something want --reason, and are kept in the audit log.
func verbs() []*row {
	return slices.Concat(
		group(text.T("Reports and the audit log"),
			&row{Name: "reports", Example: "operator reports --done 3 --reason 'talked to them'", Answer: reportJSON{}, Summary: text.T("what players report; --done marks one report as dealt with, --done-by all that one player made"), Run: reports},
			&row{Name: "audit", Example: "operator audit --limit 5", Answer: entryJSON{}, Summary: text.T("what operators have done, newest first"), Run: audit},
			&row{Name: "undo", Example: "operator undo 3 --reason 'wrong player'", Answer: entryJSON{}, Summary: text.T("take an act back, by its number in the audit log"), Args: []tree.Arg{{Name: "NUMBER", Help: text.T("the number of the act, as audit prints it")}}, Run: acts(undo)},
		),
		group(text.T("Accounts"),
			&row{Name: "player", Answer: fileJSON{}, Summary: text.T("all that the club knows of a player"), Args: []tree.Arg{nameArg()}, Run: plain(operates(file))},
			&row{Name: "mute", Example: "operator mute ana --for 7d --reason 'writes to everybody'", Answer: entryJSON{}, Summary: text.T("keep a player from writing; --for 0s ends that"), Args: []tree.Arg{nameArg()}, Run: mute},
			&row{Name: "close", Example: "operator close ana --reason 'swears at people'", Answer: entryJSON{}, Summary: text.T("close an account, end its sessions and its matches"), Args: []tree.Arg{nameArg()},
				Run: acts(func(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
					e, err := o.Close(c.ctx, c.words[0], reason)
					return acted(c, e, err)
				})},
			&row{Name: "reopen", Example: "operator reopen ana --reason 'a week is enough'", Answer: entryJSON{}, Summary: text.T("open a closed account again"), Args: []tree.Arg{nameArg()},
				Run: acts(func(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
					e, err := o.Reopen(c.ctx, c.words[0], reason)
					return acted(c, e, err)
				})},
			&row{Name: "rename", Example: "operator rename ana Eva --reason 'asked for it'", Answer: entryJSON{}, Summary: text.T("give a player another name; the old one is kept for them for 90 days"),
				Args: []tree.Arg{nameArg(), {Name: "NEW", Help: text.T("the name that they get")}},
				Run: acts(func(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
					e, err := o.Rename(c.ctx, c.words[0], c.words[1], reason)
					return acted(c, e, err)
				})},
			&row{Name: "merge", Example: "operator merge ana eva --reason 'one player'", Answer: entryJSON{}, Summary: text.T("give the keys of an account to another one, and close it"),
				Args: []tree.Arg{nameArg(), {Name: "INTO", Help: text.T("the name of the account that gets the keys")}},
				Run: acts(func(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
					e, err := o.Merge(c.ctx, c.words[0], c.words[1], reason)
					return acted(c, e, err)
				})},
		),
		group(text.T("Bans"),
			&row{Name: "bans", Answer: banJSON{}, Summary: text.T("the bans that hold now"), Run: plain(operates(bans))},
			&row{Name: "ban", Example: "operator ban 192.0.2.0/24 --for 7d --reason spam", Answer: entryJSON{}, Summary: text.T("keep a key or addresses out, for good unless --for is given"), Args: []tree.Arg{subjectArg()}, Run: ban},
			&row{Name: "unban", Example: "operator unban 192.0.2.0/24 --reason over", Answer: entryJSON{}, Summary: text.T("lift a ban"), Args: []tree.Arg{subjectArg()},
				Run: acts(func(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
					e, err := o.Unban(c.ctx, c.words[0], reason)
					return acted(c, e, err)
				})},
		),
		group(text.T("Matches and ratings"),
			&row{Name: "end", Example: "operator end K7QM2X --result draw --reason agreed", Answer: entryJSON{}, Summary: text.T("end a running match, without --result as void"),
				Args: []tree.Arg{{Name: "CODE|ID", Asks: text.T("Which match?"), Help: text.T("the code or the id of the match")}}, Run: end},
			&row{Name: "unrate", Example: "operator unrate --player ana --reason cheats", Answer: entryJSON{}, Summary: text.T("take a result out of the ratings, or all of a player, or of two"), Usage: "(ID | --player NAME | --between A B) --reason TEXT",
				Args: []tree.Arg{{Name: "ID|B", Optional: true, Help: text.T("the id of the match, or B after --between A")}}, Run: unrate},
			&row{Name: "recompute", Example: "operator recompute --reason 'to be sure'", Answer: recomputedJSON{}, Summary: text.T("work out all ratings anew"), Run: acts(recompute)},
		),
		group(text.T("Signatures"),
			&row{Name: "signers", Answer: signerJSON{}, Summary: text.T("the keys with which the club signs records, or has signed them"), Run: plain(operates(signers))},
			&row{Name: "distrust", Example: "operator distrust SHA256:zXpEkD2UEbA5sDo4fkI0oSh2AqHFLBB/s1Uhqp3iURo --reason stolen", Answer: entryJSON{}, Summary: text.T("take a key off the list by which signatures of records are checked"),
				Args: []tree.Arg{{Name: "KEY", Help: text.T("the fingerprint of the key, as signers prints it")}},
				Run: acts(func(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
					e, err := o.Distrust(c.ctx, c.words[0], reason)
					return acted(c, e, err)
				})},
		),
		group(text.T("The club"),
			&row{Name: "status", Answer: status.Status{}, Summary: text.T("how busy the club is"), Run: plain(showStatus)},
			&row{Name: "announce", Example: "operator announce 'Tea at five' --reason tea", Answer: entryJSON{}, Summary: text.T("a line for everybody, shown for a day; without TEXT it is taken away"),
				Args: []tree.Arg{{Name: "TEXT", Optional: true, Words: tree.Many, Help: text.T("the line, of at most 500 letters")}}, Run: acts(announce)},
			&row{Name: "lounge", Example: "operator lounge close --reason loud", Answer: entryJSON{}, Summary: text.T("close the lounge, which removes its lines, or open it"),
				Args: []tree.Arg{{Name: "close|open", Help: text.T("what becomes of it")}}, Run: acts(closeLounge)},
			&row{Name: "limits", Example: "operator limits max-sessions=500 --reason storm", Answer: Limit{}, Summary: text.T("the limits; NAME=VALUE changes one until the next start"), Usage: "[NAME=VALUE --reason TEXT]",
				Args: []tree.Arg{{Name: "NAME=VALUE", Optional: true, Help: text.T("a limit and its new value")}}, Run: acts(limits)},
			&row{Name: "help", Answer: helpJSON{}, Summary: text.T("what operators can do"), Run: plain(listVerbs)},
		),
	)
}

// subjectArg is what a ban keeps out.
func subjectArg() tree.Arg {
	return tree.Arg{Name: "KEY|ADDRESS|BLOCK", Help: text.T("the fingerprint of a key, an address, or a block of addresses such as 192.0.2.0/24")}
}

// reasonFlag declares the flag that every act needs. needed reports whether the verb does nothing but acts.
func reasonFlag(f *tree.Flags, needed bool) *string {
	return f.Text("reason", "TEXT", needed, text.T("why: the audit log keeps it with the act"))
}

// lastsFlag declares the flag with the time that a ban or a mute lasts.
func lastsFlag(f *tree.Flags) *string {
	return f.String("for", "7d", "", text.T("how long it lasts, such as 7d or 12h; for good without it"))
}

// acts is the Run of a verb that changes something and has no flag but the reason.
func acts(do func(c *call, o *lobby.Operator, reason string) (reply.Reply, error)) func(*tree.Flags) run {
	return func(f *tree.Flags) run {
		reason := reasonFlag(f, true)
		return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) { return do(c, o, *reason) })
	}
}

// operates runs a verb for the operator who calls it.
func operates(do func(*call, *lobby.Operator) (reply.Reply, error)) run {
	return func(c *call) (reply.Reply, error) {
		by := c.caller.Fingerprint
		if by == "" {
			by = ControlSocket
		}
		answer, err := do(c, c.lobby().Operators.As(by, c.sessions()))
		switch {
		case errors.Is(err, lobby.ErrReason):
			return nil, usageError{words: c.say.T("Say why with --reason TEXT, of at most 500 letters.")}
		case errors.Is(err, lobby.ErrNoSuchMatch):
			return nil, refusal{codeNotFound, c.say.T("There is no match with this code or id.")}
		}
		return answer, err
	}
}

// ControlSocket is the audit log's name for operators on the machine itself.
const ControlSocket = "control socket"

// listVerbs prints what operators can do.
func listVerbs(c *call) (reply.Reply, error) {
	rows := paragraph(c.say.T("Acts need --reason TEXT, which the audit log keeps. All verbs take --json."))
	heading := ""
	for _, v := range tree.Find(c.runner.table, "operator").Sub {
		if v.Group != heading {
			heading = v.Group
			rows = append(rows, reply.ForPeople(""), reply.ForPeople(c.say.T(heading)))
		}
		usage := strings.TrimSpace(v.Name + " " + v.After())
		rows = append(rows, reply.Of(tree.Below(usage, c.say.T(v.Summary)), helpJSON{v.Name, "operator " + usage, v.Summary}))
	}
	return reply.One(rows...), nil
}

type entryJSON struct {
	Number   uint64  `json:"number" help:"the number of the entry in the audit log"`
	At       *string `json:"at" help:"when it was done"`
	By       string  `json:"by" help:"the fingerprint of the operator's key, or control socket"`
	Verb     string  `json:"verb" help:"what was done, such as close"`
	Subject  string  `json:"subject" help:"to whom or what: a name, a key, addresses, a match or a limit"`
	Reason   string  `json:"reason" help:"why, as the operator said"`
	Until    *string `json:"until" help:"when the mute or the ban ends by itself; null: never, or it is another act"`
	Ended    *string `json:"ended" help:"when the act ceased to hold; null: it holds"`
	CanUndo  bool    `json:"can_undo" help:"whether undo takes it back"`
	Undoes   uint64  `json:"undoes" help:"the number of the entry that it undoes; 0: none"`
	UndoneBy uint64  `json:"undone_by" help:"the number of the entry that has undone it; 0: none"`
}

// entryRows are entries of the audit log.
func entryRows(say wording.Words, all ...operatorstore.AuditEntry) []reply.Row {
	var rows []reply.Row
	ends := lobby.AuditEnds(all, time.Now())
	for i, e := range all {
		rows = append(rows, reply.Made(func() string { return entryWords(say, e, ends[i]) }, func() any { return entryOf(e, ends[i]) }))
	}
	return rows
}

func entryOf(e operatorstore.AuditEntry, ended time.Time) entryJSON {
	until := e.Until
	if !until.Before(lobby.Forever) {
		until = time.Time{}
	}
	canUndo := e.Undo != nil && e.UndoneBy == 0
	return entryJSON{e.Number, jsonTime(e.At), e.By, e.Verb, e.Subject, e.Reason, jsonTime(until), jsonTime(ended), canUndo, e.Undoes, e.UndoneBy}
}

func entryWords(say wording.Words, e operatorstore.AuditEntry, ended time.Time) string {
	act := strings.TrimSpace(e.Verb + " " + text.Clean(e.Subject))
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", e.Number, day(say, e.At), act, text.Clean(e.Reason), say.AuditNote(e, ended), e.By)
}

// acted answers with the entry of an act.
func acted(c *call, e operatorstore.AuditEntry, err error) (reply.Reply, error) {
	if err != nil {
		return nil, err
	}
	return reply.Table(entryRows(c.say, e)...), nil
}

// unrate takes one result out, or all of a player or of two.
func unrate(f *tree.Flags) run {
	player := f.String("player", "NAME", "", text.T("take out all rated matches of this player"))
	between := f.String("between", "A", "", text.T("take out all rated matches of this player and another one, whose name follows"))
	reason := reasonFlag(f, true)
	return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) {
		var entries []operatorstore.AuditEntry
		var err error
		switch words := c.words; {
		case *player == "" && *between == "" && len(words) == 1:
			e, err := o.Unrate(c.ctx, words[0], *reason)
			return acted(c, e, err)
		case *player != "" && *between == "" && len(words) == 0:
			entries, err = o.UnrateAll(c.ctx, *player, "", *reason)
		case *player == "" && *between != "" && len(words) == 1:
			entries, err = o.UnrateAll(c.ctx, *between, words[0], *reason)
		default:
			return nil, usageError{words: c.say.T("unrate takes the ID of a match, or --player NAME, or --between A B.")}
		}
		if len(entries) == 0 {
			return nil, err
		}
		return func(yield func(reply.Part, error) bool) { // what is done is printed, also if the rest failed
			if yield(reply.Part{Rows: entryRows(c.say, entries...), Table: true}, nil) && err != nil {
				yield(reply.Part{}, err)
			}
		}, nil
	})
}

func audit(f *tree.Flags) run {
	limit := f.Int("limit", "N", 20, text.T("how many entries at most, up to 1000"))
	return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) {
		if *limit < 1 || *limit > 1000 {
			return nil, usageError{words: c.say.T("--limit takes a number from 1 to 1000.")}
		}
		all, err := o.Audit(c.ctx, 0, *limit)
		if err != nil {
			return nil, err
		}
		rows := entryRows(c.say, all...)
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("No operator has done anything yet.")))
		}
		return reply.Table(rows...), nil
	})
}

type reportJSON struct {
	Number  uint64  `json:"number" help:"the number of the report, for --done"`
	At      *string `json:"at" help:"when it was made"`
	By      string  `json:"by" help:"the name of the player who made it"`
	About   string  `json:"about" help:"the name of the reported player"`
	AboutID string  `json:"about_id" help:"the id of the reported player, which stays when the name changes"`
	Match   string  `json:"match" help:"the id of the match that it is about; \"\": none"`
	Reason  string  `json:"reason" help:"what the player said who made it"`
	Handled *string `json:"handled" help:"when an operator dealt with it; null: it is open"`
	Entry   uint64  `json:"entry" help:"the number of that act in the audit log; 0: it is open"`

	Chat []writtenJSON `json:"chat" help:"the last lines of the match, as the player who made it has seen them"`
}

type writtenJSON struct {
	At   *string `json:"at" help:"when the line was written"`
	By   string  `json:"by" help:"the name of the writer"`
	Text string  `json:"text" help:"the line"`
}

// writtenOf returns the lines of a chat that a report keeps.
func writtenOf(say wording.Words, r operatorstore.Report) []writtenJSON {
	lines := []writtenJSON{}
	for _, l := range r.Chat {
		words := say.Talk().Text(chat.Line{Text: l.Text, Greeting: l.Greeting})
		lines = append(lines, writtenJSON{jsonTime(l.At), say.Name(l.By), words})
	}
	return lines
}

func reports(f *tree.Flags) run {
	all := f.Bool("all", text.T("show also the reports that are dealt with"))
	done := f.Uint64("done", "NUMBER", text.T("mark this report as dealt with; needs --reason"))
	doneBy := f.String("done-by", "NAME", "", text.T("mark all open reports that this player has made as dealt with; needs --reason"))
	reason := reasonFlag(f, false)
	return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) {
		switch {
		case *done != 0:
			e, err := o.Handle(c.ctx, *done, *reason)
			return acted(c, e, err)
		case *doneBy != "":
			e, err := o.HandleBy(c.ctx, *doneBy, *reason)
			return acted(c, e, err)
		}
		kept, err := o.Reports(c.ctx, *all)
		if err != nil {
			return nil, err
		}
		rows := reportRows(c.say, kept)
		if len(rows) == 0 {
			rows = append(rows, reply.ForPeople(c.say.T("No open reports.")))
		}
		return reply.Table(rows...), nil
	})
}

func reportRows(say wording.Words, all []operatorstore.Report) (rows []reply.Row) {
	for _, r := range all {
		rows = append(rows, reply.Made(func() string { return reportWords(say, r) }, func() any { return reportOf(say, r) }))
		for _, l := range r.Chat { // a cell of its own would widen the first column
			line := say.Name(l.By) + ": " + say.Talk().Text(chat.Line{Text: l.Text, Greeting: l.Greeting})
			rows = append(rows, reply.ForPeople("    "+line))
		}
	}
	return rows
}

func reportOf(say wording.Words, r operatorstore.Report) reportJSON {
	return reportJSON{r.Number, jsonTime(r.At), r.ByName, r.AboutName, string(r.About), string(r.Match), r.Reason, jsonTime(r.HandledAt), r.Handled, writtenOf(say, r)}
}

func reportWords(say wording.Words, r operatorstore.Report) string {
	// Translators: a report that no operator has dealt with yet.
	note := say.T("open")
	if r.Handled != 0 {
		note = say.T("done %s", day(say, r.HandledAt))
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", r.Number, day(say, r.At), say.T("%s about %s", r.ByName, r.AboutName), r.Match, text.Clean(r.Reason), note)
}

type visitJSON struct {
	From string  `json:"from" help:"the fingerprint of the key, the address or the block of addresses"`
	Last *string `json:"last" help:"when it was seen last; null: unknown"`
}

type fileJSON struct {
	Name       string       `json:"name" help:"the name of the player"`
	Kind       string       `json:"kind" help:"player, or engine for a computer account"`
	Owner      string       `json:"owner" help:"of a computer account: the name of its owner; \"\": none"`
	Engines    []string     `json:"engines" help:"the names of the computer accounts that the player owns"`
	Since      *string      `json:"since" help:"when the account was made"`
	Online     bool         `json:"online" help:"whether the player is here now"`
	Closed     bool         `json:"closed" help:"whether the account is closed"`
	MergedInto string       `json:"merged_into" help:"the name of the account that has its keys now; \"\": none"`
	MutedUntil *string      `json:"muted_until" help:"until when the player is, or was, muted; null: never"`
	Former     []string     `json:"former_names" help:"the names that the player had before"`
	Keys       []visitJSON  `json:"keys" help:"the keys of the account"`
	Blocks     []visitJSON  `json:"blocks" help:"the blocks of addresses that the player came from in the last 30 days"`
	Addresses  []visitJSON  `json:"addresses" help:"the addresses of the last day, without those that limits spare"`
	Unfinished []string     `json:"unfinished" help:"the ids of the unfinished matches"`
	Finished   []string     `json:"finished" help:"the ids of the newest finished matches"`
	Reports    []reportJSON `json:"reports" help:"the reports about the player"`
	Games      []gameRating `json:"games" help:"the ratings of the player, one for each game"`
}

func file(c *call, o *lobby.Operator) (reply.Reply, error) {
	f, err := o.Dossier(c.ctx, c.words[0])
	if err != nil {
		return nil, err
	}
	words := func() string { return strings.TrimSuffix(reply.Align(fileRows(c, f)), "\n") }
	return reply.One(reply.Made(words, func() any { return fileOf(c.say, f) })), nil
}

func fileOf(say wording.Words, f lobby.Dossier) fileJSON {
	j := fileJSON{
		Name: f.Name, Kind: string(f.Kind), Owner: f.Owner, Engines: append([]string{}, f.Engines...), Since: jsonTime(f.Since), Online: f.Online, Closed: f.Restriction.Closed, MergedInto: f.Into,
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
		j.Reports = append(j.Reports, reportOf(say, r))
	}
	for _, s := range f.Games {
		j.Games = append(j.Games, gameRating{s.Game, standing(s)})
	}
	return j
}

// fileRows describes what the club knows of a player, as rows of a table.
func fileRows(c *call, f lobby.Dossier) []string {
	say := c.say
	rows := []string{f.Name + "\t" + say.T("since %s", day(say, f.Since))}
	add := func(cells ...string) { rows = append(rows, strings.Join(cells, "\t")) }
	if f.Online {
		add(say.T("here"), say.T("now"))
	}
	rows = append(rows, engineWords(say, f.Profile)...)
	switch {
	case f.Into != "":
		// Translators: "into %s" is the account that took this one in.
		add(say.T("merged"), say.T("into %s", f.Into))
	case f.Restriction.Closed:
		add(say.T("closed"))
	}
	if time.Now().Before(f.Restriction.Muted) {
		add(say.T("muted"), say.T("until %s", day(say, f.Restriction.Muted)))
	}
	for _, n := range f.Former {
		// Translators: a name that the player had before.
		add(say.T("formerly"), n)
	}
	for _, v := range f.Keys {
		// Translators: "key" is a key of SSH.
		add(say.T("key"), v.From, say.T("last %s", day(say, v.Last)))
	}
	for _, a := range f.Addresses {
		// Translators: "last %s" is the day of the last visit.
		add(say.T("address"), a.Addr.String(), say.T("last %s", day(say, a.Last)))
	}
	for _, v := range f.Blocks {
		// Translators: "from" is the block of addresses from which the player came.
		add(say.T("from"), v.From, say.T("last %s", day(say, v.Last)))
	}
	for _, s := range f.Games {
		add(s.Game, standing(s).cells(say))
	}
	for _, m := range f.Unfinished {
		add(say.T("unfinished"), string(m.ID)+" "+m.Game)
	}
	for _, m := range f.Finished {
		add(say.T("finished"), string(m.ID)+" "+m.Game, day(say, m.Ended), m.First.Name+" - "+m.Second.Name, token(m.Result), reason(c, m))
	}
	for _, r := range f.Reports {
		// Translators: "%d by %s" is the number of a report and who wrote it.
		add(say.T("reported"), say.T("%d by %s", r.Number, r.ByName), day(say, r.At), text.Clean(r.Reason))
	}
	return rows
}

func visitsJSON(all []accounts.Visit) []visitJSON {
	list := []visitJSON{}
	for _, v := range all {
		list = append(list, visitJSON{v.From, jsonTime(v.Last)})
	}
	return list
}

// A banJSON is a ban that holds.
type banJSON struct {
	Subject string  `json:"subject" help:"what is kept out: the fingerprint of a key, an address or a block of addresses"`
	At      *string `json:"at" help:"when it was banned"`
	Until   *string `json:"until" help:"when the ban ends; null: never"`
	Reason  string  `json:"reason" help:"why, as the operator said"`
	Entry   uint64  `json:"entry" help:"the number of the ban in the audit log"`
}

func bans(c *call, o *lobby.Operator) (reply.Reply, error) {
	var rows []reply.Row
	for _, b := range o.Bans() {
		until := c.say.T("for good")
		if !b.Until.IsZero() {
			until = c.say.T("until %s", day(c.say, b.Until))
		}
		rows = append(rows, reply.Of(fmt.Sprintf("%s\t%s\t%s", b.Subject, until, text.Clean(b.Reason)),
			banJSON{b.Subject, jsonTime(b.At), jsonTime(b.Until), b.Reason, b.Entry}))
	}
	if len(rows) == 0 {
		rows = append(rows, reply.ForPeople(c.say.T("Nobody is banned.")))
	}
	return reply.Table(rows...), nil
}

// A signerJSON is a key with which the club signs records, or has signed them.
type signerJSON struct {
	Key        string  `json:"key" help:"the fingerprint of the key"`
	Since      *string `json:"since" help:"when the club first started with it"`
	Distrusted *string `json:"distrusted" help:"since when its signatures don't count; null: they do"`
	Entry      uint64  `json:"entry" help:"the number of that act in the audit log; 0: it is trusted"`
}

func signers(c *call, o *lobby.Operator) (reply.Reply, error) {
	all, err := o.Signers(c.ctx)
	if err != nil {
		return nil, err
	}
	var rows []reply.Row
	for _, s := range all {
		state := c.say.T("trusted")
		if !s.Trusted() {
			state = c.say.T("distrusted since %s", day(c.say, s.Distrusted))
		}
		rows = append(rows, reply.Of(fmt.Sprintf("%s\t%s\t%s", s.Fingerprint, c.say.T("since %s", day(c.say, s.Since)), state),
			signerJSON{s.Fingerprint, jsonTime(s.Since), jsonTime(s.Distrusted), s.Entry}))
	}
	if len(rows) == 0 {
		rows = append(rows, reply.ForPeople(c.say.T("This club has signed no records.")))
	}
	return reply.Table(rows...), nil
}

// until is the end of a time as --for has it; without one it is forGood.
func until(c *call, lasts string, forGood time.Time) (time.Time, error) {
	if lasts == "" {
		return forGood, nil
	}
	d, err := time.ParseDuration(lasts)
	if days, isDays := strings.CutSuffix(lasts, "d"); isDays {
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

func mute(f *tree.Flags) run {
	lasts, reason := lastsFlag(f), reasonFlag(f, true)
	return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) {
		end, err := until(c, *lasts, lobby.Forever)
		if err != nil {
			return nil, err
		}
		e, err := o.Mute(c.ctx, c.words[0], end, *reason)
		return acted(c, e, err)
	})
}

func ban(f *tree.Flags) run {
	lasts, reason := lastsFlag(f), reasonFlag(f, true)
	return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) {
		end, err := until(c, *lasts, time.Time{})
		if err != nil {
			return nil, err
		}
		e, err := o.Ban(c.ctx, c.words[0], end, *reason)
		return acted(c, e, err)
	})
}

func end(f *tree.Flags) run {
	result := f.String("result", "first|second|draw|void", "void", text.T("how the match ends: void counts for nothing"))
	reason := reasonFlag(f, true)
	return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) {
		won := *result
		switch won {
		case "void":
			won = ""
		case "first", "second", "draw":
		default:
			return nil, usageError{words: c.say.T("--result takes first, second, draw or void.")}
		}
		e, err := o.End(c.ctx, c.words[0], won, *reason)
		return acted(c, e, err)
	})
}

func announce(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
	entry, err := o.Announce(c.ctx, strings.Join(c.words, " "), reason)
	if errors.Is(err, lobby.ErrSpec) {
		return nil, refusal{codeIllegal, c.say.T("An announcement is one line of at most 500 letters, without control characters.")}
	}
	return acted(c, entry, err)
}

func closeLounge(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
	if c.words[0] != "close" && c.words[0] != "open" {
		return nil, usageError{words: c.say.T("%s is neither close nor open.", tree.Quoted(c.words[0]))}
	}
	entry, err := o.Lounge(c.ctx, c.words[0] == "close", reason)
	return acted(c, entry, err)
}

// A recomputedJSON is what a new calculation of the ratings has found.
type recomputedJSON struct {
	Results  int `json:"results" help:"how many results were read"`
	Ratings  int `json:"ratings" help:"how many ratings follow from them"`
	Matches  int `json:"matches" help:"how many matches kept other changes of ratings, and were put right"`
	Differed int `json:"differed" help:"how many ratings were wrong, and were put right"`
	Openings int `json:"openings" help:"how many lines of openings were counted wrong, and were put right"`
}

func recompute(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
	report, err := o.Recompute(c.ctx, reason)
	if err != nil {
		return nil, err
	}
	say := c.say
	ratings := func(n int) string { return say.N(n, "%d rating", "%d ratings") }
	read := say.N(report.Results, "%d result", "%d results") + ", " + ratings(report.Ratings)
	lines := say.N(report.Openings, "%d line of openings was put right", "%d lines of openings were put right")
	right := len(report.Differed) == 0 && report.Matches == 0 && report.Recent == 0 // the ratings
	words := say.T("%s: %s and the changes of %s were put right", read, ratings(len(report.Differed)), say.N(report.Matches, "%d match", "%d matches"))
	switch {
	case right && report.Openings == 0:
		words = say.T("%s: nothing differed", read)
	case right:
		words = read + ": " + lines
	case report.Openings > 0:
		words += "; " + lines
	}
	return reply.One(reply.Of(words, recomputedJSON{report.Results, report.Ratings, report.Matches, len(report.Differed), report.Openings})), nil
}

func undo(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
	number, err := strconv.ParseUint(c.words[0], 10, 64)
	if err != nil {
		return nil, usageError{words: c.say.T("%s is no number of the audit log.", tree.Quoted(c.words[0]))}
	}
	e, err := o.Undo(c.ctx, number, reason)
	return acted(c, e, err)
}

func showStatus(c *call) (reply.Reply, error) {
	s := c.runner.options.Status()
	return reply.One(reply.Row{
		Words: func() (string, error) {
			var b strings.Builder
			err := s.Print(&b, c.say)
			return strings.TrimSuffix(b.String(), "\n"), err
		},
		Object: func() (any, error) { return s, nil },
	}), nil
}

// limits lists the limits, or changes one.
func limits(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
	all := c.runner.options.Limits
	if all == nil {
		return nil, refusal{codeNotFound, c.say.T("This club has no limits that can be seen.")}
	}
	if len(c.words) == 0 {
		return reply.Table(limitRows(c.say, all.List())...), nil
	}
	name, value, ok := strings.Cut(c.words[0], "=")
	if !ok {
		return nil, usageError{words: c.say.T("A change is NAME=VALUE.")}
	}
	var failed error
	var problem *LimitError
	err := all.Change(name, value, func(was Limit, value string) error {
		_, failed = o.Limit(c.ctx, was.Name+"="+value+" (was "+was.Value+")", reason)
		return failed
	})
	switch {
	case failed != nil:
		return nil, failed
	case errors.As(err, &problem):
		return nil, refusal{codeIllegal, problem.words(c.say)}
	case err != nil:
		return nil, err
	}
	rows := []reply.Row{reply.ForPeople(c.say.T("%s is %s from now on, until the next start of the club.", name, value))}
	for _, l := range all.List() {
		if l.Name == name {
			rows = append(rows, reply.ForScripts(l))
		}
	}
	return reply.One(rows...), nil
}

func limitRows(say wording.Words, all []Limit) []reply.Row {
	rows := []reply.Row{reply.ForPeople(strings.Join([]string{say.T("LIMIT"), say.T("NOW"), say.T("DEFAULT"), say.T("CHANGES HOLD")}, "\t"))}
	for _, l := range all {
		held := ""
		if !l.Running {
			held = say.T("at the next start")
		}
		rows = append(rows, reply.Of(l.Name+"\t"+l.Value+"\t"+l.Default+"\t"+held, l))
	}
	return rows
}
