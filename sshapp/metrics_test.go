package sshapp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"github.com/charmbracelet/colorprofile"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/terminal"
)

// TestReasonsAreCounted: every reason of the door is one that the metrics know.
func TestReasonsAreCounted(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "admission.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := append(RefusalReasons(), EndReasons()...)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "reason" {
				found++
				text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if !slices.Contains(known, text) {
					t.Errorf("%s (%q) is in no list of reasons", spec.Names[0].Name, text)
				}
			}
		}
		return true
	})
	if found < 18 {
		t.Errorf("only %d reasons found", found)
	}
}

// page returns the lines of a registry's metrics that begin with one of the names.
func page(t *testing.T, reg *prometheus.Registry, names ...string) string {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	var found []string
	for line := range strings.Lines(w.Body.String()) {
		for _, n := range names {
			if strings.HasPrefix(line, n+" ") || strings.HasPrefix(line, n+"{") {
				found = append(found, line)
			}
		}
	}
	return strings.Join(found, "")
}

// TestDoorCounts: what happens at the door is counted, by reason.
func TestDoorCounts(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, RefusalReasons(), EndReasons())
	d := startServer(t, func(s ssh.Session) int {
		switch line := s.RawCommand(); line {
		case "panic":
			panic("on purpose")
		case "stay":
			_, _ = io.WriteString(s, "here")
			<-s.Context().Done()
		}
		return 0
	}, func(c *Config) { c.Metrics, c.Limits.SessionsPerConnection = m.Server, 1 })

	broken := d.dial()
	run(t, broken, "panic")
	_ = broken.Close()
	d.log.wait(t, "connection ended", 1)
	guest := d.dial()
	stay, err := guest.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out, err := stay.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stay.Start("stay"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	run(t, guest, "one too many")
	if got, want := d.srv.Load(), (Load{Connections: 1, Sessions: 1}); got != want {
		t.Errorf("the door has open %+v, want %+v", got, want)
	}
	_ = guest.Close()
	d.log.wait(t, "connection ended", 2)
	_ = d.dial(gossh.PublicKeys(newSigner(t))).Close()
	d.log.wait(t, "connection ended", 3)
	_ = d.dialTCP().Close()
	d.log.wait(t, "connection ended", 4)

	const want = `ludoteca_connections_ended_total{reason="handshake-failed"} 1
ludoteca_connections_ended_total{reason="left"} 3
ludoteca_connections_total 4
ludoteca_handshakes_total 3
ludoteca_refusals_total{reason="connection-sessions"} 1
ludoteca_session_panics_total 1
ludoteca_sign_in_seconds_count 3
ludoteca_sign_ins_total{as="guest"} 2
ludoteca_sign_ins_total{as="key"} 1
`
	var got []string
	for line := range strings.Lines(page(t, reg, "ludoteca_connections_ended_total", "ludoteca_connections_total", "ludoteca_handshakes_total",
		"ludoteca_refusals_total", "ludoteca_session_panics_total", "ludoteca_sign_in_seconds_count", "ludoteca_sign_ins_total")) {
		if !strings.HasSuffix(line, " 0\n") {
			got = append(got, line)
		}
	}
	if strings.Join(got, "") != want {
		t.Errorf("counted\n%swant\n%s", strings.Join(got, ""), want)
	}
	for line := range strings.Lines(page(t, reg, "ludoteca_network_bytes_total")) {
		if strings.HasSuffix(line, " 0\n") {
			t.Errorf("no bytes counted: %s", line)
		}
	}
	if got := d.srv.Load(); got != (Load{}) {
		t.Errorf("the door has open %+v after all have left", got)
	}
}

// TestSessionsCounted by what they asked for.
func TestSessionsCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, RefusalReasons(), EndReasons())
	club := newClub(t, func(c *ClubConfig) { c.Metrics, c.Screens = m.Server, m.Screens })
	d := serveClub(t, club)
	c := d.dial()
	run(t, c, "games")
	run(t, c, "help")
	run(t, c, "") // its input ends at once
	ch := channel(t, c)
	ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
	ask(t, ch, "shell", nil)
	if _, err := ch.Write([]byte("\x03")); err != nil {
		t.Fatal(err)
	}
	readAll(t, ch)
	const want = `ludoteca_sessions_total{kind="command"} 2
ludoteca_sessions_total{kind="prompt"} 1
ludoteca_sessions_total{kind="screen"} 1
`
	if got := page(t, reg, "ludoteca_sessions_total"); got != want {
		t.Errorf("counted\n%swant\n%s", got, want)
	}
	if m.Screens.Keys.Load() != 1 || m.Screens.Frames.Load() == 0 {
		t.Errorf("%d keys and %d frames counted", m.Screens.Keys.Load(), m.Screens.Frames.Load())
	}
}

// loud is a screen that never rests: each of its pages differs from the one before in every cell.
type loud struct{ page int }

func (m *loud) Init() tea.Cmd { return func() tea.Msg { return nextPage{} } }

type nextPage struct{}

func (m *loud) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case nextPage:
		m.page++
		return m, m.Init()
	case tea.KeyPressMsg:
		if msg.String() == "p" {
			panic("on purpose")
		}
	}
	return m, nil
}

func (m *loud) View() tea.View {
	var page strings.Builder
	for i := range terminal.MaxWidth * terminal.MaxHeight {
		fmt.Fprintf(&page, "\x1b[38;2;%d;%d;%dmx", m.page%251, i%251, i/251)
		if i%terminal.MaxWidth == terminal.MaxWidth-1 {
			page.WriteByte('\n')
		}
	}
	v := tea.NewView(page.String())
	v.AltScreen = true
	return v
}

// TestTroublesOfScreensAreCounted: a screen that panics, a client that stops reading, and changes that share a frame.
func TestTroublesOfScreensAreCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, RefusalReasons(), EndReasons())
	d := startServer(t, func(s ssh.Session) int {
		pty, _, _ := s.Pty()
		profile := colorprofile.TrueColor
		o := terminal.Options{Term: pty.Term, Window: terminal.Window{Width: pty.Window.Width, Height: pty.Window.Height}, Profile: &profile, Stats: m.Screens}
		if line := s.RawCommand(); line == "stall" {
			o.Stall = soon
		}
		if terminal.Run(s.Context(), s, &loud{}, o) != nil {
			return 1
		}
		return 0
	}, nil)
	open := func(command string) gossh.Channel {
		ch := channel(t, d.dial())
		ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: terminal.MaxWidth, Rows: terminal.MaxHeight})
		ask(t, ch, "exec", oneString{command})
		return ch
	}
	open("stall") // and nobody reads
	panicky := open("panic")
	if _, err := panicky.Write([]byte("p")); err != nil {
		t.Fatal(err)
	}
	readAll(t, panicky)
	counted := func(name string) bool {
		line := page(t, reg, name)
		return line != "" && !strings.HasSuffix(line, " 0\n")
	}
	for _, name := range []string{"ludoteca_screen_panics_total", "ludoteca_stalls_total", "ludoteca_frames_coalesced_total"} {
		retry(t, func() bool { return counted(name) })
	}
	const want = "ludoteca_screen_panics_total 1\nludoteca_stalls_total 1\n"
	if got := page(t, reg, "ludoteca_screen_panics_total", "ludoteca_stalls_total"); got != want {
		t.Errorf("counted\n%swant\n%s", got, want)
	}
}
