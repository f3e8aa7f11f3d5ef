package state

import "ludoteca/storage/tournaments"

const (
	// maxComings is how often one may enter, pause and resume, all together. In a log of busyLog entries it is fewComings.
	maxComings = 40
	fewComings = 6
	busyLog    = tournaments.MaxEntries / 4
)

// LateEntry reports whether one may enter a tournament that runs.
func (s *State) LateEntry() bool {
	if s.Stage != tournaments.Running || full(s.Seq) {
		return false
	}
	switch s.Settings.Plan() {
	case tournaments.Arena:
		return true
	case tournaments.Swiss:
		return len(s.Rounds) <= s.Settings.Rounds/2
	}
	return false
}

// MayReturn reports whether an entrant who takes no part may enter again.
func (s *State) MayReturn(e *Entrant) bool {
	return e.Out != tournaments.ByAbsence && e.Out != tournaments.ByAccount && e.comings < maxComings &&
		(s.Stage == tournaments.Open || s.Settings.Plan() == tournaments.Arena && s.LateEntry())
}

// MayPause reports whether an entrant may pause, or go on after a pause.
func (s *State) MayPause(e *Entrant) bool {
	return e.In() && allowsPauses(s.Settings.Plan()) && e.comings < maxComings
}

// allowsPauses reports whether entrants may pause in a tournament, by how its rounds are paired.
func allowsPauses(plan tournaments.Kind) bool {
	return plan == tournaments.Arena || plan == tournaments.Swiss
}

// Restless reports whether an entrant has come and gone so often that they must neither pause nor enter again: one more entry is left, to resume. A
// log that fills with such entries has no room for matches.
func (s *State) Restless(e *Entrant) bool {
	return e.comings >= maxComings-1 || e.comings >= fewComings && s.Seq >= busyLog
}

// full reports whether a log with a number of entries has no room for what a further round or match may bring.
func full(entries uint64) bool { return entries+4*tournaments.MaxEntrants >= tournaments.MaxEntries }
