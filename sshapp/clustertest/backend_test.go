package clustertest

import (
	"context"
	"time"

	"ludoteca/storage/kv"
)

// A backend is the store of a club, on servers that its nodes reach through proxies. It has faults of its own.
type backend interface {
	servers() []endpoint                        // of which each node has a proxy
	address(at []string) string                 // the value of --store for a node that reaches the servers at these addresses
	open(ctx context.Context) (kv.Store, error) // opens the store past the proxies
	cpu() time.Duration                         // the processor time that the servers have used since they were started
	logs() map[string]string                    // what the servers have logged, by name; a new map
}

// An endpoint is where a server listens.
type endpoint struct{ network, address string }
