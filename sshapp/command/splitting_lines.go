package command

import (
	"slices"
	"strings"
	"unicode"

	shlex "github.com/anmitsu/go-shlex"

	"ludoteca/sshapp/wording"
)

// maxWords bounds the words of one command line.
const maxWords = 64

// split takes a command line apart as a shell would.
func split(say wording.Words, line string) ([]string, error) {
	if strings.ContainsRune(line, 0) {
		return nil, usageError{words: say.T("A command has no NUL bytes.")}
	}
	words, err := shlex.Split(line, true)
	switch {
	case err != nil:
		return nil, usageError{words: say.T("A quotation mark is not closed.")}
	case len(words) > maxWords:
		return nil, usageError{words: say.T("That is too many words.")}
	}
	return words, nil
}

// Texts are taken as typed, quotation marks, apostrophes and backslashes included: people don't think of a shell when they write a
// sentence, and a line from ssh has been through a shell already.

// A field is a word of a line, and where it begins and ends there.
type field struct {
	word     string
	from, to int
}

// splitFields returns the words of a line, which are apart by spaces.
func splitFields(line string) (all []field) {
	from := -1
	for i, r := range line + " " {
		switch space := unicode.IsSpace(r); {
		case space && from >= 0:
			all, from = append(all, field{line[from:i], from, i}), -1
		case !space && from < 0:
			from = i
		}
	}
	return all
}

// flagOf returns the name of the flag that a word is, and whether its value is in the word too; "" if it is none of those.
func flagOf(word string, of []string) (name string, whole bool) {
	name, _, whole = strings.Cut(word, "=")
	name, isFlag := strings.CutPrefix(name, "--")
	if !isFlag || !slices.Contains(of, name) {
		return "", false
	}
	return name, whole
}

// bareFlags are flags of every command. A text begins with anything that is no flag.
var bareFlags = []string{"json", "help"}

// flagNames returns the names of the flags that stand alone, of those with a value of one word, and of those with a text.
func flagNames(d *row) (bare, valued, texts []string) {
	bare = slices.Clone(bareFlags)
	for _, f := range d.AllFlags() {
		switch {
		case f.Text:
			texts = append(texts, f.Name)
		case f.Value != "":
			valued = append(valued, f.Name)
		default:
			bare = append(bare, f.Name)
		}
	}
	return bare, valued, texts
}

// splitNote splits the words of note: flags before or after all others, which are words as they were typed.
func splitNote(d *row, rest string) (words []string) {
	bare, _, _ := flagNames(d)
	all := splitFields(rest)
	isFlag := func(f field) bool { name, _ := flagOf(f.word, bare); return name != "" }
	for len(all) > 0 && isFlag(all[0]) {
		words, all = append(words, all[0].word), all[1:]
	}
	for len(all) > 0 && isFlag(all[len(all)-1]) {
		words, all = append(words, all[len(all)-1].word), all[:len(all)-1]
	}
	words = append(words, "--")
	for _, f := range all {
		words = append(words, f.word)
	}
	return words
}

// splitHistory splits the words of history. The moves of --opening go on up to the next flag, unless quotation marks hold them together: a shell
// takes those away.
func splitHistory(d *row, rest string) (words []string) {
	all, err := shlex.Split(rest, true)
	if err != nil {
		all = strings.Fields(rest)
	}
	for i := 0; i < len(all); i++ {
		words = append(words, all[i])
		if all[i] != "--opening" || i+1 == len(all) {
			continue
		}
		i++
		from := i
		for !strings.Contains(all[from], " ") && i+1 < len(all) && !strings.HasPrefix(all[i+1], "--") {
			i++
		}
		words = append(words, strings.Join(all[from:i+1], " "))
	}
	return words
}

// splitReport splits the words of report: flags, a name unless there is --side, and a text with flags before or after it.
func splitReport(d *row, rest string) (words []string) {
	bare, valued, _ := flagNames(d)
	all := splitFields(rest)
	side := false
	flag := func(at int) (n int) { // how many words from there on are a flag; 0: it is none
		if name, _ := flagOf(all[at].word, bare); name != "" {
			return 1
		}
		name, whole := flagOf(all[at].word, valued)
		switch {
		case name == "":
			return 0
		case whole || at+1 == len(all):
			n = 1
		default:
			n = 2
		}
		side = side || name == "side"
		return n
	}
	take := func(n int) {
		for _, f := range all[:n] {
			words = append(words, f.word)
		}
		all = all[n:]
	}
	leading := func() {
		for len(all) > 0 {
			n := flag(0)
			if n == 0 {
				return
			}
			take(n)
		}
	}
	leading()
	var after []string
	for trailing := true; trailing; {
		trailing = false
		for n := 1; n <= 2 && n < len(all); n++ {
			if at := len(all) - n; flag(at) == n {
				for _, f := range all[at:] {
					after = append(after, f.word)
				}
				all, trailing = all[:at], true
				break
			}
		}
	}
	name := ""
	if !side && len(all) > 0 {
		name, all = all[0].word, all[1:]
		leading()
	}
	if words = append(append(words, after...), "--"); name != "" {
		words = append(words, name)
	}
	if len(all) > 0 {
		words = append(words, rest[all[0].from:all[len(all)-1].to])
	}
	return words
}

// splitOperator splits the line of an operator command into the words of the verb and flags. The text of announce is one word. The text after
// --reason goes on to the next flag; quotation marks around the whole text are removed, as a shell does.
func splitOperator(d *row, rest string) (words []string) {
	bare, valued, texts := flagNames(d)
	all := splitFields(rest)
	var others []string
	// text returns what there is up to the next flag.
	text := func() string {
		end := 0
		for end < len(all) {
			name, _ := flagOf(all[end].word, slices.Concat(bare, valued, texts))
			if name != "" {
				break
			}
			end++
		}
		if end == 0 {
			return ""
		}
		s := rest[all[0].from:all[end-1].to]
		all = all[end:]
		return s
	}
	for len(all) > 0 {
		word := all[0].word
		if name, whole := flagOf(word, texts); name != "" {
			if whole {
				n := len("--" + name + "=")
				all[0] = field{word[n:], all[0].from + n, all[0].to}
			} else {
				all = all[1:]
			}
			words = append(words, "--"+name, unquoted(text()))
			continue
		}
		if len(others) == 1 && others[0] == "announce" && !strings.HasPrefix(word, "--") {
			others = append(others, unquoted(text()))
			continue
		}
		if strings.HasPrefix(word, "--") {
			words, all = append(words, word), all[1:]
			if name, whole := flagOf(word, valued); name != "" && !whole && len(all) > 0 {
				words, all = append(words, unquoted(all[0].word)), all[1:]
			}
			continue
		}
		others, all = append(others, unquoted(word)), all[1:]
	}
	return append(append(words, "--"), others...)
}

// unquoted returns a text without the quotation marks that it is in as a whole.
func unquoted(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] && !strings.ContainsRune(s[1:n-1], rune(s[0])) {
		return s[1 : n-1]
	}
	return s
}
