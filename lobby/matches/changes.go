package matches

import (
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
)

// News hears what becomes of matches. Its methods must not block.
type News interface {
	// Filed says that the registry has another summary of a match. It may be called by several goroutines at a time.
	Filed(c registry.Change)

	// Changed says how a match stands after a change, or once it is over, after the registry knows it and before a view shows it.
	Changed(s *match.Summary, over bool)

	// Over says that a match in memory is over, while the registry still knows it. EndedElsewhere says so of one that was not in memory here.
	Over(v *match.View)
	EndedElsewhere(last *match.Summary)

	// Loaded says that a finished match has come into memory.
	Loaded(id storage.MatchID)
}

// A notifier passes on what has changed in unfinished matches, after the registry knows it.
type notifier struct {
	outages *Outages
	news    News
}

// changed passes on the newest summary of a match.
func (n notifier) changed(s *match.Summary, over bool, c registry.Change) {
	n.news.Filed(c)
	n.outages.changed(s, over)
	n.news.Changed(s, over)
}

// endedElsewhere passes on that a match has ended that was not in memory here. last is its last summary, nil if there is nothing to do.
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

// Unload takes a match out of memory, and reports whether it is: not if it has a reader.
func (r *liveRegistry) Unload(m *live.Match, w live.Waiting) bool { return r.registry.Unload(m, w) }

// Quarantine takes a match that can't go on out of play.
func (r *liveRegistry) Quarantine(m *live.Match) {
	r.notifier.news.Filed(r.registry.Quarantine(m.ID()))
}
