package operatorpage

import (
	"testing"

	"ludoteca/sshapp/ui/uitest"
)

// TestBanBeforeItsTargetsHaveCome: while the club still looks up what a ban could be of, keys mark nothing and confirm nothing.
func TestBanBeforeItsTargetsHaveCome(t *testing.T) {
	s := operatorPage{verb: "ban", picking: true}
	for _, name := range []string{"space", "down", "space", "enter"} {
		for _, press := range uitest.Pressed(name) {
			next, cmd := s.choose(press)
			if s = next.(operatorPage); cmd != nil || !s.picking || len(s.targets) > 0 {
				t.Errorf("after %s: picking %v, %d targets", name, s.picking, len(s.targets))
			}
		}
	}
}
