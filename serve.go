package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/hostkeys"
	"ludoteca/lobby"
	"ludoteca/lobby/thinking"
	"ludoteca/sshapp"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
)

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
	ctx, stop := context.WithCancel(ctx)
	defer stop()
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

	store, err := openStore(ctx, s.data, log, meters.Store.Meters())
	if err != nil {
		return err
	}
	defer store.stopIfItFails(stop)(&err)
	defer closing(&err, store)
	key, err := hostkeys.Open(s.data)
	if err != nil {
		return err
	}
	sockets, err := openSockets(s, p)
	if err != nil {
		return err
	}
	defer closing(&err, sockets)
	club, err := lobby.New(ctx, store, lobby.Config{
		Games: p.games, Levels: levels(p.games), Workers: s.workers, BotDelay: lobby.DefaultBotDelay, Log: log,
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
	services, err := newServices(s, parts{store, club, key, meters, registry, log})
	if err != nil {
		return usageError{err}
	}
	return services.run(ctx, s, sockets, p)
}

// parts are what the services are made of.
type parts struct {
	store    *fileStore
	club     *lobby.Lobby
	key      hostkeys.Key
	meters   *metrics.Metrics
	registry *prometheus.Registry
	log      *slog.Logger
}

// services are what players, the operator and Prometheus connect to.
type services struct {
	parts
	server *sshapp.Server
	status func() status.Status
}

func newServices(s *settings, with parts) (*services, error) {
	v := &services{parts: with}
	v.status = v.statusSince(time.Now())
	club, err := sshapp.NewClub(sshapp.ClubConfig{
		Lobby: v.club, Limits: s.limits, Log: v.log, Operators: s.operators, Status: v.status,
		Metrics: v.meters.Server, Screens: v.meters.Screens,
	})
	if err != nil {
		return nil, err
	}
	v.server, err = sshapp.New(sshapp.Config{
		HostKeys: []gossh.Signer{v.key}, Middleware: club.Middleware(), Limits: s.limits, NoGuests: s.noGuests, Log: v.log,
		Metrics: v.meters.Server,
	})
	if err != nil {
		return nil, err
	}
	metrics.Watch(v.registry, v.status)
	return v, nil
}

// statusSince returns what the operator is told of a club that has run since then.
func (v *services) statusSince(since time.Time) func() status.Status {
	return func() status.Status {
		server, club := v.server.Load(), v.club.Load()
		bytes, err := v.store.file.Size()
		if err != nil {
			v.log.Error("the store's size can't be told", "err", err)
		}
		return status.Status{
			Since: since.UTC().Truncate(time.Second), UptimeSeconds: int64(time.Since(since).Seconds()),
			Connections: server.Connections, SigningIn: server.SigningIn, Sessions: server.Sessions,
			Here: club.Here, Matches: club.Matches, Offers: club.Offers, BotsThinking: club.Thinking, BotsWaiting: club.Waiting,
			AnalysesWaiting: club.Analyses,
			Moves:           v.meters.Club.Moves.Load() + v.meters.Club.BotMoves.Load(),
			StoreBytes:      bytes, StoreQueue: v.store.file.Queued(), StoreWrite: v.meters.Store.Recent.Times(),
		}
	}
}

// run serves on the sockets until ctx ends.
func (v *services) run(ctx context.Context, s *settings, sockets *sshapp.Sockets, p process) (err error) {
	controlSocket, err := control.Listen(s.data)
	if err != nil {
		return err
	}
	beside, end := context.WithCancel(context.WithoutCancel(ctx)) // the operator may look on while people leave
	var serving sync.WaitGroup
	var controlErr, metricsErr error
	serving.Go(func() {
		controlErr = control.Serve(beside, controlSocket, control.Running{Club: v.store, Status: v.status}, s.data, v.log)
	})
	metricsAt := ""
	if l := sockets.Metrics; l != nil {
		metricsAt = l.Addr().String()
		serving.Go(func() { metricsErr = metrics.Serve(beside, l, v.registry, v.log) })
	}
	defer func() {
		end()
		serving.Wait()
		err = errors.Join(err, controlErr, metricsErr)
	}()

	at := sockets.SSH[0].Addr()
	v.log.Info("club open", "listen", at.String(), "data", s.data, "hostkey", v.key.Fingerprint(), "new_hostkey", v.key.Made,
		"metrics", metricsAt)
	fmt.Fprintln(p.stdout, invitation(at))
	v.notify(p, "READY=1")
	serving.Go(func() {
		select {
		case <-ctx.Done():
			v.notify(p, "STOPPING=1")
		case <-beside.Done():
		}
	})
	err = v.server.ServeAll(ctx, sockets.SSH, s.proxies)
	v.log.Info("club closed")
	return err
}

func (v *services) notify(p process, state string) {
	if err := sshapp.NotifySystemd(p.env, state); err != nil {
		v.log.Warn("systemd is not told", "err", err)
	}
}

// openSockets takes the sockets that systemd hands over, so that a restart refuses nobody, or else opens its own.
func openSockets(s *settings, p process) (*sshapp.Sockets, error) {
	sockets, err := sshapp.SystemdSockets(p.env)
	if err != nil {
		return nil, err
	}
	if len(sockets.SSH) == 0 {
		l, err := listen(s.listen)
		if err != nil {
			return nil, errors.Join(err, sockets.Close())
		}
		sockets.SSH = append(sockets.SSH, l)
	}
	if sockets.Metrics == nil && s.metrics != "" {
		if sockets.Metrics, err = listenMetrics(s); err != nil {
			return nil, errors.Join(err, sockets.Close())
		}
	}
	return sockets, nil
}

func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("cannot listen on %s: another program does; choose another address with --listen", addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("cannot listen on %s: the system does not allow it; ports below 1024 need the right to", addr)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return l, nil
}

// listenMetrics opens the port for metrics, which are for this machine alone unless the settings say otherwise.
func listenMetrics(s *settings) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", s.metrics)
	if err != nil {
		return nil, usageError{fmt.Errorf("--metrics %q: %w", s.metrics, err)}
	}
	if !addr.IP.IsLoopback() && !s.metricsPublic {
		return nil, usageError{fmt.Errorf("--metrics %s is not a loopback address; --metrics-public allows it", s.metrics)}
	}
	l, err := listen(addr.String())
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return l, nil
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

// levels returns the computer players of all games, each once, the weakest first. They share one memory.
func levels(of []games.Game) []lobby.Level {
	var all []lobby.Level
	memory := new(bot.Memory)
	for _, g := range of {
		for _, l := range memory.Levels(g) {
			i := slices.IndexFunc(all, func(known lobby.Level) bool { return known.ID == l.ID })
			if i < 0 {
				i = len(all)
				all = append(all, level(l))
			}
			if l.Rating != 0 {
				all[i].Ratings[g.About().ID] = l.Rating
			}
		}
	}
	return all
}

// level returns a computer player as the club knows it, without its ratings.
func level(l bot.Level) lobby.Level {
	v := lobby.Level{ID: l.ID, Name: l.Name, Sentence: l.Sentence, Ratings: make(map[string]int), Move: l.Player.Move}
	if t, ok := l.Player.(bot.Thinker); ok {
		v.Think = func(ctx context.Context, p games.Position, r *games.Random) (lobby.Decision, error) {
			found, err := t.Think(ctx, p, r)
			return decision(found), err
		}
	}
	return v
}

func decision(t bot.Thought) lobby.Decision {
	return lobby.Decision{
		Move: t.Move, Line: t.Line, Ahead: true, Value: t.Value, Plies: t.Plies, Proven: t.Proven, Drawn: t.Drawn,
	}
}
