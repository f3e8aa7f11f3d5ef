package command

import (
	"bytes"
	"context"
	"testing"

	"ludoteca/lobby"
)

// TestFirstCommandsAtOnce: of the first commands of a new key that come at the same time, one signs the key up, and the
// others go on with its account.
func TestFirstCommandsAtOnce(t *testing.T) {
	for _, quicker := range []string{"ana", "another"} {
		t.Run("the quicker one takes the name "+quicker, func(t *testing.T) {
			h := newHouse(t)
			who, club := key("ana"), h.run.club
			who.SignUp = func(ctx context.Context, fingerprint, name string) (lobby.Who, error) {
				if _, err := club.SignUp(ctx, fingerprint, quicker); err != nil {
					t.Fatal(err)
				}
				return club.SignUp(ctx, fingerprint, name)
			}
			var out, complaints bytes.Buffer
			if got := h.run.Run(t.Context(), who, "new 4mation", &out, &complaints); got != Done {
				t.Fatalf("status %d: %s", got, complaints.String())
			}
			if m := h.object("ana", "whoami --json"); m["name"] != quicker {
				t.Errorf("the key is %v, want %s", m["name"], quicker)
			}
		})
	}
}

// TestWhoSignsUp: looking around signs up nobody, and neither does a code that nobody knows.
func TestWhoSignsUp(t *testing.T) {
	h := newHouse(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	name := func() any { return h.object("rui", "whoami --json")["name"] }
	for _, line := range []string{"help", "games", "matches --json", "history --json", "leaderboard --json", "show " + code, "watch " + code, "record " + code} {
		if h.as("rui", Done, line); name() != "" {
			t.Fatalf("%s signs up %v", line, name())
		}
	}
	if h.as("rui", Refused, "join 222222"); name() != "" {
		t.Errorf("joining nothing signs up %v", name())
	}
	if h.as("rui", Done, "join "+code); name() != "rui" {
		t.Errorf("joining signs up %v", name())
	}
}
