package etcdtest

import (
	"context"
	"flag"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

var costs = flag.Bool("costs", false, "measure what moves and matches cost etcd")

// TestCosts measures costs for deploy/CAPACITY.md: moves a second, and the bytes of a move and of a finished match.
func TestCosts(t *testing.T) {
	if !*costs {
		t.Skip("a measurement; run it with -costs")
	}
	const writers, moves = 200, 60
	o := shared.options()
	engine := openAt(t, o)
	club, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer club.Close()
	client, err := clientv3.New(clientv3.Config{Endpoints: o.Endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	compact := func() (inUse int64) {
		t.Helper()
		now, err := client.Get(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Compact(t.Context(), now.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
			t.Fatal(err)
		}
		return used(t, client, o.Endpoints[0])
	}
	load := storagetest.NewLoad(t, club, writers)
	before := compact()
	began := time.Now()
	took := load.Play(t, 0, writers, moves)
	spent := time.Since(began)
	running := used(t, client, o.Endpoints[0])
	t.Logf("%d moves in %s: %.0f a second; p50 %s, p99 %s", len(took), spent, float64(len(took))/spent.Seconds(), took[len(took)/2], took[len(took)*99/100])
	t.Logf("%.0f bytes a move until the next compaction", float64(running-before)/float64(len(took)))
	load.Finish(t, writers, moves)
	after := compact()
	t.Logf("%.0f bytes a finished match after compaction", float64(after-before)/writers)
}

// used returns how many bytes of a member's file are in use.
func used(t *testing.T, client *clientv3.Client, endpoint string) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	status, err := client.Status(ctx, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return status.DbSizeInUse
}
