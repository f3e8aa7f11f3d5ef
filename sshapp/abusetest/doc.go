// Package abusetest plays what a patient stranger can do within the limits of a club: each attack against the program itself, in a
// process of its own, from as many addresses as it takes, which the PROXY protocol claims.
//
//	go test ./sshapp/abusetest                            each attack in passing: what comes of it, without a look at the clock
//	LUDOTECA_ABUSE=1 go test ./sshapp/abusetest -v -count 1 -timeout 60m | grep -e FIGURE -e _test.go
//	                                                      each at full strength: prints its figures, and holds them to their bounds
//	LUDOTECA_ABUSE=1 go test ./sshapp/abusetest -v -count 1 -timeout 60m -run Attacks/thinking
//	                                                      one of them; the names are in the table of attacks
//
// At full strength nothing else may run on the machine. It takes half an hour, 4 GB of disk in TMPDIR and 2 GB of memory.
//
// LUDOTECA_ABUSE_BINARY=/path/ludoteca attacks another version of the program, for comparison: with full strength, and checks that
// fail where that version does not hold.
//
// What somebody gains in ratings with accounts of their own needs days: accounts count for little on their first day, and a rank wants weeks.
// TestFarmingOverDays in lobby plays sixty days of that, with 3 to 40 accounts. The attack on ratings here is its first evening, as far
// as the limits of new accounts and matches let somebody go who comes by SSH.
//
// How long keys take is measured with probes in a process of their own, at the club and at a bare SSH server at the same moments, as
// in sshapp/loadtest, whose clients these are.
package abusetest
