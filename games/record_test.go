package games_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/petteia"
)

// find knows one game, by its id.
func find(id string) (games.Game, bool) {
	return petteia.New(), id == "petteia"
}

func read(text string) (*games.Record, games.Position, error) {
	return games.ReadRecord(strings.NewReader(text), find)
}

func write(t *testing.T, r *games.Record) string {
	t.Helper()
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRecordText(t *testing.T) {
	r := games.Record{Result: games.TokenDraw}
	r.Set(games.HeaderGame, "petteia")
	r.Set(games.HeaderOptions, "captures_to_win=7 quiet_limit=20 repetition=3 safe_entry=1")
	r.Set(games.HeaderFirst, `Zé "o \ rápido"`)
	r.Set(games.HeaderSecond, "李")
	r.Set(games.HeaderSecond, "李小龍")
	r.Set(games.HeaderResult, games.TokenDraw)
	r.Set(games.HeaderReason, "repetition")
	r.Set("Weather", "")
	for _, m := range strings.Fields("a1-a2 a8-a7 a2-a1 a7-a8 a1-a2 a8-a7 a2-a1 a7-a8") {
		r.Moves = append(r.Moves, games.Move(m))
	}
	want := `[Game "petteia"]
[Options "captures_to_win=7 quiet_limit=20 repetition=3 safe_entry=1"]
[First "Zé \"o \\ rápido\""]
[Second "李小龍"]
[Result "1/2-1/2"]
[Reason "repetition"]
[Weather ""]

1. a1-a2 a8-a7 2. a2-a1 a7-a8 3. a1-a2 a8-a7 4. a2-a1 a7-a8 1/2-1/2
`
	if diff := cmp.Diff(want, write(t, &r)); diff != "" {
		t.Fatalf("written (-want +got):\n%s", diff)
	}
	back, pos, err := read(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&r, back); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if got := pos.Result(); got != games.Drawn("repetition") {
		t.Errorf("the position at the end has the result %v", got)
	}
}

// TestRecordOfRandomGames writes whole games, reads them, and writes them again.
func TestRecordOfRandomGames(t *testing.T) {
	for seed := range uint64(20) {
		g := petteia.New()
		o, err := games.ParseOptions(g, []string{"quiet_limit=60", "captures_to_win=3"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.New(o)
		if err != nil {
			t.Fatal(err)
		}
		rec := games.Record{}
		rec.Set(games.HeaderGame, "petteia")
		rec.Set(games.HeaderOptions, o.String())
		for r := games.NewRandom(seed); !p.Result().Over; {
			legal := p.Legal()
			m := legal[r.N(len(legal))]
			if p, err = p.Play(m); err != nil {
				t.Fatal(err)
			}
			rec.Moves = append(rec.Moves, m)
		}
		rec.Result = p.Result().Token()
		rec.Set(games.HeaderReason, p.Result().Reason)
		text := write(t, &rec)
		for line := range strings.Lines(text) {
			if len(line) > 81 {
				t.Fatalf("%d columns: %s", len(line)-1, line)
			}
		}
		back, end, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		if end.String() != p.String() || end.Result() != p.Result() || write(t, back) != text {
			t.Fatalf("seed %d: read back differs:\n%s", seed, text)
		}
	}
}

// TestRecordTimes: what a side had left stands behind its move, cut to tenths, and comes back.
func TestRecordTimes(t *testing.T) {
	r := games.Record{Result: "*", Headers: []games.Header{{Key: games.HeaderGame, Value: "petteia"}, {Key: games.HeaderClock, Value: "5+3"}}}
	r.Moves = []games.Move{"a1-a2", "a8-a7", "a2-a1", "a7-a8", "a1-a2"}
	r.Left = []time.Duration{games.NoTime, 5 * time.Minute, 9950 * time.Millisecond, time.Hour + 62*time.Second, 0}
	want := "1. a1-a2 a8-a7 {5:00.0} 2. a2-a1 {0:09.9} a7-a8 {1:01:02.0} 3. a1-a2 {0:00.0} *\n"
	text := write(t, &r)
	if _, moves, _ := strings.Cut(text, "\n\n"); moves != want {
		t.Errorf("written %q, want %q", moves, want)
	}
	back, _, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	r.Left[2] = 9900 * time.Millisecond
	if diff := cmp.Diff(r.Left, back.Left); diff != "" || write(t, back) != text {
		t.Errorf("read:\n%s\nwritten again %q", diff, write(t, back))
	}
	for _, d := range []time.Duration{-2, 1000 * time.Hour} {
		if err := (&games.Record{Result: "*", Headers: r.Headers, Moves: r.Moves[:1], Left: []time.Duration{d}}).Write(&strings.Builder{}); err == nil {
			t.Errorf("the time %v is written", d)
		}
	}
	if err := (&games.Record{Result: "*", Headers: r.Headers, Moves: r.Moves, Left: r.Left[:2]}).Write(&strings.Builder{}); err == nil {
		t.Error("times for some of the moves are written")
	}
}

// TestRecordNumbers: numbers are PGN's, also where the second side begins, and read back as they were written.
func TestRecordNumbers(t *testing.T) {
	const from = "turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX.........."
	r := games.Record{Result: "*", Headers: []games.Header{{Key: games.HeaderGame, Value: "petteia"}, {Key: games.HeaderSetUp, Value: "1"}, {Key: games.HeaderFEN, Value: from}}}
	r.Begins, r.Moves = games.Second, []games.Move{"a8-a7", "a1-a2", "a7-a8", "a2-a1"}
	for n, want := range []string{"*", "1... a8-a7 *", "1... a8-a7 2. a1-a2 *", "1... a8-a7 2. a1-a2 a7-a8 *", "1... a8-a7 2. a1-a2 a7-a8 3. a2-a1 *"} {
		part := r
		part.Moves = r.Moves[:n]
		text := write(t, &part)
		if _, moves, _ := strings.Cut(text, "\n\n"); moves != want+"\n" {
			t.Errorf("written %q, want %q", moves, want)
		}
		back, _, err := read(text)
		if err != nil || back.Begins != games.Second || write(t, back) != text {
			t.Errorf("%q is read as %+v, %v", text, back, err)
		}
	}
}

func TestRecordWrap(t *testing.T) {
	// The first line has exactly 80 columns; in the second there is room for a number, but not for its move.
	r := games.Record{Result: "*", Headers: []games.Header{{Key: "Game", Value: "petteia"}}}
	for i := range 16 {
		r.Moves = append(r.Moves, games.Move(strings.Repeat("x", 8+i%3)))
	}
	_, moves, _ := strings.Cut(write(t, &r), "\n\n")
	want := `1. xxxxxxxx xxxxxxxxx 2. xxxxxxxxxx xxxxxxxx 3. xxxxxxxxx xxxxxxxxxx 4. xxxxxxxx
xxxxxxxxx 5. xxxxxxxxxx xxxxxxxx 6. xxxxxxxxx xxxxxxxxxx 7. xxxxxxxx xxxxxxxxx
8. xxxxxxxxxx xxxxxxxx *
`
	if moves != want {
		t.Errorf("got\n%swant\n%s", moves, want)
	}
}

func TestRecordWriteRefuses(t *testing.T) {
	game := games.Header{Key: "Game", Value: "petteia"}
	tests := []struct {
		name string
		rec  games.Record
		want string
	}{
		{"no game", games.Record{Result: "*"}, "Game is missing"},
		{"no result", games.Record{Headers: []games.Header{game}}, "no result"},
		{"unknown result", games.Record{Headers: []games.Header{game}, Result: "0-0"}, "no result"},
		{"two results", games.Record{Headers: []games.Header{game, {Key: "Result", Value: "1-0"}}, Result: "*"}, "the end says"},
		{"twice", games.Record{Headers: []games.Header{game, game}, Result: "*"}, "twice"},
		{"empty key", games.Record{Headers: []games.Header{game, {}}, Result: "*"}, "no key"},
		{"key with a space", games.Record{Headers: []games.Header{game, {Key: "A b"}}, Result: "*"}, "no key"},
		{"key with a digit first", games.Record{Headers: []games.Header{game, {Key: "1a"}}, Result: "*"}, "no key"},
		{"line break", games.Record{Headers: []games.Header{game, {Key: "A", Value: "a\nb"}}, Result: "*"}, "control"},
		{"escape", games.Record{Headers: []games.Header{game, {Key: "A", Value: "\x1b[2J"}}, Result: "*"}, "control"},
		{"C1 control", games.Record{Headers: []games.Header{game, {Key: "A", Value: "\u009b"}}, Result: "*"}, "control"},
		{"bad UTF-8", games.Record{Headers: []games.Header{game, {Key: "A", Value: "\xff"}}, Result: "*"}, "UTF-8"},
		{"empty move", games.Record{Headers: []games.Header{game}, Moves: []games.Move{""}, Result: "*"}, "no move"},
		{"two words", games.Record{Headers: []games.Header{game}, Moves: []games.Move{"a b"}, Result: "*"}, "no move"},
		{"a number", games.Record{Headers: []games.Header{game}, Moves: []games.Move{"1."}, Result: "*"}, "no move"},
		{"a result as a move", games.Record{Headers: []games.Header{game}, Moves: []games.Move{"1-0"}, Result: "*"}, "no move"},
		{"too long", games.Record{Headers: []games.Header{game}, Moves: slices.Repeat([]games.Move{"a1-a2"}, games.MaxRecord/6),
			Result: "*"}, "bytes"},
	}
	for _, tt := range tests {
		var b strings.Builder
		err := tt.rec.Write(&b)
		if err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("%s: Write = %v with %d bytes written, want an error saying %q", tt.name, err, b.Len(), tt.want)
		}
	}
}

func TestRecordReads(t *testing.T) {
	tests := []struct{ name, text, moves, result string }{
		{"no moves", "[Game \"petteia\"]\n\n*\n", "", "*"},
		{"no line end", "[Game \"petteia\"]\n\n*", "", "*"},
		{"CRLF", "[Game \"petteia\"]\r\n\r\n1. a1-a2\r\na8-a7 *\r\n", "a1-a2 a8-a7", "*"},
		{"without numbers", "[Game \"petteia\"]\n\na1-a2 a8-a7\n\n a2-a1 *\n\n", "a1-a2 a8-a7 a2-a1", "*"},
		{"resigned", "[Game \"petteia\"]\n[Reason \"resigned\"]\n\n1. a1-a2 0-1\n", "a1-a2", "0-1"},
		{"aborted", "[Game \"petteia\"]\n[Result \"*\"]\n[Reason \"aborted\"]\n\n1. a1-a2 *\n", "a1-a2", "*"},
		{"from a position", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1. a8-a7 a1-a2 *\n", "a8-a7 a1-a2", "*"},
		{"the second side begins", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1... a8-a7 2. a1-a2 a7-a8 3. a2-a1 *\n", "a8-a7 a1-a2 a7-a8 a2-a1", "*"},
		{"the second side begins, numbered by pairs", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1. a8-a7 a1-a2 2. a7-a8 *\n", "a8-a7 a1-a2 a7-a8", "*"},
		{"a number before the reply", "[Game \"petteia\"]\n\n1. a1-a2 {5:00.0} 1... a8-a7 2. a2-a1 *\n", "a1-a2 a8-a7 a2-a1", "*"},
		{"no set-up", "[Game \"petteia\"]\n[SetUp \"0\"]\n[FEN \"8/8/8 w\"]\n\n1. a1-a2 *\n", "a1-a2", "*"},
		{"a FEN that no set-up promises", "[Game \"petteia\"]\n[FEN \"8/8/8 w\"]\n\n1. a1-a2 *\n", "a1-a2", "*"},
		{"a draw nobody knows", "[Game \"petteia\"]\n[Reason \"both asleep\"]\n\n1/2-1/2\n", "", "1/2-1/2"},
	}
	for _, tt := range tests {
		rec, _, err := read(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var moves []string
		for _, m := range rec.Moves {
			moves = append(moves, string(m))
		}
		if got := strings.Join(moves, " "); got != tt.moves || rec.Result != tt.result {
			t.Errorf("%s: %q %s, want %q %s", tt.name, got, rec.Result, tt.moves, tt.result)
		}
	}
}

func TestRecordReadRefuses(t *testing.T) {
	const drawn = "1. a1-a2 a8-a7 2. a2-a1 a7-a8 3. a1-a2 a8-a7 4. a2-a1 a7-a8 "
	tests := []struct {
		name, text   string
		line, column int
		want         string
	}{
		{"nothing", "", 1, 1, "Game is missing"},
		{"another game", "[First \"a\"]\n[Game \"go\"]\n\n*\n", 2, 1, "no game go"},
		{"bad option", "[Game \"petteia\"]\n[Options \"rows=8\"]\n\n*\n", 2, 1, "no option rows"},
		{"a set-up without a position", "[Game \"petteia\"]\n[SetUp \"1\"]\n\n*\n", 2, 1, "header FEN is missing"},
		{"no position", "[Game \"petteia\"]\n[FEN \"8/8 w\"]\n[SetUp \"1\"]\n\n*\n", 2, 1, "not of the form"},
		{"a position of other options", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"repetition=2 turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n*\n", 3, 1, "its options are"},
		{"a position that is over", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=7,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n*\n", 3, 1, "over"},
		{"an illegal move from a position", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1. a1-a2 *\n", 5, 4, "no man of yours"},
		{"header twice", "[Game \"petteia\"]\n[A \"\"]\n[A \"\"]\n\n*\n", 3, 1, "twice"},
		{"no header", "[Game \"petteia\"]\nGame\n\n*\n", 2, 1, "no header"},
		{"open header", "[Game \"petteia\"]\n[A \"b]\n\n*\n", 2, 1, "no header"},
		{"bare quote", "[Game \"petteia\"]\n[A \"b\"c\"]\n\n*\n", 2, 1, "no header"},
		{"lost backslash", "[Game \"petteia\"]\n[A \"b\\\"]\n\n*\n", 2, 1, "no header"},
		{"unknown escape", "[Game \"petteia\"]\n[A \"\\n\"]\n\n*\n", 2, 1, "no header"},
		{"control character", "[Game \"petteia\"]\n[A \"\x07\"]\n\n*\n", 2, 1, "control"},
		{"moves without an empty line", "[Game \"petteia\"]\n1. a1-a2 *\n", 2, 1, "no header"},
		{"no result", "[Game \"petteia\"]\n\n1. a1-a2\n", 3, 1, "result is missing"},
		{"illegal move", "[Game \"petteia\"]\n\n1. a1-a2 a8-a7\n2. a2-a3 b8-c8 *\n", 4, 10, "c8 stands in the way"},
		{"after a wide character", "[Game \"petteia\"]\n\n1. é\n", 3, 4, "not a move"},
		{"NUL", "[Game \"petteia\"]\n\n1. a1-a2 \x00\n", 3, 10, "not a move"},
		{"upper case", "[Game \"petteia\"]\n\n1. A1-a2 *\n", 3, 4, "not a move"},
		{"wrong number", "[Game \"petteia\"]\n\n1. a1-a2 a8-a7 3. a2-a1 *\n", 3, 16, "number 3."},
		{"number before the reply", "[Game \"petteia\"]\n\n1. a1-a2 1. a8-a7 *\n", 3, 10, "number 1."},
		{"dots before the first side", "[Game \"petteia\"]\n\n1... a1-a2 *\n", 3, 1, "number 1..."},
		{"the next number before the reply", "[Game \"petteia\"]\n\n1. a1-a2 2... a8-a7 *\n", 3, 10, "number 2..."},
		{"two dots", "[Game \"petteia\"]\n\n1. a1-a2 1.. a8-a7 *\n", 3, 10, "number 1.."},
		{"a wrong number after the second side began", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1... a8-a7 1. a1-a2 *\n", 5, 12, "number 1."},
		{"a wrong number by pairs", "[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1. a8-a7 2. a1-a2 *\n", 5, 10, "number 2."},
		{"more after the result", "[Game \"petteia\"]\n\n1. a1-a2 * a8-a7\n", 3, 12, "after the result"},
		{"a time before any move", "[Game \"petteia\"]\n\n1. {5:00.0} a1-a2 *\n", 3, 4, "behind a move"},
		{"two times", "[Game \"petteia\"]\n\n1. a1-a2 {5:00.0} {5:00.0} *\n", 3, 19, "behind a move"},
		{"no time", "[Game \"petteia\"]\n\n1. a1-a2 {soon} *\n", 3, 10, "no time"},
		{"a time without tenths", "[Game \"petteia\"]\n\n1. a1-a2 {5:00} *\n", 3, 10, "no time"},
		{"sixty seconds", "[Game \"petteia\"]\n\n1. a1-a2 {4:60.0} *\n", 3, 10, "no time"},
		{"a long number in a time", "[Game \"petteia\"]\n\n1. a1-a2 {99999999999999999:00:00.0} *\n", 3, 10, "no time"},
		{"an open brace", "[Game \"petteia\"]\n\n1. a1-a2 {5:00.0 *\n", 3, 10, "no time"},
		{"two results", "[Game \"petteia\"]\n[Result \"1-0\"]\n\n1. a1-a2 *\n", 4, 1, "the end says *"},
		{"a result against the rules", "[Game \"petteia\"]\n\n" + drawn + "1-0\n", 3, 1, "by the rules it is 1/2-1/2"},
		{"an open end against the rules", "[Game \"petteia\"]\n\n" + drawn + "*\n", 3, 1, "by the rules it is 1/2-1/2"},
		{"a reason against the rules", "[Game \"petteia\"]\n[Reason \"resigned\"]\n\n" + drawn + "1/2-1/2\n", 4, 1,
			"by the rules it is repetition"},
		{"a reason the moves don't give", "[Game \"petteia\"]\n[Reason \"captures\"]\n\n1-0\n", 4, 1, "do not lead there"},
		{"a move after the end", "[Game \"petteia\"]\n\n" + drawn + "5. a1-a2 1/2-1/2\n", 3, 64, "the game is over"},
		{"too long", strings.Repeat(" ", games.MaxRecord+1), 0, 0, "at most"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := read(tt.text)
			var where *games.RecordError
			if !errors.As(err, &where) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%v, want an error saying %q", err, tt.want)
			}
			if where.Line != tt.line || where.Column != tt.column {
				t.Errorf("%v, want it at line %d, column %d", err, tt.line, tt.column)
			}
		})
	}
	if _, _, err := read("[Game \"petteia\"]\n\n1. a1-b2 *\n"); !errors.Is(err, games.ErrIllegal) {
		t.Errorf("%v does not wrap ErrIllegal", err)
	}
}

// FuzzRecord reads any text. What can be read can be written, and reads as the same.
func FuzzRecord(f *testing.F) {
	f.Add("[Game \"petteia\"]\n[First \"a \\\" b\"]\n\n1. a1-a2 a8-a7 2. a2-a1 *\n")
	f.Add("[Game \"petteia\"]\n[Options \"repetition=2\"]\n[Result \"1-0\"]\n[Reason \"resigned\"]\n\n1-0")
	f.Add("[Game \"petteia\"]\n\n1. a1-a2 a8-a7 2. a2-a1 a7-a8 3. a1-a2 a8-a7 4. a2-a1 a7-a8 1/2-1/2\n")
	f.Add("[Game \"petteia\"]\n[Clock \"5+3\"]\n\n1. a1-a2 {5:00.0} a8-a7 2. a2-a1 {1:04:58.3} *\n")
	f.Add("[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1. a8-a7 *\n")
	f.Add("[Game \"petteia\"]\n[SetUp \"1\"]\n[FEN \"turn=O captured=2,1 quiet=3 O.........../............/............/............/............/............/............/XX..........\"]\n\n1... a8-a7 2. a1-a2 2... a7-a8 *\n")
	f.Add("\n\n[[\"]\"]")
	f.Fuzz(func(t *testing.T, text string) {
		rec, pos, err := read(text)
		if err != nil {
			return
		}
		again := write(t, rec)
		rec2, pos2, err := read(again)
		if err != nil || write(t, rec2) != again || pos.String() != pos2.String() {
			t.Fatalf("%q was written as %q: %v", text, again, err)
		}
	})
}

// TestMovesLen: the length of the moves is the one that they are written with, however the lines break.
func TestMovesLen(t *testing.T) {
	results := []string{games.TokenFirst, games.TokenSecond, games.TokenDraw, games.TokenNone}
	for n := range 130 {
		for _, timed := range []bool{false, true} {
			r := games.Record{Result: results[n%len(results)], Headers: []games.Header{{Key: games.HeaderGame, Value: "petteia"}}}
			for i := range n {
				r.Moves = append(r.Moves, games.Move(strings.Repeat("a", 1+i*7%13)))
				if timed {
					r.Left = append(r.Left, []time.Duration{games.NoTime, 0, 59 * time.Second, 11 * time.Minute, 3 * time.Hour, 400 * time.Hour}[i%6])
				}
			}
			var text strings.Builder
			if err := r.Write(&text); err != nil {
				t.Fatal(err)
			}
			_, moves, _ := strings.Cut(text.String(), "\n\n")
			if got := r.MovesLen(); got != len(moves) {
				t.Errorf("%d moves: %d bytes, want %d", n, got, len(moves))
			}
		}
	}
}
