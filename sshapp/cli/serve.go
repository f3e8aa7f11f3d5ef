package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	"ludoteca/sshapp/text"
	"ludoteca/storage/diskspace"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
)

func newServe(p process) *cobra.Command {
	s := defaultSettings()
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the club",
		Long: "Run the club until SIGTERM, SIGINT or SIGHUP. Everything it keeps lies in the data folder, which is made if need be.\n\n" +
			"Each flag can be given as an environment variable too; the command line wins.",
		Args: between(0, 0),
	}
	names := s.flags(cmd.Flags())
	check := false
	cmd.Flags().BoolVar(&check, "check", false, "print the settings in force and what a start would change in the store, and end: with 1 if the club couldn't start so, or a variable LUDOTECA_... is unknown")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		origins := originsOf(cmd.Flags())
		if err := fromEnv(p, cmd.Flags(), names); err != nil {
			return err
		}
		origins.add(cmd.Flags(), names)
		rows := origins.rows(cmd.Flags())
		if err := s.check(p.env); err != nil {
			return usageError{err}
		}
		log := slog.New(slog.NewTextHandler(p.stderr, nil))
		unknown := unknownVariables(p.vars, names)
		for _, v := range unknown {
			log.Warn("unknown environment variable, which changes nothing", "name", v.name, "nearest", v.nearest)
		}
		warnOfRetired(cmd.Flags(), names, log)
		if check {
			return checkStart(cmd.Context(), &s, rows, len(unknown), p, log)
		}
		return serve(cmd.Context(), &s, p, log)
	}
	return cmd
}

// serve runs the club until ctx ends.
func serve(ctx context.Context, s *settings, p process, log *slog.Logger) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer endLate(ctx, s.stopTimeout, func() {
		log.Error("stopping takes too long; the end")
		p.exit(statusRefused)
	})()
	if s.workers == 0 {
		s.workers = thinking.DefaultWorkers()
	}
	if err := makeDataFolder(s.data, log); err != nil {
		return err
	}
	warnOfFewFiles(log, openFiles(), s.limits.Connections)
	registry := prometheus.NewRegistry()
	meters := metrics.New(registry, sshapp.RefusalReasons(), sshapp.EndReasons())
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	if s.place.onEtcd() {
		unlock, err := lockFolder(s.data)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if s.compact {
		switch err := compactAtStart(ctx, s.data, p.stderr, log); {
		case err != nil && ctx.Err() != nil:
			log.Info("stopped before the club was open")
			return nil
		case err != nil:
			return err
		}
	}
	store, err := openStore(ctx, s.data, &s.place, s.noCopy, log, meters.Store.Meters())
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		log.Info("stopped before the club was open")
		return nil
	case err != nil:
		return openHelp(err, s.data, s.place.onEtcd())
	}
	if !s.place.onEtcd() { // nothing in this folder belongs to a node on etcd any more
		if err := os.Remove(filepath.Join(s.data, nodeLock)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("the lock of a node on etcd stays", "err", err)
		}
	}
	s.warnOfNoAddress(log)
	if err := removeSalvaged(s.data); err != nil {
		log.Warn("what is left of a salvage stays", "err", err)
	}
	defer store.stopIfItFails(stop)(&err)
	defer closing(&err, store)
	keys, err := hostkeys.Open(s.data)
	if err != nil {
		return err
	}
	sockets, err := openSockets(s, p)
	if err != nil {
		return err
	}
	defer closing(&err, sockets)
	floor := diskspace.NewFloor(s.data, int64(s.freeSpace), store.Free, log)
	watchCtx, endWatch := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { floor.Watch(watchCtx) })
	defer watching.Wait()
	defer endWatch()
	config := lobby.Config{
		Games: p.games, Levels: levels(p.games), Workers: s.workers, BotDelay: lobby.DefaultBotDelay, Log: log,
		Limits: s.club, Stats: meters.Club, KeepAddresses: s.keepAddresses, Full: floor.Full, Now: p.now,
	}
	if s.place.onEtcd() {
		config.Node, config.HostKey, config.Shared = s.node, fingerprints(keys), lobby.SharedOf(store.Store)
		if c, ok := store.engine.(cluster); ok {
			config.StoreFull = func() bool { return c.Health().NoSpace }
		}
	}
	club, err := lobby.New(ctx, lobby.StoreOf(store.Store), config)
	switch {
	case err != nil && ctx.Err() != nil:
		log.Info("stopped before the club was open")
		return nil
	case err != nil:
		return err
	}
	defer closing(&err, club)
	services, err := newServices(s, parts{store, floor, club, keys, meters, registry, log, s.addressAt(sockets.SSH[0].Addr()), s.data})
	if err != nil {
		return usageError{err}
	}
	return services.run(ctx, s, sockets, p)
}

// compactAtStart compacts the store in the data folder, if there is one. Too little room for that is no reason to refuse the
// club its start.
func compactAtStart(ctx context.Context, data string, progress io.Writer, log *slog.Logger) error {
	path := filepath.Join(data, storeName)
	before, after, err := compact(ctx, path, progress)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, bolt.ErrNoRoom):
		log.Warn("the store is not compacted", "err", err)
		return nil
	case err != nil:
		return err
	}
	log.Info("store compacted", "bytes", after, "was", before)
	return nil
}

// parts are what the services are made of.
type parts struct {
	store    *clubStore
	floor    *diskspace.Floor
	club     *lobby.Lobby
	keys     []hostkeys.Key
	meters   *metrics.Metrics
	registry *prometheus.Registry
	log      *slog.Logger
	address  text.Address // by which people reach the club
	data     string       // the data folder
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

// services are what players, the operator and Prometheus connect to.
type services struct {
	parts
	server  *sshapp.Server
	operate func(ctx context.Context, words []string, out, complaints io.Writer) (status int)
	limits  *runningLimits
	status  func() status.Status
}

func newServices(s *settings, with parts) (*services, error) {
	v := &services{parts: with}
	v.status = v.statusSince(time.Now(), s.node)
	var club *sshapp.Club
	v.limits = newRunningLimits(s, func(server sshapp.Limits, of lobby.Limits) error {
		v.club.SetLimits(of)
		return errors.Join(v.server.SetLimits(server), club.SetLimits(server))
	})
	club, err := sshapp.NewClub(sshapp.ClubConfig{
		Lobby: v.club, Limits: s.limits, Log: v.log, Address: v.address, Operators: s.operators, Status: v.status,
		Metrics: v.meters.Server, Screens: v.meters.Screens, Sessions: v, Running: v.limits,
	})
	if err != nil {
		return nil, err
	}
	v.server, err = sshapp.New(sshapp.Config{
		HostKeys: signers(v.keys), Middleware: club.Middleware(), Limits: s.limits, NoGuests: s.noGuests, Log: v.log,
		Metrics: v.meters.Server, Bans: v.club.Restrictions, Players: sshapp.PlayersOf(v.club),
	})
	if err != nil {
		return nil, err
	}
	v.club.Sessions.Use(v)
	v.operate = club.Operate
	metrics.Watch(v.registry, v.status)
	return v, nil
}

// EndBanned implements accounts.SessionEnder.
func (v *services) EndBanned() { v.server.EndBanned() }

// EndKeys implements accounts.SessionEnder.
func (v *services) EndKeys(fingerprints []string, why error) { v.server.EndKeys(fingerprints, why) }

// statusSince returns what the operator is told of a node of the club that has run since then.
func (v *services) statusSince(since time.Time, node string) func() status.Status {
	return func() status.Status {
		server, club := v.server.Load(), v.club.Load()
		up, missing := v.club.NodeNames()
		var backup *time.Time
		switch at, err := lastBackup(v.data); {
		case err != nil:
			v.log.Error("the time of the last backup can't be told", "err", err)
		case !at.IsZero():
			backup = &at
		}
		bytes, err := v.store.Size()
		if err != nil {
			v.log.Error("the store's size can't be told", "err", err)
		}
		now := status.Status{
			Since: since.UTC().Truncate(time.Second), UptimeSeconds: int64(time.Since(since).Seconds()),
			Connections: server.Connections, SigningIn: server.SigningIn, Sessions: server.Sessions,
			Here: club.Here, Matches: club.Matches, Offers: club.Offers, BotsThinking: club.Thinking, BotsWaiting: club.Waiting,
			MatchesWaiting: club.Kinds.Waiting, MatchesPeople: club.Kinds.People, MatchesBots: club.Kinds.Bots,
			MatchesExhibitions: club.Kinds.Exhibitions, BotsLongestWait: club.LongestWait.Milliseconds(),
			Refusals: v.meters.Server.Refusals.Recent(time.Now()), Process: status.Self(),
			AnalysesWaiting: club.Analyses,
			Nodes:           club.Nodes, NodesUp: up, NodesMissing: missing, NodeMatches: club.Owned,
			Moves:      v.meters.Club.Moves.Load() + v.meters.Club.BotMoves.Load(),
			LastBackup: backup, StoreSchema: schema.Schema(), StoreBytes: bytes, StoreQueue: v.store.Queued(), StoreWrite: v.meters.Store.Recent.Times(),
			DiskFree: status.Space(v.floor.Left()), DiskFloor: v.floor.Bytes(), DiskFull: v.floor.Full(),
			StoreRetries: v.meters.Store.Retries(), StoreDoubts: v.meters.Store.Doubts(),
		}
		if club.CutOff {
			now.CutOff(node)
		}
		v.store.describe(&now)
		return now
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
		controlErr = control.Serve(beside, controlSocket, control.Service{Store: v.store, Status: v.status, Operator: v.operate}, s.data, v.log)
	})
	metricsAt := ""
	if l := sockets.Metrics; l != nil {
		metricsAt = l.Addr().String()
		serving.Go(func() { metricsErr = metrics.Serve(beside, l, v.registry, v.readyUntil(ctx), v.log) })
	}
	defer func() {
		end()
		serving.Wait()
		err = errors.Join(err, controlErr, metricsErr)
	}()

	at := sockets.SSH[0].Addr()
	v.log.Info("club open", "listen", at.String(), "data", s.data, "hostkey", fingerprints(v.keys), "new_hostkey", v.keys[0].Made,
		"metrics", metricsAt, "version", status.Self().Version, "node", s.node, "store", s.place.store)
	fmt.Fprintln(p.stdout, s.invitation(at))
	v.notify(p, "READY=1")
	serving.Go(func() {
		select {
		case <-ctx.Done():
		case <-beside.Done(): // a listener has failed, or all sessions have ended
		}
		v.notify(p, "STOPPING=1")
		_ = v.club.Close() // no clock runs while people leave, however long that takes; it returns nil
	})
	err = v.server.ServeAll(ctx, sockets.SSH, s.proxies)
	v.log.Info("club closed")
	return err
}

// errStopping says that the club is about to close.
var errStopping = errors.New("this node is stopping")

// readyUntil returns a function that reports whether new people should come to this node: they should not once ctx has ended.
func (v *services) readyUntil(ctx context.Context) func() error {
	return func() error {
		if ctx.Err() != nil {
			return errStopping
		}
		return v.club.Ready()
	}
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

// otherFiles is how many descriptors the club needs besides its SSH connections: for listeners, the store, the log and connections to etcd.
const otherFiles = 64

// openFiles returns how many descriptors the program may have at a time (ulimit -n); the most there can be if that isn't known.
func openFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return math.MaxUint64
	}
	return l.Cur
}

// warnOfFewFiles warns if the descriptors are too few for the connections.
func warnOfFewFiles(log *slog.Logger, files uint64, connections int) {
	if need := uint64(max(connections, 0)) + otherFiles; files < need {
		log.Warn("too few files may be open for --max-connections: raise ulimit -n, or LimitNOFILE of the unit", "files", files, "needed", need)
	}
}

// warnOfNoAddress warns of a club behind a proxy or of several nodes that doesn't know how people reach it: the name of one machine, which they
// would read instead, doesn't lead through the proxy.
func (s *settings) warnOfNoAddress(log *slog.Logger) {
	if s.public == "" && (len(s.proxies) > 0 || s.place.onEtcd()) {
		log.Warn("people are told to connect to this machine, not to the proxy in front of it: set --public-address, or LUDOTECA_PUBLIC_ADDRESS")
	}
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

// invitation returns the line that can be pasted to visit the club: from anywhere if it is known how people reach the club, else from this
// machine.
func (s *settings) invitation(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	switch {
	case s.public != "":
		return s.address.SSH("")
	case !ok:
		return at.String()
	case tcp.IP.IsUnspecified():
		return text.Address{Host: localhost, Port: tcp.Port}.SSH("")
	}
	return addressOf(tcp).SSH("")
}

// addressAt returns how people reach a club that listens at an address.
func (s *settings) addressAt(at net.Addr) text.Address {
	tcp, ok := at.(*net.TCPAddr)
	if s.public != "" || !ok {
		return s.address
	}
	return addressOf(tcp)
}

const localhost = "localhost"

// addressOf returns how people reach a club that listens on an address of this machine: by the name of the machine if it listens on all of them.
func addressOf(at *net.TCPAddr) text.Address {
	host := localhost
	switch {
	case at.IP.IsUnspecified():
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	case !at.IP.IsLoopback():
		host = text.Address{Host: at.IP.String(), Port: 22}.String() // with the brackets of IPv6
	}
	address, err := text.ParseAddress(host)
	if err != nil {
		address.Host = localhost // the machine has a name that no client takes
	}
	address.Port = at.Port
	return address
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
		v.Think = func(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (lobby.Decision, error) {
			found, err := t.ThinkWithin(ctx, c, p, r)
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

// settings are the flags of serve.
type settings struct {
	listen        string
	public        string       // the flag --public-address
	address       text.Address // of public; zero: it follows from the listener
	data          string
	place         storePlace
	node          string // the name of this node
	compact       bool
	noCopy        bool // before a migration
	freeSpace     byteSize
	noGuests      bool
	keepAddresses bool
	workers       int
	operators     []string
	proxyFrom     []string
	proxies       []netip.Prefix // of proxyFrom
	metrics       string
	metricsPublic bool
	stopTimeout   time.Duration
	limits        sshapp.Limits
	club          lobby.Limits
}

func defaultSettings() settings {
	return settings{
		listen: "127.0.0.1:2222", data: "./data", place: defaultStorePlace(), node: defaultNode(), freeSpace: 256 << 20, stopTimeout: 30 * time.Second,
		limits: sshapp.DefaultLimits(), club: lobby.DefaultLimits(),
	}
}

// flags declares every flag and returns the environment variable of each.
func (s *settings) flags(flags *pflag.FlagSet) (names map[string]string) {
	names = declare(flags, append(s.own(), s.limitFlags()...))
	declareRetired(flags, names)
	return names
}

// declare declares some flags and returns the environment variable of each.
func declare(flags *pflag.FlagSet, some []sshapp.Flag) (names map[string]string) {
	names = make(map[string]string)
	for _, f := range some {
		names[f.Name] = f.Env
		help := f.Help + " (" + f.Env + ")"
		switch at := f.Ptr.(type) {
		case *string:
			flags.StringVar(at, f.Name, *at, help)
		case *[]string:
			flags.StringSliceVar(at, f.Name, *at, help)
		case *int:
			flags.IntVar(at, f.Name, *at, help)
		case *bool:
			flags.BoolVar(at, f.Name, *at, help)
		case *time.Duration:
			flags.DurationVar(at, f.Name, *at, help)
		case *byteSize:
			flags.Var(at, f.Name, help)
		}
	}
	return names
}

// named makes the flag called name.
func named(name string, ptr any, help string) sshapp.Flag {
	return sshapp.Flag{Name: name, Env: "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")), Help: help, Ptr: ptr}
}

// own are the flags that are no limits.
func (s *settings) own() []sshapp.Flag {
	return append(s.place.flags(), []sshapp.Flag{
		named("listen", &s.listen, "address to listen on, unless systemd hands a socket over"),
		named("public-address", &s.public, "HOST or HOST:PORT by which people reach the club, for every command that they are told; without it that of --listen, with the name of this machine"),
		named("data", &s.data, "folder with everything the club keeps"),
		named("compact", &s.compact, "make the file of the store as small as it can be before the club opens"),
		named("no-migration-copy", &s.noCopy, "don't copy the store to a file in the data folder before a newer version migrates it"),
		named("free-space", &s.freeSpace, "free space on the disk, or below etcd's quota, under which new matches and accounts are refused; 0 refuses none"),
		named("keep-casual", &s.club.KeepCasual, "time for which matches of guests, those against Random and Greedy, and those of two computer players are kept; 0 keeps them for ever"),
		named("no-guests", &s.noGuests, "refuse clients without a key"),
		named("bot-workers", &s.workers, "computer players that think at a time; 0 leaves one core to people"),
		named("operator", &s.operators, "fingerprint (SHA256:...) of a key that may use ssh HOST operator; can be given several times"),
		named("keep-addresses", &s.keepAddresses, "keep the blocks of addresses that players come from as they are, not only salted hashes of them"),
		named("proxy-from", &s.proxyFrom, "network of trusted proxies, whose connections must begin with a PROXY header; can be given several times"),
		named("metrics", &s.metrics, "loopback address for Prometheus, and for the checks /ready and /live of a balancer, such as 127.0.0.1:9222; none when empty"),
		named("metrics-public", &s.metricsPublic, "let --metrics be an address that others can reach"),
		named("stop-timeout", &s.stopTimeout, "time after which a club that is stopping ends, whatever goes on"),
		named("node", &s.node, "name of this node, unique among the nodes of the club"),
	}...)
}

// clubLimits are the limits of what people can make the club do.
func (s *settings) clubLimits() []sshapp.Flag {
	l := &s.club
	return []sshapp.Flag{
		named("max-offers", &l.OpenOffers, "open offers of one person"),
		named("max-challenges", &l.Challenges, "open challenges of one person"),
		named("max-challenges-to", &l.ChallengesTo, "open challenges to one person"),
		named("max-matches-new", &l.NewUnfinished, "unfinished matches of one player with a new account, offers included"),
		named("max-matches-player", &l.Unfinished, "the same for an account that is a month old and has finished 20 matches; others are in between"),
		named("max-matches-guest", &l.GuestUnfinished, "unfinished matches of one guest, offers included"),
		named("max-exhibitions", &l.Exhibitions, "unfinished matches between two computer players that one player has opened"),
		named("max-matches", &l.Matches, "unfinished matches in the whole club"),
		named("max-moves-memory", &l.LivePlies, "moves of unfinished matches in memory, about; matches that nobody looks at are on disk alone"),
		named("away-guest", &l.AwayGuest, "time that a guest may be gone before they have left their matches"),
		named("give-way", &l.EvictAfter, "when max-matches is reached, time without a move after which a match between two people may be called off; those of people with many matches go first"),
		named("give-way-alone", &l.EvictAloneAfter, "the same for offers, and for matches with a computer player or at one keyboard, at which nobody looks; these go before the others"),
		named("match-burst", &l.MatchBurst, "matches that one person may open, or resign, in a row; four times as many from one address"),
		named("match-every", &l.MatchEvery, "time that earns one more"),
		named("max-aborts", &l.Aborts, "matches with another person that one may call off, or keep waiting for a first move, in a row; then the next such match has to wait"),
		named("abort-every", &l.AbortEvery, "time that earns one more"),
	}
}

// check completes the settings, or says what is wrong with them.
func (s *settings) check(env func(string) (string, bool)) error {
	if err := s.place.check(env); err != nil {
		return err
	}
	if !nodeName.MatchString(s.node) {
		return fmt.Errorf("--node %q is not a name of up to %d letters, digits, dots and -", s.node, maxNodeName)
	}
	if s.compact && s.place.onEtcd() {
		return errors.New("--compact is for a store in a file; etcd has etcdctl defrag")
	}
	if s.public != "" {
		var err error
		if s.address, err = text.ParseAddress(s.public); err != nil {
			return fmt.Errorf("--public-address: %w", err)
		}
	}
	if s.workers < 0 {
		return errors.New("--bot-workers must not be negative")
	}
	switch {
	case s.club.KeepCasual < 0:
		return errors.New("--keep-casual must not be negative")
	case s.club.KeepCasual == 0:
		s.club.KeepCasual = -1 // for ever
	}
	if s.stopTimeout <= 0 {
		return errors.New("--stop-timeout must be more than 0")
	}
	if err := s.checkLimits(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	for _, k := range s.operators {
		hash, found := strings.CutPrefix(k, "SHA256:")
		if sum, err := base64.RawStdEncoding.Strict().DecodeString(hash); !found || err != nil || len(sum) != 32 {
			return fmt.Errorf("--operator %q is no fingerprint such as ssh-keygen -l prints: SHA256: and 43 letters", k)
		}
	}
	for _, network := range s.proxyFrom {
		prefix, err := parseNetwork(network)
		if err != nil {
			return fmt.Errorf("--proxy-from %q is no network such as 192.0.2.0/24 and no address", network)
		}
		s.proxies = append(s.proxies, prefix)
	}
	return nil
}

// parseNetwork reads a network, or an address as the network of itself.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap().WithZone("")
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	const mapped = 96 // bits before the IPv4 address in an IPv6 address that stands for it
	if prefix.Addr().Is4In6() && prefix.Bits() >= mapped {
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mapped)
	}
	return prefix.Masked(), err
}
