package terminal

// A Crowd bounds how many of the sessions that share it deal at the same time with what they have not been typed: their first
// screen, news from commands, new sizes, time. News can wake hundreds of sessions at once, and whoever presses a key then would
// wait until all of them have updated and drawn; so they do it a few at a time, in the order in which they came, and a key is
// dealt with in between. A place is held only while a session computes, never while it waits for anything.
//
// The zero value has no bound.
type Crowd struct{ places chan struct{} }

// NewCrowd returns a crowd of which so many sessions are served at a time, at least one.
func NewCrowd(atOnce int) Crowd { return Crowd{make(chan struct{}, max(1, atOnce))} }

// serve does something when there is a place, unless over is closed before.
func (c Crowd) serve(over <-chan struct{}, do func()) {
	if c.places != nil {
		select {
		case c.places <- struct{}{}:
			defer func() { <-c.places }()
		case <-over:
			return
		}
	}
	do()
}
