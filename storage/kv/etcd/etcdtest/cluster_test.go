package etcdtest

import (
	"context"
	"fmt"
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

	"ludoteca/storage/kv/etcd"
)

// A cluster is three members in this process.
type cluster struct {
	configs [3]*embed.Config
	members [3]*embed.Etcd
}

// shared is the cluster of all tests that do it no harm.
var shared *cluster

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "etcd")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if shared, err = startCluster(dir, etcd.MaxOps); err != nil {
			fmt.Println(err)
			return 1
		}
		code := m.Run()
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

// freeAddress returns an address on loopback that nobody uses.
func freeAddress() (url.URL, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	return url.URL{Scheme: "http", Host: l.Addr().String()}, l.Close()
}

func startCluster(dir string, maxOps uint) (*cluster, error) {
	c := &cluster{}
	var all []string
	for i := range c.configs {
		peer, err := freeAddress()
		if err != nil {
			return nil, err
		}
		client, err := freeAddress()
		if err != nil {
			return nil, err
		}
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

// killLeader stops the leader without a word to the others, and returns which it was.
func (c *cluster) killLeader() int {
	for i, m := range c.members {
		if m != nil && m.Server.Leader() == m.Server.MemberID() {
			c.members[i] = nil
			m.Server.HardStop()
			m.Close()
			return i
		}
	}
	return -1
}

// restart starts a member that was killed.
func (c *cluster) restart(i int) (err error) {
	c.configs[i].ClusterState = embed.ClusterStateFlagExisting
	c.members[i], err = embed.StartEtcd(c.configs[i])
	return err
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
