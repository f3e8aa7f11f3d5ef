package games

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Tables are the numbers of a learned evaluation, in the unit of Search.Evaluate. What each of them stands for is up to the
// game. Tables are fixed data; callers must not change them.
type Tables []int16

// MaxTables is the largest number of entries that the tables of a game may have: a megabyte.
const MaxTables = 1 << 19

// A Feature is something about a position that a learned evaluation gives a weight to.
type Feature struct {
	Weight int32 // the index of the weight
	Times  int32 // how often it counts; below 0 where it counts for the other side
}

// Learnable is an optional ability of a State: an evaluation that is learned from games of the computer against itself.
type Learnable interface {
	Tunable

	// Learning says what there is to learn, and how.
	Learning() *Learning

	// SearchLearned is Search with an evaluation by these tables, of Learning.Tables entries. It keeps them.
	SearchLearned(t Tables) Learner
}

// A Learner is a Search with a learned evaluation: its value is Base and the weights of its features, in points.
type Learner interface {
	Search

	// Base is what the evaluation says to the side to move before any weight is added.
	Base() int

	// Features appends the features of a running position, as the side to move sees it.
	Features(dst []Feature) []Feature
}

// Learning is what a game's evaluation learns, and the training that has been found to work. Callers must not change it.
type Learning struct {
	Weights int // how many weights are trained
	Tables  int // how many entries the tables have that come from them, at most MaxTables

	// Shared returns for each weight the weight whose value it shares: itself, or an earlier weight that is the same by a
	// symmetry of the game. nil: each has its own value.
	Shared func() []int32

	// Fold makes tables of weights, which are in points. Many weights may go into one entry, so that a position takes
	// fewer lookups than it has features.
	Fold func(weights []float32) Tables

	// OptionSets are options, as in "connect=5 chain=1", that the tables are trained with besides the game's own, each as often: one
	// table then serves them all.
	OptionSets []string

	Rounds      int     // of self-play; the evaluation learns after each
	Games       int     // of a round
	Nodes       int     // that the search looks at for each move
	Openings    int     // the largest number of random plies before a game; each game draws its own from 0 on
	RandomMoves float64 // the share of the later moves that are random, 0 to 1
	Lambda      float64 // how much a later value counts against the one before, 0 to 1
	Rate        float64 // the learning rate of AdaGrad, for weights in units of Scale
	Scale       float64 // how many points ahead a side must be to expect 73 % of the points
}

// tablesMark begins a file of tables: the number is the version of the form.
const tablesMark = "Ludoteca tables 1 "

// ErrTables is wrapped by errors about files of tables.
var ErrTables = errors.New("no usable tables")

// EncodeTables returns the tables of a game as a file: a line of text, then each entry as two bytes, the lower one first.
func EncodeTables(game string, t Tables) []byte {
	file := fmt.Appendf(nil, "%s%s %d\n", tablesMark, game, len(t))
	for _, v := range t {
		file = binary.LittleEndian.AppendUint16(file, uint16(v))
	}
	return file
}

// DecodeTables reads what EncodeTables returned for the same game and number of entries. The error wraps ErrTables.
func DecodeTables(game string, entries int, file []byte) (Tables, error) {
	head := fmt.Appendf(nil, "%s%s %d\n", tablesMark, game, entries)
	if !bytes.HasPrefix(file, head) {
		return nil, fmt.Errorf("%w: the file does not begin with %q", ErrTables, head)
	}
	file = file[len(head):]
	if len(file) != 2*entries {
		return nil, fmt.Errorf("%w: %d bytes of entries, not %d", ErrTables, len(file), 2*entries)
	}
	t := make(Tables, entries)
	for i := range t {
		t[i] = int16(binary.LittleEndian.Uint16(file[2*i:]))
	}
	return t, nil
}

// MustDecodeTables is DecodeTables for tables that are built in. It panics on an error.
func MustDecodeTables(game string, entries int, file []byte) Tables {
	t, err := DecodeTables(game, entries, file)
	if err != nil {
		panic("games: built-in tables: " + err.Error())
	}
	return t
}

// TableEntry returns the entry for a weight in points: the nearest whole number that fits.
func TableEntry(weight float32) int16 {
	return int16(math.Round(float64(min(max(weight, math.MinInt16), math.MaxInt16))))
}

// RoundTables returns tables with an entry for each weight in points.
func RoundTables(weights []float32) Tables {
	t := make(Tables, len(weights))
	for i, w := range weights {
		t[i] = TableEntry(w)
	}
	return t
}

// Clamp returns v as Search.Evaluate may return it.
func Clamp(v int) int { return min(max(v, -MaxEvaluation), MaxEvaluation) }
