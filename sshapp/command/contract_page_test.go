package command

import (
	"cmp"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/command/tree"
)

// TestContractIsComplete compares testdata/contract.txt, which has a type for each field, with testdata/commands.md, the page that lists the
// commands and their output.
func TestContractIsComplete(t *testing.T) {
	promised, like := readPage(t)
	typed := map[string]map[string]string{} // by command and field
	section := ""
	text, err := os.ReadFile("testdata/contract.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2 || words[0] == "#":
		case words[0] == "=":
			section = words[1]
		case words[0] == ">":
			if sub := strings.Join(words[2:min(4, len(words))], " "); promised[sub] != nil {
				section = sub
			}
			if typed[section] == nil {
				typed[section] = map[string]string{}
			}
		case words[0] != "not":
			typed[section][words[0]] = words[1]
		}
	}
	fields := 0
	for command, paths := range promised {
		name, _, _ := strings.Cut(command, " ")
		if tree.Find(table(), name) == nil {
			t.Errorf("there is no command %s", name)
		}
		for path := range paths {
			kind, ok := typed[command][path]
			if like := like[command]; !ok && like != "" { // they print the same: TestMatchesByCommands
				kind, ok = typed[like][path]
			}
			name := path[strings.LastIndexByte(path, '.')+1:]
			switch times := []string{"at", "since", "started", "ended", "added", "last_used", "expires", "begins", "ends", "until", "vacation_until", "stands_until"}; {
			case !ok:
				t.Errorf("%s: no type for %s", command, path)
			case slices.Contains(times, name) != (strings.TrimSuffix(kind, "?") == "time"):
				t.Errorf("%s: %s is of the type %s", command, path, kind)
			}
			fields++
		}
	}
	if len(promised) < 40 || fields < 200 {
		t.Errorf("the page has %d commands with %d fields", len(promised), fields)
	}
}

// readPage returns the fields of each command of the page, as paths such as options[].key, and which command prints what another one does.
func readPage(t *testing.T) (fields map[string]map[string]bool, like map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	p := newPage()
	for line := range strings.Lines(string(text) + "\n\n") {
		switch {
		case strings.HasPrefix(line, "With `--json` a refusal"): // TestRefusalsAreObjects
		case strings.HasPrefix(line, "`help COMMAND` and"): // TestHelpOfOne
		case strings.HasPrefix(line, "`--version` and"): // of the binary
		default:
			p.line(strings.TrimRight(line, "\n"))
		}
	}
	p.like["tv"] = cmp.Or(p.like[p.like["tv"]], p.like["tv"]) // it is as watch, and that as show
	for command, like := range p.like {
		maps.Copy(p.fields[command], p.fields[like])
	}
	const marks = "Computer players are marked: `first_kind` and `second_kind`"
	if !strings.Contains(string(text), marks) {
		t.Errorf("the page no longer says: %s", marks)
	}
	for _, fields := range p.fields {
		if fields["first"] {
			fields["first_kind"], fields["second_kind"] = true, true
		}
	}
	return p.fields, p.like
}

// A page is what was read of commands.md.
type page struct {
	fields map[string]map[string]bool
	like   map[string]string // commands that print what another one does, and more
	last   []string          // the commands of the last line about any
	said   string            // of them
	prose  string            // the paragraph that is being read
}

func newPage() *page { return &page{fields: map[string]map[string]bool{}, like: map[string]string{}} }

var (
	commandLine = regexp.MustCompile(`^    ssh (?:-t )?HOST ?(.*)$`)
	likeOther   = regexp.MustCompile("as `([a-z]+)`")
	codeSpan    = regexp.MustCompile("`([^`]*)`")
	otherGains  = regexp.MustCompile("^ +`([a-z]+)` gains ([^;]*)") // what is said of another command below one
)

func (p *page) line(line string) {
	switch m := commandLine.FindStringSubmatch(line); {
	case m != nil:
		p.about()
		usage, rest, _ := strings.Cut(m[1], "  ")
		p.last = nil
		for words := range strings.SplitSeq(usage, " | ") {
			first, second, _ := strings.Cut(strings.TrimSpace(words), " ")
			for name := range strings.SplitSeq(first, "|") {
				if second == "add" {
					name += " add"
				}
				if name != "" && !strings.HasPrefix(name, "{") {
					p.last = append(p.last, name)
					p.add(name, "")
				}
			}
		}
		p.said = rest
	case otherGains.MatchString(line):
		m := otherGains.FindStringSubmatch(line)
		p.add(m[1], m[2])
	case strings.HasPrefix(line, "    "):
		p.said += line
	case line == "":
		p.about()
		p.paragraph(p.prose)
		p.prose = ""
	default:
		p.prose += line + " "
	}
}

// about takes in what is said of the commands of the last line.
func (p *page) about() {
	for _, command := range p.last {
		if m := likeOther.FindStringSubmatch(p.said); m != nil {
			p.like[command] = m[1]
		}
		p.add(command, p.said)
	}
	p.last, p.said = nil, ""
}

// paragraph takes in sentences such as: `show` and `watch` gain `"position"`, `"rated"`. `history` gains `clock`.
func (p *page) paragraph(text string) {
	var subjects []string
	used := false
	for _, at := range codeSpan.FindAllStringSubmatchIndex(text, -1) {
		span, before := text[at[2]:at[3]], text[:at[0]]
		name, _, _ := strings.Cut(span, " ")
		switch {
		case strings.Contains(span, `"`) && !strings.HasPrefix(span, `""`):
			used = true
			for _, s := range subjects {
				p.add(s, span)
			}
		case strings.HasSuffix(before, " gain ") && p.fields[name] == nil:
			used = true
			for _, s := range subjects {
				p.add(s, `"`+span+`"`)
			}
		case p.fields[name] != nil:
			if used {
				subjects, used = nil, false
			}
			subjects = append(subjects, name)
		}
	}
}

var fieldToken = regexp.MustCompile(`"([a-z_]+)"(:\[?\{)?|\{|\}`)

// add adds the fields that a text names: {"game","options":[{"key","name"}]}.
func (p *page) add(command, text string) {
	if p.fields[command] == nil {
		p.fields[command] = map[string]bool{}
	}
	prefixes := []string{""}
	for _, m := range fieldToken.FindAllStringSubmatch(text, -1) {
		prefix := prefixes[len(prefixes)-1]
		switch {
		case m[0] == "{":
			prefixes = append(prefixes, prefix)
		case m[0] == "}":
			prefixes = prefixes[:max(len(prefixes)-1, 1)]
		case m[2] != "":
			list := cmp.Or(map[bool]string{true: "[]"}[strings.Contains(m[2], "[")], "")
			prefixes = append(prefixes, prefix+m[1]+list+".")
		default:
			p.fields[command][prefix+m[1]] = true
		}
	}
}

// TestReadPage makes sure that the page is read as it is meant.
func TestReadPage(t *testing.T) {
	p := newPage()
	for line := range strings.Lines("    ssh HOST                  the club\n    ssh HOST draw|takeback CODE        offers it; the answers:\n" +
		"    ssh HOST games [--json]   {\"id\",\"options\":[{\"key\",\n                \"values\"}],\"name\"}\n" +
		"    ssh HOST who             as `games`, plus \"doing\"\n             `games` gains \"level\":{\"id\"}; \"name\" stays\n    ssh -t HOST join CODE        `moves` are lists (\"\" while free)\n\n" +
		"Words. `draw` and `join\nCODE` gain `\"offer\":{\"kind\",\"by\"}` or null (`kind` is \"draw\"), `\"rated\"`. `takeback` and\n`join` gain `clock`.\n\n") {
		p.line(strings.TrimRight(line, "\n"))
	}
	for command, want := range map[string]string{
		"draw": "offer.by offer.kind rated", "takeback": "clock", "join": "clock offer.by offer.kind rated",
		"games": "id level.id name options[].key options[].values", "who": "doing",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(p.fields[command])), " "); got != want {
			t.Errorf("%s has the fields %q, want %q", command, got, want)
		}
	}
	if len(p.fields) != 5 || p.like["who"] != "games" {
		t.Errorf("read %v, like %v", p.fields, p.like)
	}
}
