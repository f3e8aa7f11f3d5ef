package command

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestNicknameInLineMode: a guest of the line mode chooses a nickname, under which others see and challenge the guest from then on, also through
// --json. Players have none, and there is none outside the line mode.
func TestNicknameInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		h.as("rui", Done, "name rui")
		h.refusedAs("not_open", "guest", "nickname otter")
		p := h.hear(key("guest"), false)
		says := func(line, want string) {
			t.Helper()
			p.types(line + "\n")
			if said := p.answers.take() + p.told.take(); !strings.Contains(said, want) {
				t.Errorf("%q answers\n%s\nwant %q", line, said, want)
			}
		}
		says("nickname Rui --json", `"code":"name_taken"`)
		says("nickname admin --json", `"code":"bad_name"`)
		says("nickname aaaaaaaaaaaaaaa", "at most 14 letters")
		says("whoami", "a guest")
		says("nickname Otter", "You are guest-Otter from now on.")
		says("nickname Otter", "nothing would change")
		says("whoami --json", `"name":"guest-Otter","guest":true`)
		if out, _ := h.as("rui", Done, "who"); !strings.Contains(out, "guest-Otter") {
			t.Errorf("who prints\n%s", out)
		}
		p.types("new 4mation --public\n")
		if out, _ := h.as("rui", Done, "offers"); !strings.Contains(out, "guest-Otter") {
			t.Errorf("offers prints\n%s", out)
		}
		for range 3 {
			p.types("nickname x\nnickname Rui\n")
		}
		says("nickname badger --json", `"code":"throttled"`)
		p.leaves(false)
		if out, _ := h.as("rui", Done, "who"); strings.Contains(out, "guest-Otter") {
			t.Errorf("after the visit who prints\n%s", out)
		}
		if out := h.atPrompt("rui", "nickname otter --json\n"); !strings.Contains(out, `"code":"conflict"`) {
			t.Errorf("a player is told\n%s", out)
		}
	})
}
