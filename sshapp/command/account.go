package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/relations"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
)

// accountRows are the commands about the caller's own account.
func accountRows() []*row {
	return group(text.T("Your account"),
		&row{Name: "name", Answer: whoamiJSON{}, Summary: text.T("take a name for a key that has none yet"), Args: []tree.Arg{newNameArg()}, Run: plain(takeName)},
		&row{Name: "whoami", Answer: whoamiJSON{}, Summary: text.T("who you are here"), Run: plain(whoami)},
		nicknameRow(),
		engineRow(),
		notifyRow(),
		vacationRow(),
		zoneRow(),
		&row{Name: "keys", Answer: keyJSON{}, Summary: text.T("your keys: list, add and remove them"), Usage: "[add | claim CODE | remove FINGERPRINT]", Run: plain(listKeys), Sub: []*row{
			{Name: "add", Example: "keys add", Answer: keyCodeJSON{}, Summary: text.T("a code for another key, good for 10 minutes"), Run: plain(addKey)},
			{Name: "claim", Example: "keys claim CODE", Answer: whoamiJSON{}, Summary: text.T("add this key to the account that made the code"), Args: []tree.Arg{
				{Name: "CODE", Words: tree.Many, Help: text.T("the code that keys add has printed")},
			}, Run: plain(claimKey)},
			{Name: "remove", Example: "keys remove SHA256:...", Answer: removedJSON{}, Summary: text.T("remove a key from your account"), Args: []tree.Arg{
				{Name: "FINGERPRINT", Help: text.T("the fingerprint of the key, as keys prints it")},
			}, Run: plain(removeKey)},
		}},
		&row{Name: "recovery", Answer: recoveryJSON{}, Summary: text.T("a new recovery code, for when you lose your keys"), Run: plain(newRecovery)},
		&row{Name: "recover", Example: "recover ana CODE", Answer: whoamiJSON{}, Summary: text.T("add this key to an account, with its recovery code"), Args: []tree.Arg{
			nameArg(), {Name: "CODE", Words: tree.Many, Help: text.T("the recovery code of the account")},
		}, Run: plain(recoverAccount)},
		&row{Name: "rename", Answer: whoamiJSON{}, Summary: text.T("take another name, once in 30 days"), Args: []tree.Arg{newNameArg()}, Run: plain(rename)},
		&row{Name: "export", Answer: exportJSON{}, Summary: text.T("everything that the club keeps about you, as JSON lines"), Cost: tree.Steps, Run: plain(export)},
		&row{Name: "delete", Example: "delete --yes", Answer: deletedJSON{}, Summary: text.T("delete your account"), Run: deleteAccount},
	)
}

// newNameArg is a name that the caller wants to have.
func newNameArg() tree.Arg {
	return tree.Arg{Name: "NAME", Asks: text.T("Which name?"), Help: text.T("the name that you want to have")}
}

type keyJSON struct {
	Fingerprint string  `json:"fingerprint" help:"the fingerprint of the key, as ssh-keygen -l prints it"`
	Added       *string `json:"added" help:"when the key was added; null: unknown"`
	LastUsed    *string `json:"last_used" help:"the day on which the key was used last; null: unknown"`
	This        bool    `json:"this" help:"whether this command came with the key"`
}

func keyOf(c *call, k accounts.Key) keyJSON {
	return keyJSON{k.Fingerprint, jsonTime(k.Added), jsonTime(k.Used), k.Fingerprint == c.caller.Fingerprint}
}

func listKeys(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	a, err := c.lobby().Accounts.Account(c.ctx, who)
	if err != nil {
		return nil, err
	}
	var rows []reply.Row
	for _, k := range a.Keys {
		rows = append(rows, reply.Made(func() string { return keyWords(c, k) }, func() any { return keyOf(c, k) }))
	}
	return reply.Table(rows...), nil
}

func keyWords(c *call, k accounts.Key) string {
	this := ""
	if k.Fingerprint == c.caller.Fingerprint {
		this = c.say.T("this key")
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s", k.Fingerprint, c.say.T("added %s", day(c.say, k.Added)), c.say.T("last used %s", date(c.say, k.Used)), this)
}

// A keyCodeJSON is a code with which another key comes to the account.
type keyCodeJSON struct {
	Code    string  `json:"code" help:"the code, for keys claim with the other key"`
	Expires *string `json:"expires" help:"when the code stops working"`
}

func addKey(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	code, until, err := c.lobby().Keys.OfferKey(c.ctx, who)
	if err != nil {
		return nil, err
	}
	words := code + "\n" + c.say.T("Within 10 minutes, connect once with the other key: %s", c.say.SSH("keys claim "+code))
	return reply.One(reply.Of(words, keyCodeJSON{code, jsonTime(until)})), nil
}

func claimKey(c *call) (reply.Reply, error) {
	code := strings.Join(c.words, "")
	if c.caller.Fingerprint == "" {
		return nil, lobby.ErrNeedsKey
	}
	claim, err := c.lobby().Keys.Claim(c.ctx, c.caller.Fingerprint, c.caller.origin(), code, c.sessions())
	if errors.Is(err, lobby.ErrGuestCode) { // the key has no account yet
		if _, err := c.player(); err != nil {
			return nil, err
		}
		claim, err = c.lobby().Keys.Claim(c.ctx, c.caller.Fingerprint, c.caller.origin(), code, c.sessions())
	}
	if err != nil {
		return nil, err
	}
	words := c.say.T("This key belongs to %s now.", claim.Who.Name)
	if claim.OfGuest {
		words = c.say.GuestMatches(claim.Matches, claim.Who.Name)
	}
	return reply.One(accountRow(c, claim.Who, "", words)), nil
}

type removedJSON struct {
	Removed string `json:"removed" help:"the fingerprint of the key that was removed"`
}

func removeKey(c *call) (reply.Reply, error) {
	fingerprint := c.words[0]
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	if err := c.lobby().Keys.RemoveKey(c.ctx, who, fingerprint, c.sessions()); err != nil {
		return nil, err
	}
	return reply.One(reply.Of(c.say.T("%s is a stranger here from now on.", fingerprint), removedJSON{fingerprint})), nil
}

type recoveryJSON struct {
	Code string `json:"code" help:"the recovery code; older ones no longer work"`
}

func newRecovery(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	code, err := c.lobby().Keys.NewRecovery(c.ctx, who)
	if err != nil {
		return nil, err
	}
	words := c.say.T("Write it down: it is shown only this once, and an older one doesn't work any more. If you lose your keys, say from a new one: recover %s CODE", who.Name)
	return reply.One(reply.Of(code+"\n"+words, recoveryJSON{code})), nil
}

func recoverAccount(c *call) (reply.Reply, error) {
	if c.caller.Fingerprint == "" {
		return nil, lobby.ErrNeedsKey
	}
	who, next, err := c.lobby().Keys.Recover(c.ctx, c.caller.Fingerprint, c.caller.origin(), c.words[0], strings.Join(c.words[1:], ""), c.sessions())
	if err != nil {
		return nil, err
	}
	return reply.One(accountRow(c, who, next, c.say.T("This key belongs to %s now.", who.Name)+"\n"+c.say.RecoveryCode(next))), nil
}

func rename(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	renamed, err := c.lobby().Accounts.ChangeName(c.ctx, who, c.words[0])
	if err != nil {
		return nil, err
	}
	return reply.One(accountRow(c, renamed, "", c.say.T("You are %s from now on. %s leads to you for 90 more days.", renamed.Name, who.Name))), nil
}

type deletedJSON struct {
	Deleted string `json:"deleted" help:"the name of the account that was deleted"`
}

// deleteAccount deletes the caller's account, with --yes alone.
func deleteAccount(f *tree.Flags) run {
	yes := f.Bool("yes", text.T("confirm the deletion: without it nothing is deleted"))
	return func(c *call) (reply.Reply, error) {
		who, err := c.owner()
		if err != nil {
			return nil, err
		}
		if !*yes {
			return nil, refusal{codeUsage, deletionWords(c.say, len(c.lobby().Lists.Yours(who).Matches))}
		}
		if err := c.lobby().Accounts.DeleteAccount(c.ctx, who, c.sessions()); err != nil {
			return nil, err
		}
		return reply.One(reply.Of(c.say.Error(lobby.ErrAccountDeleted), deletedJSON{who.Name})), nil
	}
}

// deletionWords says what the deletion of an account with n unfinished matches would do.
func deletionWords(say wording.Words, n int) string {
	if n == 0 {
		return say.T("Nothing is deleted yet. Your name, your keys and your settings would go, and your matches stay under the name: former player. To do it: delete --yes")
	}
	return say.N(n, "Nothing is deleted yet. Your name, your keys and your settings would go, your unfinished match would end, and finished ones stay under the name: former player. To do it: delete --yes",
		"Nothing is deleted yet. Your name, your keys and your settings would go, %d unfinished matches would end, and finished ones stay under the name: former player. To do it: delete --yes")
}

// exported is how many records one step of an export reads.
const exported = 20

// export prints everything that the club keeps of an account, an object a line, with --json or without.
func export(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	return func(yield func(reply.Part, error) bool) {
		lines, err := exportAccount(c, who)
		if !yield(exportLines(lines), err) || err != nil {
			return
		}
		for before := (results.Cursor{}); ; {
			all, next, err := c.lobby().Results.Records(c.ctx, who, before, exported)
			lines = lines[:0]
			for _, f := range all {
				if err == nil {
					lines, err = exportMatch(c, lines, f)
				}
			}
			part := exportLines(lines)
			part.Last = next == (results.Cursor{})
			if !yield(part, err) || err != nil || part.Last {
				return
			}
			before = next
		}
	}, nil
}

// An exportJSON is what all lines of an export have.
type exportJSON struct {
	Type string `json:"type" help:"what the line is about, which tells its other fields: account, key, address, rating, lesson, practice, puzzles, puzzle, restriction, report, event, following, blocked, tell, standing, notice, chat or match"`
}

// exportLines is a part of an export: people get the objects of scripts.
func exportLines(lines []any) reply.Part {
	var rows []reply.Row
	for _, line := range lines {
		rows = append(rows, reply.Row{
			Words: func() (string, error) {
				b, err := encode(line)
				return strings.TrimSuffix(string(b), "\n"), err
			},
			Object: func() (any, error) { return line, nil },
		})
	}
	return reply.Part{Rows: rows}
}

// exportAccount returns everything in an export except finished matches.
func exportAccount(c *call, who lobby.User) ([]any, error) {
	a, err := c.lobby().Accounts.Account(c.ctx, who)
	if err != nil {
		return nil, err
	}
	p, err := c.lobby().Standings.Profile(c.ctx, who, who.Name)
	if err != nil {
		return nil, err
	}
	lines := []any{struct {
		exportJSON
		Name     string            `json:"name"`
		Since    *string           `json:"since"`
		Former   []string          `json:"former_names"`
		Renamed  *string           `json:"renamed"`
		Recovery *string           `json:"recovery_code_made"`
		Settings accounts.Settings `json:"settings"`
	}{exportJSON{"account"}, a.Name, jsonTime(a.Since), append([]string{}, a.Former...), jsonTime(a.Renamed), jsonTime(a.Recovery), a.Settings}}
	for _, k := range a.Keys {
		lines = append(lines, struct {
			exportJSON
			keyJSON
		}{exportJSON{"key"}, keyOf(c, k)})
	}
	for _, v := range a.Blocks {
		lines = append(lines, struct {
			exportJSON
			visitJSON
		}{exportJSON{"address"}, visitJSON{v.From, jsonTime(v.Last)}})
	}
	for _, s := range p.Games {
		lines = append(lines, struct {
			exportJSON
			gameRating
		}{exportJSON{"rating"}, gameRating{s.Game, standing(s)}})
	}
	learned, err := c.lobby().Learning.Lessons(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, game := range slices.Sorted(maps.Keys(learned)) {
		l := learned[game]
		lines = append(lines, struct {
			exportJSON
			Game   string  `json:"game"`
			Solved int     `json:"solved"`
			Done   bool    `json:"done"`
			At     *string `json:"at"`
		}{exportJSON{"lesson"}, game, l.Solved, l.Done, jsonTime(l.At)})
	}
	practised, err := c.lobby().Practice.Standings(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, p := range practiceOf(practised) {
		lines = append(lines, struct {
			exportJSON
			practiceJSON
			Matches []practisedJSON `json:"matches"`
		}{exportJSON{"practice"}, p, matchesOf(practised[p.Game])})
	}
	solved, err := c.lobby().Puzzles.Standings(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, game := range slices.Sorted(maps.Keys(solved)) {
		lines = append(lines, struct {
			exportJSON
			Game   string  `json:"game"`
			Rating float64 `json:"rating"`
			Tried  int     `json:"tried"`
			Solved int     `json:"solved"`
			Streak int     `json:"streak"`
			Best   int     `json:"best"`
			At     *string `json:"at"`
		}{exportJSON{"puzzles"}, game, solved[game].Rating, solved[game].Tried, solved[game].Solved, solved[game].Streak, solved[game].Best, jsonTime(solved[game].At)})
	}
	tried, err := c.lobby().Puzzles.Tries(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(tried)) {
		lines = append(lines, struct {
			exportJSON
			ID     string  `json:"id"`
			Solved bool    `json:"solved"`
			At     *string `json:"at"`
		}{exportJSON{"puzzle"}, id, tried[id].Solved, jsonTime(tried[id].At)})
	}
	if until := a.Restriction.Muted; time.Now().Before(until) {
		lines = append(lines, struct {
			exportJSON
			MutedUntil *string `json:"muted_until"`
		}{exportJSON{"restriction"}, jsonTime(until)})
	}
	if v := a.Vacation; !v.Since.IsZero() {
		lines = append(lines, struct {
			exportJSON
			Since *string `json:"since"`
			Until *string `json:"until"`
		}{exportJSON{"vacation"}, jsonTime(v.Since), jsonTime(v.Until)})
	}
	for _, r := range a.Reports {
		lines = append(lines, struct {
			exportJSON
			At     *string         `json:"at"`
			About  string          `json:"about"`
			Match  storage.MatchID `json:"match"`
			Reason string          `json:"reason"`
		}{exportJSON{"report"}, jsonTime(r.At), r.AboutName, r.Match, r.Reason})
	}
	for _, e := range a.Tournaments {
		lines = append(lines, struct {
			exportJSON
			Code      string  `json:"code"`
			Name      string  `json:"name"`
			Begins    *string `json:"begins"`
			Announced bool    `json:"announced"`
			Entered   bool    `json:"entered"`
		}{exportJSON{"event"}, e.Code, c.say.Name(e.Name), jsonTime(e.Begins), e.Announced, e.Entered})
	}
	for of, list := range map[string]relationstore.Kind{"following": relations.Following, "blocked": relations.Blocked} {
		related, err := c.lobby().Relations.Related(c.ctx, who, list)
		if err != nil {
			return nil, err
		}
		for _, r := range related {
			lines = append(lines, struct {
				exportJSON
				Name  string  `json:"name"`
				Since *string `json:"since"`
			}{exportJSON{of}, r.Name, jsonTime(r.Since)})
		}
	}
	contact, err := c.lobby().Notices.Of(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, n := range noticesOf(contact) {
		lines = append(lines, struct {
			exportJSON
			noticeJSON
		}{exportJSON{"notice"}, n})
	}
	notes, err := c.lobby().Studies.AllNotes(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, match := range slices.Sorted(maps.Keys(notes)) {
		for _, n := range notes[match] {
			lines = append(lines, struct {
				exportJSON
				noteJSON
			}{exportJSON{"note"}, noteOf(match, n)})
		}
	}
	imported, err := c.lobby().Studies.Imported(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, st := range imported {
		lines = append(lines, struct {
			exportJSON
			studyJSON
			Text string `json:"text"`
		}{exportJSON{"study"}, studyOf(st), st.Text})
	}
	told, err := c.lobby().Tells.Kept(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for _, l := range told {
		lines = append(lines, struct {
			exportJSON
			tellJSON
		}{exportJSON{"tell"}, tellOf(l)})
	}
	for _, o := range c.lobby().Standing.Of(who) {
		lines = append(lines, struct {
			exportJSON
			keptOfferJSON
		}{exportJSON{"standing"}, keptOfferOf(o)})
	}
	for _, m := range c.lobby().Lists.Yours(who).Matches {
		p, err := c.lobby().Plans.Of(c.ctx, who, m.ID)
		if err != nil {
			return nil, err
		}
		if len(p.Lines) > 0 {
			lines = append(lines, struct {
				exportJSON
				planJSON
			}{exportJSON{"plan"}, planOf(p)})
		}
	}
	written, err := c.lobby().Chat.By(c.ctx, who)
	if err != nil {
		return nil, err
	}
	for match, chat := range written {
		for _, l := range chat {
			lines = append(lines, struct {
				exportJSON
				Match    storage.MatchID `json:"match"`
				At       *string         `json:"at"`
				Room     string          `json:"room"`
				Text     string          `json:"text"`
				Greeting string          `json:"greeting"`
			}{exportJSON{"chat"}, match, jsonTime(l.At), l.Room.String(), l.Text, l.Greeting})
		}
	}
	for _, m := range c.lobby().Lists.Yours(who).Matches {
		seat, err := c.lobby().Seats.At(c.ctx, who, m.Ref)
		if err != nil {
			return nil, err
		}
		f, err := seat.Record(c.ctx)
		if err != nil {
			return nil, err
		}
		if lines, err = exportMatch(c, lines, f); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// A practisedJSON is a match that counts for a practice rating.
type practisedJSON struct {
	ID     storage.MatchID `json:"id"`
	Level  string          `json:"level"`
	Points int             `json:"points"` // of the level
	Score  float64         `json:"score"`
	Before float64         `json:"before"`
	After  float64         `json:"after"`
	Ended  *string         `json:"ended"`
}

func matchesOf(p learning.PracticeStanding) []practisedJSON {
	all := []practisedJSON{}
	for _, m := range p.Points {
		all = append(all, practisedJSON{m.Match, m.Level, m.PracticeResult.Rating, m.Score, m.Before, m.After, jsonTime(m.At())})
	}
	return all
}

// exportMatch adds the line of a match.
func exportMatch(c *call, lines []any, f results.Finished) ([]any, error) {
	line, err := recordLine(c.records(), f)
	return append(lines, struct {
		exportJSON
		recordJSON
	}{exportJSON{"match"}, line}), err
}

func takeName(c *call) (reply.Reply, error) {
	if c.caller.Fingerprint == "" {
		return nil, refusal{codeGuest, c.say.T("A name needs a key: make one with ssh-keygen and connect again.")}
	}
	who, err := c.signUp(c.words[0])
	if errors.Is(err, lobby.ErrHasAccount) {
		return nil, refusal{codeConflict, c.say.T("Your key has a name here already: see whoami.")}
	}
	if err != nil {
		return nil, err
	}
	code, err := c.lobby().Keys.NewRecovery(c.ctx, who)
	if err != nil {
		return nil, err
	}
	return reply.One(accountRow(c, who, code, c.say.T("Welcome, %s.", who.Name)+"\n"+c.say.RecoveryCode(code))), nil
}

// nicknameRow is the command of the line mode by which a guest chooses a nickname. Outside it a guest is here for one command only.
func nicknameRow() *row {
	return &row{Name: "nickname", Prompt: true, Answer: whoamiJSON{}, Summary: text.T("a guest chooses a nickname for this visit; it stands behind guest-"), Args: []tree.Arg{{
		Name: "NAME", Asks: text.T("Which nickname?"), Help: text.T("the nickname: at most 14 letters, by the rules of names"),
	}}, Run: plain(chooseNickname)}
}

// chooseNickname gives a guest of the line mode a nickname.
func chooseNickname(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if c.caller.Fingerprint != "" {
		return nil, refusal{codeConflict, c.say.T("Nicknames are for guests. With your key you have a name: name NAME takes one, rename NAME changes it.")}
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	if who, err = c.lobby().Nicknames.Choose(c.ctx, who, c.words[0]); err != nil {
		return nil, err
	}
	return reply.One(accountRow(c, who, "", c.say.T("You are %s from now on.", who.Name))), nil
}

type whoamiJSON struct {
	Name         string   `json:"name" help:"your name; \"\" for a key without one"`
	Guest        bool     `json:"guest" help:"whether you are a guest"`
	Fingerprints []string `json:"fingerprints" help:"the fingerprints of all keys of your account"`
	Since        *string  `json:"since" help:"when the account was made; null: there is none"`
	RecoveryCode string   `json:"recovery_code,omitempty" help:"a new recovery code; left out where the command makes none"`
}

func whoami(c *call) (reply.Reply, error) {
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	w, err := whoamiOf(c, who, "")
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Made(func() string { return whoamiWords(c.say, w, who.Kind) }, func() any { return w.whoamiJSON })), nil
}

// accountRow is what is printed of an account after an act that changed it. code is its new recovery code, or "".
func accountRow(c *call, who lobby.User, code, words string) reply.Row {
	return reply.Row{
		Words: func() (string, error) { return words, nil },
		Object: func() (any, error) {
			w, err := whoamiOf(c, who, code)
			return w.whoamiJSON, err
		},
	}
}

// An account is a whoamiJSON and what people read of it.
type account struct {
	whoamiJSON
	since time.Time
}

// whoamiOf describes a user. code is their new recovery code, or "".
func whoamiOf(c *call, who lobby.User, code string) (account, error) {
	w := account{whoamiJSON: whoamiJSON{Name: who.Name, Guest: who.Kind == storage.Guest, Fingerprints: []string{}, RecoveryCode: code}}
	switch who.Kind {
	case storage.Person, storage.Engine:
		p, err := c.lobby().Standings.Profile(c.ctx, who, who.Name)
		if err != nil {
			return w, err
		}
		keys, err := c.lobby().Accounts.Fingerprints(c.ctx, who)
		if err != nil {
			return w, err
		}
		w.Fingerprints, w.Since, w.since = append(w.Fingerprints, keys...), jsonTime(p.Since), p.Since
	case storage.Free:
		w.Fingerprints = append(w.Fingerprints, c.caller.Fingerprint)
	}
	return w, nil
}

func whoamiWords(say wording.Words, w account, kind storage.OccupantKind) string {
	switch kind {
	case storage.Guest:
		return say.T("%s, a guest: connect with a key and your results are kept.", w.Name)
	case storage.Free:
		return say.T("Your key has no name here yet. Take one: name NAME") + "\n" + w.Fingerprints[0]
	}
	return say.T("%s, here since %s", w.Name, day(say, w.since)) + "\n" + strings.Join(w.Fingerprints, "\n")
}
