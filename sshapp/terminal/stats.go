package terminal

import "sync/atomic"

// Stats counts what the driver does. One Stats may serve any number of sessions; all fields only grow. The zero value is
// ready to use.
type Stats struct {
	Keys      atomic.Int64 // key presses, clicks and pastes that reached a model
	Frames    atomic.Int64 // frames written
	Coalesced atomic.Int64 // updates that found the writer busy or drew too soon after a frame, and shared the next one
	Bytes     atomic.Int64 // bytes written
	Dropped   atomic.Int64 // input bytes thrown away: over the rate, over a paste's length, malformed
	Clamps    atomic.Int64 // window sizes that had to be clamped
	Stalls    atomic.Int64 // sessions ended by ErrStalled
	Panics    atomic.Int64 // panics caught, late ones included
}
