// Package clustertest tests that a club keeps everything it acknowledged. Many clients play on the real program while processes are
// killed and connections cut; then everything that a client was shown is compared with the store. It is a module of its own, so that the
// club's module doesn't need the server of etcd. Its tests on PostgreSQL need the programs of its server, and are skipped where there are none;
// with CI=true they fail.
//
//	cd sshapp/clustertest
//	go test ./...                                                         a short round each of one node, and of three over etcd and PostgreSQL; an arena and a Swiss
//	go test -run 'OneNode$' -v -timeout 1h . -rounds 10 -sessions 300 -matches 150
//	go test -run 'Cluster$' -v -timeout 1h . -rounds 10 -sessions 300 -matches 150    nodes, leaders, and nodes cut off for 30 s
//	go test -run 'Postgres$' -v -timeout 1h . -rounds 10 -sessions 300 -matches 150   both servers of PostgreSQL, promotions, and nodes
//	go test -run 'Arena|Swiss' -v -timeout 1h . -rounds 5                 events, whose node is killed again and again
//	go test -run Figures -v -timeout 1h . -figures
//
// Each node and each member of etcd is a process of its own on loopback: a node is the program, a member is this test binary. PostgreSQL is a primary
// and a standby that has what is acknowledged. Nodes reach the store through proxies that can block traffic. -binary names another program to test,
// -seed repeats the faults of a run.
//
// Package history lists the rules. A run that violates one leaves the histories of all clients in a folder, which it logs.
package clustertest
