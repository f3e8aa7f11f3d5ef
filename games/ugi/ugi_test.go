package ugi_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ludoteca/games"
	"ludoteca/games/ugi"
)

// TestCommands reads each command as it is printed, and as other programs may write it.
func TestCommands(t *testing.T) {
	clock := func(left, increment time.Duration) *ugi.Clock { return &ugi.Clock{Left: left, Increment: increment} }
	for _, tt := range []struct {
		line    string
		want    ugi.Command
		printed string // "" if as line
	}{
		{"ugi", ugi.Hello{}, ""},
		{"  isready \r", ugi.IsReady{}, "isready"},
		{"uginewgame", ugi.NewGame{}, ""},
		{"stop", ugi.Stop{}, ""},
		{"quit now", ugi.Quit{}, "quit"},
		{"setoption name Hash value 64", ugi.SetOption{Name: "Hash", Value: "64"}, ""},
		{"setoption name Clear Hash", ugi.SetOption{Name: "Clear Hash"}, ""},
		{"setoption name Book File value a  b", ugi.SetOption{Name: "Book File", Value: "a b"}, "setoption name Book File value a b"},
		{"position startpos", ugi.SetPosition{}, ""},
		{"position startpos moves", ugi.SetPosition{}, "position startpos"},
		{"position startpos moves d4\te5", ugi.SetPosition{Moves: []games.Move{"d4", "e5"}}, "position startpos moves d4 e5"},
		{"position fen last=- turn=X .../.../...", ugi.SetPosition{From: "last=- turn=X .../.../..."}, ""},
		{"position fen last=- turn=X .../.../... moves a1", ugi.SetPosition{From: "last=- turn=X .../.../...", Moves: []games.Move{"a1"}}, ""},
		{"go", ugi.Go{}, ""},
		{"go infinite", ugi.Go{Infinite: true}, ""},
		{"go depth 4 nodes 1000", ugi.Go{Depth: 4, Nodes: 1000}, ""},
		{"go movetime 250", ugi.Go{MoveTime: 250 * time.Millisecond}, ""},
		{"go p1time 60000 p2time 59000 p1inc 1000 p2inc 500",
			ugi.Go{Clocks: [2]*ugi.Clock{clock(time.Minute, time.Second), clock(59*time.Second, time.Second/2)}}, ""},
		{"go p2inc 100 p2time -20", ugi.Go{Clocks: [2]*ugi.Clock{nil, clock(0, 100*time.Millisecond)}}, "go p2time 0 p2inc 100"},
		{"go p1inc 100", ugi.Go{}, "go"},
		{"go ponder movestogo 40 depth 3", ugi.Go{Depth: 3}, "go depth 3"},
		{"go nodes 99999999999999999999", ugi.Go{Nodes: 1e15}, "go nodes 1000000000000000"},
		{"go p1time 99999999999999999999", ugi.Go{Clocks: [2]*ugi.Clock{clock(1e12*time.Millisecond, 0), nil}}, "go p1time 1000000000000 p1inc 0"},
		{"query p1turn", ugi.Query{About: ugi.FirstToMove}, ""},
		{"query the weather", ugi.Query{About: "the weather"}, ""},
	} {
		got, err := ugi.ParseCommand(tt.line)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %#v, %v, want %#v", tt.line, got, err, tt.want)
			continue
		}
		if want := firstOf(tt.printed, tt.line); got.String() != want {
			t.Errorf("%q is printed as %q, want %q", tt.line, got, want)
		}
	}
}

// TestReplies reads each reply as it is printed, and as other engines may write it.
func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		line    string
		want    ugi.Reply
		printed string
	}{
		{"ugiok", ugi.HelloOK{}, ""},
		{"readyok", ugi.ReadyOK{}, ""},
		{"id name An Engine 1.0", ugi.ID{Key: "name", Text: "An Engine 1.0"}, ""},
		{"id author", ugi.ID{Key: "author"}, ""},
		{"option name hash type spin default 128 min 1 max 2048", ugi.Option{Name: "hash", Type: ugi.Spin, Default: "128", Min: 1, Max: 2048}, ""},
		{"option name Level type combo default master var random var master", ugi.Option{Name: "Level", Type: ugi.Combo, Default: "master", Values: []string{"random", "master"}}, ""},
		{"option name Own Book type check default true", ugi.Option{Name: "Own Book", Type: ugi.Check, Default: "true"}, ""},
		{"option name Clear Hash type button", ugi.Option{Name: "Clear Hash", Type: ugi.Button}, ""},
		{"option name Log type string default", ugi.Option{Name: "Log", Type: ugi.String}, ""},
		{"info depth 3 seldepth 3 score cp -57 time 12 nodes 197 tthits 12 hashfull 0 pv f1 b1 g2",
			ugi.Info{Depth: 3, Score: &ugi.Score{Value: -57}, Time: 12 * time.Millisecond, Nodes: 197, Principal: []games.Move{"f1", "b1", "g2"}},
			"info depth 3 score cp -57 nodes 197 time 12 pv f1 b1 g2"},
		{"info depth 5 score mate -2 nodes 10 nps 900 time 0", ugi.Info{Depth: 5, Score: &ugi.Score{Mate: true, Value: -2}, Nodes: 10, NodesPerSecond: 900}, ""},
		{"info score cp x depth 2", ugi.Info{Depth: 2}, "info depth 2"},
		{"info string hello there", ugi.Info{Text: "hello there"}, ""},
		{"bestmove d4", ugi.BestMove{Move: "d4"}, ""},
		{"bestmove d4 ponder e5", ugi.BestMove{Move: "d4"}, "bestmove d4"},
		{"response p1win", ugi.Response{Text: "p1win"}, ""},
	} {
		got, err := ugi.ParseReply(tt.line)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %#v, %v, want %#v", tt.line, got, err, tt.want)
			continue
		}
		if want := firstOf(tt.printed, tt.line); got.String() != want {
			t.Errorf("%q is printed as %q, want %q", tt.line, got, want)
		}
	}
}

func TestRefusedLines(t *testing.T) {
	for line, want := range map[string]error{
		"": ugi.ErrUnknown, "   ": ugi.ErrUnknown, "uci": ugi.ErrUnknown, "UGI": ugi.ErrUnknown, "\x00": ugi.ErrUnknown, "ugiok": ugi.ErrUnknown,
		"setoption": ugi.ErrSyntax, "setoption Hash 3": ugi.ErrSyntax, "setoption name value 3": ugi.ErrSyntax,
		"position": ugi.ErrSyntax, "position fen": ugi.ErrSyntax, "position fen moves a1": ugi.ErrSyntax, "position startpos a1": ugi.ErrSyntax,
		"go depth": ugi.ErrSyntax, "go depth 0": ugi.ErrSyntax, "go nodes x": ugi.ErrSyntax, "go movetime -5": ugi.ErrSyntax, "go p1time 1.5": ugi.ErrSyntax,
		"go nodes -99999999999999999999": ugi.ErrSyntax, "query": ugi.ErrSyntax,
	} {
		if got, err := ugi.ParseCommand(line); !errors.Is(err, want) || got != nil {
			t.Errorf("%q: %v, %v, want %v", line, got, err, want)
		}
	}
	for line, want := range map[string]error{
		"": ugi.ErrUnknown, "uciok": ugi.ErrUnknown, "go": ugi.ErrUnknown, "Segmentation fault": ugi.ErrUnknown,
		"id": ugi.ErrSyntax, "option": ugi.ErrSyntax, "option name type spin": ugi.ErrSyntax, "option name a type b": ugi.ErrSyntax,
		"option name a type spin min b": ugi.ErrSyntax, "bestmove": ugi.ErrSyntax,
	} {
		if got, err := ugi.ParseReply(line); !errors.Is(err, want) || got != nil {
			t.Errorf("%q: %v, %v, want %v", line, got, err, want)
		}
	}
}

// TestTextStaysInItsLine prints text that would be a line of its own.
func TestTextStaysInItsLine(t *testing.T) {
	const text = "a\nbestmove d4\r\x1b[2J\u0085 b\xff"
	for _, line := range []string{
		ugi.Info{Text: text}.String(), ugi.Response{Text: text}.String(), ugi.ID{Key: "name", Text: text}.String(),
		ugi.SetOption{Name: text, Value: text}.String(), ugi.Query{About: text}.String(), ugi.SetPosition{From: text}.String(),
		ugi.Option{Name: text, Type: ugi.Combo, Default: text, Values: []string{text}}.String(),
	} {
		if strings.ContainsAny(line, "\n\r\x1b\u0085") || !utf8.ValidString(line) {
			t.Errorf("%q has more than one line", line)
		}
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("a", ugi.MaxLine-1)
	r := ugi.NewReader(strings.NewReader("one\r\n\n" + long + "\nlast"))
	for _, want := range []string{"one", "", long, "last"} {
		if got, err := r.Next(); got != want || err != nil {
			t.Fatalf("%.40q, %v, want %.40q", got, err, want)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("%v behind the end", err)
	}
	for _, endless := range []io.Reader{strings.NewReader(long + "a\n"), zeroes{}} {
		if _, err := ugi.NewReader(endless).Next(); !errors.Is(err, ugi.ErrLine) {
			t.Errorf("%v about a line that is too long", err)
		}
	}
}

// zeroes is a line without an end.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func FuzzLines(f *testing.F) {
	for _, line := range []string{
		"go p1time 1 p2time 2 p1inc 3 p2inc 4 depth 5 nodes 6 movetime 7 infinite", "position fen a b moves c d", "setoption name a b value c d",
		"query result", "option name a type combo default b var b var c", "info depth 1 score mate -3 nodes 4 nps 5 time 6 pv a b", "info string a\x00b",
		"id name \xff", "bestmove a1", "response true", "go nodes 99999999999999999999", "option name a type spin default 1 min -1 max 2", "position fen \x10",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if c, err := ugi.ParseCommand(line); err == nil {
			if again, err := ugi.ParseCommand(c.String()); err != nil || again.String() != c.String() {
				t.Errorf("%q is printed as %q, which is read as %v, %v", line, c, again, err)
			}
		}
		if r, err := ugi.ParseReply(line); err == nil {
			if again, err := ugi.ParseReply(r.String()); err != nil || again.String() != r.String() {
				t.Errorf("%q is printed as %q, which is read as %v, %v", line, r, again, err)
			}
		}
	})
}

func firstOf(text, other string) string {
	if text != "" {
		return text
	}
	return other
}
