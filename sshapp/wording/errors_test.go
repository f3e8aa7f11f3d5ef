package wording

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/operators"
)

func TestError(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"nothing", nil, ""},
		{"the session is over", context.Canceled, ""},
		{"wrapped", fmt.Errorf("lobby: open: %w", lobby.ErrTooMany), "That is too many matches at once. Finish one, or withdraw an offer."},
		{"unknown", errors.New("bbolt: page 7: bad checksum"), "Something went wrong here; nothing is lost. Try again in a moment."},
		{"throttled", &lobby.ThrottledError{Wait: 5500 * time.Millisecond}, "Too many wrong codes. Wait 6 s and try again."},
		{"too fast", &lobby.TooFastError{Wait: 19500 * time.Millisecond}, "That is too many matches in a short time. Wait 20 s and try again."},
		{"throttled for long", &lobby.ThrottledError{Wait: 5 * time.Minute}, "Too many wrong codes. Wait 5 min and try again."},
		{"called off too many", &lobby.AbortsError{Wait: 10 * time.Minute}, "You have called off too many matches lately, or kept others waiting for your first move. Wait 10 min before the next one with people; the computer players are there meanwhile."},
		{"offered lately", &lobby.OfferWaitError{Moves: 3}, "You have offered that lately. Make 3 more moves, then offer it again."},
		{"offered lately, for a move", &lobby.OfferWaitError{Moves: 1}, "You have offered that lately. Make one more move, then offer it again."},
		{"chatty", &lobby.ChattyError{Wait: 2 * time.Second}, "That is too many lines in a short time. Wait 2 s and try again."},
		{"a young account", &lobby.CodeWaitError{Reason: lobby.ErrYoung, Wait: 3 * time.Hour}, "Notices are for accounts that are a day old. Wait 3 h and try again."},
		{"too many codes", &lobby.CodeWaitError{Reason: lobby.ErrManyCodes, Wait: time.Minute}, "That is too many codes. Wait 1 min and try again."},
		{"muted", &lobby.MutedError{Until: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)}, "The operator of this club has muted you: you can't chat until 2026-01-02 15:04 UTC."},
		{"muted for ever", &lobby.MutedError{Until: operators.Forever}, "The operator of this club has muted you: you can't chat."},
		{"illegal", games.Illegal("e5", "not next to %s", "a1"), "e5 can't be played: not next to a1."},
		{"illegal and hostile", games.Illegal("\x1b[2J\u202e", "no such cell"), `"\x1b[2J\u202e" can't be played: no such cell.`},
		{"options", games.BadOption("win_length is %d; the board has %d cells a side", 9, 3), "These options don't go together: win_length is 9; the board has 3 cells a side."},
		{"name", &names.Error{Problem: names.Scripts}, "This name mixes letters of different scripts. Stay with one."},
		{"name, a problem of the future", &names.Error{Problem: 99}, "A name is made of letters and digits, with - _ . between them. Try another one."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Words{}).Error(tt.err); got != tt.want {
				t.Errorf("Error(%v) = %q, want %q", tt.err, got, tt.want)
			}
		})
	}
}

// TestEveryLobbyErrorHasWords reads the lobby's list of errors and looks for each of them here.
func TestEveryLobbyErrorHasWords(t *testing.T) {
	own, here := errorNames(t, "../../lobby/errors.go", true), errorNames(t, "errors.go", false)
	if len(own) < 20 {
		t.Fatalf("only %d errors found in the lobby: %v", len(own), own)
	}
	for name := range own {
		if !slices.Contains([]string{"ErrThrottled", "ErrTooFast", "ErrOfferWait", "ErrAborts", "ErrChatty", "ErrMuted", "ErrYoung", "ErrManyCodes"}, name) && !here[name] { // which say how long to wait
			t.Errorf("lobby.%s has no words for people", name)
		}
	}
	for _, s := range sentences {
		if words := (Words{}).Error(s.err); !strings.HasSuffix(words, ".") || strings.Contains(words, s.err.Error()+":") {
			t.Errorf("%v becomes %q, which is no sentence", s.err, words)
		}
	}
}

// errorNames returns the names that start with Err in a file: the names that it declares, or the names of the lobby that it uses.
func errorNames(t *testing.T, path string, declared bool) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if declared && strings.HasPrefix(name.Name, "Err") {
					names[name.Name] = true
				}
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "lobby" && !declared {
				names[n.Sel.Name] = true
			}
		}
		return true
	})
	return names
}

func TestEnding(t *testing.T) {
	about := &games.About{Reasons: map[string]string{"line": "{win_length} in a line"}}
	options := games.Options{"win_length": 5, "win": 4}
	tests := []struct{ result, reason, want string }{
		{"first", "line", "ana wins: 5 in a line"},
		{"second", "resigned", "rui wins: ana resigned"},
		{"first", "abandoned", "ana wins: rui left"},
		{"second", "claimed", "rui wins: ana was gone for too long"},
		{"draw", "claimed", "Draw: one side was gone for too long"},
		{"draw", "length_limit", "Draw: the match was too long"},
		{"", "aborted", "No result: called off"},
		{"draw", "agreement", "Draw: both sides agreed"},
		{"first", "adjudicated", "ana wins: decided by the operator"},
		{"first", "never_heard_of", "ana wins: the match is over"},
	}
	for _, tt := range tests {
		if got := (Words{}).Ending(about, options, tt.result, tt.reason, "ana", "rui"); got != tt.want {
			t.Errorf("Ending(%s, %s) = %q, want %q", tt.result, tt.reason, got, tt.want)
		}
	}
}

// TestCountedEndings: a limit of one is said in the singular, in each language.
func TestCountedEndings(t *testing.T) {
	for _, tt := range []struct {
		game   games.Game
		reason string
		key    string
		one    [3]string // in English, Portuguese and German
		many   [3]string
	}{
		{petteia.New(), "captures", "captures_to_win", [3]string{"1 capture", "1 captura", "1 geschlagener Stein"}, [3]string{"7 captures", "7 capturas", "7 geschlagene Steine"}},
		{petteia.New(), "no_progress", "quiet_limit",
			[3]string{"1 turn without a capture", "1 lance sem captura", "1 Zug ohne Schlagen"},
			[3]string{"7 turns without a capture", "7 lances sem captura", "7 Züge ohne Schlagen"}},
		{flugelrad.New(), "move_limit", "move_limit",
			[3]string{"1 turn played", "1 lance feito", "1 Zug gespielt"}, [3]string{"7 turns played", "7 lances feitos", "7 Züge gespielt"}},
	} {
		for i, language := range []string{"en", "pt", "de"} {
			say := In(language)
			for limit, want := range map[int]string{1: tt.one[i], 7: tt.many[i]} {
				if got := say.Reason(tt.game.About(), games.Options{tt.key: limit}, "first", tt.reason, "ana", "rui"); got != want {
					t.Errorf("%s, %s, %d: %q, want %q", language, tt.reason, limit, got, want)
				}
			}
		}
	}
}
