package matches

import (
	"encoding/binary"
	"math"
	"testing"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Stored forms of results for tests, through the tables that keep them.

func encodeRecord(f results.Finished, number uint64) ([]byte, error) {
	return results.Records.Values.Encode(results.Record{Finished: f, Number: number})
}

func decodeRecord(id storage.MatchID, value []byte, whole bool) (f results.Finished, number uint64, err error) {
	table := results.RecordHeads
	if whole {
		table = results.Records
	}
	r, err := table.Values.Decode(id, value)
	return r.Finished, r.Number, err
}

func encodeRating(r results.Rating) []byte {
	value, err := results.Ratings.Values.Encode(r)
	if err != nil {
		panic(err)
	}
	return value
}

func decodeRating(value []byte) (results.Rating, error) {
	return results.Ratings.Values.Decode(results.RatingKey{}, value)
}

func encodeChanges(c [2]results.RatingChange) []byte {
	value, err := results.Changes.Values.Encode(&c)
	if err != nil {
		panic(err)
	}
	return value
}

func decodeChanges(value []byte) (*[2]results.RatingChange, error) {
	return results.Changes.Values.Decode(1, value)
}

func decodeAnalysis(value []byte) (*analysis.Analysis, error) {
	return results.Analyses.Values.Decode("m", value)
}

// sampleAnalysis returns a stored analysis of a match with three moves.
func sampleAnalysis(t testing.TB) []byte {
	t.Helper()
	value, err := results.Analyses.Values.Encode(&analysis.Analysis{Version: 1, Nodes: 5, Points: []analysis.Point{
		{Value: -7, Chance: 0.493, Best: "a1-a5", Line: []games.Move{"a1-a5", "3:2"}, Mark: analysis.Mistake},
		{Value: games.MaxEvaluation, Chance: 1, Proven: analysis.ProvenFirst, Plies: 9, Best: "3:2", Line: []games.Move{"3:2"}},
		{Chance: 0.5}, {Chance: 0.5, Proven: analysis.ProvenDraw},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// appendRating appends a rating without what it says of opponents, as it is stored within ratings and changes.
func appendRating(b []byte, r results.Rating) []byte {
	for _, f := range []float64{r.Rating, r.Deviation, r.Volatility} {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	b = binary.AppendVarint(b, r.At.UnixMilli())
	for _, n := range []int{r.Played, r.Won, r.Drawn, r.Lost} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// appendOpponents appends what a rating says of opponents.
func appendOpponents(b []byte, r results.Rating) []byte {
	var flags byte
	if r.Settled {
		flags |= 1
	}
	if r.NeedsOpponents {
		flags |= 2
	}
	return append(binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Opponents)), uint64(r.Blocks)), flags)
}
