package tree

import (
	"strings"

	"ludoteca/sshapp/text"
)

// Width is the number of columns of help.
const Width = 80

// The layout of help.
const (
	mostLabel   = 26 // the widest label beside its words
	usageIndent = 4
	belowIndent = 6
)

// Columns lays out rows, which have a label and words with a tab in between: the words stand in a column beside the labels, or below a label
// that is wide. A row may take several lines of at most Width columns.
func Columns(rows []string) []string {
	column := 0
	for _, r := range rows {
		label, _, _ := strings.Cut(r, "\t")
		if w := text.Width(label); w <= mostLabel {
			column = max(column, w+2)
		}
	}
	laid := make([]string, len(rows))
	for i, r := range rows {
		label, words, _ := strings.Cut(r, "\t")
		lines := text.Wrap(words, Width-column)
		if w := text.Width(label); w+2 <= column && len(lines) > 0 {
			lines[0] = label + text.Spaces(column-w) + lines[0]
			indent(lines[1:], column)
		} else {
			indent(lines, column)
			lines = append([]string{label}, lines...)
		}
		laid[i] = strings.Join(lines, "\n")
	}
	return laid
}

// Below lays out a usage with words below it.
func Below(usage, words string) string {
	lines := text.Wrap(words, Width-belowIndent)
	indent(lines, belowIndent)
	return strings.Join(append(UsageLines(usage, 2), lines...), "\n")
}

// UsageLines breaks a usage into lines, but no argument or flag of it.
func UsageLines(usage string, first int) []string {
	lines := text.WrapParts(usageParts(usage), " ", Width-first-4)
	for i := range lines {
		lines[i] = text.Spaces(first+4*min(i, 1)) + lines[i]
	}
	return lines
}

// usageParts returns the arguments and flags of a usage, each with its brackets and its value.
func usageParts(usage string) (parts []string) {
	open := 0
	whole := true // the last part is
	for word := range strings.FieldsSeq(usage) {
		last := len(parts) - 1
		value := last >= 0 && strings.HasPrefix(parts[last], "--") && !strings.Contains(parts[last], " ") && !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "[")
		if whole && !value {
			parts = append(parts, word)
		} else {
			parts[last] += " " + word
		}
		open += strings.Count(word, "[") + strings.Count(word, "(") - strings.Count(word, "]") - strings.Count(word, ")")
		whole = open <= 0
	}
	return parts
}

// indent puts spaces in front of lines.
func indent(lines []string, n int) {
	for i, line := range lines {
		lines[i] = text.Spaces(n) + line
	}
}
