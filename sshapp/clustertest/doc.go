// Package clustertest plays on the real program from many clients while processes are killed and connections cut, and then compares
// what every client was told with what the store holds. It is a module of its own, so that the club's module doesn't need the server
// of etcd.
//
//	cd sshapp/clustertest
//	go test ./...                                                         a short round each of one node, and of three over etcd
//	go test -run 'OneNode$' -v -timeout 1h . -rounds 10 -sessions 300 -matches 150
//	go test -run 'Cluster$' -v -timeout 1h . -rounds 10 -sessions 300 -matches 150    nodes, leaders, and nodes cut off for 30 s
//	go test -run Figures -v -timeout 1h . -figures
//
// Nodes are the program itself and members of etcd are this test binary, each in a process of its own on loopback; nodes reach etcd
// through proxies that can be cut. -binary names another program to test.
//
// The package history says what is compared; a run that breaks a rule leaves the histories of all clients in a folder and says where.
package clustertest
