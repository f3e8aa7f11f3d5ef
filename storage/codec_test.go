package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ludoteca/games"
)

var sampleTime = time.UnixMilli(1_700_000_000_123).UTC()

func sampleEvents() []Event {
	o := Opening{
		Code: "ABCDEF", Game: "petteia", Options: games.Options{"rows": 8}, Rated: true, Public: true,
		First: Occupant{Person, "p1", "Ann"}, Second: Occupant{Bot, "random", "Random"}, Reserved: Occupant{Guest, "g", "guest-1"},
		RematchOf: "m2", Moves: []games.Move{"a1-a5", "h8-h4"}, By: Occupant{Person, "p3", "Bea"},
	}
	return []Event{
		{Seq: 1, Version: EventVersion, Kind: Opened, Seat: FirstSeat, At: sampleTime, Opening: &o},
		{Seq: 2, Version: EventVersion, Kind: Joined, Seat: SecondSeat, At: sampleTime, Who: Occupant{Person, "p2", "Bób <&>"}},
		{Seq: 3, Version: EventVersion, Kind: Moved, Seat: FirstSeat, At: sampleTime, Lag: 30 * time.Millisecond, Move: "e2xe4"},
		{Seq: 4, Version: EventVersion, Kind: Answered, Seat: SecondSeat, At: sampleTime, Offer: "draw", Yes: true},
		{Seq: 5, Version: EventVersion, Kind: Ended, At: sampleTime, Result: "second", Reason: "abandoned"},
		{Seq: 6, Version: EventVersion, Kind: TakenBack, Seat: SecondSeat, At: sampleTime, Plies: 2},
		{Seq: 7, Version: EventVersion, Kind: Helped, Seat: FirstSeat, At: sampleTime},
	}
}

func sampleRecord() Finished {
	return Finished{
		ID: "m1", Code: "ABCDEF", Game: "petteia", Options: games.Options{"rows": 8}, First: Occupant{Person, "p1", "Ann"},
		Second: Occupant{Bot, "random", "Random"}, Result: "first", Reason: "goal", Plies: 3, Rated: true, Public: true,
		Started: sampleTime, Ended: sampleTime.Add(time.Hour), Moves: []games.Move{"a1-a5", "", "3:2"},
		Start: 1, Helped: Help{Hints: 2, Takebacks: 3},
		Times: []time.Time{sampleTime.Add(time.Second), sampleTime.Add(-time.Second), sampleTime.Add(2 * time.Second)},
	}
}

// Every single wrong bit in a value is noticed.
func TestDamagedValues(t *testing.T) {
	event, err := encodeEvent(sampleEvents()[2])
	if err != nil {
		t.Fatal(err)
	}
	record, err := encodeRecord(sampleRecord(), 7)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		value  []byte
		decode func([]byte) error
	}{
		"event":    {event, func(b []byte) error { _, err := decodeEvent(3, b); return err }},
		"record":   {record, func(b []byte) error { _, _, err := decodeRecord("m1", b, true); return err }},
		"head":     {record, func(b []byte) error { _, _, err := decodeRecord("m1", b, false); return err }},
		"analysis": {sampleAnalysis(t), func(b []byte) error { _, err := decodeAnalysis(b); return err }},
		"rating":   {encodeRating(Rating{1500, 350, 0.06, sampleTime, 3, 1, 1, 1}), func(b []byte) error { _, err := decodeRating(b); return err }},
		"changes":  {encodeChanges([2]RatingChange{}), func(b []byte) error { _, err := decodeChanges(b); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tt.decode(tt.value); err != nil {
				t.Fatalf("whole: %v", err)
			}
			for i := range len(tt.value) * 8 {
				b := bytes.Clone(tt.value)
				b[i/8] ^= 1 << (i % 8)
				if err := tt.decode(b); !errors.Is(err, ErrDamaged) {
					t.Errorf("bit %d turned: %v, want ErrDamaged", i, err)
				}
			}
			for n := range tt.value {
				if err := tt.decode(tt.value[:n]); !errors.Is(err, ErrDamaged) {
					t.Errorf("cut to %d bytes: %v, want ErrDamaged", n, err)
				}
			}
		})
	}
}

// Values with a right checksum and wrong contents: what a later program, or a mistake, might write.
func TestStrictDecoding(t *testing.T) {
	event := func(version int, json string) error {
		_, err := decodeEvent(2, seal(version, []byte(json)))
		return err
	}
	if err := event(1, `{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a later version":                  event(EventVersion+1, `{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`),
		"no version":                       event(0, `{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`),
		"an unknown field":                 event(1, `{"k":"moved","s":1,"t":1700000000123,"z":"a1"}`),
		"a kind of version 2 in version 1": event(1, `{"k":"helped","s":1,"t":1700000000123}`),
		"nothing taken back":               event(2, `{"k":"taken_back","s":1,"t":1700000000123}`),
		"less than nothing taken back":     event(2, `{"k":"taken_back","s":1,"t":1700000000123,"b":-1}`),
		"a move that takes back":           event(2, `{"k":"moved","s":1,"t":1700000000123,"m":"a1","b":1}`),
		"given moves in version 1":         decodeFirst(1, `{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"moves":["a1"]}}`),
		"who opened it in version 2":       decodeFirst(2, `{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"by":{"kind":"player","id":"p","name":"P"}}}`),
		"given moves in record version 1":  decodeHead(1, `{"c":"A","g":"tanks","o":{},"t":1,"n":2,"a":1}`),
		"more given moves than moves":      decodeHead(2, `{"c":"A","g":"tanks","o":{},"t":1,"n":2,"a":3}`),
		"an unknown kind":                  event(1, `{"k":"sneezed","t":1700000000123}`),
		"no kind":                          event(1, `{}`),
		"an unknown seat":                  event(1, `{"k":"moved","s":3,"t":1700000000123}`),
		"no opening":                       event(1, `{"k":"opened","t":1700000000123}`),
		"a late opening":                   event(1, `{"k":"opened","t":1700000000123,"o":{"code":"A","game":"tanks","options":{}}}`),
		"a wrong result":                   event(1, `{"k":"ended","t":1700000000123,"r":"both"}`),
		"a lag without end":                event(1, `{"k":"moved","t":1,"l":9223372036854775807}`),
		"two values":                       event(1, `{"k":"moved","t":1}{}`),
		"something after it":               event(1, `{"k":"moved","t":1} x`),
		"not JSON":                         event(1, `moved`),
		"a record of zeros":                func() error { _, _, err := decodeRecord("m", seal(1, make([]byte, 9)), true); return err }(),
		"a rating too many":                func() error { _, err := decodeRating(encodeChanges([2]RatingChange{})); return err }(),
	} {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

func decodeFirst(version int, json string) error {
	_, err := decodeEvent(1, seal(version, []byte(json)))
	return err
}

// decodeHead reads the record with this head and without its moves.
func decodeHead(version int, json string) error {
	_, _, err := decodeRecord("m", seal(version, append(binary.AppendUvarint(nil, uint64(len(json))), json...)), false)
	return err
}

// What programs of any version have written stays readable, and what this one writes is what it wrote yesterday.
func TestStoredForms(t *testing.T) {
	opening := &Opening{Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: Occupant{Guest, "g", "G"}}
	given := *opening
	given.Moves = []games.Move{"a2-a3", "h7xg6"}
	shown := Opening{Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: Occupant{Bot, "random", "Random"}}
	shown.By = Occupant{Person, "p1", "Ana"}
	for name, tt := range map[string]struct {
		seq     uint64
		version int
		content string
		want    Event
	}{
		"opened, version 1": {1, 1, `{"k":"opened","s":1,"t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"guest","id":"g","name":"G"}}}`, Event{Kind: Opened, Seat: FirstSeat, Opening: opening}},
		"moved, version 1": {2, 1, `{"k":"moved","s":2,"t":1700000000123,"l":30,"m":"a1"}`,
			Event{Kind: Moved, Seat: SecondSeat, Move: "a1", Lag: 30 * time.Millisecond}},
		"opened, version 2": {1, 2, `{"k":"opened","s":1,"t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"guest","id":"g","name":"G"},"moves":["a2-a3","h7xg6"]}}`, Event{Kind: Opened, Seat: FirstSeat, Opening: &given}},
		"opened": {1, 3, `{"k":"opened","t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"bot","id":"random","name":"Random"},"by":{"kind":"player","id":"p1","name":"Ana"}}}`, Event{Kind: Opened, Opening: &shown}},
		"moved, version 2": {2, 2, `{"k":"moved","s":2,"t":1700000000123,"m":"a1"}`, Event{Kind: Moved, Seat: SecondSeat, Move: "a1"}},
		"moved":            {2, 3, `{"k":"moved","s":2,"t":1700000000123,"m":"a1"}`, Event{Kind: Moved, Seat: SecondSeat, Move: "a1"}},
		"taken back":       {3, 3, `{"k":"taken_back","s":1,"t":1700000000123,"b":2}`, Event{Kind: TakenBack, Seat: FirstSeat, Plies: 2}},
		"helped":           {4, 3, `{"k":"helped","s":1,"t":1700000000123}`, Event{Kind: Helped, Seat: FirstSeat}},
	} {
		tt.want.Seq, tt.want.Version, tt.want.At = tt.seq, tt.version, sampleTime
		value := seal(tt.version, []byte(tt.content))
		got, err := decodeEvent(tt.seq, value)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if tt.version != EventVersion {
			continue
		}
		if written, err := encodeEvent(tt.want); err != nil || !bytes.Equal(written, value) {
			t.Errorf("%s is written as %q, %v", name, written, err)
		}
	}
}

func TestStoredRecords(t *testing.T) {
	want := Finished{
		ID: "m", Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: Occupant{Guest, "g", "G"},
		Result: "first", Reason: "goal", Plies: 2, Started: sampleTime, Ended: sampleTime.Add(time.Minute),
		Moves: []games.Move{"a1", "b2"}, Times: []time.Time{sampleTime.Add(time.Second), sampleTime.Add(2 * time.Second)},
	}
	helped := want
	helped.Start, helped.Helped = 1, Help{Hints: 2, Takebacks: 3}
	const head = `{"c":"ABCDEF","g":"tanks","o":{"rows":8},"f":{"kind":"guest","id":"g","name":"G"},"r":"first","e":"goal","n":2,` +
		`"b":1700000000123,"t":1700000060123`
	const moves = "\x02\x02a1\xd0\x0f\x02b2\xd0\x0f"
	for name, tt := range map[string]struct {
		version int
		head    string
		want    Finished
	}{
		"version 1": {1, head + `}`, want},
		"version 2": {2, head + `,"a":1,"h":{"hints":2,"takebacks":3}}`, helped},
	} {
		value := seal(tt.version, append(append(binary.AppendUvarint(nil, uint64(len(tt.head))), tt.head...), moves...))
		got, _, err := decodeRecord("m", value, true)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if tt.version != recordVersion {
			continue
		}
		if written, err := encodeRecord(tt.want, 0); err != nil || !bytes.Equal(written, value) {
			t.Errorf("%s is written as %q, %v", name, written, err)
		}
	}
}

func TestRatingsToTheLastBit(t *testing.T) {
	for _, r := range []Rating{
		{},
		{1500.0000000000002, 350, 0.06, sampleTime, 1, 1, 0, 0},
		{math.Pi, math.SmallestNonzeroFloat64, -math.MaxFloat64, sampleTime, 1 << 30, 1 << 20, 5, math.MaxInt32},
		{math.Inf(1), math.Copysign(0, -1), 1e-300, time.UnixMilli(-1).UTC(), 0, 0, 0, 0},
	} {
		got, err := decodeRating(encodeRating(r))
		if err != nil || got != r || math.Signbit(got.Deviation) != math.Signbit(r.Deviation) {
			t.Errorf("%+v comes back as %+v, %v", r, got, err)
		}
	}
}

// Text in a value may be anything that is text; what is not is refused rather than changed.
func TestTextInEvents(t *testing.T) {
	for _, text := range []string{"", "a1", "<&>\u2028", "\x00\x1b[2J", "näme", strings.Repeat("x", 1<<20)} {
		e := sampleEvents()[1]
		e.Who.Name, e.Move = text, games.Move(text)
		value, err := encodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeEvent(2, value)
		if diff := cmp.Diff(e, got); diff != "" || err != nil {
			t.Errorf("%.20q: %v, %s", text, err, diff)
		}
	}
	for name, spoil := range map[string]func(*Event){
		"move":   func(e *Event) { e.Move = "\xff" },
		"name":   func(e *Event) { e.Who.Name = "\xff" },
		"reason": func(e *Event) { e.Reason = "\xc3" },
		"offer":  func(e *Event) { e.Offer = "\xed\xa0\x80" },
	} {
		e := sampleEvents()[1]
		spoil(&e)
		if _, err := encodeEvent(e); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, e := range sampleEvents() {
		value, err := encodeEvent(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.Seq, value[1:len(value)-4])
	}
	f.Fuzz(func(t *testing.T, seq uint64, content []byte) {
		e, err := decodeEvent(seq, seal(EventVersion, content))
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		value, err := encodeEvent(e)
		if err != nil {
			t.Fatalf("%+v was read and can't be written: %v", e, err)
		}
		again, err := decodeEvent(seq, value)
		if diff := cmp.Diff(e, again); diff != "" || err != nil {
			t.Errorf("not the same again: %v\n%s", err, diff)
		}
	})
}

func FuzzDecodeRecord(f *testing.F) {
	for _, r := range []Finished{sampleRecord(), {Game: "tanks", Code: "ABCDEF", Ended: sampleTime}} {
		value, err := encodeRecord(r, 7)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value[1 : len(value)-4])
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		value := seal(recordVersion, content)
		decodeRecord("m1", value, false)
		r, number, err := decodeRecord("m1", value, true)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		value, err = encodeRecord(r, number)
		if err != nil {
			t.Fatalf("%+v was read and can't be written: %v", r, err)
		}
		again, same, err := decodeRecord("m1", value, true)
		if diff := cmp.Diff(r, again); diff != "" || err != nil || same != number {
			t.Errorf("not the same again: %v\n%s", err, diff)
		}
	})
}

// Any record that the store takes comes back as it was.
func FuzzRecord(f *testing.F) {
	f.Add("tanks", "Ann", "a1 a2", "first", "goal", int64(1_700_000_000_000), int64(-5), uint64(3))
	f.Fuzz(func(t *testing.T, game, name, moves, result, reason string, ms, step int64, number uint64) {
		r := Finished{
			ID: "m1", Code: "ABCDEF", Game: game, First: Occupant{Person, name, name}, Second: Occupant{Guest, "", name},
			Result: result, Reason: reason, Started: fromMS(ms), Ended: fromMS(ms + step), Options: games.Options{name: int(step)},
		}
		for i, m := range strings.Split(moves, " ") {
			r.Moves = append(r.Moves, games.Move(m))
			r.Times = append(r.Times, fromMS(ms+int64(i)*step))
		}
		r.Plies = len(r.Moves)
		if checkRecord(r) != nil {
			return
		}
		value, err := encodeRecord(r, number)
		if err != nil {
			t.Fatal(err)
		}
		again, same, err := decodeRecord("m1", value, true)
		if diff := cmp.Diff(r, again); diff != "" || err != nil || same != number {
			t.Errorf("not the same again: %v\n%s", err, diff)
		}
		r.Moves, r.Times = nil, nil
		head, _, err := decodeRecord("m1", value, false)
		if diff := cmp.Diff(r, head, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("the head is not the same: %v\n%s", err, diff)
		}
	})
}
