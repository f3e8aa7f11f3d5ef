//go:build linux

package loadtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp"
	"ludoteca/sshapp/e2e/program"
	"ludoteca/storage/accounts"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// Environment variables of a server process.
const (
	asServer    = "LUDOTECA_LOADTEST_FRONT"  // one of the fronts turns the test binary into a server
	dataFolder  = "LUDOTECA_LOADTEST_DATA"   // where its store lies
	memoryLimit = "LUDOTECA_LOADTEST_MEMORY" // bytes that it may have, no limit when empty
	loginGrace  = "LUDOTECA_LOADTEST_GRACE"  // of ours, which is patient when empty
	mostHere    = "LUDOTECA_LOADTEST_HERE"   // sessions and connections at once that it takes, the club's default when empty
	cachedPlies = "LUDOTECA_LOADTEST_CACHED" // moves of finished matches that it keeps, the club's default when empty
	profiles    = "LUDOTECA_PROFILE"         // where profiles of the server go, none when empty: this and .FRONT.cpu, or .FRONT.MOMENT.heap
)

// panicWord is a command that makes a handler panic.
const panicWord = "panic"

// A Front is a way to serve a club until ctx ends.
type Front func(ctx context.Context, l net.Listener, key gossh.Signer, club *lobby.Lobby) error

// The names of the fronts of this package.
const (
	Ours = "ours"
	Bare = "bare"
)

// frontsHere are the fronts of this package: the club's own server with the club behind it, or with nothing behind it but some
// bytes in answer to every key, which is the least that any front can cost.
var frontsHere = map[string]Front{Ours: serveOurs, Bare: serveBare}

// Main runs the tests of a package that uses this one. more holds further fronts beside Ours and Bare.
func Main(m *testing.M, more map[string]Front) {
	run := func(role func() error) {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if name := os.Getenv(asServer); name != "" {
		serve := frontsHere[name]
		if serve == nil {
			serve = more[name]
		}
		run(func() error { return serveFront(name, serve) })
	}
	debug.SetGCPercent(400) // the clients' collections must not hold up the server, with which they share the processors
	if os.Getenv(asProbes) != "" {
		run(func() error { return serveProbes(os.Stdin, os.Stdout) })
	}
	os.Exit(program.Run(m))
}

// serveFront runs a server process: it opens a club, prints its address on standard output, answers questions on standard input, and
// ends with SIGTERM or with that input.
func serveFront(front string, serve Front) error {
	if limit := os.Getenv(memoryLimit); limit != "" {
		bytes, err := strconv.ParseUint(limit, 10, 64)
		if err != nil {
			return err
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
			return err
		}
	}
	asked, stop := context.WithCancel(context.Background())
	defer stop()
	ctx, forget := signal.NotifyContext(asked, syscall.SIGTERM)
	defer forget()
	if name := os.Getenv(profiles); name != "" {
		cpu, err := os.Create(name + "." + front + ".cpu")
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	store, err := storagetest.OpenFile(filepath.Join(os.Getenv(dataFolder), "club.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		return err
	}
	cached, _ := strconv.Atoi(os.Getenv(cachedPlies)) // 0 is the default
	// Matches are opened as fast as a measurement wants.
	club, err := lobby.New(ctx, lobby.StoreOf(store), lobby.Config{Games: catalog.All(), Bounds: lobby.Bounds{CachedPlies: cached}, Limits: lobby.Limits{MatchBurst: 1 << 20, NewUnfinished: 1 << 20, Unfinished: 1 << 20}})
	if err != nil {
		return err
	}
	key, err := makeKey()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() { // lives as long as the process
		answer(os.Stdin, os.Stdout, front, club, store)
		stop()
	}()
	err = serve(ctx, l, key, club)
	return errors.Join(err, club.Close(), store.Close())
}

// serveOurs is the club as it is, with its limits.
func serveOurs(ctx context.Context, l net.Listener, key gossh.Signer, club *lobby.Lobby) error {
	front, err := sshapp.NewClub(sshapp.ClubConfig{Lobby: club, Limits: serverLimits()})
	if err != nil {
		return err
	}
	return serveWith(ctx, l, key, append(front.Middleware(), PanicOnPurpose))
}

// bareAnswer is as long as what a key changes on a board.
const bareAnswer = 152

func serveBare(ctx context.Context, l net.Listener, key gossh.Signer, _ *lobby.Lobby) error {
	return serveWith(ctx, l, key, []wish.Middleware{answerKeys})
}

// answerKeys answers each key with as many bytes as a board changes.
func answerKeys(ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		answer := []byte(altScreen + footer + strings.Repeat("x", 2000))
		for keys := make([]byte, 512); ; answer = answer[:bareAnswer] {
			if _, err := s.Write(answer); err != nil {
				return
			}
			if _, err := s.Read(keys); err != nil {
				return
			}
		}
	}
}

func serveWith(ctx context.Context, l net.Listener, key gossh.Signer, chain []wish.Middleware) error {
	server, err := sshapp.New(sshapp.Config{HostKeys: []gossh.Signer{key}, Middleware: chain, Limits: serverLimits()})
	if err != nil {
		return err
	}
	return server.Serve(ctx, l)
}

func serverLimits() sshapp.Limits {
	limits := sshapp.DefaultLimits()
	limits.LoginGrace, limits.RequestGrace, limits.GoingDown = Patience, Patience, Patience/2 // for clients on a busy machine
	if grace, err := time.ParseDuration(os.Getenv(loginGrace)); err == nil {
		limits.LoginGrace = grace
	}
	if n, err := strconv.Atoi(os.Getenv(mostHere)); err == nil {
		limits.Sessions, limits.Connections = n, n
	}
	return limits
}

// PanicOnPurpose is a middleware that panics when asked to. A Front has it in its chain.
func PanicOnPurpose(next ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		if s.RawCommand() == panicWord {
			panic("on purpose")
		}
		next(s)
	}
}

// A state holds what a server process reports of itself.
type state struct {
	Goroutines int
	Matches    int   // that go on, each in a goroutine of its own
	Live       int64 // bytes of the heap that the last collection left
}

// visiting returns the number of goroutines of sessions. Matches go on without them.
func (s state) visiting() int { return s.Goroutines - s.Matches }

// answer answers questions, one a line:
//
//	state                         a state
//	quick                         the same, without releasing memory, which would delay others
//	garbage                       a garbage, without a collection
//	heap MOMENT                   writes a profile of the heap, if there are to be profiles
//	board KEY GAME [OPTION]       signs the fingerprint KEY up, opens a match for one keyboard, and gives its code
//	match KEY KEY GAME [OPTION]   has two people, signed up if need be, begin a match that all can see, and gives its code
//	plies CODE                    how many moves of a match have been made
//	moves CODE                    which
//	say TEXT                      has a player who isn't new write a line in the lounge
//	finished N                    plays N matches that leave records, the last one long, and gives the code of that
func answer(questions io.Reader, to io.Writer, front string, club *lobby.Lobby, store *schema.Store) {
	answers, boards, speakers := json.NewEncoder(to), 0, 0
	for lines := bufio.NewScanner(questions); lines.Scan(); {
		words := strings.Fields(lines.Text())
		var a any
		switch words[0] {
		case "board":
			boards++
			code, err := openBoard(club, words[1], fmt.Sprint("ana", boards), words[2], words[3:])
			if err != nil {
				code = "error: " + err.Error()
			}
			a = code
		case "match":
			code, err := openMatch(club, [2]string(words[1:3]), words[3], words[4:])
			if err != nil {
				code = "error: " + err.Error()
			}
			a = code
		case "say":
			speakers++
			a = ""
			if err := sayInLounge(club, store, fmt.Sprint("speaker", speakers), strings.Join(words[1:], " ")); err != nil {
				a = err.Error()
			}
		case "garbage":
			a = measureGarbage()
		case "plies":
			a = len(movesOf(club, words[1]))
		case "moves":
			a = movesOf(club, words[1])
		case "finished":
			n, _ := strconv.Atoi(words[1])
			code, err := finishMatches(club, n)
			if err != nil {
				code = "error: " + err.Error()
			}
			a = code
		case "heap":
			a = fmt.Sprint(writeHeap(os.Getenv(profiles) + "." + front + "." + words[1] + ".heap"))
		default:
			a = measure(club, words[0] == "state")
		}
		if answers.Encode(a) != nil {
			return
		}
	}
}

// writeHeap writes a profile of the heap as it is after a collection.
func writeHeap(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.WriteHeapProfile(f), f.Close())
}

func measure(club *lobby.Lobby, tidy bool) state {
	runtime.GC()
	if tidy {
		debug.FreeOSMemory() // collects once more
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live) // doesn't stop the world, unlike runtime.ReadMemStats
	return state{Goroutines: runtime.NumGoroutine(), Matches: club.Load().Matches, Live: int64(live[0].Value.Uint64())}
}

// A garbage holds the figures of a process's memory use.
type garbage struct {
	Bytes       int64 // allocated so far
	Collections int64 // started by the runtime itself
}

func (g garbage) add(h garbage) garbage {
	return garbage{g.Bytes + h.Bytes, g.Collections + h.Collections}
}
func (g garbage) since(h garbage) garbage {
	return garbage{g.Bytes - h.Bytes, g.Collections - h.Collections}
}

func measureGarbage() garbage {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/automatic:gc-cycles"}}
	metrics.Read(samples)
	return garbage{int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())}
}

// sayInLounge has a player write a line in the lounge. The player is made, old enough for that.
func sayInLounge(club *lobby.Lobby, store *schema.Store, name, words string) error {
	ctx := context.Background()
	p := accounts.Player{Name: name, NameKey: name, Since: time.Now().Add(-2 * lounge.YoungFor)}
	if _, err := store.Accounts.SignUp(ctx, p, "key of "+name); err != nil {
		return err
	}
	who, _, err := club.Accounts.SignIn(ctx, "key of "+name)
	if err != nil {
		return err
	}
	_, err = club.Lounge.Say(ctx, who, words)
	return err
}

func openBoard(club *lobby.Lobby, fingerprint, name, game string, options []string) (string, error) {
	ctx := context.Background()
	g, err := club.Game(game)
	if err != nil {
		return "", err
	}
	spec := seats.Spec{Game: game, Hotseat: true}
	if spec.Options, err = games.ParseOptions(g, options); err != nil {
		return "", err
	}
	who, err := club.Accounts.SignUp(ctx, fingerprint, name)
	if err != nil {
		return "", err
	}
	ref, err := club.Seats.Open(ctx, who, spec)
	return ref.Code, err
}

// openMatch begins a match between the players with two fingerprints. The first of them moves first.
func openMatch(club *lobby.Lobby, fingerprints [2]string, game string, options []string) (string, error) {
	ctx := context.Background()
	g, err := club.Game(game)
	if err != nil {
		return "", err
	}
	spec := seats.Spec{Game: game, Side: seats.PlayFirst, Public: true}
	if spec.Options, err = games.ParseOptions(g, options); err != nil {
		return "", err
	}
	var players [2]lobby.User
	for i, f := range fingerprints {
		who, _, err := club.Accounts.SignIn(ctx, f)
		if errors.Is(err, lobby.ErrNoAccount) {
			letters := strings.Map(func(r rune) rune {
				if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
					return r
				}
				return -1
			}, f)
			who, err = club.Accounts.SignUp(ctx, f, "p"+letters[len(letters)-12:]+"p") // never like a computer player, a bot
		}
		if err != nil {
			return "", err
		}
		players[i] = who
	}
	defer club.Presence.Enter(players[0])() // an offer ends with its owner's last connection
	ref, err := club.Seats.Open(ctx, players[0], spec)
	if err != nil {
		return "", err
	}
	_, err = club.Seats.Join(ctx, players[1], origin.Origin{}, ref.Code)
	return ref.Code, err
}

// finishMatches plays n-1 matches of a few moves each and a long one of Petteia. It returns the code of the last.
func finishMatches(club *lobby.Lobby, n int) (code string, err error) {
	err = InTurn(n-1, 64, func(i int) error {
		_, err := finishMatch(club, fmt.Sprint("loadtest ", i), "momentum", 6)
		return err
	})
	if err != nil {
		return "", err
	}
	return finishMatch(club, "loadtest", "petteia", 2000)
}

// finishMatch has a guest play both sides of a match and resign after plies moves, or before the last one.
func finishMatch(club *lobby.Lobby, connection, game string, plies int) (code string, err error) {
	ctx, guest := context.Background(), club.Accounts.Guest(connection)
	g, err := club.Game(game)
	if err != nil {
		return "", err
	}
	given, err := randomMoves(g, plies)
	if err != nil {
		return "", err
	}
	const played = 4 // by the guest; who gets the others with the opening, at once
	spec := seats.Spec{Game: game, Hotseat: true, Moves: given[:len(given)-played]}
	ref, err := club.Seats.Open(ctx, guest, spec)
	if err != nil {
		return "", err
	}
	seat, err := club.Seats.At(ctx, guest, ref)
	if err != nil {
		return "", err
	}
	for _, m := range given[len(given)-played:] {
		if err := seat.Move(ctx, m, lobby.AnyPly); err != nil {
			return "", err
		}
	}
	return ref.Code, seat.Resign(ctx)
}

// randomMoves returns up to plies random moves, always the same ones. The game goes on after them.
func randomMoves(g games.Game, plies int) (moves []games.Move, err error) {
	o, err := games.Complete(g, nil)
	if err != nil {
		return nil, err
	}
	p, err := g.New(o)
	r := games.NewRandom(1)
	for err == nil && len(moves) < plies {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		if p, err = p.Play(m); err == nil && p.Result().Over {
			break
		}
		moves = append(moves, m)
	}
	return moves, err
}

// movesOf returns the moves of a match, none if there is no such match.
func movesOf(club *lobby.Lobby, code string) []games.Move {
	ctx := context.Background()
	ref, err := club.Finder.Find(ctx, lobby.User{}, origin.Origin{}, code)
	if err != nil {
		return nil
	}
	seat, err := club.Seats.At(ctx, lobby.User{}, ref)
	if err != nil {
		return nil
	}
	v, err := seat.Now(ctx)
	if err != nil {
		return nil
	}
	return v.Moves
}
