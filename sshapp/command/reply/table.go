package reply

import (
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"ludoteca/sshapp/text"
)

// Align returns the lines of a table with aligned columns: cells of a row are apart by tabs. Each line ends with a line feed.
func Align(rows []string) string {
	var b strings.Builder
	var odd []string
	t := tabwriter.NewWriter(&b, 0, 1, 2, ' ', 0)
	for _, r := range rows {
		cells := strings.Split(r, "\t")
		for i, cell := range cells {
			if w := text.Width(cell); w > 0 && w != utf8.RuneCountInString(cell) {
				odd, cells[i] = append(odd, cell), strings.Repeat(standIn, w)
			}
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // a Builder takes everything
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		line = standIns.ReplaceAllStringFunc(line, func(string) (cell string) {
			cell, odd = odd[0], odd[1:]
			return cell
		})
		out.WriteString(strings.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
	return out.String()
}

// standIn is the character of which the tabwriter gets one a cell for a field with wide characters or combining marks: it takes every
// character for one cell wide. No text contains standIn.
const standIn = "\ue000"

var standIns = regexp.MustCompile(standIn + "+")
