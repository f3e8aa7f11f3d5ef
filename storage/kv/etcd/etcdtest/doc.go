// Package etcdtest tests the engine kv/etcd, and the program with it, against real clusters of etcd on loopback. It is a module of its own
// because it needs the server of etcd.
package etcdtest
