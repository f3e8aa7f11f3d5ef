package wording

import "ludoteca/lobby/standings"

// Badge describes a badge: 1st in Petteia, 2026Q3.
func (s Words) Badge(game string, b standings.Badge) string {
	// Translators: a badge of a player: the rank in a game and a season, such as: number 1 in Petteia in 2026Q3.
	return s.T("number %[1]d in %[2]s in %[3]s", b.Rank, s.Spell(game), string(b.Season))
}
