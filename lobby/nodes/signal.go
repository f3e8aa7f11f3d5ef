package nodes

import "sync"

// A signal wakes all goroutines that wait for it. The zero value is ready to use. It is safe for concurrent use.
type signal struct {
	mu   sync.Mutex // guards next
	next chan struct{}
}

// sent returns a channel that is closed by the next call of send.
func (s *signal) sent() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *signal) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
