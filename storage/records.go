package storage

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"ludoteca/games"
)

// A Finished is a match that has ended: one row of history.
type Finished struct {
	ID      MatchID
	Code    string
	Game    string
	Options games.Options
	First   Occupant
	Second  Occupant
	Result  string // first, second, draw, or "" for a void match
	Reason  string
	Plies   int
	Rated   bool // it counts for ratings
	Short   bool // it was opened as a rated match and ended too soon to count
	Public  bool

	// Temporary says that the match is in no history and is forgotten TemporaryLife after its end: it is void, or has ended before each
	// side had made two moves. Earlier versions kept such matches: the void ones as long as their codes, the others for ever.
	Temporary bool

	Start   int       // how many of the moves were given: made before the players took over
	Helped  Help      // what help was taken
	Clock   string    `json:",omitempty"` // 5+3 or 3d; "" for none
	From    string    `json:",omitempty"` // the start position in one line; "" for that of the game
	Started time.Time // the second seat was taken
	Ended   time.Time

	Moves   []games.Move     // only where a whole record is asked for
	Times   []time.Time      // when each move arrived; as long as Moves
	Left    []time.Duration  `json:",omitempty"` // of a match with a clock: what the side that moved had left after each move; as long as Moves
	Ratings *[2]RatingChange // of a rated match: first, second

}

// Help is the help that a player took in a match against a computer player. The zero value is none.
type Help struct {
	Hints     int `json:"hints,omitempty"`
	Takebacks int `json:"takebacks,omitempty"`
}

// recordVersion is the version of the compact records.
const recordVersion = 6

// A compact record holds a whole finished match in one sealed value: the number of bytes of the head, the head as
// JSON, the number of moves, then of each move its length, its text, and the milliseconds since the one before (the
// first: since the start); in a match with a clock also the milliseconds that were left to the side that moved. Numbers are
// varints. So a row of history reads the head alone, and a move takes some six bytes.

// recordJSON is the head.
type recordJSON struct {
	Code      string        `json:"c"`
	Game      string        `json:"g"`
	Options   games.Options `json:"o"`
	First     Occupant      `json:"f,omitzero"`
	Second    Occupant      `json:"s,omitzero"`
	Result    string        `json:"r,omitempty"`
	Reason    string        `json:"e,omitempty"`
	Plies     int           `json:"n,omitempty"`
	Rated     bool          `json:"d,omitempty"`
	Public    bool          `json:"p,omitempty"`
	Started   *int64        `json:"b,omitempty"` // milliseconds; absent if the match never started
	Ended     int64         `json:"t"`
	Number    uint64        `json:"q,omitempty"` // of the rated result; 0 if there is none
	Start     int           `json:"a,omitempty"`
	Helped    Help          `json:"h,omitzero"`
	Short     bool          `json:"i,omitempty"`
	Clock     string        `json:"k,omitempty"`
	Temporary bool          `json:"v,omitempty"`
	From      string        `json:"x,omitempty"`
}

// checkRecord refuses a finished match that would not come back from its record as it is.
func checkRecord(f Finished) error {
	switch {
	case !decided(f.Result) && f.Result != "":
		return fmt.Errorf("%w: the result %q", ErrInvalid, f.Result)
	case f.Plies != len(f.Moves) || f.Plies != len(f.Times):
		return fmt.Errorf("%w: %d plies, %d moves, %d times", ErrInvalid, f.Plies, len(f.Moves), len(f.Times))
	case (f.Clock != "" || f.Left != nil) && len(f.Left) != len(f.Moves) || f.Clock == "" && f.Left != nil:
		return fmt.Errorf("%w: %d moves, %d times left, clock %q", ErrInvalid, len(f.Moves), len(f.Left), f.Clock)
	case slices.ContainsFunc(f.Left, func(d time.Duration) bool { return !wholeTimes([2]time.Duration{d}) }):
		return fmt.Errorf("%w: the times left %v", ErrInvalid, f.Left)
	case !fitsStart(f) || f.Helped.Hints < 0 || f.Helped.Takebacks < 0:
		return fmt.Errorf("%w: %d given moves of %d, help %+v", ErrInvalid, f.Start, f.Plies, f.Helped)
	case f.Short && f.Rated:
		return fmt.Errorf("%w: a rated match that ended too soon to count", ErrInvalid)
	case f.From != "" && (f.Rated || f.Short):
		return fmt.Errorf("%w: a rated match that began from another position", ErrInvalid)
	case f.Temporary && f.Rated && f.Result != "":
		return fmt.Errorf("%w: a rated match that is forgotten", ErrInvalid)
	case f.Ended.IsZero():
		return fmt.Errorf("%w: a finished match without an end", ErrInvalid)
	}
	for _, o := range []Occupant{f.First, f.Second} {
		if o.Kind != Person {
			continue
		}
		if err := checkKeys(o.ID); err != nil {
			return err
		}
	}
	if err := checkKeys(f.Game, f.Code); err != nil {
		return err
	}
	if err := checkOptions(f.Options); err != nil {
		return err
	}
	if err := checkOccupants(f.First, f.Second); err != nil {
		return err
	}
	return checkText(f.Reason, f.Clock, f.From)
}

// fitsStart says whether a match can have as many given moves as it says.
func fitsStart(f Finished) bool { return f.Start >= 0 && f.Start <= f.Plies }

// encodeRecord returns the stored form of a finished match; number is that of its rated result, 0 if there is none.
func encodeRecord(f Finished, number uint64) ([]byte, error) {
	j := recordJSON{
		Code: f.Code, Game: f.Game, Options: f.Options, First: f.First, Second: f.Second, Result: f.Result,
		Reason: f.Reason, Plies: f.Plies, Rated: f.Rated, Public: f.Public, Ended: f.Ended.UnixMilli(), Number: number,
		Start: f.Start, Helped: f.Helped, Short: f.Short, Clock: f.Clock, Temporary: f.Temporary, From: f.From,
	}
	if !f.Started.IsZero() {
		ms := f.Started.UnixMilli()
		j.Started = &ms
	}
	head, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	b := make([]byte, 0, len(head)+16+10*len(f.Moves))
	b = binary.AppendUvarint(b, uint64(len(head)))
	b = append(b, head...)
	b = binary.AppendUvarint(b, uint64(len(f.Moves)))
	before := f.Started.UnixMilli()
	for i, m := range f.Moves {
		b = binary.AppendUvarint(b, uint64(len(m)))
		b = append(b, m...)
		at := f.Times[i].UnixMilli()
		b = binary.AppendVarint(b, at-before)
		before = at
		if f.Clock != "" {
			b = binary.AppendUvarint(b, uint64(f.Left[i].Milliseconds()))
		}
	}
	return seal(recordVersion, b), nil
}

// decodeRecord reads what encodeRecord writes; without whole it leaves out moves and times. The error is ErrDamaged
// for anything else.
func decodeRecord(id MatchID, value []byte, whole bool) (f Finished, number uint64, err error) {
	content, err := unseal(value, recordVersion)
	if err != nil {
		return Finished{}, 0, err
	}
	r := &reader{rest: content}
	var j recordJSON
	if err := parseJSON(r.text(), &j); err != nil {
		return Finished{}, 0, err
	}
	f = Finished{
		ID: id, Code: j.Code, Game: j.Game, Options: j.Options, First: j.First, Second: j.Second, Result: j.Result,
		Reason: j.Reason, Plies: j.Plies, Rated: j.Rated, Public: j.Public, Ended: fromMS(j.Ended),
		Start: j.Start, Helped: j.Helped, Short: j.Short, Clock: j.Clock, Temporary: j.Temporary, From: j.From,
	}
	if j.Started != nil {
		f.Started = fromMS(*j.Started)
	}
	if whole {
		readMoves(r, &f)
	}
	if r.bad || f.Plies < 0 || !fitsStart(f) || whole && (len(r.rest) > 0 || checkRecord(f) != nil) {
		return Finished{}, 0, fmt.Errorf("%w: the record of match %s makes no sense", ErrDamaged, id)
	}
	return f, j.Number, nil
}

// A record is a finished match with the number of its rated result, 0 if there is none.
type record struct {
	Finished
	number uint64
}

// finished are the records of the matches that have ended, and recordHeads the same records without moves and times, to be read alone.
var (
	finished    = recordTable(true)
	recordHeads = recordTable(false)
)

func recordTable(whole bool) Table[MatchID, record] {
	return Table[MatchID, record]{
		Name: "finished", Keys: Text[MatchID](nil), Traits: Traits{Subject: "match"},
		Values: Codec[MatchID, record]{
			Encode: func(r record) ([]byte, error) { return encodeRecord(r.Finished, r.number) },
			Decode: func(id MatchID, value []byte) (r record, err error) {
				r.Finished, r.number, err = decodeRecord(id, value, whole)
				return r, err
			},
		},
	}
}

// readMoves reads the moves of a record whose head has been read, and their times.
func readMoves(r *reader, f *Finished) {
	n := r.uvarint()
	if n > uint64(len(r.rest))/2 { // each takes two bytes at least: believe no number before making room for it
		r.bad = true
		return
	}
	if n == 0 {
		return
	}
	f.Moves, f.Times = make([]games.Move, n), make([]time.Time, n)
	if f.Clock != "" {
		f.Left = make([]time.Duration, n)
	}
	ms := f.Started.UnixMilli()
	for i := range f.Moves {
		f.Moves[i] = games.Move(r.text())
		ms += r.varint()
		f.Times[i] = fromMS(ms)
		if f.Clock == "" {
			continue
		}
		left := r.uvarint()
		if left > uint64(math.MaxInt64/time.Millisecond) {
			r.bad = true
			return
		}
		f.Left[i] = time.Duration(left) * time.Millisecond
	}
}

// A reader reads numbers and bytes from a value that may be damaged. Once something is missing it is bad, and
// returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	return took(r, v, n)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	return took(r, v, n)
}

func took[T any](r *reader, v T, n int) (zero T) {
	if r.bad || n <= 0 {
		r.bad = true
		return zero
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) bytes(n uint64) []byte {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// text reads bytes after their number.
func (r *reader) text() []byte { return r.bytes(r.uvarint()) }

// byte reads one byte.
func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}
