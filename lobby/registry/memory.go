package registry

import (
	"container/list"

	"ludoteca/lobby/limits"
	"ludoteca/storage"
)

// memory has the matches in memory, and their costs.
type memory struct {
	limits *limits.InForce
	notify func() // called when Over or TakeDue may return something new

	recent         *list.List // of *entry: matches in memory, last used first
	cost           int        // of all, in moves
	waitingForBots int        // number of matches in memory that wait for a computer player

	quarantined map[storage.MatchID]bool // their logs are damaged
}

const (
	matchCost = 500  // the cost of a match without moves, in moves: some 10 KB
	longMatch = 2500 // the least cost of a long match

	// maxBotsToMove is the number of matches in memory that wait for a computer player at which no other such match is loaded.
	maxBotsToMove = 16
)

func newMemory(l *limits.InForce, notify func()) memory {
	return memory{limits: l, notify: notify, recent: list.New(), quarantined: make(map[storage.MatchID]bool)}
}

// put puts a match into memory. The caller calls update.
func (m *memory) put(e *entry, live Match) {
	e.match = live
	e.recent = m.recent.PushFront(e)
}

// use marks a match in memory as used last.
func (m *memory) use(e *entry) { m.recent.MoveToFront(e.recent) }

// remove removes a match from memory.
func (m *memory) remove(e *entry) {
	m.recent.Remove(e.recent)
	e.match, e.recent = nil, nil
	m.update(e)
}

// update updates cost and waitingForBots from the newest summary of a match. It removes a match without a summary from recent.
func (m *memory) update(e *entry) {
	cost, waits := 0, false
	switch {
	case e.summary == nil && e.recent != nil:
		m.recent.Remove(e.recent)
		e.recent = nil
	case e.summary == nil:
	case e.match != nil:
		cost = matchCost + e.summary.Plies
		waits = e.summary.BotToAct() && !e.summary.Exhibition()
	}
	m.cost += cost - e.cost
	switch {
	case waits && !e.waitsForBot:
		m.waitingForBots++
	case !waits && e.waitsForBot:
		m.waitingForBots--
		m.notify()
	}
	if m.cost > m.limits.Now().LivePlies {
		m.notify()
	}
	e.cost, e.waitsForBot = cost, waits
}

// roomForBots reports whether another match that waits for a computer player may be loaded.
func (m *memory) roomForBots() bool { return m.waitingForBots < maxBotsToMove }

// admit reserves room for a match that is about to be loaded. If there is none, it returns matches that may leave memory in its
// place, the least recently used first. Long matches get half of the memory, so that a user with a few of them can't keep others
// out. A match that is due is admitted without room: it is done soon and leaves memory then.
func (m *memory) admit(e *entry) (ok bool, rest []Match) {
	cost, most := matchCost+e.summary.Plies, m.limits.Now().LivePlies
	if cost > longMatch {
		most /= 2
	}
	if m.cost+cost <= most || m.urgent(e) {
		e.cost = cost
		m.cost += cost
		return true, nil
	}
	return false, m.resting(m.cost + cost - most)
}

// urgent reports whether a match is loaded even if there is no room, because it is due. Matches that wait for a computer player are urgent only up to
// maxBotsToMove: they stay in memory until it has moved.
func (m *memory) urgent(e *entry) bool {
	return e.loadedForDue && (!e.summary.BotToAct() || m.roomForBots())
}

// over returns matches that have to leave memory because the cost is above Limits.LivePlies.
func (m *memory) over() []Match {
	most := m.limits.Now().LivePlies
	if m.cost <= most {
		return nil
	}
	return m.resting(m.cost - most)
}

// resting returns matches that may leave memory, the least recently used first, until their cost reaches the given one.
func (m *memory) resting(cost int) (rest []Match) {
	for at := m.recent.Back(); at != nil && cost > 0; at = at.Prev() {
		e := at.Value.(*entry)
		if now, _ := e.match.Views().Readers(); now || e.waitsForBot || e.evicting {
			continue
		}
		rest = append(rest, e.match)
		cost -= e.cost
	}
	return rest
}
