//go:build linux

package abusetest

import (
	"os"
	"os/exec"
	"testing"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/loadtest"
)

func TestMain(m *testing.M) { loadtest.Main(m, nil) }

// attacks are the ways in which a patient stranger can try to wear a club down within its limits.
var attacks = []struct {
	name string
	play func(*world)
}{
	{"memory", memory},
	{"room", room},
	{"block", block},
	{"disk", disk},
	{"thinking", thinking},
	{"sign-in", signIn},
	{"names", similarNames},
	{"private", private},
	{"reads", reads},
	{"unread", unread},
	{"full", full},
	{"neighbours", neighbours},
	{"ratings", ratings},
	{"pest", pest},
	{"pester", pester},
	{"damage", damage},
	{"evidence", evidence},
	{"keepalive", keepalive},
	{"recovery", recovery},
	{"lists", lists},
	{"reports", reportBox},
	{"analyses", analysisQueue},
	{"announcing", announcing},
	{"entering", entering},
	{"telling", telling},
	{"asking", asking},
	{"flooding", flooding},
	{"standing", standing},
	{"all", all},
}

// TestAttacks plays each attack. With -short it plays the last one, which is most of them at once: the program is one of its own,
// without the race detector. In passing several are played side by side, each against a club of its own: half of their time they wait for
// something that the club does after seconds, such as to count a match as unwatched.
func TestAttacks(t *testing.T) {
	other := os.Getenv("LUDOTECA_ABUSE_BINARY")
	binary := other
	if binary == "" {
		binary = program.Build(t, program.Path)
	}
	help, err := exec.Command(binary, "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	past := &pasts{folder: t.TempDir(), made: map[int]func() error{}}
	played := attacks
	if testing.Short() {
		played = attacks[len(attacks)-1:]
	}
	for _, a := range played {
		t.Run(a.name, func(t *testing.T) {
			w := &world{t, binary, other != "", os.Getenv("LUDOTECA_ABUSE") != "", string(help), past}
			if !w.full {
				t.Parallel()
			}
			a.play(w)
		})
	}
}
