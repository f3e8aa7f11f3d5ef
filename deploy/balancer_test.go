package deploy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A fakeNode is a node of a club: it answers the checks of a balancer, and sends its name to each client.
type fakeNode struct {
	name        string
	ready, live atomic.Bool
}

// serve serves on the two ports of a loopback address until the test ends.
func (n *fakeNode) serve(t *testing.T, ip, port, checks string) {
	t.Helper()
	web, err := net.Listen("tcp", net.JoinHostPort(ip, checks))
	if err != nil {
		t.Fatal(err)
	}
	people, err := net.Listen("tcp", net.JoinHostPort(ip, port))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for path, up := range map[string]*atomic.Bool{"/ready": &n.ready, "/live": &n.live} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			if !up.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
	}
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(web) }()
	go func() {
		for {
			c, err := people.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintln(c, n.name)
				_, _ = io.Copy(io.Discard, c) // until the other side goes
			}()
		}
	}()
	t.Cleanup(func() { _ = server.Close(); _ = people.Close() })
}

// freePort returns a port that is free on each of some loopback addresses.
func freePort(t *testing.T, ips ...string) string {
	t.Helper()
next:
	for range 100 {
		l, err := net.Listen("tcp", ips[0]+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		for _, ip := range ips[1:] {
			other, err := net.Listen("tcp", net.JoinHostPort(ip, port))
			if err != nil {
				continue next
			}
			other.Close()
		}
		return port
	}
	t.Fatal("no free port")
	return ""
}

// TestBalancer runs haproxy with the example; only its addresses and ports are replaced, and checks come more often. New clients reach ready
// nodes, or live nodes if none is ready. Clients stay at their node when it is no longer ready.
func TestBalancer(t *testing.T) {
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no haproxy here")
	}
	names := []string{"one", "two", "three"}
	ips := []string{"127.0.0.11", "127.0.0.12", "127.0.0.13"}
	port, checks, at := freePort(t, ips...), freePort(t, ips...), net.JoinHostPort("127.0.0.1", freePort(t, "127.0.0.1"))
	var all []*fakeNode
	for i, name := range names {
		n := &fakeNode{name: name}
		n.ready.Store(true)
		n.live.Store(true)
		n.serve(t, ips[i], port, checks)
		all = append(all, n)
	}
	config := deployed(t)["haproxy.cfg"]
	for _, change := range [][2]string{
		{"192.0.2.", "127.0.0."}, {"bind :22\n", "bind " + at + "\n"}, {":2222 ", ":" + port + " "}, {"check port 9222 inter 2s", "check port " + checks + " inter 50ms"},
	} {
		if !strings.Contains(config, change[0]) {
			t.Fatalf("the example has no %q", change[0])
		}
		config = strings.ReplaceAll(config, change[0], change[1])
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, haproxy, "-db", "-f", path)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	logged := make(chan string, 1)
	go func() { text, _ := io.ReadAll(out); logged <- string(text) }()
	t.Cleanup(func() {
		cancel()
		text := <-logged
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(text)
		}
	})
	var kept net.Conn // to a node that isn't ready any more later
	// connect returns the name of the node that a new client reaches now, "" if there is none.
	connect := func() (string, net.Conn) {
		c, err := net.Dial("tcp", at)
		if err != nil {
			return "", nil
		}
		name, _ := bufio.NewReader(c).ReadString('\n')
		return strings.TrimSpace(name), c
	}
	// until waits until people have come to exactly these nodes, a dozen in a row.
	until := func(when string, want ...string) {
		t.Helper()
		var got map[string]bool
		for ctx.Err() == nil {
			got = map[string]bool{}
			var open []net.Conn // all at a time, so that the fewest connections count
			for range 12 {
				name, c := connect()
				if got[name] = true; c != nil {
					open = append(open, c)
				}
			}
			for _, c := range open {
				_ = c.Close()
			}
			right := len(got) == len(want)
			for _, name := range want {
				right = right && got[name]
			}
			if right {
				return
			}
		}
		t.Fatalf("%s: people come to %v, want %v", when, got, want)
	}
	until("at first", names...)
	for name := ""; name != "two" && ctx.Err() == nil; {
		name, kept = connect()
	}
	defer kept.Close()
	all[1].ready.Store(false)
	until("a node is cut off", "one", "three")
	all[0].ready.Store(false)
	all[2].ready.Store(false)
	until("all are cut off", names...)
	all[0].live.Store(false)
	until("all are cut off and one has stopped", "two", "three")
	all[2].ready.Store(true)
	until("one is ready again", "three")
	_ = kept.SetReadDeadline(time.Now())
	if _, err := kept.Read(make([]byte, 1)); !os.IsTimeout(err) {
		t.Errorf("a player at a node that was cut off: %v", err)
	}
}
