package etcdtest

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/kv/faulttest"
)

// asMember is the environment variable with a memberConfig that turns this test binary into a member of a cluster.
const asMember = "LUDOTECA_TEST_AS_MEMBER"

// A memberConfig configures a member in a process of its own; it is passed on as JSON.
type memberConfig struct {
	Name, Dir, Peer, Client, Cluster string
}

// runMember runs a member until standard input ends.
func runMember(config string) error {
	var p memberConfig
	if err := json.Unmarshal([]byte(config), &p); err != nil {
		return err
	}
	peer, err := url.Parse(p.Peer)
	if err != nil {
		return err
	}
	client, err := url.Parse(p.Client)
	if err != nil {
		return err
	}
	o := embed.NewConfig()
	o.Name, o.Dir, o.InitialCluster = p.Name, p.Dir, p.Cluster
	o.ListenPeerUrls, o.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	o.ListenClientUrls, o.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	o.TickMs, o.ElectionMs = 50, 500
	o.UnsafeNoFsync = true
	o.MaxTxnOps = etcd.MaxOps
	o.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	m, err := embed.StartEtcd(o)
	if err != nil {
		return err
	}
	defer m.Close()
	<-m.Server.ReadyNotify()
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// processes is a cluster of three members, each in a process of its own.
type processes struct {
	configs   [3]string // each a memberConfig, JSON
	members   [3]*exec.Cmd
	endpoints []string
}

// startProcesses starts a cluster that ends with the test.
func startProcesses(t *testing.T) *processes {
	t.Helper()
	at, err := freeAddresses(6)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 3 {
		all = append(all, fmt.Sprint("m", i, "=", at[2*i].String()))
	}
	p := &processes{}
	var ready []<-chan error
	for i := range p.configs {
		config, err := json.Marshal(memberConfig{fmt.Sprint("m", i), t.TempDir(), at[2*i].String(), at[2*i+1].String(), strings.Join(all, ",")})
		if err != nil {
			t.Fatal(err)
		}
		p.configs[i], p.endpoints = string(config), append(p.endpoints, at[2*i+1].Host)
		ready = append(ready, p.start(t, i))
	}
	for _, r := range ready {
		if err := <-r; err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// start starts a member. The channel receives nil when it is ready, or an error.
func (p *processes) start(t *testing.T, i int) <-chan error {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asMember+"="+p.configs[i])
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.members[i] = cmd
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ready := make(chan error, 1)
	go func() {
		if bufio.NewScanner(out).Scan() {
			ready <- nil
		} else {
			ready <- fmt.Errorf("member %d does not start", i)
		}
	}()
	return ready
}

// killLeader kills the leader and returns its index.
func (p *processes) killLeader(t *testing.T) int {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: p.endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for {
		for i, endpoint := range p.endpoints {
			s, err := c.Status(t.Context(), endpoint)
			if err != nil || s.Leader != s.Header.MemberId {
				continue
			}
			_ = p.members[i].Process.Kill()
			_ = p.members[i].Wait()
			return i
		}
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHungMember suspends each member in turn, so that it accepts requests and answers none, while transactions run and a watch waits. The
// first request to it costs TryTimeout; later ones go to another member, and so does the watch.
func TestHungMember(t *testing.T) {
	p := startProcesses(t)
	const try = 500 * time.Millisecond
	o := etcd.Options{Endpoints: p.endpoints, Namespace: "/hung/", TryTimeout: try, PingEvery: 100 * time.Millisecond}
	s := openAt(t, o)
	defer s.Close()
	seen := make(chan uint64, 1<<16)
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan error, 1)
	go func() {
		for c, err := range s.Watch(ctx, faulttest.Key("n"), faulttest.Revision(t, s)) {
			if err != nil {
				watched <- err
				return
			}
			seen <- binary.BigEndian.Uint64(c.Value)
		}
	}()
	written := uint64(0)
	write := func() (took time.Duration) {
		t.Helper()
		began := time.Now()
		was, err := faulttest.Add(t.Context(), s, faulttest.Key("n"))
		if err != nil {
			t.Fatal(err)
		}
		written = was + 1
		return time.Since(began)
	}
	write()
	for i, m := range p.members {
		if err := m.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		slow, first := 0, time.Duration(0)
		for n, began := 0, time.Now(); n < 200 && time.Since(began) < time.Minute; n++ {
			switch took := write(); {
			case n == 0:
				first = took
			case took >= try:
				slow++
			}
		}
		// If the member was the leader, the others elect a new one in 1 to 2 s, and requests may fail until then.
		if slow > 3 {
			t.Errorf("member %d hangs: %d of 200 transactions took %v or more", i, slow, try)
		}
		late := time.NewTimer(time.Minute)
		for at := uint64(0); at < written; {
			select {
			case at = <-seen:
			case err := <-watched:
				t.Fatal(err)
			case <-late.C:
				t.Fatalf("member %d hangs: the watch is at %d, and %d were written", i, at, written)
			}
		}
		late.Stop()
		t.Logf("member %d hangs: the first transaction took %v, %d others %v or more", i, first, slow, try)
		if err := m.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		for since := time.Now(); ; faulttest.Wait(time.Millisecond) {
			if h := s.Health(); h.At.After(since) && h.Reachable == 3 {
				break
			}
			if time.Since(since) > time.Minute {
				t.Fatalf("member %d does not come back: %+v", i, s.Health())
			}
		}
	}
	cancel()
	if err := <-watched; err == nil {
		t.Error("the watch ended without a reason")
	}
}
