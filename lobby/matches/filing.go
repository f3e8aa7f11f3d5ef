package matches

import (
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
)

// filing is live.Registry: it files what matches in memory report. Their goroutines call it.
type filing struct{ *Service }

// Changed files a match after a change.
func (f filing) Changed(m *live.Match, v *match.View) {
	if v.Over {
		f.Finished.ended(m, v) // before the registry forgets it: a match is always found
		f.config.News.Over(v)
	}
	f.config.News.Filed(f.registry.Put(m, v))
	f.Outages.changed(&v.Summary, v.Over)
	f.config.News.Changed(&v.Summary, v.Over)
}

// Unload takes a match out of memory, and reports whether it is: not if it has a reader.
func (f filing) Unload(m *live.Match, w live.Waiting) bool { return f.registry.Unload(m, w) }

// Quarantine takes a match that can't go on out of play.
func (f filing) Quarantine(m *live.Match) { f.config.News.Filed(f.registry.Quarantine(m.ID())) }
