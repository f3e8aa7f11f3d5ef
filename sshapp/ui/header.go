package ui

import (
	"slices"
	"strings"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// statusGap is the least room between title and status, in cells.
const statusGap = 2

// drawHeader draws the title and status of the screen on top.
func drawHeader(p *widget.Page, t *widget.Theme, top screen.Screen) {
	title := text.Cut(text.Clean(top.Title()), p.Width-2*widget.Margin)
	status := fitted(text.Clean(top.Status()), t.Dot, p.Width-2*widget.Margin-text.Width(title)-statusGap)
	p.To(widget.Margin).Put(t.Bold, title).To(p.Width-widget.Margin-text.Width(status)).Put(t.Dim, status).End()
}

// fitted returns the parts of a status that fit. The last part, which changes most, stays the longest, then the first.
func fitted(status, dot string, room int) string {
	for text.Width(status) > room && status != "" {
		parts := strings.Split(status, dot)
		at := max(len(parts)-2, 0)
		status = strings.Join(slices.Delete(parts, at, at+1), dot)
	}
	return status
}
