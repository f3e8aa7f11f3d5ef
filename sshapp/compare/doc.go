// Package compare compares the club with the same screens behind Wish's own bubbletea middleware, and with a server that hardly
// does anything: their costs, and the harm that rude clients do to them. It is a module of its own, so that the club's module doesn't
// have the dependencies of the comparison.
//
//	cd sshapp/compare
//	go test .                                              checks that everything can be measured
//	LUDOTECA_COMPARE=3 go test -run Compare -v -timeout 1h .  prints the figures as a table, and checks their limits
//	LUDOTECA_COMPARE=3 go test -run CompareLounge -v -timeout 1h .  only what a session with the lounge open costs
//	LUDOTECA_STOCK=1 go test -run Rude .                   every fault harms the stock middleware
package compare
