// Package loadtest puts load on a whole server through real SSH clients: rude ones, many at a time, and for long.
//
//	go test ./sshapp/loadtest                                    rude clients, churn and a short soak
//	LUDOTECA_CHURN=5000 go test ./sshapp/loadtest -run Churn -v   that many connections
//	LUDOTECA_SOAK=10m go test ./sshapp/loadtest -run Soak -v -timeout 20m
//	LUDOTECA_SPECTATORS=200x10m go test ./sshapp/loadtest -run Spectators -v -timeout 30m
//	                                                             200 matches with five spectators each, one of whom never reads
//	LUDOTECA_CLOCKS=500 go test ./sshapp/loadtest -run RunningClocks -v
//	                                                             500 sessions that look at running clocks
//	LUDOTECA_LOBBY=4500 go test ./sshapp/loadtest -run LobbyKeys -v
//	                                                             4500 guests, each of whom presses a key a second in the lobby
//
// The last three print figures and check their limits: nothing else may run on the machine.
//
// With LUDOTECA_LOADTEST_BINARY=/path/ludoteca, the tests that start the program (Spectators, RunningClocks and LobbyKeys) start another
// version of it, for comparison. LUDOTECA_LOADTEST_BINARY=bare has LobbyKeys measure a bare SSH server: its key latency is the share of
// the machine and the clients.
//
// LUDOTECA_PROFILE=/tmp/p has the servers leave profiles of processor and heap at /tmp/p.FRONT.*.
//
// Each server is a process of its own, the test binary started anew or the program itself, so that figures of a process are figures of the
// server alone. The module ludoteca/sshapp/compare uses this package to compare the club's costs with other ways to serve it.
package loadtest
