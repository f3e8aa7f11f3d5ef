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
