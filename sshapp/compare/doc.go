// Package compare holds the club beside the same screens behind Wish's own bubbletea middleware, and beside a server that hardly
// does anything: what they cost, and what rude clients do to them. It is a module of its own, so that the club's module doesn't
// need what only the comparison does.
//
//	cd sshapp/compare
//	go test .                                              sees that all can be measured
//	LUDOTECA_COMPARE=3 go test -run Compare -v -timeout 1h .  the figures, as a table, and whether they keep their limits
//	LUDOTECA_STOCK=1 go test -run Rude .                   every fault harms the stock middleware
package compare
