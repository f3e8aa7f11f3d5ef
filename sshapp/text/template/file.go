package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An entry is a sentence as the sources have it.
type entry struct {
	context string // "" for none
	id      string // the sentence, or what is said of a single thing
	plural  string // what is said of several things; "" if it is the same
	notes   []string
	folders []string // of the sources that say it
}

// key returns what tells an entry from others.
func (e *entry) key() string { return e.context + "\x04" + e.id }

// A translation is an entry of the file of a language, in lines: the comments of its translators, its marks and its words.
type translation struct {
	comments, marks, words []string
	plural                 bool
}

const templateHeader = `# All sentences of Ludoteca. Made by go generate ./sshapp/text; see CONTRIBUTING.md for how to translate them.
msgid ""
msgstr ""
"Project-Id-Version: ludoteca\n"
"Language: \n"
"X-Language-Name: \n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
`

// nplurals matches the number of plural forms of a language in the header of its file.
var nplurals = regexp.MustCompile(`nplurals=([1-9])`)

// write returns the text of a file: a header, and the entries, each with its translation if it has one.
func write(header string, entries []*entry, translations map[string]translation) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(header, "\n") + "\n")
	line := func(words string) { b.WriteString(words + "\n") }
	plurals := 2
	if found := nplurals.FindStringSubmatch(header); found != nil {
		plurals = int(found[1][0] - '0')
	}
	for _, e := range entries {
		t, known := translations[e.key()]
		known = known && t.plural == (e.plural != "")
		line("")
		for _, c := range t.comments {
			line(c)
		}
		for _, note := range e.notes {
			line("#. " + note)
		}
		line("#: " + strings.Join(e.folders, " "))
		marks := t.marks
		if strings.Contains(e.id+e.plural, "%") && len(marks) == 0 {
			marks = []string{"#, go-format"}
		}
		for _, m := range marks {
			line(m)
		}
		if e.context != "" {
			line("msgctxt " + quote(e.context))
		}
		line("msgid " + quote(e.id))
		if e.plural != "" {
			line("msgid_plural " + quote(e.plural))
		}
		switch {
		case known:
			for _, w := range t.words {
				line(w)
			}
		case e.plural != "":
			for i := range plurals {
				line(fmt.Sprintf(`msgstr[%d] ""`, i))
			}
		default:
			line(`msgstr ""`)
		}
	}
	return b.String()
}

// quote writes a string as a file of translations has it: a page in a line for each of its lines.
func quote(s string) string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) <= 1 {
		return quoteLine(s)
	}
	var b strings.Builder
	b.WriteString(`""`)
	for _, l := range lines {
		b.WriteString("\n" + quoteLine(l))
	}
	return b.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

func quoteLine(s string) string { return `"` + escapes.Replace(s) + `"` }

// read returns the header of the file of a language as it is written, and its translations by the keys of their entries.
func read(file string) (header string, translations map[string]translation, err error) {
	header, rest, _ := strings.Cut(strings.ReplaceAll(file, "\r\n", "\n"), "\n\n")
	translations = make(map[string]translation)
	for block := range strings.SplitSeq(rest, "\n\n") {
		var t translation
		var part string
		parts := map[string]string{}
		for line := range strings.SplitSeq(strings.Trim(block, "\n"), "\n") {
			switch {
			case line == "", strings.HasPrefix(line, "#:"), strings.HasPrefix(line, "#."), strings.HasPrefix(line, "#~"), strings.HasPrefix(line, "#|"):
				continue
			case strings.HasPrefix(line, "#,"):
				t.marks = append(t.marks, line)
				continue
			case strings.HasPrefix(line, "#"):
				t.comments = append(t.comments, line)
				continue
			}
			quoted := line
			if !strings.HasPrefix(line, `"`) {
				part, quoted, _ = strings.Cut(line, " ")
			}
			words, err := strconv.Unquote(strings.TrimSpace(quoted))
			if err != nil || part == "" {
				return "", nil, fmt.Errorf("the line %s can't be read", line)
			}
			parts[part] += words
			if strings.HasPrefix(part, "msgstr") {
				t.words = append(t.words, line)
			}
			t.plural = t.plural || part == "msgid_plural"
		}
		if parts["msgid"] == "" {
			continue
		}
		key := parts["msgctxt"] + "\x04" + parts["msgid"]
		if _, twice := translations[key]; twice {
			return "", nil, fmt.Errorf("%q stands there twice", parts["msgid"])
		}
		translations[key] = t
	}
	return header, translations, nil
}
