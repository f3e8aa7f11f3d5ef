package operatorpage

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/accounts"
	"ludoteca/lobby/operators"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	accountstore "ludoteca/storage/accounts"
	operatorstore "ludoteca/storage/operators"
)

// A fakeOperator answers the operators' page, and records its acts.
type fakeOperator struct {
	looks   int
	did     []string
	unknown bool // no player has a file
}

func (f *fakeOperator) Status() status.Status {
	f.looks++
	return status.Status{
		UptimeSeconds: 3725, Connections: 12, SigningIn: 2, Sessions: 9, Here: 7, Matches: 5, MatchesPeople: 2, MatchesBots: 1,
		BotsThinking: 1, BotsWaiting: 3, BotsLongestWait: 1200, StoreBytes: 3 << 19, DiskFree: 7 << 30,
		StoreWrite: status.Times{P50: 0.3, P99: 1.5}, Process: status.Process{Version: "v1.2.3", MemoryBytes: 64 << 20, Goroutines: 88},
		Refusals: []status.Refusal{{Reason: "address-rate", Minute: 12, Hour: 340}},
	}
}

func (f *fakeOperator) Reports(context.Context, bool) ([]operatorstore.Report, error) {
	return []operatorstore.Report{
		{Number: 4, AboutName: "rui", ByName: "bia", Reason: "insults\x1b[2J in the chat", At: uitest.Noon, Match: "abcd2345", Chat: []operatorstore.Written{
			{By: "bia", Greeting: "luck"}, {By: "rui", Text: "you play like a goat\x1b[2J, and I have seen goats that think longer than you do about their moves"},
		}},
		{Number: 5, AboutName: "zé", ByName: "ana", Reason: "leaves every match that is lost"},
	}, nil
}

func (f *fakeOperator) Audit(context.Context, uint64, int) ([]operatorstore.AuditEntry, error) {
	return []operatorstore.AuditEntry{
		{Number: 9, Verb: "mute", Subject: "rui", Reason: "insults", Undo: &operatorstore.Change{}, Until: uitest.Noon.AddDate(0, 0, 7)},
		{Number: 8, Verb: "recompute", Reason: "to be sure"},
		{Number: 7, Verb: "close", Subject: "zé", Reason: "cheats", Undo: &operatorstore.Change{}, UndoneBy: 8},
	}, nil
}

func (f *fakeOperator) Mute(_ context.Context, name string, until time.Time, reason string) (operatorstore.AuditEntry, error) {
	f.did = append(f.did, fmt.Sprint("mute ", name, until.Sub(uitest.Noon), reason))
	return operatorstore.AuditEntry{}, nil
}

func (f *fakeOperator) Close(_ context.Context, name, reason string) (operatorstore.AuditEntry, error) {
	f.did = append(f.did, "close "+name+" "+reason)
	return operatorstore.AuditEntry{}, nil
}

func (f *fakeOperator) Handle(ctx context.Context, n uint64, reason string) (operatorstore.AuditEntry, error) {
	if ctx.Err() != nil {
		return operatorstore.AuditEntry{}, ctx.Err()
	}
	f.did = append(f.did, fmt.Sprint("handle ", n, " ", reason))
	return operatorstore.AuditEntry{}, nil
}

func (f *fakeOperator) Dossier(_ context.Context, name string) (operators.Dossier, error) {
	if f.unknown {
		return operators.Dossier{}, lobby.ErrNoSuchPlayer
	}
	return operators.Dossier{
		Keys: []accountstore.Visit{{From: banKey}},
		Addresses: []accounts.Address{
			{Addr: netip.MustParseAddr("192.0.2.7")}, {Addr: netip.MustParseAddr("192.0.2.8")}, {Addr: netip.MustParseAddr("2001:db8::1")},
		},
	}, nil
}

func (f *fakeOperator) Ban(_ context.Context, subject string, until time.Time, reason string) (operatorstore.AuditEntry, error) {
	lasts := "for good"
	if !until.IsZero() {
		lasts = until.Sub(uitest.Noon).String()
	}
	f.did = append(f.did, fmt.Sprint("ban ", subject, " ", lasts, " ", reason))
	return operatorstore.AuditEntry{}, nil
}

func (f *fakeOperator) Undo(_ context.Context, n uint64, reason string) (operatorstore.AuditEntry, error) {
	f.did = append(f.did, fmt.Sprint("undo ", n, " ", reason))
	return operatorstore.AuditEntry{}, nil
}

var banKey = "SHA256:" + strings.Repeat("A", 43)

func operating() (ui.Config, *fakeOperator) {
	f := new(fakeOperator)
	return ui.Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Operator: f}, f
}

func TestOperatorPagePictures(t *testing.T) {
	for _, tt := range []struct {
		name string
		size [2]int
		keys []string
		env  string
	}{
		{"utf-8/operator-80x24", [2]int{80, 24}, nil, "LANG=C.UTF-8"},
		{"utf-8/operator-120x40", [2]int{120, 40}, []string{"tab", "down", "b", "enter", "cheats"}, "LANG=C.UTF-8"},
		{"utf-8/operator-ban-80x24", [2]int{80, 24}, []string{"tab", "b", "down", "down", "space"}, "LANG=C.UTF-8"},
		{"de/operator-ban-40x20", [2]int{40, 20}, []string{"tab", "b"}, "LANG=de_DE.UTF-8"},
		{"utf-8/operator-reports-40x20", [2]int{40, 20}, []string{"tab", "c", "insults", "enter"}, "LANG=C.UTF-8"},
		{"pt/operator-40x20", [2]int{40, 20}, nil, "LANG=pt_PT.UTF-8"},
		{"de/operator-80x24", [2]int{80, 24}, []string{"tab", "m"}, "LANG=de_DE.UTF-8"},
		{"utf-8/operator-report-80x24", [2]int{80, 24}, []string{"tab", "enter"}, "LANG=C.UTF-8"},
		{"de/operator-report-40x20", [2]int{40, 20}, []string{"tab", "enter", "down", "down"}, "LANG=de_DE.UTF-8"},
		{"ascii/operator-audit-80x24", [2]int{80, 24}, []string{"tab", "tab"}, "LANG=C"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg, _ := operating()
				cfg.Environ = []string{tt.env}
				s := begin(t, tt.size[0], tt.size[1], cfg)
				s.GoTo("Operator")
				s.Keys(tt.keys...)
				uitest.Golden(t, tt.name, s.Page())
			})
		})
	}
}

// TestOperatorActs: each act wants a reason and a second enter, and is about the report that was chosen.
func TestOperatorActs(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want []string
	}{
		{[]string{"m", "why", "enter", "enter"}, []string{"mute rui168h0m0swhy", "handle 4 why"}},
		{[]string{"down", "c", "why", "enter", "enter"}, []string{"close zé why", "handle 5 why"}},
		{[]string{"b", "enter", "why", "enter", "enter"}, []string{"ban " + banKey + " for good why", "handle 4 why"}},
		{[]string{"b", "space", "down", "space", "enter", "why", "enter", "enter"}, []string{"ban 192.0.2.7 720h0m0s why", "handle 4 why"}},
		{[]string{"b", "down", "down", "space", "down", "down", "space", "enter", "why", "enter", "enter"},
			[]string{"ban " + banKey + " for good why", "ban 192.0.2.0/24 720h0m0s why", "ban 2001:db8::/64 720h0m0s why", "handle 4 why"}},
		{[]string{"b", "space", "enter", "why", "enter", "enter"}, nil}, // nothing is marked
		{[]string{"enter", "m", "why", "enter", "enter"}, []string{"mute rui168h0m0swhy", "handle 4 why"}},
		{[]string{"down", "enter", "down", "esc", "up", "c", "why", "enter", "enter"}, []string{"close rui why", "handle 4 why"}}, // reading moves no cursor
		{[]string{"b", "esc", "enter", "why", "enter", "enter"}, nil},
		{[]string{"tab", "u", "why", "enter", "enter"}, []string{"undo 9 why"}},
		{[]string{"tab", "down", "u", "why", "enter", "enter"}, nil},         // it can't be undone
		{[]string{"tab", "down", "down", "u", "why", "enter", "enter"}, nil}, // it is already
		{[]string{"d", "why", "enter", "enter"}, []string{"handle 4 why"}},
		{[]string{"c", "enter", "enter"}, nil},
		{[]string{"c", "why", "enter"}, nil},
		{[]string{"c", "why", "enter", "x", "enter"}, nil},
		{[]string{"c", "why", "enter", "esc", "enter"}, nil},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			cfg, f := operating()
			walk(t, cfg, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Operator")
				s.Keys("tab")
				s.Keys(tt.keys...)
				if !slices.Equal(f.did, tt.want) {
					t.Errorf("did %q, want %q", f.did, tt.want)
				}
			})
		})
	}
}

// TestLongReason: of a reason that is longer than its line the end is seen while it is typed, with the cursor behind it.
func TestLongReason(t *testing.T) {
	cfg, _ := operating()
	walk(t, cfg, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Operator")
		s.Keys("tab", "c", strings.Repeat("a", 80)+"zy")
		s.Sees("> " + strings.Repeat("a", 72) + "zy\n")
		if x, _, shown := s.App.Top().(operatorPage).Cursor(); !shown || x != 79 {
			t.Errorf("the cursor is in column %d, shown %v, want 79", x, shown)
		}
		s.Keys("home")
		s.Sees("> " + strings.Repeat("a", 74) + "…")
	})
}

// TestOperatorsOwnAddress is not offered, and neither are the blocks around it.
func TestOperatorsOwnAddress(t *testing.T) {
	f := new(fakeOperator)
	file, _ := f.Dossier(t.Context(), "rui")
	for _, tt := range []struct {
		own  string
		want int
	}{{"198.51.100.1", 7}, {"192.0.2.7", 5}, {"192.0.2.200", 6}, {"::ffff:192.0.2.7", 5}, {"2001:db8::2", 4}} {
		if got := banTargets(file, netip.MustParseAddr(tt.own)); len(got) != tt.want {
			t.Errorf("%s: %d targets, want %d: %+v", tt.own, len(got), tt.want, got)
		}
	}
	if got := banTargets(file, netip.Addr{}); len(got) != 7 {
		t.Errorf("without an address: %d targets", len(got))
	}
}

// TestOperatorActsWhole: an act that ends the operator's own session is done to its end.
func TestOperatorActsWhole(t *testing.T) {
	f := new(fakeOperator)
	ctx, leave := context.WithCancel(t.Context())
	s := operatorPage{
		env: &screen.Env{Ctx: ctx, Operator: f, Now: time.Now}, verb: "ban", about: operatorstore.Report{Number: 4},
		targets: []banTarget{{subject: banKey, marked: true}}, reason: widget.Entry{Text: "why"},
	}
	_, act := s.act()
	leave()
	if msg, want := act(), []string{"ban " + banKey + " for good why", "handle 4 why"}; msg != (actedMsg{}) || !slices.Equal(f.did, want) {
		t.Errorf("%v: did %q, want %q", msg, f.did, want)
	}
}

// TestOperatorBansUnknown: a player whose file can't be read isn't banned, and the page goes on.
func TestOperatorBansUnknown(t *testing.T) {
	cfg, f := operating()
	f.unknown = true
	walk(t, cfg, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Operator")
		s.Keys("tab", "b")
		s.Sees("Nobody here has this name")
		s.Keys("d", "why", "enter", "enter")
		if want := []string{"handle 4 why"}; !slices.Equal(f.did, want) {
			t.Errorf("did %q, want %q", f.did, want)
		}
	})
}

// TestOperatorPageLooks: once a second while it is on top, and never while it is covered or gone.
func TestOperatorPageLooks(t *testing.T) {
	cfg, f := operating()
	walk(t, cfg, func(t *testing.T, s *uitest.Session) {
		looks := func(what string, want int) {
			t.Helper()
			if f.looks != want {
				t.Errorf("%s: %d looks, want %d", what, f.looks, want)
			}
		}
		looks("in the lobby", 0)
		s.GoTo("Operator")
		looks("opened", 1)
		for range 3 {
			s.Pass(lookEvery)
		}
		looks("three seconds later", 4)
		s.Keys("?")
		s.Pass(10 * lookEvery)
		looks("covered", 4)
		s.Keys("esc")
		looks("on top again", 5)
		s.Pass(lookEvery)
		looks("a second later", 6)
		s.Keys("esc")
		s.Pass(10 * lookEvery)
		looks("gone", 6)
	})
}
