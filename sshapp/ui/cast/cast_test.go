package cast_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/cast"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// played returns the view of a match of random moves between ana and rui. It must be called in a bubble.
func played(t *testing.T, game string, plies int, clock lobby.ClockSetting) *lobby.View {
	t.Helper()
	b := uitest.NewTimedMatch(t, game, nil, true, clock)
	r := games.NewRandom(3)
	for range plies {
		if legal := b.View().Position.Legal(); len(legal) > 0 {
			<-time.After(3 * time.Second)
			b.Play(legal[r.N(len(legal))])
		}
	}
	return b.View()
}

// castOf returns a match as English speakers see it.
func castOf(t *testing.T, v *lobby.View) *cast.Match {
	t.Helper()
	m, err := cast.New(wording.Words{}, cast.Theme(), v)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A film is an asciicast that was read.
type film struct {
	head   map[string]any
	times  []float64
	frames []string
}

// write writes an asciicast and reads it: each line is JSON.
func write(t *testing.T, m *cast.Match, size cast.Size) (f film, bytesWritten int) {
	t.Helper()
	var out bytes.Buffer
	if err := m.Write(&out, size); err != nil {
		t.Fatal(err)
	}
	bytesWritten = out.Len()
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if f.head == nil {
			if err := json.Unmarshal(lines.Bytes(), &f.head); err != nil {
				t.Fatalf("%v: %s", err, lines.Bytes())
			}
			continue
		}
		var event []any
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil || len(event) != 3 || event[1] != "o" {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		f.times = append(f.times, event[0].(float64))
		f.frames = append(f.frames, event[2].(string))
	}
	return f, bytesWritten
}

// shown returns what a terminal shows after the frames of a film.
func shown(t *testing.T, f film, size cast.Size) string {
	t.Helper()
	screen := vt.NewEmulator(size.Width, size.Height)
	for _, frame := range f.frames {
		if _, err := screen.WriteString(frame); err != nil {
			t.Fatal(err)
		}
	}
	var rows []string
	for row := range strings.Lines(screen.String()) {
		rows = append(rows, strings.TrimRight(row, " \n"))
	}
	return strings.Join(rows, "\n")
}

// TestCastsOfEveryGame: a cast ends with the screen of the last board, at every size, and its frames come in time.
func TestCastsOfEveryGame(t *testing.T) {
	for _, game := range (&uitest.FakeLobby{}).Games() {
		t.Run(game.About().ID, func(t *testing.T) {
			var v *lobby.View
			synctest.Test(t, func(t *testing.T) { v = played(t, game.About().ID, 24, lobby.ClockSetting{}) })
			for _, size := range []cast.Size{cast.DefaultSize, {40, 20}, {120, 40}, {240, 70}} {
				m := castOf(t, v)
				f, _ := write(t, m, size)
				c := canvas.New(size.Width, size.Height)
				m.Draw(c, m.Plies())
				if got := shown(t, f, size); strings.TrimRight(got, "\n") != strings.TrimRight(c.Plain(), "\n") {
					t.Errorf("the cast ends with\n%s\nwant\n%s", got, c.Plain())
				}
				if f.head["version"] != 2. || f.head["width"] != float64(size.Width) || f.head["height"] != float64(size.Height) {
					t.Errorf("the header is %v", f.head)
				}
				if title, _ := f.head["title"].(string); !strings.Contains(title, "ana - rui") || strings.Contains(title, v.Code) {
					t.Errorf("the title is %q, with the names and without the code %s", title, v.Code)
				}
				if want := m.Plies() + 2; len(f.frames) != want {
					t.Errorf("%d frames, want %d", len(f.frames), want)
				}
				for i := 1; i < len(f.times); i++ {
					if wait := f.times[i] - f.times[i-1]; wait < 0.3999 || wait > 2.0001 {
						t.Errorf("frame %d comes after %.3f s", i, wait)
					}
				}
			}
		})
	}
}

// TestWaits: a board stays as long as the clock says that the player thought.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		setting := lobby.ClockSetting{Kind: lobby.Fischer, Base: time.Hour, Increment: 5 * time.Second}
		b := uitest.NewTimedMatch(t, "fourmation", nil, true, setting)
		for i, m := range []games.Move{"a1", "b2", "b1", "c2", "c1"} {
			<-time.After([]time.Duration{time.Second, 2 * time.Second, 10 * time.Millisecond, 1500 * time.Millisecond, time.Minute}[i])
			b.Play(m)
		}
		m := castOf(t, b.View())
		for ply, want := range []time.Duration{time.Second, time.Second, 400 * time.Millisecond, 1500 * time.Millisecond, 2 * time.Second} {
			if got := m.Wait(ply).Round(10 * time.Millisecond); got != want {
				t.Errorf("the board after %d moves stays for %s, want %s", ply, got, want)
			}
		}
	})
}

// TestHostileNames: whatever a name holds, a cast holds only its own sequences.
func TestHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := *played(t, "momentum", 4, lobby.ClockSetting{})
		v.Seats[0] = storage.Occupant{Kind: storage.Person, ID: "p1", Name: "a\x1b]0;owned\a\x1b[2J\"\\n\u202egro"}
		v.Seats[1] = storage.Occupant{Kind: storage.Guest, ID: "p2", Name: strings.Repeat("明\u0301\n", 200)}
		m := castOf(t, &v)
		f, _ := write(t, m, cast.DefaultSize)
		own := strings.NewReplacer("\x1b[?25l", "", "\x1b[?25h", "", "\x1b[m", "", "\x1b[K", "")
		for _, frame := range f.frames {
			frame = strings.TrimPrefix(frame, "\x1b[?25l\x1b[m\x1b[2J")
			if strings.ContainsAny(own.Replace(frame), "\a\n\r\u202e") || strings.Contains(frame, "\x1b]") || strings.Contains(frame, "\x1b[2J") {
				t.Errorf("a frame holds %q", frame)
			}
		}
		if title := f.head["title"].(string); strings.ContainsAny(title, "\x1b\a\n\u202e") {
			t.Errorf("the title is %q", title)
		}
	})
}

// TestBounds: a cast of a long match has a bounded number of frames and bytes, and shows the end.
func TestBounds(t *testing.T) {
	g := uitest.GameOf(t, "petteia")
	o := uitest.OptionsOf(t, "petteia")
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	state, r := p.State(), games.NewRandom(5)
	v := &lobby.View{}
	v.Game, v.Options = g, o
	for len(v.Moves) < 3000 && !state.Result().Over {
		codes := state.Moves(nil)
		c := codes[r.N(len(codes))]
		v.Moves = append(v.Moves, state.Move(c))
		state.Play(c)
	}
	if len(v.Moves) < 150 {
		t.Fatalf("the match has only %d moves", len(v.Moves))
	}
	m := castOf(t, v)
	size := cast.Size{Width: 240, Height: 70}
	f, n := write(t, m, size)
	if len(f.frames) > 1003 || n > 6<<20 {
		t.Errorf("%d frames in %d bytes", len(f.frames), n)
	}
	c := canvas.New(size.Width, size.Height)
	m.Draw(c, m.Plies())
	if got := shown(t, f, size); strings.TrimRight(got, "\n") != strings.TrimRight(c.Plain(), "\n") {
		t.Errorf("the cast ends with\n%s\nwant\n%s", got, c.Plain())
	}
}

func TestSizes(t *testing.T) {
	for words, want := range map[string]cast.Size{"80x24": {80, 24}, "40x20": {40, 20}, "240x70": {240, 70}} {
		if got, err := cast.ParseSize(words); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v", words, got, err)
		}
	}
	for _, words := range []string{"", "80", "80x", "x24", "39x24", "80x19", "241x24", "80x71", "-80x24", "80x24x2", "+80x24", "99999999999x24", "８0x24", "80X24"} {
		if _, err := cast.ParseSize(words); !errors.Is(err, cast.ErrSize) {
			t.Errorf("ParseSize(%q): %v", words, err)
		}
	}
}

// A film of the terminal: what a session's player does with time and keys.
func TestPlayer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := castOf(t, played(t, "fourmation", 6, lobby.ClockSetting{}))
		var p tea.Model = cast.NewPlayer(t.Context(), m)
		cmd := p.Init()
		page := func() string { return p.View().Content }
		at := func(want string) {
			t.Helper()
			if !strings.Contains(page(), want) {
				t.Fatalf("the page has no %q:\n%s", want, page())
			}
		}
		press := func(name string) { p, cmd = p.Update(uitest.Pressed(name)[0]) }
		goOn := func() {
			t.Helper()
			if cmd == nil {
				t.Fatal("the player waits for nothing")
			}
			p, cmd = p.Update(cmd())
		}
		at("move 0 of 6")
		goOn()
		at("move 1 of 6")
		goOn()
		at("move 2 of 6")
		waiting := cmd
		press("space")
		at("go on")
		if p, cmd = p.Update(waiting()); cmd != nil {
			t.Error("a paused player goes on")
		}
		at("move 2 of 6")
		press("left")
		at("move 1 of 6")
		press("right")
		press("right")
		at("move 3 of 6")
		press("home")
		press("left")
		at("move 0 of 6")
		press("space")
		goOn()
		at("move 1 of 6")
		press("end")
		press("right")
		at("move 6 of 6")
		if cmd != nil {
			t.Error("the player waits for more after the end")
		}
		press("space")
		at("move 0 of 6")
		goOn()
		at("move 1 of 6")
		for _, name := range []string{"q", "esc", "ctrl+c"} {
			if _, cmd := p.Update(uitest.Pressed(name)[0]); cmd == nil || cmd() != tea.Quit() {
				t.Errorf("%s doesn't leave", name)
			}
		}
	})
}

// TestPlayerInASCII: a terminal that knows ASCII alone, without colours, gets nothing else.
func TestPlayerInASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := *played(t, "flugelrad", 6, lobby.ClockSetting{})
		v.Seats[0].Name = "joão"
		for _, size := range [][2]int{{80, 24}, {40, 20}, {1, 1}, {240, 70}} {
			m, err := cast.New(wording.In("de").ForASCII(true), widget.NewTheme("", colorprofile.Ascii, true), &v)
			if err != nil {
				t.Fatal(err)
			}
			var p tea.Model = cast.NewPlayer(t.Context(), m)
			p, _ = p.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for range 7 {
				for _, r := range p.View().Content + p.View().WindowTitle {
					if r > '~' {
						t.Fatalf("%q is not ASCII:\n%s", r, p.View().Content)
					}
				}
				p, _ = p.Update(uitest.Pressed("right")[0])
			}
		}
	})
}
