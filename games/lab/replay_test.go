package lab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/lab"
)

func replay(tb testing.TB, id, options, input string) ([]map[string]any, error) {
	tb.Helper()
	g, o := game(tb, id, options)
	var out bytes.Buffer
	err := lab.Replay(tb.Context(), &out, strings.NewReader(input), g, o, true)
	return objects(tb, out.String()), err
}

// TestReplayLines holds the exact form of the lines.
func TestReplayLines(t *testing.T) {
	g, o := game(t, "fourmation", "cols=4 rows=4 win_length=4")
	var out bytes.Buffer
	err := lab.Replay(t.Context(), &out, strings.NewReader("a1 b2\na1 d4 b2\n"), g, o, true)
	want := `{"game_index":0,"ply":0,"move":"","board":["....","....","....","...."],"turn":"first","legal":["a1","a2","a3","a4","b1","b2","b3","b4","c1","c2","c3","c4","d1","d2","d3","d4"],"result":"","reason":""}
{"game_index":0,"ply":1,"move":"a1","board":["....","....","....","X..."],"turn":"second","legal":["a2","b1","b2"],"result":"","reason":""}
{"game_index":0,"ply":2,"move":"b2","board":["....","....",".O..","X..."],"turn":"first","legal":["a2","a3","b1","b3","c1","c2","c3"],"result":"","reason":""}
{"game_index":1,"ply":0,"move":"","board":["....","....","....","...."],"turn":"first","legal":["a1","a2","a3","a4","b1","b2","b3","b4","c1","c2","c3","c4","d1","d2","d3","d4"],"result":"","reason":""}
{"game_index":1,"ply":1,"move":"a1","board":["....","....","....","X..."],"turn":"second","legal":["a2","b1","b2"],"result":"","reason":""}
`
	lines := strings.SplitAfter(out.String(), "\n")
	if diff := cmp.Diff(want, strings.Join(lines[:len(lines)-2], "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	last := objects(t, lines[len(lines)-2])[0]
	if last["error"] == "" {
		t.Error("no error is named")
	}
	delete(last, "error")
	if diff := cmp.Diff(map[string]any{"game_index": 1.0, "ply": 2.0, "move": "d4"}, last); diff != "" {
		t.Errorf("the refused move (-want +got):\n%s", diff)
	}
	if !errors.Is(err, lab.ErrRefused) {
		t.Errorf("Replay = %v", err)
	}
}

func TestReplayEnd(t *testing.T) {
	lines, err := replay(t, "petteia", "", "a1-a2 a8-a7 a2-a1 a7-a8 a1-a2 a8-a7 a2-a1 a7-a8")
	if err != nil {
		t.Fatal(err)
	}
	last := lines[len(lines)-1]
	if last["turn"] != "" || last["result"] != "draw" || last["reason"] != "repetition" {
		t.Errorf("the end is %v", last)
	}
	if legal, ok := last["legal"].([]any); !ok || len(legal) != 0 {
		t.Errorf("legal is %v, want an empty list", last["legal"])
	}
}

// TestReplayInput writes down for each input the words "game.ply:move" of the lines, with "!" behind a refused one.
func TestReplayInput(t *testing.T) {
	long := strings.Repeat("a1-a2", 200_000)
	tests := []struct{ name, input, want string }{
		{"nothing", "", ""},
		{"an empty line", "\n", "0.0:"},
		{"empty lines", "\n\r\n \t \n", "0.0: 1.0: 2.0:"},
		{"no line end", "a1-a2", "0.0: 0.1:a1-a2"},
		{"blanks without a line end", "  ", "0.0:"},
		{"CR LF", "a1-a2 a8-a7\r\na1-a3\r\n", "0.0: 0.1:a1-a2 0.2:a8-a7 1.0: 1.1:a1-a3"},
		{"CR at the end of the input", "a1-a2\r", "0.0: 0.1:a1-a2"},
		{"CR inside", "a1-a2\ra8-a7\n", "0.0: 0.1:a1-a2\ra8-a7!"},
		{"blanks around", "  a1-a2   a8-a7  \n", "0.0: 0.1:a1-a2 0.2:a8-a7"},
		{"the game after a bad move", "a1-a2 x a8-a7\na1-a3\n", "0.0: 0.1:a1-a2 0.2:x! 1.0: 1.1:a1-a3"},
		{"upper case", "A1-A2\n", "0.0: 0.1:A1-A2!"},
		{"NUL", "\x00\na1-a2\x00 a8-a7\n", "0.0: 0.1:\x00! 1.0: 1.1:a1-a2\x00!"},
		{"bad UTF-8", "\xff\xfe\n", "0.0: 0.1:\ufffd!"},
		{"no-break space", "a1-a2\u00a0a8-a7\n", "0.0: 0.1:a1-a2\u00a0a8-a7!"},
		{"a million characters", long + "\na1-a2\n", "0.0: 0.1:" + long[:39] + "...! 1.0: 1.1:a1-a2"},
		{"a million characters after a move", "a1-a2 " + long, "0.0: 0.1:a1-a2 0.2:" + long[:39] + "...!"},
		{"long, in wide characters", strings.Repeat("李", 100), "0.0: 0.1:" + strings.Repeat("李", 13) + "...!"},
		{"a million blanks", strings.Repeat(" ", 1_000_000) + "a1-a2", "0.0: 0.1:a1-a2"},
		{"a move after the end", "a1-a2 a8-a7 a2-a1 a7-a8 a1-a2", "0.0: 0.1:a1-a2 0.2:a8-a7 0.3:a2-a1 0.4:a7-a8 0.5:a1-a2!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := replay(t, "petteia", "repetition=2", tt.input)
			if got := short(lines); got != tt.want {
				t.Errorf("got  %.300q\nwant %.300q", got, tt.want)
			}
			if want := strings.Contains(tt.want, "!"); errors.Is(err, lab.ErrRefused) != want || err != nil && !want {
				t.Errorf("Replay = %v, want a refusal: %v", err, want)
			}
		})
	}
}

func short(lines []map[string]any) string {
	var words []string
	for _, l := range lines {
		w := string(rune('0'+int(l["game_index"].(float64)))) + "." + string(rune('0'+int(l["ply"].(float64)))) + ":" + l["move"].(string)
		if _, refused := l["error"]; refused {
			w += "!"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// TestReplayMemory feeds one endless word and counts what is allocated meanwhile.
func TestReplayMemory(t *testing.T) {
	g, o := game(t, "petteia", "")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	input := io.LimitReader(iotest.DataErrReader(endless('x')), 16<<20)
	if err := lab.Replay(t.Context(), io.Discard, input, g, o, true); !errors.Is(err, lab.ErrRefused) {
		t.Errorf("Replay = %v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated for one word", n)
	}
}

// endless is a reader of one byte over and over.
type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}

// TestReplayTalks sends one line, and the next only after the answer to the first.
func TestReplayTalks(t *testing.T) {
	g, o := game(t, "petteia", "")
	in, send := io.Pipe()
	receive, out := io.Pipe()
	defer send.Close()
	defer receive.Close() // whatever happens, Replay ends with its pipes
	done := make(chan error, 1)
	go func() {
		done <- lab.Replay(t.Context(), out, in, g, o, true)
		out.Close()
	}()
	answer := make([]byte, 1<<16)
	for _, line := range []string{"a1-a2\n", "a1-a3\n", "\n"} {
		if _, err := io.WriteString(send, line); err != nil {
			t.Fatal(err)
		}
		n, err := receive.Read(answer)
		if err != nil || bytes.Count(answer[:n], []byte("\n")) != 1+len(strings.Fields(line)) {
			t.Fatalf("the answer to %q is %q, %v", line, answer[:n], err)
		}
	}
	send.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestReplayReadError(t *testing.T) {
	g, o := game(t, "petteia", "")
	broken := errors.New("broken pipe")
	for _, input := range []string{"", "a1-a2 ", "a1-", "x ", "\n"} {
		r := io.MultiReader(strings.NewReader(input), iotest.ErrReader(broken))
		if err := lab.Replay(t.Context(), io.Discard, r, g, o, true); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", input, err)
		}
	}
}

func TestReplayText(t *testing.T) {
	g, o := game(t, "fourmation", "cols=4 rows=4")
	var out bytes.Buffer
	err := lab.Replay(t.Context(), &out, strings.NewReader("a1 z9\n"), g, o, false)
	want := `game 0, ply 0: start
....
....
....
....
` + g.About().Sides[0] + ` to move, legal moves: 16

game 0, ply 1: a1
....
....
....
X...
` + g.About().Sides[1] + ` to move, legal moves: 3

game 0, ply 2: illegal move "z9": `
	if !strings.HasPrefix(out.String(), want) || !errors.Is(err, lab.ErrRefused) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, out.String(), want)
	}
}

// FuzzReplay reads any input and compares with a reader that splits the whole text.
func FuzzReplay(f *testing.F) {
	f.Add([]byte("a1-a2 a8-a7\r\n\nx y\n"))
	f.Add([]byte("\r\r\n\ra1-a2\r\x00"))
	f.Add([]byte("a1-a2 a8-a7 a2-a1 a7-a8 a1-a2\n\xff"))
	f.Add([]byte(strings.Repeat("a", 39) + "é\t" + strings.Repeat("é", 50)))
	g, o := game(f, "petteia", "repetition=2")
	start, err := g.New(o)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, reader := range []io.Reader{bytes.NewReader(input), iotest.OneByteReader(bytes.NewReader(input))} {
			var out bytes.Buffer
			err := lab.Replay(t.Context(), &out, reader, g, o, true)
			if !utf8.Valid(out.Bytes()) {
				t.Fatalf("the output is not UTF-8: %q", out.Bytes())
			}
			got, refused := objects(t, out.String()), false
			want := expected(start, string(input))
			for i, l := range got {
				_, bad := l["error"]
				refused = refused || bad
				if i >= len(want) || bad != want[i] {
					t.Fatalf("line %d is %v, %d lines are expected", i, l, len(want))
				}
			}
			if len(got) != len(want) || refused != errors.Is(err, lab.ErrRefused) || err != nil && !refused {
				t.Fatalf("%d lines and %v, want %d lines", len(got), err, len(want))
			}
		}
		if err := lab.Replay(t.Context(), io.Discard, bytes.NewReader(input), g, o, false); err != nil && !errors.Is(err, lab.ErrRefused) {
			t.Fatal(err)
		}
	})
}

// expected returns for each line of output whether it is about a refused move.
func expected(start games.Position, input string) (refused []bool) {
	for line := range strings.Lines(input) {
		p := start
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		refused = append(refused, false)
		for _, w := range words {
			next, err := p.Play(games.Move(w))
			refused = append(refused, err != nil)
			if err != nil {
				break
			}
			p = next
		}
	}
	return slices.Clip(refused)
}

func BenchmarkReplay(b *testing.B) {
	g, o := game(b, "petteia", "quiet_limit=1000")
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	var line []string
	for r := games.NewRandom(1); !p.Result().Over; {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		if p, err = p.Play(m); err != nil {
			b.Fatal(err)
		}
		line = append(line, string(m))
	}
	input := strings.Join(line, " ") + "\n"
	for b.Loop() {
		if err := lab.Replay(b.Context(), io.Discard, strings.NewReader(input), g, o, true); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(line))/b.Elapsed().Seconds(), "positions/s")
}

// TestReplayRecords replays records among games: each has a start and options of its own, and is refused as a whole.
func TestReplayRecords(t *testing.T) {
	g, o := game(t, "fourmation", "")
	const good = "[Game \"fourmation\"]\n[Options \"cols=5 rows=5 win_length=3\"]\n\n1. c3 b2 2. b3 a2 3. a3 1-0\n"
	const from = "[Game \"fourmation\"]\r\n[SetUp \"1\"]\r\n[FEN \"last=d4 turn=O ......./......./......./...X.../......./......./.......\"]\r\n\r\n1. e5 *\r\n"
	for _, tt := range []struct {
		name, input string
		want        []string // of each line of output
		refused     string
	}{
		{"one", good, []string{"0 0", "0 1 c3", "0 2 b2", "0 3 b3", "0 4 a2", "0 5 a3 first"}, ""},
		{"without a line end", strings.TrimSpace(good), []string{"0 0", "0 1 c3", "0 2 b2", "0 3 b3", "0 4 a2", "0 5 a3 first"}, ""},
		{"games before it", "d4\n\n" + from, []string{"0 0", "0 1 d4", "1 0", "2 0", "2 1 e5"}, ""},
		{"several", from + "\n" + from + from, []string{"0 0", "0 1 e5", "1 0", "1 1 e5", "2 0", "2 1 e5"}, ""},
		{"a bad one", strings.Replace(from, "e5", "z9", 1) + from, []string{"0 0 ! read record: line 5, column 4: z9", "1 0", "1 1 e5"}, "a fault in 1 of 2"},
		{"of another game", "[Game \"tanks\"]\n\n*\n" + from, []string{"0 0 ! read record: line 1, column 1", "1 0", "1 1 e5"}, "a fault in 1 of 2"},
		{"no record", "[", []string{"0 0 ! read record: line 1"}, "a fault in 1 of 1"},
		{"too long", "[Game \"" + strings.Repeat("a", 3<<20) + "\"]\n\n*\n" + from, []string{"0 0 ! read record: ", "1 0", "1 1 e5"}, "a fault in 1 of 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := lab.Replay(t.Context(), &out, strings.NewReader(tt.input), g, o, true)
			if tt.refused == "" && err != nil || tt.refused != "" && (!errors.Is(err, lab.ErrRefused) || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("%v, want %q", err, tt.refused)
			}
			var got []string
			for line := range strings.Lines(out.String()) {
				var l struct {
					Index  int `json:"game_index"`
					Ply    int
					Move   string
					Result string
					Error  string
				}
				if err := json.Unmarshal([]byte(line), &l); err != nil {
					t.Fatal(err)
				}
				words := strings.TrimSpace(fmt.Sprintf("%d %d %s %s", l.Index, l.Ply, l.Move, l.Result))
				if l.Error != "" {
					words = fmt.Sprintf("%d %d ! %s", l.Index, l.Ply, l.Error)
				}
				got = append(got, words)
			}
			ok := len(got) == len(tt.want)
			for i := range min(len(got), len(tt.want)) {
				ok = ok && strings.HasPrefix(got[i], tt.want[i])
			}
			if !ok {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
	var out bytes.Buffer
	if err := lab.Replay(t.Context(), &out, strings.NewReader("[x"), g, o, false); !errors.Is(err, lab.ErrRefused) || !strings.HasPrefix(out.String(), "game 0: the record can't be read: ") {
		t.Errorf("for people: %q, %v", out.String(), err)
	}
}
