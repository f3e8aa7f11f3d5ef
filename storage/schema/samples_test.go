package schema

import (
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// Stored forms for tests, through the tables that keep them.

var sampleTime = time.UnixMilli(1_700_000_000_123).UTC()

func sampleRecord() results.Finished {
	return results.Finished{
		ID: "m1", Code: "ABCDEF", Game: "petteia", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Ann"},
		Second: storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}, Result: "first", Reason: "goal", Plies: 3, Rated: true, Public: true,
		Started: sampleTime, Ended: sampleTime.Add(time.Hour),
		Start: 1, Helped: results.Help{Hints: 2, Takebacks: 3}, Setup: results.Setup{Clock: "3d"},
		Course: results.Course{
			Moves: []games.Move{"a1-a5", "", "3:2"}, Left: []time.Duration{0, time.Millisecond, 72 * time.Hour},
			Times: []time.Time{sampleTime.Add(time.Second), sampleTime.Add(-time.Second), sampleTime.Add(2 * time.Second)},
		},
	}
}

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

func encodeChanges(c [2]results.RatingChange) []byte {
	value, err := results.Changes.Values.Encode(&c)
	if err != nil {
		panic(err)
	}
	return value
}

func encodeAnalysis(a *analysis.Analysis) ([]byte, error) { return results.Analyses.Values.Encode(a) }

func decodeAnalysis(value []byte) (*analysis.Analysis, error) {
	return results.Analyses.Values.Decode("m", value)
}

// under returns the range of a table.
func under(name string) kv.Range { return kv.Prefix([]byte(name + "\x00")) }
