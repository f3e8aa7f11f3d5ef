package migrations

import (
	"encoding/binary"
	"encoding/json"
	"math"
)

// The log of a match is kept in blocks of events, version 0x40. Programs up to schema 7 kept each event by itself, version 1 to 3. A block is
// entries, each beginning with a byte of flags and the milliseconds since the event before in the block, or since 1970:
//
//	a move   moveEntry, lagEntry if it has a lag, and its seat << seatShift; the time; the version of the event; the lag in milliseconds, if any;
//	         the length of the move; the move
//	others   0; the time; the length of the event; the event, sealed with its version
const (
	blockVersion = 0x40
	eventVersion = 6

	moveEntry = 1 << 0
	lagEntry  = 1 << 1
	seatShift = 2
)

// An event is the JSON form of an event, of any version.
type event struct {
	Kind    string          `json:"k"`
	Seat    uint8           `json:"s"`
	At      int64           `json:"t"`
	Lag     int64           `json:"l"`
	Opening *opening        `json:"o"`
	Who     occupant        `json:"w"`
	Move    string          `json:"m"`
	Plies   int             `json:"b"` // from version 2 on
	Offer   string          `json:"q"`
	Yes     bool            `json:"y"`
	Result  string          `json:"r"`
	Reason  string          `json:"e"`
	Left    json.RawMessage `json:"c"` // from version 4 on
	Gone    int64           `json:"g"` // from version 6 on
	Dropped bool            `json:"d"` // from version 6 on
}

// An occupant is the JSON form of who sits in a seat.
type occupant struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// An opening is the JSON form of what a match is from its first event on.
type opening struct {
	Code      string         `json:"code"`
	Game      string         `json:"game"`
	Options   map[string]int `json:"options"`
	Rated     bool           `json:"rated"`
	Public    bool           `json:"public"`
	First     occupant       `json:"first"`
	Second    occupant       `json:"second"`
	Reserved  occupant       `json:"reserved"`
	RematchOf string         `json:"rematch_of"`
	Moves     []string       `json:"moves"` // from version 2 of events on
	By        occupant       `json:"by"`    // from version 3 on
	Clock     string         `json:"clock"` // from version 4 on
	Range     [2]int         `json:"range"` // from version 5 on
	Wait      int            `json:"wait"`  // from version 5 on
	From      string         `json:"from"`  // from version 5 on
}

// since returns the first version of events that knew what an event says.
func (e event) since() int {
	o := e.Opening
	if o == nil {
		o = new(opening)
	}
	switch {
	case e.Kind == "claimed":
		return 6
	case o.Range != [2]int{} || o.Wait != 0 || o.From != "":
		return 5
	case e.Kind == "resumed" || o.Clock != "":
		return 4
	case o.By != occupant{}:
		return 3
	case e.Kind == "taken_back" || e.Kind == "helped" || len(o.Moves) > 0:
		return 2
	}
	return 1
}

// rewriteBlock rewrites a value of the logs as a block of events of version 6. That version can say all that earlier ones say, in the same
// way. An event that was kept by itself becomes a block of its own, which the next event of the log joins.
func rewriteBlock(value []byte) ([]byte, error) {
	version, content, err := unseal(value, blockVersion)
	switch {
	case err != nil:
		return nil, err
	case version == blockVersion:
		return rewriteEntries(content)
	}
	e, sealed, err := rewriteEvent(value)
	if err != nil {
		return nil, err
	}
	return seal(blockVersion, appendEvent(nil, e, sealed)), nil
}

// rewriteEvent rewrites an event that is sealed by itself.
func rewriteEvent(value []byte) (e event, sealed []byte, err error) {
	version, content, err := unseal(value, eventVersion)
	if err != nil {
		return e, nil, err
	}
	if err := parseJSON(content, &e); err != nil {
		return e, nil, err
	}
	if e.since() > version {
		return e, nil, damaged("an event of version %d is %s as in version %d", version, e.Kind, e.since())
	}
	return e, seal(eventVersion, content), nil
}

// appendEvent appends an event as the first entry of a block.
func appendEvent(block []byte, e event, sealed []byte) []byte {
	bare := event{Kind: "moved", Seat: e.Seat, At: e.At, Lag: e.Lag, Move: e.Move}
	if !e.is(bare) || e.Lag < 0 || e.Seat > 2 || e.Lag > math.MaxInt64/1_000_000 {
		block = binary.AppendVarint(append(block, 0), e.At)
		block = binary.AppendUvarint(block, uint64(len(sealed)))
		return append(block, sealed...)
	}
	flags := moveEntry | e.Seat<<seatShift
	if e.Lag > 0 {
		flags |= lagEntry
	}
	block = binary.AppendVarint(append(block, flags), e.At)
	block = binary.AppendUvarint(block, eventVersion)
	if e.Lag > 0 {
		block = binary.AppendUvarint(block, uint64(e.Lag))
	}
	block = binary.AppendUvarint(block, uint64(len(e.Move)))
	return append(block, e.Move...)
}

// is reports whether an event says what another one says that has neither an opening nor times.
func (e event) is(other event) bool {
	if e.Opening != nil || e.Left != nil {
		return false
	}
	return e.Kind == other.Kind && e.Seat == other.Seat && e.At == other.At && e.Lag == other.Lag && e.Who == other.Who && e.Move == other.Move &&
		e.Plies == other.Plies && e.Offer == other.Offer && e.Yes == other.Yes && e.Result == other.Result && e.Reason == other.Reason &&
		e.Gone == other.Gone && e.Dropped == other.Dropped
}

// rewriteEntries rewrites the entries of a block.
func rewriteEntries(content []byte) ([]byte, error) {
	block := make([]byte, 0, len(content))
	for r := (reader{rest: content}); len(r.rest) > 0; {
		flags, since := r.byte(), r.varint()
		block = binary.AppendVarint(append(block, flags), since)
		if flags == 0 {
			_, sealed, err := rewriteEvent(r.text())
			if r.bad || err != nil {
				return nil, damaged("an entry of a block makes no sense")
			}
			block = binary.AppendUvarint(block, uint64(len(sealed)))
			block = append(block, sealed...)
			continue
		}
		if version := r.uvarint(); flags&moveEntry == 0 || version == 0 || version > eventVersion {
			return nil, damaged("an entry of a block makes no sense")
		}
		block = binary.AppendUvarint(block, eventVersion)
		if flags&lagEntry != 0 {
			block = binary.AppendUvarint(block, r.uvarint())
		}
		move := r.text()
		if r.bad {
			return nil, damaged("an entry of a block makes no sense")
		}
		block = binary.AppendUvarint(block, uint64(len(move)))
		block = append(block, move...)
	}
	return seal(blockVersion, block), nil
}

// A reader reads numbers and bytes from a value that may be damaged. Once something is missing it is bad, and returns zeros.
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
		r.bad, r.rest = true, nil
		return zero
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) bytes(n uint64) []byte {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
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
