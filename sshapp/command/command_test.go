package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is a lobby with a store of its own, and a runner.
type fixture struct {
	t   testing.TB
	run *Runner
}

func newFixture(t testing.TB, change ...func(*lobby.Config)) *fixture {
	t.Helper()
	cfg := lobby.Config{Games: catalog.All(), AnalysisNodes: studyNodes, Levels: []lobby.Level{{
		ID: "first", Name: "First", Sentence: "Plays the first move there is.", Ratings: map[string]int{"tanks": 1234}, Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			return p.Legal()[0], nil
		},
	}}}
	for _, c := range change {
		c(&cfg)
	}
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), storage.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	club, err := lobby.New(t.Context(), store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := club.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{})}
}

func key(name string) Caller {
	if name == "guest" {
		return Caller{ConnectionID: "c1", User: "guest"}
	}
	return Caller{Fingerprint: "SHA256:" + name, ConnectionID: "c-" + name, User: name}
}

// as runs a command line and returns what it printed; the status must be want.
func (h *fixture) as(name string, want int, line string) (out, complaints string) {
	h.t.Helper()
	var o, c bytes.Buffer
	if got := h.run.Run(h.t.Context(), key(name), line, &o, &c); got != want {
		h.t.Fatalf("%s: %s: status %d, want %d\n%s%s", name, line, got, want, o.String(), c.String())
	}
	if n := strings.Count(c.String(), "\n"); want != Done && n != 1 {
		h.t.Errorf("%s: complains in %d lines, want one: %q", line, n, c.String())
	}
	return o.String(), c.String()
}

// object runs a command and reads the one object that it prints.
func (h *fixture) object(name, line string) map[string]any {
	h.t.Helper()
	out, _ := h.as(name, Done, line)
	return decode(h.t, out)
}

func decode(t testing.TB, line string) map[string]any {
	t.Helper()
	if strings.Count(line, "\n") != 1 {
		t.Fatalf("want one line, got %q", line)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return m
}

func TestJSONFields(t *testing.T) {
	h := newFixture(t)
	opened := h.object("ana", "new tanks size=6 --side first --rated --json")
	code := opened["code"].(string)
	h.as("rui", Done, "join "+strings.ToLower(code))
	for i := range 200 {
		name := []string{"ana", "rui"}[i%2]
		m := h.object("guest", "show "+code+" --json")
		legal := m["legal"].([]any)
		if len(legal) == 0 {
			break
		}
		h.as(name, Done, "move "+code+" "+legal[len(legal)-1].(string))
	}
	// An unfinished match for matches.
	waiting := h.object("ana", "new 4mation --json")["code"].(string)

	tests := []struct {
		line, fields string
	}{
		{"new petteia --json", "code id game options side"},
		{"whoami --json", "name guest fingerprints since"},
		{"leaderboard tanks --json", "game rank name bot rating deviation provisional played won drawn lost"},
		{"profile rui --json", "name since online games"},
		{"history --limit 1 --json", "id game options first second result reason plies rated started ended start helped hints takebacks"},
		{"show " + code + " --json", "id code game options first second ply moves board turn legal result reason start helped hints takebacks"},
		{"watch " + code + " --json", "id code game options first second ply moves board turn legal result reason start helped hints takebacks"},
		{"matches --json", "id game options first second result reason plies rated started ended start helped hints takebacks code your_side your_turn"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			out, _ := h.as("ana", Done, tt.line)
			line, _, _ := strings.Cut(out, "\n")
			if got, want := fieldsOf(t, line), strings.Fields(tt.fields); !slices.Equal(got, want) {
				t.Errorf("fields\n%v, want\n%v", got, want)
			}
		})
	}

	over := h.object("guest", "show "+code+" --json")
	if over["turn"] != "" || len(over["legal"].([]any)) != 0 || over["result"] == "" || over["reason"] == "" {
		t.Errorf("a finished match is shown as %v", over)
	}
	if open := h.object("guest", "show "+waiting+" --json"); open["first"] == open["second"] || open["result"] != "" {
		t.Errorf("a waiting match is shown as %v", open)
	}
	for _, p := range []string{"ana", "rui"} {
		games := h.object(p, "profile --json")["games"].([]any)
		if len(games) != 1 || games[0].(map[string]any)["played"] != 1.0 {
			t.Errorf("%s has played %v, want one rated match", p, games)
		}
	}
}

// TestTimesThatAreNotThere holds that a time which isn't there is null, not an empty text.
func TestTimesThatAreNotThere(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	check := func(name, line, field string, there bool) {
		t.Helper()
		value, given := h.object(name, line)[field]
		if text, isText := value.(string); !given || there != (isText && text != "") || !there && value != nil {
			t.Errorf("%s as %s: %s is %#v", line, name, field, value)
		}
	}
	check("guest", "whoami --json", "since", false)
	check("stranger", "whoami --json", "since", false)
	check("ana", "whoami --json", "since", true)
	check("ana", "matches --json", "started", false)
	check("ana", "matches --json", "ended", false)
	h.as("rui", Done, "join "+code)
	check("ana", "matches --json", "started", true)
	check("ana", "matches --json", "ended", false)
	h.as("rui", Done, "resign "+code)
	check("ana", "history --json", "started", true)
	check("ana", "history --json", "ended", true)
}

// fieldsOf returns the keys of an object in the order in which they are written.
func fieldsOf(t *testing.T, line string) (keys []string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(line))
	for depth, key := 0, false; ; {
		token, err := dec.Token()
		if err == io.EOF {
			return keys
		} else if err != nil {
			t.Fatal(err)
		}
		switch delim := token.(type) {
		case json.Delim:
			if delim == '{' || delim == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		default:
			if depth == 1 && key {
				keys = append(keys, token.(string))
			}
			key = depth == 1 && !key
		}
	}
}

// TestWatchLines: a reader that missed steps still gets a line for every change.
func TestWatchLines(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	var out, complaints bytes.Buffer
	slow := &held{w: &out, free: make(chan struct{})}
	ended := make(chan int)
	go func() { ended <- h.run.Run(t.Context(), key("guest"), "watch "+code+" --json", slow, &complaints) }()
	h.as("rui", Done, "join "+code)
	for i, m := range strings.Fields("c3 d4 c4 b5 c5 d6 c6") {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	close(slow.free)
	if status := <-ended; status != Done {
		t.Fatalf("status %d: %s", status, complaints.String())
	}
	lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
	first := decode(t, lines[0]+strings.Repeat("\n", 1-strings.Count(lines[0], "\n")))
	ply := int(first["ply"].(float64))
	if first["second"] == "" {
		lines = lines[1:] // then comes the join
		ply = -1
	}
	for i, l := range lines {
		m := decode(t, strings.TrimSuffix(l, "\n")+"\n")
		if first["second"] == "" {
			if got := int(m["ply"].(float64)); got != i {
				t.Errorf("line %d has ply %d, want %d", i, got, i)
			}
		} else if got := int(m["ply"].(float64)); got != ply+i {
			t.Errorf("line %d has ply %d, want %d", i, got, ply+i)
		}
		if over := m["result"] != ""; over != (i == len(lines)-1) {
			t.Errorf("line %d of %d: result %q", i, len(lines), m["result"])
		}
		if over, legal := m["result"] != "", len(m["legal"].([]any)); over != (legal == 0) {
			t.Errorf("line %d: %d legal moves, result %q", i, legal, m["result"])
		}
	}
}

// held is a writer that lets nothing through until free is closed.
type held struct {
	w    io.Writer
	free chan struct{}
}

func (h *held) Write(p []byte) (int, error) {
	<-h.free
	return h.w.Write(p)
}

func TestEveryGameHasRules(t *testing.T) {
	h := newFixture(t)
	list, _ := h.as("guest", Done, "games")
	for _, g := range catalog.All() {
		if !strings.Contains(list, g.About().ID+"  "+g.About().Name) {
			t.Errorf("games does not list %s", g.About().ID)
		}
		if text, _ := h.as("guest", Done, "rules "+g.About().ID); len(text) < 500 {
			t.Errorf("the rules of %s are %q", g.About().ID, text)
		}
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	h := newFixture(t)
	text, _ := h.as("guest", Done, "help")
	for _, v := range table() {
		if v.who != anyone {
			continue // TestStatusIsTheOperators
		}
		if !strings.Contains(text, "  "+v.name+" ") {
			t.Errorf("help does not list %s", v.name)
		}
		if one, _ := h.as("guest", Done, "help "+v.name); !strings.Contains(one, v.usage()) {
			t.Errorf("help %s is %q", v.name, one)
		}
	}
	if other, _ := h.as("guest", Done, ""); other != text {
		t.Errorf("an empty line is not help: %q", other)
	}
}

func TestRefusals(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	tests := []struct {
		name, line string
		status     int
		want       string
	}{
		{"ana", "move " + code + " \x1b[2J", Refused, "can't be played"},
		{"ana", "move " + code + " " + strings.Repeat("d", 3000), Refused, "can't be played"},
		{"ana", "move " + code + " z9", Refused, "can't be played"},
		{"rui", "move " + code + " d4", Refused, "not your turn"},
		{"eve", "move " + code + " d4", Refused, "only watching"},
		{"eve", "join " + code, Refused, "taken"},
		{"ana", "show '" + code, Usage, "quotation mark"},
		{"ana", "show \x00", Usage, "NUL"},
		{"ana", "show " + strings.Repeat("x ", 100), Usage, "too many words"},
		{"ana", "show a b", Usage, `"b" is too much`},
		{"ana", "history --limit 0", Usage, "at least 1"},
		{"ana", "history --limit x", Usage, `--limit can't be "x"`},
		{"ana", "history --limit 9999999999999999999", Usage, "--limit can't be"},
		{"ana", "whoami --json=perhaps", Usage, `--json can't be "perhaps"`},
		{"ana", "history -1", Usage, "-1\" is neither a flag nor a word"},
		{"ana", "new tanks -6", Usage, "-6\" is neither a flag nor a word"},
		{"ana", "move " + code + " -4", Usage, "-4\" is neither a flag nor a word"},
		{"ana", "history --game go", Refused, `no game "go"`},
		{"ana", "history \x1b]0;x\x07", Refused, "Nobody here"},
		{"ana", "new 4mation size=3", Refused, "no option size"},
		{"ana", "new 4mation rows=3 rows=4", Refused, "twice"},
		{"ana", "record AAAAAAAA", Refused, "Nobody here knows"},
		{"new\x1b", "new 4mation", Refused, "name NAME"},
		{"guest", "matches now", Usage, "too much"},
		{"guest", "join " + code, Refused, "needs a key"},
		{"guest", "profile", Refused, "no name"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			before, _ := h.as("guest", Done, "show "+code+" --json")
			_, complaint := h.as(tt.name, tt.status, tt.line)
			if !strings.Contains(complaint, tt.want) {
				t.Errorf("%q, want something with %q", complaint, tt.want)
			}
			if strings.ContainsAny(complaint, "\x1b\x07\x00") {
				t.Errorf("%q carries control characters", complaint)
			}
			if after, _ := h.as("guest", Done, "show "+code+" --json"); after != before {
				t.Errorf("a refused command changed the match: %s -> %s", before, after)
			}
		})
	}
}

func TestRecordReadsBack(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range strings.Fields("c3 d4 c4") {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	open, _ := h.as("guest", Done, "record "+code)
	h.as("rui", Done, "resign "+code)
	closed, _ := h.as("guest", Done, "record "+code)
	for text, result := range map[string]string{open: "*", closed: "1-0"} {
		r, pos, err := games.ReadRecord(strings.NewReader(text), catalog.Find)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		var again strings.Builder
		if err := r.Write(&again); err != nil || again.String() != text {
			t.Errorf("written again: %v\n%s, was\n%s", err, again.String(), text)
		}
		if r.Result != result || len(r.Moves) != 3 || len(pos.Legal()) == 0 {
			t.Errorf("result %s after %v, want %s", r.Result, r.Moves, result)
		}
	}
}

func TestCode(t *testing.T) {
	tests := []struct{ line, name, code string }{
		{"join K7QM2X", "join", "K7QM2X"},
		{"watch k7qm2x", "watch", "k7qm2x"},
		{"watch K7QM2X --json", "", ""},
		{"watch --json", "", ""},
		{"join", "", ""},
		{"show K7QM2X", "", ""},
		{"join 'K7", "", ""},
	}
	for _, tt := range tests {
		if name, code, ok := Code(tt.line); name != tt.name || code != tt.code || ok != (tt.name != "") {
			t.Errorf("Code(%s) = %s, %s, %v", tt.line, name, code, ok)
		}
	}
}

func FuzzRun(f *testing.F) {
	h := newFixture(f)
	for _, v := range table() {
		f.Add(v.usage())
	}
	f.Add("new 4mation cols=3 --side second --vs first")
	f.Fuzz(func(t *testing.T, line string) {
		if words, err := split(line); err == nil && len(words) > 0 && (words[0] == "name" || words[0] == "new") {
			return // they fill the store
		}
		var out, complaints bytes.Buffer
		status := h.run.Run(t.Context(), key("guest"), line, &out, &complaints)
		if status < Done || status > Usage {
			t.Errorf("status %d", status)
		}
		if status != Done && strings.Count(complaints.String(), "\n") != 1 {
			t.Errorf("%q complains in %q", line, complaints.String())
		}
		if strings.ContainsAny(complaints.String(), "\x1b\x07\x00\u202e") {
			t.Errorf("%q comes back as %q", line, complaints.String())
		}
	})
}

// TestFirstCommandsAtOnce: of the first commands of a new key that come at the same time, one signs the key up, and the
// others go on with its account.
func TestFirstCommandsAtOnce(t *testing.T) {
	for _, quicker := range []string{"ana", "another"} {
		t.Run("the quicker one takes the name "+quicker, func(t *testing.T) {
			h := newFixture(t)
			who, club := key("ana"), h.run.lobby
			who.SignUp = func(ctx context.Context, fingerprint, name string) (lobby.User, error) {
				if _, err := club.SignUp(ctx, fingerprint, quicker); err != nil {
					t.Fatal(err)
				}
				return club.SignUp(ctx, fingerprint, name)
			}
			var out, complaints bytes.Buffer
			if got := h.run.Run(t.Context(), who, "new 4mation", &out, &complaints); got != Done {
				t.Fatalf("status %d: %s", got, complaints.String())
			}
			if m := h.object("ana", "whoami --json"); m["name"] != quicker {
				t.Errorf("the key is %v, want %s", m["name"], quicker)
			}
		})
	}
}

// TestWhoSignsUp: looking around makes no account, and neither does an unknown code.
func TestWhoSignsUp(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	name := func() any { return h.object("rui", "whoami --json")["name"] }
	for _, line := range []string{"help", "games", "matches --json", "history --json", "leaderboard --json", "show " + code, "watch " + code, "record " + code} {
		if h.as("rui", Done, line); name() != "" {
			t.Fatalf("%s signs up %v", line, name())
		}
	}
	if h.as("rui", Refused, "join 222222"); name() != "" {
		t.Errorf("joining nothing signs up %v", name())
	}
	if h.as("rui", Done, "join "+code); name() != "rui" {
		t.Errorf("joining signs up %v", name())
	}
}

// TestStatusIsTheOperators: for all others there is no such command.
func TestStatusIsTheOperators(t *testing.T) {
	h := newFixture(t)
	h.run.options = Options{Status: func() status.Status { return status.Status{Sessions: 17} }}
	operator := key("ana")
	operator.Operator = true
	ask := func(who Caller, line string) (status int, out, complaints string) {
		var o, e bytes.Buffer
		status = h.run.Run(t.Context(), who, line, &o, &e)
		return status, o.String(), e.String()
	}
	code, out, complaints := ask(operator, "status")
	if code != Done || !strings.Contains(out, "sessions          17\n") || complaints != "" {
		t.Errorf("the operator's status: %d %q %q", code, out, complaints)
	}
	code, out, _ = ask(operator, "status --json")
	var got status.Status
	if err := json.Unmarshal([]byte(out), &got); code != Done || err != nil || got.Sessions != 17 {
		t.Errorf("the operator's status --json: %d %q, %v", code, out, err)
	}
	if _, out, _ := ask(operator, "help"); !strings.Contains(out, "  status ") {
		t.Errorf("the operator's help does not list status:\n%s", out)
	}
	for _, line := range []string{"status", "status --json", "help status", "help", "banana"} {
		for _, name := range []string{"ana", "guest"} {
			unknown := strings.ReplaceAll(line, "status", "sstatus")
			code, out, complaints := ask(key(name), line)
			wantCode, wantOut, wantComplaints := ask(key(name), unknown)
			if code != wantCode || out != wantOut || complaints != strings.ReplaceAll(wantComplaints, "sstatus", "status") {
				t.Errorf("%s of %s: %d %q %q, want the answer to something unknown: %d %q %q",
					line, name, code, out, complaints, wantCode, wantOut, wantComplaints)
			}
		}
	}
	h.run.options = Options{}
	if code, _, _ := ask(operator, "status"); code != Usage {
		t.Errorf("status without a source gives %d", code)
	}
}

// TestSignUpOfCaller: accounts are made by the caller's SignUp, which may refuse.
func TestSignUpOfCaller(t *testing.T) {
	h := newFixture(t)
	for _, line := range []string{"new 4mation", "name ana"} {
		who := key("ana")
		asked := 0
		who.SignUp = func(_ context.Context, fingerprint, name string) (lobby.User, error) {
			asked++
			if fingerprint != "SHA256:ana" || name != "ana" {
				t.Errorf("asked for %q with %q", name, fingerprint)
			}
			return lobby.User{}, lobby.ErrManyAccounts
		}
		var complaints bytes.Buffer
		code := h.run.Run(t.Context(), who, line, io.Discard, &complaints)
		if code != Refused || asked != 1 || !strings.Contains(complaints.String(), "Too many new names from your address") {
			t.Errorf("%s: %d, asked %d times, %q", line, code, asked, complaints.String())
		}
	}
}
