package command

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// firstPuzzle returns the first puzzle of a game.
func firstPuzzle(t *testing.T, g games.Game) *puzzle.Puzzle {
	t.Helper()
	set, err := puzzle.Of(g)
	if err != nil || len(set.Puzzles) == 0 {
		t.Fatalf("%s has %d puzzles: %v", g.About().ID, len(set.Puzzles), err)
	}
	return set.Puzzles[0]
}

// wrongMove returns a legal first move of a puzzle that is wrong.
func wrongMove(t *testing.T, p *puzzle.Puzzle) games.Move {
	t.Helper()
	for _, m := range p.Start.Legal() {
		if _, o := p.Begin().Try(m); o.Verdict == puzzle.Wrong {
			return m
		}
	}
	t.Fatalf("%s has no wrong move", p.ID)
	return ""
}

// TestSolveByCommands: a puzzle of each game is solved from a shell, after a wrong move, which is refuted.
func TestSolveByCommands(t *testing.T) {
	h := newFixture(t)
	for _, g := range catalog.All() {
		p := firstPuzzle(t, g)
		shown := h.object("guest", "puzzle "+p.ID+" --json")
		if shown["id"] != p.ID || shown["game"] != g.About().ID || shown["position"] != p.Start.String() || shown["plies"] != float64(p.Plies) {
			t.Errorf("%s is shown as %v", p.ID, shown)
		}
		if words, _ := h.as("guest", Done, "puzzle "+p.ID); !strings.Contains(words, "solve "+p.ID+" MOVE") || strings.Contains(words, "\x1b") {
			t.Errorf("%s reads %q", p.ID, words)
		}
		if any := h.object("guest", "puzzle "+g.About().ID+" --json"); any["game"] != g.About().ID {
			t.Errorf("puzzle %s shows one of %v", g.About().ID, any["game"])
		}
		tried := "solve " + p.ID + " " + string(wrongMove(t, p))
		_, refuted := p.Begin().Try(wrongMove(t, p))
		if o := h.object("guest", tried+" --json"); o["right"] != false || o["solved"] != false || o["reply"] != string(refuted.Reply) || o["position"] != refuted.After.String() {
			t.Errorf("%s: %v, want the reply %s", tried, o, refuted.Reply)
		}
		line := p.Line()
		for i := 0; i < len(line); i += 2 {
			tried += " " + string(line[i])
			o, last := h.object("guest", tried+" --json"), i+2 > len(line)
			if o["right"] != true || o["solved"] != last || o["share"] != "" || !last && o["reply"] != string(line[i+1]) || len(o["line"].([]any)) != min(i+2, len(line)) {
				t.Errorf("%s: %v, in the line %v", tried, o, line)
			}
		}
	}
}

// TestSolveAnswers: what a command about puzzles says and refuses.
func TestSolveAnswers(t *testing.T) {
	h := newFixture(t)
	for _, tt := range []struct {
		name, line string
		status     int
		says       string
	}{
		{"a puzzle of a game", "puzzle 4mation", Done, "4Mation, puzzle"},
		{"an ID in capitals", "puzzle WXTCH", Done, "puzzle wxtch"},
		{"neither game nor ID", "puzzle chess", Refused, "There is no such puzzle"},
		{"an ID of none", "solve zzzzz a1", Refused, "There is no such puzzle"},
		{"drawn", "puzzle wxtch --board", Done, "a b c d e f g h"},
		{"a wrong move", "solve wxtch c4c5", Done, "The board is as it was before."},
		{"a right move", "solve wxtch d5d6", Done, "d5-d6 is right."},
		{"an illegal move", "solve wxtch a1a9", Refused, "a9 is outside the board"},
		{"no move", "solve wxtch", Usage, "Which move?"},
	} {
		out, complaints := h.as("guest", tt.status, tt.line)
		if !strings.Contains(out+complaints, tt.says) {
			t.Errorf("%s: %s says %q %q, want %q", tt.name, tt.line, out, complaints, tt.says)
		}
	}
}

// TestPuzzleOfTheDay: it is the same for all, changes with the day in UTC, and gives a line to share.
func TestPuzzleOfTheDay(t *testing.T) {
	day := time.Date(2026, 12, 1, 23, 59, 0, 0, time.UTC)
	var passed atomic.Int64
	h := newFixture(t, func(cfg *lobby.Config) { cfg.Now = func() time.Time { return day.Add(time.Duration(passed.Load())) } })
	shown := h.object("ana", "puzzle daily --json")
	if other := h.object("guest", "puzzle daily --json"); other["id"] != shown["id"] || shown["daily"] != "2026-12-01" {
		t.Errorf("the puzzles of the day are %v and %v", shown, other)
	}
	p, _, err := h.run.lobby.Puzzles.Daily()
	if err != nil {
		t.Fatal(err)
	}
	line, tried := p.Line(), "solve daily "+string(wrongMove(t, p))
	for i := 0; i < len(line); i += 2 {
		tried += " " + string(line[i])
	}
	marks := "□" + strings.Repeat("■", p.Moves())
	want := fmt.Sprintf("Ludoteca 2026-12-01 %s %s %d tries · ssh HOST puzzle", p.Game.About().Name, marks, p.Moves()+1)
	if o := h.object("guest", tried+" --json"); o["share"] != want {
		t.Errorf("the line to share is %q, want %q", o["share"], want)
	}
	if out, _ := h.as("guest", Done, tried); !strings.HasSuffix(out, want+"\n") {
		t.Errorf("people read %q, want %q at its end", out, want)
	}
	a := p.Begin()
	for i := 0; i < len(line); i += 2 {
		a, _ = a.Try(line[i])
	}
	plain := posed{say: wording.In("de").ForASCII(true).At(text.Address{Host: "play.example.com"}), puzzle: p, day: "2026-12-01"}.share(a)
	if want := strings.Repeat("#", p.Moves()) + fmt.Sprintf(" %d tries - ssh play.example.com puzzle", p.Moves()); !strings.HasSuffix(plain, want) || text.ASCII(plain) != plain {
		t.Errorf("a terminal with ASCII alone gets %q, want %q at the end", plain, want)
	}
	passed.Store(int64(time.Minute))
	if next := h.object("guest", "puzzle daily --json"); next["daily"] != "2026-12-02" {
		t.Errorf("a minute after midnight it is %v", next)
	}
}

// TestSolveInLineMode: in the line mode moves are typed as they are, a wrong one is refuted, questions are about the puzzle, and next takes another.
func TestSolveInLineMode(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &fixture{t: t, run: inMemory(t, Options{})}
				p := firstPuzzle(t, g)
				guest := h.hear(key("guest"), false)
				says := func(typed string, want ...string) string {
					t.Helper()
					guest.types(typed + "\n")
					got := guest.answers.take() + guest.told.take()
					for _, w := range want {
						if !strings.Contains(strings.ToLower(got), strings.ToLower(w)) { // names begin sentences
							t.Errorf("%s: says %q, want %q", typed, got, w)
						}
					}
					if strings.Contains(got, "\x1b") {
						t.Errorf("%s: an escape in %q", typed, got)
					}
					return got
				}
				says("puzzle "+p.ID, "puzzle "+p.ID, "Only one first move does it", g.About().ID+"> ")
				says(string(wrongMove(t, p)), "is wrong.", "The board is as it was before.")
				says("nonsense", "")
				line, position, tells := p.Line(), p.Start, posed{puzzle: p}.narrator(false)
				for i := 0; i+2 < len(line); i += 2 {
					moved, _ := position.Play(line[i])
					defence := strings.Join(tells.Move(moved, line[i+1]), " ")
					says(string(line[i]), string(line[i])+" is right.", strings.Join(tells.Move(position, line[i]), " "), defence)
					says("last", defence[:strings.Index(defence, ".")])
					position, _ = moved.Play(line[i+1])
				}
				says(string(line[len(line)-1]), "The puzzle is solved.", "next takes another puzzle.")
				says(string(p.Start.Legal()[0]), "")
				says("back", "next takes another one")
				says("hint", "The puzzle is solved. next takes another one.")
				says("puzzle "+p.ID, "Only one first move does it")
				solution := "The solution: " + strings.Trim(fmt.Sprint(line), "[]")
				says("hint", solution, strings.Join(tells.Move(p.Start, line[0]), " "), "next takes another puzzle.")
				says(string(line[0]), "You know the solution. next takes another puzzle.")
				if next := says("next", "Only one first move does it"); strings.Contains(next, "puzzle "+p.ID) {
					t.Errorf("next takes the same puzzle: %q", next)
				}
				guest.leaves(false)
			})
		})
	}
}

// TestFirstTryCounts: only the first try at a puzzle counts, from a shell and in the line mode, is told, and stands in the profile and the export.
func TestFirstTryCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		h.as("ana", Done, "name ana")
		tanks := catalog.All()[len(catalog.All())-1]
		set, err := puzzle.Of(tanks)
		if err != nil {
			t.Fatal(err)
		}
		first, second, third := set.Puzzles[0], set.Puzzles[1], set.Puzzles[2]
		solution := func(p *puzzle.Puzzle) (all string) {
			for i, m := range p.Line() {
				if i%2 == 0 {
					all += " " + string(m)
				}
			}
			return all
		}
		for _, tt := range []struct {
			name, line string
			counted    bool
		}{
			{"a right first move decides nothing", "solve " + first.ID + " " + string(first.Line()[0]), false},
			{"the solution counts", "solve " + first.ID + solution(first), true},
			{"once", "solve " + first.ID + solution(first), false},
			{"a wrong move afterwards doesn't", "solve " + first.ID + " " + string(wrongMove(t, first)), false},
		} {
			if o := h.object("ana", tt.line+" --json"); o["counted"] != tt.counted {
				t.Errorf("%s: %s: %v", tt.name, tt.line, o)
			}
			if o := h.object("guest", tt.line+" --json"); o["counted"] != false {
				t.Errorf("%s: a guest's try counts: %v", tt.name, o)
			}
		}
		puzzles := func() map[string]any { return h.object("ana", "profile --json")["puzzles"].([]any)[0].(map[string]any) }
		solved := puzzles()
		if solved["game"] != "tanks" || solved["solved"] != 1.0 || solved["streak"] != 1.0 || solved["rating"].(float64) <= 1500 {
			t.Errorf("after a solution the profile has %v", solved)
		}
		ana := h.hear(key("ana"), false)
		ana.types("puzzle " + second.ID + "\n" + string(wrongMove(t, second)) + "\n")
		if got := ana.answers.take(); !strings.Contains(got, "Your rating in puzzles of Breakthrough Tanks: ") {
			t.Errorf("the first wrong move is told as %q", got)
		}
		for m := range strings.FieldsSeq(solution(second)) {
			ana.types(m + "\n")
		}
		if got := ana.answers.take(); strings.Contains(got, "Your rating") || !strings.Contains(got, "The puzzle is solved.") {
			t.Errorf("the solution after it is told as %q", got)
		}
		ana.types("puzzle " + third.ID + "\nhint\n")
		if got := ana.answers.take(); !strings.Contains(got, "The solution: ") || !strings.Contains(got, "Your rating in puzzles of Breakthrough Tanks: ") {
			t.Errorf("giving up is told as %q", got)
		}
		ana.leaves(false)
		if missed := puzzles(); missed["solved"] != 1.0 || missed["streak"] != 0.0 || missed["rating"].(float64) >= solved["rating"].(float64) {
			t.Errorf("after a wrong first try the profile has %v, before %v", missed, solved)
		}
		if words, _ := h.as("rui", Done, "profile ana"); !strings.Contains(words, "Breakthrough Tanks: 1 puzzle solved, rating ") {
			t.Errorf("the profile reads %q", words)
		}
		out, _ := h.as("ana", Done, "export")
		if strings.Count(out, `"type":"puzzles"`) != 1 || strings.Count(out, `"type":"puzzle"`) != 3 {
			t.Errorf("the export has not all puzzles: %q", out)
		}
	})
}

// TestLeaderboardOfPuzzles: a player is ranked in the puzzles of a game after 50 first tries, and not before.
func TestLeaderboardOfPuzzles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		h.as("ana", Done, "name ana")
		set, err := puzzle.Of(catalog.All()[0])
		if err != nil {
			t.Fatal(err)
		}
		game := set.Game.About().ID
		for i, p := range set.Puzzles[:learning.LeaderTries] {
			if out, _ := h.as("guest", Done, "leaderboard --puzzles "+game+" --json"); out != "" {
				t.Fatalf("after %d tries: %s", i, out)
			}
			line := "solve " + p.ID
			if i%5 == 0 {
				line += " " + string(wrongMove(t, p))
			} else {
				for i, m := range p.Line() {
					if i%2 == 0 {
						line += " " + string(m)
					}
				}
			}
			if o := h.object("ana", line+" --json"); o["counted"] != true {
				t.Fatalf("%s: %v", line, o)
			}
		}
		o := h.object("guest", "leaderboard "+game+" --puzzles --json")
		if o["name"] != "ana" || o["rank"] != 1.0 || o["played"] != 50.0 || o["won"] != 40.0 || o["lost"] != 10.0 || o["game"] != game {
			t.Errorf("the only line is %v", o)
		}
		if words, _ := h.as("guest", Done, "leaderboard --puzzles"); strings.Count(words, "nobody has tried 50 puzzles yet") != len(catalog.All())-1 || !strings.Contains(words, "1  ana") {
			t.Errorf("for people:\n%s", words)
		}
	})
}
