//go:build linux

// Package stocktest holds the club beside the same screens behind the stock middleware, charm.land/wish/v2/bubbletea: what
// both cost, and what rude clients do to both. It has tests only.
//
//	go test ./sshapp/stocktest                                    faults, churn and a short soak, of ours alone
//	LUDOTECA_STOCK=1 go test ./sshapp/stocktest -run Rude         every fault does harm to the stock middleware
//	LUDOTECA_COMPARE=1 go test ./sshapp/stocktest -run Compare -v  what both cost, as a table
//	LUDOTECA_CHURN=5000 go test ./sshapp/stocktest -run Churn -v   that many connections
//	LUDOTECA_SOAK=10m go test ./sshapp/stocktest -run Soak -v -timeout 20m
//
// LUDOTECA_PROFILE=/tmp/p has the servers leave profiles of processor and heap at /tmp/p.FRONT.*.
//
// Each server is a process of its own, this test binary started anew, so that what is read of a process is the server's alone.
package stocktest

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	if front := os.Getenv(asServer); front != "" {
		if err := serveFront(front); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(asProbes) != "" {
		debug.SetGCPercent(400)
		if err := serveProbes(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	debug.SetGCPercent(400) // the clients' collections are not to hold up the server, with which they share the processors
	os.Exit(m.Run())
}
