package matches

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A log is kept in blocks of at most blockEvents events, in order and without gaps; the key of a block ends with the number
// of its first event. An event is added to the last block, unless that is full or large: it is written again each time. Most
// events are moves, which take about 12 bytes so: a store with 20,000 matches of 1,000 moves has some 700 MB, all of which is
// checked when it is opened. Kept one by one, they took several times as much.
//
//	block    sealed with BlockVersion: entries, each beginning with a byte of flags and the milliseconds since the event before
//	         in the block, or since 1970
//	a move   moveEntry, lagEntry if it has a lag, and its seat << seatShift; the time; version; the lag in milliseconds, if any;
//	         the length of the move; the move
//	others   0; the time; the length of the event; the event as encodeEvent writes it
const (
	blockEvents  = 64
	blockBytes   = 2 << 10 // a block of this size is full whatever its events: an opening may give thousands of moves
	BlockVersion = 0x40    // above every EventVersion

	moveEntry = 1 << 0
	lagEntry  = 1 << 1
	seatShift = 2
)

// A LogKey names a block of the log of a match by the number of its first event.
type LogKey struct {
	Match storage.MatchID
	Seq   uint64
}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Logs, Summaries, Codes, CodeEnds, Plans},
	}
}

// Logs are the blocks of the logs of the matches that go on.
var Logs = storage.Table[LogKey, []Event]{
	Name: "logs", Traits: storage.Traits{Subject: "match"},
	Keys: storage.Join(storage.Text[storage.MatchID](nil), storage.Number(),
		func(k LogKey) (storage.MatchID, uint64) { return k.Match, k.Seq },
		func(id storage.MatchID, seq uint64) LogKey { return LogKey{id, seq} }).
		ShownAs(func(k LogKey) string { return fmt.Sprintf("%s event %d", storage.Printable([]byte(k.Match)), k.Seq) }),
	Values: storage.Codec[LogKey, []Event]{
		Decode: func(k LogKey, value []byte) ([]Event, error) { return decodeBlock(k.Seq, value) },
	},
}

// LogRange returns the range of all blocks of a log.
func LogRange(id storage.MatchID) kv.Range { return Logs.Under(string(id)).Range }

// appendEntry appends an event to the content of a block. before is the time of the event before it in the block in
// milliseconds, 0 if it is the first. e is checked.
func appendEntry(block []byte, e Event, before int64) ([]byte, error) {
	since := e.At.UnixMilli() - before
	bare := Event{Seq: e.Seq, Version: e.Version, Kind: Moved, Seat: e.Seat, At: e.At, Lag: e.Lag, Move: e.Move}
	if e != bare || e.Lag < 0 {
		value, err := sealEvent(e)
		if err != nil {
			return nil, err
		}
		block = binary.AppendVarint(append(block, 0), since)
		block = binary.AppendUvarint(block, uint64(len(value)))
		return append(block, value...), nil
	}
	flags := moveEntry | byte(e.Seat)<<seatShift
	if e.Lag > 0 {
		flags |= lagEntry
	}
	block = binary.AppendVarint(append(block, flags), since)
	block = binary.AppendUvarint(block, uint64(e.Version))
	if e.Lag > 0 {
		block = binary.AppendUvarint(block, uint64(e.Lag.Milliseconds()))
	}
	block = binary.AppendUvarint(block, uint64(len(e.Move)))
	return append(block, e.Move...), nil
}

// decodeBlock reads a value of the log section whose first event has the number seq. The error is ErrDamaged.
func decodeBlock(seq uint64, value []byte) (events []Event, err error) {
	content, err := storage.Unseal(value, BlockVersion)
	if err != nil {
		return nil, err
	}
	events = make([]Event, 0, blockEvents)
	for r := (blockReader{rest: content}); len(r.rest) > 0; seq++ {
		e := r.event(seq)
		if r.err == nil {
			r.err = checkEvent(e)
		}
		if r.err != nil || len(events) == blockEvents {
			return nil, fmt.Errorf("%w: event %d makes no sense", storage.ErrDamaged, seq)
		}
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%w: no events in a block of a log", storage.ErrDamaged)
	}
	return events, nil
}

// A blockReader reads the entries of a block. Once err is set, what it returns means nothing.
type blockReader struct {
	rest []byte
	at   int64 // the time of the last entry
	err  error
}

var errEntry = errors.New("an entry of a block makes no sense")

// event reads the next entry as event seq.
func (r *blockReader) event(seq uint64) Event {
	flags, e := r.head(), Event{Seq: seq, Kind: Moved}
	if flags == 0 {
		value := r.bytes()
		if r.err == nil {
			e, r.err = decodeEvent(seq, value)
		}
		if e.At.UnixMilli() != r.at {
			r.err = errEntry
		}
		return e
	}
	e.Seat, e.At, e.Version = storage.Seat(flags>>seatShift), storage.FromMS(r.at), int(r.uint(EventVersion))
	if flags&lagEntry != 0 {
		e.Lag = time.Duration(r.uint(math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
	}
	e.Move = games.Move(r.bytes())
	if e.Version != EventVersion || flags&moveEntry == 0 || (e.Lag > 0) != (flags&lagEntry != 0) {
		r.err = errEntry
	}
	return e
}

// skip reads the next entry for its time alone.
func (r *blockReader) skip() {
	if flags := r.head(); flags != 0 {
		r.uint(EventVersion)
		if flags&lagEntry != 0 {
			r.uint(math.MaxInt64)
		}
	}
	r.bytes()
}

// head reads the beginning of an entry.
func (r *blockReader) head() (flags byte) {
	flags = r.rest[0]
	since, n := binary.Varint(r.rest[1:])
	if n <= 0 {
		r.err, r.rest = errEntry, nil
		return flags
	}
	r.at += since
	r.rest = r.rest[1+n:]
	return flags
}

// uint reads a number up to most.
func (r *blockReader) uint(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > most {
		r.err, r.rest = errEntry, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// Bytes reads bytes after their number.
func (r *blockReader) bytes() []byte {
	n := r.uint(math.MaxInt32)
	if n > uint64(len(r.rest)) {
		r.err, r.rest = errEntry, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// A logTail is the last block of a log. The zero value is the tail of an empty log.
type logTail struct {
	first   uint64 // number of its first event
	events  int
	at      int64 // time of its last event, in milliseconds
	content []byte
}

// Next is the number of the next event.
func (t logTail) next() uint64 {
	if t.events == 0 {
		return 1
	}
	return t.first + uint64(t.events)
}

// readTail reads the end of a log.
func readTail(r kv.Reader, id storage.MatchID) (logTail, error) {
	g := LogRange(id)
	g.Reverse = true
	p, ok, err := storage.First(r, g)
	if err != nil || !ok {
		return logTail{}, err
	}
	k, ok := Logs.Parse(p.Key)
	if !ok {
		return logTail{}, errBlockNumber
	}
	seq := k.Seq
	content, err := storage.Unseal(p.Value, BlockVersion)
	if err != nil {
		return logTail{}, err
	}
	tail := logTail{first: seq, content: content}
	block := blockReader{rest: content}
	for len(block.rest) > 0 {
		block.skip()
		tail.events++
	}
	tail.at = block.at
	if block.err != nil {
		return logTail{}, fmt.Errorf("%w: the block from event %d on makes no sense", storage.ErrDamaged, seq)
	}
	return tail, nil
}

var errBlockNumber = storage.Damaged("a block of a log without a number")

// addEvents adds events to a log that ends with tail and that they follow.
func addEvents(tx kv.Tx, id storage.MatchID, tail logTail, events []Event) (err error) {
	block := bytes.Clone(tail.content) // which belongs to the transaction
	for i, e := range events {
		if tail.events == 0 || tail.events == blockEvents || len(block) >= blockBytes {
			tail, block = logTail{first: e.Seq}, []byte{}
		}
		if block, err = appendEntry(block, e, tail.at); err != nil {
			return err
		}
		tail.events++
		tail.at = e.At.UnixMilli()
		if tail.events == blockEvents || len(block) >= blockBytes || i == len(events)-1 {
			tx.Put(Logs.Key(LogKey{id, tail.first}), storage.Seal(BlockVersion, block))
		}
	}
	return nil
}

// Log returns events of a match that goes on, from a number on: at least one if there is one, and about most of them if most
// is above 0, else all. The error is ErrNotFound if there is no such match or it has ended.
func (s *Store) Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]Event, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("log of match %s", id), func(r kv.Reader) ([]Event, error) { return readLog(r, id, max(from, 1), most) })
}

func readLog(r kv.Reader, id storage.MatchID, from uint64, most int) (events []Event, err error) {
	g := LogRange(id)
	start, ok, err := storage.First(r, kv.Range{From: g.From, To: Logs.Key(LogKey{id, from + 1}), Reverse: true})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		if start, ok, err = storage.First(r, g); err != nil || !ok {
			return nil, cmp.Or(err, storage.ErrNotFound)
		}
	}
	next := uint64(1)
	if from > 1 {
		k, ok := Logs.Parse(start.Key)
		if !ok {
			return nil, errBlockNumber
		}
		next = k.Seq
		g.From = Logs.Key(k)
	}
	for p, err := range r.Scan(g) {
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(p.Key, Logs.Key(LogKey{id, next})) {
			return nil, fmt.Errorf("%w: event %d is missing", storage.ErrDamaged, next)
		}
		block, err := decodeBlock(next, p.Value)
		if err != nil {
			return nil, err
		}
		next += uint64(len(block))
		if next > from {
			events = append(events, block[from-min(from, block[0].Seq):]...)
			from = next
		}
		if most > 0 && len(events) >= most {
			break
		}
	}
	return events, nil
}
