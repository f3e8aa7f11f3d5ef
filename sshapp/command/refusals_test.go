package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
)

// TestRefusalsAreObjects: with --json a refusal is an object on stdout as well as a line on stderr, with a code that doesn't depend on the
// language.
func TestRefusalsAreObjects(t *testing.T) {
	h := newFixture(t)
	at := h.object("ana", "new 4mation --side first --json")["code"].(string)
	waiting := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+at)
	over := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+over)
	h.as("rui", Done, "resign "+over)
	untaken := h.object("ana", "new 4mation --json")["code"].(string)
	h.as("ana", Done, "abort "+untaken)
	for _, tt := range []struct {
		who, line string
		status    int
		want      code
	}{
		{"ana", "shwo " + at, Usage, codeUsage},
		{"ana", "show", Usage, codeUsage},
		{"ana", "show " + at + " --colour", Usage, codeUsage},
		{"ana", "show 'unfinished", Usage, codeUsage},
		{"ana", "move " + at, Usage, codeUsage},
		{"ana", "show ZZZZZZ", Refused, codeNotFound},
		{"ana", "profile nobody", Refused, codeNotFound},
		{"ana", "new chess", Refused, codeNotFound},
		{"ana", "new 4mation --vs deepthought", Refused, codeNotFound},
		{"rui", "move " + at + " a1", Refused, codeNotYourTurn},
		{"ana", "move " + at + " z9", Refused, codeIllegal},
		{"eva", "move " + at + " a1", Refused, codeNotYours},
		{"ana", "move " + over + " a1", Refused, codeOver},
		{"ana", "rematch " + at, Refused, codeNotOpen},
		{"ana", "rematch " + untaken, Refused, codeIllegal},
		{"ana", "accept " + at, Refused, codeNotOpen},
		{"ana", "accept " + at + " --number 99", Refused, codeConflict},
		{"ana", "join " + waiting, Refused, codeNotYours},
		{"guest", "join " + waiting, Refused, codeGuest},
		{"guest", "name guido", Refused, codeGuest},
		{"uma", "name ana", Refused, codeNameTaken},
		{"uma", "name a", Refused, codeBadName},
		{"uma", "recover ana 1234", Refused, codeWrongCode},
		{"ana", "name ana", Refused, codeConflict},
		{"ana", "follow ana", Refused, codeNotYours},
	} {
		out, complaint := h.as(tt.who, tt.status, tt.line+" --json")
		var got refusalJSON
		if err := json.Unmarshal([]byte(out), &got); err != nil || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %q on stdout: %v", tt.line, out, err)
			continue
		}
		if got.Error.Code != tt.want || !strings.HasPrefix(complaint, got.Error.Message) || got.Error.Message == "" {
			t.Errorf("%s: %+v, want the code %s and the words %q", tt.line, got.Error, tt.want, complaint)
		}
		if out, _ := h.as(tt.who, tt.status, tt.line); out != "" {
			t.Errorf("%s without --json prints %q", tt.line, out)
		}
	}
	if out, _ := h.as("eva", Refused, "say "+at+"X is this --json or not?"); out != "" {
		t.Errorf("a word of a text asks for JSON: %q", out)
	}
}

// TestEndsAreObjects: so is the end of a command because the club, its node or the caller's session ends, behind what it has printed.
func TestEndsAreObjects(t *testing.T) {
	h := newFixture(t)
	at := h.object("ana", "new 4mation --json")["code"].(string)
	for _, tt := range []struct {
		why   error
		code  code
		words string
	}{
		{context.Canceled, codeClosed, "The club is closing"},
		{lobby.ErrBanned, codeClosed, "banned"},
		{lobby.ErrMadeRoom, codeFull, "full"},
	} {
		for _, line := range []string{"watch " + at + " --json", "show " + at, "show " + at + " --json"} {
			ctx, end := context.WithCancelCause(t.Context())
			var out, complaints strings.Builder
			printed := writerFunc(func(p []byte) (int, error) { end(tt.why); return out.Write(p) }) // once a line is there
			if strings.HasPrefix(line, "show") {
				end(tt.why)
			}
			if status := h.run.Run(ctx, key("ana"), line, printed, &complaints); status != Refused || !strings.Contains(complaints.String(), tt.words) {
				t.Errorf("%s ended by %v: status %d, %q", line, tt.why, status, complaints.String())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			var got refusalJSON
			err := json.Unmarshal([]byte(lines[len(lines)-1]), &got)
			if scripted := strings.HasSuffix(line, "--json"); scripted != (err == nil && got.Error.Code == tt.code) {
				t.Errorf("%s ended by %v prints last %q", line, tt.why, lines[len(lines)-1])
			}
		}
	}
}

// TestRefusalsSayWhenToRetry: a refusal that is only for a while says in seconds for how long, rounded up.
func TestRefusalsSayWhenToRetry(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&lobby.TooFastError{Wait: 1500 * time.Millisecond}, `{"error":{"code":"throttled","message":"m","retry_s":2}}`},
		{&lobby.ThrottledError{Wait: time.Minute}, `{"error":{"code":"throttled","message":"m","retry_s":60}}`},
		{&lobby.ClaimEarlyError{Wait: time.Second}, `{"error":{"code":"not_open","message":"m","retry_s":1}}`},
		{fmt.Errorf("%w: <disk>", lobby.ErrBusy), `{"error":{"code":"busy","message":"m"}}`},
		{errors.New("none of the club's own"), `{"error":{"code":"busy","message":"m"}}`},
		{lobby.ErrNodeCloses, `{"error":{"code":"closed","message":"m"}}`},
	} {
		if got := strings.TrimSpace(string(refusalLine(codeOf(tt.err), "m", retryAfter(tt.err)))); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.err, got, tt.want)
		}
	}
}

// TestEveryErrorHasACode: each error of the lobby stands in the table of codes once, and each code in the contract.
func TestEveryErrorHasACode(t *testing.T) {
	named := map[string]int{}
	table, err := os.ReadFile("refusals.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := string(table)
	rows = rows[strings.Index(rows, "var codes"):strings.Index(rows, "// codeOf")]
	for _, name := range regexp.MustCompile(`lobby\.(Err[A-Za-z]+)`).FindAllStringSubmatch(rows, -1) {
		named[name[1]]++
	}
	f, err := parser.ParseFile(gotoken.NewFileSet(), "../../lobby/errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Err") {
			found++
			if name := spec.Names[0].Name; named[name] != 1 {
				t.Errorf("%s has %d codes", name, named[name])
			}
		}
		return true
	})
	if found < 80 {
		t.Errorf("the lobby has only %d errors", found)
	}
	page, err := os.ReadFile("testdata/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile("`code` is one of ([^;]*);").FindStringSubmatch(string(page))
	if list == nil {
		t.Fatal("the page lists no codes")
	}
	listed := regexp.MustCompile(`[a-z_]+`).FindAllString(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(list[1], ""), -1)
	for _, row := range codes {
		if !slices.Contains(listed, string(row.code)) {
			t.Errorf("%s is not in the contract", row.code)
		}
	}
}
