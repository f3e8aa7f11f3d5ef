package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/notices"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	noticestore "ludoteca/storage/notices"
	tournamentstore "ludoteca/storage/tournaments"
)

// TestContract runs the commands of testdata/contract.txt and holds their answers against the fields that are listed there. What is
// marked as not yet there must not be there: a change that adds it takes the mark away, so that it is tested from then on.
func TestContract(t *testing.T) {
	text, err := os.ReadFile("testdata/contract.txt")
	if err != nil {
		t.Fatal(err)
	}
	var days atomic.Int64 // that have passed since the contract began
	mailed := make(mailedCodes, 1)
	h := newFixture(t, func(cfg *lobby.Config) {
		cfg.Notices = mailed
		cfg.Now = func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) }
	})
	defer h.run.lobby.Presence.Visit(h.run.lobby.Accounts.Guest("another"), true).Leave(false)
	h.run.options = Options{Database: h.store.Results, Status: func() status.Status { return status.Status{DiskFree: -1, Refusals: []status.Refusal{}} }}
	if err := h.run.lobby.Operators.SignWith(t.Context(), []byte("a key")); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range table() {
		if !d.Prompt {
			names = append(names, d.Name)
		}
	}
	c := contract{commands: names, run: func(caller, line string) (string, error) {
		if strings.HasPrefix(line, "claim ") {
			days.Add(3) // of silence
		}
		if strings.HasPrefix(line, "notify mail") {
			days.Add(1) // an account needs to be as old
		}
		if strings.HasSuffix(line, "MAILED") {
			line = strings.ReplaceAll(line, "MAILED", <-mailed)
		}
		if strings.HasPrefix(line, "event new ") {
			days.Add(8) // so that no account is too young
		}
		if strings.HasPrefix(line, "event resume ") {
			days.Add(29)
			defer h.untilEventsRun()
		}
		return h.runJSON(caller, line)
	}}
	for _, problem := range c.check(string(text)) {
		t.Error(problem)
	}
	if c.fields < 200 {
		t.Errorf("only %d fields were checked", c.fields)
	}
}

// mailedCodes is a sender of notices that keeps the codes.
type mailedCodes chan string

// Sends implements notices.Sender.
func (mailedCodes) Sends(noticestore.Kind) bool { return true }

// Send implements notices.Sender.
func (m mailedCodes) Send(_ context.Context, _ noticestore.Address, l notices.Letter) error {
	if l.Kind == notices.CodeAsked {
		m <- l.Code
	}
	return nil
}

// untilEventsRun waits until every event that is announced runs.
func (h *fixture) untilEventsRun() {
	for number := uint64(0); ; {
		all, err := h.run.lobby.Tournaments.Reader.List(h.t.Context(), number)
		if err != nil {
			h.t.Fatal(err)
		}
		if !slices.ContainsFunc(all.All, func(v *tournaments.View) bool { return v.Stage != tournamentstore.Running }) {
			return
		}
		number = all.Number
	}
}

// runJSON runs a command with --json. The caller called operator is one.
func (h *fixture) runJSON(name, line string) (out string, err error) {
	who := key(name)
	who.Operator = name == "operator"
	var o, complaints bytes.Buffer
	ctx, leave := context.WithCancel(h.t.Context())
	defer leave()
	if line == "import" {
		input := strings.NewReader(fromElsewhere)
		who.Receive = func(_ context.Context, p []byte) (int, error) { return input.Read(p) }
	}
	if strings.HasPrefix(line, "tv") || strings.HasPrefix(line, "watch") {
		h.run.Run(ctx, who, line+" --json", &leaving{&o, leave}, &complaints)
		return o.String(), nil
	}
	if got := h.run.Run(ctx, who, line+" --json", &o, &complaints); got != Done {
		return "", fmt.Errorf("status %d: %s", got, complaints.String())
	}
	return o.String(), nil
}

// leaving is the output of a caller who leaves after the first line. Later writes fail.
type leaving struct {
	out   *bytes.Buffer
	leave func()
}

func (l *leaving) Write(p []byte) (int, error) {
	if l.out.Len() > 0 {
		return 0, io.ErrClosedPipe
	}
	l.leave()
	return l.out.Write(p)
}

// TestContractFindsProblems makes sure that the test above would find something.
func TestContractFindsProblems(t *testing.T) {
	answers := map[string]string{
		"show": `{"id":"x","ply":1.5,"since":null,"at":"2026-01-01T00:00:00+01:00","list":[{"key":"a"},{"key":1}],"side":"third"}` + "\n",
		"two":  `{"code":"ABC"}` + "\n" + `{"code":"DEF"}` + "\n",
		"none": "",
	}
	for _, tt := range []struct{ text, want string }{
		{"= show\n> ana show\nid string\nside third|-\n", ""},
		{"= show\n> ana show\nname string\n", "name is missing"},
		{"= show\n> ana show\nid int\n", "id is \"x\", want int"},
		{"= show\n> ana show\nply int\n", "ply is 1.5, want int"},
		{"= show\n> ana show\nply number\n", ""},
		{"= show\n> ana show\nsince time\n", "since is null, want time"},
		{"= show\n> ana show\nsince time?\n", ""},
		{"= show\n> ana show\nat time\n", "at is \"2026-01-01T00:00:00+01:00\", want time"},
		{"= show\n> ana show\nlist[].key string\n", "list[].key is 1, want string"},
		{"= show\n> ana show\nlist[].name string\n", "list[].name is missing"},
		{"= show\n> ana show\nside first|second|-\n", "side is \"third\", want first|second|-"},
		{"= show\n> ana show\nid string\nnot yet ply int\n", "ply is there, and marked as not yet there"},
		{"= show\n> ana show\nid string\nnot yet clock int\n", ""},
		{"= two\n> ana two (3 lines)\ncode string\n", "2 lines, want 3"},
		{"= two\n> ana two => CODE\ncode string\n= show\n> ana show\n", ""},
		{"= none\n> ana none\ncode string\n", "no line"},
		{"= none\n> ana none (0 lines)\ncode string\n", "code is checked nowhere"},
		{"not yet = none\ncode string\n", "none is there, and marked as not yet there"},
		{"not yet = draw\ncode string\n", ""},
		{"= show\n> ana fail\n", "no such answer"},
		{"= show\nid string\n", "there is no line to run"},
		{"= show\n> ana show $NOBODY\nid string\n", "$NOBODY"},
	} {
		c := contract{commands: []string{"show", "two", "none"}, run: func(_, line string) (string, error) {
			name, _, _ := strings.Cut(line, " ")
			out, ok := answers[name]
			if !ok {
				return "", fmt.Errorf("no such answer")
			}
			return out, nil
		}}
		problems := slices.DeleteFunc(c.check(tt.text), func(p string) bool { return strings.HasSuffix(p, "is not in the contract") })
		all := strings.Join(problems, "\n")
		if (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
			t.Errorf("%q: problems %q, want %q", tt.text, all, tt.want)
		}
	}
	c := contract{commands: []string{"show"}}
	if got := c.check("# nothing\n"); !slices.Equal(got, []string{"show is not in the contract"}) {
		t.Errorf("a command that is left out: %q", got)
	}
}

// A contract checks answers of commands against the text of testdata/contract.txt, which says how it is written.
type contract struct {
	run      func(caller, line string) (out string, err error)
	commands []string // all existing ones
	fields   int      // how many fields of answers were checked

	codes    map[string]string
	problems []string
	answers  []map[string]any // to the commands of the present section
	section  string
	pending  bool // the section is about a command that is not there yet
	ran      bool // a command of the section was run
}

func (c *contract) check(text string) (problems []string) {
	c.codes = map[string]string{}
	known := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		at := len(c.problems)
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
			continue
		case words[0] == "=":
			c.begin(words[1], false)
			known[c.section] = true
		case strings.HasPrefix(line, "not yet = "):
			c.begin(words[3], true)
			if known[c.section] = true; slices.Contains(c.commands, c.section) {
				c.problem("%s is there, and marked as not yet there", c.section)
			}
		case words[0] == ">":
			c.execute(strings.TrimPrefix(line, "> "))
		case c.pending:
		case !c.ran:
			c.problem("there is no line to run")
		case strings.HasPrefix(line, "not yet "):
			c.absent(words[2])
		default:
			c.field(words[0], words[1])
		}
		for ; at < len(c.problems); at++ {
			c.problems[at] = fmt.Sprintf("line %d, %s: %s", i+1, c.section, c.problems[at])
		}
	}
	for _, name := range c.commands {
		if !known[name] {
			c.problem("%s is not in the contract", name)
		}
	}
	return c.problems
}

func (c *contract) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *contract) begin(section string, pending bool) {
	c.section, c.pending, c.ran, c.answers = section, pending, false, nil
}

// execute runs a line of the form "CALLER COMMAND [(N lines)] [=> NAME]".
func (c *contract) execute(line string) {
	c.ran = true
	line, name, _ := strings.Cut(line, " => ")
	line, count, counted := strings.Cut(line, " (")
	for code, value := range c.codes {
		line = strings.ReplaceAll(line, "$"+code, value)
	}
	if _, missing, found := strings.Cut(line, "$"); found {
		c.problem("nothing has given $%s", missing)
		return
	}
	caller, command, _ := strings.Cut(line, " ")
	out, err := c.run(caller, command)
	if err != nil {
		c.problem("%s: %v", line, err)
		return
	}
	lines := 0
	for text := range strings.Lines(out) {
		var answer map[string]any
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			c.problem("%s prints %q: %v", line, text, err)
			continue
		}
		lines++
		c.answers = append(c.answers, answer)
		if code, ok := answer["code"].(string); ok && lines == 1 && name != "" {
			c.codes[name] = code
		}
	}
	if want, _, _ := strings.Cut(count, " "); counted && want != fmt.Sprint(lines) {
		c.problem("%s prints %d lines, want %s", line, lines, want)
	}
	if !counted && lines == 0 {
		c.problem("%s prints no line", line)
	}
}

// field checks that every answer of the section has a field of that type.
func (c *contract) field(path, kind string) {
	checked := 0
	for _, answer := range c.answers {
		for _, value := range valuesAt(answer, path) {
			checked++
			switch {
			case value == absent:
				c.problem("%s is missing", path)
			case !isKind(value, kind):
				text, _ := json.Marshal(value)
				c.problem("%s is %s, want %s", path, text, kind)
			}
		}
	}
	if c.fields += checked; checked == 0 {
		c.problem("%s is checked nowhere", path)
	}
}

// absent checks that no answer of the section has a field.
func (c *contract) absent(path string) {
	for _, answer := range c.answers {
		if slices.ContainsFunc(valuesAt(answer, path), func(value any) bool { return value != absent }) {
			c.problem("%s is there, and marked as not yet there", path)
			return
		}
	}
}

// absent stands for a field that isn't there.
const absent missing = "absent"

type missing string

// valuesAt returns what stands at a path such as options[].key: the field of every element of the list.
func valuesAt(value any, path string) []any {
	if path == "" {
		return []any{value}
	}
	key, rest, _ := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(key, "[]")
	object, ok := value.(map[string]any)
	if value == nil && ok == false {
		return nil // an object that may be null
	}
	inner, there := object[name]
	if !there {
		return []any{absent}
	}
	if !isList {
		return valuesAt(inner, rest)
	}
	list, ok := inner.([]any)
	if !ok {
		return []any{absent}
	}
	var all []any
	for _, element := range list {
		all = append(all, valuesAt(element, rest)...)
	}
	return all
}

// isKind reports whether a value is of a type as the contract names it.
func isKind(value any, kind string) bool {
	if orNull, ok := strings.CutSuffix(kind, "?"); ok {
		return value == nil || isKind(value, orNull)
	}
	switch v := value.(type) {
	case bool:
		return kind == "bool"
	case float64:
		return kind == "number" || kind == "int" && v == float64(int64(v))
	case []any:
		return kind == "list" || kind == "strings" && !slices.ContainsFunc(v, func(e any) bool { return !isKind(e, "string") })
	case map[string]any:
		return kind == "object" || kind == "options" && len(v) > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return !isKind(e, "int") })
	case string:
		switch kind {
		case "string":
			return true
		case "text":
			return v != ""
		case "time":
			at, err := time.Parse(time.RFC3339, v)
			return err == nil && at.Location() == time.UTC
		case "kind":
			return slices.Contains([]string{string(storage.Person), string(storage.Guest), string(storage.Bot), "engine"}, v)
		}
		return slices.Contains(strings.Split(strings.ReplaceAll(kind, "-", ""), "|"), v) && strings.Contains(kind, "|")
	}
	return false
}
