package command

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/sshapp/command/tree"
)

// TestContractUsage compares the arguments and flags that testdata/commands.md promises with the table of commands.
func TestContractUsage(t *testing.T) {
	text, err := os.ReadFile("testdata/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(text)) {
		for _, u := range usagesIn(strings.TrimRight(line, "\n")) {
			args, flags := 0, 0
			for _, problem := range u.check(table(), &args, &flags) {
				t.Errorf("%s: %s", u.text, problem)
			}
			checked += args + flags
		}
	}
	if checked < 80 {
		t.Errorf("only %d arguments and flags were checked", checked)
	}
}

// A promisedUsage is one way to call some commands, as the page shows it.
type promisedUsage struct {
	text  string
	names []string // of the commands: draw|takeback|rematch CODE has three
	words []promisedWord
	more  bool // the page leaves the rest out: ...
}

// A promisedWord is an argument or a flag on the page.
type promisedWord struct {
	name     string // a flag begins with --
	value    string // of a flag; "" for one that stands alone
	optional bool
}

var (
	sshLine      = regexp.MustCompile(`^    ssh (?:-t )?HOST ([a-z].*)$`)
	operatorLine = regexp.MustCompile(`^    operator ([a-z].*)$`)
	brackets     = regexp.MustCompile(`\[[^\]]*\]|[^ \[\]]+`)
)

// usagesIn returns the usages on a line of the page.
func usagesIn(line string) (all []promisedUsage) {
	usage, parent := "", ""
	if m := sshLine.FindStringSubmatch(line); m != nil {
		usage = m[1]
	} else if m := operatorLine.FindStringSubmatch(line); m != nil {
		usage, parent = m[1], "operator "
	}
	usage, _, _ = strings.Cut(usage, "  ")
	for text := range strings.SplitSeq(usage, " | ") {
		if tokens := brackets.FindAllString(text, -1); len(tokens) > 0 && !strings.HasPrefix(tokens[0], "{") {
			all = append(all, readUsage(parent, text, tokens))
		}
	}
	return all
}

func readUsage(parent, text string, tokens []string) promisedUsage {
	u := promisedUsage{text: parent + text}
	for name := range strings.SplitSeq(tokens[0], "|") {
		u.names = append(u.names, parent+name)
	}
	tokens = tokens[1:]
	if len(tokens) > 0 && tree.Find(table(), u.names[0]) != nil && tree.Find(tree.Find(table(), u.names[0]).Sub, tokens[0]) != nil {
		u.names, tokens = []string{u.names[0] + " " + tokens[0]}, tokens[1:]
	}
	for i := 0; i < len(tokens); i++ {
		word, optional := strings.CutPrefix(tokens[i], "[")
		word = strings.TrimSuffix(word, "]")
		switch {
		case word == "...":
			u.more = true
		case optional && strings.HasPrefix(word, "--"):
			for one := range strings.SplitSeq(strings.ReplaceAll(word, "|--", "\n--"), "\n") {
				name, value, _ := strings.Cut(one, " ")
				u.words = append(u.words, promisedWord{name, value, true})
			}
		case strings.HasPrefix(word, "--"):
			w := promisedWord{name: word}
			if i+1 < len(tokens) && !strings.HasPrefix(tokens[i+1], "[") && !strings.HasPrefix(tokens[i+1], "--") {
				i++
				w.value = tokens[i]
			}
			u.words = append(u.words, w)
		default:
			u.words = append(u.words, promisedWord{word, "", optional})
		}
	}
	return u
}

// check returns what the table of commands doesn't keep of a usage. It counts what it has checked.
func (u promisedUsage) check(table []*row, args, flags *int) (problems []string) {
	say := func(format string, values ...any) { problems = append(problems, fmt.Sprintf(format, values...)) }
	var rows []*row
	for _, full := range u.names {
		d, among := (*row)(nil), table
		for name := range strings.FieldsSeq(full) {
			if d = tree.Find(among, name); d == nil {
				say("there is no command %s", full)
				return problems
			}
			among = d.Sub
		}
		rows = append(rows, d)
	}
	for _, w := range u.words {
		name, isFlag := strings.CutPrefix(w.name, "--")
		if !isFlag || name == "json" {
			continue
		}
		*flags++
		var found *tree.Flag
		for _, d := range rows {
			for _, f := range d.Flags() {
				if f.Name == name {
					found = &f
				}
			}
		}
		switch {
		case found == nil:
			say("there is no flag --%s", name)
		case (found.Value == "") != (w.value == ""):
			say("--%s takes %q, and the page says %q", name, found.Value, w.value)
		case strings.Contains(w.value, "|") && w.value == strings.ToLower(w.value) && w.value != found.Value:
			say("--%s takes %s, and the page says %s", name, found.Value, w.value)
		case found.Needed && w.optional:
			say("--%s is needed, and the page says that it may be left out", name)
		}
	}
	for _, d := range rows {
		if d.Run == nil || strings.Contains(d.Usage, "|") && len(u.words) == 0 {
			continue
		}
		least, at := 0, 0
		for _, w := range u.words {
			if strings.HasPrefix(w.name, "--") {
				continue
			}
			*args++
			if !w.optional {
				least++
			}
			i := slices.IndexFunc(d.Args[at:], func(a tree.Arg) bool { return sameArgument(a.Name, w.name) })
			switch {
			case i < 0:
				say("%s takes no %s here", d.FullName(), w.name)
			case w.optional && !d.Args[at+i].Optional:
				say("%s needs %s", d.FullName(), w.name)
				at += i + 1
			default:
				at += i + 1
			}
		}
		needed := 0
		for _, a := range d.Args {
			if !a.Optional {
				needed++
			}
		}
		if least < needed && !u.more {
			say("%s needs %d words, and the page shows %d", d.FullName(), needed, least)
		}
	}
	return problems
}

// sameArgument reports whether an argument of the table is the one that the page calls so: record ID|CODE is record ID there.
func sameArgument(name, page string) bool {
	all := strings.Split(name, "|")
	return name == page || slices.Contains(all, page) || page == "CODE|ID" && name == "ID|CODE"
}

// TestUsagesIn makes sure that the page is read as it is meant, and that the check finds what differs.
func TestUsagesIn(t *testing.T) {
	var got []string
	for _, u := range usagesIn("    ssh HOST draw|takeback CODE [--number N] | keys add | report NAME REASON [--match CODE|ID] | delete --yes  deletes | nothing") {
		got = append(got, fmt.Sprint(u.names, u.words))
	}
	want := []string{"[draw takeback] [{CODE  false} {--number N true}]", "[keys add] []", "[report] [{NAME  false} {REASON  false} {--match CODE|ID true}]", "[delete] [{--yes  false}]"}
	if !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	for line, want := range map[string]string{
		"    ssh HOST nothing":                                  "there is no command nothing",
		"    ssh HOST show":                                     "show needs 1 words, and the page shows 0",
		"    ssh HOST show [CODE]":                              "show needs CODE",
		"    ssh HOST show CODE MORE":                           "show takes no MORE here",
		"    ssh HOST show CODE [--wrods]":                      "there is no flag --wrods",
		"    ssh HOST show CODE [--words N]":                    `--words takes "", and the page says "N"`,
		"    ssh HOST new GAME [--side first|second]":           "--side takes first|second|random, and the page says first|second",
		"    operator close NAME [--reason TEXT]":               "--reason is needed, and the page says that it may be left out",
		"    operator reports [--done NUMBER|--done-with NAME]": "there is no flag --done-with",
	} {
		var problems []string
		n := 0
		for _, u := range usagesIn(line) {
			problems = append(problems, u.check(table(), &n, &n)...)
		}
		if !slices.Contains(problems, want) {
			t.Errorf("%s: %q, want %q", line, problems, want)
		}
	}
}

// TestContractStatuses compares the exit statuses on the page with the constants, and the headers of records with the ones that games has.
func TestContractStatuses(t *testing.T) {
	text, err := os.ReadFile("testdata/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	m := regexp.MustCompile(`Exit status: (\d) done, (\d) refused or not found \([^)]*\), (\d) wrong usage`).FindStringSubmatch(words)
	if m == nil || m[1] != strconv.Itoa(Done) || m[2] != strconv.Itoa(Refused) || m[3] != strconv.Itoa(Usage) {
		t.Errorf("the page says %q of exit statuses", m)
	}
	m = regexp.MustCompile(`as in PGN \(([^;]*);`).FindStringSubmatch(words)
	if m == nil {
		t.Fatal("the page lists no headers of records")
	}
	known := []string{
		games.HeaderGame, games.HeaderOptions, games.HeaderFirst, games.HeaderSecond, games.HeaderResult, games.HeaderReason, games.HeaderStarted, games.HeaderEnded,
		games.HeaderRated, games.HeaderID, games.HeaderSite, games.HeaderFirstKind, games.HeaderSecondKind, games.HeaderFirstRating, games.HeaderSecondRating,
		games.HeaderClock, games.HeaderSetUp, games.HeaderFEN,
		games.HeaderEvent, games.HeaderRound,
	}
	for header := range strings.SplitSeq(m[1], ", ") {
		if !slices.Contains(known, header) {
			t.Errorf("no record has the header %s", header)
		}
	}
}
