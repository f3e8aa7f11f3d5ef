package command

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/status"
)

// operated runs operator VERB on the machine itself, and returns the status and what it prints on both streams.
func (h *fixture) operated(words ...string) (status int, out, complaints string) {
	h.t.Helper()
	var o, c bytes.Buffer
	status = h.run.Operate(h.t.Context(), words, &o, &c)
	return status, o.String(), c.String()
}

// TestAuditLimit: operator audit prints 20 entries, or as many as --limit says, from 1 to 1000, the newest first.
func TestAuditLimit(t *testing.T) {
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	h.as("ana", Done, "name ana")
	const acts = 23
	o := h.run.lobby.Operators.As("test", lobby.NoSessions{})
	for i := range acts {
		if _, err := o.Mute(t.Context(), "ana", time.Now().Add(time.Duration(i+1)*time.Hour), "x"); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		limit string
		want  int // entries; 0: it is refused
	}{{"", 20}, {"1", 1}, {"21", 21}, {"999", acts}, {"1000", acts}, {"1001", 0}, {"0", 0}, {"-1", 0}, {"1000000000", 0}} {
		for _, json := range []bool{false, true} {
			words := []string{"audit"}
			if tt.limit != "" {
				words = append(words, "--limit="+tt.limit)
			}
			if json {
				words = append(words, "--json")
			}
			status, out, complaints := h.operated(words...)
			first := strings.HasPrefix(out, strconv.Itoa(acts)+" ")
			if json {
				first = strings.HasPrefix(out, fmt.Sprintf(`{"number":%d,`, acts))
			}
			switch {
			case tt.want == 0 && (status != Usage || !strings.Contains(complaints, "a number from 1 to 1000") || !json && out != ""):
				t.Errorf("%q: status %d, %q, %q; want it refused with the bounds", words, status, out, complaints)
			case tt.want > 0 && (status != Done || strings.Count(out, "\n") != tt.want || !first):
				t.Errorf("%q: status %d, %s; want %d entries, the newest first:\n%s", words, status, complaints, tt.want, out)
			}
		}
	}
}

// TestReportsAsText: an operator reads of each report its number, when, by whom about whom, the match, the reason and what came of it, and
// below it the last lines of the chat.
func TestReportsAsText(t *testing.T) {
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	opened := h.object("ana", "new 4mation --side first --json")
	code, id := opened["code"].(string), opened["id"].(string)
	h.as("rui", Done, "join "+code)
	h.as("rui", Done, "say "+code+" you can't play")
	h.as("ana", Done, "say "+code+" please stop")
	h.as("ana", Done, "report rui insults me --match "+code)
	h.as("rui", Done, "report ana a liar")
	reads := func(words []string, rows ...string) {
		t.Helper()
		status, out, complaints := h.operated(words...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if status != Done || len(lines) != len(rows) {
			t.Fatalf("%q: status %d, %s; want %d lines\n%s", words, status, complaints, len(rows), out)
		}
		for i, row := range rows {
			row = strings.NewReplacer("DAY", `\d{4}-\d\d-\d\d \d\d:\d\d UTC`, "ID", id, "  ", " {2,}").Replace(row)
			if !regexp.MustCompile("^" + row + "$").MatchString(lines[i]) {
				t.Errorf("%q: line %d is %q, want %s", words, i, lines[i], row)
			}
		}
	}
	const first, second = "1  DAY  ana about rui  ID  insults me  ", "2  DAY  rui about ana  ID  a liar  "
	chat := []string{"    rui: you can't play", "    ana: please stop"}
	reads([]string{"reports"}, first+"open", chat[0], chat[1], second+"open", chat[0], chat[1])
	if status, _, complaints := h.operated("reports", "--done", "1", "--reason", "muted"); status != Done {
		t.Fatal(complaints)
	}
	reads([]string{"reports"}, second+"open", chat[0], chat[1])
	reads([]string{"reports", "--all"}, first+"done DAY", chat[0], chat[1], second+"open", chat[0], chat[1])
}
