package cli

import (
	"strings"
	"testing"
)

// TestReplaySaysWhyItFails holds that a replay that ends with 1 says so in one line on stderr, whatever stdout got.
func TestReplaySaysWhyItFails(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}} {
		h := &here{args: append([]string{"replay", "fourmation"}, flags...), in: "a1 b2\na1 d4\nz9\n"}
		status := h.run(t)
		if want := "ludoteca: not all games could be replayed: an illegal move in 2 of 3\n"; status != statusRefused || h.errs.String() != want {
			t.Errorf("replay %v: status %d, stderr %q; want %d and %q", flags, status, h.errs.String(), statusRefused, want)
		}
	}
	h := &here{args: []string{"replay", "fourmation"}, in: "a1 b2\n"}
	if status := h.run(t); status != statusDone || h.errs.Len() > 0 {
		t.Errorf("a good game: status %d, stderr %q", status, h.errs.String())
	}
}

// TestNegativeNumbers: a negative number in place of an argument is refused as a number, not as an unknown flag.
func TestNegativeNumbers(t *testing.T) {
	tests := []struct{ line, want string }{
		{"perft tanks -1", "the depth is -1; it must be from 0 to 100; usage: ludoteca perft GAME DEPTH"},
		{"perft tanks -10 --json", "the depth is -10; it must be from 0 to 100; usage: "},
		{"arena tanks -1 random", "-1 is below 0, which only the value of a flag can be; usage: ludoteca arena GAME PLAYER PLAYER"},
		{"replay -3", "-3 is below 0, "},
		{"rate -2", "-2 is below 0, "},
		{"backup -5", "-5 is below 0, "},
		{"perft tanks -q", "unknown shorthand flag: 'q' in -q"},
		{"perft tanks --deep", "unknown flag: --deep"},
		{"arena tanks random random --games -1", "-1"},
	}
	for _, tt := range tests {
		h := &here{args: strings.Fields(tt.line)}
		if status := h.run(t); status != statusUsage || !strings.Contains(h.errs.String(), tt.want) || h.out.Len() > 0 {
			t.Errorf("%s: status %d, %q; want %d and %q", tt.line, status, h.errs.String(), statusUsage, tt.want)
		}
	}
}

// TestMisspeltOptions: an option that is not written as one of the game's is wrong usage, one out of range is refused.
func TestMisspeltOptions(t *testing.T) {
	tests := []struct {
		line   string
		status int
		want   string
	}{
		{"perft 4mation 1 size=3", statusUsage, "4Mation has no option size; usage: ludoteca perft GAME DEPTH"},
		{"replay 4mation rows", statusUsage, "rows is not of the form key=value; usage: ludoteca replay GAME"},
		{"prove 4mation rows=x", statusUsage, "option rows is x, which is not a whole number; usage: "},
		{"arena 4mation random greedy rows=4 rows=5", statusUsage, "option rows is given twice; usage: "},
		{"tune 4mation rows=9 --games 5", statusRefused, "tune is gone: ludoteca train makes evaluations\n"},
		{"perft 4mation 1 rows=99", statusRefused, "rows 99 isn't allowed: 3 to 26\n"},
		{"perft 4mation 1 --sizes=9", statusUsage, "unknown flag: --sizes; usage: "},
	}
	for _, tt := range tests {
		h := &here{args: strings.Fields(tt.line)}
		if status := h.run(t); status != tt.status || !strings.Contains(h.errs.String(), tt.want) || h.out.Len() > 0 {
			t.Errorf("%s: status %d, %q; want %d and %q", tt.line, status, h.errs.String(), tt.status, tt.want)
		}
	}
}

// TestLabHelp holds that the help of a command says what a caller must know before it.
func TestLabHelp(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"arena --help", []string{`"elo" and "error" are null`}},
		{"rate --help", []string{"takes hours", `"error" is null`}},
		{"--help", []string{"against each other, which takes hours\n"}},
	}
	for _, tt := range tests {
		h := &here{args: strings.Fields(tt.line)}
		if status := h.run(t); status != statusDone {
			t.Errorf("%s: status %d", tt.line, status)
		}
		for _, want := range tt.want {
			if !strings.Contains(h.out.String(), want) {
				t.Errorf("%s doesn't say %q:\n%s", tt.line, want, h.out.String())
			}
		}
	}
}

// TestFromAPosition begins perft, replay and prove from a position, and lists its legal moves.
func TestFromAPosition(t *testing.T) {
	const corner = "cols=3 rows=3 win_length=3 last=a1 turn=O .../.../X.."
	tests := []struct {
		args   []string
		in     string
		status int
		want   string // in what is printed
		errs   string
	}{
		{[]string{"legal", "4mation", corner}, "", statusDone, "a2\nb1\nb2\n", ""},
		{[]string{"legal", "4mation", corner, "--json"}, "", statusDone,
			`{"game":"fourmation","options":{"cols":3,"rows":3,"win_length":3},"position":"` + corner + `","turn":"second","legal":["a2","b1","b2"],"result":"","reason":""}` + "\n", ""},
		{[]string{"legal", "4mation", "cols=3 rows=3 win_length=3 last=a3 turn=O X../XO./XO."}, "", statusDone, "", ""},
		{[]string{"legal", "4mation", "nonsense"}, "", statusRefused, "", "ludoteca: "},
		{[]string{"legal", "4mation"}, "", statusUsage, "", "something is missing; usage: ludoteca legal GAME POSITION"},
		{[]string{"perft", "4mation", "1", "--from", corner}, "", statusDone, "    1                    3 ", ""},
		{[]string{"perft", "4mation", "1", "cols=3", "rows=3", "win_length=3", "--from", corner}, "", statusDone, "    1                    3 ", ""},
		{[]string{"perft", "4mation", "1", "cols=4", "--from", corner}, "", statusRefused, "", "the options of the position are cols=3 rows=3 win_length=3, not cols=4"},
		{[]string{"perft", "4mation", "1", "--preset", "classic", "--from", corner}, "", statusRefused, "", "the options of the position are "},
		{[]string{"perft", "4mation", "1", "--from", "last=z9"}, "", statusRefused, "", "ludoteca: "},
		{[]string{"replay", "4mation", "--from", corner, "--json"}, "b2\n", statusDone, `{"game_index":0,"ply":1,"move":"b2","board":["...",".O.","X.."],"turn":"first","legal":["a2","a3","b1","b3","c1","c2","c3"]`, ""},
		{[]string{"replay", "4mation", "--from", corner}, "c3\n", statusRefused, "illegal move", "not all games could be replayed"},
		{[]string{"prove", "4mation", "--from", corner, "--json"}, "", statusDone, `"ply":0,"turn":"second"`, ""},
	}
	for _, tt := range tests {
		h := &here{args: tt.args, in: tt.in}
		status := h.run(t)
		exact := tt.args[0] == "legal" && h.out.String() != tt.want
		if status != tt.status || exact || !strings.Contains(h.out.String(), tt.want) || !strings.Contains(h.errs.String(), tt.errs) || tt.errs == "" && h.errs.Len() > 0 {
			t.Errorf("%q: status %d, printed\n%s%s\nwant %d,\n%s%s", tt.args, status, h.out.String(), h.errs.String(), tt.status, tt.want, tt.errs)
		}
	}
}

// TestEngineCommand talks to the engine as another program would.
func TestEngineCommand(t *testing.T) {
	tests := []struct {
		line, in string
		status   int
		want     []string
		errs     string
	}{
		{"engine 4mation cols=5 rows=6 --level pupil", "ugi\nposition startpos moves c3\ngo nodes 50\n", statusDone,
			[]string{"id name Ludoteca 4Mation ", "option name Level type combo default pupil var random ", "option name cols type spin default 5 ", "ugiok\n", "bestmove "}, ""},
		{"engine tanks", "quit\n", statusDone, nil, ""},
		{"engine tanks --preset nothing", "", statusUsage, nil, "has no preset nothing"},
		{"engine tanks --level god", "", statusUsage, nil, "no such level"},
		{"engine", "", statusUsage, nil, "something is missing"},
		{"engine tanks", strings.Repeat("a", 100_000), statusRefused, nil, "the line is too long: more than 64 KiB"},
	}
	for _, tt := range tests {
		h := &here{args: strings.Fields(tt.line), in: tt.in}
		if status := h.run(t); status != tt.status || !strings.Contains(h.errs.String(), tt.errs) || tt.errs == "" && h.errs.Len() > 0 {
			t.Errorf("%s: status %d, %q; want %d and %q", tt.line, status, h.errs.String(), tt.status, tt.errs)
		}
		for _, want := range tt.want {
			if !strings.Contains(h.out.String(), want) {
				t.Errorf("%s printed\n%s\nwithout %q", tt.line, h.out.String(), want)
			}
		}
	}
}
