package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games/catalog"
	"ludoteca/hostkeys"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/thinking"
	"ludoteca/sshapp"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
)

// storeName is the name of the store in the data folder.
const storeName = "ludoteca.db"

func newServe(p process) *cobra.Command {
	s := defaultSettings()
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the club",
		Long: "Run the club until SIGTERM or SIGINT. Everything it keeps lies in the data folder, which is made if need be.\n\n" +
			"Each flag can be given as an environment variable too; the command line wins.",
		Args: between(0, 0),
	}
	names := s.flags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := fromEnv(p, cmd.Flags(), names); err != nil {
			return err
		}
		if err := s.check(); err != nil {
			return usageError{err}
		}
		return serve(cmd.Context(), &s, p)
	}
	return cmd
}

// serve runs the club until ctx ends.
func serve(ctx context.Context, s *settings, p process) (err error) {
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	defer endLate(ctx, s.stopTimeout, func() {
		log.Error("stopping takes too long; the end")
		p.exit(statusRefused)
	})()
	if s.workers == 0 {
		s.workers = thinking.DefaultWorkers()
	}
	registry := prometheus.NewRegistry()
	meters := metrics.New(registry, sshapp.RefusalReasons(), sshapp.EndReasons())
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	store, err := openStore(s.data, storage.Config{Rate: rating.Rate, Log: log, Meters: meters.Store.Meters()})
	if err != nil {
		return err
	}
	defer closing(&err, store)
	key, err := hostkeys.Open(s.data)
	if err != nil {
		return err
	}
	on, err := openSockets(s, p)
	if err != nil {
		return err
	}
	defer closing(&err, on)
	club, err := lobby.New(ctx, store, lobby.Config{
		Games: catalog.All(), Levels: levels(), Workers: s.workers, BotDelay: lobby.DefaultBotDelay, Log: log,
		Limits: s.club, Stats: meters.Club,
	})
	switch {
	case err != nil && ctx.Err() != nil:
		log.Info("stopped before the club was open")
		return nil
	case err != nil:
		return err
	}
	defer closing(&err, club)
	front, err := open(s, parts{store, club, key, meters, registry, log})
	if err != nil {
		return usageError{err}
	}
	return front.serve(ctx, s, on, p)
}

// parts are what a front is made of.
type parts struct {
	store    *storage.Store
	club     *lobby.Lobby
	key      hostkeys.Key
	meters   *metrics.Metrics
	registry *prometheus.Registry
	log      *slog.Logger
}

// A front is what people, the operator and Prometheus meet.
type front struct {
	parts
	server *sshapp.Server
	status func() status.Status
}

// open makes the front of a club.
func open(s *settings, with parts) (*front, error) {
	f := &front{parts: with}
	f.status = f.look(time.Now())
	club, err := sshapp.NewClub(sshapp.ClubConfig{
		Lobby: f.club, Limits: s.limits, Log: f.log, Operators: s.operators, Status: f.status,
		Metrics: f.meters.Door, Screens: f.meters.Screens,
	})
	if err != nil {
		return nil, err
	}
	f.server, err = sshapp.New(sshapp.Config{
		HostKeys: []gossh.Signer{f.key}, Handler: club, Limits: s.limits, NoGuests: s.noGuests, Log: f.log, Metrics: f.meters.Door,
	})
	if err != nil {
		return nil, err
	}
	metrics.Watch(f.registry, f.status)
	return f, nil
}

// look returns what the operator is told of a club that runs since then.
func (f *front) look(since time.Time) func() status.Status {
	return func() status.Status {
		door, club := f.server.Load(), f.club.Load()
		bytes, err := f.store.Size()
		if err != nil {
			f.log.Error("the store's size can't be told", "err", err)
		}
		return status.Status{
			Since: since.UTC().Truncate(time.Second), UptimeSeconds: int64(time.Since(since).Seconds()),
			Connections: door.Connections, SigningIn: door.SigningIn, Sessions: door.Sessions,
			Here: club.Here, Matches: club.Matches, Offers: club.Offers, BotsThinking: club.Thinking, BotsWaiting: club.Waiting,
			AnalysesWaiting: club.Studies,
			Moves:           f.meters.Club.Moves.Load() + f.meters.Club.BotMoves.Load(),
			StoreBytes:      bytes, StoreQueue: f.store.Queued(), StoreWrite: f.meters.Store.Recent.Times(),
		}
	}
}

// serve lets everybody in until ctx ends.
func (f *front) serve(ctx context.Context, s *settings, on *sockets, p process) (err error) {
	socket, err := control.Listen(s.data)
	if err != nil {
		return err
	}
	beside, end := context.WithCancel(context.WithoutCancel(ctx)) // the operator may look on while people leave
	var serving sync.WaitGroup
	var keeping, measuring error
	serving.Go(func() {
		keeping = control.Serve(beside, socket, control.Running{Club: f.store, Status: f.status}, s.data, f.log)
	})
	if on.metrics != nil {
		serving.Go(func() { measuring = metrics.Serve(beside, on.metrics, f.registry, f.log) })
	}
	defer func() {
		end()
		serving.Wait()
		err = errors.Join(err, keeping, measuring)
	}()

	at := on.ssh[0].Addr()
	f.log.Info("club open", "listen", at.String(), "data", s.data, "hostkey", f.key.Fingerprint(), "new_hostkey", f.key.Made,
		"metrics", on.metricsAt())
	fmt.Fprintln(p.stdout, invitation(at))
	f.tell(p, "READY=1")
	serving.Go(func() {
		select {
		case <-ctx.Done():
			f.tell(p, "STOPPING=1")
		case <-beside.Done():
		}
	})
	err = serveAll(ctx, f.server, on.ssh, s.proxies)
	f.log.Info("club closed")
	return err
}

func (f *front) tell(p process, state string) {
	if err := notify(p, state); err != nil {
		f.log.Warn("systemd is not told", "err", err)
	}
}

// endLate calls end that long after ctx has ended, unless stop is called before.
func endLate(ctx context.Context, limit time.Duration, end func()) (stop func()) {
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-ctx.Done():
		case <-done:
			return
		}
		late := time.NewTimer(limit)
		defer late.Stop()
		select {
		case <-late.C:
			end()
		case <-done:
		}
	})
	return func() {
		close(done)
		waiting.Wait()
	}
}

// openStore opens the store in the data folder, which is made if need be, for its owner alone.
func openStore(data string, c storage.Config) (*storage.Store, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the data folder: %w", err)
	}
	return storage.Open(filepath.Join(data, storeName), c)
}

func closing(err *error, c io.Closer) { *err = errors.Join(*err, c.Close()) }

// invitation returns the line that can be pasted to visit the club from this machine.
func invitation(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok {
		return at.String()
	}
	host := "localhost"
	if !tcp.IP.IsUnspecified() && !tcp.IP.IsLoopback() {
		host = tcp.IP.String()
	}
	return fmt.Sprintf("ssh -p %d %s", tcp.Port, host)
}
