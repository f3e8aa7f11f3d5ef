package sshapp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"charm.land/ssh"

	"ludoteca/lobby"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/records/files"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/wording"
	"ludoteca/sshapp/worker"
	"ludoteca/storage/results"
)

// A Club serves sessions with its Middleware: the full screen, answers to commands, and the line mode.
type Club struct {
	lobby     *lobby.Lobby
	parts     *screen.Lobby // of lobby, as screens ask for it
	run       *command.Runner
	log       *slog.Logger
	limits    *limitsInForce
	relays    relays
	operators []string
	workers   []string
	machines  *worker.Club
	address   text.Address
	greeting  greeting.Greeting
	sessions  lobby.Sessions
	status    func() status.Status
	accounts  *accounts
	metrics   *metrics.Server
	stats     *terminal.Stats
	renderer  *terminal.Renderer
	gate      *gate.Gate
	tree      *files.Tree // nil: there are no files
	fileRate  *origin.Throttle
	input     inputBounds
}

// A ClubConfig holds what a Club needs.
type ClubConfig struct {
	Lobby     *lobby.Lobby
	Limits    Limits       // the limits of the Server
	Log       *slog.Logger // nil is silence
	Address   text.Address // of the club, for commands in texts
	Greeting  greeting.Greeting
	Operators []string // SHA-256 fingerprints ("SHA256:...") of the keys that may ask for Status

	Relays   []netip.Addr // of the Server
	Workers  []string     // SHA-256 fingerprints of the keys that may lend cores, and do nothing else
	Machines *worker.Club // serves them; nil: there are none

	Status   func() status.Status // what operators are told; nil is nothing
	Sessions lobby.Sessions       // that acts of operators end; nil: there are none
	Running  command.Limits       // seen and changed by operators; nil: they can't be
	Files    *files.Tree          // the records, for SFTP; nil: there are none
	Database command.Database     // all finished matches; nil: the command is refused

	Metrics *metrics.Server // nil counts nothing
	Screens *terminal.Stats // counts for all full screens; nil counts nothing

	input inputBounds // for tests
}

// NewClub returns a club. The error names a limit that is out of range.
func NewClub(cfg ClubConfig) (*Club, error) {
	if err := cfg.Limits.Check(); err != nil {
		return nil, err
	}
	c := &Club{
		lobby: cfg.Lobby, parts: screen.Of(cfg.Lobby), log: cfg.Log, limits: newLimitsInForce(cfg.Limits), operators: cfg.Operators, relays: relaysOf(cfg.Relays), workers: cfg.Workers, machines: cfg.Machines, address: cfg.Address, greeting: cfg.Greeting, sessions: cfg.Sessions, status: cfg.Status, metrics: cfg.Metrics, stats: cfg.Screens, input: cfg.input, tree: cfg.Files, fileRate: newFileRate(),
		renderer: terminal.NewRenderer(min(runtime.GOMAXPROCS(0), runtime.NumCPU()) / 2), // the other half of the cores is for keys
	}
	c.accounts = newAccounts(c.limits, c.relays)
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.metrics == nil {
		c.metrics = metrics.NewServer(nil, nil)
	}
	c.gate = gate.New(cfg.Limits.CommandRate, cfg.Limits.CommandBurst)
	c.run = command.New(c.lobby, c.log, command.Options{
		Status: cfg.Status, Idle: func() time.Duration { return c.limits.Load().IdleLobby }, Gate: c.gate,
		IdleBoard: func() time.Duration { return c.limits.Load().IdleBoard },
		Bulletin:  c.lobby.Bulletin.Watch, Sessions: cfg.Sessions, Limits: cfg.Running, Database: cfg.Database, Greeting: cfg.Greeting,
	})
	return c, nil
}

// SetLimits changes the limits of a running club from now on. The error names a limit that is out of range.
func (c *Club) SetLimits(l Limits) error {
	if err := l.Check(); err != nil {
		return err
	}
	was := c.limits.Swap(&l)
	if was.accountRate() != l.accountRate() {
		c.accounts.rate.Store(l.accountRate().throttle())
	}
	if was.relayRate() != l.relayRate() {
		c.accounts.relayRate.Store(l.relayRate().throttle())
	}
	if was.CommandRate != l.CommandRate || was.CommandBurst != l.CommandBurst {
		c.gate.SetRate(l.CommandRate, l.CommandBurst)
	}
	return nil
}

// An operatorPage does what the operators' page asks for.
type operatorPage struct {
	*operators.Operator
	status func() status.Status
}

func (o operatorPage) Status() status.Status { return o.status() }

// Operate runs a command of an operator on the machine itself, as command.Runner.Operate does.
func (c *Club) Operate(ctx context.Context, words []string, out, complaints io.Writer) (status int) {
	return c.run.Operate(ctx, words, out, complaints)
}

func (c *Club) isOperator(id Identity) bool {
	return id.Fingerprint != "" && slices.Contains(c.operators, id.Fingerprint)
}

// caller returns who gives a command.
func (c *Club) caller(s ssh.Session) command.Caller {
	id := IdentityOf(s)
	pty, _, _ := s.Pty()
	return command.Caller{
		Fingerprint: id.Fingerprint, ConnectionID: id.ConnectionID, User: id.User, Origin: c.origin(s),
		Operator: c.isOperator(id), Lag: lagOf(s), Dropped: droppedOf(s),
		HangUp:  func() { _ = s.Close() }, // it returns nil
		Receive: receiverOf(s),
		SignUp:  c.limitedLobby(s).SignUp,
		Locale:  wording.FromLocale(s.Environ()).ForASCII(text.IsASCII(s.Environ(), pty.Term)).At(c.address),
	}
}

// receiverOf returns a function that reads what the client sends, until a context ends; nil for a session that can't.
func receiverOf(s ssh.Session) func(ctx context.Context, p []byte) (int, error) {
	if own, ok := s.(interface {
		ReadUntil(ctx context.Context, p []byte) (int, error)
	}); ok {
		return own.ReadUntil
	}
	return nil
}

// uiConfig returns what the full screen knows of its player.
func (c *Club) uiConfig(ctx context.Context, s ssh.Session) (ui.Config, error) {
	id := IdentityOf(s)
	cfg := ui.Config{
		Pages: pages.All(), Address: c.address, Greeting: c.greeting,
		Lobby: c.limitedLobby(s).parts(), Fingerprint: id.Fingerprint, Origin: c.origin(s), Bell: terminal.RingBell, Notify: terminal.ShowNotification,
		IdleLobby: c.limits.Load().IdleLobby, IdleBoard: c.limits.Load().IdleBoard, Bulletin: c.lobby.Bulletin.Next, Sessions: c.sessions, Dropped: droppedOf(s),
	}
	if c.isOperator(id) && c.sessions != nil && c.status != nil {
		cfg.Operator = operatorPage{c.lobby.Operators.As(id.Fingerprint, c.sessions), c.status}
	}
	if id.Guest {
		cfg.Who = c.lobby.Accounts.Guest(id.ConnectionID)
		return cfg, nil
	}
	who, settings, err := c.lobby.Accounts.SignIn(ctx, id.Fingerprint)
	if errors.Is(err, lobby.ErrNoAccount) {
		cfg.Suggested = c.lobby.Accounts.SuggestName(ctx, id.User)
		return cfg, nil
	}
	cfg.Who, cfg.Settings = who, settings
	return cfg, err
}

// origin returns where a session comes from, without its address if that is spared the limits by address. A guest of a relay counts against the
// address of the relay, a person with a key doesn't.
func (c *Club) origin(s ssh.Session) origin.Origin {
	addr, id := addrPort(s.RemoteAddr()).Addr(), IdentityOf(s)
	from := origin.Origin{Person: id.Fingerprint}
	if id.Guest {
		from.Person = id.ConnectionID
	}
	switch {
	case c.relays.has(addr) && !id.Guest:
		from.Relay = addr.Unmap().WithZone("")
	case c.relays.has(addr), !c.limits.Load().spares(addr):
		from.Addr = addr
	}
	return from
}

// A limitedLobby is the lobby for one session: it limits the number of new accounts from the session's address, and heavy
// queries wait for their turn.
type limitedLobby struct {
	*screen.Lobby
	club   *Club
	from   netip.AddrPort
	origin origin.Origin
	lag    func() time.Duration // of the session's line; nil: it is not measured
}

func (c *Club) limitedLobby(s ssh.Session) limitedLobby {
	return limitedLobby{Lobby: c.parts, club: c, from: addrPort(s.RemoteAddr()), origin: c.origin(s), lag: lagOf(s)}
}

// parts returns the parts of the lobby as the session's screens ask for them.
func (l limitedLobby) parts() *screen.Lobby {
	parts := *l.Lobby
	parts.Accounts, parts.Seats, parts.Archive, parts.Standings = l, l, l, l
	return &parts
}

// At returns a seat as seats.Service.At does, with the lag of the session's line.
func (l limitedLobby) At(ctx context.Context, u lobby.User, ref lobby.Ref) (*seats.Seat, error) {
	seat, err := l.Lobby.At(ctx, u, ref)
	if err != nil {
		return nil, err
	}
	return seat.WithLag(l.lag), nil
}

// SignUp makes an account for a new key. The error is lobby.ErrManyAccounts, or an error of accounts.Service.
func (l limitedLobby) SignUp(ctx context.Context, fingerprint, name string) (lobby.User, error) {
	undo, err := l.club.accounts.begin(ctx, l.club.lobby, l.from.Addr())
	if err != nil && !errors.Is(err, lobby.ErrManyAccounts) {
		return lobby.User{}, err
	}
	if err != nil {
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

// History returns the history of the lobby when its turn comes. The error may be lobby.ErrManyAnswers.
func (l limitedLobby) History(ctx context.Context, q standings.HistoryQuery) (found []results.Finished, next results.Cursor, err error) {
	err = l.club.gate.Do(ctx, l.origin, func() (err error) {
		found, next, err = l.Lobby.History(ctx, q)
		return err
	})
	return found, next, err
}

// Leaderboard returns the leaderboard of the lobby when its turn comes. The error may be lobby.ErrManyAnswers.
func (l limitedLobby) Leaderboard(ctx context.Context, game string) (lines []standings.Line, err error) {
	err = l.club.gate.Do(ctx, l.origin, func() (err error) {
		lines, err = l.Lobby.Leaderboard(ctx, game)
		return err
	})
	return lines, err
}

var _ terminal.Drawer = (*ui.App)(nil)
