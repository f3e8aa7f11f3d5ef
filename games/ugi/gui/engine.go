// Package gui talks to engines over the Universal Game Interface as a GUI does. It starts programs, gives them commands and waits for
// their replies. Engines are hostile: whatever one does or leaves undone, no call waits for longer than its context, and nothing grows.
package gui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"ludoteca/games"
	"ludoteca/games/ugi"
)

// What is wrapped by the errors about an engine. After any of them the engine is of no use and should be closed.
var (
	ErrSilent  = errors.New("the engine did not answer in time")
	ErrRubbish = errors.New("the engine sent what is no reply")
	ErrEnded   = errors.New("the engine has ended")
)

// A Link is how the lines of an engine come and go.
type Link struct {
	From io.Reader      // its replies
	To   io.WriteCloser // its commands; closed after the last

	// End waits until the engine has ended: with patience for a while, in which it may end by itself, and then by force. Once it
	// returns, reads of From and writes to To return at once. It may be called again.
	End func(patience bool)

	// Why says in words why the engine has ended, or "".
	Why func() string
}

// An Engine is an engine that was opened. Its methods are for one goroutine at a time.
type Engine struct {
	link    Link
	replies <-chan reply
	queue   chan<- string
	closing context.CancelFunc
	workers sync.WaitGroup
	closed  sync.Once

	lost bool   // it is of no use any more
	last string // the last line that was no reply, for words about a fault
}

// A reply is a line of an engine, or why there are no more.
type reply struct {
	text  string
	reply ugi.Reply // nil if the text is none
	err   error
}

// maxQueued is how many commands may wait for an engine to read them.
const maxQueued = 16

// maxRubbish is how many lines an engine may send while one reply is awaited that are none.
const maxRubbish = 1000

// An Identity is what an engine says of itself.
type Identity struct {
	Name, Author string
	Options      []ugi.Option
}

// maxOptions is how many options of an engine are looked at.
const maxOptions = 500

// Option returns the option of that name, in any letter case.
func (id *Identity) Option(name string) (o ugi.Option, ok bool) {
	for _, o := range id.Options {
		if strings.EqualFold(o.Name, name) {
			return o, true
		}
	}
	return ugi.Option{}, false
}

// Open returns the engine at the other end of a link. Close must be called when it is no longer used.
func Open(link Link) *Engine {
	ctx, cancel := context.WithCancel(context.Background()) // ended by Close
	replies, queue := make(chan reply), make(chan string, maxQueued)
	e := &Engine{link: link, replies: replies, queue: queue, closing: cancel}
	e.workers.Go(func() { read(ctx, link.From, replies) })
	e.workers.Go(func() { write(queue, link.To) })
	return e
}

// read passes replies on until there are no more. It reads no faster than they are taken. When ctx has ended nobody takes any: an
// engine that still writes is not held up by that.
func read(ctx context.Context, from io.Reader, to chan<- reply) {
	lines := ugi.NewReader(from)
	for ended := false; !ended; {
		var r reply
		if r.text, r.err = lines.Next(); r.err == nil {
			r.reply, r.err = ugi.ParseReply(r.text)
		} else {
			ended = true
		}
		select {
		case to <- r:
		case <-ctx.Done():
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

// write writes the commands of a queue, and closes to after the last. What the engine does not take is lost: the reader notices if it
// has ended.
func write(queue <-chan string, to io.WriteCloser) {
	defer to.Close()
	for line := range queue {
		if _, err := io.WriteString(to, line+"\n"); err != nil {
			return
		}
	}
}

// Close tells the engine to quit, unless it is of no use any more, and waits until it has ended. It may be called again; no other method may be
// called after it.
func (e *Engine) Close() {
	e.closed.Do(func() {
		if !e.lost {
			select {
			case e.queue <- ugi.Quit{}.String():
			default: // it doesn't read, and is ended by its link
			}
		}
		close(e.queue)
		e.closing()
		e.link.End(!e.lost)
		e.workers.Wait()
	})
}

// Hello asks the engine who it is.
func (e *Engine) Hello(ctx context.Context) (*Identity, error) {
	if err := e.send(ctx, ugi.Hello{}); err != nil {
		return nil, err
	}
	var id Identity
	for {
		r, err := e.next(ctx, "ugiok")
		if err != nil {
			return nil, err
		}
		switch r := r.(type) {
		case ugi.ID:
			switch r.Key {
			case "name":
				id.Name = r.Text
			case "author":
				id.Author = r.Text
			}
		case ugi.Option:
			if len(id.Options) < maxOptions {
				id.Options = append(id.Options, r)
			}
		case ugi.HelloOK:
			return &id, nil
		}
	}
}

// Set sets an option.
func (e *Engine) Set(ctx context.Context, name, value string) error {
	return e.send(ctx, ugi.SetOption{Name: name, Value: value})
}

// NewGame says that another game begins, and waits until the engine is ready for it.
func (e *Engine) NewGame(ctx context.Context) error {
	if err := e.send(ctx, ugi.NewGame{}); err != nil {
		return err
	}
	return e.Ready(ctx)
}

// Ready waits until the engine has done all that it was told.
func (e *Engine) Ready(ctx context.Context) error {
	if err := e.send(ctx, ugi.IsReady{}); err != nil {
		return err
	}
	for {
		r, err := e.next(ctx, "readyok")
		if err != nil {
			return err
		}
		if _, ok := r.(ugi.ReadyOK); ok {
			e.lost = false
			return nil
		}
	}
}

// Move asks the engine for a move in a position. The move may be illegal. Its infos are passed to report, if that is not nil.
func (e *Engine) Move(ctx context.Context, p ugi.SetPosition, limits ugi.Go, report func(ugi.Info)) (games.Move, error) {
	return e.MoveUntil(ctx, nil, p, limits, report)
}

// MoveUntil is Move, but tells the engine to stop when stop is closed. The move comes then as well.
func (e *Engine) MoveUntil(ctx context.Context, stop <-chan struct{}, p ugi.SetPosition, limits ugi.Go, report func(ugi.Info)) (games.Move, error) {
	if err := e.send(ctx, p); err != nil {
		return "", err
	}
	if err := e.send(ctx, limits); err != nil {
		return "", err
	}
	for {
		r, err := e.nextUntil(ctx, stop, "bestmove")
		if errors.Is(err, errStopped) {
			stop = nil
			if err = e.send(ctx, ugi.Stop{}); err == nil {
				continue
			}
		}
		if err != nil {
			return "", err
		}
		switch r := r.(type) {
		case ugi.BestMove:
			return r.Move, nil
		case ugi.Info:
			if report != nil {
				report(r)
			}
		}
	}
}

// Attend passes over what the engine sends while nothing is asked of it, until wake has a value. The error is ctx.Err(), or that the engine has
// ended or sent a line that is too long.
func (e *Engine) Attend(ctx context.Context, wake <-chan struct{}) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
			return nil
		case r := <-e.replies:
			switch {
			case r.err == nil, errors.Is(r.err, ugi.ErrUnknown), errors.Is(r.err, ugi.ErrSyntax):
			case errors.Is(r.err, ugi.ErrLine):
				e.lost = true
				return fmt.Errorf("%w: %w", ErrRubbish, r.err)
			default:
				e.lost = true
				return e.ended()
			}
		}
	}
}

// send gives the engine a command. It waits if too many wait already.
func (e *Engine) send(ctx context.Context, c ugi.Command) error {
	line := c.String()
	if len(line) >= ugi.MaxLine {
		return fmt.Errorf("%w: a command of %d bytes", ugi.ErrLine, len(line))
	}
	select {
	case e.queue <- line:
		return nil
	case <-ctx.Done():
		return e.late(ctx, "it does not read its input")
	}
}

// next returns the next reply while one is awaited. Lines that are no replies are passed over, within reason.
func (e *Engine) next(ctx context.Context, awaited string) (ugi.Reply, error) {
	return e.nextUntil(ctx, nil, awaited)
}

// errStopped is the error of nextUntil when stop is closed.
var errStopped = errors.New("stopped")

// nextUntil is next, but returns errStopped when stop is closed.
func (e *Engine) nextUntil(ctx context.Context, stop <-chan struct{}, awaited string) (r ugi.Reply, err error) {
	defer func() { e.lost = e.lost || err != nil && !errors.Is(err, errStopped) }()
	for range maxRubbish {
		if ctx.Err() != nil { // an engine that writes without end doesn't keep the time from being up
			return nil, e.late(ctx, "no "+awaited)
		}
		select {
		case <-ctx.Done():
			return nil, e.late(ctx, "no "+awaited)
		case <-stop:
			return nil, errStopped
		case r := <-e.replies:
			switch {
			case r.err == nil:
				return r.reply, nil
			case errors.Is(r.err, ugi.ErrUnknown):
				e.last = r.text
			case errors.Is(r.err, ugi.ErrSyntax):
				e.last = r.text
				if strings.HasPrefix(strings.TrimSpace(r.text), awaited) {
					return nil, fmt.Errorf("%w: %w", ErrRubbish, r.err)
				}
			case errors.Is(r.err, ugi.ErrLine):
				return nil, fmt.Errorf("%w: %w", ErrRubbish, r.err)
			default:
				return nil, e.ended()
			}
		}
	}
	return nil, fmt.Errorf("%w: %d lines while %s was awaited, the last %.40q", ErrRubbish, maxRubbish, awaited, e.last)
}

// late returns the error about an engine that did not answer before ctx ended.
func (e *Engine) late(ctx context.Context, what string) error {
	e.lost = true
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	err := fmt.Errorf("%w: %s", ErrSilent, what)
	if e.last != "" {
		err = fmt.Errorf("%w; its last line that is no reply is %.40q", err, e.last)
	}
	return err
}

// ended returns the error about an engine that sends no more.
func (e *Engine) ended() error {
	e.link.End(true)
	if why := e.link.Why(); why != "" {
		return fmt.Errorf("%w: %s", ErrEnded, why)
	}
	return ErrEnded
}
