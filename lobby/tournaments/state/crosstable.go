package state

import (
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/storage/tournaments"
)

// MaxCross is how many entrants a cross table has at most.
const MaxCross = 20

// A CrossTable shows how the entrants of a round robin or a Swiss have played against each other.
type CrossTable struct {
	Columns []string // of a round robin the lines of the opponents, of a Swiss the rounds; from 1
	Rows    []CrossRow
}

// A CrossRow is an entrant of a cross table. A cell of a round robin has the results against one opponent: 1 won, 0 lost, = drawn, + and - without
// a match, * not decided; x is the entrant's own column. A cell of a Swiss has the line of the opponent and the result: 3+ won, 3- lost, 3= drawn,
// 3* not decided; + alone is a bye. A dot is nothing.
type CrossRow struct {
	Place Place
	Cells []string
}

// Cross returns the cross table of a tournament that has begun; nil if it has none, or more than MaxCross entrants.
func Cross(s *State) *CrossTable {
	places := s.Standing()
	plan := s.Settings.Plan()
	if s.Begun.IsZero() || len(places) == 0 || len(places) > MaxCross || plan != tournaments.Robin && plan != tournaments.Swiss {
		return nil
	}
	line := make(map[int]int, len(places)) // of an entrant, from 0
	for i, p := range places {
		line[p.Number] = i
	}
	columns := len(places)
	if plan == tournaments.Swiss {
		columns = s.AllRounds()
	}
	t := &CrossTable{}
	for i := range columns {
		t.Columns = append(t.Columns, strconv.Itoa(i+1))
	}
	for i, p := range places {
		row := CrossRow{p, make([]string, columns)}
		for _, m := range p.Entrant.Matches {
			mark := crossMark(m, p.Number)
			switch other := m.Opponent(p.Number); {
			case plan == tournaments.Robin && other != 0:
				row.Cells[line[other]] += mark
			case plan == tournaments.Swiss && other == 0:
				row.Cells[m.Round-1] = "+"
			case plan == tournaments.Swiss:
				row.Cells[m.Round-1] = strconv.Itoa(line[other]+1) + strings.NewReplacer("1", "+", "0", "-").Replace(mark)
			}
		}
		for j, cell := range row.Cells {
			if cell == "" {
				row.Cells[j] = "."
			}
		}
		if plan == tournaments.Robin {
			row.Cells[i] = "x"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// crossMark is the result of a pairing for an entrant.
func crossMark(p *Pairing, number int) string {
	_, forfeit := p.points(number)
	won := p.Result == p.Side(number).String()
	switch {
	case !p.Decided():
		return "*"
	case p.Result != games.First.String() && p.Result != games.Second.String():
		return "="
	case won && forfeit:
		return "+"
	case forfeit:
		return "-"
	case won:
		return "1"
	}
	return "0"
}
