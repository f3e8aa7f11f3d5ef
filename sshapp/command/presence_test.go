package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/storage"
)

// TestPresenceInLineMode: a user of the line mode is here, at the board of the match that they named last; show says so to the others, and
// when their line dies, the opponent may claim the match.
func TestPresenceInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		h.as("ana", Done, "name ana")
		code := h.object("ana", "new 4mation --clock 5+3 --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		h.as("ana", Done, "move "+code+" a1")
		h.as("rui", Done, "move "+code+" b2")

		in, keyboard := io.Pipe()
		dropped := false
		rui := key("rui")
		rui.Dropped = func() bool { return dropped }
		ended := make(chan int, 1)
		go func() { ended <- h.run.LineMode(t.Context(), rui, "", in, io.Discard, io.Discard, false) }()
		synctest.Wait()
		near := func(want string) {
			t.Helper()
			got := h.object("ana", "show "+code+" --json")
			both, _ := json.Marshal(got["presence"])
			if text := string(both); text != `{"first":"gone","second":"`+want+`"}` {
				t.Errorf("presence %s, want %s", text, want)
			}
		}
		near("away")
		if out, _ := h.as("ana", Done, "who"); !strings.Contains(out, "Players here: 1\n  rui") || !strings.Contains(out, "lobby") {
			t.Errorf("who prints %q", out)
		}
		if _, err := io.WriteString(keyboard, "show "+code+"\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		near("here")
		if out, _ := h.as("ana", Done, "show "+code); !strings.Contains(out, "\nrui is here.\n") || strings.Contains(out, "ana is") {
			t.Errorf("show prints %q", out)
		}
		if got := h.object("ana", "who --json"); got["doing"] != lists.Playing || got["game"] != nil || got["match"] != nil {
			t.Errorf("who in a private match: %v", got)
		}
		dropped = true
		keyboard.Close()
		<-ended
		near("gone")
		if got := h.object("ana", "show "+code+" --json"); got["claim_in_s"] != 60.0 {
			t.Errorf("a claim in %v s", got["claim_in_s"])
		}
		if out, _ := h.as("ana", Done, "show "+code); !strings.Contains(out, "\nrui is gone.\nrui's line dropped: 1:00 to come back.") {
			t.Errorf("show prints %q", out)
		}
		if _, complaints := h.as("ana", Refused, "claim "+code+" win"); !strings.Contains(complaints, "You can claim the match in") {
			t.Errorf("too early: %q", complaints)
		}
		h.as("ana", Usage, "claim "+code+" everything")
		time.Sleep(time.Minute)
		if out, _ := h.as("ana", Done, "show "+code); !strings.Contains(out, "\nrui has been gone for 1 min.\nrui has not come back. Claim the win or a draw: claim "+code+" win") {
			t.Errorf("show prints %q", out)
		}
		if out, _ := h.as("ana", Done, "claim "+code+" draw"); !strings.Contains(out, "Draw: one side was gone for too long") {
			t.Errorf("claim prints %q", out)
		}
	})
}

// TestSeenByCommand: a player who gives commands without a session isn't gone, and the opponent sees when they were last active.
func TestSeenByCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		code := h.object("ana", "new 4mation --side first --clock 5+3 --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		time.Sleep(time.Second)
		h.twoEach(code, "ana", "rui")
		synctest.Wait()
		if out, _ := h.as("ana", Done, "show "+code); !strings.Contains(out, "\nrui was seen just now.\nrui has 1:00 to come back.\n") {
			t.Errorf("show prints %q", out)
		}
		time.Sleep(2 * time.Minute)
		if out, _ := h.as("ana", Done, "show "+code); !strings.Contains(out, "\nrui was seen 2 min ago.\n") {
			t.Errorf("later show prints %q", out)
		}
	})
}

// TestBoardOfLineMode: each command that names or begins a match leads a user of the line mode to its board.
func TestBoardOfLineMode(t *testing.T) {
	for _, tt := range []struct{ name, then, want string }{
		{"joins", "", `{"first":"gone","second":"here"}`},
		{"joins, and opens another match", "new petteia\n", `{"first":"gone","second":"away"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &fixture{t: t, run: inMemory(t, Options{})}
				code := h.object("ana", "new 4mation --side first --json")["code"].(string)
				h.as("rui", Done, "name rui")
				in, keyboard := io.Pipe()
				ended := make(chan int, 1)
				go func() { ended <- h.run.LineMode(t.Context(), key("rui"), "", in, io.Discard, io.Discard, false) }()
				if _, err := io.WriteString(keyboard, "join "+code+"\n"+tt.then); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				got := h.object("ana", "show "+code+" --json")
				if both, _ := json.Marshal(got["presence"]); string(both) != tt.want {
					t.Errorf("presence %s, want %s", both, tt.want)
				}
				keyboard.Close()
				<-ended
			})
		})
	}
}

// TestWatchIsPresence: a user who follows a match with a command is present at its board, and counts as a spectator of others' matches.
func TestWatchIsPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		code := h.object("ana", "new 4mation --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan bool, 2)
		var printed bytes.Buffer // of the guest
		for _, name := range []string{"rui", "guest"} {
			out := io.Writer(&printed)
			if name == "rui" {
				out = io.Discard
			}
			go func() {
				h.run.Run(ctx, key(name), "watch "+code+" --json", out, io.Discard)
				ended <- true
			}()
			synctest.Wait()
		}
		got := h.object("ana", "show "+code+" --json")
		if both, _ := json.Marshal(got["presence"]); string(both) != `{"first":"gone","second":"here"}` || got["spectators"] != 1.0 {
			t.Errorf("presence %s, %v spectators", both, got["spectators"])
		}
		if names, _ := json.Marshal(got["watching"]); string(names) != `["`+mustFindGuest(t, h)+`"]` {
			t.Errorf("watching are %s", names)
		}
		if out, _ := h.as("rui", Done, "show "+code); !strings.Contains(out, "\n1 watching: "+mustFindGuest(t, h)+"\n") {
			t.Errorf("show prints %q", out)
		}
		time.Sleep(time.Hour) // a program presses no keys
		if got := h.object("ana", "show "+code+" --json"); got["spectators"] != 1.0 {
			t.Errorf("%v spectators after an hour", got["spectators"])
		}
		visit := h.run.lobby.Presence.Visit(mustSignIn(t, h, "ana"), true)
		time.Sleep(5 * time.Second) // ana's command was a sign of life, and what comes soon after is shown later
		synctest.Wait()
		visit.Leave(false)
		synctest.Wait()
		stop()
		<-ended
		<-ended
		var first []string
		for line := range strings.Lines(printed.String()) {
			if strings.HasPrefix(line, `{"error":`) { // the end
				continue
			}
			var v struct{ Presence presenceJSON }
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			first = append(first, v.Presence.First)
		}
		if n := len(first); n < 3 || first[0] != "gone" || first[n-2] != "away" || first[n-1] != "gone" {
			t.Errorf("watch prints the presence %q", first)
		}
	})
}

func mustSignIn(t *testing.T, h *fixture, name string) lobby.User {
	t.Helper()
	u, _, err := h.run.lobby.Accounts.SignIn(t.Context(), key(name).Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// mustFindGuest returns the name of the one guest who is here.
func mustFindGuest(t *testing.T, h *fixture) string {
	t.Helper()
	for _, p := range h.run.lobby.People.Who(t.Context(), lobby.User{}).Here {
		if p.Kind == storage.Guest {
			return p.Name
		}
	}
	t.Fatal("no guest is here")
	return ""
}
