package review

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
)

// An Analysis is the state of the analysis of a reviewed match. The zero value is the state before the first answer.
type Analysis struct {
	timeline *Timeline // of the match
	latest   *lobby.AnalysisProgress
	points   []analysis.Point        // when it is ready: one more than there are moves
	start    int                     // the number of given moves, which are no mistakes of the players
	counts   [2]markCounts           // then: the marks of each side
	played   [2]analysis.Performance // how well each side played
	Failed   string                  // why there is no analysis, in words
}

// markCounts counts marks by their size.
type markCounts [analysis.Blunder + 1]int

// Take returns the analysis after an answer. The first start moves of the match were given, so they are no mistakes of the players.
func (a Analysis) Take(say wording.Words, t *Timeline, start int, latest *lobby.AnalysisProgress, err error) Analysis {
	if err != nil {
		a.Failed = say.Error(err)
		return a
	}
	a.latest = latest
	if latest.Stage != lobby.AnalysisReady {
		return a
	}
	if got := latest.Analysis; got == nil || len(got.Points) != len(t.moves)+1 || slices.ContainsFunc(got.Points, isNonsense) {
		a.Failed = say.T("The analysis doesn't fit this match.")
		return a
	}
	a.timeline, a.points, a.start = t, latest.Analysis.Points, start
	a.played = latest.Analysis.Performances(t.Turns, start)
	for ply := range t.moves {
		a.counts[t.Turns[ply]][a.Mark(ply+1)]++
	}
	return a
}

// isNonsense reports whether a chance is outside of 0 to 1, which no graph can show.
func isNonsense(p analysis.Point) bool { return !(p.Chance >= 0 && p.Chance <= 1) }

// Seq returns the number of the latest answer, for waiting for a newer one.
func (a Analysis) Seq() uint64 {
	if a.latest == nil {
		return 0
	}
	return a.latest.Seq
}

// Ready reports whether the analysis is there.
func (a Analysis) Ready() bool { return a.points != nil }

// Done reports whether nothing more will come.
func (a Analysis) Done() bool { return a.Ready() || a.Failed != "" }

// Mark returns the mark of the last of ply moves.
func (a Analysis) Mark(ply int) analysis.Mark {
	if !a.Ready() || ply <= a.start {
		return analysis.Fine
	}
	return min(a.points[ply-1].Mark, analysis.Blunder)
}

// Sign returns the sign for the mark of the last of ply moves, as chess players write it; "" for none.
func (a Analysis) Sign(ply int) string { return signOf(a.Mark(ply)) }

// Line returns the expected moves after the first ply moves. It is nil before the analysis is ready.
func (a Analysis) Line(ply int) []games.Move {
	if !a.Ready() {
		return nil
	}
	return a.points[ply].Line
}

// Seek returns the ply of the next marked move from at in a direction, 1 or -1.
func (a Analysis) Seek(at, direction int) (ply int, ok bool) {
	for ply = at + direction; ply > 0 && ply < len(a.points); ply += direction {
		if a.Mark(ply) != analysis.Fine {
			return ply, true
		}
	}
	return at, false
}

// Progress tells how far the analysis is, or why there is none. It is "" before the first answer.
func (a Analysis) Progress(say wording.Words) string {
	switch {
	case a.Done() || a.latest == nil:
		return a.Failed
	case a.latest.Stage == lobby.AnalysisWaiting && a.latest.Ahead > 0:
		return say.N(a.latest.Ahead, "looking for mistakes: one match ahead of this one", "looking for mistakes: %d matches ahead of this one")
	case a.latest.Stage == lobby.AnalysisWorking && a.latest.Total > 0:
		return say.T("looking for mistakes ... %d of %d", a.latest.Done, a.latest.Total)
	}
	return say.T("looking for mistakes ...")
}

// signOf returns how chess players write a mark behind a move.
func signOf(m analysis.Mark) string {
	return [...]string{"", "?!", "?", "??"}[min(m, analysis.Blunder)]
}

// What follows says the analysis in words. Only what is proven is called proven: an estimate says only who is better.

// Up to where, in shares of the points above one half, a side is called even, a little better, and better.
const (
	evenUpTo   = 0.05
	littleUpTo = 0.15
	betterUpTo = 0.35
)

// Worth tells which player stands better after ply moves, and by how much. It is "" where the match shows that itself.
func (a Analysis) Worth(say wording.Words, names [2]string, ply int) string {
	if !a.Ready() {
		return ""
	}
	p := a.points[ply]
	switch winner, won := p.Winner(); {
	case p.Proven != analysis.Unproven && ply == len(a.points)-1:
		return ""
	case p.Proven == analysis.ProvenDraw:
		return say.T("proven: a draw")
	case won && p.Plies == 1:
		return say.T("proven: %s wins at once", names[winner])
	case won && p.Plies > 1:
		return say.N(p.Plies, "proven: %s wins within one move", "proven: %s wins within %d moves", names[winner], p.Plies)
	case won:
		return say.T("proven: %s wins", names[winner])
	}
	ahead, share := games.First, p.Chance
	if share < 0.5 {
		ahead, share = games.Second, 1-share
	}
	percent := boardview.Percent(share)
	switch more := share - 0.5; {
	case more < evenUpTo:
		return say.T("about even (%s: %d %%)", names[ahead], percent)
	case more < littleUpTo:
		return say.T("%s is a little better (%d %%)", names[ahead], percent)
	case more < betterUpTo:
		return say.T("%s is better (%d %%)", names[ahead], percent)
	}
	return say.T("%s is much better (%d %%)", names[ahead], percent)
}

// Remark tells what the last of ply moves gave away, why, and what would have been better. It is "" for a move without a mark.
func (a Analysis) Remark(say wording.Words, names [2]string, ply int) string {
	return a.remarks(say, names, ply)[0]
}

// remarks returns Remark, and if the reason is known, shorter forms of it: without what would have been better, and the reason alone.
func (a Analysis) remarks(say wording.Words, names [2]string, ply int) []string {
	if a.Mark(ply) == analysis.Fine {
		return []string{""}
	}
	before := &a.points[ply-1]
	mistake := boardview.Mistake{Before: before, After: &a.points[ply], By: a.timeline.Turns[ply-1]}
	words := mistake.Words(say.Say, names)
	if _, missed := mistake.MissedWin(); missed {
		return []string{words}
	}
	full := words
	if better := before.Line; len(better) > 0 && better[0] != a.timeline.moves[ply-1] {
		full += "; " + say.T("better %s", boardpage.FirstOf(better, boardpage.FewMoves))
	}
	why := mistake.Why(say.Say, names)
	if why == "" {
		return []string{full}
	}
	return []string{full, words, why}
}

// Summary tells how many mistakes a side made, and how accurate it was.
func (a Analysis) Summary(say wording.Words, names [2]string, side games.Side) string {
	t := a.counts[side]
	var parts []string
	if n := t[analysis.Inaccuracy]; n > 0 {
		parts = append(parts, say.N(n, "1 inaccuracy", "%d inaccuracies"))
	}
	if n := t[analysis.Mistake]; n > 0 {
		parts = append(parts, say.N(n, "1 mistake", "%d mistakes"))
	}
	if n := t[analysis.Blunder]; n > 0 {
		parts = append(parts, say.N(n, "1 blunder", "%d blunders"))
	}
	if len(parts) == 0 {
		parts = []string{say.T("no mistakes")}
	}
	if p := a.played[side]; p.Moves > 0 {
		parts = append([]string{say.T("accuracy %d %%", int(math.Round(p.Accuracy)))}, parts...)
	}
	return say.T("%s: %s", names[side], strings.Join(parts, ", "))
}

// ShortSummary returns the summaries of both sides in signs, for one line of a narrow window.
func (a Analysis) ShortSummary(say wording.Words, names [2]string, dot string) string {
	var sides []string
	none := true
	for side, t := range a.counts {
		words := ""
		for mark := analysis.Inaccuracy; mark <= analysis.Blunder; mark++ {
			if t[mark] > 0 {
				words += fmt.Sprintf(" %d%s", t[mark], signOf(mark))
			}
		}
		none = none && words == ""
		sides = append(sides, names[side]+":"+cmp.Or(words, " 0"))
	}
	if none { // two zeros don't say of what
		return say.T("no mistakes")
	}
	return strings.Join(sides, dot)
}

// MistakeList returns all mistakes in words, for reading aloud as well, below a summary of each side.
func (a Analysis) MistakeList(say wording.Words, names [2]string) []string {
	lines := []string{a.Summary(say, names, games.First) + ".", a.Summary(say, names, games.Second) + "."}
	for ply, m := range a.timeline.moves {
		if remark := a.Remark(say, names, ply+1); remark != "" {
			played := say.T("%s plays %s", names[a.timeline.Turns[ply]], string(m)+a.Sign(ply+1))
			lines = append(lines, say.T("Move %d: %s: %s", ply+1, played, remark))
		}
	}
	return lines
}
