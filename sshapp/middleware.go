package sshapp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	"golang.org/x/time/rate"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command"
	"ludoteca/sshapp/command/lineedit"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/cast"
	"ludoteca/sshapp/wording"
	"ludoteca/sshapp/worker"
)

// recoverPanics turns a panic into a logged stack, words to the client and the exit status 1.
func recoverPanics(log *slog.Logger, counts *metrics.Server) wish.Middleware {
	return func(next ssh.Handler) ssh.Handler {
		return func(s ssh.Session) {
			defer func() {
				p := recover()
				if p == nil {
					return
				}
				counts.Panicked()
				log.Error("panic in a session", "connection", IdentityOf(s).ConnectionID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				wish.Errorln(s, "Something broke on our side, and this session ends. Please connect again.")
				_ = s.Exit(1)
			}()
			next(s)
		}
	}
}

// logSessions logs the end of sessions, a few of each address: one connection can begin and end many. It leaves out what was
// asked for: commands name codes and players.
func logSessions(log *slog.Logger) wish.Middleware {
	logged := newLogRate()
	return func(next ssh.Handler) ssh.Handler {
		return func(s ssh.Session) {
			began := time.Now()
			defer func() {
				if _, ok := logged.Take(time.Now(), origin.Narrowest(addrPort(s.RemoteAddr()).Addr())); !ok {
					return
				}
				log.Info("session ended", "kind", kindOf(s), "connection", IdentityOf(s).ConnectionID,
					"duration", time.Since(began).Round(time.Millisecond))
			}()
			next(s)
		}
	}
}

// Middleware returns the chain that serves the club's sessions, for Config. The last one runs first.
//
//	ssh -t HOST              the full screen
//	ssh -t HOST join CODE    the full screen, at that board; watch CODE likewise
//	ssh -t HOST replay ID    a match as it was played
//	ssh HOST COMMAND         the answer, with a terminal or without
//	ssh -T HOST              the line mode, also with TERM=dumb or none, or where the player chose it
//	sftp HOST                the records as files; scp HOST:PATH likewise
//	ssh HOST worker          lends cores, for keys that may do this and nothing else
func (c *Club) Middleware() []wish.Middleware {
	return []wish.Middleware{c.screens, c.lineMode, c.commands, c.serveFiles, c.lendCores, c.countSessions}
}

// lendCores serves the keys of workers.
func (c *Club) lendCores(next ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		id := IdentityOf(s)
		if id.Fingerprint == "" || c.machines == nil || !slices.Contains(c.workers, id.Fingerprint) {
			next(s)
			return
		}
		if _, _, pty := s.Pty(); pty || s.RawCommand() != worker.Command {
			wish.Errorln(s, wording.FromLocale(s.Environ()).T("This key lends cores to the club, and does nothing else: ludoteca worker uses it."))
			exit(s, command.Refused)
			return
		}
		c.machines.Serve(s.Context(), s, id.Fingerprint, lagOf(s))
	}
}

// countSessions counts the sessions by kind.
func (c *Club) countSessions(next ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		c.metrics.Served(kindOf(s))
		next(s)
	}
}

// kindOf says how the club serves a session: metrics.Screen, Command, Prompt or Files.
func kindOf(s ssh.Session) string {
	if s.Subsystem() != "" {
		return metrics.Files
	}
	pty, _, ok := s.Pty()
	canDraw := ok && pty.Term != "" && pty.Term != "dumb"
	line := s.RawCommand()
	switch {
	case canDraw && (line == "" || wantsScreen(line)):
		return metrics.Screen
	case line == "":
		return metrics.Prompt
	}
	return metrics.Command
}

// wantsScreen reports whether a command line asks for a board on the screen.
func wantsScreen(line string) bool {
	_, _, atBoard := command.Code(line)
	_, replays := command.ReplayOf(line)
	return atBoard || replays
}

// commands answers ssh HOST COMMAND.
func (c *Club) commands(next ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		if kindOf(s) != metrics.Command {
			next(s)
			return
		}
		who := c.caller(s)
		who.Input = newThrottledReader(s, inputBounds{rate: programInputRate, burst: programInputBurst}, "\n")
		exit(s, c.run.Run(s.Context(), who, s.RawCommand(), s, s.Stderr()))
	}
}

// exit ends a session with a status. It leaves a session with status 0 open, so that middleware around may go on.
func exit(s ssh.Session, status int) {
	if status != command.Done {
		_ = s.Exit(status)
	}
}

// lineMode serves clients without a terminal that can show screens, and players who chose it. A client that asked for a pty has switched its own echo
// off.
func (c *Club) lineMode(next ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		if kindOf(s) != metrics.Prompt && !c.choseLines(s) {
			next(s)
			return
		}
		_, _, cooked := s.Pty()
		lineEnd, out, complaints := "\n", io.Writer(s), io.Writer(s.Stderr())
		if cooked {
			lineEnd = "\r\n" // either
			width := func() int { pty, _, _ := s.Pty(); return pty.Window.Width }
			out, complaints = wordWrapper{out, width}, wordWrapper{complaints, width}
		}
		in := newThrottledReader(s, c.input, lineEnd)
		exit(s, c.run.LineMode(s.Context(), c.caller(s), s.RawCommand(), in, out, complaints, cooked))
	}
}

// A wordWrapper breaks lines between words, where a terminal would break them within words. The lines of a table, of a drawing and for scripts
// stay as they are.
type wordWrapper struct {
	io.Writer
	width func() int // of the terminal, in cells
}

// leastWrapped is the width of the narrowest terminal for which lines are broken.
const leastWrapped = 20

// Write writes text of whole lines, or what is typed.
func (w wordWrapper) Write(p []byte) (int, error) {
	width := w.width()
	if width < leastWrapped || text.Width(string(p)) < width {
		return w.Writer.Write(p)
	}
	var wrapped strings.Builder
	for line := range strings.Lines(string(p)) {
		words, end := strings.CutSuffix(line, "\n")
		if text.Width(words) >= width && !strings.HasPrefix(words, " ") && !strings.HasPrefix(words, "{") {
			words = strings.Join(text.Wrap(words, width-1), "\n")
		}
		wrapped.WriteString(words)
		if end {
			wrapped.WriteString("\n")
		}
	}
	if _, err := io.WriteString(w.Writer, wrapped.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// choseLines reports whether a session that could have the full screen belongs to a player who chose the line mode. The replay of a match is a
// screen for all.
func (c *Club) choseLines(s ssh.Session) bool {
	fingerprint := IdentityOf(s).Fingerprint
	if kindOf(s) != metrics.Screen || fingerprint == "" {
		return false
	}
	if _, replays := command.ReplayOf(s.RawCommand()); replays {
		return false
	}
	_, settings, err := c.lobby.Accounts.SignIn(s.Context(), fingerprint)
	return err == nil && settings.LineMode
}

// A throttledReader is a session that reads input no faster than inputBounds allow. Input waits, and none is lost. The line mode discards the rest
// of a line that is too long, so that rest may come restFactor times as fast: a megabyte takes seconds, not minutes.
type throttledReader struct {
	ssh.Session
	rate    *rate.Limiter // of bytes
	lineEnd string        // the bytes that end a line
	line    int           // bytes since the last of them
}

const restFactor = 64

// How fast a program may write to the club, in bytes: engines tell much of what they think.
const (
	programInputRate  = 64 << 10 // a second
	programInputBurst = 256 << 10
)

func newThrottledReader(s ssh.Session, b inputBounds, lineEnd string) *throttledReader {
	perSecond, burst := cmp.Or(b.rate, terminal.InputRate), cmp.Or(b.burst, terminal.InputBurst)
	return &throttledReader{Session: s, rate: rate.NewLimiter(rate.Limit(perSecond), burst), lineEnd: lineEnd}
}

// Read reads input and returns it when the rate allows, or when the session has ended.
func (r *throttledReader) Read(p []byte) (int, error) {
	n, err := r.Session.Read(p[:min(len(p), r.rate.Burst())])
	_ = r.rate.WaitN(r.Session.Context(), r.cost(p[:n])) // fails only when the session ends, which the next Read says
	return n, err
}

// cost returns for how many bytes p counts.
func (r *throttledReader) cost(p []byte) int {
	counts, rest := 0, 0
	for _, b := range p {
		if r.line++; strings.IndexByte(r.lineEnd, b) >= 0 {
			r.line = 0
		}
		if r.line > lineedit.MaxLine+1 { // one more is what makes a line too long
			rest++
		} else {
			counts++
		}
	}
	return counts + (rest+restFactor-1)/restFactor
}

// screens shows the club until the player leaves. Its commands end with the session's context.
func (c *Club) screens(next ssh.Handler) ssh.Handler { return terminal.Middleware(c.newScreens)(next) }

// newScreens returns the model of a session's screens, and how the driver runs them; no model if the player can't be signed in.
func (c *Club) newScreens(s ssh.Session) (tea.Model, terminal.Options) {
	cfg, err := c.uiConfig(s.Context(), s)
	if err != nil {
		wish.Errorln(s, wording.Words{}.Error(err))
		exit(s, command.Refused)
		return nil, terminal.Options{}
	}
	pty, _, _ := s.Pty()
	cfg.Term, cfg.Environ = pty.Term, s.Environ()
	if name, code, ok := command.Code(s.RawCommand()); ok {
		cfg.Code, cfg.Start = code, map[string]ui.Start{"join": ui.StartJoin, "watch": ui.StartWatch, "review": ui.StartReview}[name]
	}
	app := ui.NewApp(s.Context(), cfg)
	var model tea.Model = app
	if id, ok := command.ReplayOf(s.RawCommand()); ok {
		match, refused := c.run.Replay(s.Context(), c.caller(s), id, app.Env().Say, app.Theme())
		if match == nil {
			wish.Errorln(s, refused)
			exit(s, command.Refused)
			return nil, terminal.Options{}
		}
		model = cast.NewPlayer(s.Context(), match)
	}
	return model, terminal.Options{
		Idle: c.limits.Load().IdleLobby, // the app has limits of its own
		Farewell: func(err error) string {
			if errors.Is(err, terminal.ErrStalled) {
				markDropped(s)
			}
			return farewell(app.Env().Say, err, c.lobby.Closing())
		},
		OnPanic:   c.logPanic,
		Stall:     c.limits.Load().WriteStall,
		InputRate: c.input.rate, InputBurst: c.input.burst, PasteBytes: c.input.pasteBytes,
		Renderer: c.renderer, Stats: c.stats,
	}
}

func (c *Club) logPanic(p *terminal.PanicError) {
	c.log.Error("panic in a session", "err", p.Value, "stack", string(p.Stack))
}

// farewell returns the message that stays on the terminal after the session. closing is the reason if the program stops.
func farewell(say wording.Words, err, closing error) string {
	switch {
	case errors.Is(err, terminal.ErrIdle):
		return say.T("You were away for a long time, so the club ended your visit. Your matches are kept: come back soon.")
	case errors.Is(err, terminal.ErrPanic):
		return say.T("Something broke here and ended your visit. Your matches are kept: please come back.")
	case errors.Is(err, terminal.ErrGone): // the output of a client that has closed only its input still arrives
		return say.T("Your terminal sends no more keys, so your visit ends here. Your matches are kept: come back soon.")
	case lobby.IsDismissal(err):
		return say.Error(err)
	case errors.Is(err, ErrGoingDown), errors.Is(err, lobby.ErrClosed):
		return say.Error(closing)
	}
	return ""
}
