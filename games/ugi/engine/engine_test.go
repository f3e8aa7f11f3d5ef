package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/games/ugi"
	"ludoteca/games/ugi/engine"
)

// TestWholeGames has engines of all games play a game against themselves within each kind of limit.
func TestWholeGames(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			s := start(t, engine.Settings{Game: g, Options: games.OptionsOf(g)})
			p, err := g.New(games.OptionsOf(g))
			if err != nil {
				t.Fatal(err)
			}
			limits := []string{"nodes 50", "depth 1", "movetime 1", "p1time 40 p2time 30 p1inc 1 p2inc 1", "p1time 0 p2time 0", "movetime 2 nodes 20 depth 3"}
			s.send("uginewgame")
			played := "position startpos moves"
			for ply := 0; !p.Result().Over && ply < 60; ply++ {
				s.send(played, "go "+limits[ply%len(limits)])
				m := s.move()
				next, err := p.Play(m)
				if err != nil {
					t.Fatalf("%s: %v", played, err)
				}
				p, played = next, played+" "+string(m)
			}
			s.send(played, "query p1turn")
			s.want("response "+map[games.Side]string{games.First: "true", games.Second: "false"}[p.Turn()], false)
			s.send("query result")
			s.want("response "+ugi.ResultWord(p.Result()), false)
			over := func(p games.Position) string {
				return "response " + map[bool]string{true: "true", false: "false"}[p.Result().Over]
			}
			s.send("query gameover")
			s.want(over(p), false)
			alone, err := g.Parse(p.String()) // without the positions before it, by which a repetition may have ended the game
			if err != nil {
				t.Fatal(err)
			}
			s.send("position fen "+p.String(), "query gameover")
			s.want(over(alone), false)
		})
	}
}

// TestAnswersWhileItThinks sends commands at many moments of endless searches, most of them before the first depth is done.
func TestAnswersWhileItThinks(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			s := start(t, engine.Settings{Game: g, Options: games.OptionsOf(g)})
			for _, infos := range []int{0, 1, 3} {
				s.send("position startpos", "go infinite")
				for range infos {
					s.want("info depth *", true)
				}
				for range 3 {
					s.send("isready")
					s.want("readyok", true)
					s.send("query p1turn")
					s.want("response true", true)
				}
				s.send("ugi")
				s.want("id name *", true)
				for s.next() != "ugiok" {
				}
				s.send("stop")
				s.move()
			}
		})
	}
}

// TestOneMoveForEachGo sends what ends a search without waiting for its move.
func TestOneMoveForEachGo(t *testing.T) {
	for _, next := range []string{"stop", "go nodes 10", "position startpos", "uginewgame", "setoption name Hash value 4", "setoption name Level value random"} {
		s := start(t, settings(t, "fourmation"))
		s.send("go infinite", next, "isready")
		s.move()
		if strings.HasPrefix(next, "go") {
			s.want("readyok", true)
			s.move()
			continue
		}
		s.want("readyok", false)
	}
}

// TestInfiniteWaits has the only legal move found at once: bestmove waits for stop.
func TestInfiniteWaits(t *testing.T) {
	for _, level := range []string{"master", "random"} {
		c := settings(t, "fourmation", "cols=3", "rows=3", "win_length=3")
		c.Level = level
		s := start(t, c)
		s.send("position startpos moves b2 a1 a2", "go infinite") // a move wins at once
		for range 50 {
			s.send("isready")
			s.want("readyok", true)
		}
		s.send("stop")
		s.move()
		s.send("stop", "isready") // no second move
		s.want("readyok", false)
	}
}

func TestSameSeedSameGame(t *testing.T) {
	game := func(seed string) (moves string) {
		s := start(t, settings(t, "fourmation"))
		s.send("setoption name Seed value "+seed, "uginewgame")
		for range 8 {
			s.send("position startpos moves"+moves, "go nodes 300")
			moves += " " + string(s.move())
		}
		return moves
	}
	if one, two := game("5"), game("5"); one != two {
		t.Errorf("seed 5 gave%s and%s", one, two)
	}
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6"} {
		seen[game(seed)] = true
	}
	if len(seen) < 2 {
		t.Error("six seeds gave one game")
	}
}

func TestOptions(t *testing.T) {
	s := start(t, settings(t, "fourmation"))
	for _, tt := range []struct{ name, value, want string }{
		{"Hash", "0", `info string Hash is 1 to 1024 MiB, not "0"`},
		{"hash", "1025", `info string Hash is 1 to 1024 MiB, not "1025"`},
		{"Level", "god", `info string no such level: *`},
		{"Level", "master:0", `info string no such level: *`},
		{"Seed", "-1", `info string Seed is 0 to 2147483647, not "-1"`},
		{"cols", "2", `info string cols is 3 to 26, not "2"`},
		{"COLS", "", `info string cols is 3 to 26, not ""`},
		{"Ponder", "true", `info string there is no option "Ponder"`},
		{"LEVEL", "pupil", ""}, {"level", "master:500", ""}, {"HASH", "1", ""}, {"seed", "0", ""}, {"Cols", "3", ""}, {"rows", "3", ""},
	} {
		s.send("setoption name "+tt.name+" value "+tt.value, "isready")
		if tt.want != "" {
			s.want(tt.want, false)
		}
		s.want("readyok", false)
	}
	s.send("uginewgame")
	s.want("info string there is no game: win_length is 4, *", false)
	s.send("query gameover")
	s.want("response none", false)
	s.send("position startpos")
	s.want("info string there is no position: *", false)
	s.send("go nodes 5")
	s.want("info string there is no position to search", false)
	s.want("bestmove 0000", false)
	s.send("setoption name win_length value 3", "uginewgame", "position startpos moves d4")
	s.want("info string there is no position: d4: *", false)
	s.send("go")
	s.want("info string *", false)
	s.want("bestmove 0000", false)
	s.send("position startpos moves c3", "go nodes 5")
	s.move()
}

// TestEndOfInput ends the input after each kind of search.
func TestEndOfInput(t *testing.T) {
	for _, tt := range []struct {
		input string
		moves int
	}{
		{"", 0}, {"ugi", 0}, {"go nodes 500", 1}, {"go depth 2\n", 1}, {"go movetime 20\n", 1}, {"go infinite\n", 1}, {"go infinite depth 1\n", 1},
		{"go nodes 100\nquit\ngo nodes 100\n", 0}, {"go infinite\nquit\n", 0}, {"go nodes 10\ngo nodes 10\n", 2},
	} {
		var out bytes.Buffer
		if err := engine.Serve(t.Context(), strings.NewReader(tt.input), &out, settings(t, "fourmation")); err != nil {
			t.Errorf("%q: %v", tt.input, err)
		}
		if got := strings.Count(out.String(), "bestmove"); got != tt.moves {
			t.Errorf("%q: %d moves, want %d\n%s", tt.input, got, tt.moves, out.String())
		}
	}
}

// TestInputEndsWhileItThinks has a search go on to its limit after the end of input.
func TestInputEndsWhileItThinks(t *testing.T) {
	var out bytes.Buffer
	if err := engine.Serve(t.Context(), strings.NewReader("go depth 7"), &out, settings(t, "fourmation")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if n := len(lines); n < 2 || !strings.HasPrefix(lines[n-2], "info depth 7 ") || !strings.HasPrefix(lines[n-1], "bestmove ") {
		t.Errorf("the engine sent\n%s", out.String())
	}
}

// TestServeEnds has all else end an engine that thinks.
func TestServeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, to := io.Pipe()
	done := make(chan error)
	go func() { done <- engine.Serve(ctx, in, io.Discard, settings(t, "fourmation")) }()
	if _, err := io.WriteString(to, "go infinite\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v when its context ended", err)
	}
	to.Close()

	long := io.MultiReader(strings.NewReader("go infinite\n"), bytes.NewReader(make([]byte, 2*ugi.MaxLine)))
	if err := engine.Serve(t.Context(), long, io.Discard, settings(t, "fourmation")); !errors.Is(err, ugi.ErrLine) {
		t.Errorf("%v after a line that is too long", err)
	}
	broken := errors.New("broken")
	closed, out := io.Pipe()
	closed.CloseWithError(broken)
	if err := engine.Serve(t.Context(), strings.NewReader("go depth 3\n"), out, settings(t, "fourmation")); !errors.Is(err, broken) {
		t.Errorf("%v when nobody reads", err)
	}
	c := settings(t, "fourmation")
	c.Level = "god"
	if err := engine.Serve(t.Context(), strings.NewReader(""), io.Discard, c); !errors.Is(err, bot.ErrLevel) {
		t.Errorf("%v about the level", err)
	}
}

// FuzzServe sends any lines to an engine. It must end by itself, and answer each go with a move unless it quits.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{"ugi\nisready\n", "position startpos moves d4 e5\ngo nodes 1\nstop\nquery result\n", "go nodes 1\ngo\x00infinite\nquit", "setoption name cols value 3\nuginewgame\ngo nodes 1\n"} {
		f.Add(seed)
	}
	g, _ := games.Find(catalog.All(), "fourmation")
	o, err := games.Complete(g, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if strings.Contains(input, "time") || strings.Contains(input, "depth") || strings.Contains(input, "nodes ") && !strings.Contains(input, "nodes 1\n") {
			t.Skip() // they may take long
		}
		asked, quits := 0, false
		for line := range strings.Lines(input) {
			switch c, _ := ugi.ParseCommand(line); c.(type) {
			case ugi.Go:
				asked++
			case ugi.Quit:
				quits = true
			}
			if quits {
				break
			}
		}
		var out bytes.Buffer
		if err := engine.Serve(t.Context(), strings.NewReader(input), &out, engine.Settings{Game: g, Options: o, Level: "pupil"}); err != nil {
			if !errors.Is(err, ugi.ErrLine) {
				t.Fatal(err)
			}
			return
		}
		got := strings.Count("\n"+out.String(), "\nbestmove ")
		if got > asked || got < asked && !quits {
			t.Errorf("%q: %d moves for %d times go\n%s", input, got, asked, out.String())
		}
	})
}
