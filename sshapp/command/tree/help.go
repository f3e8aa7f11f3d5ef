package tree

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"ludoteca/sshapp/text"
)

// A Help is what help says of one command with --json, in English.
type Help struct {
	Name    string `json:"name" help:"the name of the command"`
	Usage   string `json:"usage" help:"how the command is called"`
	Summary string `json:"summary" help:"what the command does, in English"`

	Command  string      `json:"command" help:"the name of the command again; this and the fields below only with COMMAND"`
	Aliases  []AliasHelp `json:"aliases" help:"other names of the command"`
	Args     []ArgHelp   `json:"args" help:"the words after the name"`
	Flags    []FlagHelp  `json:"flags" help:"the flags of the command, and --json"`
	Fields   []FieldHelp `json:"fields" help:"the fields of each line that the command prints with --json"`
	Examples []string    `json:"examples" help:"command lines to try"`
}

// An AliasHelp describes another name of a command.
type AliasHelp struct {
	Name      string `json:"name" help:"the other name"`
	StandsFor string `json:"stands_for" help:"what it stands for, such as new --public"`
}

// An ArgHelp describes a word after the name of a command.
type ArgHelp struct {
	Name string `json:"name" help:"the word, as usage shows it"`
	Help string `json:"help" help:"what the word means, in English"`
}

// A FlagHelp describes a flag.
type FlagHelp struct {
	Name    string `json:"name" help:"the flag, without the dashes"`
	Value   string `json:"value" help:"what the value looks like; \"\" for a flag that takes none"`
	Default string `json:"default" help:"the value where the flag is not given; \"\": none"`
	Help    string `json:"help" help:"what the flag does, in English"`
}

// A FieldHelp describes a field of the objects that a command prints with --json. Its name is a path, such as options[].key.
type FieldHelp struct {
	Name string `json:"name" help:"the field, as a path such as options[].key"`
	Type string `json:"type" help:"text, number, bool, time, object or list; with ? it may be null"`
	Help string `json:"help" help:"what the field means, in English"`
}

// Help describes the command in English.
func (d *Command[R]) Help() Help {
	h := Help{
		Name: d.FullName(), Usage: d.Line(), Summary: d.Summary, Command: d.FullName(), Aliases: d.aliases(), Args: []ArgHelp{}, Flags: []FlagHelp{},
		Fields: Fields(d.Answer), Examples: []string{d.example()},
	}
	for _, a := range d.Args {
		h.Args = append(h.Args, ArgHelp{a.Name, a.Help})
	}
	for _, f := range append(d.Flags(), jsonFlag()) {
		h.Flags = append(h.Flags, FlagHelp{f.Name, f.Value, f.Default, f.Help})
	}
	return h
}

// aliases describes the aliases.
func (d *Command[R]) aliases() []AliasHelp {
	all := make([]AliasHelp, len(d.Aliases))
	for i, a := range d.Aliases {
		all[i] = AliasHelp{a.Name, strings.Join(append([]string{d.FullName()}, a.Adds...), " ")}
	}
	return all
}

// jsonFlag is the flag of every command.
func jsonFlag() Flag {
	return Flag{Name: "json", Help: text.T("print one JSON object a line, for scripts")}
}

// example is a command line that shows how the command is called.
func (d *Command[R]) example() string {
	if d.Example != "" {
		return "ssh HOST " + d.Example
	}
	words := []string{"ssh HOST", d.FullName()}
	for _, a := range d.Args {
		if a.Sample != "" {
			words = append(words, a.Sample)
		}
	}
	for _, f := range d.Flags() {
		if f.Needed {
			words = append(words, "--"+f.Name+" '...'")
		}
	}
	return strings.Join(words, " ")
}

// Page returns help for people, on lines of at most Width columns: what the command does, what it takes, an example, what it prints with --json and
// what its exit statuses mean.
func (d *Command[R]) Page(say text.Say) string {
	lines := text.Wrap(sentence(say.T(d.Summary))+".", Width)
	lines = append(append(append(lines, ""), UsageLines(d.Line(), usageIndent)...), "")
	var rows []string
	for _, a := range d.Args {
		rows = append(rows, "  "+a.Name+"\t"+say.T(a.Help))
	}
	for _, f := range append(d.Flags(), jsonFlag()) {
		help := say.T(f.Help)
		if f.Default != "" {
			help = say.T("%s (without it: %s)", help, f.Default)
		}
		rows = append(rows, strings.TrimRight("  --"+f.Name+" "+f.Value, " ")+"\t"+help)
	}
	lines = append(append(lines, Columns(rows)...), "")
	if len(d.Sub) > 0 {
		lines = append(append(lines, d.subLines(say)...), "")
	}
	foot := []string{say.T("Example: %s", d.example())}
	for _, a := range d.aliases() {
		// Translators: %[1]s is another name of a command, such as seek, and %[2]s the command, such as new --public.
		foot = append(foot, say.T("%[1]s is the same as %[2]s.", a.Name, a.StandsFor))
	}
	if fields := Fields(d.Answer); len(fields) > 0 {
		var names []string
		for _, f := range fields {
			if !strings.Contains(f.Name, ".") {
				names = append(names, f.Name)
			}
		}
		foot = append(foot, say.T("With --json each line has: %s.", strings.Join(names, ", ")), say.T("What they mean: help %s --json", d.FullName()))
	}
	foot = append(foot, say.T("Exit status: 0 it is done, 1 it was refused or not found, 2 the command was called wrongly."))
	for _, words := range foot {
		lines = append(lines, text.Wrap(words, Width)...)
	}
	return strings.Join(lines, "\n")
}

// subLines lists the sub-commands, under the headings of their groups.
func (d *Command[R]) subLines(say text.Say) (lines []string) {
	var rows []string
	for _, s := range d.Sub {
		rows = append(rows, "  "+s.Label()+"\t"+say.T(s.Summary))
	}
	heading := ""
	for i, laid := range Columns(rows) {
		if group := d.Sub[i].Group; group != heading {
			if heading != "" {
				lines = append(lines, "")
			}
			heading = group
			lines = append(lines, say.T(heading))
		}
		lines = append(lines, laid)
	}
	return lines
}

// Fields describes the fields of an object, and of the structs in it whose fields have help.
func Fields(object any) []FieldHelp {
	fields := []FieldHelp{}
	if object != nil {
		addFields(&fields, "", reflect.TypeOf(object))
	}
	return fields
}

func addFields(to *[]FieldHelp, prefix string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			addFields(to, prefix, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		kind, inner := typeOf(name, f.Type)
		*to = append(*to, FieldHelp{prefix + name, kind, f.Tag.Get("help")})
		if inner != nil {
			if kind == "list" {
				name += "[]"
			}
			addFields(to, prefix+name+".", inner)
		}
	}
}

// times are the names of the fields that are times: they are printed as text, in UTC.
var times = []string{"at", "since", "until", "started", "ended", "added", "last_used", "expires", "renamed", "recovery_code_made", "muted_until", "handled", "last"}

// typeOf returns the type of a field as help names it, and the type of the struct in it that has help of its own; nil for none.
func typeOf(name string, t reflect.Type) (kind string, inner reflect.Type) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time", nil
	case t == reflect.TypeFor[json.RawMessage]():
		return "object", nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		kind, inner = typeOf(name, t.Elem())
		return kind + "?", inner
	case reflect.Slice, reflect.Array:
		_, inner = typeOf("", t.Elem())
		return "list", inner
	case reflect.Struct:
		for i := range t.NumField() { // the first ones may be embedded
			if t.Field(i).Tag.Get("help") != "" {
				return "object", t
			}
		}
		return "object", nil
	case reflect.Map, reflect.Interface:
		return "object", nil
	case reflect.Bool:
		return "bool", nil
	case reflect.String:
		if slices.Contains(times, name) {
			return "time", nil
		}
		return "text", nil
	}
	return "number", nil
}
