package matches

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/results"
)

var sampleTime = time.UnixMilli(1_700_000_000_123).UTC()

func sampleEvents() []Event {
	o := Opening{
		Code: "ABCDEF", Game: "petteia", Options: games.Options{"rows": 8}, Rated: true, Public: true,
		First: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Ann"}, Second: storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}, Reserved: storage.Occupant{Kind: storage.Guest, ID: "g", Name: "guest-1"},
		RematchOf: "m2", Moves: []games.Move{"a1-a5", "h8-h4"}, By: storage.Occupant{Kind: storage.Person, ID: "p3", Name: "Bea"}, Clock: "5+3",
		Range: [2]int{1400, 1600}, Wait: 60, From: "turn=O XO/..",
	}
	return []Event{
		{Seq: 1, Version: EventVersion, Kind: Opened, Seat: storage.FirstSeat, At: sampleTime, Opening: &o},
		{Seq: 2, Version: EventVersion, Kind: Joined, Seat: storage.SecondSeat, At: sampleTime, Who: storage.Occupant{Kind: storage.Person, ID: "p2", Name: "Bób <&>"}},
		{Seq: 3, Version: EventVersion, Kind: Moved, Seat: storage.FirstSeat, At: sampleTime, Lag: 30 * time.Millisecond, Move: "e2xe4"},
		{Seq: 4, Version: EventVersion, Kind: Answered, Seat: storage.SecondSeat, At: sampleTime, Offer: "draw", Yes: true},
		{Seq: 5, Version: EventVersion, Kind: Ended, At: sampleTime, Result: "second", Reason: "abandoned"},
		{Seq: 6, Version: EventVersion, Kind: TakenBack, Seat: storage.SecondSeat, At: sampleTime, Plies: 2},
		{Seq: 7, Version: EventVersion, Kind: Helped, Seat: storage.FirstSeat, At: sampleTime},
		{Seq: 8, Version: EventVersion, Kind: Flagged, Seat: storage.FirstSeat, At: sampleTime},
		{Seq: 9, Version: EventVersion, Kind: Resumed, At: sampleTime, Left: [2]time.Duration{time.Millisecond, 0}},
		{Seq: 10, Version: EventVersion, Kind: Claimed, Seat: storage.FirstSeat, At: sampleTime, Result: "first", Absence: Absence{sampleTime.Add(-time.Minute), true}},
		{Seq: 11, Version: EventVersion, Kind: Vacation, Seat: storage.FirstSeat, At: sampleTime, Until: sampleTime.Add(time.Hour)},
		{Seq: 12, Version: EventVersion, Kind: Continued, Seat: storage.SecondSeat, At: sampleTime},
	}
}

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

func sampleSummary() Summary {
	return Summary{
		ID: "m", Seq: 7, At: sampleTime.Add(time.Hour), Opened: sampleTime, Started: sampleTime, Given: 2, Plies: 3, Turn: storage.SecondSeat,
		Opening: Opening{Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Guest, ID: "g", Name: "G"}},
		Opener:  storage.FirstSeat, Helped: results.Help{Hints: 2, Takebacks: 3},
	}
}

// blockOf returns events as a block of a log.
func blockOf(t testing.TB, events ...Event) []byte {
	t.Helper()
	var content []byte
	var before int64
	for _, e := range events {
		var err error
		if content, err = appendEntry(content, e, before); err != nil {
			t.Fatal(err)
		}
		before = e.At.UnixMilli()
	}
	return storage.Seal(BlockVersion, content)
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
	summary, err := encodeSummary(sampleSummary())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		value  []byte
		decode func([]byte) error
	}{
		"block":     {blockOf(t, sampleEvents()...), func(b []byte) error { _, err := decodeBlock(1, b); return err }},
		"summary":   {summary, func(b []byte) error { _, err := newSummaryReader().read("m", b); return err }},
		"event":     {event, func(b []byte) error { _, err := decodeEvent(3, b); return err }},
		"record":    {record, func(b []byte) error { _, _, err := decodeRecord("m1", b, true); return err }},
		"head":      {record, func(b []byte) error { _, _, err := decodeRecord("m1", b, false); return err }},
		"analysis":  {sampleAnalysis(t), func(b []byte) error { _, err := decodeAnalysis(b); return err }},
		"rating":    {encodeRating(results.Rating{Rating: 1500, Deviation: 350, Volatility: 0.06, At: sampleTime, Played: 3, Won: 1, Drawn: 1, Lost: 1}), func(b []byte) error { _, err := decodeRating(b); return err }},
		"changes":   {encodeChanges([2]results.RatingChange{{Weight: 1}, {Weight: 1}}), func(b []byte) error { _, err := decodeChanges(b); return err }},
		"discounts": {encodeChanges([2]results.RatingChange{{Weight: 0.25, Why: results.NewAccount}, {Weight: 1}}), func(b []byte) error { _, err := decodeChanges(b); return err }},
		"recent":    {sampleRecent(t), func(b []byte) error { _, err := results.RecentMatches.Values.Decode("p", b); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tt.decode(tt.value); err != nil {
				t.Fatalf("whole: %v", err)
			}
			for i := range len(tt.value) * 8 {
				b := bytes.Clone(tt.value)
				b[i/8] ^= 1 << (i % 8)
				if err := tt.decode(b); !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("bit %d turned: %v, want ErrDamaged", i, err)
				}
			}
			for n := range tt.value {
				if err := tt.decode(tt.value[:n]); !errors.Is(err, storage.ErrDamaged) {
					t.Errorf("cut to %d bytes: %v, want ErrDamaged", n, err)
				}
			}
		})
	}
}

// Values with a right checksum and wrong contents: what a later program, or a mistake, might write.
func TestStrictDecoding(t *testing.T) {
	version := func(version int, json string) error {
		_, err := decodeEvent(2, storage.Seal(version, []byte(json)))
		return err
	}
	event := func(json string) error { return version(EventVersion, json) }
	if err := event(`{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a later version":                 version(EventVersion+1, `{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`),
		"an older version":                version(EventVersion-1, `{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`),
		"no version":                      version(0, `{"k":"moved","s":1,"t":1700000000123,"m":"a1"}`),
		"an unknown field":                event(`{"k":"moved","s":1,"t":1700000000123,"z":"a1"}`),
		"nothing taken back":              event(`{"k":"taken_back","s":1,"t":1700000000123}`),
		"less than nothing taken back":    event(`{"k":"taken_back","s":1,"t":1700000000123,"b":-1}`),
		"a move that takes back":          event(`{"k":"moved","s":1,"t":1700000000123,"m":"a1","b":1}`),
		"an older record":                 decodeHead(results.RecordVersion-1, `{"c":"A","g":"tanks","o":{},"t":1,"n":2}`),
		"more given moves than moves":     decodeHead(results.RecordVersion, `{"c":"A","g":"tanks","o":{},"t":1,"n":2,"a":3}`),
		"resumed without times":           event(`{"k":"resumed","t":1700000000123}`),
		"resumed with less than nothing":  event(`{"k":"resumed","t":1700000000123,"c":[0,-1]}`),
		"resumed with a time without end": event(`{"k":"resumed","t":1700000000123,"c":[0,9223372036854775807]}`),
		"a move with times":               event(`{"k":"moved","s":1,"t":1700000000123,"m":"a1","c":[0,0]}`),
		"a range upside down":             decodeFirst(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"range":[1600,1400]}}`),
		"a wait without end":              decodeFirst(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"wait":31536001}}`),
		"an unknown kind":                 event(`{"k":"sneezed","t":1700000000123}`),
		"no kind":                         event(`{}`),
		"an unknown seat":                 event(`{"k":"moved","s":3,"t":1700000000123}`),
		"no opening":                      event(`{"k":"opened","t":1700000000123}`),
		"a late opening":                  event(`{"k":"opened","t":1700000000123,"o":{"code":"A","game":"tanks","options":{}}}`),
		"a wrong result":                  event(`{"k":"ended","t":1700000000123,"r":"both"}`),
		"a lag without end":               event(`{"k":"moved","t":1,"l":9223372036854775807}`),
		"two values":                      event(`{"k":"moved","t":1}{}`),
		"something after it":              event(`{"k":"moved","t":1} x`),
		"not JSON":                        event(`moved`),
		"a record of zeros": func() error {
			_, _, err := decodeRecord("m", storage.Seal(results.RecordVersion, make([]byte, 9)), true)
			return err
		}(),
		"a weight above 1": func() error {
			_, err := decodeChanges(encodeChanges([2]results.RatingChange{{Weight: 2}, {Weight: 1}}))
			return err
		}(),
		"no weight": func() error {
			_, err := decodeChanges(encodeChanges([2]results.RatingChange{{Weight: math.NaN()}, {Weight: 1}}))
			return err
		}(),
		"on vacation in the past": event(`{"k":"vacation","s":1,"t":1700000000123,"u":1700000000123}`),
		"a move with a vacation":  event(`{"k":"moved","s":1,"t":1700000000123,"m":"a1","u":1700000000124}`),
		"on vacation for ever":    event(`{"k":"vacation","s":1,"t":1700000000123,"u":9223372036854775807}`),
		"a rating too many":       func() error { _, err := decodeRating(encodeChanges([2]results.RatingChange{})); return err }(),
	} {
		if !errors.Is(err, storage.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

func sampleRecent(t *testing.T) []byte {
	value, err := results.RecentMatches.Values.Encode(results.Form{Day: []results.RecentMatch{{Ended: sampleTime.UnixMilli(), Game: "tanks", Against: "bob"}}, Lost: []storage.PlayerID{"cid"}, Met: map[string][]results.MetOpponent{"tanks": {{Player: "bob", Block: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func decodeFirst(json string) error {
	_, err := decodeEvent(1, storage.Seal(EventVersion, []byte(json)))
	return err
}

// decodeHead reads the record with this head and without its moves.
func decodeHead(version int, json string) error {
	_, _, err := decodeRecord("m", storage.Seal(version, append(binary.AppendUvarint(nil, uint64(len(json))), json...)), false)
	return err
}

// TestStoredForms: the stored forms don't change.
func TestStoredForms(t *testing.T) {
	opening := &Opening{Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Guest, ID: "g", Name: "G"}}
	given := *opening
	given.Moves = []games.Move{"a2-a3", "h7xg6"}
	shown := Opening{Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}}
	shown.By = storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Ana"}
	timed := shown
	timed.Clock = "5+3"
	study := timed
	study.From = "turn=bot XO/.."
	for name, tt := range map[string]struct {
		seq     uint64
		content string
		want    Event
	}{
		"opened": {1, `{"k":"opened","s":1,"t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"guest","id":"g","name":"G"}}}`, Event{Kind: Opened, Seat: storage.FirstSeat, Opening: opening}},
		"moved with a lag": {2, `{"k":"moved","s":2,"t":1700000000123,"l":30,"m":"a1"}`,
			Event{Kind: Moved, Seat: storage.SecondSeat, Move: "a1", Lag: 30 * time.Millisecond}},
		"opened with moves": {1, `{"k":"opened","s":1,"t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"guest","id":"g","name":"G"},"moves":["a2-a3","h7xg6"]}}`, Event{Kind: Opened, Seat: storage.FirstSeat, Opening: &given}},
		"an exhibition": {1, `{"k":"opened","t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"bot","id":"random","name":"Random"},"by":{"kind":"player","id":"p1","name":"Ana"}}}`, Event{Kind: Opened, Opening: &shown}},
		"opened with a clock": {1, `{"k":"opened","t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"bot","id":"random","name":"Random"},"by":{"kind":"player","id":"p1","name":"Ana"},"clock":"5+3"}}`, Event{Kind: Opened, Opening: &timed}},
		"opened from a position": {1, `{"k":"opened","t":1700000000123,"o":{"code":"ABCDEF","game":"tanks","options":{"rows":8},` +
			`"first":{"kind":"bot","id":"random","name":"Random"},"by":{"kind":"player","id":"p1","name":"Ana"},"clock":"5+3","from":"turn=bot XO/.."}}`,
			Event{Kind: Opened, Opening: &study}},
		"moved":      {2, `{"k":"moved","s":2,"t":1700000000123,"m":"a1"}`, Event{Kind: Moved, Seat: storage.SecondSeat, Move: "a1"}},
		"taken back": {3, `{"k":"taken_back","s":1,"t":1700000000123,"b":2}`, Event{Kind: TakenBack, Seat: storage.FirstSeat, Plies: 2}},
		"helped":     {4, `{"k":"helped","s":1,"t":1700000000123}`, Event{Kind: Helped, Seat: storage.FirstSeat}},
		"flagged":    {5, `{"k":"flagged","s":1,"t":1700000000123}`, Event{Kind: Flagged, Seat: storage.FirstSeat}},
		"on vacation": {7, `{"k":"vacation","s":2,"t":1700000000123,"u":1700000060123}`,
			Event{Kind: Vacation, Seat: storage.SecondSeat, Until: sampleTime.Add(time.Minute)}},
		"not on vacation any more": {8, `{"k":"vacation","s":2,"t":1700000000123}`, Event{Kind: Vacation, Seat: storage.SecondSeat}},
		"continued":                {9, `{"k":"continued","s":1,"t":1700000000123}`, Event{Kind: Continued, Seat: storage.FirstSeat}},
		"resumed": {6, `{"k":"resumed","t":1700000000123,"c":[0,60001]}`,
			Event{Kind: Resumed, Left: [2]time.Duration{0, time.Minute + time.Millisecond}}},
	} {
		tt.want.Seq, tt.want.Version, tt.want.At = tt.seq, EventVersion, sampleTime
		value := storage.Seal(EventVersion, []byte(tt.content))
		got, err := decodeEvent(tt.seq, value)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if written, err := encodeEvent(tt.want); err != nil || !bytes.Equal(written, value) {
			t.Errorf("%s is written as %q, %v", name, written, err)
		}
	}
}

// TestStoredBlocks: the stored forms of logs and summaries don't change.
func TestStoredBlocks(t *testing.T) {
	moves := []Event{
		{Seq: 2, Version: EventVersion, Kind: Moved, Seat: storage.FirstSeat, At: sampleTime, Move: "a1"},
		{Seq: 3, Version: EventVersion, Kind: Moved, Seat: storage.SecondSeat, At: sampleTime.Add(1500 * time.Millisecond), Lag: 30 * time.Millisecond, Move: "h7xg6"},
		{Seq: 4, Version: EventVersion, Kind: Moved, At: sampleTime.Add(1500 * time.Millisecond)},
		{Seq: 5, Version: EventVersion, Kind: Resigned, Seat: storage.FirstSeat, At: sampleTime.Add(2 * time.Second)},
	}
	const resigned = `{"k":"resigned","s":1,"t":1700000002123}`
	want := "\x05\xf6\xa1\xab\xfe\xf9\x62\x06\x02a1" + "\x0b\xb8\x17\x06\x1e\x05h7xg6" + "\x01\x00\x06\x00" +
		"\x00\xe8\x07" + string(rune(len(resigned)+storage.SealBytes)) + string(storage.Seal(6, []byte(resigned)))
	if got := blockOf(t, moves...); string(got) != string(storage.Seal(BlockVersion, []byte(want))) {
		t.Errorf("written as %q, want %q", got[1:len(got)-4], want)
	}
	got, err := decodeBlock(2, blockOf(t, moves...))
	if diff := cmp.Diff(moves, got); diff != "" || err != nil {
		t.Errorf("read: %v\n%s", err, diff)
	}
}

// The stored form of a summary.
func TestStoredSummary(t *testing.T) {
	ms := func(t time.Time) string { return string(binary.AppendVarint(nil, t.UnixMilli())) }
	plain, timed, study := sampleSummary(), sampleSummary(), sampleSummary()
	study.Opening.From = "XO/.."
	timed.Opening.Clock = "5+3"
	timed.Clock = ClockState{Left: [2]time.Duration{5 * time.Minute, time.Millisecond}, Since: sampleTime, Moved: [2]bool{true, false}}
	offered := timed
	offered.Offers = Offers{Draw: storage.SecondSeat, Takeback: storage.FirstSeat}
	paused := timed
	paused.Opening.Clock, paused.Offers.Adjourn, paused.Clock.Used = "3d", storage.SecondSeat, 300*time.Millisecond
	paused.Pauses = Pauses{Vacation: [2]time.Time{1: sampleTime.Add(time.Hour)}, Adjourned: sampleTime}
	bounded := sampleSummary()
	bounded.Opening.Range, bounded.Opening.Wait = [2]int{100, 300}, 60
	for name, tt := range map[string]struct {
		want  Summary
		value []byte
	}{
		"with terms": {bounded, storage.Seal(5, []byte("\x44\x01\x02\x00"+ms(plain.At)+ms(plain.Opened)+ms(plain.Started)+"\x07\x02\x03\x02\x03"+
			"\x06ABCDEF\x05tanks\x00\x00"+"\x64\xac\x02\x3c"+"\x02\x01g\x01G\x00\x00\x00"+"\x06\x04rows\x10"))},
		"from a position": {study, storage.Seal(5, []byte("\x84\x01\x02\x00"+ms(plain.At)+ms(plain.Opened)+ms(plain.Started)+"\x07\x02\x03\x02\x03"+
			"\x06ABCDEF\x05tanks\x00\x00"+"\x05XO/.."+"\x02\x01g\x01G\x00\x00\x00"+"\x06\x04rows\x10"))},
		"plain": {plain, storage.Seal(5, []byte("\x04\x01\x02\x00"+ms(plain.At)+ms(plain.Opened)+ms(plain.Started)+"\x07\x02\x03\x02\x03"+
			"\x06ABCDEF\x05tanks\x00\x00"+"\x02\x01g\x01G\x00\x00\x00"+"\x06\x04rows\x10"))},
		"paused": {paused, storage.Seal(5, []byte("\x1c\x01\x02\x04"+ms(plain.At)+ms(plain.Opened)+ms(plain.Started)+"\x07\x02\x03\x02\x03"+
			"\x06ABCDEF\x05tanks\x00\x023d"+"\xe0\xa7\x12\x01"+ms(timed.Clock.Since)+"\x02\xac\x02\x00"+ms(sampleTime.Add(time.Hour))+ms(sampleTime)+
			"\x02\x01g\x01G\x00\x00\x00"+"\x06\x04rows\x10"))},
		"with offers": {offered, storage.Seal(5, []byte("\x1c\x01\x02\x12"+ms(plain.At)+ms(plain.Opened)+ms(plain.Started)+"\x07\x02\x03\x02\x03"+
			"\x06ABCDEF\x05tanks\x00\x035+3"+"\xe0\xa7\x12\x01"+ms(timed.Clock.Since)+"\x02\x01g\x01G\x00\x00\x00"+"\x06\x04rows\x10"))},
	} {
		m, err := newSummaryReader().read("m", tt.value)
		if diff := cmp.Diff(tt.want, m); diff != "" || err != nil {
			t.Errorf("%s is read: %v\n%s", name, err, diff)
		}
		if value, err := encodeSummary(tt.want); err != nil || string(value) != string(tt.value) {
			t.Errorf("%s is written as %q, %v; want %q", name, value, err, tt.value)
		}
	}
	for name, value := range map[string][]byte{
		"an older version":      storage.Seal(5, []byte("\x04\x01\x02\x00\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
		"no terms":              storage.Seal(5, []byte("\x40\x01\x02\x00\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
		"a position of no text": storage.Seal(5, []byte("\x80\x01\x02\x00\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
		"moved without a clock": storage.Seal(5, []byte("\x10\x01\x02\x00\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
		"nothing":               storage.Seal(3, nil),
		"no pause": storage.Seal(5, []byte("\x04\x01\x02\x04"+ms(plain.At)+ms(plain.Opened)+ms(plain.Started)+"\x07\x02\x03\x02\x03"+
			"\x06ABCDEF\x05tanks\x00\x023d\x00\x00"+"\x00\x00\x00\x00\x00"+"\x02\x01g\x01G\x00\x00\x00"+"\x06\x04rows\x10")),
		"an offer of a third seat": storage.Seal(5, []byte("\x00\x01\x02\x03\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
		"an unknown kind of seat":  storage.Seal(5, []byte("\x00\x01\x02\x00\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x04\x00\x00\x00\x00")),
	} {
		if m, err := newSummaryReader().read("m", value); !errors.Is(err, storage.ErrDamaged) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// Every field of a summary comes back, and one reader reads many: what they have in common is shared, and nothing else.
func TestSummariesComeBack(t *testing.T) {
	waiting := sampleSummary()
	waiting.Started, waiting.Opening.Reserved = time.Time{}, storage.Occupant{Kind: storage.Person, ID: "p9", Name: "Zoé"}
	waiting.Opening.Range, waiting.Opening.Wait = [2]int{0, 3000}, 60
	exhibition := Summary{
		ID: "x", Seq: 1 << 40, At: sampleTime, Opened: sampleTime, Started: sampleTime.Add(time.Minute), Turn: storage.FirstSeat,
		Opening: Opening{
			Code: "BCDEFG", Game: "petteia", Options: games.Options{}, Rated: true, Public: true, RematchOf: "m7",
			First: storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}, Second: storage.Occupant{Kind: storage.Bot, ID: "champion", Name: "Champion"}, By: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Ann"},
		},
	}
	more := sampleSummary()
	more.Opening.Clock, more.Clock = "3d", ClockState{Left: [2]time.Duration{72 * time.Hour, 0}}
	more.Opening.Options, more.Opening.From = games.Options{"rows": -8, "cols": 1 << 40}, "turn=O XO/.."
	away := more
	away.Pauses.Vacation[0], away.Clock.Used = sampleTime.Add(time.Hour), time.Minute
	in := newSummaryReader()
	for i, want := range []Summary{sampleSummary(), waiting, exhibition, more, away, sampleSummary()} {
		value, err := encodeSummary(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.read(want.ID, value)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("summary %d: %v\n%s", i, err, diff)
		}
	}
}

// A reader that lives as long as its node keeps nothing of each match, and a bounded number of the options and clocks that players choose.
func TestSummaryReaderStaysSmall(t *testing.T) {
	in := newSummaryReader()
	read := func(m Summary) {
		t.Helper()
		value, err := encodeSummary(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.read(m.ID, value)
		if diff := cmp.Diff(m, got); diff != "" || err != nil {
			t.Fatalf("read: %v\n%s", err, diff)
		}
	}
	offer := func(i int) Summary {
		m, guest := sampleSummary(), storage.Occupant{Kind: storage.Guest, ID: fmt.Sprint("g", i), Name: fmt.Sprint("Guest ", i)}
		m.Opening.Code, m.Opening.RematchOf, m.Opening.From = fmt.Sprint("C", i), storage.MatchID(fmt.Sprint("m", i)), fmt.Sprint("turn=", i)
		m.Opening.First, m.Opening.By = guest, guest
		m.Opening.Second, m.Opening.Reserved = storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}, storage.Occupant{Kind: storage.Person, ID: fmt.Sprint("p", i), Name: fmt.Sprint("Ann ", i)}
		return m
	}
	read(offer(0))
	texts, options := len(in.texts), len(in.options)
	for i := range 100 {
		read(offer(i + 1))
	}
	if len(in.texts) != texts || len(in.options) != options {
		t.Errorf("after 100 more offers %d texts and %d options are kept, want %d and %d", len(in.texts), len(in.options), texts, options)
	}
	for i := range maxShared + 10 {
		m := offer(0)
		m.Opening.Clock, m.Opening.Options = fmt.Sprint(i+1, "+0"), games.Options{"rows": i}
		read(m)
		if len(in.texts) > maxShared || len(in.options) > maxShared {
			t.Fatalf("%d texts and %d options are kept, want at most %d of each", len(in.texts), len(in.options), maxShared)
		}
	}
}

// TestSummariesThatMakeNoSense: a summary that would not come back as it is, is refused.
func TestSummariesThatMakeNoSense(t *testing.T) {
	for name, change := range map[string]func(*Summary){
		"no events":     func(m *Summary) { m.Seq = 0 },
		"moves":         func(m *Summary) { m.Opening.Moves = []games.Move{"a1"} },
		"fewer moves":   func(m *Summary) { m.Plies = 1 },
		"hints":         func(m *Summary) { m.Helped.Hints = -1 },
		"takebacks":     func(m *Summary) { m.Helped.Takebacks = -1 },
		"a third seat":  func(m *Summary) { m.Turn = 3 },
		"a third owner": func(m *Summary) { m.Opener = 3 },
		"no range":      func(m *Summary) { m.Opening.Range = [2]int{1600, 1400} },
		"below zero":    func(m *Summary) { m.Opening.Range = [2]int{-1, 1400} },
		"no wait":       func(m *Summary) { m.Opening.Wait = -1 },
		"no text":       func(m *Summary) { m.Opening.First.Name = "\xff" },
		"a free name":   func(m *Summary) { m.Opening.Second.Name = "Ann" },
		"half a moment": func(m *Summary) { m.Opening.Clock, m.Clock.Left[0] = "5+3", time.Microsecond },
		"a pause without a clock": func(m *Summary) {
			m.Opening.Clock, m.Clock, m.Pauses.Adjourned = "", ClockState{}, sampleTime
		},
		"half a moment used": func(m *Summary) { m.Opening.Clock, m.Clock.Used = "3d", time.Microsecond },
		"a third adjourns":   func(m *Summary) { m.Opening.Clock, m.Offers.Adjourn = "3d", 3 },
		"only times":         func(m *Summary) { m.Clock.Left[0] = time.Second },
		"a new kind":         func(m *Summary) { m.Opening.First.Kind = "ghost" },
	} {
		m := sampleSummary()
		change(&m)
		if _, err := encodeSummary(m); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// A large block is not written again for each event that follows: an opening may give thousands of moves.
func TestLargeBlocks(t *testing.T) {
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		kv.MakeSections(tx, "logs", "summaries", "codes", "finished")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s := New(engine, results.New(engine, nil), func(kv.Tx, storage.MatchID, time.Time) error { return nil }, func(kv.Reader, string) (bool, error) { return false, nil })
	opening := Opening{Code: "ABCDEF", Game: "tanks", Options: games.Options{}, First: storage.Occupant{Kind: storage.Guest, ID: "g", Name: "G"}, Moves: slices.Repeat([]games.Move{"a2-a3"}, 5000)}
	log := []Event{{Seq: 1, Version: EventVersion, Kind: Opened, Seat: storage.FirstSeat, At: sampleTime, Opening: &opening}}
	for seq := uint64(2); seq <= 200; seq++ {
		log = append(log, Event{Seq: seq, Version: EventVersion, Kind: Moved, Seat: storage.FirstSeat, At: sampleTime, Move: "a2-a3"})
	}
	for at := 0; at < len(log); at += 1 + at%3 {
		if err := s.Append(t.Context(), "m", log[at:min(len(log), at+1+at%3)], Summary{}); err != nil {
			t.Fatal(err)
		}
	}
	err = engine.View(t.Context(), func(r kv.Reader) error {
		var sizes []int
		for p, err := range r.Scan(LogRange("m")) {
			if err != nil {
				return err
			}
			events, err := decodeBlock(binary.BigEndian.Uint64(p.Key[len(p.Key)-8:]), p.Value)
			if err != nil {
				return err
			}
			sizes = append(sizes, len(events))
		}
		if !slices.Equal(sizes, []int{1, 64, 64, 64, 7}) {
			t.Errorf("blocks of %v events", sizes)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	got, err := s.Log(t.Context(), "m", 1, 0)
	if diff := cmp.Diff(log, got); diff != "" || err != nil {
		t.Errorf("the log: %v\n%s", err, diff)
	}
}

// Blocks with a right checksum and wrong contents.
func TestStrictBlocks(t *testing.T) {
	for name, content := range map[string]string{
		"nothing":               "",
		"half a head":           "\x05",
		"half a time":           "\x05\xf6",
		"no version":            "\x05\x00\x00\x00",
		"a later version":       "\x05\x00" + string(rune(EventVersion+1)) + "\x00",
		"an older version":      "\x05\x00" + string(rune(EventVersion-1)) + "\x00",
		"a third seat":          "\x0d\x00\x06\x00",
		"no lag where one is":   "\x07\x00\x06\x00\x00",
		"no kind":               "\x04\x00\x06\x00",
		"a move cut off":        "\x05\x00\x06\x02a",
		"an event cut off":      "\x00\x00\x10{}",
		"too many":              strings.Repeat("\x05\x00\x06\x00", blockEvents+1),
		"two times of an event": "\x00\x02" + "\x20" + string(storage.Seal(EventVersion, []byte(`{"k":"resigned","s":1,"t":0}`)))[:32],
	} {
		if _, err := decodeBlock(2, storage.Seal(BlockVersion, []byte(content))); !errors.Is(err, storage.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	if _, err := decodeBlock(2, storage.Seal(BlockVersion-1, []byte("\x05\x00\x06\x00"))); !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("a version between: %v", err)
	}
	if _, err := decodeBlock(2, storage.Seal(1, []byte(`{"k":"moved","t":1,"m":"a1"}`))); !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("an event by itself: %v", err)
	}
}

func FuzzDecodeBlock(f *testing.F) {
	value := blockOf(f, sampleEvents()...)
	f.Add(uint64(1), value[1:len(value)-4])
	f.Fuzz(func(t *testing.T, seq uint64, content []byte) {
		events, err := decodeBlock(seq, storage.Seal(BlockVersion, content))
		if err != nil {
			if !errors.Is(err, storage.ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		again, err := decodeBlock(seq, blockOf(t, events...))
		if diff := cmp.Diff(events, again); diff != "" || err != nil {
			t.Errorf("not the same again: %v\n%s", err, diff)
		}
	})
}

func TestStoredRecords(t *testing.T) {
	want := results.Finished{
		ID: "m", Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Guest, ID: "g", Name: "G"},
		Result: "first", Reason: "goal", Plies: 2, Started: sampleTime, Ended: sampleTime.Add(time.Minute),
		Course: results.Course{Moves: []games.Move{"a1", "b2"}, Times: []time.Time{sampleTime.Add(time.Second), sampleTime.Add(2 * time.Second)}},
	}
	helped := want
	helped.Start, helped.Helped = 1, results.Help{Hints: 2, Takebacks: 3}
	short := helped
	short.Short = true
	timed := short
	timed.Clock, timed.Left = "5+3", []time.Duration{5 * time.Minute, 12 * time.Millisecond}
	temporary := timed
	temporary.Temporary = true
	study := want
	study.From = "turn=bot XO/.."
	const head = `{"c":"ABCDEF","g":"tanks","o":{"rows":8},"f":{"kind":"guest","id":"g","name":"G"},"r":"first","e":"goal","n":2,` +
		`"b":1700000000123,"t":1700000060123`
	const moves = "\x02\x02a1\xd0\x0f\x02b2\xd0\x0f"
	for name, tt := range map[string]struct {
		head, moves string
		want        results.Finished
	}{
		"plain":           {head + `,"l":13}`, moves, want},
		"with help":       {head + `,"a":1,"h":{"hints":2,"takebacks":3},"l":13}`, moves, helped},
		"short":           {head + `,"a":1,"h":{"hints":2,"takebacks":3},"i":true,"l":13}`, moves, short},
		"with a clock":    {head + `,"a":1,"h":{"hints":2,"takebacks":3},"i":true,"k":"5+3","l":22}`, "\x02\x02a1\xd0\x0f\xe0\xa7\x12\x02b2\xd0\x0f\x0c", timed},
		"temporary":       {head + `,"a":1,"h":{"hints":2,"takebacks":3},"i":true,"k":"5+3","v":true,"l":22}`, "\x02\x02a1\xd0\x0f\xe0\xa7\x12\x02b2\xd0\x0f\x0c", temporary},
		"from a position": {head + `,"x":"turn=bot XO/..","l":13}`, moves, study},
	} {
		value := storage.Seal(results.RecordVersion, append(append(binary.AppendUvarint(nil, uint64(len(tt.head))), tt.head...), tt.moves...))
		got, _, err := decodeRecord("m", value, true)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if written, err := encodeRecord(tt.want, 0); err != nil || !bytes.Equal(written, value) {
			t.Errorf("%s is written as %q, %v", name, written, err)
		}
	}
}

func TestRatingsToTheLastBit(t *testing.T) {
	for _, r := range []results.Rating{
		{},
		{Rating: 1500.0000000000002, Deviation: 350, Volatility: 0.06, At: sampleTime, Played: 1, Won: 1, Drawn: 0, Lost: 0, Opponents: 0, Blocks: 0, NeedsOpponents: true, Settled: false},
		{Rating: math.Pi, Deviation: math.SmallestNonzeroFloat64, Volatility: -math.MaxFloat64, At: sampleTime, Played: 1 << 30, Won: 1 << 20, Drawn: 5, Lost: math.MaxInt32, Opponents: 5, Blocks: 3, NeedsOpponents: false, Settled: true},
		{Rating: math.Pi, Deviation: 1, Volatility: 1, At: sampleTime, Played: 1, Won: 0, Drawn: 0, Lost: 1, Opponents: 0, Blocks: 0, NeedsOpponents: false, Settled: false},
		{Rating: math.Inf(1), Deviation: math.Copysign(0, -1), Volatility: 1e-300, At: time.UnixMilli(-1).UTC(), Played: 0, Won: 0, Drawn: 0, Lost: 0, Opponents: 0, Blocks: 0, NeedsOpponents: true, Settled: true},
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
		if _, err := encodeEvent(e); !errors.Is(err, storage.ErrInvalid) {
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
		e, err := decodeEvent(seq, storage.Seal(EventVersion, content))
		if err != nil {
			if !errors.Is(err, storage.ErrDamaged) {
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
	for _, r := range []results.Finished{sampleRecord(), {Game: "tanks", Code: "ABCDEF", Ended: sampleTime}} {
		value, err := encodeRecord(r, 7)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value[1 : len(value)-4])
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		value := storage.Seal(results.RecordVersion, content)
		decodeRecord("m1", value, false)
		r, number, err := decodeRecord("m1", value, true)
		if err != nil {
			if !errors.Is(err, storage.ErrDamaged) {
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

// A damaged summary whose checksum fits must neither panic nor come back as another one.
func FuzzDecodeSummary(f *testing.F) {
	value, err := encodeSummary(sampleSummary())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value[1 : len(value)-4])
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := newSummaryReader().read("m", storage.Seal(SummaryVersion, content))
		if err != nil {
			if !errors.Is(err, storage.ErrDamaged) {
				t.Fatalf("%v, want ErrDamaged", err)
			}
			return
		}
		again, err := encodeSummary(m)
		if err != nil {
			t.Fatalf("%+v is read, but not written: %v", m, err)
		}
		same, err := newSummaryReader().read("m", again)
		if diff := cmp.Diff(m, same); diff != "" || err != nil {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

// Any record that the store takes comes back as it was.
func FuzzRecord(f *testing.F) {
	f.Add("tanks", "Ann", "a1 a2", "first", "goal", int64(1_700_000_000_000), int64(-5), uint64(3))
	f.Fuzz(func(t *testing.T, game, name, moves, result, reason string, ms, step int64, number uint64) {
		r := results.Finished{
			ID: "m1", Code: "ABCDEF", Game: game, First: storage.Occupant{Kind: storage.Person, ID: name, Name: name}, Second: storage.Occupant{Kind: storage.Guest, ID: "", Name: name},
			Result: result, Reason: reason, Started: storage.FromMS(ms), Ended: storage.FromMS(ms + step), Options: games.Options{name: int(step)},
		}
		for i, m := range strings.Split(moves, " ") {
			r.Moves = append(r.Moves, games.Move(m))
			r.Times = append(r.Times, storage.FromMS(ms+int64(i)*step))
		}
		r.Plies = len(r.Moves)
		if results.CheckRecord(r) != nil {
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
