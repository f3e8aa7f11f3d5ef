package ui

import (
	"slices"

	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// A lesson is what a review knows of the analysis of its match. The zero value knows nothing yet.
type matchAnalysis struct {
	latest *lobby.Study
	points []analysis.Point // when it is ready: one more than there are moves
	start  int              // how many moves were given: nobody's mistakes
	counts [2]markCounts    // then: the marks of each side
	failed string           // why there is no analysis, in words
}

// A tally counts marks by their size.
type markCounts [analysis.Blunder + 1]int

// studyMsg is how far the analysis is now.
type analysisMsg struct {
	study *lobby.Study
	err   error
}

// take takes in what came of the analysis of the match on a reel, whose first moves may have been given.
func (l matchAnalysis) take(say text.Say, r *timeline, start int, msg analysisMsg) matchAnalysis {
	if msg.err != nil {
		l.failed = say.Error(msg.err)
		return l
	}
	l.latest = msg.study
	if msg.study.Stage != lobby.Ready {
		return l
	}
	if a := msg.study.Analysis; a == nil || len(a.Points) != len(r.moves)+1 || slices.ContainsFunc(a.Points, isNonsense) {
		l.failed = say.T("The analysis doesn't fit this match.")
		return l
	}
	l.points, l.start = msg.study.Analysis.Points, start
	for ply := range r.moves {
		l.counts[r.turns[ply]][l.mark(ply+1)]++
	}
	return l
}

// isNonsense says that a chance is none, which no graph could show.
func isNonsense(p analysis.Point) bool { return !(p.Chance >= 0 && p.Chance <= 1) }

// seq is what the club wants to know to tell something newer.
func (l matchAnalysis) seq() uint64 {
	if l.latest == nil {
		return 0
	}
	return l.latest.Seq
}

// ready says that the analysis is there.
func (l matchAnalysis) ready() bool { return l.points != nil }

// done says that nothing more will come.
func (l matchAnalysis) done() bool { return l.ready() || l.failed != "" }

// mark is that of the last of ply moves.
func (l matchAnalysis) mark(ply int) analysis.Mark {
	if !l.ready() || ply <= l.start {
		return analysis.Fine
	}
	return min(l.points[ply-1].Mark, analysis.Blunder)
}

// seek is the next marked move from ply at in a direction, 1 or -1: the number of moves with it as the last one.
func (l matchAnalysis) seek(at, direction int) (ply int, ok bool) {
	for ply = at + direction; ply > 0 && ply < len(l.points); ply += direction {
		if l.mark(ply) != analysis.Fine {
			return ply, true
		}
	}
	return at, false
}

// progress says how far the analysis is: "" if nobody works on it.
func (l matchAnalysis) progress(say text.Say) string {
	switch {
	case l.done() || l.latest == nil:
		return l.failed
	case l.latest.Stage == lobby.Waiting && l.latest.Ahead == 1:
		return say.T("looking for mistakes: one match before this one")
	case l.latest.Stage == lobby.Waiting && l.latest.Ahead > 1:
		return say.T("looking for mistakes: %d matches before this one", l.latest.Ahead)
	case l.latest.Stage == lobby.Working && l.latest.Total > 0:
		return say.T("looking for mistakes ... %d of %d", l.latest.Done, l.latest.Total)
	}
	return say.T("looking for mistakes ...")
}

// signOf is how chess players write a mark behind a move.
func signOf(m analysis.Mark) string {
	return [...]string{"", "?!", "?", "??"}[min(m, analysis.Blunder)]
}
