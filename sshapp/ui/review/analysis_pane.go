package review

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
)

// An analysisPane is the analysis of the match and its graph. There is one only of a match that is over, and one that is ready stays so.
type analysisPane struct {
	Analysis
	hidden bool               // the player wants no graph
	ctx    context.Context    // of the wait for the analysis: it ends with the screen
	stop   context.CancelFunc // nil while there is none
}

// analysisMsg says how far the analysis is.
type analysisMsg struct {
	latest *lobby.AnalysisProgress
	err    error
}

// begun returns the pane with a context to wait in.
func (a analysisPane) begun(ctx context.Context) analysisPane {
	a.ctx, a.stop = context.WithCancel(ctx)
	return a
}

// close ends the wait for the analysis.
func (a analysisPane) close() {
	if a.stop != nil {
		a.stop()
	}
}

// wait asks how far the analysis is, unless nothing more will come.
func (a analysisPane) wait(e *screen.Env, of source, v *lobby.View) tea.Cmd {
	if !v.Over || len(v.Moves) == 0 || a.Done() {
		return nil
	}
	ctx, from, after := a.ctx, readingOf(e), a.Seq()
	return func() tea.Msg {
		latest, err := of.analysis(ctx, from, v, after)
		return analysisMsg{latest, err}
	}
}

// The reasons why there is no analysis.
var (
	errUnfinished = boardpage.Reason(text.T("The analysis is made when the match is over."))
	errNoAnalysis = boardpage.Reason(text.T("There is no analysis of this match."))
)

// missing says why the analysis isn't there; "" if it is.
func (a analysisPane) missing(e *screen.Env, v *lobby.View) string {
	switch {
	case a.Ready():
		return ""
	case !v.Over:
		return boardpage.Why(e.Say, errUnfinished)
	case len(v.Moves) == 0:
		return boardpage.Why(e.Say, errNoAnalysis)
	}
	return cmp.Or(a.Progress(e.Say), e.Say.T("looking for mistakes ..."))
}

// lines returns how many lines the graph takes in a layout, 0 without one.
func (a analysisPane) lines(l boardpage.Layout) int {
	if !a.Ready() || a.hidden {
		return 0
	}
	return GraphLines(l.Width, l.Height)
}

// graph returns the graph with a place in the match marked.
func (a analysisPane) graph(at int, l boardpage.Layout) Graph {
	return NewGraph(a.Analysis, at, l.Width, a.lines(l))
}

// graphAt returns the number of moves that a cell of the page stands for on the graph.
func (s reviewScreen) graphAt(l boardpage.Layout, x, y int) (ply int, ok bool) {
	drawn := boardpage.NewPanel(canvas.New(0, 0), canvas.Area(0, 0, l.Width, l.Height)) // nowhere
	top := s.panel(l).fill(&drawn)
	if top < 0 || y < l.Line+top || y >= l.Line+top+s.analysis.lines(l) {
		return 0, false
	}
	return s.analysis.graph(s.inMatch(), l).PlyAt(x - l.Column)
}
