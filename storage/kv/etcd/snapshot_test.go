package etcd

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
)

// A gate is an etcd that answers reads of many keys only when as many have come as a store sends beside each other, or the last ones.
type gate struct {
	etcdserverpb.UnimplementedKVServer
	requests int

	mu      sync.Mutex
	begun   int
	running int
	most    int           // at a time
	open    chan struct{} // closed when those that wait are answered
}

func (g *gate) Txn(ctx context.Context, r *etcdserverpb.TxnRequest) (*etcdserverpb.TxnResponse, error) {
	g.mu.Lock()
	g.begun++
	g.running++
	g.most = max(g.most, g.running)
	open := g.open
	if g.running == maxTogether || g.begun == g.requests {
		close(g.open)
		g.open = make(chan struct{})
	}
	g.mu.Unlock()
	select {
	case <-open:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	g.mu.Lock()
	g.running--
	g.mu.Unlock()
	answer := &etcdserverpb.TxnResponse{Header: &etcdserverpb.ResponseHeader{}}
	for _, op := range r.Success {
		key := op.GetRequestRange().Key
		answer.Responses = append(answer.Responses, &etcdserverpb.ResponseOp{Response: &etcdserverpb.ResponseOp_ResponseRange{
			ResponseRange: &etcdserverpb.RangeResponse{Kvs: []*mvccpb.KeyValue{{Key: key, Value: append([]byte{inline}, key...)}}},
		}})
	}
	return answer, nil
}

// TestRequestsBesideEachOther reads more keys than a few requests ask for: the requests go out beside each other, never more than
// maxTogether, and the values come in the order of the keys.
func TestRequestsBesideEachOther(t *testing.T) {
	const requests = 2 * maxTogether
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g, server := &gate{requests: requests, open: make(chan struct{})}, grpc.NewServer()
	etcdserverpb.RegisterKVServer(server, g)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	defer serving.Wait()
	defer server.Stop()
	s := &Store{options: Options{Namespace: "/a/", TryTimeout: 10 * time.Second, RequestTimeout: 10 * time.Second}}
	c, err := s.options.connect(l.Addr().String(), nil, s.options.TryTimeout)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m := &member{}
	m.client.Store(c)
	s.members = []*member{m}
	var keys [][]byte
	for i := range requests * maxGets {
		keys = append(keys, fmt.Appendf(nil, "s\x00%06d", i))
	}
	values, err := (&snapshot{store: s, ctx: t.Context(), revision: 1}).GetAll(keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if want := s.dataKey(keys[i]); string(v) != want {
			t.Fatalf("value %d is %q, want %q", i, v, want)
		}
	}
	if g.begun != requests || g.most != maxTogether {
		t.Errorf("%d requests, %d at a time; want %d and %d", g.begun, g.most, requests, maxTogether)
	}
}
