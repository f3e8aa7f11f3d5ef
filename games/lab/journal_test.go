package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// kept returns the games in a file of finished games, in the order of their numbers.
func kept(t *testing.T, path string) []journalLine {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []journalLine
	for i, text := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var line journalLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if i > 0 {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(x, y journalLine) int { return x.Index - y.Index })
	return lines
}

// TestResume interrupts a meeting in several places, in the middle of a line too, and goes on: the score and all the
// games must be the same as without interruptions.
func TestResume(t *testing.T) {
	m := meeting(t, "fourmation", "cols=5 rows=5", "pupil:60", "greedy", 20)
	m.Openings, m.SPRT = 2, SPRT{-400, 400}
	whole := filepath.Join(t.TempDir(), "whole")
	m.Resume = whole
	want := timeless(t, m)
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	heads := bytes.IndexByte(text, '\n') + 1
	for _, cut := range []int{0, 1, heads - 1, heads, heads + 1, len(text) / 2, len(text) - 1, len(text)} {
		m.Resume = filepath.Join(t.TempDir(), "part")
		if err := os.WriteFile(m.Resume, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, timeless(t, m)); diff != "" {
			t.Errorf("after %d bytes (-whole +resumed):\n%s", cut, diff)
		}
		if again, err := os.ReadFile(m.Resume); err != nil || !bytes.Equal(again, text) {
			t.Errorf("after %d bytes the file became\n%s, %v; want\n%s", cut, again, err, text)
		}
	}
}

// TestResumeMore makes a finished meeting longer, and asks a longer one for its beginning.
func TestResumeMore(t *testing.T) {
	m := meeting(t, "fourmation", "", "greedy", "random", 10)
	want := timeless(t, m)
	m.Resume, m.Games = filepath.Join(t.TempDir(), "games"), 6
	arena(t, m)
	m.Games = 10
	if diff := cmp.Diff(want, timeless(t, m)); diff != "" {
		t.Errorf("longer (-want +got):\n%s", diff)
	}
	m.Games = 6
	if line := timeless(t, m); line["games"] != 6.0 {
		t.Errorf("the first six: %v", line)
	}
	if n := len(kept(t, m.Resume)); n != 10 {
		t.Errorf("%d games are kept", n)
	}
}

// TestResumeStopped interrupts a meeting as a person does, and goes on.
func TestResumeStopped(t *testing.T) {
	m := meeting(t, "fourmation", "", "greedy", "random", 30)
	want := timeless(t, m)
	m.Resume, m.Workers = filepath.Join(t.TempDir(), "games"), 3
	full, err := newMatch(m)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	full.players[0] = stopping{full.players[0], stop}
	if _, err := full.run(ctx, nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "goes on from there") {
		t.Errorf("interrupted: %v", err)
	}
	if n := len(kept(t, m.Resume)); n >= 30 {
		t.Fatalf("%d games are kept of an interrupted meeting", n)
	}
	if diff := cmp.Diff(want, timeless(t, m)); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
}

// stopping is a player that ends the whole meeting late in a game.
type stopping struct {
	bot.Player
	stop func()
}

func (s stopping) Move(ctx context.Context, p games.Position, r *games.Random) (games.Move, error) {
	if len(p.Legal()) < 8 {
		s.stop()
	}
	return s.Player.Move(ctx, p, r)
}

func TestResumeRefuses(t *testing.T) {
	m := meeting(t, "fourmation", "", "greedy", "random", 4)
	m.Resume = filepath.Join(t.TempDir(), "games")
	arena(t, m)
	good, err := os.ReadFile(m.Resume)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	tests := []struct {
		name, file string
		change     func(m *Meeting)
		want       string
	}{
		{"another seed", "", func(m *Meeting) { m.Seed = 9 }, "whose seed is 7, not 9"},
		{"other players", "", func(m *Meeting) { m.Players[0] = "random" }, "whose first is greedy, not random"},
		{"other options", "", func(m *Meeting) { m.Options = games.Options{"cols": 7, "rows": 6, "win_length": 4} }, "whose options is map["},
		{"openings", "", func(m *Meeting) { m.Openings = 2 }, "whose openings is 0, not 2"},
		{"another time", "", func(m *Meeting) { m.MoveTime = time.Second }, "whose movetime_seconds is 0, not 1"},
		{"another file", "Dear diary,\nnothing happened\n", nil, "no file of finished games"},
		{"another file of one line", "Dear diary", nil, "no file of finished games"},
		{"no JSON", lines[0] + "nothing\n", nil, "line 2: it is no finished game"},
		{"twice", lines[0] + lines[1] + lines[1], nil, "line 3: game 0 is there twice"},
		{"no number", lines[0] + strings.Replace(lines[1], `"game_index":0`, `"game_index":-2`, 1), nil, "game -2"},
		{"the other side", lines[0] + strings.Replace(lines[1], `"game_index":0`, `"game_index":1`, 1), nil, "one of others"},
		{"another opponent", lines[0] + strings.Replace(lines[1], `"second":"random"`, `"second":"master"`, 1), nil, "one of others"},
		{"no result", lines[0] + strings.Replace(lines[1], `"result":"`, `"result":"x`, 1), nil, "has the result"},
	}
	for _, tt := range tests {
		m, text := m, []byte(tt.file)
		if tt.file == "" {
			text = good
		}
		if tt.change != nil {
			tt.change(&m)
		}
		if err := os.WriteFile(m.Resume, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := Arena(t.Context(), &out, nil, m, true)
		if !errors.Is(err, ErrResume) || !strings.Contains(err.Error(), tt.want) || out.Len() > 0 {
			t.Errorf("%s: %v, want it to say %q; wrote %q", tt.name, err, tt.want, &out)
		}
		if after, err := os.ReadFile(m.Resume); err != nil || !bytes.Equal(after, text) {
			t.Errorf("%s: the file became\n%s, %v", tt.name, after, err)
		}
	}
}

// TestResumeAlone opens a file that another arena writes to.
func TestResumeAlone(t *testing.T) {
	m := meeting(t, "fourmation", "", "greedy", "random", 4)
	m.Resume = filepath.Join(t.TempDir(), "games")
	j, _, err := openJournal(m.Resume, &m)
	if err != nil {
		t.Fatal(err)
	}
	if err := Arena(t.Context(), &bytes.Buffer{}, nil, m, true); !errors.Is(err, ErrResume) {
		t.Errorf("while another has it: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	arena(t, m)
}
