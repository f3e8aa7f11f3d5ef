package command

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitTexts(t *testing.T) {
	for _, tt := range []struct {
		split      func(string) []string
		line, want string // words with | between
	}{
		{splitReport, `rui it's a lie`, `--|rui|it's a lie`},
		{splitReport, `  rui  says "no"  C:\x  `, `--|rui|says "no"  C:\x`},
		{splitReport, `--json rui he's rude`, `--json|--|rui|he's rude`},
		{splitReport, `rui he's rude --match ABCDEF --json`, `--json|--match|ABCDEF|--|rui|he's rude`},
		{splitReport, `--match=ABCDEF rui --json he's rude`, `--match=ABCDEF|--json|--|rui|he's rude`},
		{splitReport, `rui writes --match and --json all day`, `--|rui|writes --match and --json all day`},
		{splitReport, `--side second --match ABCDEF it's a bot`, `--side|second|--match|ABCDEF|--|it's a bot`},
		{splitReport, `it's a bot --match ABCDEF --side second`, `--side|second|--match|ABCDEF|--|it's a bot`},
		{splitReport, `rui`, `--|rui`},
		{splitReport, ``, `--`},
		{splitReport, `--help`, `--help|--`},
		{splitOperator, `mute rui --for 7d --reason it's what they wrote`, `--for|7d|--reason|it's what they wrote|--|mute|rui`},
		{splitOperator, `mute --reason he said "no\" --for 7d rui --json`, `--reason|he said "no\"|--for|7d|--json|--|mute|rui`},
		{splitOperator, `close rui --reason "shouts a lot"`, `--reason|shouts a lot|--|close|rui`},
		{splitOperator, `close rui --reason='shouts a lot'`, `--reason|shouts a lot|--|close|rui`},
		{splitOperator, `close rui --reason=it's enough`, `--reason|it's enough|--|close|rui`},
		{splitOperator, `announce We're back at 5 --reason it's done`, `--reason|it's done|--|announce|We're back at 5`},
		{splitOperator, `announce --reason it's done`, `--reason|it's done|--|announce`},
		{splitOperator, `close rui --reason`, `--reason||--|close|rui`},
		{splitOperator, `unrate --between ana rui --reason they're one`, `--between|ana|--reason|they're one|--|unrate|rui`},
		{splitOperator, `reports --reason it's spam --done-by rui`, `--reason|it's spam|--done-by|rui|--|reports`},
		{splitOperator, `audit --limit=3 --bogus`, `--limit=3|--bogus|--|audit`},
		{splitOperator, ``, `--`},
	} {
		if got := tt.split(tt.line); !slices.Equal(got, strings.Split(tt.want, "|")) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestTextFlags: what splits the words of operator knows all flags of the verbs.
func TestTextFlags(t *testing.T) {
	known := slices.Concat(bareFlags, verbWords, []string{"reason"})
	for _, v := range verbs() {
		for _, name := range v.flags {
			if !slices.Contains(known, name) {
				t.Errorf("%s takes --%s, which ends no text", v.name, name)
			}
		}
	}
}
