package fourmation

import (
	"maps"

	"ludoteca/games"
	"ludoteca/games/board"
)

var (
	_ games.ProvenGame = game{}
	_ games.Turner     = game{}
)

// Proven implements games.ProvenGame.
func (game) Proven() []games.ProvenPosition {
	board := func(cols, rows int) games.Options { return games.Options{"cols": cols, "rows": rows} }
	three := func(cols, rows int) games.Options {
		return games.Options{"cols": cols, "rows": rows, "win_length": 3}
	}
	won := func(o games.Options, plies int, line ...games.Move) games.ProvenPosition {
		return games.ProvenPosition{Options: o, Result: games.Won(games.First, ""), Plies: plies, Line: line}
	}
	all := games.ProvenDraws(three(4, 3), board(4, 3), board(4, 4), board(5, 4), board(5, 5), board(6, 5), board(6, 6), board(7, 7))
	all = append(all, won(three(3, 3), 7, "b2", "a1", "b1", "c1", "c2", "b3", "a2"),
		won(three(4, 4), 9, "b2", "c3", "c2", "d2", "d1", "c1", "b1", "a1", "a2"))
	for _, o := range []games.Options{three(5, 4), three(5, 5), three(6, 5), three(6, 6)} {
		all = append(all, won(o, 7, "c2", "b1", "c1", "d1", "d2", "e1", "e2"))
	}
	after := func(plies int, moves []games.Move, line ...games.Move) {
		k := won(games.Options{}, plies, line...)
		k.After = moves
		all = append(all, k)
	}
	after(43, []games.Move{"e3", "f3"}, "e4", "d4", "c3", "b3", "c2", "b1", "a2", "a1", "b2", "a3", "a4", "b4", "c5", "b6")
	after(45, []games.Move{"d5", "d6"}, "c5", "c4", "b5", "a5", "a6", "b6", "a7", "b7", "c6", "c7", "d7", "e7", "f7", "g7")
	return all
}

// Turned implements games.Turner: rows become columns, and each way round changes.
func (g game) Turned(k games.ProvenPosition) (all []games.ProvenPosition) {
	o, err := games.Complete(g, k.Options)
	if err != nil {
		return nil
	}
	cols, rows := o["cols"], o["rows"]
	for way := 1; way < allWays; way++ {
		turned := k
		turned.Options = maps.Clone(k.Options)
		if way&transposed != 0 && cols != rows {
			turned.Options["cols"], turned.Options["rows"] = rows, cols
		}
		move := func(moves []games.Move) (turned []games.Move) {
			for _, m := range moves {
				col, row, ok := board.Square(string(m), cols, rows)
				if !ok {
					return nil
				}
				if way&mirrored != 0 {
					col = cols - 1 - col
				}
				if way&flipped != 0 {
					row = rows - 1 - row
				}
				if way&transposed != 0 {
					col, row = row, col
				}
				turned = append(turned, games.Move(board.Name(col, row)))
			}
			return turned
		}
		turned.After, turned.Line = move(k.After), move(k.Line)
		all = append(all, turned)
	}
	return all
}
