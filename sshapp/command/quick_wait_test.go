package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/quick"
)

// TestQuickInLineMode: who waits at the prompt is at the board at once; who plays the computer is called, and goes with a word, or leaves the search
// by not going.
func TestQuickInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		for _, name := range []string{"ana", "rui", "eva", "zoe"} { // two whose match was called off are kept apart
			h.as(name, Done, "name "+name)
		}
		ana, rui, eva, zoe := h.hear(key("ana"), false), h.hear(key("rui"), false), h.hear(key("eva"), false), h.hear(key("zoe"), false)
		heard := make(map[*heardPrompt]string)             // told since told was asked last
		says := func(p *heardPrompt, typed, want string) { // in answer, or as a refusal
			t.Helper()
			p.answers.take()
			heard[p] += p.told.take()
			p.types(typed + "\n")
			told := p.told.take()
			heard[p] += told
			if got := p.answers.take() + told; !strings.Contains(got, want) {
				t.Errorf("%s answers %q, want %q", typed, got, want)
			}
		}
		told := func(p *heardPrompt, want ...string) {
			t.Helper()
			time.Sleep(time.Second)
			synctest.Wait()
			got := heard[p] + p.told.take()
			heard[p] = ""
			for _, words := range want {
				if !strings.Contains(got, words) {
					t.Errorf("told %q, want %q", got, words)
				}
			}
		}
		const look = "quick 4mation --casual"
		says(ana, "stop", "You are not looking for a quick match.")
		says(ana, "go", "No opponent waits for you now.")

		// rui waits in the lobby, and plays at once.
		says(rui, look, "stop ends the search")
		says(ana, look, "rui")
		told(rui, "begins: ana plays against you.", "You are at its board now.")
		says(ana, "abort", "")
		says(rui, "lobby", "You are in the lobby")
		says(ana, "lobby", "You are in the lobby")

		// ana plays the computer when eva comes, and goes.
		says(ana, look, "Meanwhile you may play the computer")
		says(ana, "play 4mation first", "")
		says(ana, "go", "No opponent waits for you now.")
		told(ana)
		says(eva, look, "You wait for an opponent.")
		told(eva, "An opponent is found: 4Mation, no clock. They are called, and have 10 s to come.")
		told(ana, "An opponent is found: 4Mation, no clock. You have 10 s. Type go to go there.")
		says(ana, "go", "You go to your quick match.")
		told(ana, "begins: eva plays against you.", "You are at its board now.")
		told(eva, "begins: ana plays against you.", "You are at its board now.")
		says(ana, "abort", "")

		// ana is at a practice match again when zoe comes, and doesn't go.
		says(ana, "lobby", "You are in the lobby")
		says(ana, look, "Meanwhile")
		says(ana, "play 4mation first", "")
		says(zoe, look, "You wait")
		told(ana, "s. Type go to go there.")
		time.Sleep(quick.CallTime)
		told(ana, "you did not come within 10 s", "Nothing is counted against you.")
		told(zoe, "Your opponent has not come. The club goes on looking for you.")
		says(ana, "go", "No opponent waits")
		says(ana, "stop", "You are not looking for a quick match.")

		// A command from outside takes who waits at the prompt, as ever.
		if m := h.object("ana", look+" --json"); m["waiting"] != false {
			t.Errorf("%v", m)
		}
		told(zoe, "begins: ana plays against you.", "You are at its board now.")
		says(rui, look, "You wait")
		says(rui, "stop", "The club no longer looks for an opponent for you.")
		if m := h.object("eva", look+" --json"); m["waiting"] != true {
			t.Errorf("after rui has stopped: %v", m)
		}
		for _, p := range []*heardPrompt{ana, rui, eva, zoe} {
			p.leaves(false)
		}
	})
}

// TestQuickAtBoard: a player at the prompt whose match against the computer is over, or who leaves its board, is there: their quick match begins. It
// is the current match then.
func TestQuickAtBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		for _, name := range []string{"ana", "rui", "eva"} {
			h.as(name, Done, "name "+name)
		}
		for other, ends := range map[string]string{"rui": "resign", "eva": "lobby"} {
			ana := h.hear(key("ana"), false)
			ana.types("quick 4mation --casual\nplay 4mation first\n")
			time.Sleep(time.Second)
			rui := h.hear(key(other), false)
			rui.types("quick 4mation --casual\n")
			time.Sleep(time.Second)
			synctest.Wait()
			ana.told.take()
			ana.types(ends + "\n")
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if got := ana.told.take(); !strings.Contains(got, "begins: "+other+" plays against you.") || !strings.Contains(got, "You are at its board now.") {
				t.Errorf("after %s: told %q", ends, got)
			}
			ana.types("abort\n")
			ana.leaves(false)
			rui.leaves(false)
		}
	})
}
