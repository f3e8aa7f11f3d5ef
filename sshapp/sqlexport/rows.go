package sqlexport

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/records"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// The sides of a match, as the tables have them.
const (
	firstSide  = int16(1)
	secondSide = int16(2)
)

// hashLength is how many bytes of a hash are kept. It compares versions of one match, and withstands nobody.
const hashLength = 12

// A matchRows is the rows of one match, each with values for all columns of its table.
type matchRows struct {
	match   []any // without the hash, which is its last value
	results [2][]any
	moves   [][]any
	hash    []byte
}

// rowsOf returns the rows of a match.
func rowsOf(w records.Writer, m results.ArchivedMatch) (matchRows, error) {
	options, err := json.Marshal(m.Options)
	if err != nil {
		return matchRows{}, fmt.Errorf("match %s: %w", m.ID, err)
	}
	if m.Options == nil {
		options = []byte("{}")
	}
	var r matchRows
	event := m.Tournament
	r.match = []any{
		string(m.ID), m.Game, string(options), orNull(m.Clock), orNull(m.From), m.Result, m.Reason, int32(m.Plies), int32(m.Start), m.Rated,
		int32(m.Helped.Hints), int32(m.Helped.Takebacks), timeOrNull(m.Started), m.Ended.UTC(),
		orNull(string(event.ID)), orNull(event.Name), numberOrNull(event.Round), numberOrNull(event.Board),
	}
	for side, o := range []storage.Occupant{m.First, m.Second} {
		r.results[side] = resultRow(m, int16(side)+firstSide, o)
	}
	moving, waiting := firstSide, secondSide
	if w.Begins(m.Finished) == games.Second {
		moving, waiting = waiting, moving
	}
	spent := m.Spent()
	for i, move := range m.Moves {
		row := []any{string(m.ID), int32(i + 1), moving, string(move), i < m.Start, nil, nil, nil}
		if i >= m.Start {
			row[5] = timeOrNull(m.Times[i])
			if spent != nil {
				row[6] = spent[i].Milliseconds()
			}
			if m.Clock != "" && len(m.Left) == len(m.Moves) {
				row[7] = m.Left[i].Milliseconds()
			}
		}
		r.moves = append(r.moves, row)
		moving, waiting = waiting, moving
	}
	r.hash = r.sum()
	r.match = append(r.match, r.hash)
	return r, nil
}

// resultRow returns the row of one side of a match.
func resultRow(m results.ArchivedMatch, side int16, o storage.Occupant) []any {
	outcome, score := "lost", 0.0
	switch {
	case m.Result == "draw":
		outcome, score = "drawn", 0.5
	case m.Result == "first" && side == firstSide, m.Result == "second" && side == secondSide:
		outcome, score = "won", 1
	}
	var player, level any
	switch {
	case o.Kind.HasAccount():
		player = orNull(o.ID)
	case o.Kind == storage.Bot:
		level = orNull(o.ID)
	}
	row := []any{string(m.ID), side, string(o.Kind), player, m.Names[side-firstSide], o.Name, level, outcome, score, nil, nil, nil, nil, nil}
	if m.Ratings != nil {
		c := m.Ratings[side-firstSide]
		before := standings.RatingBefore(c)
		row[9], row[10] = before, before+standings.Gain(c)
		if !c.After.At.IsZero() {
			row[11] = c.After.Deviation
		}
		row[12], row[13] = c.Weight, orNull(string(c.Why))
	}
	return row
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func numberOrNull(n int) any {
	if n == 0 {
		return nil
	}
	return int32(n)
}

func timeOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC()
}

// sum returns the hash of the rows.
func (r matchRows) sum() []byte {
	h := sha256.New()
	hashRow(h, r.match)
	for _, row := range r.results {
		hashRow(h, row)
	}
	for _, row := range r.moves {
		hashRow(h, row)
	}
	return h.Sum(nil)[:hashLength]
}

// hashRow adds a row to a hash. Each value says by its first byte what follows, so that no two rows look alike.
func hashRow(h hash.Hash, row []any) {
	b := make([]byte, 0, 256)
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case string:
			b = binary.AppendUvarint(append(b, 's'), uint64(len(v)))
			b = append(b, v...)
		case bool:
			b = append(b, 'f')
			if v {
				b[len(b)-1] = 't'
			}
		case int16:
			b = binary.AppendVarint(append(b, 'i'), int64(v))
		case int32:
			b = binary.AppendVarint(append(b, 'i'), int64(v))
		case int64:
			b = binary.AppendVarint(append(b, 'i'), v)
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'd'), math.Float64bits(v))
		case time.Time:
			b = binary.AppendVarint(append(b, 'm'), v.UnixMilli())
		default:
			panic(fmt.Sprintf("sqlexport: a value of the type %T in a row", v))
		}
	}
	h.Write(append(b, '\n')) // a hash returns no error
}
