package flagset

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// Width is the number of columns of help.
const Width = 80

// unbroken stands for a space at which no line ends, so that a default can be searched for.
const unbroken = "\x00"

// usual is the group of flags that were declared without one.
const usual = "Flags"

// Help writes what the flags of a set do, by groups.
func Help(w io.Writer, flags *pflag.FlagSet) {
	eachGroup(flags, func(title string, all []*pflag.Flag) {
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, f := range all {
			value, words := pflag.UnquoteUsage(f)
			if kind, known := kinds[value]; known {
				value = kind
			}
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			fmt.Fprintln(w, "  "+strings.TrimSpace(name+" "+value))
			if notes := notesOf(f); notes != "" {
				words += " (" + strings.ReplaceAll(notes, " ", unbroken) + ")"
			}
			for _, line := range Wrap(words, Width-6) {
				fmt.Fprintln(w, "      "+strings.ReplaceAll(line, unbroken, " "))
			}
		}
	})
}

// kinds are the words that stand for values in help, by pflag's names of their types. Others stand in the usage of the flag, in `quotes`.
var kinds = map[string]string{"int": "N", "uint": "N", "uint64": "N", "float64": "N", "size": "SIZE", "string": "TEXT", "duration": "TIME", "float": "N", "strings": "LIST"}

// notesOf returns the default of a flag, where that says something, and its environment variable.
func notesOf(f *pflag.Flag) string {
	var notes []string
	if d := Default(f); d != "" {
		notes = append(notes, "default "+d)
	}
	if name := Variable(f); name != "" {
		notes = append(notes, name)
	}
	return strings.Join(notes, "; ")
}

// Default returns the default of a flag, in short; "" if it is nothing, no or 0.
func Default(f *pflag.Flag) string {
	switch d := f.DefValue; d {
	case "", "0", "0s", "false", "[]":
		return ""
	default:
		if f.Value.Type() == "duration" {
			d = ShortTime(d)
		}
		return d
	}
}

// ShortTime returns a time that time.Duration prints, without minutes and seconds of 0.
func ShortTime(text string) string {
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// eachGroup calls do for each group with flags that help lists, in their order.
func eachGroup(flags *pflag.FlagSet, do func(title string, all []*pflag.Flag)) {
	var titles []string
	groups := make(map[string][]*pflag.Flag)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := annotation(f, group)
		if title == "" {
			title = usual
		}
		if groups[title] == nil {
			titles = append(titles, title)
		}
		groups[title] = append(groups[title], f)
	})
	for _, title := range titles {
		do(title, groups[title])
	}
}

// Wrap breaks a text into lines of at most the given number of columns, where it has spaces.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Paragraphs wraps a text of paragraphs with empty lines between them. A line that begins with a space stays as it is.
func Paragraphs(text string, width int) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(wrapLines(p, width), "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// wrapLines wraps the lines of a paragraph that don't begin with a space.
func wrapLines(paragraph string, width int) (lines []string) {
	running := ""
	end := func() {
		if running != "" {
			lines = append(lines, Wrap(running, width)...)
		}
		running = ""
	}
	for line := range strings.Lines(paragraph) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, " ") {
			end()
			lines = append(lines, line)
			continue
		}
		running += " " + line
	}
	end()
	return lines
}
