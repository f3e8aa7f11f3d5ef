package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/lounge"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
)

// TestLounge: people write and read, an operator closes the room, and the line mode tells what is said to a user who went in.
func TestLounge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "name "+name)
		}
		h.refusedAs("not_open", "ana", "lounge say hello")
		h.refusedAs("guest", "guest", "lounge say hello")
		time.Sleep(lounge.YoungFor)
		if out, _ := h.as("guest", Done, "lounge"); out != "Nobody has written anything here.\n" {
			t.Errorf("an empty lounge: %q", out)
		}
		if out, _ := h.as("ana", Done, "lounge say who's for 'tea'?"); out != "ana: who's for 'tea'?\n" {
			t.Errorf("said %q", out)
		}
		if line := h.object("guest", "lounge --json"); line["by"] != "ana" || line["text"] != "who's for 'tea'?" {
			t.Errorf("a guest reads %v", line)
		}
		rui := h.hear(key("rui"), false)
		defer rui.leaves(false)
		h.as("ana", Done, "lounge say hello?")
		rui.hears("rui, before they went in")
		rui.types("lounge leave\n")
		rui.hears("rui", "You are not in the lounge. To go in, in the line mode: lounge")
		rui.types("lounge\n")
		want := "ana: who's for 'tea'?\nana: hello?\nYou are in the lounge, and are told what is said there. To write: lounge say TEXT. To leave: lounge leave\n"
		if got := rui.answers.take(); got != want {
			t.Errorf("rui goes in and reads %q, want %q", got, want)
		}
		h.as("ana", Done, "lounge say there you are")
		rui.hears("rui", "Lounge: ana: there you are")
		rui.types("lounge say tea!\n")
		rui.hears("rui, who wrote it")
		rui.types("lounge leave\n")
		h.as("ana", Done, "lounge say bye")
		rui.hears("rui, who has left")
	})
}

// TestFollowLounge: the beginning of lounge --follow is as heavy as lounge; what follows holds no place, also in a lounge and a chat that are empty.
func TestFollowLounge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		h.as("ana", Done, "name ana")
		code, _ := h.as("ana", Done, "new 4mation --public")
		code = strings.Fields(code)[0]
		time.Sleep(lounge.YoungFor)
		for range 2 {
			for range 2 * gate.MaxHeavyPerPerson {
				for _, line := range []string{"lounge --follow --json", "lounge --follow", "chat " + code + " --follow --json"} {
					w := h.waits(key("rui"), line)
					if status := w.ends(); status >= 0 {
						t.Fatalf("%s: status %d, %s", line, status, w.complaints.take())
					}
					defer w.leave()
				}
			}
			if s := h.run.gate.State(); s.Heavy > 0 || s.People > 0 || s.Queued > 0 {
				t.Errorf("the gate counts %+v", s)
			}
			h.as("ana", Done, "lounge say hello")
		}

		var hold []func()
		for range gate.MaxHeavyPerPerson { // answers of the same person that have not begun to be read
			release := make(chan struct{})
			w := h.run.gate
			hold = append(hold, func() { close(release) })
			go func() {
				_ = gate.Printer{Gate: w, From: key("rui").origin(), HangUp: func() {}, Write: func([]byte) error { <-release; return nil }}.Print(
					t.Context(), reply.One(reply.ForPeople("a line")), tree.Heavy, false)
			}()
		}
		synctest.Wait()
		w := h.waits(key("rui"), "lounge --follow --json")
		if status, out := w.ends(), w.out.take(); status != Refused || !strings.Contains(out, "busy") {
			t.Errorf("one more answer: status %d, %q", status, out)
		}
		for _, release := range hold {
			release()
		}
		synctest.Wait()
	})
}
