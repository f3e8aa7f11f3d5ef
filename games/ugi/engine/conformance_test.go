package engine_test

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/ugi/engine"
)

// conformance is what UGI.md says about each line of a GUI at a moment at which a search goes on: the lines that come back, between which there
// may be infos of the search, and whether the search is over then.
var conformance = []struct {
	line string
	want []string
	ends bool
}{
	{"", nil, false},
	{"   \t ", nil, false},
	{"isready", []string{"readyok"}, false},
	{"isready\r", []string{"readyok"}, false},
	{"  isready\textra", []string{"readyok"}, false},
	{"query p1turn", []string{"response true"}, false},
	{"query gameover", []string{"response false"}, false},
	{"query result", []string{"response none"}, false},
	{"ugi", []string{"id name Ludoteca *", "id author Ludoteca", "option name Hash *", "option name Level *", "option name Seed *", "ugiok"}, false},
	{"castle", []string{`info string unknown command "castle"`}, false},
	{"stop", []string{"bestmove *"}, true},
	{"setoption name Hash value 4", []string{"bestmove *"}, true},
	{"setoption name hash value 4", []string{"bestmove *"}, true},
	{"setoption name Hash value lots", []string{"bestmove *", `info string Hash is 1 to 1024 MiB, not "lots"`}, true},
	{"uginewgame", []string{"bestmove *"}, true},
	{"position startpos", []string{"bestmove *"}, true},
	{"position startpos moves nowhere", []string{"bestmove *", "info string there is no position: *"}, true},
	{"go nodes 50", []string{"bestmove *", "bestmove *"}, true},
	{"go depth 1", []string{"bestmove *", "bestmove *"}, true},
	{"go movetime 1", []string{"bestmove *", "bestmove *"}, true},
	{"go p1time 100 p2time 100 p1inc 0 p2inc 0", []string{"bestmove *", "bestmove *"}, true},
}

// TestConformance sends each line of the table at four moments of a search without limits, in each game, and once while nothing is searched.
func TestConformance(t *testing.T) {
	searched := []int{-1, 0, 1, 2, 5} // infos of the search, before the line; -1: nothing is searched
	if testing.Short() {
		searched = []int{-1, 0}
	}
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			s := start(t, engine.Settings{Game: g, Options: games.OptionsOf(g)})
			for _, row := range conformance {
				for _, infos := range searched {
					s.send("uginewgame", "position startpos")
					want := row.want
					if infos < 0 {
						if row.ends {
							want = want[1:] // the bestmove of the search
						}
					} else {
						s.send("go infinite")
						for range infos {
							s.want("info depth *", true)
						}
					}
					s.send(row.line)
					for _, w := range want {
						s.wantPast(w)
					}
					if infos >= 0 && !row.ends {
						s.send("stop")
						s.move()
					}
					s.send("isready") // nothing more comes than what is wanted
					s.want("readyok", false)
				}
			}
		})
	}
}

// wantPast is want, and passes over infos of a search and further options.
func (s *session) wantPast(pattern string) {
	s.t.Helper()
	for {
		line := s.next()
		if fits(line, pattern) {
			return
		}
		further := strings.HasPrefix(line, "option ") || strings.HasPrefix(line, "info ") && !strings.HasPrefix(line, "info string")
		if !further {
			s.t.Fatalf("after %q the engine sent\n%s\nwant\n%s", s.last, line, pattern)
		}
	}
}
