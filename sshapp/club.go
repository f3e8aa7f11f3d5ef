package sshapp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"slices"

	"ludoteca/lobby"
	"ludoteca/sshapp/command"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
)

// A Club is the Handler that leads each session to what it asked for: the full screen, the answer to a command, or the
// plain prompt.
type Club struct {
	lobby     *lobby.Lobby
	run       *command.Runner
	log       *slog.Logger
	limits    Limits
	operators []string
	accounts  *accounts
	metrics   *metrics.Door
	screens   *terminal.Stats
	limiter   terminal.RenderLimiter
}

// ClubConfig is what a Club needs.
type ClubConfig struct {
	Lobby     *lobby.Lobby
	Limits    Limits       // those of the Server
	Log       *slog.Logger // nil is silence
	Operators []string     // SHA-256 fingerprints ("SHA256:...") of the keys that may ask for Status

	Status  func() status.Status // what operators are told; nil is nothing
	Metrics *metrics.Door        // nil counts nothing
	Screens *terminal.Stats      // counts for all full screens; nil counts nothing
}

// NewClub returns the handler of a club. The error says which limit can't be.
func NewClub(cfg ClubConfig) (*Club, error) {
	if err := cfg.Limits.check(); err != nil {
		return nil, err
	}
	c := &Club{
		lobby: cfg.Lobby, log: cfg.Log, limits: cfg.Limits, operators: cfg.Operators, metrics: cfg.Metrics, screens: cfg.Screens,
		limiter: terminal.NewRenderLimiter(min(runtime.GOMAXPROCS(0), runtime.NumCPU()) / 2), // the other half of the cores is for keys
	}
	c.accounts = newAccounts(&c.limits)
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.metrics == nil {
		c.metrics = metrics.NewDoor(nil, nil)
	}
	c.run = command.New(c.lobby, c.log).With(command.Options{Status: cfg.Status, Idle: c.limits.IdleLobby})
	return c, nil
}

// Serve implements Handler.
//
//	ssh -t HOST              the full screen
//	ssh -t HOST join CODE    the full screen, at that board; watch CODE likewise
//	ssh HOST COMMAND         the answer, with a terminal or without
//	ssh -T HOST              the prompt, also with TERM=dumb or none
func (c *Club) Serve(s *Session) int {
	term, _, _, pty := s.Pty()
	screen := pty && term != "" && term != "dumb"
	line, asked := s.Command()
	if !asked {
		if screen {
			return c.fullScreen(s, ui.StartLobby, "")
		}
		return c.prompt(s, pty)
	}
	if name, code, ok := command.Code(line); ok && screen {
		start := ui.StartWatch
		if name == "join" {
			start = ui.StartJoin
		}
		return c.fullScreen(s, start, code)
	}
	c.metrics.Served(metrics.Command)
	out, complaints := writers(s, pty)
	return c.run.Run(s.Context(), c.caller(s), line, out, complaints)
}

// prompt serves the plain prompt. A client that asked for a pty has switched its own echo and line ends off.
func (c *Club) prompt(s *Session, pty bool) int {
	c.metrics.Served(metrics.Prompt)
	out, complaints := writers(s, pty)
	var in io.ReadCloser = newThrottledReader(s, &c.limits)
	if pty {
		in = command.NewCooked(in, s)
	}
	return c.run.Prompt(s.Context(), c.caller(s), in, out, complaints)
}

func writers(s *Session, pty bool) (out, complaints io.Writer) {
	if pty {
		return command.CRLF(s), command.CRLF(s.Stderr())
	}
	return s, s.Stderr()
}

func (c *Club) caller(s *Session) command.Caller {
	id := s.Identity()
	return command.Caller{
		Fingerprint: id.Fingerprint, ConnectionID: id.ConnectionID, User: id.User, Origin: c.origin(s),
		Operator: id.Fingerprint != "" && slices.Contains(c.operators, id.Fingerprint),
		SignUp:   c.desk(s).SignUp,
	}
}

func (c *Club) desk(s *Session) desk { return desk{Lobby: c.lobby, club: c, from: s.Remote()} }

// origin is whom wrong guesses are counted for: the address, or who comes from one that is spared the limits by address.
func (c *Club) origin(s *Session) string {
	from, id := s.Remote().Addr(), s.Identity()
	switch {
	case !c.limits.spares(from):
		return addressKey(from).String()
	case id.Guest:
		return id.ConnectionID
	}
	return id.Fingerprint
}

// fullScreen shows the club until the player leaves.
func (c *Club) fullScreen(s *Session, start ui.Start, code string) int {
	c.metrics.Served(metrics.Screen)
	// The screens' commands end with ctx, whatever ended the program.
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	term, window, resizes, _ := s.Pty()
	cfg, err := c.visitor(ctx, s)
	if err != nil {
		_, complaints := writers(s, true)
		_, _ = io.WriteString(complaints, text.Say{}.Error(err)+"\n")
		return command.Refused
	}
	cfg.Term, cfg.Environ, cfg.Start, cfg.Code = term, s.Env(), start, code
	err = terminal.Run(ctx, s, ui.NewApp(ctx, cfg), terminal.Options{
		Term: term, Env: s.Env(), Window: window, Resizes: resizes,
		Farewell:  func(err error) string { return farewell(text.FromLocale(s.Env()), err) },
		LatePanic: c.logPanic,
		Stall:     c.limits.WriteStall,
		InputRate: c.limits.InputRate, InputBurst: c.limits.InputBurst, PasteBytes: c.limits.PasteBytes,
		Limiter: c.limiter, Stats: c.screens,
	})
	var panicked *terminal.PanicError
	switch {
	case err == nil:
		return command.Done
	case errors.As(err, &panicked):
		c.logPanic(panicked)
	}
	return command.Refused
}

// visitor says who the session's player is.
func (c *Club) visitor(ctx context.Context, s *Session) (ui.Config, error) {
	id := s.Identity()
	cfg := ui.Config{
		Club: c.desk(s), Fingerprint: id.Fingerprint, Origin: c.origin(s), Bell: terminal.RingBell,
		IdleLobby: c.limits.IdleLobby, IdleBoard: c.limits.IdleBoard,
	}
	if id.Guest {
		cfg.Who = c.lobby.Guest(id.ConnectionID)
		return cfg, nil
	}
	who, settings, err := c.lobby.SignIn(ctx, id.Fingerprint)
	if errors.Is(err, lobby.ErrNoAccount) {
		cfg.Suggested = c.lobby.SuggestName(ctx, id.User)
		return cfg, nil
	}
	cfg.Who, cfg.Settings = who, settings
	return cfg, err
}

func (c *Club) logPanic(p *terminal.PanicError) {
	c.log.Error("panic in a session", "err", p.Value, "stack", string(p.Stack))
}

// farewell is what stays on the terminal after the club has left it.
func farewell(say text.Say, err error) string {
	switch {
	case errors.Is(err, terminal.ErrIdle):
		return say.T("You were away for long, so the club said goodbye. Your matches are kept: come back soon.")
	case errors.Is(err, terminal.ErrPanic):
		return say.T("Something broke here and ended your visit. Your matches are kept: please come back.")
	case errors.Is(err, ErrGoingDown), errors.Is(err, lobby.ErrClosed):
		return say.T("The club is closing for a moment. Your matches are kept: come back soon.")
	}
	return ""
}

var (
	_ Handler         = (*Club)(nil)
	_ terminal.Drawer = (*ui.App)(nil)
)
