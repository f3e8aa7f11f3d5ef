package ui

import (
	"testing"
	"time"
)

// TestIdleLimits: a club may have its own.
func TestIdleLimits(t *testing.T) {
	cfg := Config{Club: fullClub(), Who: ana, IdleLobby: time.Minute, IdleBoard: time.Hour}
	walk(t, cfg, func(t *testing.T, s *session) {
		if got := s.app.IdleLimit(); got != time.Minute {
			t.Errorf("idle limit in the lobby %v, want a minute", got)
		}
		s.run(s.app.push(runningScreen{newReader(s.app.env, "", "")}))
		s.settle()
		if got := s.app.IdleLimit(); got != time.Hour {
			t.Errorf("idle limit at a board %v, want an hour", got)
		}
	})
}
