package wording

import (
	"math"

	"ludoteca/lobby/learning"
)

// PracticeChange says what a match against a computer player has made of a practice rating. arrow stands between the ratings; "": a word does.
func (s Words) PracticeChange(p learning.PracticePoint, arrow string) string {
	before, after := int(math.Round(p.Before)), int(math.Round(p.After))
	switch {
	case p.First:
		return s.T("practice %d", after)
	case arrow == "":
		return s.T("practice %d to %d", before, after)
	}
	return s.T("practice %d %s %d", before, arrow, after)
}
