package matches

import (
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
)

// News is notified of changes of matches. Its methods must not block.
type News interface {
	// Filed is called when the registry has a new summary of a match. Several goroutines may call it at a time.
	Filed(c registry.Change)

	// Changed is called with the summary of a match after a change or its end, after the registry has it and before a view shows it.
	Changed(s *match.Summary, over bool)

	// Over is called when a match in memory is over, while the registry still has it; EndedElsewhere for a match that was not in memory here.
	Over(v *match.View)
	EndedElsewhere(last *match.Summary)

	// Loaded is called when a finished match has been loaded into memory.
	Loaded(id storage.MatchID)
}

// A notifier notifies News and Outages of changes of unfinished matches, after the registry has them.
type notifier struct {
	outages *Outages
	news    News
}

// changed notifies of the newest summary of a match.
func (n notifier) changed(s *match.Summary, over bool, c registry.Change) {
	n.news.Filed(c)
	n.outages.changed(s, over)
	n.news.Changed(s, over)
}

// endedElsewhere notifies of the end of a match that was not in memory here. last is its last summary; nil if there is nothing to do.
func (n notifier) endedElsewhere(last *match.Summary, c registry.Change) {
	n.news.Filed(c)
	if last == nil {
		return
	}
	n.outages.changed(last, true)
	n.news.EndedElsewhere(last)
	n.news.Changed(last, true)
}

// A liveRegistry is live.Registry: it applies what matches in memory report. Their goroutines call it.
type liveRegistry struct {
	registry *registry.Registry
	finished *Finished
	notifier notifier
}

// Changed applies a change of a match.
func (r *liveRegistry) Changed(m *live.Match, v *match.View) {
	if v.Over {
		r.finished.ended(m, v) // before the registry forgets it: a match is always found
		r.notifier.news.Over(v)
	}
	r.notifier.changed(&v.Summary, v.Over, r.registry.Put(m, v))
}

// Unload removes a match from memory unless it has a reader, and reports whether it is removed.
func (r *liveRegistry) Unload(m *live.Match, w live.Waiting) bool { return r.registry.Unload(m, w) }

// Quarantine takes a match that can't go on out of play.
func (r *liveRegistry) Quarantine(m *live.Match) {
	r.notifier.news.Filed(r.registry.Quarantine(m.ID()))
}
