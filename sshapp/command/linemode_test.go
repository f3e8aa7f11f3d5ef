package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/command/lineedit"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

func TestLineMode(t *testing.T) {
	tests := []struct {
		name, in  string
		status    int
		out, errs string // parts of what is printed
	}{
		{"a command", "games\n", Done, "fourmation  4Mation", "ludoteca> "},
		{"several, an empty line, quit", "whoami\n\nquit\ngames\n", Done, "guest", "play petteia begins a game"},
		{"the status is that of the last", "games\nbanana\n", Usage, "tanks", "no command"},
		{"a line too long", strings.Repeat("x", 3*lineedit.MaxLine) + "\nwhoami\n", Done, "guest", "too long"},
		{"a line too long at the end", strings.Repeat("x", 2*lineedit.MaxLine), Usage, "", "too long"},
		{"no line end at the end", "whoami", Done, "guest", ""},
		{"CR LF", "whoami\r\n", Done, "guest", ""},
	}
	h := newFixture(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := h.run.LineMode(t.Context(), key("guest"), "", io.NopCloser(strings.NewReader(tt.in)), &out, &errs, false)
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			if !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.errs) {
				t.Errorf("printed %q and %q", out.String(), errs.String())
			}
			if strings.Contains(out.String(), nameless) {
				t.Errorf("the prompt stands among the answers: %q", out.String())
			}
		})
	}
}

// TestGreeting: the line mode begins with the name of the club and the lines of its operator.
func TestGreeting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "welcome")
	if err := os.WriteFile(file, []byte("Fridays at 20:00.\n\nTea is in the kitchen.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hello, err := greeting.New("Clube da Lousã", file)
	if err != nil {
		t.Fatal(err)
	}
	h := newFixture(t)
	h.run.options.Greeting = hello
	var errs bytes.Buffer
	h.run.LineMode(t.Context(), key("guest"), "", io.NopCloser(strings.NewReader("quit\n")), io.Discard, &errs, false)
	want := "Clube da Lousã. play petteia begins a game; help says how to play, quit leaves.\nFridays at 20:00.\nTea is in the kitchen.\n"
	if !strings.HasPrefix(errs.String(), want) {
		t.Errorf("printed %q, want %q first", errs.String(), want)
	}
}

// TestLongLine: a line that is too long is refused as soon as it exceeds the limit, once and in the person's language. The next line runs.
func TestLongLine(t *testing.T) {
	tests := []struct {
		name   string
		cooked bool
		typed  []string // each is read before the next is typed
		errs   string
	}{
		{"piped", false, []string{strings.Repeat("x", lineedit.MaxLine+1), strings.Repeat("x", 1<<20), "\n"},
			nameless + "Diese Zeile ist zu lang; es ist nichts geschehen.\n" + nameless},
		{"twice", false, []string{strings.Repeat("x", lineedit.MaxLine+1) + "\n" + strings.Repeat("y", lineedit.MaxLine+1), "\n"},
			nameless + strings.Repeat("Diese Zeile ist zu lang; es ist nichts geschehen.\n"+nameless, 2)},
		{"at a terminal", true, []string{"resign " + strings.Repeat("x", lineedit.MaxLine) + "\r"},
			nameless + "Diese Zeile ist zu lang; es ist nichts geschehen.\n" + nameless},
	}
	h := newFixture(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			caller := key("guest")
			caller.Locale = wording.FromLocale([]string{"LANG=de_DE.UTF-8"})
			in, keyboard := io.Pipe()
			complaints, screen := io.Pipe()
			ended := make(chan int, 1)
			go func() {
				ended <- h.run.LineMode(t.Context(), caller, "", in, io.Discard, screen, tt.cooked)
				screen.Close()
			}()
			said := bufio.NewReader(complaints)
			if _, err := said.ReadString('\n'); err != nil { // the greeting
				t.Fatal(err)
			}
			go func() {
				for _, s := range tt.typed {
					_, _ = io.WriteString(keyboard, s)
				}
			}()
			got := make([]byte, len(tt.errs))
			if _, err := io.ReadFull(said, got); err != nil || string(got) != tt.errs {
				t.Errorf("printed %q, %v, want %q", got, err, tt.errs)
			}
			go func() { _, _ = io.WriteString(keyboard, "quit\r\n") }()
			rest, _ := io.ReadAll(said)
			if status := <-ended; status != Usage || len(rest) > 0 {
				t.Errorf("status %d, and %q after it", status, rest)
			}
		})
	}
}

// TestLineModeFollows: the next line ends a command that follows a match, and quit ends the prompt although the reader is blocked.
func TestLineModeFollows(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	in, keyboard := io.Pipe()
	out, screen := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- h.run.LineMode(t.Context(), key("guest"), "", in, screen, io.Discard, false)
		screen.Close()
	}()
	type_ := func(s string) {
		if _, err := io.WriteString(keyboard, s); err != nil {
			t.Error(err)
		}
	}
	type_("watch " + code + " --json\n")
	buf := make([]byte, 1<<16)
	if n, err := out.Read(buf); err != nil || !strings.Contains(string(buf[:n]), code) {
		t.Fatalf("watch printed %q, %v", buf[:n], err)
	}
	type_("whoami\n")
	if n, err := out.Read(buf); err != nil || !strings.Contains(string(buf[:n]), "guest") {
		t.Fatalf("whoami printed %q, %v", buf[:n], err)
	}
	type_("quit\n")
	if status := <-ended; status != Done {
		t.Errorf("status %d", status)
	}
}

// inMemory returns a runner on a club without a disk, for tests in a bubble.
func inMemory(t *testing.T, o Options) *Runner {
	t.Helper()
	club, err := lobby.New(t.Context(), storagetest.NewMemory(nil), lobby.Config{Games: catalog.All()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { club.Close() })
	return New(club, slog.New(slog.DiscardHandler), o)
}

// TestLineModeIdle: the line mode ends for a caller that sends nothing, but not while a command follows a match.
func TestLineModeIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := inMemory(t, Options{Idle: func() time.Duration { return time.Minute }})
		in, keyboard := io.Pipe()
		began := time.Now()
		var complaints bytes.Buffer
		ended := make(chan int, 1)
		go func() { ended <- run.LineMode(t.Context(), key("guest"), "", in, io.Discard, &complaints, false) }()
		<-time.After(50 * time.Second)
		if _, err := io.WriteString(keyboard, "\n"); err != nil {
			t.Fatal(err)
		}
		if code := <-ended; code != Refused || !strings.Contains(complaints.String(), "away for a long time") {
			t.Errorf("status %d, %q", code, complaints.String())
		}
		if took := time.Since(began); took != 110*time.Second {
			t.Errorf("it ended after %v, want a minute after the last line", took)
		}
	})
}

// TestASCIITerminal: a terminal that knows only ASCII gets nothing else, whether its client or the account says so. What goes through a pipe
// is not folded.
func TestASCIITerminal(t *testing.T) {
	h := newFixture(t)
	h.as("zoë", Done, "name zoë")
	german := wording.In("de")
	for _, tt := range []struct {
		name    string
		locale  wording.Words
		charset string
		cooked  bool
		want    string // a part of what is printed
		ascii   bool   // all of it is
	}{
		{"the client knows UTF-8", german, "", true, "zoë", false},
		{"the client knows ASCII", german.ForASCII(true), "", true, "zoe", true},
		{"the account says ASCII", german, accounts.CharsetASCII, true, "zoe", true},
		{"the account says UTF-8", german.ForASCII(true), "utf-8", true, "zoë", false},
		{"a pipe", german.ForASCII(true), "", false, "zoë", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			who, s, err := h.run.lobby.Accounts.SignIn(t.Context(), key("zoë").Fingerprint)
			if err != nil {
				t.Fatal(err)
			}
			s.Charset = tt.charset
			if err := h.run.lobby.Accounts.SaveSettings(t.Context(), who, s); err != nil {
				t.Fatal(err)
			}
			caller := key("zoë")
			caller.Locale = tt.locale
			var out bytes.Buffer
			typed := strings.NewReader(strings.ReplaceAll("whoami\nhelp\ngames\nrules flugelrad\nquit\n", "\n", map[bool]string{true: "\r", false: "\n"}[tt.cooked]))
			if status := h.run.LineMode(t.Context(), caller, "", io.NopCloser(typed), &out, &out, tt.cooked); status != Done {
				t.Errorf("status %d", status)
			}
			beyond := strings.IndexFunc(out.String(), func(r rune) bool { return r >= utf8.RuneSelf })
			if !strings.Contains(out.String(), tt.want) || beyond < 0 != tt.ascii {
				t.Errorf("want %q, only ASCII: %v; %q", tt.want, tt.ascii, out.String())
			}
		})
	}
}

// TestQuietStreams: a following command ends when it has printed nothing for the idle time of a screen. Each line that it prints restarts
// that time, and it is longer at the caller's own board.
func TestQuietStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := inMemory(t, Options{
			Idle: func() time.Duration { return time.Minute }, IdleBoard: func() time.Duration { return time.Hour },
		})
		do := func(name, line string) (status int, out, complaints string) {
			t.Helper()
			var o, e bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour) // for a command that doesn't end
			defer cancel()
			status = run.Run(ctx, key(name), line, &o, &e)
			return status, o.String(), e.String()
		}
		opened := func(line string) string {
			_, out, complaints := do("ana", line)
			code, _, ok := strings.Cut(out, "\n")
			if !ok {
				t.Fatalf("%s: %q, %q", line, out, complaints)
			}
			return code
		}
		code := opened("new 4mation --side first")
		if status, _, complaints := do("rui", "join "+code); status != Done {
			t.Fatal(complaints)
		}
		for _, tt := range []struct {
			name, line string
			want       time.Duration
		}{
			{"guest", "tv petteia --json", time.Minute},
			{"guest", "chat " + code + " --follow", time.Minute},
			{"ana", "chat " + code + " --follow", time.Hour},
			{"guest", "watch " + code + " --json", time.Minute},
			{"ana", "watch " + code + " --json", time.Hour},
		} {
			began := time.Now()
			status, out, complaints := do(tt.name, tt.line)
			took := time.Since(began)
			const news = 2 * time.Second // in which watch still says who has come
			if took < tt.want || took > tt.want+news || status != Refused || !strings.Contains(complaints, "Nothing has happened here") {
				t.Errorf("%s: %s ends after %v, want %v: status %d, %q, %q", tt.name, tt.line, took, tt.want, status, out, complaints)
			}
			if scripted := strings.Contains(tt.line, "--json"); scripted != strings.Contains(out, `"code":"closed"`) {
				t.Errorf("%s prints %q", tt.line, out)
			}
		}
		time.AfterFunc(50*time.Second, func() { do("ana", "say "+code+" hello") })
		began := time.Now()
		if _, out, _ := do("rui", "chat "+code+" --follow --json"); !strings.Contains(out, "hello") || time.Since(began) != time.Hour+50*time.Second {
			t.Errorf("a chat with a line after 50 s ends after %v: %q", time.Since(began), out)
		}
	})
}

// TestLineModeGoingDown, once.
func TestLineModeGoingDown(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	const words = "The club is closing for a moment."
	for _, following := range []bool{false, true} {
		ctx, closeClub := context.WithCancelCause(t.Context())
		in, keyboard := io.Pipe()
		out, screen := io.Pipe()
		var complaints bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			ended <- h.run.LineMode(ctx, key("guest"), "", in, screen, &complaints, false)
			screen.Close()
		}()
		line := "whoami\n"
		if following {
			line = "watch " + code + " --json\n"
		}
		if _, err := io.WriteString(keyboard, line); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
		closeClub(errors.New("going down"))
		go io.Copy(io.Discard, out) // until screen is closed
		if status := <-ended; status != Refused || strings.Count(complaints.String(), words) != 1 {
			t.Errorf("following %v: status %d, %q", following, status, complaints.String())
		}
	}
}

// TestLineModeNodeGoingDown: while other nodes of the club go on, people are told to connect again.
func TestLineModeNodeGoingDown(t *testing.T) {
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var clubs []*lobby.Lobby
	for _, name := range []string{"one", "two"} { // two knows of one from the beginning
		club, err := lobby.New(t.Context(), lobby.StoreOf(store), lobby.Config{Games: catalog.All(), Node: name, Shared: lobby.SharedOf(store)})
		if err != nil {
			t.Fatal(err)
		}
		defer club.Close()
		clubs = append(clubs, club)
	}
	ctx, closeClub := context.WithCancelCause(t.Context())
	closeClub(errors.New("going down"))
	var complaints bytes.Buffer
	in, _ := io.Pipe()
	defer in.Close()
	run := New(clubs[1], slog.New(slog.DiscardHandler), Options{})
	if status := run.LineMode(ctx, key("guest"), "", in, io.Discard, &complaints, false); status != Refused || !strings.Contains(complaints.String(), "Connect again") {
		t.Errorf("status %d, %q", status, complaints.String())
	}
}

// TestLineModeAnnouncement: an announcement of the operator is told once, and at once. A line that is being typed just then is not lost, and a
// terminal shows the typed part again.
func TestLineModeAnnouncement(t *testing.T) {
	for _, tt := range []struct {
		name      string
		cooked    bool
		out, told string
	}{
		{"a terminal", true, "quit\r\n", "\nFrom the operator: Tea at five.\nludoteca> qu"},
		{"a pipe", false, "", "\nFrom the operator: Tea at five.\nludoteca> "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := feed.New[bulletin.Bulletin](feed.NewGroup())
				line.Publish(bulletin.Bulletin{Text: "We close\x1b[2J at noon.", Until: time.Now().Add(time.Hour)})
				run := inMemory(t, Options{Bulletin: line.Watch})
				in, keyboard := io.Pipe()
				var out, complaints bytes.Buffer
				ended := make(chan int, 1)
				go func() { ended <- run.LineMode(t.Context(), key("guest"), "", in, &out, &complaints, tt.cooked) }()
				told := func(want string) {
					t.Helper()
					synctest.Wait()
					if got := complaints.String(); !strings.HasSuffix(got, want) {
						t.Errorf("told %q, want %q at the end", got, want)
					}
					complaints.Reset()
				}
				write := func(s string) {
					t.Helper()
					if _, err := io.WriteString(keyboard, s); err != nil {
						t.Fatal(err)
					}
				}
				told("\nFrom the operator: We close[2J at noon.\nludoteca> ")
				write("\n")
				told("ludoteca> ")
				out.Reset()
				write("qu")
				told("")
				line.Publish(bulletin.Bulletin{Text: "Tea at five.", Until: time.Now().Add(time.Hour)})
				told(tt.told)
				line.Publish(bulletin.Bulletin{Text: "", Until: time.Now().Add(time.Hour)}) // taken away
				synctest.Wait()
				if complaints.Len() > 0 {
					t.Errorf("told %q when there is nothing", complaints.String())
				}
				line.Publish(bulletin.Bulletin{CutOff: time.Now()})
				synctest.Wait()
				if got := complaints.String(); !strings.Contains(got, "Out of touch") {
					t.Errorf("told %q when the node is cut off", got)
				}
				complaints.Reset()
				line.Publish(bulletin.Bulletin{CutOff: time.Now(), StoreFull: true})
				synctest.Wait()
				if got := complaints.String(); strings.Count(got, "The club's store is full") != 1 {
					t.Errorf("told %q when the store is full", got)
				}
				complaints.Reset()
				line.Publish(bulletin.Bulletin{})
				synctest.Wait()
				if got := complaints.String(); !strings.Contains(got, "There is room in the club's store again") {
					t.Errorf("told %q when there is room", got)
				}
				complaints.Reset()
				line.Publish(bulletin.Bulletin{CutOff: time.Now()})
				synctest.Wait()
				complaints.Reset()
				line.Publish(bulletin.Bulletin{})
				synctest.Wait()
				if got := complaints.String(); !strings.Contains(got, "In touch") {
					t.Errorf("told %q when the node is back", got)
				}
				write("it\n")
				if status := <-ended; status != Done || out.String() != tt.out {
					t.Errorf("status %d, out %q, want %q", status, out.String(), tt.out)
				}
			})
		})
	}
}

// TestLineModeFollowing: while a command follows a match, an announcement is told all the same, and ctrl+c on a terminal ends the command.
func TestLineModeFollowing(t *testing.T) {
	h := newFixture(t)
	line := feed.New[bulletin.Bulletin](feed.NewGroup())
	line.Publish(bulletin.Bulletin{Text: "", Until: time.Now().Add(time.Hour)})
	h.run.options.Bulletin = line.Watch
	code := h.object("ana", "new 4mation --json")["code"].(string)
	in, keyboard := io.Pipe()
	out, screen := io.Pipe()
	told, complaints := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- h.run.LineMode(t.Context(), key("guest"), "", in, screen, complaints, true)
		screen.Close()
		complaints.Close()
	}()
	shown, heard := bufio.NewReader(out), bufio.NewReader(told)
	until := func(r *bufio.Reader, want string) {
		t.Helper()
		for {
			line, err := r.ReadString('\n')
			if strings.Contains(line, want) {
				return
			}
			if err != nil {
				t.Fatalf("%v, want %q", err, want)
			}
		}
	}
	typing := make(chan error, 1)
	go func() {
		_, err := io.WriteString(keyboard, "watch "+code+" --json\r")
		typing <- err
	}()
	until(heard, "play petteia begins")
	prompted := make([]byte, len(nameless))
	if _, err := io.ReadFull(heard, prompted); err != nil || string(prompted) != nameless {
		t.Fatalf("%q, %v, want the prompt", prompted, err)
	}
	until(shown, `"code":"`)
	line.Publish(bulletin.Bulletin{Text: "Tea at five.", Until: time.Now().Add(time.Hour)})
	until(heard, "From the operator: Tea at five.")
	go io.Copy(io.Discard, shown)
	go io.Copy(io.Discard, heard)
	if _, err := io.WriteString(keyboard, "\x03"); err != nil {
		t.Error(err)
	}
	if err := <-typing; err != nil {
		t.Error(err)
	}
	<-ended
}
