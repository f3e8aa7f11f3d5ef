package etcdtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/storage/kv/etcd"
)

// A cluster is three members in this process.
type cluster struct {
	configs [3]*embed.Config
	members [3]*embed.Etcd
}

// shared is the cluster of all tests that do it no harm.
var shared *cluster

// folder holds the files that all tests share. TestMain makes and removes it.
var folder string

func TestMain(m *testing.M) {
	if as := os.Getenv(asMember); as != "" {
		if err := runMember(as); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(func() int {
		var err error
		if folder, err = os.MkdirTemp("", "etcd"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		if shared, err = startCluster(folder, etcd.MaxOps); err != nil {
			fmt.Println(err)
			return 1
		}
		code := program.Run(m)
		shared.close()
		// etcd's members leave some connections among each other to be closed by the system.
		if err := goleak.Find(
			goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
		); err != nil {
			fmt.Println(err)
			return 1
		}
		return code
	}())
}

// freeAddresses returns n unused addresses on loopback. Their ports are below the ephemeral ones, which a connection could take before a
// member listens there.
func freeAddresses(n int) (all []url.URL, err error) {
	for range 100 {
		l, e := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10000+rand.N(20000)))
		if err = e; err != nil {
			continue
		}
		defer l.Close() // after all are found
		if all = append(all, url.URL{Scheme: "http", Host: l.Addr().String()}); len(all) == n {
			return all, nil
		}
	}
	return nil, err
}

func startCluster(dir string, maxOps uint) (*cluster, error) {
	c := &cluster{}
	addresses, err := freeAddresses(2 * len(c.configs))
	if err != nil {
		return nil, err
	}
	var all []string
	for i := range c.configs {
		peer, client := addresses[2*i], addresses[2*i+1]
		o := embed.NewConfig()
		o.Name, o.Dir = fmt.Sprint("m", i), fmt.Sprintf("%s/%d", dir, i)
		o.ListenPeerUrls, o.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
		o.ListenClientUrls, o.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
		o.TickMs, o.ElectionMs = 50, 500
		o.UnsafeNoFsync = true
		o.MaxTxnOps = maxOps
		o.QuotaBackendBytes = 4 << 30
		o.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		c.configs[i] = o
		all = append(all, o.Name+"="+peer.String())
	}
	for i, o := range c.configs {
		o.InitialCluster = strings.Join(all, ",")
		member, err := embed.StartEtcd(o)
		if err != nil {
			c.close()
			return nil, err
		}
		c.members[i] = member
	}
	for _, member := range c.members {
		select {
		case <-member.Server.ReadyNotify():
		case <-time.After(30 * time.Second):
			c.close()
			return nil, fmt.Errorf("the cluster does not start")
		}
	}
	return c, nil
}

func (c *cluster) close() {
	for _, m := range c.members {
		if m != nil {
			m.Close()
		}
	}
}

// endpoints are the addresses of all members.
func (c *cluster) endpoints() (all []string) {
	for _, o := range c.configs {
		all = append(all, o.ListenClientUrls[0].Host)
	}
	return all
}

var spaces atomic.Int64

// options returns options for a new, empty store.
func (c *cluster) options() etcd.Options {
	return etcd.Options{Endpoints: c.endpoints(), Namespace: fmt.Sprintf("/ludoteca/%06d/", spaces.Add(1))}
}

// openAt opens a store that must open. The test closes it.
func openAt(t testing.TB, o etcd.Options) *etcd.Store {
	t.Helper()
	s, err := etcd.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
