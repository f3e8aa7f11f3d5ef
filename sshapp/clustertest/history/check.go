package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// A Breach is the kind of a violation.
type Breach string

// The kinds of violations.
const (
	Lost      Breach = "an acknowledged act is not in the store"
	Twice     Breach = "one place in a match was acknowledged twice"
	Disorder  Breach = "moves were acknowledged in another order than that of the log"
	Unsent    Breach = "the store holds something that nobody sent"
	Denied    Breach = "the store holds something that was refused"
	Phantom   Breach = "a client saw something that is not in the log"
	Backwards Breach = "a client saw a match go backwards"
	Stale     Breach = "a client was shown less than had been shown before it asked"
	Ends      Breach = "a match has more than one end"
	Rewritten Breach = "the store changed something that it held before"
	Damaged   Breach = "a match in the store contradicts itself"
	Ratings   Breach = "the ratings don't follow from the results"
	Clocks    Breach = "a clock charged more or less than the clients measured"
	Stalled   Breach = "a match did not go on after a fault"
)

// A Violation is a place where the histories and the store don't agree.
type Violation struct {
	Breach Breach          `json:"breach"`
	Match  storage.MatchID `json:"match,omitempty"`
	Words  string          `json:"words"`
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: match %s: %s", v.Breach, cmp.Or(string(v.Match), "-"), v.Words)
}

// A Run is everything that is known about a run.
type Run struct {
	Clients []Client
	Matches Matches                  // at the end
	Faults  []Fault                  // in order
	Ratings []string                 // corrections made by recomputing the ratings
	Paired  map[storage.MatchID]bool // matches that no client opened, because the club paired their players in an event

	Stopped        time.Time     // when clients began no more acts
	OneNode        bool          // a new stream must show at least what any client was shown before; else only what its own client was
	ResumeWithin   time.Duration // the longest time after a fault until each match goes on; 0 doesn't check it
	ClockTolerance time.Duration // the largest difference between a clock and the clients' measurements; 0 doesn't check it
}

// A Gap is the longest time that a match took to go on after a fault.
type Gap struct {
	Fault   Fault
	Longest time.Duration // from Fault.From to the first event since
	Match   storage.MatchID
	Matches int           // that went on
	First   time.Duration // from Fault.From to the first move acknowledged since; 0 if there was none

	OnNode        time.Duration // the same for matches with a player on Fault.Node when the fault began
	OnNodeMatch   storage.MatchID
	OnNodeMatches int
}

// A Report is the result of a check: the violations, and figures of the run.
type Report struct {
	Violations []Violation

	Matches, Ended, Views int
	Sent                  int // moves, whatever their outcome
	Outcomes              map[Outcome]int
	Arrived               int // moves of unknown outcome that are in the log
	Late                  int // of these, moves at a later ply than their sender meant

	Gaps         []Gap
	Acknowledged []time.Duration // from sending a move to its answer, outside faults, sorted
	First        []time.Duration // from asking to watch a match to its first view, outside faults, sorted
	Opponent     []time.Duration // from sending a move to the opponent's view of it, outside faults, sorted
	ClockMoves   int             // moves whose time was checked
	Back         int             // of these, moves for which time was refunded outside faults
	ClockError   time.Duration   // the largest difference outside faults
}

// Quantile returns a quantile of sorted times, or 0 if there are none. part is from 0 to 1.
func Quantile(sorted []time.Duration, part float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// Check checks a run against all rules, and measures it.
func Check(r Run) Report {
	c := checker{run: r, report: Report{Outcomes: make(map[Outcome]int)}, sent: make(map[clientMatch][]*Act), seen: make(map[sighting]time.Time),
		known: make(map[storage.MatchID]time.Time), first: make(map[place]time.Time)}
	for i := range r.Clients {
		for j := range r.Clients[i].Acts {
			c.index(r.Clients[i].Name, &r.Clients[i].Acts[j])
		}
	}
	for _, text := range r.Ratings {
		c.breach(Ratings, "", "%s", text)
	}
	c.acts()
	c.views()
	for _, id := range slices.Sorted(maps.Keys(r.Matches)) {
		m := r.Matches[id]
		c.report.Matches++
		if m.Over() {
			c.report.Ended++
		}
		c.match(m)
		c.moves(m)
		c.end(m)
		c.clock(m)
	}
	c.openings()
	c.earlier()
	c.gaps()
	c.delays()
	return c.report
}

// A clientMatch is a client in a match.
type clientMatch struct {
	match  storage.MatchID
	client string
}

// A place is a ply of a match.
type place struct {
	match storage.MatchID
	ply   int
}

// A sighting is a client who has seen this many moves of a match.
type sighting struct {
	clientMatch
	moves int
}

type checker struct {
	run    Run
	report Report
	sent   map[clientMatch][]*Act        // the acts of each client in each match
	seen   map[sighting]time.Time        // when each client had first seen this many moves
	known  map[storage.MatchID]time.Time // when one of its players first saw each match
	first  map[place]time.Time           // the earliest time at which this many moves may have been known: the last was sent, or seen
}

func (c *checker) breach(b Breach, id storage.MatchID, format string, args ...any) {
	c.report.Violations = append(c.report.Violations, Violation{b, id, fmt.Sprintf(format, args...)})
}

func (c *checker) index(name string, a *Act) {
	at := clientMatch{a.Match, name}
	c.sent[at] = append(c.sent[at], a)
	if p := (place{a.Match, a.Ply + 1}); a.Kind == Move && a.Outcome == Done && (c.first[p].IsZero() || c.first[p].After(a.Invoked)) {
		c.first[p] = a.Invoked
	}
	if a.Kind == Move {
		c.report.Sent++
		c.report.Outcomes[a.Outcome]++
	}
}

// acts checks that acknowledged acts are in the store.
func (c *checker) acts() {
	acknowledged := make(map[place]*Act)
	for _, client := range c.run.Clients {
		for i := range client.Acts {
			a := &client.Acts[i]
			if a.Outcome != Done {
				continue
			}
			m := c.run.Matches[a.Match]
			if m == nil {
				c.breach(Lost, a.Match, "%s: %s, and there is no such match", client.Name, describe(a))
				continue
			}
			side, seated := m.seat(client.Name)
			switch {
			case !seated:
				c.breach(Lost, a.Match, "%s: %s, and has no seat", client.Name, describe(a))
			case a.Kind == Move:
				if a.Ply >= len(m.Moves) || m.Moves[a.Ply] != a.Move || m.Sides[a.Ply] != side {
					c.breach(Lost, a.Match, "%s: %s, and there is %s", client.Name, describe(a), m.around(a.Ply))
				}
				at := place{a.Match, a.Ply}
				if acknowledged[at] != nil {
					c.breach(Twice, a.Match, "%s and %s", describe(acknowledged[at]), describe(a))
				}
				acknowledged[at] = a
			case a.Kind == Resign:
				if m.Result != side.Other().String() || m.Reason != "resigned" {
					c.breach(Lost, a.Match, "%s: %s, and the result is %s, %s", client.Name, describe(a), m.Result, m.Reason)
				}
			}
		}
	}
	for at, a := range acknowledged { // a move that was acknowledged before another was sent comes before it
		if b := acknowledged[place{at.match, at.ply + 1}]; b != nil && b.Answered.Before(a.Invoked) {
			c.breach(Disorder, at.match, "%s after %s", describe(a), describe(b))
		}
	}
}

// describe describes an act for a violation.
func describe(a *Act) string {
	text := string(a.Kind)
	if a.Kind == Move {
		text = fmt.Sprintf("move %d, %s", a.Ply, a.Move)
	}
	return fmt.Sprintf("%s was %s at %s", text, a.Outcome, a.Answered.Format(clockFormat))
}

const clockFormat = "15:04:05.000"

// around describes the moves near a ply for a violation.
func (m *Match) around(ply int) string {
	from, to := max(min(ply, len(m.Moves))-2, 0), min(ply+3, len(m.Moves))
	return fmt.Sprintf("%v from move %d of %d on", m.Moves[from:to], from, len(m.Moves))
}

// match checks that a match in the store doesn't contradict itself.
func (c *checker) match(m *Match) {
	if m.Damage != "" {
		c.breach(Damaged, m.ID, "%s", m.Damage)
	}
	if m.Ends > 1 {
		c.breach(Ends, m.ID, "there are %d", m.Ends)
	}
	last := m.Started
	for i, at := range m.Times {
		if at.Before(last) {
			c.breach(Damaged, m.ID, "move %d came before the event before it", i)
		}
		last = at
	}
	if m.Over() && m.Ended.Before(last) {
		c.breach(Damaged, m.ID, "it ended before its last move")
	}
}

// moves checks that each move of a match was sent by its player, and not refused.
func (c *checker) moves(m *Match) {
	used := make(map[*Act]bool)
	for ply, move := range m.Moves {
		o := m.Seats[m.Sides[ply]]
		if o.Kind != storage.Person {
			continue
		}
		acts := c.sent[clientMatch{m.ID, o.Name}]
		find := func(fits func(a *Act) bool) *Act {
			for _, a := range acts {
				if a.Kind == Move && a.Move == move && !used[a] && fits(a) {
					return a
				}
			}
			return nil
		}
		a := find(func(a *Act) bool { return a.Ply == ply && a.Outcome == Done })
		if a == nil {
			a = find(func(a *Act) bool { return a.Ply == ply && a.Outcome == Unknown })
		}
		late := false
		if a == nil {
			a = find(func(a *Act) bool { return a.Ply < ply && a.Outcome == Unknown })
			late = a != nil
		}
		switch {
		case a != nil:
			used[a] = true
			if a.Outcome == Unknown {
				c.report.Arrived++
			}
			if late {
				c.report.Late++
			}
			if m.Times[ply].After(a.Answered.Add(clockSkew)) && a.Outcome == Done || m.Times[ply].Before(a.Invoked.Add(-clockSkew)) {
				c.breach(Damaged, m.ID, "move %d is of %s, and %s was asked at %s", ply, m.Times[ply].Format(clockFormat), describe(a), a.Invoked.Format(clockFormat))
			}
		case find(func(a *Act) bool { return a.Ply == ply && a.Outcome == Refused }) != nil:
			c.breach(Denied, m.ID, "move %d, %s of %s", ply, move, o.Name)
		default:
			c.breach(Unsent, m.ID, "move %d, %s of %s", ply, move, o.Name)
		}
	}
}

// mostBack is the most time that each side gets back after an outage.
const mostBack = 20 * time.Second

// firstMove is the time that a side has for its first move in a match with a Fischer clock.
const firstMove = 30 * time.Second

// clockSkew allows for rounding to whole milliseconds.
const clockSkew = 5 * time.Millisecond

// end checks that a match ended by the rules of its game, by resignation, or on time.
func (c *checker) end(m *Match) {
	if !m.Over() {
		return
	}
	switch m.Reason {
	case "resigned":
		if m.Result != "first" && m.Result != "second" {
			c.breach(Damaged, m.ID, "the result %q by resignation", m.Result)
			return
		}
		loser := games.First
		if m.Result == games.First.String() {
			loser = games.Second
		}
		o := m.Seats[loser]
		fits := func(outcome Outcome) bool {
			return slices.ContainsFunc(c.sent[clientMatch{m.ID, o.Name}], func(a *Act) bool { return a.Kind == Resign && a.Outcome == outcome })
		}
		switch {
		case o.Kind != storage.Person, fits(Done), fits(Unknown):
		case fits(Refused):
			c.breach(Denied, m.ID, "%s resigned", o.Name)
		default:
			c.breach(Unsent, m.ID, "%s resigned", o.Name)
		}
	case "aborted", "abandoned", "claimed", "agreement", "adjudicated":
		c.breach(Unsent, m.ID, "it ended for the reason %s after %d moves", m.Reason, len(m.Moves))
	case "timeout":
		if m.Base == 0 && len(m.Moves) < 2 && m.Result == "" {
			return // the time for a first move
		}
		if m.Base == 0 {
			c.breach(Clocks, m.ID, "a match without a clock ended by it")
			return
		}
		turn := games.First
		if n := len(m.Sides); n > 0 {
			turn = m.Sides[n-1].Other()
		}
		left, since := m.Base, m.Started
		if len(m.Moves) < 2 {
			left = firstMove
		}
		for ply, side := range m.Sides {
			if since = m.Times[ply]; side == turn {
				left = m.Left[ply]
			}
		}
		if took := m.Ended.Sub(since); took < left-c.run.ClockTolerance {
			c.breach(Clocks, m.ID, "%s lost on time after %v of %v", turn, took, left)
		}
	}
}

// views checks that clients saw only events in the log, and that no match went backwards.
func (c *checker) views() {
	type shown struct {
		at    time.Time
		moves int
		over  bool
	}
	news := make(map[storage.MatchID][]shown) // of all clients, with OneNode
	type question struct {
		shown
		asked time.Time
		name  string
	}
	asked := make(map[storage.MatchID][]question)
	for _, client := range c.run.Clients {
		now := make(map[storage.MatchID][]games.Move)
		own := make(map[storage.MatchID][]shown)
		streams := make(map[int]int) // how far each stream has come
		began := make(map[int]bool)
		for _, v := range client.Views {
			c.report.Views++
			moves := append(slices.Clip(now[v.Match][:min(v.Keep, len(now[v.Match]))]), v.Moves...)
			now[v.Match] = moves
			m := c.run.Matches[v.Match]
			if m == nil {
				c.breach(Phantom, v.Match, "%s saw a match that the store does not know", client.Name)
				continue
			}
			line, ok := m.line(moves, streams[v.Stream])
			switch {
			case !ok && began[v.Stream] && m.has(moves):
				c.breach(Backwards, v.Match, "%s saw %d moves at %s", client.Name, len(moves), v.At.Format(clockFormat))
			case !ok:
				c.breach(Phantom, v.Match, "%s saw %d moves up to %v at %s, and there is %s", client.Name, len(moves), moves[max(len(moves)-3, 0):], v.At.Format(clockFormat), m.around(len(moves)-1))
			case v.Result+v.Reason != "" && (!m.Over() || v.Result != m.Result || v.Reason != m.Reason || len(moves) != len(m.Moves)):
				c.breach(Phantom, v.Match, "%s saw it end after %d moves: %q, %q; the store has %d moves, %q, %q", client.Name, len(moves),
					v.Result, v.Reason, len(m.Moves), m.Result, m.Reason)
			}
			if !ok {
				continue
			}
			one := shown{v.At, line, v.Result+v.Reason != ""}
			if !began[v.Stream] && !c.disturbed(v.Asked, v.At) {
				c.report.First = append(c.report.First, v.At.Sub(v.Asked))
			}
			if !began[v.Stream] { // a stream begins with at least what the client had been shown when it asked
				for _, s := range own[v.Match] {
					if s.at.Before(v.Asked) && (s.moves > line || s.over && !one.over) {
						c.breach(Stale, v.Match, "%s was shown %d moves at %s, and had been shown %d at %s", client.Name, line, v.At.Format(clockFormat), s.moves, s.at.Format(clockFormat))
						break
					}
				}
				asked[v.Match] = append(asked[v.Match], question{one, v.Asked, client.Name})
			}
			began[v.Stream], streams[v.Stream] = true, line
			if _, seated := m.seat(client.Name); seated && (c.known[m.ID].IsZero() || c.known[m.ID].After(v.At)) {
				c.known[m.ID] = v.At
			}
			own[v.Match] = append(own[v.Match], one)
			news[v.Match] = append(news[v.Match], one)
			for n := len(moves); n >= 0; n-- {
				at := sighting{clientMatch{v.Match, client.Name}, n}
				if t, known := c.seen[at]; known && !t.After(v.At) {
					break
				}
				c.seen[at] = v.At
				if p := (place{v.Match, n}); c.first[p].IsZero() || c.first[p].After(v.At) {
					c.first[p] = v.At
				}
			}
		}
	}
	if !c.run.OneNode {
		return
	}
	for id, questions := range asked {
		all := news[id]
		slices.SortFunc(all, func(a, b shown) int { return a.at.Compare(b.at) })
		for i := 1; i < len(all); i++ { // make each the most that any client had been shown by then
			all[i].moves, all[i].over = max(all[i].moves, all[i-1].moves), all[i].over || all[i-1].over
		}
		for _, q := range questions {
			i, _ := slices.BinarySearchFunc(all, q.asked, func(s shown, at time.Time) int { return s.at.Compare(at) })
			if i > 0 && (all[i-1].moves > q.moves || all[i-1].over && !q.over) {
				c.breach(Stale, id, "%s asked at %s and was shown %d moves, when %d had been shown already", q.name, q.asked.Format(clockFormat), q.moves, all[i-1].moves)
			}
		}
	}
}

// has reports whether these were the moves of the match at some time.
func (m *Match) has(moves []games.Move) bool { _, ok := m.line(moves, 0); return ok }

// line returns the first index in the log, not before from, after which these were the moves.
func (m *Match) line(moves []games.Move, from int) (at int, ok bool) {
	if m.Lines == nil {
		return len(moves), len(moves) >= from && len(moves) <= len(m.Moves) && common(moves, m.Moves) == len(moves)
	}
	for i := from; i < len(m.Lines); i++ {
		if slices.Equal(m.Lines[i], moves) {
			return i, true
		}
	}
	return 0, false
}

// openings checks that each match was opened by one of the clients, or is one of an event.
func (c *checker) openings() {
	opened := make(map[storage.MatchID]bool)
	open := make(map[string]int) // openings of each client with an unknown outcome
	for _, client := range c.run.Clients {
		for _, a := range client.Acts {
			if a.Kind == Open && a.Outcome == Done {
				opened[a.Match] = true
			}
			if a.Kind == Open && a.Outcome == Unknown {
				open[client.Name]++
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.run.Matches)) {
		if opened[id] || c.run.Paired[id] {
			continue
		}
		m := c.run.Matches[id]
		i := slices.IndexFunc(m.Seats[:], func(o storage.Occupant) bool { return o.Kind == storage.Person && open[o.Name] > 0 })
		if i < 0 {
			c.breach(Unsent, id, "no client opened it: %s against %s", m.Seats[0].Name, m.Seats[1].Name)
			continue
		}
		open[m.Seats[i].Name]--
	}
}

// earlier checks that the store only ever added to its contents.
func (c *checker) earlier() {
	for _, f := range c.run.Faults {
		s := f.Held
		if s == nil {
			continue
		}
		for id, was := range s.Matches {
			now := c.run.Matches[id]
			switch {
			case now == nil:
				c.breach(Rewritten, id, "it was there at %s", s.At.Format(clockFormat))
			case now.Lines == nil && was.Lines == nil && common(was.Moves, now.Moves) < len(was.Moves):
				c.breach(Rewritten, id, "at %s there was %s, now there is %s", s.At.Format(clockFormat), was.around(common(was.Moves, now.Moves)),
					now.around(common(was.Moves, now.Moves)))
			case was.Over() && (was.Result != now.Result || was.Reason != now.Reason || len(was.Moves) != len(now.Moves) || !was.Ended.Equal(now.Ended)):
				c.breach(Rewritten, id, "at %s its end was %q, %q, now it is %q, %q", s.At.Format(clockFormat), was.Result, was.Reason, now.Result, now.Reason)
			}
		}
		for _, client := range c.run.Clients {
			now := make(map[storage.MatchID]int)
			for _, v := range client.Views {
				now[v.Match] = min(v.Keep, now[v.Match]) + len(v.Moves)
				if !v.At.Before(s.At) {
					continue
				}
				if m := s.Matches[v.Match]; m == nil || m.Lines == nil && len(m.Moves) < now[v.Match] {
					c.breach(Lost, v.Match, "%s saw %d moves at %s, and the store did not have them at %s", client.Name, now[v.Match],
						v.At.Format(clockFormat), s.At.Format(clockFormat))
				}
			}
		}
	}
}

// clock checks the time that each move was charged: at least since its player saw the opponent's move, and at most since that was sent.
// During a fault the club may charge less. Several nodes detect outages by themselves, on a busy machine even without a fault, and give
// time back.
func (c *checker) clock(m *Match) {
	if m.Base == 0 || c.run.ClockTolerance == 0 || m.Lines != nil || len(m.Left) != len(m.Moves) {
		return
	}
	for ply := 2; ply < len(m.Moves); ply++ {
		side := m.Sides[ply]
		own := ply - 1 // the last own move before
		for own >= 0 && m.Sides[own] != side {
			own--
		}
		name := m.Seats[side].Name
		saw, shown := c.seen[sighting{clientMatch{m.ID, name}, ply}]
		made, answered := c.seen[sighting{clientMatch{m.ID, name}, ply + 1}]
		if own < 0 || m.Seats[side].Kind != storage.Person || !shown || !answered || m.Sides[ply-1] == side {
			continue
		}
		charged, measured := m.Left[own]+m.Step-m.Left[ply], made.Sub(saw)
		c.report.ClockMoves++
		switch difference := charged - measured; {
		case c.disturbed(m.Times[own].Add(-time.Second), made): // the opponent's move may not have been shown for a while
			if waited := made.Sub(m.Times[ply-1]); charged > waited+c.run.ClockTolerance {
				c.breach(Clocks, m.ID, "move %d of %s was charged %v during a fault, and took %v", ply, name, charged, waited)
			}
		case !c.run.OneNode && difference < -c.run.ClockTolerance && difference >= -mostBack-c.run.ClockTolerance:
			c.report.Back++
		case difference < -c.run.ClockTolerance, charged > made.Sub(c.first[place{m.ID, ply}])+c.run.ClockTolerance:
			c.breach(Clocks, m.ID, "move %d of %s was charged %v, and took %v", ply, name, charged, measured)
		default:
			c.report.ClockError = max(c.report.ClockError, difference.Abs())
		}
	}
}

// gaps measures how soon matches went on after each fault, and checks that against Run.ResumeWithin.
func (c *checker) gaps() {
	for i, f := range c.run.Faults {
		gap := Gap{Fault: f, First: c.firstAfter(f.From)}
		until := c.run.Stopped // or the next fault: after that, a match may have stopped for another reason
		if i+1 < len(c.run.Faults) && c.run.Faults[i+1].Start.Before(until) {
			until = c.run.Faults[i+1].Start
		}
		for _, id := range slices.Sorted(maps.Keys(c.run.Matches)) {
			m := c.run.Matches[id]
			known := c.known[id] // no client plays a match whose opening was never answered
			if m.Started.IsZero() || m.Started.After(f.Start) || known.IsZero() || known.After(f.Start) || m.Over() && m.Ended.Before(f.From) {
				continue
			}
			next := time.Time{}
			if j := slices.IndexFunc(m.Times, func(t time.Time) bool { return !t.Before(f.From) }); j >= 0 {
				next = m.Times[j]
			} else if m.Over() {
				next = m.Ended
			}
			took := next.Sub(f.From)
			if next.IsZero() || next.After(until) {
				if took = until.Sub(f.From); c.run.ResumeWithin == 0 || took <= c.run.ResumeWithin {
					continue
				}
			}
			if f.Node != "" && c.onNode(m, f) {
				gap.OnNodeMatches++
				if took > gap.OnNode {
					gap.OnNode, gap.OnNodeMatch = took, id
				}
			} else {
				gap.Matches++
				if took > gap.Longest {
					gap.Longest, gap.Match = took, id
				}
			}
			if c.run.ResumeWithin > 0 && took > c.run.ResumeWithin {
				c.breach(Stalled, id, "nothing happened for %v after %s at %s", took.Round(time.Millisecond), f.What, f.Start.Format(clockFormat))
			}
		}
		c.report.Gaps = append(c.report.Gaps, gap)
	}
}

// firstAfter returns how long after a time the first move was acknowledged; 0 if there was none.
func (c *checker) firstAfter(from time.Time) (first time.Duration) {
	for _, client := range c.run.Clients {
		for _, a := range client.Acts {
			if took := a.Answered.Sub(from); a.Kind == Move && a.Outcome == Done && took > 0 && (first == 0 || took < first) {
				first = took
			}
		}
	}
	return first
}

// onNode reports whether a player of a match was on the node of a fault when the fault began.
func (c *checker) onNode(m *Match, f Fault) bool {
	return slices.ContainsFunc(m.Seats[:], func(o storage.Occupant) bool { return o.Kind == storage.Person && c.nodeOf(o.Name, f.Start) == f.Node })
}

// nodeOf returns the node that a client was connected to at a time.
func (c *checker) nodeOf(name string, at time.Time) (node string) {
	for _, client := range c.run.Clients {
		if client.Name != name {
			continue
		}
		for i := len(client.Views) - 1; i >= 0; i-- {
			if v := client.Views[i]; v.Asked.Before(at) {
				return v.Node
			}
		}
	}
	return ""
}

// disturbed reports whether there was a fault between a and b.
func (c *checker) disturbed(a, b time.Time) bool {
	return slices.ContainsFunc(c.run.Faults, func(f Fault) bool { return f.overlaps(a, b) })
}

// delays measures the latency of moves outside faults.
func (c *checker) delays() {
	for _, client := range c.run.Clients {
		for _, a := range client.Acts {
			m := c.run.Matches[a.Match]
			if a.Kind != Move || a.Outcome != Done || m == nil || c.disturbed(a.Invoked, a.Answered.Add(time.Second)) {
				continue
			}
			c.report.Acknowledged = append(c.report.Acknowledged, a.Answered.Sub(a.Invoked))
			side, _ := m.seat(client.Name)
			if at, ok := c.seen[sighting{clientMatch{a.Match, m.Seats[side.Other()].Name}, a.Ply + 1}]; ok {
				c.report.Opponent = append(c.report.Opponent, at.Sub(a.Invoked))
			}
		}
	}
	slices.Sort(c.report.First)
	slices.Sort(c.report.Acknowledged)
	slices.Sort(c.report.Opponent)
}
