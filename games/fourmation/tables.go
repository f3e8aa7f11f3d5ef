package fourmation

// neighbours lists, for each pattern of empty cells around a piece, the ways to them as differences of cells, in the
// order of the bits. The nine bits of a pattern are the cells of a square of three by three, from the bottom left, row by
// row; the middle one is the piece and never set.
var neighbours = func() (table [512][8]int8) {
	for pattern := range table {
		n := 0
		for i := range 9 {
			if i != 4 && pattern>>i&1 == 1 {
				table[pattern][n] = int8(at(i%3-1, i/3-1))
				n++
			}
		}
	}
	return table
}()

// runLengths says for each word which lengths of runs it has: bit n-1 is set if n set bits lie side by side in it.
var runLengths = func() (table [1 << maxSide]uint16) {
	for word := 1; word < len(table); word++ {
		// A word with a run of n has one of n-1 when it is laid over itself one step on; that word is a smaller one.
		table[word] = table[word&(word>>1)]<<1 | 1
	}
	return table
}()
