package command

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/wording"
)

// ended are the sessions that a command has ended.
type ended struct {
	keys []string
	why  error
}

func (e *ended) EndBanned() {}
func (e *ended) EndKeys(keys []string, why error) {
	e.keys, e.why = append(e.keys, keys...), why
}

// TestTimesForPeople: a time has its zone, one that is kept to the day alone no hour.
func TestTimesForPeople(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 30, 59, 0, time.FixedZone("CET", 3600))
	for got, want := range map[string]string{day(wording.Words{}, at): "2026-02-28 23:30 UTC", date(wording.Words{}, at): "2026-02-28", day(wording.Words{}, time.Time{}): "-", date(wording.Words{}, time.Time{}): "-"} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestKeys: a second key joins an account by a code, is listed, and is a stranger once it is removed.
func TestKeys(t *testing.T) {
	h := newFixture(t)
	sessions := new(ended)
	h.run.options.Sessions = sessions
	h.as("ana", Done, "name ana")
	code := h.object("ana", "keys add --json")["code"].(string)
	if len(code) != 14 || strings.Count(code, "-") != 2 {
		t.Errorf("the code is %q", code)
	}
	h.as("new", Refused, "keys claim AAAA-BBBB-CCCC")
	h.as("guest", Refused, "keys claim "+code)
	h.as("new", Refused, "keys")
	h.as("new", Done, "keys claim "+strings.ToLower(strings.ReplaceAll(code, "-", " ")))
	h.as("other", Refused, "keys claim "+code)
	if who := h.object("new", "whoami --json"); who["name"] != "ana" || len(who["fingerprints"].([]any)) != 2 {
		t.Errorf("the new key is %v", who)
	}
	out, _ := h.as("new", Done, "keys --json")
	for line := range strings.Lines(out) {
		k := decode(t, line)
		if k["this"] != (k["fingerprint"] == "SHA256:new") || k["added"] == nil {
			t.Errorf("listed as %v", k)
		}
	}
	if out, _ := h.as("ana", Done, "keys"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "this key") || !strings.Contains(out, " UTC  last used ") {
		t.Errorf("keys prints %q", out)
	}
	h.as("ana", Refused, "keys remove SHA256:nobody")
	h.as("ana", Done, "keys remove SHA256:new")
	if !slices.Equal(sessions.keys, []string{"SHA256:new"}) || sessions.why != lobby.ErrKeyRemoved {
		t.Errorf("ended %+v", sessions)
	}
	h.as("ana", Refused, "keys remove SHA256:ana")
	if who := h.object("new", "whoami --json"); who["name"] != "" {
		t.Errorf("the removed key is %v", who)
	}
	for _, line := range []string{"keys claim", "keys remove", "keys lose", "keys add more"} {
		h.as("ana", Usage, line)
	}
}

// TestSignUpSaysRecovery: a new player is told the recovery code once: in JSON as a field, else in one line with any complaint.
func TestSignUpSaysRecovery(t *testing.T) {
	h := newFixture(t)
	for _, tt := range []struct {
		who, line string
		status    int
		stderr    bool
	}{
		{"ana", "name ana", Done, false},
		{"rui", "new 4mation", Done, true},
		{"bia", "report nobody rude", Refused, false}, // there is no player nobody
		{"rui", "new 4mation", Done, false},
		{"eva", "new 4mation --json", Done, false},
	} {
		out, complaints := h.as(tt.who, tt.status, tt.line)
		if got := strings.Contains(complaints, "recovery code"); got != tt.stderr || strings.Count(complaints, "\n") > 1 {
			t.Errorf("%s: %s complains %q", tt.who, tt.line, complaints)
		}
		if got := strings.Contains(out, "recovery code"); got != strings.HasPrefix(tt.line, "name") {
			t.Errorf("%s: %s prints %q", tt.who, tt.line, out)
		}
		if strings.HasSuffix(tt.line, "json") {
			h.as("new", Done, "recover "+tt.who+" "+decode(t, out)["recovery_code"].(string))
		}
	}
}

// TestRecover: a recovery code lets a key in once, and gives the next one.
func TestRecover(t *testing.T) {
	h := newFixture(t)
	h.run.options.Sessions = new(ended)
	first := h.object("ana", "name ana --json")["recovery_code"].(string)
	second := h.object("ana", "recovery --json")["code"].(string)
	h.as("new", Refused, "recover ana "+first)
	h.as("new", Refused, "recover rui "+second)
	who := h.object("new", "recover ANA "+second+" --json")
	if who["name"] != "ana" || len(who["fingerprints"].([]any)) != 2 {
		t.Errorf("the new key is %v", who)
	}
	h.as("third", Refused, "recover ana "+second)
	h.as("third", Done, "recover ana "+who["recovery_code"].(string))
	h.as("guest", Refused, "recover ana "+second)
	for range 40 {
		_, complaints := h.as("fourth", Refused, "recover ana AAAA-BBBB")
		if strings.HasPrefix(complaints, "Too many wrong codes.") {
			return
		}
	}
	t.Error("wrong recovery codes are never too many")
}

func TestRename(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	h.as("rui", Done, "name rui")
	h.as("ana", Refused, "rename RUI")
	h.as("ana", Done, "rename Eva")
	if p := h.object("rui", "profile ana --json"); p["name"] != "Eva" {
		t.Errorf("the old name leads to %v", p)
	}
	if _, complaints := h.as("ana", Refused, "rename uma"); !strings.Contains(complaints, "once in 30 days") {
		t.Errorf("twice: %q", complaints)
	}
	h.as("rui", Refused, "rename ana")
}

// TestExportAndDelete: an export has everything, and no user can see what has been deleted.
func TestExportAndDelete(t *testing.T) {
	h := newFixture(t)
	sessions := new(ended)
	h.run.options.Sessions = sessions
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range strings.Fields("c3 d4 c4 d3") {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	h.as("rui", Done, "resign "+code)
	running := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+running)
	for i, m := range strings.Fields("c3 d4 c4 d3") {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+running+" "+m)
	}
	offer := h.object("ana", "new 4mation --json")["code"].(string)
	h.as("ana", Done, "report rui rude")

	kinds := map[string]int{}
	out, _ := h.as("ana", Done, "export")
	for line := range strings.Lines(out) {
		m := decode(t, line)
		kinds[m["type"].(string)]++
		if m["type"] == "match" && !strings.Contains(m["text"].(string), `[First "ana"]`) && m["ended"] != nil {
			t.Errorf("a match without its record: %v", m)
		}
	}
	if kinds["account"] != 1 || kinds["key"] != 1 || kinds["match"] != 3 || kinds["report"] != 1 {
		t.Errorf("exported %v", kinds)
	}

	if _, complaints := h.as("ana", Refused, "delete"); !strings.Contains(complaints, "2 unfinished") {
		t.Errorf("delete without --yes: %q", complaints)
	}
	if _, complaints := h.as("rui", Refused, "delete"); !strings.Contains(complaints, "your unfinished match would end") {
		t.Errorf("delete with one match: %q", complaints)
	}
	h.as("noa", Done, "name noa")
	if _, complaints := h.as("noa", Refused, "delete"); !strings.Contains(complaints, "would go, and your matches stay") {
		t.Errorf("delete without a match: %q", complaints)
	}
	h.as("ana", Done, "delete --yes")
	if !slices.Equal(sessions.keys, []string{"SHA256:ana"}) || sessions.why != lobby.ErrAccountDeleted {
		t.Errorf("ended %+v", sessions)
	}
	h.as("rui", Refused, "profile ana")
	if who := h.object("ana", "whoami --json"); who["name"] != "" {
		t.Errorf("the key of a deleted account is %v", who)
	}
	if m := h.object("rui", "show "+running+" --json"); m["result"] != "second" || m["reason"] != "abandoned" || m["first"] != "former player" {
		t.Errorf("the running match is %v", m)
	}
	if m := h.object("rui", "show "+offer+" --json"); m["reason"] != "aborted" {
		t.Errorf("the offer is %v", m)
	}
	german := key("rui")
	german.Locale = wording.In("de")
	var b bytes.Buffer
	h.run.Run(t.Context(), german, "history", &b, &b)
	if strings.Contains(b.String(), "ana") || strings.Count(b.String(), "ehemaliger Spieler") != 3 { // two names, and one line about a resignation
		t.Errorf("the history says %q", b.String())
	}
	h.as("uma", Refused, "name ana")
}

// TestGoodbyes: a session that ends with its key is told why.
func TestGoodbyes(t *testing.T) {
	h := newFixture(t)
	for _, why := range []error{lobby.ErrKeyRemoved, lobby.ErrKeyClaimed, lobby.ErrAccountDeleted} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		var out, complaints bytes.Buffer
		h.run.Run(ctx, key("ana"), "matches", &out, &complaints)
		if got := complaints.String(); got != wording.In("en").Error(why)+"\n" {
			t.Errorf("%v: %q", why, got)
		}
	}
}
