// Package etcdtest runs the engine kv/etcd against real clusters of etcd on loopback.
package etcdtest
