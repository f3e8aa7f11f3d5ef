package registry

import (
	"container/list"

	"ludoteca/lobby/limits"
	"ludoteca/storage"
)

// memory says which matches are in memory, and what they cost.
type memory struct {
	limits *limits.InForce
	notify func() // Over or TakeDue may return something new

	recent         *list.List // of *entry: matches in memory, last used first
	cost           int        // of all, in moves
	waitingForBots int        // how many of them wait for a computer player

	quarantined map[storage.MatchID]bool // their logs are damaged
}

const (
	matchCost = 500  // what a match without moves costs, in moves: some 10 KB
	longMatch = 2500 // what a long match costs

	// maxBotsToMove is how many matches in which computer players have to move are in memory when another such match is loaded.
	maxBotsToMove = 16
)

func newMemory(l *limits.InForce, notify func()) memory {
	return memory{limits: l, notify: notify, recent: list.New(), quarantined: make(map[storage.MatchID]bool)}
}

// put puts a match into memory. update counts it.
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

// update counts what a match costs in memory, and whether it waits for a computer player. A match without a summary leaves memory.
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

// roomForBots reports whether another match in which a computer player has to move may be loaded.
func (m *memory) roomForBots() bool { return m.waitingForBots < maxBotsToMove }

// admit makes room for a match that is about to be loaded. If there is none, it returns matches that may leave memory in its
// place, the match that was used least lately first. Long matches get half of the memory, so that nobody can keep the others
// out with a few of them. A match that is due is loaded in any case: it is done soon, and leaves memory then if there is no room.
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

// urgent reports whether a match is to be loaded whether or not there is room: it has something to do. Of the matches in which computer players
// have to move only a few are: they stay in memory for as long as it takes.
func (m *memory) urgent(e *entry) bool {
	return e.loadedForDue && (!e.summary.BotToAct() || m.roomForBots())
}

// over returns matches that are to leave memory because more is there than should be.
func (m *memory) over() []Match {
	most := m.limits.Now().LivePlies
	if m.cost <= most {
		return nil
	}
	return m.resting(m.cost - most)
}

// resting returns matches that have the given cost together, or all that may leave memory.
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
