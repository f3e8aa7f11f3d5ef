// Package board holds what the engines share: squares with a column letter and a row number, the text of a position, the history
// of a game for its repetition rule, and a hash function.
package board

import "strconv"

// Name returns the text of the square in column col and row row, both counted from 0: Name(3, 9) is "d10".
// Columns go from a to z.
func Name(col, row int) string { return string(rune('a'+col)) + strconv.Itoa(row+1) }

// Square reads the text of a square on a board of cols columns and rows rows, in canonical form only: lower case, no
// leading zero, nothing before or after.
func Square(s string, cols, rows int) (col, row int, ok bool) {
	if len(s) < 2 || len(s) > 3 {
		return 0, 0, false
	}
	col = int(s[0]) - 'a'
	for i, c := range []byte(s[1:]) {
		if c < '0' || c > '9' || i == 0 && c == '0' {
			return 0, 0, false
		}
		row = row*10 + int(c-'0')
	}
	return col, row - 1, col >= 0 && col < cols && row <= rows
}
