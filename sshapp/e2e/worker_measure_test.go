package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
	"ludoteca/sshapp/status"
)

// measured is how long one measurement lasts.
const measured = time.Minute

// BenchmarkLentMoves measures how many moves of computer players a club on one core answers in a second, alone and with one core that another
// process lends: bot-moves/s. Five people play against Petteia's Master, which thinks for a second about a move: more than two cores can answer, so
// few that no search is cut short, and so slow that the clients, which have the same two cores, cost next to nothing. It needs taskset. On two cores
// of an EPYC: 1.00 alone and 2.00 with the lent core.
//
//	go test -run '^$' -bench LentMoves -benchtime 1x ./sshapp/e2e
func BenchmarkLentMoves(b *testing.B) {
	if _, err := exec.LookPath("taskset"); err != nil {
		b.Skip("no taskset here")
	}
	for _, lent := range []int{0, 1} {
		b.Run(fmt.Sprintf("lent=%d", lent), func(b *testing.B) {
			for b.Loop() {
				moves, answers := measureMoves(b, lent)
				b.ReportMetric(float64(moves)/measured.Seconds(), "bot-moves/s")
				b.ReportMetric(float64(answers)/measured.Seconds(), "lent-answers/s")
			}
		})
	}
}

// measureMoves returns how many moves computer players make in the measured time, and how many of these were searched elsewhere.
func measureMoves(b *testing.B, lent int) (moves, answers int64) {
	const people = 5
	key, operator := newWorkerKey(b), sshclient.NewSigner(b)
	serve := program.Serve(b, programPath(b), b.TempDir(), "--bot-workers=1", "--max-matches-new=100", "--worker", key.fingerprint(),
		"--operator", gossh.FingerprintSHA256(operator.PublicKey()))
	club := start(b, exec.Command("taskset", append([]string{"-c", "0"}, serve.Args...)...), "GOMAXPROCS=1")
	key.knows(b, club.addr, hostKey(b, club.addr))
	far := sshclient.MustDial(b, club.addr, "rui", operator)
	if lent > 0 {
		cmd := exec.Command("taskset", append([]string{"-c", "1", programPath(b)}, key.args(club.addr, fmt.Sprint("--cores=", lent))...)...)
		cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", lent))
		machine, err := program.Start(cmd, "connected to")
		if err != nil {
			b.Fatal(err)
		}
		defer machine.Kill()
		statusUntil(b, far, func(s *status.Status) bool { return s.LentCores == lent })
	}
	var replies atomic.Int64
	var playing sync.WaitGroup
	end := time.Now().Add(measured)
	for i := range people {
		c := sshclient.MustDial(b, club.addr, fmt.Sprint("rita", i), sshclient.NewSigner(b))
		playing.Go(func() { playBots(c, end, &replies) })
	}
	playing.Wait()
	moves = replies.Load()
	return moves, statusUntil(b, far, func(*status.Status) bool { return true }).LentAnswers
}

// playBots plays one match after the other against a computer player, and counts its replies.
func playBots(c *gossh.Client, end time.Time, replies *atomic.Int64) {
	for time.Now().Before(end) {
		out, err := sshclient.Ask(c, "new petteia --vs master --side first --json")
		var opened struct{ Code string }
		if err != nil || json.Unmarshal(out, &opened) != nil {
			return
		}
		playBot(c, opened.Code, end, replies)
	}
}

// playBot plays a match until it is over or the time is up.
func playBot(c *gossh.Client, code string, end time.Time, replies *atomic.Int64) {
	s, err := c.NewSession()
	if err != nil {
		return
	}
	defer s.Close()
	says, err := s.StdoutPipe()
	if err != nil || s.Start("watch "+code+" --json") != nil {
		return
	}
	plies := 0
	for lines := json.NewDecoder(says); time.Now().Before(end); {
		var now shown
		if lines.Decode(&now) != nil || now.Result != "" {
			return
		}
		if now.Turn != "first" || len(now.Moves) < plies {
			continue
		}
		if len(now.Moves) > 0 {
			replies.Add(1)
		}
		plies = len(now.Moves) + 1
		if _, err := sshclient.Ask(c, "move "+code+" "+now.Legal[len(now.Moves)*7%len(now.Legal)]); err != nil {
			return
		}
	}
}
