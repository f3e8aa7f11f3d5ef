// Package engine is the computer players of this program behind the Universal Game Interface: it reads the commands of a GUI and
// answers them, also while it thinks.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/ugi"
)

// Settings are what an engine is started with. The GUI can change all but the game.
type Settings struct {
	Game    games.Game
	Options games.Options // complete
	Level   string        // as bot.Find takes it; "" is the strongest
	Seed    uint64        // of the choices among moves that are as good as each other
	Version string        // of the program, for the GUI; may be empty
}

// Serve answers the commands that come from in until it is told to quit, or in ends. Then it returns nil; a search with a limit of its
// own ends before if in has just ended. The error wraps bot.ErrLevel if there is no such level, and ugi.ErrLine after a line that is too
// long; or it comes from ctx, or from reading and writing.
//
// When ctx ends, one call of in.Read may still wait. Its goroutine ends as soon as that returns.
func Serve(ctx context.Context, in io.Reader, out io.Writer, s Settings) error {
	e := &engine{out: out, hash: bot.UsualTable >> mebibyte, seed: s.Seed, version: s.Version}
	e.setup = setup{game: s.Game, given: s.Options}
	var err error
	if e.level, e.memory, err = findLevel(s.Game, s.Level, e.hash); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan line)
	go read(ctx, in, lines)
	err = e.answer(ctx, lines)
	e.abandon()
	return err
}

// A line is a line of input, or why there are no more.
type line struct {
	text    string
	command ugi.Command // nil if the text is none
	err     error
}

// read passes lines on until quit, the end of input, or the end of ctx.
func read(ctx context.Context, in io.Reader, to chan<- line) {
	from := ugi.NewReader(in)
	for {
		var l line
		l.text, l.err = from.Next()
		if l.err == nil && strings.TrimSpace(l.text) == "" {
			if ctx.Err() != nil {
				return
			}
			continue // people and scripts send empty lines
		}
		if l.err == nil {
			l.command, l.err = ugi.ParseCommand(l.text)
		}
		select {
		case to <- l:
		case <-ctx.Done():
			return
		}
		_, quits := l.command.(ugi.Quit)
		if quits || l.err != nil && !errors.Is(l.err, ugi.ErrUnknown) && !errors.Is(l.err, ugi.ErrSyntax) {
			return
		}
	}
}

// An engine is what one GUI talks to. All belongs to the goroutine that answers; only a search has one of its own.
type engine struct {
	out     io.Writer
	version string
	setup   setup

	level  string // as bot.Find takes it
	hash   int    // MiB for the table of a search
	memory *bot.Memory
	seed   uint64
	random *games.Random // of the present game

	position games.Position // nil if there is none: the last command about it was refused
	ply      int            // moves that led to it
	search   *search        // nil: the engine does not think
}

// heartbeat is how often a search says that it goes on. It also shows an engine whose GUI has gone that nobody reads any more.
const heartbeat = time.Second

// answer answers lines until the last, or until ctx ends.
func (e *engine) answer(ctx context.Context, lines <-chan line) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var infos <-chan ugi.Info
		var found <-chan found
		var beats <-chan time.Time
		if e.search != nil {
			infos, found = e.search.infos, e.search.found
			if e.search.kept == nil {
				beats = beat.C
			}
		}
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case i := <-infos:
			err = e.send(i)
		case f := <-found:
			err = e.thought(f)
		case <-beats:
			err = e.send(ugi.Info{Time: time.Since(e.search.began)})
		case l := <-lines:
			switch {
			case errors.Is(l.err, io.EOF):
				return e.finish(ctx)
			case errors.Is(l.err, ugi.ErrUnknown), errors.Is(l.err, ugi.ErrSyntax):
				err = e.say("%v", l.err)
			case l.err != nil:
				return fmt.Errorf("read: %w", l.err)
			default:
				if _, quits := l.command.(ugi.Quit); quits {
					return nil
				}
				err = e.obey(ctx, l.command)
			}
		}
		if err != nil {
			return err
		}
	}
}

// obey carries out a command. Those that change what a search is about end it first.
func (e *engine) obey(ctx context.Context, c ugi.Command) error {
	switch c := c.(type) {
	case ugi.Hello:
		return e.introduce()
	case ugi.IsReady:
		return e.send(ugi.ReadyOK{})
	case ugi.Query:
		return e.send(ugi.Response{Text: e.about(c.About)})
	}
	if err := e.stop(); err != nil {
		return err
	}
	switch c := c.(type) {
	case ugi.SetOption:
		return e.setOption(c)
	case ugi.NewGame:
		return e.begin()
	case ugi.SetPosition:
		return e.setPosition(c)
	case ugi.Go:
		return e.think(ctx, c)
	}
	return nil
}

// begin begins another game: with the options that were set, from the start.
func (e *engine) begin() error {
	e.random, e.position, e.ply = games.NewRandom(e.seed), nil, 0
	if err := e.setup.begin(); err != nil {
		return e.say("there is no game: %v", err)
	}
	return e.setPosition(ugi.SetPosition{})
}

// ready begins a game if none was begun, for a GUI that doesn't say so.
func (e *engine) ready() error {
	if e.random != nil {
		return nil
	}
	return e.begin()
}

// setPosition takes over a position. If there is none by the command, there is none at all.
func (e *engine) setPosition(c ugi.SetPosition) error {
	if err := e.ready(); err != nil {
		return err
	}
	e.position, e.ply = nil, 0
	p, err := e.setup.position(c.From)
	if err == nil {
		p, err = games.ReplayFrom(p, c.Moves)
	}
	if err != nil {
		return e.say("there is no position: %v", err)
	}
	e.position, e.ply = p, len(c.Moves)
	return nil
}

// about answers a query.
func (e *engine) about(what string) string {
	p := e.position
	if p == nil && e.random == nil { // no game was begun yet: the start of the next
		p, _ = e.setup.next()
	}
	switch {
	case p == nil:
		return "none"
	case what == ugi.FirstToMove:
		return fmt.Sprint(p.Turn() == games.First)
	case what == ugi.GameOver:
		return fmt.Sprint(p.Result().Over)
	case what == ugi.GameResult:
		return ugi.ResultWord(p.Result())
	}
	return "unknown"
}

// send writes a reply.
func (e *engine) send(r ugi.Reply) error {
	if _, err := io.WriteString(e.out, r.String()+"\n"); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// say writes words for people.
func (e *engine) say(format string, args ...any) error {
	return e.send(ugi.Info{Text: fmt.Sprintf(format, args...)})
}
