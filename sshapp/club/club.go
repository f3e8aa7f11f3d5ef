// Package club puts a club together: its store, the lobby, the SSH server, metrics and the control socket. Config says how, and Open opens the
// club.
package club

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/hostkeys"
	"ludoteca/lobby"
	"ludoteca/lobby/thinking"
	"ludoteca/sshapp"
	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/records"
	"ludoteca/sshapp/records/files"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/version"
	"ludoteca/sshapp/worker"
	"ludoteca/storage/diskspace"
)

// A Club is a club that is open. Serve lets people in, and Close ends it.
type Club struct {
	config   Config
	log      *slog.Logger
	meters   *metrics.Metrics
	registry *prometheus.Registry

	store   *clubstore.Store
	keys    []hostkeys.Key
	sockets *sshapp.Sockets
	floor   *diskspace.Floor
	lobby   *lobby.Lobby
	server  *sshapp.Server
	limits  *runningLimits
	status  func() status.Status
	operate func(ctx context.Context, words []string, out, complaints io.Writer) (status int)

	told    bool           // Open or Serve has returned why the store can't go on
	closers []func() error // of what is open, in the order of opening
}

// ErrStopped is the error of a club that was stopped before it was open.
var ErrStopped = errors.New("stopped before the club was open")

// Open opens a club. Config.Check must have completed the settings. The error is ErrStopped if ctx has ended before the club was open, and an
// InvalidError if a setting can't be used.
func Open(ctx context.Context, config Config) (*Club, error) {
	c := &Club{config: config, log: config.Log, registry: prometheus.NewRegistry()}
	if c.config.Workers == 0 {
		c.config.Workers = thinking.DefaultWorkers()
	}
	c.meters = metrics.New(c.registry, sshapp.RefusalReasons(), sshapp.EndReasons())
	c.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	err := c.openStore(ctx)
	if err == nil {
		err = c.untilStoreFails(ctx, c.openRest)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// later has something closed with the club.
func (c *Club) later(end func() error) { c.closers = append(c.closers, end) }

// Close closes everything that is open. Serve must have returned.
func (c *Club) Close() (err error) {
	for _, end := range slices.Backward(c.closers) {
		err = errors.Join(err, end())
	}
	c.closers = nil
	switch failure := c.storeFailure(); {
	case failure == nil:
		return err
	case c.told:
		return nil
	default:
		return failure // says more
	}
}

// storeFailure returns why the store can't go on, or nil.
func (c *Club) storeFailure() error {
	if c.store == nil {
		return nil
	}
	return c.store.Err()
}

// openStore opens the data folder and the store.
func (c *Club) openStore(ctx context.Context) error {
	s := &c.config
	if err := clubstore.MakeFolder(s.Data, c.log); err != nil {
		return err
	}
	warnOfFewFiles(c.log, openFiles(), s.Limits.Connections)
	if s.Place.Shared() {
		unlock, err := clubstore.LockFolder(s.Data)
		if err != nil {
			return err
		}
		c.later(func() error { _ = unlock(); return nil }) // the end of the program unlocks it too
	}
	if s.Compact {
		if err := clubstore.CompactAtStart(ctx, s.Data, s.Progress, c.log); err != nil {
			return stopped(ctx, err)
		}
	}
	store, err := clubstore.Open(ctx, s.Data, &s.Place, s.NoMigrationCopy, c.log, c.meters.Store.Meters())
	switch {
	case errors.Is(err, context.Canceled):
		return stopped(ctx, err)
	case err != nil:
		return clubstore.OpenHelp(err, s.Data, s.Place.Shared())
	}
	c.store = store
	c.later(store.Close)
	if !s.Place.Shared() { // nothing in this folder belongs to a node of several any more
		if err := os.Remove(filepath.Join(s.Data, clubstore.NodeLock)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.log.Warn("the lock of a node on etcd stays", "err", err)
		}
	}
	s.warnOfNoAddress(c.log)
	if err := clubstore.RemoveSalvaged(s.Data); err != nil {
		c.log.Warn("what is left of a salvage stays", "err", err)
	}
	return nil
}

// stopped returns ErrStopped in place of an error that comes from the end of ctx.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ErrStopped
	}
	return err
}

// untilStoreFails calls do with a context that ends when the store can't go on. The error is then why.
func (c *Club) untilStoreFails(ctx context.Context, do func(ctx context.Context) error) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer func() { c.told = c.storeFailure() != nil }()
	defer c.store.StopIfItFails(stop)(&err)
	return do(ctx)
}

// openRest opens what works on the store.
func (c *Club) openRest(ctx context.Context) (err error) {
	s := &c.config
	if c.keys, err = hostkeys.Open(s.Data); err != nil {
		return err
	}
	if c.sockets, err = openSockets(s); err != nil {
		return err
	}
	c.later(c.sockets.Close)
	c.floor = diskspace.NewFloor(s.Data, int64(s.FreeSpace), c.store.Free, c.log)
	watchCtx, endWatch := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { c.floor.Watch(watchCtx) })
	c.later(func() error { endWatch(); watching.Wait(); return nil })
	if c.lobby, err = lobby.New(ctx, lobby.StoreOf(c.store.Store), c.lobbyConfig()); err != nil {
		return stopped(ctx, err)
	}
	c.later(c.lobby.Close)
	if err := c.lobby.Operators.SignWith(ctx, c.keys[0].PublicKey().Marshal()); err != nil { // the Ed25519 key
		return stopped(ctx, err)
	}
	if err := c.makeServer(); err != nil {
		return InvalidError{err}
	}
	return nil
}

func (c *Club) lobbyConfig() lobby.Config {
	s := &c.config
	config := lobby.Config{
		Games: s.Games, Levels: levels(s.Games), Workers: s.Workers, BotDelay: lobby.DefaultBotDelay, Log: c.log,
		Limits: s.ClubLimits, Stats: c.meters.Club, KeepAddresses: s.KeepAddresses, Full: c.floor.Full, Now: s.Now,
		Notices: s.Notices.sender(s.greeting.Name(), s.addressAt(c.sockets.SSH[0].Addr())),
	}
	if s.Place.Shared() {
		config.Node, config.HostKey, config.Shared, config.StoreFull = s.Node, fingerprints(c.keys), lobby.SharedOf(c.store.Store), c.store.Full
	}
	return config
}

// makeServer makes the SSH server and what it serves.
func (c *Club) makeServer() error {
	s := &c.config
	c.status = c.statusSince(time.Now(), s.Node)
	var sessions *sshapp.Club
	c.limits = newRunningLimits(s, func(server sshapp.Limits, of lobby.Limits) error {
		c.lobby.SetLimits(of)
		return errors.Join(c.server.SetLimits(server), sessions.SetLimits(server))
	})
	tree, err := c.fileTree()
	if err != nil {
		return err
	}
	c.later(tree.Close)
	sessions, err = sshapp.NewClub(sshapp.ClubConfig{
		Lobby: c.lobby, Limits: s.Limits, Log: c.log, Address: s.addressAt(c.sockets.SSH[0].Addr()), Operators: s.Operators, Status: c.status,
		Metrics: c.meters.Server, Screens: c.meters.Screens, Sessions: c, Running: c.limits, Greeting: s.greeting, Files: tree, Database: c.store.Results,
		Workers: s.WorkerKeys, Relays: s.relays, Machines: worker.NewClub(s.Games, version.Number, c.lobby, c.log),
	})
	if err != nil {
		return err
	}
	c.server, err = sshapp.New(sshapp.Config{
		HostKeys: signers(c.keys), Middleware: sessions.Middleware(), Subsystems: []string{sshapp.SFTP}, Limits: s.Limits, NoGuests: s.NoGuests, Log: c.log,
		Metrics: c.meters.Server, Bans: c.lobby.Restrictions, Players: sshapp.PlayersOf(c.lobby), Workers: s.WorkerKeys, Relays: s.relays,
	})
	if err != nil {
		return err
	}
	c.lobby.Sessions.Use(c)
	c.operate = sessions.Operate
	metrics.Watch(c.registry, c.status)
	return nil
}

// fileTree makes the tree of files that the club serves by SFTP.
func (c *Club) fileTree() (*files.Tree, error) {
	s := &c.config
	signer, err := records.NewSigner(c.keys[0].Signer)
	if err != nil {
		return nil, err
	}
	principal := cmp.Or(s.addressAt(c.sockets.SSH[0].Addr()).Host, localhost)
	return files.New(files.Config{
		Results: c.store.Results, Players: c.store.Accounts, Records: s.Games, Signer: signer, Player: c.lobby.Accounts.ByName,
		Allowed: func(ctx context.Context) ([]byte, error) {
			keys, err := c.lobby.Operators.Signers(ctx)
			if err != nil {
				return nil, err
			}
			return records.AllowedSigners(principal, keys)
		},
		Readme: files.Readme(principal), Folder: filepath.Join(s.Data, "records"), Full: c.floor.Full, Now: s.Now,
	}), nil
}

// Serve serves the club until ctx ends, or until the store can't go on: the error is then why. It may be called once.
func (c *Club) Serve(ctx context.Context) error { return c.untilStoreFails(ctx, c.serve) }

func (c *Club) serve(ctx context.Context) (err error) {
	s := &c.config
	controlSocket, err := control.Listen(s.Data)
	if err != nil {
		return err
	}
	beside, end := context.WithCancel(context.WithoutCancel(ctx)) // the operator may look on while people leave
	var serving sync.WaitGroup
	var controlErr, metricsErr error
	serving.Go(func() {
		controlErr = control.Serve(beside, controlSocket, control.Service{Store: c.store, Status: c.status, Operator: c.operate}, s.Data, c.log)
	})
	metricsAt := ""
	if l := c.sockets.Metrics; l != nil {
		metricsAt = l.Addr().String()
		serving.Go(func() { metricsErr = metrics.Serve(beside, l, c.registry, c.readyUntil(ctx), c.log) })
	}
	defer func() {
		end()
		serving.Wait()
		err = errors.Join(err, controlErr, metricsErr)
	}()

	at, v := c.sockets.SSH[0].Addr(), version.Read()
	c.log.Info("club open", "listen", at.String(), "data", s.Data, "hostkey", fingerprints(c.keys), "new_hostkey", c.keys[0].Made,
		"metrics", metricsAt, "version", v.Version, "commit", v.Commit, "dirty", v.Dirty, "go", v.Go, "node", s.Node, "store", s.Place.Store)
	fmt.Fprintln(s.Invite, s.invitation(at))
	c.notify("READY=1")
	serving.Go(func() {
		select {
		case <-ctx.Done():
		case <-beside.Done(): // a listener has failed, or all sessions have ended
		}
		c.notify("STOPPING=1")
		_ = c.lobby.Close() // no clock runs while people leave, however long that takes; it returns nil
	})
	err = c.server.ServeAll(ctx, c.sockets.SSH, s.proxies)
	c.log.Info("club closed")
	return err
}

// fingerprints returns the fingerprints of the host keys, separated by spaces.
func fingerprints(keys []hostkeys.Key) string {
	var all []string
	for _, k := range keys {
		all = append(all, k.Fingerprint())
	}
	return strings.Join(all, " ")
}

func signers(keys []hostkeys.Key) (all []gossh.Signer) {
	for _, k := range keys {
		all = append(all, k.Signer)
	}
	return all
}

// EndBanned implements accounts.SessionEnder.
func (c *Club) EndBanned() { c.server.EndBanned() }

// EndKeys implements accounts.SessionEnder.
func (c *Club) EndKeys(fingerprints []string, why error) { c.server.EndKeys(fingerprints, why) }

// errStopping says that the club is about to close.
var errStopping = errors.New("this node is stopping")

// readyUntil returns a function that reports whether new people should come to this node: they should not once ctx has ended.
func (c *Club) readyUntil(ctx context.Context) func() error {
	return func() error {
		if ctx.Err() != nil {
			return errStopping
		}
		return c.lobby.Ready()
	}
}

func (c *Club) notify(state string) {
	if err := sshapp.NotifySystemd(c.config.Env, state); err != nil {
		c.log.Warn("systemd is not told", "err", err)
	}
}
