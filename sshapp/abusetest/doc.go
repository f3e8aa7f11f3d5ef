// Package abusetest attacks a club as a patient stranger can within its limits. Each attack is against the program itself, in a
// process of its own, from as many addresses as it takes, which are claimed with the PROXY protocol.
//
//	go test ./sshapp/abusetest                            each attack at small scale: its outcome, not its figures
//	LUDOTECA_ABUSE=1 go test ./sshapp/abusetest -v -count 1 -timeout 60m | grep -e FIGURE -e _test.go
//	                                                      each at full strength: prints its figures and checks their bounds
//	LUDOTECA_ABUSE=1 go test ./sshapp/abusetest -v -count 1 -timeout 60m -run Attacks/thinking
//	                                                      one of them; the names are in the table of attacks
//
// At full strength nothing else may run on the machine. It takes half an hour, 4 GB of disk in TMPDIR and 2 GB of memory.
//
// LUDOTECA_ABUSE_BINARY=/path/ludoteca attacks another version of the program, for comparison: with full strength, and checks that
// fail where that version does not hold.
//
// A player needs days to gain rating with further accounts of their own: accounts count for little on their first day, and a rank takes
// weeks. TestFarmingOverDays in lobby plays sixty days of that, with 3 to 40 accounts. The attack on ratings here is the first evening, within
// the limits on new accounts and matches of clients that come by SSH.
//
// What accounts may do from their first hour, day or week on is attacked with accounts of that age, which are written into the store before the
// program is started. In the attacks announcing, entering, telling, asking and flooding two friends play a timed match meanwhile, and use what is
// attacked.
//
// Key latency is measured with the probes of sshapp/loadtest, in a process of their own, at the club and at a bare SSH server at the same
// moments.
package abusetest
