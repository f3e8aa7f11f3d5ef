package terminal

import (
	"sync"

	"ludoteca/sshapp/terminal/canvas"
)

// A Renderer is what the sessions that draw share.
//
// It bounds how many of them draw at the same time what nobody typed: first screens, news from commands, new sizes. News can wake
// hundreds of sessions at once, and a player who presses a key then would wait until all of them have drawn; so they do it a few
// at a time, and a key is dealt with in between. A place is held only while a session computes, never while it waits for anything.
//
// It also lends them canvases, which they need only while they draw: a session keeps nothing but what its client shows, and the
// canvas of the last key is still in the processor's cache.
type Renderer struct {
	places   chan struct{} // nil: no bound
	canvases sync.Pool
}

// NewRenderer returns a renderer that draws for the given number of sessions at a time, at least one.
func NewRenderer(atOnce int) *Renderer { return &Renderer{places: make(chan struct{}, max(1, atOnce))} }

// lend returns a canvas for one frame.
func (r *Renderer) lend() *canvas.Canvas {
	if c, ok := r.canvases.Get().(*canvas.Canvas); ok {
		return c
	}
	return canvas.New(0, 0)
}

// giveBack takes a canvas that nobody draws on any more.
func (r *Renderer) giveBack(c *canvas.Canvas) { r.canvases.Put(c) }
