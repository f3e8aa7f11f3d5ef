package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPromptTellsPauses: at the board the line mode tells the opponent when a vacation or an adjournment begins and ends, also by itself; lists of
// matches and players say that the clock stands. Who did it is told nothing beside the answer.
func TestPromptTellsPauses(t *testing.T) {
	const minute = "2006-01-02 15:04"
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "name "+name)
		}
		opened, _ := h.as("ana", Done, "new 4mation --side first --clock 3d --json")
		code := decode(t, opened)["code"].(string)
		h.as("rui", Done, "join "+code)
		h.as("ana", Done, "move "+code+" d4")
		h.as("rui", Done, "move "+code+" d5")
		rui := h.hear(key("rui"), false)
		rui.types("show " + code + "\n")
		later := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		later(time.Minute)
		rui.told.take()
		hears := func(wants ...string) {
			t.Helper()
			synctest.Wait()
			got := rui.told.take()
			if len(wants) == 0 && strings.TrimSpace(prompts.ReplaceAllString(got, "")) != "" {
				t.Errorf("rui is told %q, want nothing", got)
			}
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("rui is told %q without %q", got, want)
				}
			}
		}
		finds := func(who, line, want string) {
			t.Helper()
			if got, _ := h.as(who, Done, line); !strings.Contains(got, want) {
				t.Errorf("%s of %s has no %q: %s", line, who, want, got)
			}
		}
		finds("rui", "matches --json", `"stands_until":null`)

		until := time.Now().Add(48 * time.Hour).UTC().Format(minute)
		h.as("ana", Done, "vacation "+until+" UTC")
		later(time.Second)
		hears("ana is on vacation until " + until + " UTC: the clock stands.")
		finds("ana", "matches", "your move, the clock stands")
		finds("rui", "matches", "waiting for the other side, the clock stands")
		finds("rui", "matches --json", `"stands_until":"`)
		ana := h.hear(key("ana"), false)
		finds("rui", "who", "lobby, on vacation until "+until[:10])
		ana.leaves(false)
		hears()
		h.as("ana", Done, "vacation off")
		later(time.Second)
		hears("The vacation of ana is over. The clock runs again.", "ana has 2 days")
		finds("rui", "who", "rui")
		if got, _ := h.as("rui", Done, "who"); strings.Contains(got, "vacation") {
			t.Errorf("after the vacation who says %s", got)
		}

		h.as("ana", Done, "vacation "+time.Now().Add(48*time.Hour).UTC().Format(minute)+" UTC")
		later(time.Second)
		hears("ana is on vacation until ")
		later(48 * time.Hour)
		hears("The vacation of ana is over. The clock runs again.")

		h.as("ana", Done, "adjourn "+code)
		later(time.Second)
		hears("ana asks to adjourn the match")
		rui.answers.take()
		rui.answersTo("accept", "The match is adjourned until ")
		rui.answersTo("clock", "The match is adjourned until ")
		hears()
		h.as("ana", Done, "resume "+code)
		later(time.Second)
		hears("The match is no longer adjourned. The clock runs again.")
		rui.leaves(false)
	})
}
