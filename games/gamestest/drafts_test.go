package gamestest

import (
	"strings"
	"testing"

	"ludoteca/games"
)

// pileDrafts is nim with a board that says everything, so that a draft has no fields: the first row is the pile, the second holds a
// piece in its first cell if it is O's turn.
type pileDrafts struct{ nim }

func (pileDrafts) Pieces() string                          { return "o" }
func (pileDrafts) Fields(games.Options) []games.Field      { return nil }
func (pileDrafts) Settle(d games.Draft, _ int) games.Draft { return d }
func (g pileDrafts) row(o games.Options, pieces int) string {
	return strings.Repeat("o", pieces) + strings.Repeat(".", o["pile"]-pieces)
}

func (g pileDrafts) Draft(p games.Position) games.Draft {
	h := p.(*heap)
	return games.Draft{Options: h.options, Rows: []string{g.row(h.options, h.left), g.row(h.options, int(h.turn))}}
}

func (g pileDrafts) Text(d games.Draft) string {
	h := heap{game: g.nim, options: d.Options, left: strings.Count(d.Rows[0], "o"), turn: games.Side(strings.Count(d.Rows[1], "o") % 2)}
	if d.Rows[0] != g.row(d.Options, h.left) || d.Rows[1] != g.row(d.Options, int(h.turn)) {
		return "" // a pile with holes, or more than a turn
	}
	return h.String()
}

// TestDraftsWithoutFields sets up positions of a game that holds nothing besides its board.
func TestDraftsWithoutFields(t *testing.T) {
	g := pileDrafts{}
	Drafts(t, g, Kit[*heap]{Game: g}.Sets(t, "", "pile=3", "pile=20"))
}
