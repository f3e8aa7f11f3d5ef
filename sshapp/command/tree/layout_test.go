package tree

import (
	"slices"
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 20))
	got := strings.Join(Columns([]string{"  a\tshort", "  bcd\t" + long, "  " + strings.Repeat("x", mostLabel) + "\tbelow", "  --none\t"}), "\n")
	want := "  a       short\n  bcd     " + strings.TrimSpace(strings.Repeat("word ", 14)) + "\n          " + strings.TrimSpace(strings.Repeat("word ", 6)) +
		"\n  " + strings.Repeat("x", mostLabel) + "\n          below\n  --none"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsageParts(t *testing.T) {
	for usage, want := range map[string][]string{
		"new GAME [key=value ...] [--clock none|5+3|3d] [--json]":   {"new", "GAME", "[key=value ...]", "[--clock none|5+3|3d]", "[--json]"},
		"operator close NAME --reason TEXT [--json]":                {"operator", "close", "NAME", "--reason TEXT", "[--json]"},
		"keys [add | claim CODE | remove FINGERPRINT] [--json]":     {"keys", "[add | claim CODE | remove FINGERPRINT]", "[--json]"},
		"unrate (ID | --player NAME | --between A B) --reason TEXT": {"unrate", "(ID | --player NAME | --between A B)", "--reason TEXT"},
		"chat CODE [--follow] | on | off":                           {"chat", "CODE", "[--follow]", "|", "on", "|", "off"},
	} {
		if got := usageParts(usage); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", usage, got, want)
		}
	}
}

func TestUsageLines(t *testing.T) {
	lines := UsageLines("new GAME "+strings.Repeat("[--flag VALUE] ", 10), usageIndent)
	for i, line := range lines {
		if len(line) > Width || strings.Count(line, "[") != strings.Count(line, "]") || strings.HasPrefix(line, "        ") != (i > 0) {
			t.Errorf("line %d is %q", i, line)
		}
	}
	if len(lines) != 3 {
		t.Errorf("%d lines", len(lines))
	}
}

// TestLabel: the words of a label are cut so that each argument in brackets is there whole or not at all.
func TestLabel(t *testing.T) {
	for usage, want := range map[string]string{
		"NAME --reason TEXT":                                  "close NAME --reason TEXT",
		"[NAME=VALUE | --all] --reason TEXT and more":         "close ...",
		"(ID | --player NAME | --between A B) --reason TEXT":  "close ...",
		"CODE [draw|takeback|rematch|challenge] [--number N]": "close CODE ...",
	} {
		d := &Command[int]{Name: "close", Usage: usage, Run: func(*Flags) int { return 0 }}
		if got := Link([]*Command[int]{d})[0].Label(); got != want {
			t.Errorf("%s: the label is %q, want %q", usage, got, want)
		}
	}
}
