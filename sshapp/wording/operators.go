package wording

import (
	"time"

	"ludoteca/lobby/operators"
	operatorstore "ludoteca/storage/operators"
)

// AuditNote returns a note on an act in the audit log: that it was undone, until when a mute or a ban lasts, or when it ended. ended is the
// result of lobby.AuditEnds. The note may be "".
func (s Words) AuditNote(e operatorstore.AuditEntry, ended time.Time) string {
	switch {
	case e.UndoneBy != 0:
		return s.T("undone by %d", e.UndoneBy)
	case !ended.IsZero():
		return s.T("ended %s", s.Minute(ended))
	case e.Until.IsZero() || !e.Until.Before(operators.Forever):
		return ""
	}
	return s.T("until %s", s.Minute(e.Until))
}
