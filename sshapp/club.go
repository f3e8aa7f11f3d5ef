package sshapp

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"runtime"
	"slices"

	"charm.land/ssh"

	"ludoteca/lobby"
	"ludoteca/sshapp/command"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/ui"
)

// A Club serves sessions with its Middleware: the full screen, answers to commands, and the line mode.
type Club struct {
	lobby     *lobby.Lobby
	run       *command.Runner
	log       *slog.Logger
	limits    Limits
	operators []string
	accounts  *accounts
	metrics   *metrics.Server
	stats     *terminal.Stats
	renderer  *terminal.Renderer
}

// ClubConfig is what a Club needs.
type ClubConfig struct {
	Lobby     *lobby.Lobby
	Limits    Limits       // those of the Server
	Log       *slog.Logger // nil is silence
	Operators []string     // SHA-256 fingerprints ("SHA256:...") of the keys that may ask for Status

	Status  func() status.Status // what operators are told; nil is nothing
	Metrics *metrics.Server      // nil counts nothing
	Screens *terminal.Stats      // counts for all full screens; nil counts nothing
}

// NewClub returns a club. The error says which limit can't be.
func NewClub(cfg ClubConfig) (*Club, error) {
	if err := cfg.Limits.check(); err != nil {
		return nil, err
	}
	c := &Club{
		lobby: cfg.Lobby, log: cfg.Log, limits: cfg.Limits, operators: cfg.Operators, metrics: cfg.Metrics, stats: cfg.Screens,
		renderer: terminal.NewRenderer(min(runtime.GOMAXPROCS(0), runtime.NumCPU()) / 2), // the other half of the cores is for keys
	}
	c.accounts = newAccounts(&c.limits)
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.metrics == nil {
		c.metrics = metrics.NewServer(nil, nil)
	}
	c.run = command.New(c.lobby, c.log, command.Options{Status: cfg.Status, Idle: c.limits.IdleLobby})
	return c, nil
}

// caller returns who gives a command.
func (c *Club) caller(s ssh.Session) command.Caller {
	id := IdentityOf(s)
	return command.Caller{
		Fingerprint: id.Fingerprint, ConnectionID: id.ConnectionID, User: id.User, Origin: c.origin(s),
		Operator: id.Fingerprint != "" && slices.Contains(c.operators, id.Fingerprint),
		SignUp:   c.limitedLobby(s).SignUp,
	}
}

// uiConfig returns what the full screen knows of its player.
func (c *Club) uiConfig(ctx context.Context, s ssh.Session) (ui.Config, error) {
	id := IdentityOf(s)
	cfg := ui.Config{
		Lobby: c.limitedLobby(s), Fingerprint: id.Fingerprint, Origin: c.origin(s), Bell: terminal.RingBell,
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

// origin is what wrong guesses are counted for: the address, or the person if the address is spared the limits by address.
func (c *Club) origin(s ssh.Session) string {
	from, id := addrPort(s.RemoteAddr()).Addr(), IdentityOf(s)
	switch {
	case !c.limits.spares(from):
		return addressKey(from).String()
	case id.Guest:
		return id.ConnectionID
	}
	return id.Fingerprint
}

// A limitedLobby is the lobby for one session: it limits how many accounts are made from their address.
type limitedLobby struct {
	*lobby.Lobby
	club *Club
	from netip.AddrPort
}

func (c *Club) limitedLobby(s ssh.Session) limitedLobby {
	return limitedLobby{Lobby: c.lobby, club: c, from: addrPort(s.RemoteAddr())}
}

// SignUp makes an account for a new key. The error is one of lobby.SignUp, or lobby.ErrManyAccounts.
func (l limitedLobby) SignUp(ctx context.Context, fingerprint, name string) (lobby.User, error) {
	undo, ok := l.club.accounts.begin(l.from.Addr())
	if !ok {
		l.club.metrics.Refused(string(tooManyAccounts))
		l.club.log.Warn("refused", "reason", tooManyAccounts, "remote", l.from)
		return lobby.User{}, lobby.ErrManyAccounts
	}
	who, err := l.Lobby.SignUp(ctx, fingerprint, name)
	if err != nil {
		undo()
	}
	return who, err
}

var _ terminal.Drawer = (*ui.App)(nil)
