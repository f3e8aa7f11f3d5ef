package board

import "strings"

// A Symmetry is a set of ways to put a board on itself.
type Symmetry uint8

// The ways. Transposed comes after the others.
const (
	Mirrored   Symmetry = 1 << iota // left and right change places
	Flipped                         // top and bottom change places
	Transposed                      // rows become columns
)

// Image returns the rows of a board after all ways in s. The rows are of the same length.
func Image(rows []string, s Symmetry) []string {
	cells := make([][]byte, len(rows))
	for i, row := range rows {
		to := i
		if s&Flipped != 0 {
			to = len(rows) - 1 - i
		}
		cells[to] = []byte(row)
		if s&Mirrored != 0 {
			for j := range row {
				cells[to][len(row)-1-j] = row[j]
			}
		}
	}
	if s&Transposed != 0 {
		cells = transposed(cells)
	}
	image := make([]string, len(cells))
	for i := range cells {
		image[i] = string(cells[i])
	}
	return image
}

func transposed(cells [][]byte) [][]byte {
	if len(cells) == 0 {
		return cells
	}
	to := make([][]byte, len(cells[0]))
	for col := range to {
		for _, row := range cells {
			to[col] = append(to[col], row[col])
		}
	}
	return to
}

// Smallest returns the first of the images of a board in the order of byte strings, rows joined by "/". ways are the ways that may
// be combined.
func Smallest(rows []string, ways Symmetry) string {
	smallest := strings.Join(rows, "/")
	for s := Symmetry(1); s <= ways; s++ {
		if s&^ways != 0 {
			continue
		}
		if image := strings.Join(Image(rows, s), "/"); image < smallest {
			smallest = image
		}
	}
	return smallest
}
