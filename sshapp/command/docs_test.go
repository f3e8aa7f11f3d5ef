package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// TestDocsAreCurrent compares the pages in docs with the table of commands. go generate ./sshapp/command writes them.
func TestDocsAreCurrent(t *testing.T) {
	for name, want := range Docs() {
		got, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is not what go generate ./sshapp/command writes: %v", name, err)
		}
	}
}

// walk calls f with each row of the table, and of the rows in it.
func walk(all []*row, f func(*row)) {
	for _, d := range all {
		f(d)
		walk(d.Sub, f)
	}
}

// TestEveryRowIsExplained: help has a sentence for each command, argument, flag and field, and an example that the command takes.
func TestEveryRowIsExplained(t *testing.T) {
	rows, fields := 0, 0
	walk(table(), func(d *row) {
		rows++
		h := d.Help()
		if h.Summary == "" {
			t.Errorf("%s has no summary", h.Command)
		}
		for _, a := range h.Args {
			if a.Help == "" {
				t.Errorf("%s: %s is not explained", h.Command, a.Name)
			}
		}
		for _, f := range h.Flags {
			if f.Help == "" {
				t.Errorf("%s: --%s is not explained", h.Command, f.Name)
			}
		}
		for _, f := range h.Fields {
			fields++
			if f.Help == "" {
				t.Errorf("%s: the field %s is not explained", h.Command, f.Name)
			}
		}
		if len(h.Fields) == 0 {
			t.Errorf("%s has no fields", h.Command)
		}
	})
	if rows < 70 || fields < 300 {
		t.Errorf("only %d rows and %d fields", rows, fields)
	}
}

// TestFieldsAreThose compares what help says of the fields of a command with testdata/contract.txt.
func TestFieldsAreThose(t *testing.T) {
	text, err := os.ReadFile("testdata/contract.txt")
	if err != nil {
		t.Fatal(err)
	}
	section, checked := (*row)(nil), 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2 || words[0] == "#" || words[0] == ">" || words[0] == "not":
		case words[0] == "=":
			section = tree.Find(table(), words[1])
		case section != nil && len(section.Sub) == 0:
			checked++
			found := false
			for _, f := range section.Help().Fields {
				found = found || f.Name == words[0]
			}
			if !found {
				t.Errorf("help %s says nothing of %s", section.Name, words[0])
			}
		}
	}
	if checked < 150 {
		t.Errorf("only %d fields were checked", checked)
	}
}

// TestHelpOfOne: help COMMAND and COMMAND --help print the same to stdout, for people and for scripts.
func TestHelpOfOne(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"new", "show", "keys", "keys add", "chat on", "say"} {
		for _, json := range []string{"", " --json"} {
			asked, _ := h.as("guest", Done, "help "+name+json)
			flag, _ := h.as("guest", Done, name+" --help"+json)
			if asked != flag || asked == "" {
				t.Errorf("help %s%s is %q, and with --help %q", name, json, asked, flag)
			}
		}
	}
	one := h.object("guest", "help new --json")
	if one["command"] != "new" || len(one["args"].([]any)) != 2 || len(one["flags"].([]any)) != 11 || len(one["fields"].([]any)) != 7 {
		t.Errorf("help new --json is %v", one)
	}
	for _, of := range []map[string]any{one, one["args"].([]any)[0].(map[string]any), one["flags"].([]any)[0].(map[string]any), one["fields"].([]any)[0].(map[string]any)} {
		if of["help"] == nil && of["summary"] == nil {
			t.Errorf("no words in %v", of)
		}
	}
	page, err := os.ReadFile("testdata/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	promised := regexp.MustCompile("`help COMMAND --json` gives `([^`]*)`").FindStringSubmatch(string(page))
	if promised == nil {
		t.Fatal("the page no longer says what help COMMAND --json gives")
	}
	help, _ := h.as("guest", Done, "help new --json")
	for _, field := range regexp.MustCompile(`"[a-z]+"`).FindAllString(promised[1], -1) {
		if !strings.Contains(help, field+":") {
			t.Errorf("help new --json lacks %s", field)
		}
	}
	people, _ := h.as("guest", Done, "help new")
	for _, want := range []string{"--side first|second|random", "the side that you play (without it: random)", "Example: ssh HOST new tanks", "code, id, game, options, side, clock, waiting", "Exit status"} {
		if !strings.Contains(people, want) {
			t.Errorf("help new lacks %q:\n%s", want, people)
		}
	}
}

// TestHelpFits: no line of help is wider than 80 columns, in any language.
func TestHelpFits(t *testing.T) {
	for _, language := range []string{"en", "de", "pt"} {
		say := wording.In(language)
		walk(table(), func(d *row) {
			for line := range strings.Lines(d.Page(say.Say)) {
				if line = strings.TrimSuffix(line, "\n"); text.Width(line) > tree.Width || strings.TrimRight(line, " ") != line {
					t.Errorf("%s, help %s: %q", language, d.FullName(), line)
				}
			}
		})
	}
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	for _, language := range []string{"en", "de", "pt"} {
		for _, line := range []string{"help", "operator"} {
			var out, complaints strings.Builder
			h.run.Run(t.Context(), Caller{ConnectionID: "here", Operator: true, Locale: wording.In(language)}, line, &out, &complaints)
			if out.Len() == 0 {
				t.Errorf("%s, %s: %s", language, line, complaints.String())
			}
			for shown := range strings.Lines(out.String()) {
				if text.Width(strings.TrimSuffix(shown, "\n")) > tree.Width {
					t.Errorf("%s, %s: %q", language, line, shown)
				}
			}
		}
	}
}

// TestMisspelt: the answer to a misspelt command, sub-command or flag names the nearest right one.
func TestMisspelt(t *testing.T) {
	h := newFixture(t)
	for line, want := range map[string]string{
		"shwo K7QM2X": `There is no command "shwo". Did you mean show?`, "help shwo": "Did you mean show?", "keys ad": "Did you mean add?",
		"new tanks --ratde": `There is no flag "--ratde" here. Did you mean --rated?`, "history --limt 3": "Did you mean --limit?",
	} {
		if _, said := h.as("guest", Usage, line); !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", line, said, want)
		}
	}
}

// TestHelpIsGrouped: every command stands under the heading of its group, and each heading once.
func TestHelpIsGrouped(t *testing.T) {
	h := newFixture(t)
	out, _ := h.as("guest", Done, "help")
	headings := regexp.MustCompile(`(?m)^\n([A-Z][a-z ]+)\n  `).FindAllStringSubmatch(out, -1)
	seen := map[string]bool{}
	for _, m := range headings {
		if seen[m[1]] {
			t.Errorf("%s stands twice", m[1])
		}
		seen[m[1]] = true
	}
	if len(seen) != 11 || seen["Operators"] {
		t.Errorf("the headings are %v", seen)
	}
}
