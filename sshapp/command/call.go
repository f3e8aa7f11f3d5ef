package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// Options are the optional parts of a Runner.
type Options struct {
	Status func() status.Status // for operators; nil: they have no status command
	Idle   func() time.Duration // how long the line mode waits for a line, and a command that follows something for news; nil and 0 are for ever
	Gate   *gate.Gate           // nil: one of its own

	// IdleBoard is Idle for a command that follows a match in which the caller sits.
	IdleBoard func() time.Duration

	// Bulletin returns the newest bulletin, its number, and a channel that is closed when there is a newer one. nil: there are no
	// bulletins.
	Bulletin func() (b bulletin.Bulletin, number uint64, newer <-chan struct{})

	Sessions lobby.Sessions // that acts of operators end; nil: there are none
	Limits   Limits         // that operators see and change; nil: they can't
	Database Database       // for the command of this name; nil: it is refused

	Greeting greeting.Greeting // of the club
}

// A Database has all finished matches; see results.Store.
type Database interface {
	Page(ctx context.Context, q results.PageQuery) (found []results.Record, next results.Cursor, err error)
}

// A Runner runs commands on one lobby. It holds nothing that changes.
type Runner struct {
	lobby   *lobby.Lobby
	log     *slog.Logger
	options Options
	gate    *gate.Gate
	table   []*row

	waits        *gate.Waits // of commands that wait for news
	offerReaders *gate.Waits // of offers --follow
}

// commands returns the commands that this caller may give.
func (r *Runner) commands(who Caller) []*row {
	if who.Operator && r.options.Status != nil {
		return r.table
	}
	return slices.DeleteFunc(slices.Clone(r.table), func(d *row) bool { return d.Who != tree.Anyone })
}

// A signedIn is the account that has signed in with a caller's key.
type signedIn struct {
	who      lobby.User
	settings accounts.Settings
}

// language returns the language and the character set of a caller's account, or else of their client, and the account; nil: there is none.
func (r *Runner) language(ctx context.Context, who Caller) (wording.Words, *signedIn) {
	if who.Fingerprint == "" {
		return who.Locale, nil
	}
	u, settings, err := r.lobby.Accounts.SignIn(ctx, who.Fingerprint)
	if err != nil {
		return who.Locale, nil
	}
	return who.Locale.Chosen(settings), &signedIn{u, settings}
}

// goodbye returns the message for a session whose ctx has ended: an operator has ended it, or the club or this node closes.
func (r *Runner) goodbye(ctx context.Context, say wording.Words) refusal {
	why := context.Cause(ctx)
	if !lobby.IsDismissal(why) {
		why = r.lobby.Closing()
	}
	return refusal{codeOf(why), say.Error(why)}
}

// logUnknown logs what the words for a person hide: errors that are none of the club's own.
func (r *Runner) logUnknown(err error) {
	if (wording.Words{}).Error(err) == (wording.Words{}).Error(errUnknown) {
		r.log.Error("command failed", "err", err)
	}
}

var errUnknown = errors.New("an error without words of its own")

// idle is Options.Idle, 0 for ever.
func (r *Runner) idle() time.Duration { return limitOf(r.options.Idle) }

// idleBoard is Options.IdleBoard, 0 for ever.
func (r *Runner) idleBoard() time.Duration { return limitOf(r.options.IdleBoard) }

// A row is a command of the table.
type row = tree.Command[run]

// A run does what a command line asks for. It has the values of the flags already.
type run func(*call) (reply.Reply, error)

// plain is the Run of a row without flags.
func plain(r run) func(*tree.Flags) run { return func(*tree.Flags) run { return r } }

// group puts rows under one heading of help.
func group(heading string, rows ...*row) []*row {
	for _, r := range rows {
		r.Group = heading
	}
	return rows
}

// A call is one run of one command.
type call struct {
	runner *Runner
	caller Caller
	say    wording.Words // the language for people; what is printed with --json doesn't depend on it
	ctx    context.Context
	out    io.Writer
	stderr io.Writer // for what a command says while it runs
	words  []string  // after the name of the command, flags apart
	asJSON bool

	known *signedIn      // found with the language, until signIn returns it; nil: none
	idle  gate.IdleLimit // of a command that follows something

	newcomer lobby.User // the owner of an account that the command has made on its way; the zero User: none
	signedUp string     // the name of that account; "" for none
	recovery string     // its recovery code, until it is printed

	stake stakeAt     // the one that was worked out last
	leave func()      // ends the connection that connect began; nil: there is none
	away  func()      // ends the visit of a command that follows a match; nil: there is none
	visit *boardVisit // of the line mode; nil: the command is a session of its own
}

func (c *call) lobby() *lobby.Lobby { return c.runner.lobby }

func (c *call) sessions() lobby.Sessions {
	if s := c.runner.options.Sessions; s != nil {
		return s
	}
	return lobby.NoSessions{}
}

// connect tells the lobby where a user connects from, until the command ends.
func (c *call) connect(who lobby.User) {
	if c.leave == nil && who.ID != "" {
		c.leave = c.lobby().Connect(who, c.caller.Origin)
	}
}

func (c *call) disconnect() {
	if c.away != nil {
		c.away()
	}
	if c.leave != nil {
		c.leave()
	}
}

// signIn returns the caller's account and its settings. The first time it is the account that was found with the language: signing in takes two
// requests to a store on other machines.
func signIn(c *call) (lobby.User, accounts.Settings, error) {
	if s := c.known; s != nil && c.ctx.Err() == nil {
		c.known = nil
		return s.who, s.settings, nil
	}
	return c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
}

// visitor returns the user who looks around: the player who owns the key, or a visitor without a name or a seat.
func (c *call) visitor() (who lobby.User, err error) {
	defer func() { c.connect(who) }()
	if c.caller.Fingerprint == "" {
		return c.lobby().Accounts.Guest(c.caller.ConnectionID), nil
	}
	who, _, err = signIn(c)
	if errors.Is(err, lobby.ErrNoAccount) {
		return lobby.User{}, nil
	}
	return who, err
}

// player returns the player who owns the key. It signs a new key up under the SSH user name.
func (c *call) player() (who lobby.User, err error) {
	defer func() { c.connect(who) }()
	if c.caller.Fingerprint == "" && c.visit != nil { // a guest of the line mode stays, as one of the full screen does
		return c.lobby().Accounts.Guest(c.caller.ConnectionID), nil
	}
	if c.caller.Fingerprint == "" {
		return lobby.User{}, refusal{codeGuest, c.say.T("A guest may look, not sit: a seat needs a key (ssh-keygen makes one), or the full screen.")}
	}
	who, _, err = signIn(c)
	if !errors.Is(err, lobby.ErrNoAccount) {
		return who, err
	}
	name := c.lobby().Accounts.SuggestName(c.ctx, c.caller.User)
	if name != "" {
		who, err = c.signUp(name)
		if err == nil {
			c.newcomer, c.signedUp = who, who.Name
			c.recovery, _ = c.lobby().Keys.NewRecovery(c.ctx, who) // without one they can ask for another
		}
		if errors.Is(err, lobby.ErrHasAccount) || errors.Is(err, lobby.ErrNameTaken) || errors.Is(err, lobby.ErrNameAlike) {
			who, _, err = c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint) // another first command of this key may have been quicker
		}
		if !errors.Is(err, lobby.ErrNoAccount) {
			return who, err
		}
	}
	return lobby.User{}, refusal{codeGuest, c.say.T("Your key has no name here yet, and %s can't be it. Take one first: name NAME", tree.Quoted(c.caller.User))}
}

// account returns the caller's settings, and their account if they have one.
func (c *call) account() (who lobby.User, s accounts.Settings, err error) {
	if c.caller.Fingerprint != "" {
		if who, s, err = signIn(c); errors.Is(err, lobby.ErrNoAccount) {
			return lobby.User{}, s, nil
		}
	}
	return who, s, err
}

// remember stores settings that have changed by the way, such as which game was asked for last. If that fails, the command has still done what it
// was asked for.
func remember(c *call, who lobby.User, s accounts.Settings) {
	if !who.Kind.HasAccount() {
		return
	}
	if err := c.lobby().Accounts.SaveSettings(c.ctx, who, s); err != nil && c.ctx.Err() == nil {
		c.runner.log.Warn("settings were not kept", "player", who.ID, "err", err)
	}
}

// owner returns the player who owns the caller's key. The key must belong to an account.
func (c *call) owner() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return lobby.User{}, lobby.ErrNeedsKey
	}
	who, _, err := signIn(c)
	if errors.Is(err, lobby.ErrNoAccount) {
		return who, refusal{codeGuest, c.say.T("Your key has no account here yet. Take a name: name NAME")}
	}
	if err == nil {
		c.connect(who)
	}
	return who, err
}

// signUp makes an account for the caller's key.
func (c *call) signUp(name string) (lobby.User, error) {
	if f := c.caller.SignUp; f != nil {
		return f(c.ctx, c.caller.Fingerprint, name)
	}
	return c.lobby().Accounts.SignUp(c.ctx, c.caller.Fingerprint, name)
}

// takeBackSignUp deletes the account that a command has made on its way, which then failed.
func (c *call) takeBackSignUp() {
	if c.newcomer.ID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), takeBackTime)
	defer cancel()
	if err := c.lobby().Accounts.TakeBackSignUp(ctx, c.newcomer); err != nil {
		return // it is in use already, or stays
	}
	c.signedUp, c.recovery = "", ""
}

// takeBackTime is how long the end of a failed command waits for the store at most.
const takeBackTime = 5 * time.Second

func (c *call) game(name string) (games.Game, error) {
	g, err := c.lobby().Game(name)
	if errors.Is(err, lobby.ErrNoSuchGame) {
		var ids []string
		for _, g := range c.lobby().Games() {
			ids = append(ids, g.About().ID)
		}
		return nil, refusal{codeNotFound, c.say.T("There is no game %s here. The games are: %s.", tree.Quoted(name), strings.Join(ids, ", "))}
	}
	return g, err
}

// stakeLife is how long a command that prints many lines of a match prints the same stake: other matches of its players may change it.
const stakeLife = time.Minute

// A stakeAt is the stake of a caller in a match.
type stakeAt struct {
	match   storage.MatchID
	started bool
	stake   *standings.Stake
	at      time.Time // when it was worked out
}

// stakeOf returns what a match would do to the rating of the caller, as of the last minute: over a network it takes several questions to the
// store, and watch prints a line for each move.
func (c *call) stakeOf(v *lobby.View, who lobby.User) (*standings.Stake, error) {
	if v.Over {
		return nil, nil
	}
	if k := &c.stake; k.match == v.ID && k.started == !v.Started.IsZero() && time.Since(k.at) < stakeLife {
		return k.stake, nil
	}
	s, err := c.lobby().Seats.Stake(c.ctx, who, v)
	if err != nil {
		return nil, err
	}
	c.stake = stakeAt{v.ID, !v.Started.IsZero(), s, time.Now()}
	return s, nil
}

// limitIdle starts the idle limit of a command. stop stops it.
func (c *call) limitIdle() (stop func()) {
	limit := c.runner.idle()
	if limit <= 0 {
		return func() {}
	}
	c.ctx, c.out, stop = c.idle.Start(c.ctx, c.out, limit)
	return stop
}

// staysAt gives a command that follows a match the idle limit of a screen at the player's board, if the caller sits there.
func (c *call) staysAt(v *lobby.View, who lobby.User) {
	if _, sits := v.Side(who); sits && !v.Over {
		c.idle.Change(c.runner.idleBoard())
	}
}

// neverIdle lifts the idle limit of a command that ends by a time of its own.
func (c *call) neverIdle() { c.idle.Change(0) }

// limitOf is a limit of Options, 0 for ever.
func limitOf(limit func() time.Duration) time.Duration {
	if limit == nil {
		return 0
	}
	return limit()
}

// print prints a reply of a command that costs this, and may follow something.
func (c *call) print(answer reply.Reply, cost tree.Cost, follows bool) error {
	p := gate.Printer{Gate: c.runner.gate, From: c.caller.origin(), HangUp: c.caller.hangUp, Write: c.write}
	if c.asJSON {
		p.Encode = c.encode
	}
	return p.Print(c.ctx, answer, cost, follows)
}

// encode makes the line of an object. The first one of a command that has made an account has its recovery code too.
func (c *call) encode(v any) ([]byte, error) {
	line, err := encode(v)
	if object, isObject := bytes.CutSuffix(line, []byte("}\n")); err == nil && isObject && c.recovery != "" {
		line = fmt.Appendf(nil, "%s,\"recovery_code\":%q}\n", object, c.recovery)
		c.recovery = ""
	}
	return line, err
}

func (c *call) write(p []byte) error {
	if _, err := c.out.Write(p); err != nil {
		return fmt.Errorf("%w: %w", gate.ErrGone, err)
	}
	return nil
}
