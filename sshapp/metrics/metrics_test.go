package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"ludoteca/sshapp/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(settling{m}) }

// settling is a run of tests after which goroutines that are about to end are given the time to, however busy the machine.
type settling struct{ *testing.M }

func (s settling) Run() int {
	code := s.M.Run()
	for late := time.Now().Add(patience); code == 0 && goleak.Find() != nil && time.Now().Before(late); {
		continue // Find has waited
	}
	return code
}

// patience is the time that a test waits for an expected event.
const patience = time.Minute

// scrape serves a registry on a loopback port, and returns the answer to a request for path.
func scrape(t *testing.T, reg *prometheus.Registry, method, path string) (code int, text string) {
	t.Helper()
	return request(t, reg, ready, method, path)
}

func ready() error { return nil }

func request(t *testing.T, reg *prometheus.Registry, ready func() error, method, path string) (code int, text string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, reg, ready, slog.New(slog.DiscardHandler)) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+l.Addr().String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	end()
	if err := <-served; err != nil {
		t.Errorf("Serve = %v", err)
	}
	return resp.StatusCode, string(body)
}

func TestPage(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := New(reg, []string{"full"}, []string{"left"})
	asked := 0
	Watch(reg, func() status.Status {
		asked++
		return status.Status{Connections: 3, SigningIn: 1, Sessions: 2, Here: 5, Matches: 6, Offers: 7, BotsThinking: 8, BotsWaiting: 9,
			StoreQueue: 10, StoreBytes: 11, AnalysesWaiting: 15, StoreMembers: 18, StoreReachable: 19, LastBackup: new(time.Unix(1000, 5e8)), StoreAlarms: []string{status.AlarmCorrupt}}
	})
	m.Server.Connected()
	m.Server.Handshaken()
	m.Server.SignedIn(WithKey, 15*time.Millisecond)
	m.Server.Refused("full")
	m.Server.Refused("a reason that a client made up")
	m.Server.Ended("left")
	m.Server.Ended("<script>")
	m.Server.Served(Screen)
	m.Server.Panicked()
	m.Server.Received(100)
	m.Server.Sent(200)
	m.Screens.Keys.Add(12)
	m.Club.Moves.Add(13)
	m.Club.BotMoves.Add(14)
	m.Club.Analysed.Add(16)
	m.Club.AnalysisFailures.Add(17)
	m.Club.FollowedLag.Add(int64(20 * time.Millisecond))
	store := m.Store.Meters()
	store.Read(time.Millisecond)
	store.Write(2 * time.Millisecond)
	store.Commit(3, time.Millisecond, errors.New("full"))
	store.Retry()
	store.Doubt(true)
	store.Doubt(false)

	code, text := scrape(t, reg, "GET", "/metrics")
	if code != http.StatusOK || asked != 1 {
		t.Fatalf("status %d, the source was asked %d times, want 200 and once", code, asked)
	}
	for _, line := range []string{
		"ludoteca_connections 3", "ludoteca_connections_signing_in 1", "ludoteca_sessions 2", "ludoteca_people 5",
		"ludoteca_matches 6", "ludoteca_offers 7", "ludoteca_bots_thinking 8", "ludoteca_bots_waiting 9",
		"ludoteca_store_queue 10", "ludoteca_store_bytes 11",
		"ludoteca_connections_total 1", "ludoteca_handshakes_total 1", `ludoteca_sign_ins_total{as="key"} 1`,
		`ludoteca_refusals_total{reason="full"} 1`, `ludoteca_connections_ended_total{reason="left"} 1`,
		`ludoteca_sessions_total{kind="screen"} 1`, `ludoteca_sessions_total{kind="prompt"} 0`,
		"ludoteca_session_panics_total 1", "ludoteca_keys_total 12",
		`ludoteca_network_bytes_total{direction="in"} 100`, `ludoteca_network_bytes_total{direction="out"} 200`,
		`ludoteca_moves_total{by="person"} 13`, `ludoteca_moves_total{by="bot"} 14`,
		"ludoteca_store_read_seconds_count 1", "ludoteca_store_write_seconds_sum 0.002", "ludoteca_store_commit_changes_sum 3",
		"ludoteca_store_failures_total 1", "ludoteca_store_retries_total 1", "ludoteca_store_doubts_total 2", "ludoteca_store_unknown_total 1",
		"ludoteca_store_members 18", "ludoteca_store_members_reachable 19", "ludoteca_store_alarm_nospace 0", "ludoteca_store_alarm_corrupt 1",
		"ludoteca_analyses_waiting 15", "ludoteca_analyses_total 16", "ludoteca_analysis_failures_total 17",
		"ludoteca_last_backup_timestamp_seconds 1000.5",
		"ludoteca_followed_lag_seconds_total 0.02",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	for _, foreign := range []string{"made up", "script"} {
		if strings.Contains(text, foreign) {
			t.Errorf("%q became a label", foreign)
		}
	}
	if got := m.Store.Recent.Times(); got.Max != 2 {
		t.Errorf("the latest writes: %+v", got)
	}
}

// TestNames follow what Prometheus asks for, and have a help text.
func TestNames(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	New(reg, []string{"full"}, []string{"left"})
	Watch(reg, func() status.Status { return status.Status{} })
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	good := regexp.MustCompile(`^ludoteca(_[a-z]+)+$`)
	for _, f := range families {
		counts := f.GetType().String() == "COUNTER"
		if !good.MatchString(f.GetName()) || counts != strings.HasSuffix(f.GetName(), "_total") || !strings.HasSuffix(f.GetHelp(), ".") {
			t.Errorf("%s %s: %q", f.GetType(), f.GetName(), f.GetHelp())
		}
	}
	if len(families) < 35 {
		t.Errorf("only %d metrics", len(families))
	}
}

// TestChecks: /ready tells why no client should come, and /live only that the process serves.
func TestChecks(t *testing.T) {
	away := errors.New("the store is away")
	for _, tt := range []struct {
		path  string
		ready error
		code  int
		text  string
	}{
		{"/ready", nil, http.StatusOK, "ok\n"},
		{"/ready", away, http.StatusServiceUnavailable, "the store is away\n"},
		{"/live", nil, http.StatusOK, "ok\n"},
		{"/live", away, http.StatusOK, "ok\n"},
	} {
		code, text := request(t, prometheus.NewRegistry(), func() error { return tt.ready }, "GET", tt.path)
		if code != tt.code || text != tt.text {
			t.Errorf("GET %s of a node that says %v: %d %q, want %d %q", tt.path, tt.ready, code, text, tt.code, tt.text)
		}
	}
}

func TestServeRefuses(t *testing.T) {
	for _, tt := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/", http.StatusNotFound},
		{"GET", "/debug/pprof/", http.StatusNotFound},
		{"POST", "/metrics", http.StatusMethodNotAllowed},
	} {
		if code, _ := scrape(t, prometheus.NewRegistry(), tt.method, tt.path); code != tt.want {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.path, code, tt.want)
		}
	}
}

// TestServeEnds with its context, though a client holds on, and says so when its listener fails.
func TestServeEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- Serve(ctx, l, prometheus.NewRegistry(), ready, slog.New(slog.NewTextHandler(&log, nil)))
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	end()
	if err := <-served; err != nil {
		t.Errorf("Serve = %v", err)
	}
	_ = l.Close()
	if err := Serve(t.Context(), l, prometheus.NewRegistry(), ready, slog.New(slog.DiscardHandler)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve on a closed listener = %v", err)
	}
}

// A scraper that goes away is nothing to tell the operator, and anything else is.
func TestScrapeLog(t *testing.T) {
	var logged bytes.Buffer
	log := scrapeLog{slog.New(slog.NewTextHandler(&logged, nil))}
	log.Println("error encoding:", fmt.Errorf("write: %w", context.Canceled))
	if logged.Len() > 0 {
		t.Errorf("it logs %s", logged.String())
	}
	log.Println("error gathering:", errors.New("twice"))
	if got := logged.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "error gathering: twice") || strings.Count(got, "\n") != 1 {
		t.Errorf("it logs %q", got)
	}
}
