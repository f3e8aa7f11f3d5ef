package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTemplateIsCurrent: the template and the languages are what go generate makes of the sources.
func TestTemplateIsCurrent(t *testing.T) {
	files, err := generate("../../..", "../locales")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 3 {
		t.Errorf("only %d files", len(files))
	}
	for path, want := range files {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is not what the sources say (%v): run go generate ./sshapp/text, then fill in what it left empty", path, err)
		}
	}
}

// TestCollected: sentences of screens, commands, games and their refusals are found.
func TestCollected(t *testing.T) {
	entries, err := collect("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Play the computer", "%s wins: %s", "cell taken", "not a move (write it like a1-a5)", "%s %d isn't allowed: %s"} {
		if !slices.ContainsFunc(entries, func(e *entry) bool { return e.id == want }) {
			t.Errorf("%q is not found", want)
		}
	}
	pages := 0
	for _, e := range entries {
		if len(e.notes) > 0 && strings.HasSuffix(e.notes[0], pageNote) {
			pages++
		}
	}
	if pages < 5 {
		t.Errorf("only %d pages of rules", pages)
	}
}

const source = `package x

func _() {
	say.T("plain")
	// Translators: a verb.
	say.T("open " + "it", name)
	say.N(len(all), "1 move", "%d moves")
	say.C("offer", "draw") // Translators: what one offers.
	say.T("next")
	say.T(variable)
	// Translators: "key" is one of a keyboard.
	add(say.T("several"), say.T("key"))
	say.T("plain")
}
`

// TestFileOfALanguage: calls become entries, which are written with what a language has for them; what is said no more is left out.
func TestFileOfALanguage(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/x.go", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &collection{byKey: map[string]*entry{}}
	if err := c.file(folder, folder+"/x.go"); err != nil {
		t.Fatal(err)
	}
	header, translations, err := read(`# A language.
msgid ""
msgstr ""
"Language: xx\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 ? 0 : n==2 ? 1 : 2);\n"

# A translator's remark.
#, c-format, no-wrap
msgid "plain"
msgstr ""
"schlicht\n"
"\"so\""

msgid "gone"
msgstr "weg"

msgid "1 move"
msgstr "kein Plural"

msgctxt "offer"
msgid "draw"
msgstr "Remis"
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `# A language.
msgid ""
msgstr ""
"Language: xx\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 ? 0 : n==2 ? 1 : 2);\n"

# A translator's remark.
#: .
#, c-format, no-wrap
msgid "plain"
msgstr ""
"schlicht\n"
"\"so\""

#. a verb.
#: .
msgid "open it"
msgstr ""

#: .
#, go-format
msgid "1 move"
msgid_plural "%d moves"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

#. what one offers.
#: .
msgctxt "offer"
msgid "draw"
msgstr "Remis"

#: .
msgid "next"
msgstr ""

#: .
msgid "several"
msgstr ""

#. "key" is one of a keyboard.
#: .
msgid "key"
msgstr ""
`
	got := write(header, c.entries, translations)
	if got != want {
		t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
	if err := os.WriteFile(folder+"/lost.go", []byte("package x\n\n// Translators: lost.\n\nvar _ = T(\"found\")\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.file(folder, folder+"/lost.go"); err == nil {
		t.Error("a note without a sentence is lost")
	}
	if err := c.add(entry{id: "1 move", plural: "%d turns"}, "."); err == nil {
		t.Error("a sentence has two plurals")
	}
	for _, bad := range []string{"h\n\nmsgid \"a\nmsgstr \"\"", "h\n\n\"a\"", "h\n\nmsgid \"a\"\nmsgstr \"b\"\n\nmsgid \"a\"\nmsgstr \"c\""} {
		if _, _, err := read(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
