package wording

import (
	"math"

	"ludoteca/lobby/learning"
)

// PracticeChange says what a match against a computer player has made of a practice rating. arrow stands between the ratings where room is short; "":
// a sentence says it, which text.Sentence ends.
func (s Words) PracticeChange(p learning.PracticePoint, arrow string) string {
	before, after := int(math.Round(p.Before)), int(math.Round(p.After))
	switch {
	case p.First && arrow == "":
		return s.T("your practice rating is %d", after)
	case p.First:
		return s.T("practice %d", after)
	case arrow == "":
		return s.T("your practice rating goes from %d to %d", before, after)
	}
	return s.T("practice %d %s %d", before, arrow, after)
}
