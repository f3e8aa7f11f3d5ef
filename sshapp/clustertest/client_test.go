package clustertest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/sshapp/clustertest/history"
	"ludoteca/storage"
)

// A shown is a match as show and watch print it with --json.
type shown struct {
	ID     storage.MatchID
	Code   string
	First  string
	Second string
	Moves  []games.Move
	Turn   string
	Legal  []games.Move
	Result string
	Reason string
	Clock  struct {
		Kind   string
		First  int64 `json:"first_ms"`
		Second int64 `json:"second_ms"`
	}
	FirstKind  string `json:"first_kind"`
	SecondKind string `json:"second_kind"`
}

// refusals are the beginnings of all sentences that mean that nothing was changed. After any other error the outcome is unknown.
var refusals = []string{
	"It is not your turn", "The match has moved on", "This match is over", "The time is up", "You are only watching", "Nobody has taken the other seat",
	"Somebody else was faster", "This is your own offer", "Nobody here knows the code", "Not both sides have moved yet", "This seat is kept",
	"That is too many matches", cutOffText,
}

// cutOffText is the beginning of the sentence with which a node refuses commands while it is cut off from the store.
const cutOffText = "Out of touch with the club."

// refused reports whether an error message means that nothing was changed.
func refused(words string) bool {
	return slices.ContainsFunc(refusals, func(s string) bool { return strings.HasPrefix(words, s) }) || strings.Contains(words, " can't be played: ")
}

// A player is one client: a key, at most one connection, and its history. One goroutine uses it.
type player struct {
	name    string
	key     gossh.Signer
	nodes   func() []string // addresses
	pace    func() time.Duration
	history *history.Recorder
	random  *rand.Rand
	counts  *counts
	idle    time.Duration // without a new view for so long, the player reconnects, to another node if there are several

	at   int    // index of the node for the next connection
	node string // name of the node of the last connection
	conn *connection
	all  sync.WaitGroup // readers of streams

	twin *player // the same client on a second connection, on which it sometimes moves at the same time; may be nil
}

// counts are totals of all clients.
type counts struct {
	dials, cut, idle, behind atomic.Int64
	words                    sync.Map // error message -> *atomic.Int64
}

func (c *counts) countReply(words string) {
	n, _ := c.words.LoadOrStore(words, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// syllables make names that the club doesn't refuse as lookalikes.
var syllables = func() (all []string) {
	for _, c := range "bdfgkmpst" {
		for _, v := range "aeiou" {
			all = append(all, string([]rune{c, v}))
		}
	}
	return all
}()

func nameOf(n int) string {
	return syllables[n%45] + syllables[n/45%45] + syllables[n/45/45%45] + "ra"
}

func newPlayer(t testing.TB, n int, nodes func() []string, pace func(r *rand.Rand) time.Duration, c *counts) *player {
	t.Helper()
	_, private, err := ed25519.GenerateKey(crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := gossh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	p := &player{
		name: nameOf(n), key: key, nodes: nodes, pace: func() time.Duration { return pace(r) }, history: history.NewRecorder(nameOf(n)), random: r,
		counts: c, idle: time.Minute, at: n,
	}
	if n%8 == 0 {
		p.twin = &player{
			name: p.name, key: key, nodes: nodes, history: p.history, random: rand.New(rand.NewPCG(uint64(n), 2)), counts: c, at: n + 1,
		}
	}
	return p
}

// pause waits for d, and reports whether ctx is still going on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connect returns the player's connection. If there is none it tries the nodes in turn until one accepts; nil if ctx ends before.
func (p *player) connect(ctx context.Context) *connection {
	for wait := 20 * time.Millisecond; p.conn == nil; wait = min(2*wait, 400*time.Millisecond) {
		all := p.nodes()
		addr := all[p.at%len(all)]
		p.counts.dials.Add(1)
		p.node = fmt.Sprint("n", p.at%len(all))
		conn, err := dial(ctx, addr, p.name, p.key)
		if err == nil {
			p.conn = conn
			break
		}
		p.at++
		if !pause(ctx, wait+time.Duration(p.random.Int64N(int64(wait)))) {
			return nil
		}
	}
	return p.conn
}

// A connection is an SSH connection that has signed in.
type connection struct {
	*gossh.Client
	over chan struct{} // closed when the connection has ended
}

// session opens a session. NewSession alone may wait forever if the connection breaks at that moment.
func (c *connection) session() (*gossh.Session, error) {
	type opened struct {
		session *gossh.Session
		err     error
	}
	answer := make(chan opened, 1)
	go func() { // ends with the answer, or with the program
		s, err := c.NewSession()
		answer <- opened{s, err}
	}()
	select {
	case o := <-answer:
		return o.session, o.err
	case <-c.over:
		return nil, net.ErrClosed
	}
}

// dial signs in.
func dial(ctx context.Context, addr, name string, key gossh.Signer) (*connection, error) {
	const limit = 15 * time.Second
	tcp, err := (&net.Dialer{Timeout: limit}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	_ = tcp.SetDeadline(time.Now().Add(limit)) // fails only on a closed connection
	c, channels, requests, err := gossh.NewClientConn(tcp, addr, &gossh.ClientConfig{
		User: name, Auth: []gossh.AuthMethod{gossh.PublicKeys(key)}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // of our own, on loopback
	})
	if err != nil {
		_ = tcp.Close()
		return nil, err
	}
	_ = tcp.SetDeadline(time.Time{})
	l := &connection{gossh.NewClient(c, channels, requests), make(chan struct{})}
	go func() { _ = l.Wait(); close(l.over) }() // ends with the connection
	return l, nil
}

// disconnect ends the connection and its streams. The next connection goes to another node.
func (p *player) disconnect() {
	if p.conn != nil {
		p.counts.cut.Add(1)
		_ = p.conn.Close()
		p.conn = nil
		p.at++
	}
	p.all.Wait()
}

// leave ends both connections of the client.
func (p *player) leave() {
	p.disconnect()
	if p.twin != nil {
		p.twin.disconnect()
	}
}

// An answer is the result of a command.
type answer struct {
	asked, at time.Time
	outcome   history.Outcome
	out       []byte
	words     string
}

// answerTimeout is the time that a client waits for an answer.
const answerTimeout = 10 * time.Second

// run runs a command. ok is false if it was not sent.
func (p *player) run(ctx context.Context, command string) (a answer, ok bool) {
	conn := p.connect(ctx)
	if conn == nil {
		return a, false
	}
	late := time.AfterFunc(answerTimeout, func() { _ = conn.Close() })
	defer late.Stop()
	session, err := conn.session()
	if err != nil {
		p.disconnect()
		return a, false
	}
	defer session.Close()
	var out, complaints bytes.Buffer
	session.Stdout, session.Stderr = &out, &complaints
	a.asked = time.Now()
	err = session.Run(command)
	a.at, a.out, a.words = time.Now(), out.Bytes(), strings.TrimSpace(complaints.String())
	var exit *gossh.ExitError
	switch {
	case err == nil:
		a.outcome = history.Done
		return a, true
	case errors.As(err, &exit) && refused(a.words):
		a.outcome = history.Refused
		p.counts.countReply(a.words)
		return a, true
	case errors.As(err, &exit):
		p.counts.countReply(a.words)
	}
	a.outcome = history.Unknown
	p.disconnect()
	return a, true
}

// act runs a command and records it. m is the match in the answer if the outcome is Done, else nil.
func (p *player) act(ctx context.Context, command string, act history.Act) (m *shown, outcome history.Outcome) {
	a, sent := p.run(ctx, command)
	if !sent {
		return nil, history.Unknown
	}
	if strings.HasPrefix(a.words, cutOffText) {
		if act.Kind == history.Open { // the match may be opened, and the node lose the store before it shows it
			a.outcome = history.Unknown
		}
		p.disconnect()
	}
	act.Invoked, act.Answered, act.Outcome, act.Words, act.Node = a.asked, a.at, a.outcome, a.words, p.node
	if a.outcome == history.Done {
		m = new(shown)
		var opened struct {
			ID   storage.MatchID
			Code string
		}
		into := any(m)
		if act.Kind == history.Open {
			into = &opened
		}
		if err := json.Unmarshal(a.out, into); err != nil {
			panic(fmt.Sprintf("%s is answered with %q: %v", command, a.out, err))
		}
		if act.Kind == history.Open {
			act.Match, m.Code = opened.ID, opened.Code
		} else {
			p.recordView(m, p.node, p.history.Stream(), a.asked, a.at)
		}
		if act.Kind == history.Move {
			act.Ply = placeOf(m.Moves, act.Move, act.Ply)
		}
	}
	p.history.Act(act)
	return m, a.outcome
}

// placeOf returns the ply at which a move was made that its player meant for the ply meant. It is later if the match had gone on meanwhile.
func placeOf(moves []games.Move, move games.Move, meant int) int {
	if meant < len(moves) && moves[meant] == move {
		return meant
	}
	for ply := len(moves) - 1; ply > meant; ply-- {
		if moves[ply] == move {
			return ply
		}
	}
	return meant
}

// saw records a view.
func (p *player) recordView(m *shown, node string, stream int, asked, at time.Time) {
	v := history.View{Node: node, Match: m.ID, Stream: stream, Asked: asked, At: at, Result: m.Result, Reason: m.Reason}
	if m.Clock.Kind == "fischer" {
		v.Left = [2]int64{m.Clock.First, m.Clock.Second}
	}
	p.history.View(v, m.Moves)
}

// register makes an account, and retries until that is done or ctx ends.
func (p *player) register(ctx context.Context) {
	for ctx.Err() == nil {
		if a, ok := p.run(ctx, "name "+p.name); ok && a.outcome == history.Done {
			return
		}
		if a, ok := p.run(ctx, "whoami --json"); ok && a.outcome == history.Done && bytes.Contains(a.out, []byte(`"name":"`+p.name+`"`)) {
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
}

// A stream is a running watch command.
type stream struct {
	session *gossh.Session
	mu      sync.Mutex // guards what follows
	latest  *shown
	seen    int // views received
	over    bool
	words   string
	news    chan struct{} // closed when something changes
}

// watch starts a watch command, and returns nil if that fails.
func (p *player) watch(ctx context.Context, code string) *stream {
	conn := p.connect(ctx)
	if conn == nil {
		return nil
	}
	late := time.AfterFunc(answerTimeout, func() { _ = conn.Close() })
	defer late.Stop()
	session, err := conn.session()
	if err != nil {
		p.disconnect()
		return nil
	}
	s := &stream{session: session, news: make(chan struct{})}
	out, err := session.StdoutPipe()
	complaints := new(bytes.Buffer)
	session.Stderr = complaints
	asked := time.Now()
	if err != nil || session.Start("watch "+code+" --json") != nil {
		session.Close()
		p.disconnect()
		return nil
	}
	number, node := p.history.Stream(), p.node
	p.all.Go(func() {
		lines := bufio.NewReaderSize(out, 64<<10)
		for {
			line, err := lines.ReadBytes('\n')
			at := time.Now()
			m := new(shown)
			if err != nil || json.Unmarshal(line, m) != nil || m.ID == "" { // the stream ended, perhaps in the middle of a line, or with a refusal
				break
			}
			p.recordView(m, node, number, asked, at)
			s.mu.Lock()
			s.latest, s.seen = m, s.seen+1
			close(s.news)
			s.news = make(chan struct{})
			s.mu.Unlock()
		}
		_ = session.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.over, s.words = true, strings.TrimSpace(complaints.String())
		close(s.news)
	})
	return s
}

// next waits for more than seen views and returns the newest. m is nil if the stream or ctx ends before, or after limit.
func (s *stream) next(ctx context.Context, seen int, limit time.Duration) (m *shown, now int, ended bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		m, now, over, news := s.latest, s.seen, s.over, s.news
		s.mu.Unlock()
		switch {
		case now > seen:
			return m, now, false
		case over:
			return nil, now, true
		}
		select {
		case <-news:
		case <-timer.C:
			return nil, now, false
		case <-ctx.Done():
			return nil, now, false
		}
	}
}

// play plays a match to its end, or until ctx ends. After most moves the player resigns on their turn.
func (p *player) play(ctx context.Context, code string, most int) {
	made := -1 // ply of the last own move that was acknowledged; a view may be older
	for quiet := time.Now(); ctx.Err() == nil && time.Since(quiet) < 2*time.Minute; {
		s := p.watch(ctx, code)
		if s == nil {
			pause(ctx, 50*time.Millisecond)
			continue
		}
		seen, known := 0, true
		for known {
			m, n, ended := s.next(ctx, seen, p.idle)
			if m == nil && !ended && ctx.Err() == nil && len(p.nodes()) > 1 && p.current(ctx, code, s) {
				m, n, ended = s.next(ctx, seen, p.idle)
			}
			if m == nil {
				if ended && refused(s.words) && !strings.HasPrefix(s.words, cutOffText) {
					return
				}
				if !ended && ctx.Err() == nil {
					p.counts.idle.Add(1)
				}
				known = false
				break
			}
			seen = n
			quiet = time.Now()
			if m.Turn == "" {
				s.session.Close()
				return
			}
			name := m.First
			if m.Turn == "second" {
				name = m.Second
			}
			if name != p.name || m.First == "" || m.Second == "" || len(m.Moves) <= made {
				continue
			}
			if !pause(ctx, p.pace()) {
				return
			}
			var outcome history.Outcome
			if len(m.Moves) >= most {
				_, outcome = p.act(ctx, "resign "+code+" --json", history.Act{Kind: history.Resign, Match: m.ID})
			} else {
				var also sync.WaitGroup
				done := -1
				// A computer player answers at once. Then both moves are made, the second one later in the match and maybe read differently.
				people := m.FirstKind == m.SecondKind
				if p.twin != nil && people && p.random.IntN(4) == 0 {
					also.Go(func() { done, _ = p.twin.move(ctx, m) })
				}
				var now int
				now, outcome = p.move(ctx, m)
				also.Wait()
				made = max(made, now, done)
			}
			known = outcome != history.Unknown && p.conn != nil // else look again
		}
		if ctx.Err() == nil {
			p.disconnect()
			pause(ctx, time.Duration(p.random.Int64N(int64(100*time.Millisecond))))
		}
	}
}

// move plays a random move and returns its ply, or -1 if it was not acknowledged.
func (p *player) move(ctx context.Context, m *shown) (made int, outcome history.Outcome) {
	move := m.Legal[p.random.IntN(len(m.Legal))]
	after, outcome := p.act(ctx, fmt.Sprintf("move %s %s --json", m.Code, move), history.Act{Kind: history.Move, Match: m.ID, Ply: len(m.Moves), Move: move})
	if after == nil {
		return -1, outcome
	}
	return placeOf(after.Moves, move, len(m.Moves)), outcome
}

// current asks for a match whose stream has been silent, and reports whether the stream's last view is up to date.
func (p *player) current(ctx context.Context, code string, s *stream) bool {
	a, sent := p.run(ctx, "show "+code+" --json")
	m := new(shown)
	if !sent || a.outcome != history.Done || json.Unmarshal(a.out, m) != nil {
		return false
	}
	p.recordView(m, p.node, p.history.Stream(), a.asked, a.at)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest != nil && len(s.latest.Moves) < len(m.Moves) {
		p.counts.behind.Add(1)
		return false
	}
	return true
}

// An invitation passes the code of a match from its host to the opponent, outside the club.
type invitation struct {
	code string
	most int
}

// host opens matches and plays them, against the players who receive the invitations, or against a computer player if invite is nil.
func (p *player) host(ctx context.Context, settings func(r *rand.Rand) string, invite chan<- invitation, running *codes) {
	for ctx.Err() == nil {
		m, outcome := p.act(ctx, "new "+settings(p.random)+" --json", history.Act{Kind: history.Open})
		if outcome != history.Done {
			pause(ctx, 200*time.Millisecond)
			continue
		}
		i := invitation{m.Code, 16 + p.random.IntN(60)}
		if invite != nil {
			select {
			case invite <- i:
			case <-ctx.Done():
				return
			}
		}
		running.add(m.Code)
		p.play(ctx, i.code, i.most)
		running.remove(m.Code)
	}
}

// guest joins matches and plays them.
func (p *player) guest(ctx context.Context, invitations <-chan invitation) {
	for {
		var i invitation
		select {
		case i = <-invitations:
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil {
			// The id comes from the answer, or later from the stream.
			a, sent := p.run(ctx, "join "+i.code+" --json")
			m := new(shown)
			if sent && a.outcome == history.Done && json.Unmarshal(a.out, m) == nil {
				p.recordView(m, p.node, p.history.Stream(), a.asked, a.at)
				p.history.Act(history.Act{Kind: history.Join, Match: m.ID, Invoked: a.asked, Answered: a.at, Outcome: a.outcome})
				break
			}
			if sent && a.outcome == history.Refused && !strings.HasPrefix(a.words, cutOffText) { // the seat is taken, perhaps by this player
				break
			}
			p.disconnect()
			pause(ctx, 100*time.Millisecond)
		}
		p.play(ctx, i.code, i.most)
	}
}

// spectate follows matches of others.
func (p *player) spectate(ctx context.Context, running *codes) {
	for ctx.Err() == nil {
		code := running.any(p.random)
		if code == "" {
			pause(ctx, 50*time.Millisecond)
			continue
		}
		s := p.watch(ctx, code)
		if s == nil {
			continue
		}
		for seen := 0; ; {
			m, n, _ := s.next(ctx, seen, 30*time.Second)
			if seen = n; m == nil || m.Turn == "" {
				break
			}
		}
		s.session.Close()
	}
}

// codes are the codes of running matches.
type codes struct {
	mu  sync.Mutex // guards what follows
	all []string
}

func (c *codes) add(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, code)
}

func (c *codes) remove(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(s string) bool { return s == code })
}

func (c *codes) any(r *rand.Rand) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) == 0 {
		return ""
	}
	return c.all[r.IntN(len(c.all))]
}
