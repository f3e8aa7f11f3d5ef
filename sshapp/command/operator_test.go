package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ludoteca/lobby"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/wording"
)

// A served records the sessions that a server is told to end.
type served struct{ ended []string }

func (s *served) EndBanned()                     { s.ended = append(s.ended, "banned") }
func (s *served) EndKeys(keys []string, _ error) { s.ended = append(s.ended, keys...) }
func (s *served) hasEnded(key string) bool       { return slices.Contains(s.ended, key) }

var banKey = "SHA256:" + strings.Repeat("A", 43)

// examples has a line of each verb, in an order in which all work. CODE and ID are filled in.
var examples = []string{
	"help", "status", "reports", "audit", "bans", "player ana", "reports --done 1 --reason x", "reports --done-by rui --reason x", "mute ana --for 7d --reason x",
	"end CODE --result draw --reason x", "unrate ID --reason x", "recompute --reason x", "rename ana Eva --reason x", "merge eva rui --reason x",
	"close rui --reason x", "reopen rui --reason x", "ban " + banKey + " --for 12h --reason x", "unban " + banKey + " --reason x",
	"announce 'tea at five' --reason x", "announce '' --reason x", "lounge close --reason x", "lounge open --reason x", "limits", "limits max-sessions=5 --reason x", "undo 1 --reason x",
	"signers", "distrust SIGNER --reason x",
}

// Every verb is for operators alone, whatever other people are, and works for a key and for the control socket.
func TestOperatorVerbs(t *testing.T) {
	tried := map[string]bool{}
	for _, line := range examples {
		tried[strings.Fields(line)[0]] = true
	}
	for _, v := range verbs() {
		if !tried[v.Name] {
			t.Errorf("there is no example of %s", v.Name)
		}
	}
	h := newFixture(t)
	server := &served{}
	h.run.options.Status = func() status.Status { return status.Status{} }
	h.run.options.Sessions, h.run.options.Limits = server, oneLimit{}
	reset := func() (code, id string) {
		opened := h.object("ana", "new 4mation --side first --rated --json")
		code, id = opened["code"].(string), opened["id"].(string)
		h.as("rui", Done, "join "+code)
		for i, move := range strings.Fields("a1 b2 b1 c2") {
			h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+move)
		}
		return code, id
	}
	code, id := reset()
	h.as("ana", Done, "report rui swears at me --match "+code)
	h.as("rui", Done, "report ana too")
	h.as("bad", Done, "name bad")
	h.as("shut", Done, "name shut")
	h.as("mute", Done, "name mute")
	op := h.run.lobby.Operators.As("test", lobby.NoSessions{})
	if _, err := op.Close(t.Context(), "shut", "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := op.Mute(t.Context(), "mute", lobby.Forever, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := op.Ban(t.Context(), "SHA256:"+strings.Repeat("B", 42)+"A", lobby.Forever, "x"); err != nil {
		t.Fatal(err)
	}
	before, err := op.Audit(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.run.lobby.Operators.SignWith(t.Context(), []byte("a key")); err != nil {
		t.Fatal(err)
	}
	signers, err := op.Signers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("CODE", code, "ID", id, "SIGNER", signers[0].Fingerprint)
	banned := key("banned")
	banned.Fingerprint = "SHA256:" + strings.Repeat("B", 42) + "A"
	for name, who := range map[string]Caller{
		"a guest": key("guest"), "a key without an account": key("new"), "a player": key("ana"), "a closed player": key("shut"), "a muted player": key("mute"),
		"a banned key": banned,
	} {
		for _, line := range examples {
			var out, complaints bytes.Buffer
			got := h.run.Run(t.Context(), who, "operator "+fill.Replace(line), &out, &complaints)
			if got != Usage || out.Len() > 0 || !strings.Contains(complaints.String(), "There is no command \"operator\"") {
				t.Errorf("%s: operator %s: status %d: %s%s", name, line, got, out.String(), complaints.String())
			}
		}
		var out bytes.Buffer
		if h.run.Run(t.Context(), who, "help", &out, &out); strings.Contains(out.String(), "operator VERB") {
			t.Errorf("%s is shown the command", name)
		}
	}
	if after, err := op.Audit(t.Context(), 0, 100); err != nil || len(after) != len(before) || len(server.ended) > 0 {
		t.Errorf("others have left %d entries, want %d: %v", len(after), len(before), err)
	}

	ssh := key("op")
	ssh.Operator = true
	for _, line := range examples {
		var out, complaints bytes.Buffer
		words, err := split(wording.Words{}, fill.Replace(line))
		if err != nil {
			t.Fatal(err)
		}
		if at := slices.Index(words, "--reason"); at >= 0 {
			if got := h.run.Run(t.Context(), ssh, "operator "+strings.Split(fill.Replace(line), "--reason")[0], &out, &complaints); got != Usage ||
				!strings.Contains(complaints.String(), "--reason TEXT") {
				t.Errorf("operator %s without a reason: status %d: %s", line, got, complaints.String())
			}
		}
		complaints.Reset()
		if got := h.run.Run(t.Context(), ssh, "operator "+fill.Replace(line)+" --json", &out, &complaints); got != Done {
			t.Fatalf("operator %s: status %d: %s", line, got, complaints.String())
		}
		for l := range strings.Lines(out.String()) {
			decode(t, l)
		}
	}
	for _, ended := range []string{"banned", key("ana").Fingerprint, key("rui").Fingerprint} {
		if !server.hasEnded(ended) {
			t.Errorf("sessions of %s were not ended", ended)
		}
	}

	// On the machine itself it is the same, and the audit log says so.
	var out, complaints bytes.Buffer
	if got := h.run.Operate(t.Context(), []string{"mute", "rui", "--reason", "it's \"loud\""}, &out, &complaints); got != Done {
		t.Fatalf("status %d: %s", got, complaints.String())
	}
	log, err := op.Audit(t.Context(), 0, 1)
	if err != nil || log[0].By != ControlSocket || log[0].Reason != `it's "loud"` || log[0].Subject != "rui" {
		t.Errorf("audit: %+v, %v", log, err)
	}
	for _, wrong := range [][]string{{"dance"}, {"close"}, {"close", "a", "b"}, {"ban", banKey, "--for", "soon", "--reason", "x"}, {"undo", "x", "--reason", "x"},
		{"end", code, "--result", "third", "--reason", "x"}, {"audit", "--limit", "0"}, {"mute", "rui", "--nonsense"}} {
		if got := h.run.Operate(t.Context(), wrong, &out, &complaints); got != Usage {
			t.Errorf("%q: status %d, want %d", wrong, got, Usage)
		}
	}
	for _, refused := range [][]string{{"close", "nemo", "--reason", "x"}, {"ban", "somebody", "--reason", "x"}, {"undo", "999", "--reason", "x"}} {
		if got := h.run.Operate(t.Context(), refused, &out, &complaints); got != Refused {
			t.Errorf("%q: status %d, want %d", refused, got, Refused)
		}
	}
}

// TestClosedAccountIsTold: every command that needs an account tells the player of a closed one so.
func TestClosedAccountIsTold(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	if _, err := h.run.lobby.Operators.As("test", lobby.NoSessions{}).Close(t.Context(), "ana", "x"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"whoami", "matches", "new tanks", "report rui x", "name ana2"} {
		_, complaints := h.as("ana", Refused, line)
		if line != "name ana2" && complaints != "The operator of this club has closed your account.\n" {
			t.Errorf("%s: %q", line, complaints)
		}
	}
}

// TestReport: a player reports another one, and the operator sees it and deals with it.
func TestReport(t *testing.T) {
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	h.as("ana", Done, "name ana")
	h.as("rui", Done, "name rui")
	h.as("guest", Refused, "report rui rude")
	h.as("ana", Refused, "report nemo rude")
	h.as("ana", Refused, "report ana rude")
	h.as("ana", Usage, "report rui")
	if out, _ := h.as("ana", Done, `report rui it's a \lie, they "swear`); !strings.Contains(out, "rui") {
		t.Errorf("%q", out)
	}
	operate := func(words ...string) string {
		t.Helper()
		var out, complaints bytes.Buffer
		if got := h.run.Operate(t.Context(), words, &out, &complaints); got != Done {
			t.Fatalf("%q: status %d: %s", words, got, complaints.String())
		}
		return out.String()
	}
	open := decode(t, operate("reports", "--json"))
	if open["by"] != "ana" || open["about"] != "rui" || open["reason"] != `it's a \lie, they "swear` || open["handled"] != nil {
		t.Errorf("%v", open)
	}
	operate("reports", "--done", "1", "--reason", "talked to them")
	if out := operate("reports"); out != "No open reports.\n" {
		t.Errorf("%q", out)
	}
	if out := operate("player", "rui"); !strings.Contains(out, `they "swear`) {
		t.Errorf("%q", out)
	}
	operate("announce", "We're", "back", "--reason", `it's \ done`)
	if last := decode(t, operate("audit", "--limit", "1", "--json")); last["subject"] != "We're back" || last["reason"] != `it's \ done` {
		t.Errorf("%v", last)
	}
}

// TestReportSide: a player reports the player on a side of a match, by naming the match and the side.
func TestReportSide(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	h.as("rui", Done, "name rui")
	out, _ := h.as("ana", Done, "new tanks --side first --json")
	code := decode(t, out)["code"].(string)
	h.as("rui", Done, "join "+code)
	h.as("ana", Usage, "report --side second they swear")
	h.as("ana", Usage, "report --side third they swear --match "+code)
	h.as("ana", Usage, "report --side second --match "+code)
	h.as("ana", Refused, "report --side first they swear --match "+code)
	out, _ = h.as("ana", Done, "report --side second they swear --json --match "+code)
	if said := decode(t, out); said["about"] != "rui" || said["reason"] != "they swear" {
		t.Errorf("%v", said)
	}
}

// TestVerbFlags: a verb refuses what it doesn't use, with its own usage, and does nothing.
func TestVerbFlags(t *testing.T) {
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	h.as("ana", Done, "name ana")
	for line, usage := range map[string]string{
		"close ana --for 1h --reason x":    "operator close NAME --reason TEXT [--json]",
		"close ana --result draw --reason": "",
		"bans --reason x":                  "operator bans [--json]",
		"status --limit 3":                 "operator status [--json]",
		"mute ana --result void":           "operator mute NAME [--for 7d] --reason TEXT [--json]",
		"audit --done 1":                   "operator audit [--limit N] [--json]",
		"close":                            "operator close NAME --reason TEXT [--json]",
		"close ana":                        "operator close NAME --reason TEXT [--json]",
	} {
		var out, complaints bytes.Buffer
		got := h.run.Operate(t.Context(), strings.Fields(line), &out, &complaints)
		if got != Usage || !strings.HasSuffix(complaints.String(), usage+"\n") {
			t.Errorf("%s: status %d, %q", line, got, complaints.String())
		}
	}
	h.as("ana", Done, "new tanks")
}

// oneLimit is a club with one limit, which can always be changed.
type oneLimit struct{}

func (oneLimit) List() []Limit {
	return []Limit{{Name: "max-sessions", Value: "1000", Default: "1000", Running: true}}
}

func (l oneLimit) Change(_, value string, note func(was Limit, value string) error) error {
	return note(l.List()[0], value)
}

// TestOperatorLimits: a change wants a reason, is kept in the audit log and says for how long it holds.
func TestOperatorLimits(t *testing.T) {
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	h.run.options.Limits = oneLimit{}
	for _, tt := range []struct {
		line string
		code int
		want string
	}{
		{"limits", Done, "max-sessions  1000  1000"},
		{"limits max-sessions=5", Usage, ""},
		{"limits max-sessions --reason x", Usage, ""},
		{"announce 'a\x1b[2Jb' --reason x", Refused, ""},
		{"announce '" + strings.Repeat("x", 501) + "' --reason x", Refused, ""},
		{"limits max-sessions=5 --reason storm", Done, "max-sessions is 5 from now on, until the next start of the club.\n"},
		{"audit", Done, "max-sessions=5 (was 1000)"},
	} {
		words, err := split(wording.Words{}, tt.line)
		if err != nil {
			t.Fatal(err)
		}
		var out, complaints bytes.Buffer
		if code := h.run.Operate(t.Context(), words, &out, &complaints); code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: status %d, %q, %q; want %d, %q", tt.line, code, out.String(), complaints.String(), tt.code, tt.want)
		}
	}
}
