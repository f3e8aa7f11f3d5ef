package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/command"
	"ludoteca/sshapp/e2e/sshclient"
)

// A door is a way in which operators reach the running club.
type door struct {
	name string
	by   string // what the audit log calls them
	try  func(words ...string) (out, complaints string, status int)
	used map[string]bool // verbs
}

// doors are all of them: by a key, and on the machine itself.
func doors(t *testing.T, keys sshclient.Keyring, club *liveClub, data, fingerprint string) []*door {
	shell := newShell(t, keys, club.addr, "op")
	return []*door{
		{"by key", fingerprint, func(words ...string) (string, string, int) {
			return shell.try(append([]string{"operator"}, words...)...) // as typed: ssh puts spaces between the words
		}, map[string]bool{}},
		{"on the machine", command.ControlSocket, func(words ...string) (string, string, int) {
			h := &here{args: append([]string{"operator", "--data", data}, words...)}
			status := h.run(t)
			return h.out.String(), h.errs.String(), status
		}, map[string]bool{}},
	}
}

// does runs a verb that must succeed.
func (d *door) does(t *testing.T, words ...string) string {
	t.Helper()
	d.used[words[0]] = true
	out, complaints, status := d.try(words...)
	if status != 0 || complaints != "" {
		t.Fatalf("%s: %q: status %d\n%s%s", d.name, words, status, out, complaints)
	}
	return out
}

// lists returns what a verb prints with --json.
func (d *door) lists(t *testing.T, words ...string) (all []object) {
	t.Helper()
	for line := range strings.Lines(d.does(t, append(words, "--json")...)) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%s: %q: %v in %q", d.name, words, err, line)
		}
		all = append(all, o)
	}
	return all
}

// acts runs a verb that changes something, which the audit log keeps with its reason, and returns the number there.
func (d *door) acts(t *testing.T, words ...string) (number string) {
	t.Helper()
	const reason = `it's "due"`
	entry := d.lists(t, append(words, "--reason", reason)...)[0]
	if entry["verb"] == nil { // of some verbs the answer is another one
		entry = d.lists(t, "audit", "--limit", "1")[0]
	}
	verb := words[0]
	switch {
	case slices.Contains(words, "0s"):
		verb = "unmute"
	case verb == "lounge":
		verb += " " + words[1]
	}
	if entry["by"] != d.by || entry["verb"] != verb || entry["reason"] != reason {
		t.Errorf("%s: after %q the audit log has %v", d.name, words, entry)
	}
	return fmt.Sprint(entry["number"])
}

// TestOperatorActs has operators act on a running club, by their key and on the machine. Other users are there with OpenSSH's client: in
// the full screen, at the prompt of a dumb terminal, and at the prompt without a terminal. All of them feel the acts at once.
func TestOperatorActs(t *testing.T) {
	t.Parallel()
	keys, data := sshclient.NewKeyring(t), t.TempDir()
	sshclient.Run(t, keys.Folder, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "op")
	listed, _, _ := output(t, nil, "ssh-keygen", "-lf", keys.Path("op.pub"))
	fingerprint := strings.Fields(listed)[1]
	club := startClub(t, data, "--operator", fingerprint)
	// Acts end connections, so each command comes by one of its own.
	player := func(t *testing.T, name string) *shell {
		return &shell{t, name, append([]string{"-T"}, keys.OpenSSH(t, club.addr, name)...)}
	}
	for _, name := range []string{"ana", "rui", "bia"} {
		player(t, name).does("name", name)
	}
	all := doors(t, keys, club, data, fingerprint)
	if testing.Short() { // for the other one a program starts with each act
		all = all[:1]
	}
	for _, d := range all {
		t.Run(d.name, func(t *testing.T) {
			o := &operatorTest{d, keys, club.addr, player(t, "ana"), player(t, "rui"), player(t, "bia")}
			o.announces(t)
			o.changesLimits(t)
			o.mutes(t)
			o.closes(t)
			o.bans(t)
			o.bansAddresses(t)
			o.renames(t)
			o.merges(t)
			o.endsMatches(t)
			o.readsReports(t)
			o.looks(t)
			o.distrusts(t)
			o.closesLounge(t)
		})
	}
	if t.Failed() {
		return
	}
	for _, row := range command.OperatorCommand(nil).Commands() {
		verb := row.Name()
		for _, d := range all {
			if !d.used[verb] {
				t.Errorf("%s: %s was not tried", d.name, verb)
			}
		}
	}
}

type operatorTest struct {
	*door
	keys          sshclient.Keyring
	addr          string
	ana, rui, bia *shell
}

// visits opens the full screen for a player who is known.
func (o *operatorTest) visits(t *testing.T, name string) *terminal {
	t.Helper()
	c := visit(t, o.keys, o.addr, name)
	c.Shows("PLAY", "YOUR MATCHES")
	return c
}

// prompted opens the line mode: at a terminal without abilities, or without one.
func (o *operatorTest) prompted(t *testing.T, name string, pty string) *terminal {
	t.Helper()
	args := append([]string{pty}, o.keys.OpenSSH(t, o.addr, name)...)
	c := &terminal{sshclient.NewTerminal(t, name, 80, 24, []string{"TERM=dumb", "LANG=en_GB.UTF-8"}, "ssh", args...)}
	c.Shows("play petteia begins", "ludoteca>")
	return c
}

func (o *operatorTest) announces(t *testing.T) {
	screen, dumb, plain := o.visits(t, "rui"), o.prompted(t, "bia", "-tt"), o.prompted(t, "ana", "-T")
	dumb.Types("who")
	plain.Types("who")
	dumb.Shows("ludoteca> who")
	plain.Shows("ludoteca> who")
	number := o.acts(t, "announce", "Tea at five")
	screen.Shows("From the operator: Tea at five")
	dumb.Shows("From the operator: Tea at five\nludoteca> who")
	plain.Shows("From the operator: Tea at five\nludoteca>")
	dumb.Types("ami" + enter)
	dumb.Shows("ludoteca> whoami\nbia, here since")
	plain.Types("ami" + enter)
	plain.Shows("ana, here since")
	o.acts(t, "undo", number)
	screen.Loses("From the operator")
	o.acts(t, "announce", "Cake at six")
	screen.Shows("From the operator: Cake at six")
	o.acts(t, "announce")
	screen.Loses("From the operator")
	screen.Quits()
	dumb.Types("quit" + enter)
	dumb.Exits(0)
	plain.Types("quit" + enter)
	plain.Exits(0)
}

func (o *operatorTest) changesLimits(t *testing.T) {
	value := func() any {
		for _, l := range o.lists(t, "limits") {
			if l["name"] == "max-matches-new" {
				return l["value"]
			}
		}
		return nil
	}
	code := o.ana.line("new", "4mation")["code"].(string)
	o.acts(t, "limits", "max-matches-new=1")
	if value() != "1" {
		t.Errorf("the limit is %v, want 1", value())
	}
	if _, complaints, status := o.ana.try("new", "4mation"); status != 1 || !strings.Contains(complaints, "too many matches") {
		t.Errorf("with the limit reached: status %d, %q", status, complaints)
	}
	if now := o.lists(t, "limits", "max-matches-new=10", "--reason", "x"); len(now) != 1 || now[0]["value"] != "10" {
		t.Errorf("the changed limit is %v", now)
	}
	o.ana.does("resign", o.ana.line("new", "4mation")["code"].(string))
	o.ana.does("resign", code)
}

// opens has ana and rui play four moves of a match and returns its code and id.
func (o *operatorTest) opens(t *testing.T) (code, id string) {
	t.Helper()
	opened := o.ana.line("new", "4mation", "--side", "first", "--rated")
	code, id = opened["code"].(string), opened["id"].(string)
	o.rui.does("join", code)
	moves := "a1 b2 b1 c2"
	if o.by == command.ControlSocket {
		moves = "g7 f6 f7 e6" // the same match again would not count
	}
	for i, move := range strings.Fields(moves) {
		[]*shell{o.ana, o.rui}[i%2].does("move", code, move)
	}
	return code, id
}

// ended says how a match ended.
func (o *operatorTest) ended(t *testing.T, code, result, reason string) {
	t.Helper()
	if now := o.ana.line("show", code); now["result"] != result || now["reason"] != reason {
		t.Errorf("%s: the match ended with %v, %v, want %s, %s", o.name, now["result"], now["reason"], result, reason)
	}
}

func (o *operatorTest) mutes(t *testing.T) {
	number := o.acts(t, "mute", "rui", "--for", "7d")
	if file := o.lists(t, "player", "rui")[0]; file["muted_until"] == nil {
		t.Errorf("%v", file)
	}
	o.acts(t, "undo", number)
	o.acts(t, "mute", "rui")
	if out := o.does(t, "player", "rui"); !strings.Contains(out, "muted") {
		t.Errorf("%q", out)
	}
	o.acts(t, "mute", "rui", "--for", "0s")
	if file := o.lists(t, "player", "rui")[0]; file["muted_until"] != nil {
		t.Errorf("%v", file)
	}
}

func (o *operatorTest) closes(t *testing.T) {
	const words = "The operator of this club has closed your account."
	code, _ := o.opens(t)
	screen, prompt := o.visits(t, "rui"), o.prompted(t, "rui", "-tt")
	o.acts(t, "close", "rui")
	screen.Shows(words)
	screen.Gone()
	prompt.Shows(words)
	prompt.Gone()
	o.ended(t, code, "first", "adjudicated")
	if _, complaints, status := o.rui.try("whoami"); status != 1 || !strings.Contains(complaints, words) {
		t.Errorf("a closed account: status %d, %q", status, complaints)
	}
	o.acts(t, "reopen", "rui")
	o.rui.does("whoami")
	o.does(t, "undo", o.acts(t, "close", "rui"), "--reason", "wrong")
	o.rui.does("whoami")
}

func (o *operatorTest) bans(t *testing.T) {
	const words = "The operator of this club has banned you from it."
	key := o.lists(t, "player", "bia")[0]["keys"].([]any)[0].(object)["from"].(string)
	screen, prompt := o.visits(t, "bia"), o.prompted(t, "bia", "-T")
	number := o.acts(t, "ban", key, "--for", "7d")
	screen.Shows(words)
	screen.Gone()
	prompt.Shows(words)
	prompt.Gone()
	refused := func() {
		t.Helper()
		if _, complaints, status := o.bia.try("games"); status == 0 || !strings.Contains(complaints, words) {
			t.Errorf("a banned key: status %d, %q", status, complaints)
		}
	}
	refused()
	if bans := o.lists(t, "bans"); len(bans) != 1 || bans[0]["subject"] != key || bans[0]["until"] == nil {
		t.Errorf("bans: %v", bans)
	}
	lifted := o.acts(t, "unban", key)
	o.bia.does("games")
	o.acts(t, "undo", lifted)
	refused()
	o.acts(t, "unban", key)
	if _, _, status := o.try("undo", number, "--reason", "x"); status != 1 {
		t.Errorf("what is so already is undone: status %d", status)
	}
}

// distrusts takes the host key of the club off the list of keys whose signatures count, and back.
func (o *operatorTest) distrusts(t *testing.T) {
	all := o.lists(t, "signers")
	if len(all) != 1 || all[0]["distrusted"] != nil {
		t.Fatalf("signers: %v", all)
	}
	key := all[0]["key"].(string)
	number := o.acts(t, "distrust", key)
	if all := o.lists(t, "signers"); all[0]["distrusted"] == nil || fmt.Sprint(all[0]["entry"]) != number {
		t.Errorf("after entry %s: %v", number, all)
	}
	o.acts(t, "undo", number)
	if again := o.lists(t, "signers"); again[0]["distrusted"] != nil || again[0]["since"] != all[0]["since"] {
		t.Errorf("taken back: %v", again)
	}
}

func (o *operatorTest) closesLounge(t *testing.T) {
	const words = "The operator of this club has closed the lounge."
	closed := func() bool {
		_, complaints, status := o.ana.try("lounge", "say", "hello")
		return status == 1 && strings.Contains(complaints, words)
	}
	if closed() {
		t.Error("the lounge is closed from the start")
	}
	o.acts(t, "lounge", "close")
	if !closed() {
		t.Error("the lounge isn't closed")
	}
	o.acts(t, "lounge", "open")
	if closed() {
		t.Error("the lounge isn't open again")
	}
}

// bansAddresses bans 127.0.0.2, from which another client of bia's comes.
func (o *operatorTest) bansAddresses(t *testing.T) {
	const words = "The operator of this club has banned you from it."
	from := append([]string{"-tt", "-o", "BindAddress=127.0.0.2"}, o.keys.OpenSSH(t, o.addr, "bia")...)
	env := []string{"TERM=xterm-256color", "LANG=en_GB.UTF-8"}
	for _, subject := range []string{"127.0.0.2", "127.0.0.2/31"} {
		screen := sshclient.NewTerminal(t, "bia", 80, 24, env, "ssh", from...)
		screen.Shows("PLAY", "YOUR MATCHES")
		o.acts(t, "ban", subject)
		screen.Shows(words)
		screen.Gone()
		if _, complaints, status := output(t, env, "ssh", append(slices.Clone(from), "games")...); status != 255 {
			t.Errorf("a banned address: status %d, %q", status, complaints)
		}
		o.bia.does("games") // from another address
		o.does(t, "unban", subject, "--reason", "x")
	}
}

func (o *operatorTest) renames(t *testing.T) {
	screen := o.visits(t, "rui")
	number := o.acts(t, "rename", "rui", "Regina")
	if who := o.rui.line("whoami"); who["name"] != "Regina" {
		t.Errorf("%v", who)
	}
	if file := o.lists(t, "player", "rui")[0]; file["name"] != "Regina" {
		t.Errorf("by the former name: %v", file)
	}
	o.acts(t, "undo", number)
	if who := o.rui.line("whoami"); who["name"] != "rui" {
		t.Errorf("%v", who)
	}
	screen.Quits()
}

func (o *operatorTest) merges(t *testing.T) {
	screen, prompt := o.visits(t, "bia"), o.prompted(t, "bia", "-tt")
	number := o.acts(t, "merge", "bia", "rui")
	const words = "given your key to the account rui."
	screen.Shows(words)
	screen.Gone()
	prompt.Shows(words)
	prompt.Gone()
	if who := o.bia.line("whoami"); who["name"] != "rui" {
		t.Errorf("a merged key is of %v", who)
	}
	o.acts(t, "undo", number)
	if who := o.bia.line("whoami"); who["name"] != "bia" {
		t.Errorf("after undo the key is of %v", who)
	}
}

func (o *operatorTest) endsMatches(t *testing.T) {
	code, _ := o.opens(t)
	board := visit(t, o.keys, o.addr, "rui", "watch", code)
	board.Shows("match " + code)
	o.acts(t, "end", code)
	o.ended(t, code, "", "adjudicated")
	board.Shows("operator")
	board.Types(ctrlC, ctrlC)
	board.Gone()

	code, id := o.opens(t)
	o.acts(t, "end", id, "--result", "second")
	o.ended(t, code, "second", "adjudicated")
	played := func() any { // nil without a rated match
		if games := o.ana.line("profile", "rui")["games"].([]any); len(games) > 0 {
			return games[0].(object)["won"]
		}
		return nil
	}
	before := played()
	number := o.acts(t, "unrate", id)
	if played() == before {
		t.Errorf("rui has won %v, as before", before)
	}
	o.acts(t, "undo", number)
	if played() != before {
		t.Errorf("rui has won %v, want %v", played(), before)
	}
	for _, all := range [][]string{{"--player", "rui"}, {"--between", "ana", "rui"}, {"--between", "rui", "ana"}} {
		number := o.acts(t, append([]string{"unrate"}, all...)...)
		if played() == before {
			t.Errorf("unrate %v: rui has won %v, as before", all, before)
		}
		if entry := o.lists(t, "audit", "--limit", "1")[0]; entry["verb"] != "unrate" || entry["subject"] != strings.Join(all[1:], " ") {
			t.Errorf("unrate %v: the audit log has %v", all, entry)
		}
		o.fails(t, "unrate", append(all, "--reason", "again")...) // nothing is left
		o.acts(t, "undo", number)
		if played() != before {
			t.Errorf("unrate %v: after undo rui has won %v, want %v", all, played(), before)
		}
	}
	for _, wrong := range [][]string{{}, {id, "--player", "rui"}, {id, id}, {"--between", "ana"}, {"--player", "rui", "--between", "ana", "bia"}, {"--player", "nobody"}, {"--between", "ana", "ana"}} {
		o.fails(t, "unrate", append(wrong, "--reason", "wrong")...)
	}
	if played() != before {
		t.Errorf("after refusals rui has won %v, want %v", played(), before)
	}
	o.acts(t, "recompute")
}

// fails runs a verb that must be refused, with words.
func (d *door) fails(t *testing.T, verb string, words ...string) {
	t.Helper()
	if out, complaints, status := d.try(append([]string{verb}, words...)...); status == 0 || out != "" || complaints == "" {
		t.Errorf("%s: %s %q: status %d\n%s%s", d.name, verb, words, status, out, complaints)
	}
}

func (o *operatorTest) readsReports(t *testing.T) {
	o.ana.does("report", "rui", "swears")
	open := o.lists(t, "reports")
	if len(open) != 1 || open[0]["about"] != "rui" || open[0]["reason"] != "swears" {
		t.Fatalf("reports: %v", open)
	}
	o.does(t, "reports", "--done", fmt.Sprint(open[0]["number"]), "--reason", "talked")
	if out := o.does(t, "reports"); !strings.Contains(out, "No open reports") {
		t.Errorf("%q", out)
	}
	if out := o.does(t, "reports", "--all"); !strings.Contains(out, "swears") {
		t.Errorf("%q", out)
	}
}

func (o *operatorTest) looks(t *testing.T) {
	if out := o.does(t, "help"); !strings.Contains(out, "unrate (ID") || len(o.lists(t, "help")) < len(o.used) {
		t.Errorf("help: %q", out)
	}
	if now := o.lists(t, "status")[0]; now["matches"] == nil {
		t.Errorf("status: %v", now)
	}
	if out := o.does(t, "status"); !strings.Contains(out, "matches") {
		t.Errorf("status: %q", out)
	}
	if out := o.does(t, "audit", "--limit", "1000"); !strings.Contains(out, "merge bia rui") {
		t.Errorf("audit: %q", out)
	}
	if out := o.does(t, "limits"); !strings.Contains(out, "max-matches-new") {
		t.Errorf("limits: %q", out)
	}
}
