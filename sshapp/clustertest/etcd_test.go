package clustertest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"ludoteca/sshapp/clustertest/history"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
)

// Environment variables that turn this test binary into a member of etcd.
const (
	asMember      = "LUDOTECA_CLUSTERTEST_MEMBER"  // its name
	memberFolder  = "LUDOTECA_CLUSTERTEST_DATA"    // where its data lies
	memberClients = "LUDOTECA_CLUSTERTEST_CLIENTS" // its URL for clients
	memberPeers   = "LUDOTECA_CLUSTERTEST_PEERS"   // its URL for other members
	memberCluster = "LUDOTECA_CLUSTERTEST_CLUSTER" // all members: NAME=PEERS,...
)

// serveMember runs a member of a cluster until the process is killed. It syncs its writes, as etcd does.
func serveMember() error {
	c := embed.NewConfig()
	c.Name, c.Dir, c.InitialCluster = os.Getenv(asMember), os.Getenv(memberFolder), os.Getenv(memberCluster)
	clients, err := url.Parse(os.Getenv(memberClients))
	if err != nil {
		return err
	}
	peers, err := url.Parse(os.Getenv(memberPeers))
	if err != nil {
		return err
	}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{*clients}, []url.URL{*clients}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{*peers}, []url.URL{*peers}
	c.MaxTxnOps = etcd.MaxOps
	c.QuotaBackendBytes = 4 << 30
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	m, err := embed.StartEtcd(c)
	if err != nil {
		return err
	}
	select {
	case <-m.Server.ReadyNotify():
		fmt.Println("ready")
		return <-m.Err()
	case err := <-m.Err():
		return err
	}
}

// An etcdCluster is a cluster of etcd, each member in a process of its own.
type etcdCluster struct {
	members   []*process
	addresses []string // for clients
	client    *clientv3.Client
}

var _ backend = (*etcdCluster)(nil)

// startEtcd starts a cluster of n members, which ends with the test.
func startEtcd(t testing.TB, n int) *etcdCluster {
	t.Helper()
	c := &etcdCluster{}
	var peers, cluster []string
	for i := range n {
		c.addresses = append(c.addresses, freeAddress(t))
		peers = append(peers, freeAddress(t))
		cluster = append(cluster, fmt.Sprintf("m%d=http://%s", i, peers[i]))
	}
	started := make(chan error, n)
	for i := range n {
		p := &process{t: t, name: fmt.Sprint("etcd m", i), path: os.Args[0], ready: "ready", env: []string{
			asMember + "=" + fmt.Sprint("m", i), memberFolder + "=" + t.TempDir(), memberClients + "=http://" + c.addresses[i],
			memberPeers + "=http://" + peers[i], memberCluster + "=" + strings.Join(cluster, ","),
		}}
		c.members = append(c.members, p)
		t.Cleanup(p.kill)
		go func() { started <- p.start() }() // a member is ready only once most of them run
	}
	var all error
	for range n {
		all = errors.Join(all, <-started)
	}
	if all != nil {
		t.Fatal(all)
	}
	var err error
	if c.client, err = clientv3.New(clientv3.Config{Endpoints: c.addresses, DialTimeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.client.Close() })
	return c
}

func (c *etcdCluster) servers() (all []endpoint) {
	for _, addr := range c.addresses {
		all = append(all, endpoint{"tcp", addr})
	}
	return all
}

func (c *etcdCluster) address(at []string) string { return "etcd://" + strings.Join(at, ",") }

func (c *etcdCluster) open(ctx context.Context) (kv.Store, error) {
	return etcd.Open(ctx, etcd.Options{Endpoints: c.addresses, Namespace: "/ludoteca/club/"})
}

func (c *etcdCluster) cpu() (used time.Duration) {
	for _, m := range c.members {
		used += m.cpu()
	}
	return used
}

func (c *etcdCluster) logs() map[string]string { return make(map[string]string) }

// killLeader kills the leader and starts it again.
func (c *etcdCluster) killLeader(ctx context.Context, club *club, round time.Duration) history.Fault {
	i, err := c.leader(ctx)
	if err != nil {
		club.t.Fatal(err)
	}
	m := c.members[i]
	f := history.Fault{What: "kill -9 of the leader, " + m.name, Start: time.Now()}
	m.kill()
	pause(ctx, round/5+club.upTo(round/5))
	if err := m.start(); err != nil {
		club.t.Fatal(err)
	}
	f.From = f.Start
	return f
}

// leader returns the index of the leader.
func (c *etcdCluster) leader(ctx context.Context) (int, error) {
	err := errors.New("no member runs")
	for i, addr := range c.addresses {
		if !c.members[i].running() {
			continue
		}
		one, cancel := context.WithTimeout(ctx, 2*time.Second)
		var s *clientv3.StatusResponse
		s, err = c.client.Status(one, addr)
		cancel()
		if err == nil && s.Leader == s.Header.MemberId {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no leader: %w", err)
}
