package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
)

// readme returns the lines of the README that are commands of a program to type, without their comments.
func readme(t *testing.T, program string) []string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range regexp.MustCompile(`(?m)^    (`+program+` .*)$`).FindAllStringSubmatch(string(text), -1) {
		line, _, _ := strings.Cut(m[1], "  ")
		lines = append(lines, line)
	}
	return lines
}

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

// programPath returns the path of the program, which go run . builds too.
func programPath(t *testing.T) string {
	t.Helper()
	return program.Build(t, program.Path, program.Checked)
}

// startClub starts a command that serves a club, and returns the address at which the club listens. It ends with the test, and logs no error
// until then.
func startClub(t *testing.T, cmd *exec.Cmd, env ...string) (addr string) {
	t.Helper()
	cmd.Env = slices.Concat(program.Patient(), os.Environ(), env)
	club, addr := program.StartClub(t, cmd)
	t.Cleanup(func() {
		club.Kill()
		if strings.Contains(club.Stderr(), "level=ERROR") {
			t.Errorf("the club complains:\n%s", club.Stderr())
		}
	})
	return addr
}

// TestReadmeStart does what the README tells a newcomer: one command starts the club, with nothing said, and the line that
// it prints leads there; enter takes the name, and enter twice more leads to a board.
func TestReadmeStart(t *testing.T) {
	if got := readme(t, "go"); !slices.Equal(got, []string{"go run .", "go test ./..."}) { // .ci/run does the second
		t.Fatalf("the README's commands are %q", got)
	}
	t.Parallel()
	keys := sshclient.NewKeyring(t)
	cmd := exec.Command(programPath(t))
	cmd.Dir = t.TempDir()                                    // where ./data is made
	addr := startClub(t, cmd, "LUDOTECA_LISTEN=127.0.0.1:0") // 2222 may be taken

	const enter = "\r"
	ana := keys.Visit(t, addr, "ana")
	ana.Shows("Ludoteca", "first visit", "> Your name", "ana")
	ana.Types(enter)
	ana.Shows("PLAY", "> Play the computer", "YOUR MATCHES", "OPEN OFFERS")
	ana.Types(enter)
	ana.Shows("Ludoteca · play the computer")
	ana.Types(enter)
	ana.Shows(" · match ", "your move")
	ana.Types("?")
	ana.Shows("Momentum", "The aim")
	if _, err := os.Stat(cmd.Dir + "/data/ludoteca.db"); err != nil {
		t.Error(err)
	}
}

// TestReadmeCommands: each command and flag in the README is one, of the program or of the club.
func TestReadmeCommands(t *testing.T) {
	addr := startClub(t, program.Serve(t, programPath(t), t.TempDir()))
	club := sshclient.MustDial(t, addr, sshclient.Guest, nil)
	help := func(command string) string {
		out, err := sshclient.Ask(club, "help "+command)
		if err != nil {
			t.Errorf("help %s: %v", command, err)
		}
		return string(out)
	}
	named := 0
	check := func(line, usage, help string) {
		named++
		if !strings.Contains(help, usage) {
			t.Errorf("%q: the help has no %q", line, usage)
		}
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(line, -1) {
			if !regexp.MustCompile(flag + `\b`).MatchString(help) {
				t.Errorf("%q: the help has no %s", line, flag)
			}
		}
	}
	for _, line := range readme(t, "ludoteca") {
		command := strings.Fields(line)[1]
		printed, err := exec.Command(programPath(t), command, "--help").Output()
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		check(line, "\n  ludoteca "+command+" ", string(printed))
	}
	for _, line := range readme(t, "ssh") {
		if _, words, _ := strings.Cut(line, " localhost"); words != "" {
			command := strings.Fields(words)[0]
			check(line, command, help(command))
		}
	}
	if named < 15 {
		t.Errorf("the README names only %d commands", named)
	}
}

// TestReadmeInOrder types the README's commands for the club one after the other, as one player, with the code that the club
// gives in place of the README's. Watching ends with the match, which the player resigns meanwhile.
func TestReadmeInOrder(t *testing.T) {
	t.Parallel()
	addr := startClub(t, program.Serve(t, programPath(t), t.TempDir()))
	ana := sshclient.MustDial(t, addr, "ana", sshclient.NewSigner(t))
	if _, err := sshclient.Ask(sshclient.MustDial(t, addr, "bia", sshclient.NewSigner(t)), "name bia"); err != nil { // she is challenged
		t.Fatal(err)
	}
	must := func(command string) string {
		t.Helper()
		out, err := sshclient.Ask(ana, command)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	const example = "K7QM2X"
	code, typed := "", []string{}
	for _, line := range readme(t, "ssh") {
		_, command, _ := strings.Cut(line, " localhost")
		command = strings.TrimSpace(command)
		if command == "" || strings.HasPrefix(command, "join ") || strings.HasPrefix(command, "replay ") || strings.HasPrefix(command, "review ") { // the screens, and another player
			continue
		}
		typed = append(typed, strings.Fields(command)[0])
		if strings.Contains(command, example) && code == "" {
			t.Fatalf("%s comes before the match that it names", line)
		}
		command = strings.ReplaceAll(command, example, code)
		switch typed[len(typed)-1] {
		case "new":
			if code != "" {
				must(command)
				continue
			}
			code = regexp.MustCompile(`\b[2-9A-Z]{6}\b`).FindString(must(command))
		case "watch":
			s, err := ana.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var out strings.Builder
			s.Stdout = &out
			if err := s.Start(command); err != nil {
				t.Fatal(err)
			}
			must("resign " + code)
			if err := s.Wait(); err != nil || !strings.Contains(out.String(), `"reason":"resigned"`) {
				t.Errorf("%s: %v\n%s", command, err, out.String())
			}
		case "move":
			must(command)
			for late := time.Now().Add(sshclient.Patience); !strings.Contains(must("show "+code+" --json"), `"turn":"first"`); {
				if time.Now().After(late) {
					t.Fatal("the computer player doesn't move")
				}
			}
		default:
			must(command)
		}
	}
	if want := []string{"help", "new", "move", "hint", "draw", "who", "new", "quick", "offers", "watch", "analyse", "record", "database"}; !slices.Equal(typed, want) {
		t.Errorf("the README's commands are %v, want %v", typed, want)
	}
}
