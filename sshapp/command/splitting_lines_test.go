package command

import (
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/command/tree"
)

func TestSplitTexts(t *testing.T) {
	report, operator, note := tree.Find(table(), "report"), tree.Find(table(), "operator"), tree.Find(table(), "note")
	for _, tt := range []struct {
		of         *row
		line, want string // words with | between
	}{
		{report, `rui it's a lie`, `--|rui|it's a lie`},
		{report, `  rui  says "no"  C:\x  `, `--|rui|says "no"  C:\x`},
		{report, `--json rui he's rude`, `--json|--|rui|he's rude`},
		{report, `rui he's rude --match ABCDEF --json`, `--json|--match|ABCDEF|--|rui|he's rude`},
		{report, `--match=ABCDEF rui --json he's rude`, `--match=ABCDEF|--json|--|rui|he's rude`},
		{report, `rui writes --match and --json all day`, `--|rui|writes --match and --json all day`},
		{report, `--side second --match ABCDEF it's a bot`, `--side|second|--match|ABCDEF|--|it's a bot`},
		{report, `it's a bot --match ABCDEF --side second`, `--side|second|--match|ABCDEF|--|it's a bot`},
		{report, `rui`, `--|rui`},
		{report, ``, `--`},
		{report, `--help`, `--help|--`},
		{operator, `mute rui --for 7d --reason it's what they wrote`, `--for|7d|--reason|it's what they wrote|--|mute|rui`},
		{operator, `mute --reason he said "no\" --for 7d rui --json`, `--reason|he said "no\"|--for|7d|--json|--|mute|rui`},
		{operator, `close rui --reason "shouts a lot"`, `--reason|shouts a lot|--|close|rui`},
		{operator, `close rui --reason='shouts a lot'`, `--reason|shouts a lot|--|close|rui`},
		{operator, `close rui --reason=it's enough`, `--reason|it's enough|--|close|rui`},
		{operator, `announce We're back at 5 --reason it's done`, `--reason|it's done|--|announce|We're back at 5`},
		{operator, `announce --reason it's done`, `--reason|it's done|--|announce`},
		{operator, `close rui --reason`, `--reason||--|close|rui`},
		{operator, `unrate --between ana rui --reason they're one`, `--between|ana|--reason|they're one|--|unrate|rui`},
		{operator, `reports --reason it's spam --done-by rui`, `--reason|it's spam|--done-by|rui|--|reports`},
		{operator, `audit --limit=3 --bogus`, `--limit=3|--bogus|--|audit`},
		{operator, ``, `--`},
		{note, `ABCDEF 3  it's "late" `, `--|ABCDEF|3|it's|"late"`},
		{note, `--json ABCDEF`, `--json|--|ABCDEF`},
		{note, `ABCDEF 3 --remove --json`, `--json|--remove|--|ABCDEF|3`},
		{note, `ABCDEF --remove is a flag`, `--|ABCDEF|--remove|is|a|flag`},
		{note, `--help`, `--help|--`},
		{note, ``, `--`},
	} {
		if got := tt.of.Split(tt.of, tt.line); !slices.Equal(got, strings.Split(tt.want, "|")) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestTextFlags: what splits the words of operator knows all flags of the verbs.
func TestTextFlags(t *testing.T) {
	bare, valued, texts := flagNames(tree.Find(table(), "operator"))
	known := slices.Concat(bare, valued, texts)
	flags := 0
	for _, v := range verbs() {
		for _, f := range v.Flags() {
			if flags++; !slices.Contains(known, f.Name) {
				t.Errorf("%s takes --%s, which ends no text", v.Name, f.Name)
			}
		}
	}
	if flags < 20 || !slices.Equal(texts, []string{"reason"}) {
		t.Errorf("%d flags found, and texts %q", flags, texts)
	}
}
