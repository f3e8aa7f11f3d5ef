package terminal

import (
	"sync"

	"ludoteca/sshapp/terminal/canvas"
)

// A Renderer is shared by sessions that draw.
//
// It bounds how many of them draw at the same time without a key: first screens, news from commands, new sizes. News can wake
// hundreds of sessions at once, and a player who presses a key then would wait until all of them have drawn. So a few draw at a
// time, and a key is handled in between. A session holds a place only while it computes, never while it waits.
//
// A Renderer also lends canvases, which sessions need only while they draw. So a session keeps only a copy of its client's screen, and
// the canvas of the last key is still in the processor's cache.
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

// giveBack returns a canvas that was lent.
func (r *Renderer) giveBack(c *canvas.Canvas) { r.canvases.Put(c) }
