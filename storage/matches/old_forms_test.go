package matches

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
)

// The tests in this file draw values that an older version could store, write them in the form of that version, and want the same values
// back after the migration.

// reseal returns a sealed value with another version.
func reseal(version int, value []byte) []byte { return storage.Seal(version, value[1:len(value)-4]) }

// rewritten returns the present form of an old value. The migration must leave it as it is when it comes again.
func rewritten(t *rapid.T, table storage.AnyTable, old []byte) []byte {
	t.Helper()
	value := migrations.Rewrite(table.TableName(), old)
	if again := migrations.Rewrite(table.TableName(), value); string(again) != string(value) {
		t.Fatalf("%q is rewritten again, as %q", value, again)
	}
	return value
}

// readsAs fails unless what was read of a rewritten value is what was stored.
func readsAs(t *rapid.T, want, got any, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
}

func drawText(t *rapid.T, what string) string {
	return rapid.SampledFrom([]string{"", "a1", "h7xg6", "Zoé <&>", "\x00\x1b\u2028"}).Draw(t, what)
}

func drawTime(t *rapid.T, what string) time.Time {
	return storage.FromMS(rapid.Int64Range(-1000, 2_000_000_000_000).Draw(t, what))
}

func drawWhole(t *rapid.T, what string) time.Duration {
	return time.Duration(rapid.Int64Range(0, 1<<40).Draw(t, what)) * time.Millisecond
}

func drawOccupant(t *rapid.T, what string) storage.Occupant {
	switch kind := rapid.SampledFrom([]storage.OccupantKind{storage.Free, storage.Person, storage.Guest, storage.Bot}).Draw(t, what); kind {
	case storage.Free:
		return storage.Occupant{}
	default:
		return storage.Occupant{Kind: kind, ID: rapid.SampledFrom([]string{"p1", "random"}).Draw(t, what), Name: drawText(t, what)}
	}
}

// drawOpening draws an opening as events of a version say it.
func drawOpening(t *rapid.T, version int) Opening {
	o := Opening{
		Code: drawText(t, "code"), Game: drawText(t, "game"), Options: games.Options{"rows": rapid.IntRange(-9, 9).Draw(t, "rows"), "cols": 1 << 40},
		Rated: rapid.Bool().Draw(t, "rated"), Public: rapid.Bool().Draw(t, "public"), First: drawOccupant(t, "first"), Second: drawOccupant(t, "second"),
		Reserved: drawOccupant(t, "reserved"), RematchOf: storage.MatchID(drawText(t, "rematch")),
	}
	if version >= 2 && rapid.Bool().Draw(t, "given") {
		o.Moves = []games.Move{"a2-a3", "h7xg6"}
	}
	if version >= 3 {
		o.By = drawOccupant(t, "by")
	}
	if version >= 4 {
		o.Clock = rapid.SampledFrom([]string{"", "5+3", "3d"}).Draw(t, "clock")
	}
	if version >= 5 {
		o.Range, o.Wait, o.From = [2]int{0, rapid.IntRange(0, 3000).Draw(t, "range")}, rapid.IntRange(0, 60).Draw(t, "wait"), drawText(t, "from")
	}
	return o
}

// drawEvent draws an event as a program wrote it with a version of events.
func drawEvent(t *rapid.T, seq uint64, version int) Event {
	e := Event{Seq: seq, Version: EventVersion, Kind: Opened, Seat: storage.Seat(rapid.IntRange(0, 2).Draw(t, "seat")), At: drawTime(t, "at")}
	if seq == 1 {
		o := drawOpening(t, version)
		e.Opening = &o
		return e
	}
	kinds := []Kind{Moved, Moved, Moved, Joined, Offered, Answered, Resigned, Flagged, Ended}
	if version >= 2 {
		kinds = append(kinds, TakenBack, Helped)
	}
	if version >= 4 {
		kinds = append(kinds, Resumed)
	}
	if version >= 6 {
		kinds = append(kinds, Claimed)
	}
	e.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	e.Lag = time.Duration(rapid.Int64Range(-1, 50).Draw(t, "lag")) * time.Millisecond
	switch e.Kind {
	case Moved:
		e.Move = games.Move(drawText(t, "move"))
	case Joined:
		e.Who = drawOccupant(t, "who")
	case Offered, Answered:
		e.Offer, e.Yes = OfferDraw, rapid.Bool().Draw(t, "yes")
	case TakenBack:
		e.Plies = 2
	case Resumed:
		e.Left = [2]time.Duration{drawWhole(t, "left"), 0}
	case Claimed:
		e.At = sampleTime
		e.Result, e.Absence = "first", Absence{sampleTime.Add(-time.Minute), rapid.Bool().Draw(t, "dropped")}
	case Ended:
		e.Result, e.Reason = rapid.SampledFrom([]string{"", "first", "draw"}).Draw(t, "result"), drawText(t, "reason")
	}
	return e
}

// oldEvent returns an event as it was stored by itself with a version.
func oldEvent(t *rapid.T, version int, e Event) []byte {
	value, err := sealEvent(e)
	if err != nil {
		t.Fatal(err)
	}
	return reseal(version, value)
}

func TestOldEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, EventVersion).Draw(t, "version")
		e := drawEvent(t, rapid.Uint64Range(1, 3).Draw(t, "seq"), version)
		got, err := decodeBlock(e.Seq, rewritten(t, Logs, oldEvent(t, version, e)))
		readsAs(t, []Event{e}, got, err)
	})
}

// TestOldBlocks reads blocks with entries of several versions, as newer programs appended to the blocks of older ones.
func TestOldBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Uint64Range(1, 2).Draw(t, "first")
		var events []Event
		var content []byte
		before := int64(0)
		for i := range rapid.Uint64Range(1, 8).Draw(t, "events") {
			version := rapid.IntRange(1, EventVersion).Draw(t, "version")
			e := drawEvent(t, first+i, version)
			events = append(events, e)
			content = appendOldEntry(t, content, version, e, before)
			before = e.At.UnixMilli()
		}
		got, err := decodeBlock(first, rewritten(t, Logs, storage.Seal(BlockVersion, content)))
		readsAs(t, events, got, err)
	})
}

// appendOldEntry appends an event as an entry of a block, with an older version.
func appendOldEntry(t *rapid.T, block []byte, version int, e Event, before int64) []byte {
	if bare := (Event{Seq: e.Seq, Version: e.Version, Kind: Moved, Seat: e.Seat, At: e.At, Lag: e.Lag, Move: e.Move}); e != bare || e.Lag < 0 {
		value := oldEvent(t, version, e)
		return append(appendNumbers(append(block, 0), e.At.UnixMilli()-before, uint64(len(value))), value...)
	}
	flags := moveEntry | byte(e.Seat)<<seatShift
	numbers := []uint64{uint64(version), uint64(len(e.Move))}
	if e.Lag > 0 {
		flags |= lagEntry
		numbers = []uint64{uint64(version), uint64(e.Lag.Milliseconds()), uint64(len(e.Move))}
	}
	return append(appendNumbers(append(block, flags), e.At.UnixMilli()-before, numbers...), e.Move...)
}

// withoutLength returns the content of a record as it was before version 7, whose head ends with the length of the text of the moves.
func withoutLength(t *rapid.T, content []byte) []byte {
	size, n := binary.Uvarint(content)
	head, moves := content[n:n+int(size)], content[n+int(size):]
	at := bytes.LastIndex(head, []byte(`,"l":`))
	if at < 0 {
		t.Fatalf("no length in %q", head)
	}
	head = append(bytes.Clone(head[:at]), '}')
	return slices.Concat(binary.AppendUvarint(nil, uint64(len(head))), head, moves)
}

func TestOldRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, results.RecordVersion).Draw(t, "version")
		f := results.Finished{
			ID: "m", Code: "ABCDEF", Game: "tanks", Options: games.Options{"rows": 8}, First: drawOccupant(t, "first"), Second: storage.Occupant{Kind: storage.Guest, ID: "g", Name: "G"},
			Result: rapid.SampledFrom([]string{"", "first", "second", "draw"}).Draw(t, "result"), Reason: drawText(t, "reason"), Rated: rapid.Bool().Draw(t, "rated"),
			Public: rapid.Bool().Draw(t, "public"), Started: drawTime(t, "started"), Ended: drawTime(t, "ended"), Plies: rapid.IntRange(0, 3).Draw(t, "plies"),
		}
		if version >= 2 {
			f.Start, f.Helped = rapid.IntRange(0, f.Plies).Draw(t, "start"), results.Help{Hints: rapid.IntRange(0, 2).Draw(t, "hints"), Takebacks: rapid.IntRange(0, 2).Draw(t, "takebacks")}
		}
		if version >= 3 {
			f.Short = !f.Rated && rapid.Bool().Draw(t, "short")
		}
		if version >= 4 {
			f.Clock = rapid.SampledFrom([]string{"", "5+3", "3d"}).Draw(t, "clock")
		}
		if version >= 5 {
			f.Temporary = !f.Rated && rapid.Bool().Draw(t, "temporary")
		}
		if version >= 6 && !f.Rated && !f.Short {
			f.From = drawText(t, "from")
		}
		for range f.Plies {
			f.Moves, f.Times = append(f.Moves, games.Move(drawText(t, "move"))), append(f.Times, drawTime(t, "time"))
			if f.Clock != "" {
				f.Left = append(f.Left, drawWhole(t, "left"))
			}
		}
		value, err := encodeRecord(f, 7)
		if err != nil {
			t.Fatal(err)
		}
		old := value
		if version < 7 {
			old = storage.Seal(version, withoutLength(t, value[1:len(value)-4]))
		}
		now := rewritten(t, results.Records, old)
		got, number, err := decodeRecord("m", now, true)
		readsAs(t, f, got, err)
		if number != 7 || string(now) != string(value) {
			t.Fatalf("number %d of %q, want %q", number, now, value)
		}
	})
}

// drawRating draws a rating as it was before ranks needed opponents, or with them.
func drawRating(t *rapid.T, opponents bool) results.Rating {
	r := results.Rating{
		Rating: rapid.Float64().Draw(t, "rating"), Deviation: 350, Volatility: 0.06, At: drawTime(t, "at"), Played: rapid.IntRange(0, 1<<20).Draw(t, "played"),
		Won: 1, Drawn: 2, Lost: rapid.IntRange(0, 9).Draw(t, "lost"),
	}
	if opponents {
		r.Opponents, r.Blocks, r.NeedsOpponents, r.Settled = rapid.IntRange(0, 5).Draw(t, "opponents"), 3, rapid.Bool().Draw(t, "needs"), rapid.Bool().Draw(t, "settled")
	}
	return r
}

func TestOldRatings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, 2).Draw(t, "version")
		r := drawRating(t, version > 1)
		content := appendRating(nil, r)
		if version > 1 {
			content = appendOpponents(content, r)
		}
		got, err := decodeRating(rewritten(t, results.Ratings, storage.Seal(version, content)))
		readsAs(t, r, got, err)
	})
}

func TestOldChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, 3).Draw(t, "version")
		var c [2]results.RatingChange
		var content []byte
		for i := range c {
			c[i] = results.RatingChange{Before: drawRating(t, version > 2), After: drawRating(t, version > 2), Weight: 1}
			content = appendRating(appendRating(content, c[i].Before), c[i].After)
			if version > 1 {
				c[i].Weight, c[i].Why = rapid.Float64Range(0, 1).Draw(t, "weight"), rapid.SampledFrom([]results.Discount{"", results.NewAccount, results.Unrated}).Draw(t, "why")
			}
		}
		for _, c := range c {
			if version > 1 {
				content = appendWeight(content, c)
			}
		}
		for _, c := range c {
			if version > 2 {
				content = appendOpponents(appendOpponents(content, c.Before), c.After)
			}
		}
		got, err := decodeChanges(rewritten(t, results.Changes, storage.Seal(version, content)))
		readsAs(t, &c, got, err)
	})
}

func TestOldVisits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, 2).Draw(t, "version")
		v := accounts.Visit{From: "x", Last: drawTime(t, "last"), Public: version == 2}
		got, err := accounts.Visits.Values.Decode(accounts.Origin{Player: "p", From: "x"}, rewritten(t, accounts.Visits, storage.Seal(version, storage.AppendMS(nil, v.Last.UnixMilli()))))
		readsAs(t, v, got, err)
	})
}

func TestOldResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, 4).Draw(t, "version")
		r := results.Result{
			Match: "m", Game: drawText(t, "game"), First: storage.PlayerID(drawText(t, "first")), Second: "q", Result: rapid.SampledFrom([]string{"first", "second", "draw"}).Draw(t, "result"),
			Ended: drawTime(t, "ended").UnixMilli(), Rules: version,
		}
		if version >= 2 {
			r.Since = [2]int64{drawTime(t, "since").UnixMilli(), drawTime(t, "since").UnixMilli()}
		}
		if version >= 3 {
			r.Moves = drawText(t, "moves")
		}
		if version >= 4 && rapid.Bool().Draw(t, "not salvaged") {
			r.Settled = rapid.IntRange(0, 5).Draw(t, "settled")
			r.Known = &[2]results.Opponent{{SameBlock: true, Block: rapid.IntRange(0, 3).Draw(t, "block"), Senior: true}, {Lost: 3, LostTo: 2, LostToOthers: 1}}
		}
		content, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		old := bytes.Replace(content, fmt.Appendf(nil, `,"u":%d`, version), nil, 1) // the version was in the seal alone
		got, err := results.Results.Values.Decode(7, rewritten(t, results.Results, storage.Seal(version, old)))
		readsAs(t, r, got, err)
	})
}

func TestOldRecentMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := results.Form{}
		for range rapid.IntRange(0, 3).Draw(t, "matches") {
			f.Day = append(f.Day, results.RecentMatch{Ended: drawTime(t, "ended").UnixMilli(), Game: drawText(t, "game"), Against: storage.PlayerID(drawText(t, "against"))})
		}
		old, err := storage.SealJSON(1, f.Day)
		if err != nil {
			t.Fatal(err)
		}
		now := rewritten(t, results.RecentMatches, old)
		got, err := results.RecentMatches.Values.Decode("p", now)
		readsAs(t, f, got, err)
		if written, err := results.RecentMatches.Values.Encode(f); err != nil || string(written) != string(now) { // Recompute compares bytes
			t.Fatalf("written as %q, %v, and rewritten as %q", written, err, now)
		}
	})
}

func TestOldPlayers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := accounts.Player{ID: "p", Name: drawText(t, "name"), NameKey: drawText(t, "key"), Since: drawTime(t, "since"), Settings: accounts.Settings{Theme: drawText(t, "theme"), Mute: rapid.Bool().Draw(t, "mute")}}
		value, err := accounts.Players.Values.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		now := rewritten(t, accounts.Players, reseal(rapid.IntRange(1, 2).Draw(t, "version"), value))
		got, err := accounts.Players.Values.Decode("p", now)
		readsAs(t, p, got, err)
	})
}

func TestOldSummaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.IntRange(1, SummaryVersion).Draw(t, "version")
		m := Summary{
			ID: "m", Seq: rapid.Uint64Range(1, 1<<40).Draw(t, "seq"), At: drawTime(t, "at"), Opened: drawTime(t, "opened"), Given: rapid.IntRange(0, 9).Draw(t, "given"),
			Turn: storage.Seat(rapid.IntRange(0, 2).Draw(t, "turn")), Opener: storage.Seat(rapid.IntRange(0, 2).Draw(t, "opener")),
			Helped: results.Help{Hints: rapid.IntRange(0, 2).Draw(t, "hints"), Takebacks: rapid.IntRange(0, 200).Draw(t, "takebacks")},
		}
		m.Opening = drawOpening(t, map[int]int{1: 3, 2: 4, 3: 4, 4: 5, 5: 6}[version])
		m.Opening.Moves = nil
		m.Plies = m.Given + rapid.IntRange(0, 300).Draw(t, "plies")
		if rapid.Bool().Draw(t, "has started") {
			m.Started = drawTime(t, "started")
		}
		if m.Opening.Clock != "" {
			m.Clock = ClockState{Left: [2]time.Duration{drawWhole(t, "left"), drawWhole(t, "left")}, Moved: [2]bool{rapid.Bool().Draw(t, "moved"), rapid.Bool().Draw(t, "moved")}}
			if rapid.Bool().Draw(t, "thinking") {
				m.Clock.Since = drawTime(t, "since")
			}
		}
		if version >= 5 {
			m.Offers = Offers{Draw: storage.Seat(rapid.IntRange(0, 2).Draw(t, "draw")), Takeback: storage.Seat(rapid.IntRange(0, 2).Draw(t, "takeback"))}
		}
		value, err := encodeSummary(m)
		if err != nil {
			t.Fatal(err)
		}
		var old []byte
		switch content := value[1 : len(value)-4]; version {
		case 1, 2:
			old = storage.Seal(version, oldSummaryJSON(t, m))
		case 3, 4:
			old = storage.Seal(version, append(append([]byte{}, content[:3]...), content[4:]...)) // without offers
		default:
			old = value
		}
		got, err := newSummaryReader().read("m", rewritten(t, Summaries, old))
		readsAs(t, m, got, err)
		if empty := rewritten(t, Summaries, []byte{}); len(empty) != 0 {
			t.Fatalf("a summary that is left to be made is %q", empty)
		}
	})
}

// oldSummaryJSON returns the content of a summary as versions 1 and 2 wrote it.
func oldSummaryJSON(t *rapid.T, m Summary) []byte {
	ms := func(at time.Time) *int64 {
		if at.IsZero() {
			return nil
		}
		n := at.UnixMilli()
		return &n
	}
	j := map[string]any{
		"n": m.Seq, "t": m.At.UnixMilli(), "o": m.Opening, "p": m.Opener, "b": m.Opened.UnixMilli(), "s": ms(m.Started), "g": m.Given, "m": m.Plies, "w": m.Turn,
		"h": m.Helped.Hints, "k": m.Helped.Takebacks,
	}
	if m.Opening.Clock != "" {
		j["c"] = map[string]any{"l": []int64{m.Clock.Left[0].Milliseconds(), m.Clock.Left[1].Milliseconds()}, "s": ms(m.Clock.Since), "m": m.Clock.Moved}
	}
	content, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Values that say more than their version can, and bytes that are no value, stay as they are, and damaged.
func TestOldFormsThatMakeNoSense(t *testing.T) {
	block := func(content string) []byte { return storage.Seal(BlockVersion, []byte(content)) }
	for name, tt := range map[string]struct {
		table storage.AnyTable
		old   []byte
	}{
		"a hint in version 1":             {Logs, storage.Seal(1, []byte(`{"k":"helped","s":1,"t":1}`))},
		"a resumption in version 3":       {Logs, storage.Seal(3, []byte(`{"k":"resumed","t":1,"c":[0,0]}`))},
		"given moves in version 1":        {Logs, storage.Seal(1, []byte(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"moves":["a1"]}}`))},
		"who opened it in version 2":      {Logs, storage.Seal(2, []byte(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"by":{"kind":"player","id":"p","name":"P"}}}`))},
		"a clock in version 3":            {Logs, storage.Seal(3, []byte(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"clock":"5+3"}}`))},
		"a range in version 4":            {Logs, storage.Seal(4, []byte(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"range":[1400,1600]}}`))},
		"a wait in version 4":             {Logs, storage.Seal(4, []byte(`{"k":"opened","t":1,"o":{"code":"A","game":"tanks","options":{},"wait":60}}`))},
		"a claim in version 5":            {Logs, storage.Seal(5, []byte(`{"k":"claimed","s":1,"t":9,"r":"first","g":1}`))},
		"an unknown field":                {Logs, storage.Seal(1, []byte(`{"k":"moved","s":1,"t":1,"z":"a1"}`))},
		"a block cut off":                 {Logs, block("\x05\x00\x02\x05a")},
		"a block with a hint before":      {Logs, block("\x00\x02\x1f" + string(storage.Seal(1, []byte(`{"k":"helped","s":1,"t":1}`))))},
		"a move of no version":            {Logs, block("\x05\x00\x00\x00")},
		"a move of a later version":       {Logs, block("\x05\x00\x07\x00")},
		"given moves in a record 1":       {results.Records, storage.Seal(1, []byte("\x25"+`{"c":"A","g":"t","o":{},"t":1,"a":1}  `+"\x00"))},
		"a clock in a record 3":           {results.Records, storage.Seal(3, []byte("\x25"+`{"c":"A","g":"t","o":{},"t":1,"k":"3d"}`[:37]+"\x00"))},
		"no head":                         {results.Records, storage.Seal(2, []byte("\x25{}"))},
		"a wrong checksum":                {results.Records, []byte("\x01abcdefgh")},
		"terms in a summary 3":            {Summaries, storage.Seal(3, []byte("\x40\x01\x02\x02\x02\x07\x02\x03\x02\x03\x00\x00\x00\x00\x01\x01\x01\x00\x00\x00\x00\x00"))},
		"a clock in a summary 1":          {Summaries, storage.Seal(1, []byte(`{"n":1,"t":1,"o":{"code":"A","game":"t","options":{},"clock":"5+3"},"b":1,"c":{"l":[1,1],"m":[true,true]}}`))},
		"an occupant of an unknown kind":  {Summaries, storage.Seal(2, []byte(`{"n":1,"t":1,"o":{"code":"A","game":"t","options":{},"first":{"kind":"ghost"}},"b":1}`))},
		"recent matches of no list":       {results.RecentMatches, storage.Seal(1, []byte(`{}`))},
		"a visit of half a time":          {accounts.Visits, storage.Seal(1, []byte("1234"))},
		"a result that none can have":     {results.Results, storage.Seal(1, []byte(`{"m":"m","g":"t","f":"p","s":"q","r":"both","t":1}`))},
		"a rating with too much":          {results.Ratings, storage.Seal(1, append(appendRating(nil, results.Rating{}), 0))},
		"a change of a single rating":     {results.Changes, storage.Seal(1, appendRating(nil, results.Rating{}))},
		"a change with one weight":        {results.Changes, storage.Seal(2, fmt.Append(appendRating(nil, results.Rating{}), "12345678\x00"))},
		"a player with an unknown field":  {accounts.Players, storage.Seal(1, []byte(`{"name":"a","name_key":"a","since":1,"age":7}`))},
		"a version that no program wrote": {accounts.Players, storage.Seal(9, []byte(`{"name":"a","name_key":"a","since":1}`))},
	} {
		now := migrations.Rewrite(tt.table.TableName(), tt.old)
		key := map[string]string{"logs": "m\x00\x00\x00\x00\x00\x00\x00\x00\x02", "results": "\x00\x00\x00\x00\x00\x00\x00\x01", "changes": "\x00\x00\x00\x00\x00\x00\x00\x01",
			"ratings": "tanks\x00aaaaaaaaaaaaaaaa", "visits": "aaaaaaaaaaaaaaaa\x00x", "players": "aaaaaaaaaaaaaaaa", "recent_matches": "aaaaaaaaaaaaaaaa"}[tt.table.TableName()]
		if key == "" {
			key = "m"
		}
		if err := tt.table.Valid([]byte(key), now); err == nil {
			t.Errorf("%s: %q is rewritten as %q, which counts as whole", name, tt.old, now)
		}
	}
}

// appendNumbers appends a signed varint and unsigned ones.
func appendNumbers(b []byte, signed int64, unsigned ...uint64) []byte {
	b = binary.AppendVarint(b, signed)
	for _, n := range unsigned {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// appendWeight appends how much a match counted, and why.
func appendWeight(b []byte, c results.RatingChange) []byte {
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(c.Weight))
	return append(binary.AppendUvarint(b, uint64(len(c.Why))), c.Why...)
}
