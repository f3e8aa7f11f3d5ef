package tree

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown returns a page about all commands, in English.
func Markdown[R any](all []*Command[R]) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nEach is `ssh HOST COMMAND`, or a line at the prompt, which `ssh -T HOST` opens. This page is written by `go generate` from the table of\n" +
		"commands. Exit status: 0 it is done, 1 it was refused or not found, 2 the command was called wrongly.\n")
	group := ""
	each(all, func(d *Command[R]) {
		if d.parent == "" && d.Group != group {
			group = d.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		h := d.Help()
		fmt.Fprintf(&b, "\n### %s\n\n    %s\n\n%s.\n", h.Command, h.Usage, sentence(h.Summary))
		if len(h.Args)+len(h.Flags) > 0 {
			b.WriteString("\n")
		}
		for _, a := range h.Args {
			fmt.Fprintf(&b, "- `%s`: %s\n", a.Name, a.Help)
		}
		for _, f := range h.Flags {
			fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("--"+f.Name+" "+f.Value), withDefault(f))
		}
		fmt.Fprintf(&b, "\nExample: `%s`\n", h.Examples[0])
		for _, a := range h.Aliases {
			fmt.Fprintf(&b, "\n`%s` is the same as `%s`.\n", a.Name, a.StandsFor)
		}
		if len(h.Fields) > 0 {
			b.WriteString("\n| field | type | |\n|---|---|---|\n")
		}
		for _, f := range h.Fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.Type, strings.ReplaceAll(f.Help, "|", "\\|"))
		}
	})
	return b.String()
}

// Man returns a manual page about all commands, in English.
func Man[R any](all []*Command[R]) string {
	var b strings.Builder
	b.WriteString(".TH LUDOTECA-COMMANDS 7\n.SH NAME\nludoteca-commands \\- what ssh HOST COMMAND does at a Ludoteca club\n" +
		".SH DESCRIPTION\nThe same commands are taken at the prompt, one a line, which ssh \\-T HOST opens.\n")
	group := ""
	each(all, func(d *Command[R]) {
		if d.parent == "" && d.Group != group {
			group = d.Group
			fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(group)))
		}
		h := d.Help()
		fmt.Fprintf(&b, ".SS %s\n.nf\n%s\n.fi\n.PP\n%s.\n", roff(h.Command), roff(h.Usage), roff(sentence(h.Summary)))
		for _, a := range h.Args {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(a.Name), roff(a.Help))
		}
		for _, f := range h.Flags {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(strings.TrimSpace("--"+f.Name+" "+f.Value)), roff(withDefault(f)))
		}
		fmt.Fprintf(&b, ".PP\nExample: %s\n", roff(h.Examples[0]))
		for _, a := range h.Aliases {
			fmt.Fprintf(&b, ".PP\n%s is the same as %s.\n", roff(a.Name), roff(a.StandsFor))
		}
	})
	b.WriteString(".SH EXIT STATUS\n0 it is done, 1 it was refused or not found, 2 the command was called wrongly.\n")
	return b.String()
}

// each calls f with each command and its sub-commands.
func each[R any](all []*Command[R], f func(*Command[R])) {
	for _, d := range all {
		f(d)
		each(d.Sub, f)
	}
}

func withDefault(f FlagHelp) string {
	if f.Default == "" {
		return f.Help
	}
	return f.Help + " (without it: " + f.Default + ")"
}

// sentence returns words with a capital letter in front.
func sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// roff escapes a line of text.
func roff(words string) string {
	words = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(words)
	if strings.HasPrefix(words, ".") || strings.HasPrefix(words, "'") {
		words = `\&` + words
	}
	return words
}
