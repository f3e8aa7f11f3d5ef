package ui

import "ludoteca/sshapp/text"

// The line that is typed, and what stands above it, in cells and lines.
const (
	alertLines = 3 // for what matters
	typedFrom  = 2 // before what is typed, from the margin on
	meantFrom  = 3 // between that and what it means
)

// A foot is what stands below the board.
type statusArea struct {
	style  style
	mark   string
	words  string // above the line that is typed
	prompt string // in that line
}

// foot is what matters, and behind what is typed what it means. What doesn't fit behind it stands above: somebody who is
// told how to write a move must be able to read it to the end.
func (s matchScreen) statusArea(w int) statusArea {
	t := s.env.theme
	f := statusArea{style: t.accent, mark: t.waiting + " ", words: s.aside().alert}
	switch {
	case s.sending != "":
	case s.typed.text == "":
		f.prompt = s.prompt()
	case s.problem == "":
		f.prompt = s.meaning()
		if margin+typedFrom+text.Width(s.typed.text)+meantFrom+text.Width(f.prompt) > w-margin {
			f = statusArea{style: t.dim, mark: text.Spaces(typedFrom), words: f.prompt}
		}
	}
	return f
}

// lines is how many lines the words take in a window of the given width.
func (f statusArea) lines(w int) int {
	if f.words == "" {
		return 0
	}
	return linesOf(f.words, w-2*margin-text.Width(f.mark), alertLines)
}

// linesOf is how many lines words take, at least one and at most so many.
func linesOf(words string, width, most int) int {
	if text.Width(words) <= width {
		return 1
	}
	return min(len(text.Wrap(words, width)), most)
}

// drawInput draws the line that is typed and what stands behind it, or what can be done in so many lines.
func (s matchScreen) drawInput(p *page, behind string, lines int) {
	t := s.env.theme
	switch {
	case s.sending != "":
		p.line(margin, t.dim, s.env.say.T("%s is on its way ...", string(s.sending)))
	case s.typed.text != "":
		p.to(margin).put(t.accent, t.pick).to(margin+typedFrom).put(t.bold, s.typed.text)
		p.to(p.at+meantFrom).put(t.dim, behind).end()
	default:
		drawWords(p, t.dim, "", behind, lines)
	}
}
