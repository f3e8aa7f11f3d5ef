package sshapp

import "time"

// paced is what a client types at the plain prompt, no faster than Limits allow. Nothing is lost: it waits.
type paced struct {
	*Session
	limits *Limits
	even   time.Time // when what was read so far will have been allowed, the burst apart
}

func newPaced(s *Session, l *Limits) *paced { return &paced{Session: s, limits: l} }

// Read waits until more may be read, or the session has ended.
func (p *paced) Read(b []byte) (int, error) {
	now := time.Now()
	if p.even.Before(now) {
		p.even = now
	}
	ahead := p.even.Sub(now) - p.cost(p.limits.InputBurst)
	if ahead > 0 {
		wait(p.Session.Context(), ahead)
	}
	n, err := p.Session.Read(b[:min(len(b), p.limits.InputBurst)])
	p.even = p.even.Add(p.cost(n))
	return n, err
}

// cost is the time that so many bytes take at the allowed rate.
func (p *paced) cost(bytes int) time.Duration {
	return time.Duration(float64(bytes) / float64(p.limits.InputRate) * float64(time.Second))
}
