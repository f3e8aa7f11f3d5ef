package sshapp

import (
	"golang.org/x/time/rate"
)

// A throttledReader is what a client types at the plain prompt, no faster than Limits allow. Nothing is lost: it waits.
type throttledReader struct {
	*Session
	rate *rate.Limiter // of bytes
}

func newThrottledReader(s *Session, l *Limits) *throttledReader {
	return &throttledReader{Session: s, rate: rate.NewLimiter(rate.Limit(l.InputRate), l.InputBurst)}
}

// Read reads what was typed and returns it when the rate allows, or when the session has ended.
func (r *throttledReader) Read(p []byte) (int, error) {
	n, err := r.Session.Read(p[:min(len(p), r.rate.Burst())])
	_ = r.rate.WaitN(r.Session.Context(), n) // fails only when the session ends, which the next Read says
	return n, err
}
