// Package results stores finished matches: their records, the history, the results and the ratings that follow from them, tallies, analyses,
// and the codes by which a player claims the matches of a guest.
package results

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{
			Records, History, Results, Changes, Ratings, RecentMatches,
			Settled, ResultIndex, Tallies, UnratedMarks, Analyses, GuestCodes, Practices, Openings, Seasons,
		},
		Cells: []storage.AnyCell{Voids, CasualDone, TalliesIndex, OpeningsIndex, SeasonsIndex},
	}
}

// A Finished is a match that has ended: one row of history.
type Finished struct {
	ID      storage.MatchID
	Code    string
	Game    string
	Options games.Options
	First   storage.Occupant
	Second  storage.Occupant
	Result  string // first, second, draw, or "" for a void match
	Reason  string
	Plies   int
	Rated   bool // it counts for ratings
	Short   bool // it was opened as a rated match and ended too soon to count
	Public  bool

	// Temporary says that the match is in no history and is forgotten TemporaryLife after its end: it is void, or has ended before each
	// side had made two moves. Earlier versions kept such matches: the void ones as long as their codes, the others for ever.
	Temporary bool

	Start  int  // how many of the moves were given: made before the players took over
	Helped Help // what help was taken
	Setup
	Started time.Time // the second seat was taken
	Ended   time.Time

	Course
	Effect
}

// An Effect is what a match does to ratings.
type Effect struct {
	Ratings *[2]RatingChange // of a rated match: first, second

	// Practice says how a match that ends counts for a practice rating; nil: not at all. It is no part of the record.
	Practice *PracticeMatch `json:"-"`
}

// Spent returns how long each move took: since the move before it, or since the start. Given moves took no time. It is nil if the times of the
// moves are not known.
func (f Finished) Spent() []time.Duration {
	if len(f.Times) != len(f.Moves) {
		return nil
	}
	spent := make([]time.Duration, len(f.Times))
	last := f.Started
	for i, at := range f.Times {
		if i >= f.Start && !last.IsZero() {
			spent[i] = max(at.Sub(last), 0)
		}
		last = at
	}
	return spent
}

// A Setup is what a match began with, besides its options.
type Setup struct {
	Clock string `json:",omitempty"` // 5+3 or 3d; "" for none
	From  string `json:",omitempty"` // the start position in one line; "" for the game's own

	Tournament storage.TournamentBoard `json:",omitzero"` // to which the match belongs
}

// A Course is the moves of a match. It is read only where a whole record is asked for.
type Course struct {
	Moves []games.Move
	Times []time.Time     // when each move arrived; as long as Moves
	Left  []time.Duration `json:",omitempty"` // of a match with a clock: what the side that moved had left after each move; as long as Moves
}

// Help is the help that a player took in a match against a computer player. The zero value is none.
type Help struct {
	Hints     int `json:"hints,omitempty"`
	Takebacks int `json:"takebacks,omitempty"`
}

// RecordVersion is the version of the compact records.
const RecordVersion = 7

// A compact record holds a whole finished match in one sealed value: the number of bytes of the head, the head as
// JSON, the number of moves, then of each move its length, its text, and the milliseconds since the one before (the
// first: since the start); in a match with a clock also the milliseconds that were left to the side that moved. Numbers are
// varints. So a row of history reads the head alone, and a move takes some six bytes.

// originJSON is what of the head says where the match comes from.
type originJSON struct {
	From  string                   `json:"x,omitempty"`
	Board *storage.TournamentBoard `json:"u,omitempty"`
}

// recordJSON is the head.
type recordJSON struct {
	Code      string           `json:"c"`
	Game      string           `json:"g"`
	Options   games.Options    `json:"o"`
	First     storage.Occupant `json:"f,omitzero"`
	Second    storage.Occupant `json:"s,omitzero"`
	Result    string           `json:"r,omitempty"`
	Reason    string           `json:"e,omitempty"`
	Plies     int              `json:"n,omitempty"`
	Rated     bool             `json:"d,omitempty"`
	Public    bool             `json:"p,omitempty"`
	Started   *int64           `json:"b,omitempty"` // milliseconds; absent if the match never started
	Ended     int64            `json:"t"`
	Number    uint64           `json:"q,omitempty"` // of the rated result; 0 if there is none
	Start     int              `json:"a,omitempty"`
	Helped    Help             `json:"h,omitzero"`
	Short     bool             `json:"i,omitempty"`
	Clock     string           `json:"k,omitempty"`
	Temporary bool             `json:"v,omitempty"`
	originJSON
	Length int `json:"l,omitempty"` // of the moves in the text form of the record
}

// CheckRecord refuses a finished match that would not come back from its record as it is.
func CheckRecord(f Finished) error {
	switch {
	case !storage.Decided(f.Result) && f.Result != "":
		return fmt.Errorf("%w: the result %q", storage.ErrInvalid, f.Result)
	case f.Plies != len(f.Moves) || f.Plies != len(f.Times):
		return fmt.Errorf("%w: %d plies, %d moves, %d times", storage.ErrInvalid, f.Plies, len(f.Moves), len(f.Times))
	case (f.Clock != "" || f.Left != nil) && len(f.Left) != len(f.Moves) || f.Clock == "" && f.Left != nil:
		return fmt.Errorf("%w: %d moves, %d times left, clock %q", storage.ErrInvalid, len(f.Moves), len(f.Left), f.Clock)
	case slices.ContainsFunc(f.Left, func(d time.Duration) bool { return !storage.WholeTimes([2]time.Duration{d}) }):
		return fmt.Errorf("%w: the times left %v", storage.ErrInvalid, f.Left)
	case !fitsStart(f) || f.Helped.Hints < 0 || f.Helped.Takebacks < 0:
		return fmt.Errorf("%w: %d given moves of %d, help %+v", storage.ErrInvalid, f.Start, f.Plies, f.Helped)
	case f.Short && f.Rated:
		return fmt.Errorf("%w: a rated match that ended too soon to count", storage.ErrInvalid)
	case f.From != "" && (f.Rated || f.Short):
		return fmt.Errorf("%w: a rated match that began from another position", storage.ErrInvalid)
	case f.Temporary && f.Rated && f.Result != "":
		return fmt.Errorf("%w: a rated match that is forgotten", storage.ErrInvalid)
	case f.Ended.IsZero():
		return fmt.Errorf("%w: a finished match without an end", storage.ErrInvalid)
	}
	for _, o := range []storage.Occupant{f.First, f.Second} {
		if !o.Kind.HasAccount() {
			continue
		}
		if err := storage.CheckKeys(o.ID); err != nil {
			return err
		}
	}
	if err := storage.CheckKeys(f.Game, f.Code); err != nil {
		return err
	}
	if err := storage.CheckOptions(f.Options); err != nil {
		return err
	}
	if err := storage.CheckOccupants(f.First, f.Second); err != nil {
		return err
	}
	if err := storage.CheckTournamentBoard(f.Tournament); err != nil {
		return err
	}
	return storage.CheckText(f.Reason, f.Clock, f.From)
}

// Notation returns the moves of a match, the times behind them and its result, as the record of the match has them: a record without headers.
func (f Finished) Notation() *games.Record {
	r := &games.Record{Moves: f.Moves, Result: games.TokenNone}
	switch f.Result {
	case "first":
		r.Result = games.TokenFirst
	case "second":
		r.Result = games.TokenSecond
	case "draw":
		r.Result = games.TokenDraw
	}
	if f.Clock != "" && len(f.Left) == len(f.Moves) {
		r.Left = slices.Clone(f.Left)
		for i := range min(f.Start, len(r.Left)) {
			r.Left[i] = games.NoTime
		}
	}
	return r
}

// fitsStart reports whether a match can have as many given moves as it says.
func fitsStart(f Finished) bool { return f.Start >= 0 && f.Start <= f.Plies }

// encodeRecord returns the stored form of a finished match. number is the number of its rated result, 0 if there is none.
func encodeRecord(f Finished, number uint64) ([]byte, error) {
	j := recordJSON{
		Code: f.Code, Game: f.Game, Options: f.Options, First: f.First, Second: f.Second, Result: f.Result,
		Reason: f.Reason, Plies: f.Plies, Rated: f.Rated, Public: f.Public, Ended: f.Ended.UnixMilli(), Number: number,
		Start: f.Start, Helped: f.Helped, Short: f.Short, Clock: f.Clock, Temporary: f.Temporary, originJSON: originJSON{From: f.From}, Length: f.Notation().MovesLen(),
	}
	if f.Tournament != (storage.TournamentBoard{}) {
		j.Board = &f.Tournament
	}
	if !f.Started.IsZero() {
		ms := f.Started.UnixMilli()
		j.Started = &ms
	}
	head, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storage.ErrInvalid, err)
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
	return storage.Seal(RecordVersion, b), nil
}

// decodeRecord reads what encodeRecord writes; without whole it leaves out moves and times. The error is ErrDamaged
// for anything else.
func decodeRecord(id storage.MatchID, value []byte, whole bool) (Record, error) {
	content, err := storage.Unseal(value, RecordVersion)
	if err != nil {
		return Record{}, err
	}
	r := &storage.Reader{Rest: content}
	var j recordJSON
	if err := storage.ParseJSON(r.Text(), &j); err != nil {
		return Record{}, err
	}
	f := Finished{
		ID: id, Code: j.Code, Game: j.Game, Options: j.Options, First: j.First, Second: j.Second, Result: j.Result,
		Reason: j.Reason, Plies: j.Plies, Rated: j.Rated, Public: j.Public, Ended: storage.FromMS(j.Ended),
		Start: j.Start, Helped: j.Helped, Short: j.Short, Temporary: j.Temporary, Setup: Setup{Clock: j.Clock, From: j.From},
	}
	if j.Board != nil {
		f.Tournament = *j.Board
	}
	if j.Started != nil {
		f.Started = storage.FromMS(*j.Started)
	}
	if whole {
		readMoves(r, &f)
	}
	if r.Bad || f.Plies < 0 || !fitsStart(f) || whole && (len(r.Rest) > 0 || CheckRecord(f) != nil) {
		return Record{}, fmt.Errorf("%w: the record of match %s makes no sense", storage.ErrDamaged, id)
	}
	return Record{f, j.Number, j.Length}, nil
}

// A Record is a finished match as it is stored.
type Record struct {
	Finished
	Number uint64 // of its rated result; 0 if there is none
	Length int    // bytes of the moves in the text form, see games.Record.MovesLen, as if the first side had begun; Put works it out
}

// Records are the records of the matches that have ended, and RecordHeads the same records without moves and times, to be read alone.
var (
	Records     = recordTable(true)
	RecordHeads = recordTable(false)
)

func recordTable(whole bool) storage.Table[storage.MatchID, Record] {
	return storage.Table[storage.MatchID, Record]{
		Name: "finished", Keys: storage.Text[storage.MatchID](nil), Traits: storage.Traits{Subject: "match"},
		Values: storage.Codec[storage.MatchID, Record]{
			Encode: func(r Record) ([]byte, error) { return encodeRecord(r.Finished, r.Number) },
			Decode: func(id storage.MatchID, value []byte) (Record, error) { return decodeRecord(id, value, whole) },
		},
	}
}

// readMoves reads the moves of a record whose head has been read, and their times.
func readMoves(r *storage.Reader, f *Finished) {
	n := r.Uvarint()
	if n > uint64(len(r.Rest))/2 { // each takes two bytes at least: believe no number before making room for it
		r.Bad = true
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
		f.Moves[i] = games.Move(r.Text())
		ms += r.Varint()
		f.Times[i] = storage.FromMS(ms)
		if f.Clock == "" {
			continue
		}
		left := r.Uvarint()
		if left > uint64(math.MaxInt64/time.Millisecond) {
			r.Bad = true
			return
		}
		f.Left[i] = time.Duration(left) * time.Millisecond
	}
}
