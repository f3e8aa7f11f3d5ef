package analysis

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
)

func TestStoredForm(t *testing.T) {
	each(t, 50, func(t *testing.T, g games.Game, _ games.Options, moves []games.Move, a *Analysis) {
		b, err := a.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(b)
		if err != nil || !reflect.DeepEqual(again, a) {
			t.Errorf("%v is read back as %v, %v", a, again, err)
		}
		t.Logf("%s: %d bytes for %d moves", g.About().ID, len(b), len(moves))
	})
}

// few has something of everything.
func few() *Analysis {
	return &Analysis{Version: 7, Nodes: 300, Points: []Point{
		{Value: -12, Chance: 0.487, Best: "a1", Line: []games.Move{"a1", "b2xc3", "a1"}, Mark: Blunder},
		{Value: 20_000, Chance: 1, Proven: ProvenFirst, Plies: 3, Best: "b2xc3", Line: []games.Move{"b2xc3"}, Mark: Inaccuracy},
		{Chance: 0.5, Proven: ProvenDraw},
	}}
}

// TestStoredBytes: the stored form never changes, so that later versions read it.
func TestStoredBytes(t *testing.T) {
	want := "\x07\xac\x02" + "\x02\x02a1\x05b2xc3" + "\x03" +
		"\x0c\x17\xe7\x03\x03\x00\x01\x00" + "\x05\xc0\xb8\x02\xe8\x07\x03\x01\x01" + "\x03\x00\xf4\x03\x00"
	got, err := few().Encode()
	if err != nil || string(got) != want {
		t.Errorf("written as %q, %v", got, err)
	}
	if a, err := Decode([]byte(want)); err != nil || !reflect.DeepEqual(a, few()) {
		t.Errorf("read as %v, %v", a, err)
	}
}

// explained is few with a claim of each form.
func explained() *Analysis {
	a := few()
	a.Points[0].Why = games.Claim{Kind: "men_lost", Move: "b2xc3", Cells: []string{"a1", "c3"}, Count: 2}
	a.Points[1].Why = games.Claim{Kind: "group_broken", Count: 5}
	return a
}

// TestStoredClaims: so do the bytes of claims.
func TestStoredClaims(t *testing.T) {
	want := "\x07\xac\x02" + "\x05\x02a1\x05b2xc3\x08men_lost\x02c3\x0cgroup_broken" + "\x03" +
		"\x1c\x17\xe7\x03\x03\x00\x01\x00" + "\x02\x02\x01\x01\x02\x00\x03" +
		"\x15\xc0\xb8\x02\xe8\x07\x03\x01\x01" + "\x04\x05\x00\x00" + "\x03\x00\xf4\x03\x00"
	got, err := explained().Encode()
	if err != nil || string(got) != want {
		t.Errorf("written as %q, %v", got, err)
	}
	if a, err := Decode([]byte(want)); err != nil || !reflect.DeepEqual(a, explained()) {
		t.Errorf("read as %v, %v", a, err)
	}
	for n := range len(want) {
		if a, err := Decode([]byte(want[:n])); !errors.Is(err, ErrForm) {
			t.Errorf("cut to %d bytes: %v, %v, want ErrForm", n, a, err)
		}
	}
}

func TestNoAnalysis(t *testing.T) {
	for name, spoil := range map[string]func(*Analysis){
		"no version":           func(a *Analysis) { a.Version = 0 },
		"no points":            func(a *Analysis) { a.Points = nil },
		"too many points":      func(a *Analysis) { a.Points = make([]Point, MaxPlies+2) },
		"nodes below nothing":  func(a *Analysis) { a.Nodes = -1 },
		"a value too large":    func(a *Analysis) { a.Points[0].Value = games.MaxEvaluation + 1 },
		"no chance":            func(a *Analysis) { a.Points[0].Chance = math.NaN() },
		"a chance above one":   func(a *Analysis) { a.Points[0].Chance = 1.001 },
		"a chance too fine":    func(a *Analysis) { a.Points[0].Chance = 0.12345 },
		"a judgement too many": func(a *Analysis) { a.Points[0].Proven = 4 },
		"a mark too many":      func(a *Analysis) { a.Points[0].Mark = 4 },
		"plies without proof":  func(a *Analysis) { a.Points[0].Plies = 1 },
		"plies to a draw":      func(a *Analysis) { a.Points[2].Plies = 1 },
		"another best move":    func(a *Analysis) { a.Points[0].Best = "b1" },
		"no best move":         func(a *Analysis) { a.Points[0].Best = "" },
		"a line too long":      func(a *Analysis) { a.Points[0].Line = slices.Repeat([]games.Move{"a1"}, MaxLine+1) },
		"an empty move":        func(a *Analysis) { a.Points[0].Line[1] = "" },
		"a claim of no kind":   func(a *Analysis) { a.Points[0].Why.Count = 1 },
		"a claim of less":      func(a *Analysis) { a.Points[0].Why = games.Claim{Kind: "x", Count: -1} },
		"a hostile claim":      func(a *Analysis) { a.Points[0].Why = games.Claim{Kind: "\x1b[2J"} },
		"a hostile cell":       func(a *Analysis) { a.Points[0].Why = games.Claim{Kind: "x", Cells: []string{"\x1b[2J"}} },
		"too many cells": func(a *Analysis) {
			a.Points[0].Why = games.Claim{Kind: "x", Cells: slices.Repeat([]string{"a1"}, maxCells+1)}
		},
		"a hostile move": func(a *Analysis) { a.Points[0].Line[1] = "\x1b[2J" },
	} {
		a := few()
		spoil(a)
		if b, err := a.Encode(); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %q, %v, want ErrForm", name, b, err)
		}
	}
	whole, err := few().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if a, err := Decode(whole[:n]); !errors.Is(err, ErrForm) {
			t.Errorf("cut to %d bytes: %v, %v, want ErrForm", n, a, err)
		}
	}
	for name, b := range map[string]string{
		"more after the end":         string(whole) + "\x00",
		"a number written at length": "\x81\x00" + string(whole[1:]),
		"points without end":         "\x01\x01\x00\xff\xff\xff\xff\x07",
		"words without end":          "\x01\x01\xff\xff\xff\xff\x07",
		"an unused word":             "\x01\x01\x01\x01a\x01\x00\x00\x00\x00",
		"a move without a word":      "\x01\x01\x00\x01\x00\x00\x00\x01\x00",
	} {
		if a, err := Decode([]byte(b)); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %v, %v, want ErrForm", name, a, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b, err := few().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	if b, err = explained().Encode(); err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	o, moves := game(f, petteia.New(), nil, [2]string{"greedy", "greedy"}, 2, 6, 1)
	if b, err = analyse(f, petteia.New(), o, moves, 10).Encode(); err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Decode(b)
		if err != nil {
			if a != nil || !errors.Is(err, ErrForm) {
				t.Errorf("%v, %v", a, err)
			}
			return
		}
		if again, err := a.Encode(); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%q was read and is written as %q, %v", b, again, err)
		}
	})
}

// english is a Say that leaves sentences as they are.
type english struct{}

func (english) T(sentence string, args ...any) string { return fmt.Sprintf(sentence, args...) }

func (english) N(n int, one, many string, args ...any) string {
	if len(args) == 0 {
		args = []any{n}
	}
	if n != 1 {
		return fmt.Sprintf(many, args...)
	}
	if !strings.Contains(one, "%") { // "1 mistake"
		return one
	}
	return fmt.Sprintf(one, args...)
}

func TestReport(t *testing.T) {
	g := fourmation.New()
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := Report{ID: "m1", Game: g, Start: startOf(t, g, o), Moves: []games.Move{"a1", "b2"}, Analysis: &Analysis{
		Version: Version, Nodes: 30, Points: []Point{
			{Value: 12, Chance: 0.514, Best: "a1", Line: []games.Move{"a1"}},
			{Value: -250, Chance: 0.3, Best: "b1", Line: []games.Move{"b1", "c2", "c1"}, Mark: Blunder,
				Why: games.Claim{Kind: games.LetsWin, Move: "b1", Count: 3}},
			{Value: 20_000, Chance: 1, Proven: ProvenFirst, Plies: 5, Best: "b1", Line: []games.Move{"b1"}},
		},
	}}
	explaining := r
	explaining.Remark = func(before, after *Point, by games.Side) string {
		return fmt.Sprintf("%s of %s from %.1f to %.0f", before.Why.Kind, by, before.Chance, after.Chance)
	}
	given := explaining
	given.Given = 2
	timed := r
	timed.Times = []string{"", "1:12"}
	for _, tt := range []struct {
		name, want string
		write      func(*bytes.Buffer) error
	}{
		{"text", "4Mation cols=7 rows=7 win_length=4, 2 moves, some 30 positions looked at for each\n" +
			"PLY  SIDE    MOVE      VALUE            BETTER\n" +
			"0                      +0.12  51 %\n" +
			"1    first   a1        -2.50  30 %\n" +
			"2    second  b2    ??  first wins in 5  b1 c2 c1\n" +
			"first: nothing marked; accuracy 38 %, average loss 21 %\n" +
			"second: 1 blunder; accuracy 3 %, average loss 70 %\n", func(b *bytes.Buffer) error { return r.WriteText(b, english{}) }},
		{"text with reasons", "4Mation cols=7 rows=7 win_length=4, 2 moves, some 30 positions looked at for each\n" +
			"PLY  SIDE    MOVE      VALUE            BETTER\n" +
			"0                      +0.12  51 %\n" +
			"1    first   a1        -2.50  30 %\n" +
			"2    second  b2    ??  first wins in 5  b1 c2 c1\n" +
			"2 second b2??: lets_win of second from 0.3 to 1\n" +
			"first: nothing marked; accuracy 38 %, average loss 21 %\n" +
			"second: 1 blunder; accuracy 3 %, average loss 70 %\n", func(b *bytes.Buffer) error { return explaining.WriteText(b, english{}) }},
		{"text of given moves", "4Mation cols=7 rows=7 win_length=4, 2 moves, some 30 positions looked at for each\n" +
			"PLY  SIDE    MOVE    VALUE            BETTER\n" +
			"0                    +0.12  51 %\n" +
			"1    first   a1      -2.50  30 %\n" +
			"2    second  b2      first wins in 5\n" +
			"first: nothing marked\n" +
			"second: nothing marked\n", func(b *bytes.Buffer) error { return given.WriteText(b, english{}) }},
		{"text with times", "4Mation cols=7 rows=7 win_length=4, 2 moves, some 30 positions looked at for each\n" +
			"PLY  SIDE    MOVE      VALUE            TIME  BETTER\n" +
			"0                      +0.12  51 %\n" +
			"1    first   a1        -2.50  30 %\n" +
			"2    second  b2    ??  first wins in 5  1:12  b1 c2 c1\n" +
			"first: nothing marked; accuracy 38 %, average loss 21 %\n" +
			"second: 1 blunder; accuracy 3 %, average loss 70 %\n", func(b *bytes.Buffer) error { return timed.WriteText(b, english{}) }},
		{"JSON", `{"id":"m1","game":"fourmation","options":{"cols":7,"rows":7,"win_length":4},"nodes":30,` +
			`"sides":{"first":{"moves":1,"accuracy":38.5,"loss":0.214},"second":{"moves":1,"accuracy":2.7,"loss":0.7}},"positions":[` +
			`{"ply":0,"move":"a1","value":12,"chance":0.514,"proven":"","plies":null,"best":"a1","line":["a1"],"mark":"","why":null},` +
			`{"ply":1,"move":"b2","value":-250,"chance":0.3,"proven":"","plies":null,"best":"b1","line":["b1","c2","c1"],"mark":"blunder",` +
			`"why":{"kind":"lets_win","move":"b1","cells":[],"count":3}},` +
			`{"ply":2,"move":"","value":20000,"chance":1,"proven":"first","plies":5,"best":"b1","line":["b1"],"mark":"","why":null}]}` + "\n",
			func(b *bytes.Buffer) error { return r.WriteJSON(b) }},
	} {
		var b bytes.Buffer
		if err := tt.write(&b); err != nil || b.String() != tt.want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", tt.name, err, &b, tt.want)
		}
	}
}
