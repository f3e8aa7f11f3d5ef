// Package spelling finds the known words that a misspelt one may have been meant for.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// maxNearest is how many words Nearest returns at most.
const maxNearest = 3

// Nearest returns the known words that a misspelt word may have been meant for: the ones with fewest other letters, or that it is the
// beginning of.
func Nearest(word string, known []string) []string {
	const longest = 40
	if len(word) > longest {
		return nil
	}
	word = strings.ToLower(word)
	letters := strings.TrimLeft(word, "-")
	type candidate struct {
		word string
		far  int
	}
	var near []candidate
	for _, k := range known {
		far := Distance(letters, strings.TrimLeft(k, "-"))
		if len(letters) >= 2 && strings.HasPrefix(strings.TrimLeft(k, "-"), letters) {
			far = min(far, 1)
		}
		if far <= max(1, min(3, len(letters)/3)) {
			near = append(near, candidate{k, far})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var words []string
	for _, n := range near[:min(len(near), maxNearest)] {
		if n.far == near[0].far {
			words = append(words, n.word)
		}
	}
	return words
}

// Distance is the number of letters that are inserted, deleted, replaced or swapped with the next one between two words (the optimal string
// alignment distance).
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
