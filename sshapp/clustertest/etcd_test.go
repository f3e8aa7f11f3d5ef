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

// A storeCluster is a cluster of etcd, each member in a process of its own.
type storeCluster struct {
	members   []*process
	addresses []string // for clients
	client    *clientv3.Client
}

// startStore starts a cluster of n members, which ends with the test.
func startStore(t testing.TB, n int) *storeCluster {
	t.Helper()
	c := &storeCluster{}
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

// leader returns the index of the leader.
func (c *storeCluster) leader(ctx context.Context) (int, error) {
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
