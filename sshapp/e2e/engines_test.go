package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/e2e/sshclient"
)

// anyGame is the engine in shell that plays every game.
const anyGame = "../../games/ugi/examples/any.sh"

// engineClub is a club with two computer accounts.
type engineClub struct {
	*liveClub
	keys sshclient.Keyring
	path string // with the program, for engines in shell
}

// startEngineClub starts a club with the computer accounts deep and blue.
func startEngineClub(t *testing.T) *engineClub {
	t.Helper()
	built := programPath(t)
	c := &engineClub{startClub(t, t.TempDir()), sshclient.NewKeyring(t), filepath.Dir(built) + string(filepath.ListSeparator) + os.Getenv("PATH")}
	c.says(t, "ana", "name ana")
	for _, name := range []string{"deep", "blue"} {
		c.says(t, name, "name "+name)
		c.says(t, name, "engine --become --yes")
	}
	return c
}

// says runs a command with the key of a name and returns its output.
func (c *engineClub) says(t *testing.T, name string, words ...string) string {
	t.Helper()
	out, complaints, status := output(t, nil, "ssh", append(c.keys.OpenSSH(t, c.addr, name), words...)...)
	if status != statusDone {
		t.Fatalf("%s %v: status %d: %s", name, words, status, complaints)
	}
	return out
}

// An engineRun is a program that plays for a computer account by OpenSSH's client.
type engineRun struct {
	t        *testing.T
	ssh      *exec.Cmd
	program  *exec.Cmd
	stderr   lockedBuffer
	finished chan struct{} // closed when the client has ended
}

// A lockedBuffer is a buffer that several goroutines use.
type lockedBuffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed by the next write
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
	return b.text.Write(p)
}

func (b *lockedBuffer) now() (text string, newer <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.text.String(), b.changed
}

// plays starts a program, a line of the shell, and the club's command engine with these words. Each is the other's input and output.
func (c *engineClub) plays(t *testing.T, name, program string, words ...string) *engineRun {
	t.Helper()
	r := &engineRun{t: t, finished: make(chan struct{})}
	r.ssh = exec.CommandContext(t.Context(), "ssh", append(c.keys.OpenSSH(t, c.addr, name), append([]string{"engine"}, words...)...)...)
	r.program = exec.CommandContext(t.Context(), "sh", "-c", program)
	r.program.Env = append(os.Environ(), "PATH="+c.path)
	fromClub, toProgram, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromProgram, toClub, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.ssh.Stdout, r.ssh.Stdin, r.ssh.Stderr = toProgram, fromProgram, &r.stderr
	r.program.Stdin, r.program.Stdout = fromClub, toClub
	for _, cmd := range []*exec.Cmd{r.program, r.ssh} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []*os.File{fromClub, toProgram, fromProgram, toClub} {
		_ = f.Close() // the processes have their own
	}
	go func() { // ends with the client, for which end waits
		_ = r.ssh.Wait()
		close(r.finished)
	}()
	t.Cleanup(r.kill)
	return r
}

// kill ends the client and the program at once.
func (r *engineRun) kill() {
	_ = r.ssh.Process.Kill()
	_ = r.program.Process.Kill()
	<-r.finished
	_ = r.program.Wait()
}

// until waits until the club has told the owner some words.
func (r *engineRun) until(words string) string {
	r.t.Helper()
	return r.meets(words, func(told string) bool { return strings.Contains(told, words) })
}

// meets waits until the club has told the owner what is wanted.
func (r *engineRun) meets(what string, wanted func(told string) bool) string {
	r.t.Helper()
	late := time.NewTimer(2 * sshclient.Patience) // a whole match
	defer late.Stop()
	for {
		text, newer := r.stderr.now()
		if wanted(text) {
			return text
		}
		select {
		case <-newer:
		case <-late.C:
			r.t.Fatalf("no %s in %q", what, text)
		case <-r.finished:
			if text, _ = r.stderr.now(); wanted(text) {
				return text
			}
			r.t.Fatalf("the session has ended without %s: %q", what, text)
		}
	}
}

// shorter are options for matches that end soon: each move of the engine in shell starts several programs.
var shorter = map[string]string{"petteia": " captures_to_win=2 quiet_limit=20", "tanks": " size=6"}

// TestEnginesPlayEachGame has an engine in shell play a whole rated match of each game against our own, both as computer accounts by OpenSSH's
// client.
func TestEnginesPlayEachGame(t *testing.T) {
	t.Parallel()
	c := startEngineClub(t)
	script, err := filepath.Abs(anyGame)
	if err != nil {
		t.Fatal(err)
	}
	games := catalog.All()
	if testing.Short() {
		games = games[:2]
	}
	for _, g := range games {
		id := g.About().ID
		game := id + shorter[id]
		deep := c.plays(t, "deep", "exec sh "+script+" "+game, game, "--rated")
		blue := c.plays(t, "blue", "exec ludoteca engine "+game+" --level random", game, "--rated")
		code, _, _ := strings.Cut(deep.until(": against blue (bot)"), ":")
		for _, r := range []*engineRun{deep, blue} {
			r.meets("the end of "+code, func(told string) bool { return strings.Count(told, code+": ") == 2 })
		}
		deep.kill()
		blue.kill()
	}
	var seen []string
	for line := range strings.Lines(c.says(t, "ana", "history deep --json")) {
		var f struct {
			Game       string `json:"game"`
			Result     string `json:"result"`
			Rated      bool   `json:"rated"`
			FirstKind  string `json:"first_kind"`
			SecondKind string `json:"second_kind"`
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f.Result == "" || !f.Rated || f.FirstKind != "engine" || f.SecondKind != "engine" {
			t.Errorf("the history has %s", line)
		}
		seen = append(seen, f.Game)
	}
	if len(seen) != len(games) {
		t.Errorf("whole matches of %v, want one of each game", seen)
	}
}

// TestEngineComesBack kills the client and the program of one side in the middle of a match. Started again, the program goes on with it.
func TestEngineComesBack(t *testing.T) {
	t.Parallel()
	c := startEngineClub(t)
	script, err := filepath.Abs(anyGame)
	if err != nil {
		t.Fatal(err)
	}
	game := "petteia" + shorter["petteia"]
	slow := "exec sh " + script + " " + game
	deep := c.plays(t, "deep", slow, game, "--rated")
	blue := c.plays(t, "blue", "exec ludoteca engine "+game+" --level random", game, "--rated")
	code, _, _ := strings.Cut(deep.until(": against blue (bot)"), ":")
	c.reaches(t, code, 4)
	deep.kill()
	again := c.plays(t, "deep", slow, game, "--rated")
	again.until(code + ": goes on against blue (bot)")
	for _, r := range []*engineRun{again, blue} {
		r.meets("the end of "+code, func(told string) bool { return strings.Count(told, code+": ") == 2 && !strings.Contains(told, "time") })
	}
}

// reaches waits until a match has some moves.
func (c *engineClub) reaches(t *testing.T, code string, plies int) {
	t.Helper()
	watching := exec.CommandContext(t.Context(), "ssh", append(c.keys.OpenSSH(t, c.addr, "ana"), "watch", code, "--json")...)
	out, err := watching.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watching.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = watching.Process.Kill(), watching.Wait() }()
	for lines := json.NewDecoder(out); ; {
		var v struct{ Ply int }
		if err := lines.Decode(&v); err != nil {
			t.Fatalf("the match has not come to move %d: %v", plies, err)
		}
		if v.Ply >= plies {
			return
		}
	}
}

// politeShell is the beginning of a program that does all that it should but for go.
const politeShell = `while read -r c rest; do case $c in
ugi) echo ugiok;;
isready) echo readyok;;
quit) exit;;
go) `

// TestEngineFaults has programs do everything wrong at the other end of OpenSSH's client. Each says on stderr what it was, and the club goes on.
func TestEngineFaults(t *testing.T) {
	t.Parallel()
	c := startEngineClub(t)
	for _, tt := range []struct{ name, program, told string }{
		{"an illegal move", politeShell + `echo bestmove z99;; esac; done`, "lost by a fault of the program: "},
		{"no move", politeShell + `echo bestmove;; esac; done`, "the move is missing"},
		{"rubbish", politeShell + `yes bla | head -n 1500;; esac; done`, "1000 lines while bestmove was awaited"},
		{"an endless line", `echo ugiok; echo readyok; exec cat /dev/zero`, "the line is too long"},
		{"ends", politeShell + `exit 3;; esac; done`, "The program has ended."},
		{"another protocol", `while read -r line; do echo uciok; done`, "no ugiok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			deep := c.plays(t, "deep", tt.program, "4mation", "--clock", "1+0")
			blue := c.plays(t, "blue", "exec ludoteca engine 4mation --level random", "4mation", "--clock", "1+0")
			deep.until(tt.told)
			deep.kill()
			blue.kill()
		})
	}
	t.Run("talks without end", func(t *testing.T) {
		deep := c.plays(t, "deep", `echo ugiok; echo readyok; exec yes info depth 1`, "tanks")
		for !strings.Contains(c.says(t, "ana", "offers --json"), `"by_kind":"engine"`) {
			select {
			case <-deep.finished:
				t.Fatal("its session has ended")
			default:
			}
		}
		if who := c.says(t, "ana", "who"); !strings.Contains(who, "deep (bot)") {
			t.Errorf("who is here: %s", who)
		}
	})
}

// TestEngineByShellAlone runs the line of UGI.md: a pipe with a name, and nothing but a shell.
func TestEngineByShellAlone(t *testing.T) {
	t.Parallel()
	c := startEngineClub(t)
	script, err := filepath.Abs(anyGame)
	if err != nil {
		t.Fatal(err)
	}
	ssh := strings.Join(append([]string{"ssh"}, c.keys.OpenSSH(t, c.addr, "deep")...), " ")
	line := exec.CommandContext(t.Context(), "sh", "-c", "mkfifo moves; "+ssh+" engine 4mation --rated < moves | sh "+script+" 4mation > moves")
	line.Dir, line.Env = t.TempDir(), append(os.Environ(), "PATH="+c.path)
	if err := line.Start(); err != nil {
		t.Fatal(err)
	}
	blue := c.plays(t, "blue", "exec ludoteca engine 4mation --level random", "4mation", "--rated")
	code, _, _ := strings.Cut(blue.until(": against deep (bot)"), ":")
	blue.meets("the end of "+code, func(told string) bool { return strings.Count(told, code+": ") == 2 })
	c.kill() // so that the line ends
	if err := line.Wait(); err != nil && line.ProcessState.ExitCode() < 0 {
		t.Error(err)
	}
}
