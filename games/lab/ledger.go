package lab

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A ledger counts finished games. They may come in any order, but are counted in the order of their numbers, whole pairs at
// a time: so the score, and the game at which a test has its verdict, are the same however many games are played at
// once.
type ledger struct {
	score    *score
	outcomes []outcome // by number
	together int
	counted  int  // all games before this one are in the score
	finished int  // games that are known, counted or not
	closed   bool // the test has its verdict: nothing more is counted
}

func newLedger(m *Meeting) *ledger {
	return &ledger{score: newScore(m), outcomes: make([]outcome, m.Games), together: m.together()}
}

// add enters a game, and counts what can be counted now.
func (l *ledger) add(g game) {
	if l.outcomes[g.index] == unknown {
		l.finished++
	}
	l.outcomes[g.index] = outcomeOf(g)
	for !l.closed && l.counted+l.together <= len(l.outcomes) {
		next := l.outcomes[l.counted : l.counted+l.together]
		for _, o := range next {
			if o == unknown {
				return
			}
		}
		l.score.count(next)
		l.counted += l.together
		l.closed = l.score.SPRT != nil && l.score.SPRT.Accepts != ""
	}
}

// had returns, by number, which games are known now.
func (l *ledger) had() []bool {
	had := make([]bool, len(l.outcomes))
	for i, o := range l.outcomes {
		had[i] = o != unknown
	}
	return had
}

// A ticker tells on one line of a terminal how a meeting goes. It writes nothing if it has no terminal.
type ticker struct {
	w      io.Writer
	began  time.Time
	before int       // games that were finished before it began
	last   time.Time // when it wrote
	width  int       // of what stands on the line
}

// betweenTicks is the time between two lines at least.
const betweenTicks = 250 * time.Millisecond

// tell writes the line anew if the old one is old enough.
func (t *ticker) tell(l *ledger) {
	if t.due() {
		t.write(l.line(float64(l.finished-t.before) / t.last.Sub(t.began).Seconds()))
	}
}

// due says whether a new line is to be written now.
func (t *ticker) due() bool {
	now := time.Now()
	if t.w == nil || now.Sub(t.last) < betweenTicks {
		return false
	}
	t.last = now
	return true
}

// clear leaves an empty line behind.
func (t *ticker) clear() {
	if t.width > 0 {
		t.write("")
		t.write("")
	}
}

// write puts text in place of what stands on the line. A terminal that takes no more is no reason to stop playing.
func (t *ticker) write(text string) {
	_, _ = fmt.Fprintf(t.w, "\r%s%s", text, strings.Repeat(" ", max(0, t.width-len(text))))
	t.width = len(text)
}

// line says in a few words how things stand.
func (l *ledger) line(perSecond float64) string {
	s := *l.score
	s.rate()
	line := fmt.Sprintf("%d of %d, %.2f/s", l.finished, len(l.outcomes), perSecond)
	if s.Games > 0 {
		line += fmt.Sprintf(", %.1f %%", 100*s.Score)
	}
	if s.Elo != nil {
		line += fmt.Sprintf(", Elo %+.0f +-%.0f", *s.Elo, *s.Error)
	}
	if s.SPRT != nil {
		line += fmt.Sprintf(", LLR %+.2f of %.2f", s.SPRT.Ratio, s.SPRT.Upper)
	}
	return line
}
