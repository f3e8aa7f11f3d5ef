package lobby_test

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/lobby/operators"
	operatorstore "ludoteca/storage/operators"
)

// TestAuditEnds: a mute or a ban ends at its time, or with a later act about the same subject.
func TestAuditEnds(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	act := func(n int, verb, subject string, until int) operatorstore.AuditEntry {
		e := operatorstore.AuditEntry{Number: uint64(n), At: day(n), Verb: verb, Subject: subject}
		if until != 0 {
			e.Until = day(until)
		}
		return e
	}
	undone := act(1, "mute", "rui", 30)
	undone.UndoneBy = 4
	for _, tt := range []struct {
		name    string
		entries []operatorstore.AuditEntry // the newest first
		want    int                        // the day on which the last one ended; 0: it lasts
	}{
		{"lasts", []operatorstore.AuditEntry{act(1, "mute", "rui", 30)}, 0},
		{"for good", []operatorstore.AuditEntry{act(1, "ban", "192.0.2.7/32", 0)}, 0},
		{"over", []operatorstore.AuditEntry{act(1, "ban", "192.0.2.7/32", 8)}, 8},
		{"lifted", []operatorstore.AuditEntry{act(5, "unban", "192.0.2.7/32", 0), act(1, "ban", "192.0.2.7/32", 30)}, 5},
		{"lifted too late", []operatorstore.AuditEntry{act(5, "unmute", "rui", 0), act(1, "mute", "rui", 3)}, 3},
		{"replaced", []operatorstore.AuditEntry{act(9, "mute", "rui", 0), act(6, "mute", "rui", 40), act(1, "mute", "rui", 0)}, 6},
		{"of somebody else", []operatorstore.AuditEntry{act(5, "unmute", "zé", 0), act(4, "ban", "rui", 0), act(1, "mute", "rui", 0)}, 0},
		{"undone", []operatorstore.AuditEntry{act(4, "undo", "1", 0), undone}, 4},
		{"another act", []operatorstore.AuditEntry{act(5, "reopen", "rui", 0), act(1, "close", "rui", 0)}, 0},
	} {
		ends := operators.AuditEnds(tt.entries, day(10))
		want := time.Time{}
		if tt.want != 0 {
			want = day(tt.want)
		}
		if got := ends[len(ends)-1]; !got.Equal(want) || fmt.Sprint(len(ends)) != fmt.Sprint(len(tt.entries)) {
			t.Errorf("%s: ended %v, want %v", tt.name, got, want)
		}
	}
}
