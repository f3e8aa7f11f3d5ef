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

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is a lobby with a store of its own, and a runner.
type fixture struct {
	t     testing.TB
	run   *Runner
	store *schema.Store
}

func newFixture(t testing.TB, change ...func(*lobby.Config)) *fixture {
	t.Helper()
	return newFixtureOn(t, func(s lobby.Store) lobby.Store { return s }, change...)
}

// newFixtureOn is newFixture with a club on what wrap makes of its store.
func newFixtureOn(t testing.TB, wrap func(lobby.Store) lobby.Store, change ...func(*lobby.Config)) *fixture {
	t.Helper()
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	return newFixtureOf(t, store, wrap, change...)
}

// newFixtureOf is newFixtureOn for a store, which it closes.
func newFixtureOf(t testing.TB, store *schema.Store, wrap func(lobby.Store) lobby.Store, change ...func(*lobby.Config)) *fixture {
	t.Helper()
	cfg := lobby.Config{Games: catalog.All(), AnalysisNodes: studyNodes, Levels: []lobby.Level{{
		ID: "first", Name: "First", Sentence: "Plays the first move there is.", Ratings: map[string]int{"tanks": 1234}, Above: map[string]bool{"tanks": true}, Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			return p.Legal()[0], nil
		},
	}}}
	for _, c := range change {
		c(&cfg)
	}
	club, err := lobby.New(t.Context(), wrap(lobby.StoreOf(store)), cfg)
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
	return &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{Gate: fastGate(), Database: store.Results}), store: store}
}

// fastGate returns a gate whose rate no test reaches. The rate has tests of its own.
func fastGate() *gate.Gate { return gate.New(1_000_000, 1_000_000) }

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

// twoEach makes two moves for each side of a new match, so that its record is kept. If second is "", a computer player moves for the second
// side.
func (h *fixture) twoEach(code, first, second string) {
	h.t.Helper()
	for ply := range 4 {
		mover := []string{first, second}[ply%2]
		if mover == "" {
			h.until(code, ply+1)
			continue
		}
		legal := h.object(mover, "show "+code+" --json")["legal"].([]any)
		h.as(mover, Done, "move "+code+" "+legal[0].(string))
	}
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
		{"new petteia --json", "code id game options side clock"},
		{"whoami --json", "name guest fingerprints since"},
		{"leaderboard tanks --json", "game rank name bot rating deviation provisional played won drawn lost"},
		{"profile rui --json", "name since online games"},
		{"history --limit 1 --json", "id game options first second result reason plies rated clock started ended counted weight discount start helped hints takebacks first_kind second_kind"},
		{"show " + code + " --json", "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"watch " + code + " --json", "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"matches --json", "id game options first second result reason plies rated clock started ended counted weight discount start helped hints takebacks first_kind second_kind code your_side your_turn"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			out, _ := h.as("ana", Done, tt.line)
			line, _, _ := strings.Cut(out, "\n")
			if missing := missingFields(t, line, tt.fields); len(missing) > 0 {
				t.Errorf("%v are missing in %s", missing, line)
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

// TestEveryCommandTakesJSON: every command prints objects, one a line. A command that lists something prints one for each item.
func TestEveryCommandTakesJSON(t *testing.T) {
	h := newFixture(t)
	h.run.options = Options{Database: h.store.Results, Status: func() status.Status { return status.Status{} }}
	over := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+over)
	for i, m := range strings.Fields("c3 d4 c4 d5") {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+over+" "+m)
	}
	h.as("rui", Done, "resign "+over)
	open := h.object("rui", "new tanks --side second --json")["code"].(string)
	bot := h.object("ana", "new 4mation --side first --vs first --json")["code"].(string)
	offered := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+offered)
	h.as("ana", Done, "move "+offered+" c3")
	h.as("rui", Done, "move "+offered+" d4")
	withdrawn := h.object("rui", "new momentum --json")["code"].(string)
	tests := []struct {
		who, line string
		items     int    // that it lists
		fields    string // of the first
	}{
		{"ana", "help", len(table()), "name usage summary"},
		{"guest", "help games", 1, "name usage summary"},
		{"guest", "games", len(catalog.All()), "id name sentence options presets levels"},
		{"guest", "rules 4mation", 1, "game text"},
		{"eva", "name eva", 1, "name guest fingerprints since recovery_code"},
		{"uma", "name uma", 1, "name guest fingerprints since recovery_code"},
		{"uma", "keys", 1, "fingerprint added last_used this"},
		{"uma", "keys add", 1, "code expires"},
		{"uma", "recovery", 1, "code"},
		{"uma", "rename ula", 1, "name guest fingerprints since"},
		{"uma", "export", 2, "type name since former_names renamed recovery_code_made settings"},
		{"uma", "delete --yes", 1, "deleted"},
		{"eva", "whoami", 1, "name guest fingerprints since"},
		{"eva", "new petteia", 1, "code id game options side clock"},
		{"ana", "join " + open, 1, "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"ana", "show " + open, 1, "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"ana", "watch " + over, 1, "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"ana", "move " + bot + " c3", 1, "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"ana", "takeback " + bot, 1, "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"ana", "draw " + offered, 1, "id code game offer result reason"},
		{"rui", "decline " + offered, 1, "id code game offer result reason"},
		{"rui", "takeback " + offered, 1, "id code game offer ply"},
		{"ana", "accept " + offered, 1, "id code game offer ply"},
		{"ana", "what " + bot + " c3", 1, "lines"},
		{"ana", "row " + bot + " 3", 1, "lines"},
		{"ana", "column " + bot + " c", 1, "lines"},
		{"ana", "around " + bot + " c3", 1, "lines"},
		{"ana", "mine " + bot, 1, "lines"},
		{"ana", "theirs " + bot, 1, "lines"},
		{"ana", "moves " + bot, 1, "lines"},
		{"ana", "where " + bot, 1, "lines"},
		{"ana", "threats " + bot, 1, "lines"},
		{"ana", "count " + bot, 1, "lines"},
		{"ana", "board " + bot, 1, "lines"},
		{"ana", "last " + bot, 1, "lines"},
		{"ana", "clock " + bot, 1, "lines"},
		{"ana", "players " + bot, 1, "lines"},
		{"ana", "plan " + bot, 1, "id ply lines at"},
		{"ana", "play tanks first", 1, "code id game options side clock waiting"},
		{"ana", "hint " + bot, 1, "code ply move value proven plies line"},
		{"rui", "quick flugelrad --preset decisive", 1, "code id game options side waiting"},
		{"ana", "offers", 1, "code id game options clock rated side by by_kind rating provisional range finished_share to since"},
		{"rui", "rematch " + over, 1, "code id game options side waiting"},
		{"ana", "wait --for challenge --after 2000-01-01T00:00:00Z", 1, "kind match code by event at"},
		{"ana", "matches", 5, "id game options first second result reason plies rated clock started ended counted weight discount start helped hints takebacks first_kind second_kind code your_side your_turn"},
		{"ana", "resign " + bot, 1, "id code game options first second ply moves board turn legal result reason rated clock presence claim_in_s spectators start helped hints takebacks first_kind second_kind"},
		{"rui", "abort " + withdrawn, 1, "code id game result reason"},
		{"ana", "history", 1, "id game options first second result reason plies rated clock started ended counted weight discount start helped hints takebacks first_kind second_kind"},
		{"ana", "record " + over, 1, "id game options first second result reason plies rated clock started ended counted weight discount start helped hints takebacks first_kind second_kind moves text"},
		{"ana", "replay " + over, 1, "id game options first second result reason plies rated clock started ended counted weight discount start helped hints takebacks first_kind second_kind moves text"},
		{"ana", "analyse " + over, 1, ""},
		{"guest", "openings 4mation d4", 1, "game options moves matches next"},
		{"ana", "database", 0, ""},
		{"ana", "note " + over + " 1 good", 1, "id ply text at"},
		{"ana", "import --list", 0, ""},
		{"ana", "who", 0, ""},
		{"ana", "events", 0, ""},
		{"ana", "leaderboard", 0, ""},
		{"ana", "profile", 1, "name since online games"},
		{"ana", "say " + open + " hello", 1, "at by by_kind room text greeting"},
		{"rui", "chat " + open, 1, "at by by_kind room text greeting"},
		{"ana", "follow rui", 1, "name following"},
		{"ana", "following", 1, "name since online"},
		{"rui", "follow ana", 1, "name following"},
		{"ana", "lounge", 0, "at by text"},
		{"ana", "tell rui tea at five?", 1, "at by to text"},
		{"rui", "tells", 1, "at by to text"},
		{"ana", "standing", 0, ""},
		{"ana", "unfollow rui", 1, "name following"},
		{"ana", "notify", 0, ""},
		{"ana", "block eva", 1, "name blocked"},
		{"ana", "blocked", 1, "name since online"},
		{"ana", "unblock eva", 1, "name blocked"},
		{"ana", "lesson", 5, "game step steps title task position board turn legal verdict move words reply solved done"},
		{"ana", "puzzle", 1, "id game options position board turn legal task plies rating daily"},
		{"ana", "solve wxtch d5d6", 1, "right reply solved line share position board"},
		{"ana", "report rui swears", 1, "about match reason"},
		{"ana", "operator reports", 1, "number at by about about_id match reason handled entry"},
		{"ana", "vacation", 1, "left_days until"},
		{"ana", "zone", 1, "zone"},
		{"ana", "status", 1, ""},
		{"deepfour", "engine --become --yes", 1, "name kind owner"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		name, _, _ := strings.Cut(tt.line, " ")
		tested[name] = true
		who := key(tt.who)
		who.Operator = tt.who == "ana"
		var out, complaints bytes.Buffer
		if got := h.run.Run(t.Context(), who, tt.line+" --json", &out, &complaints); got != Done {
			t.Errorf("%s: %s: status %d: %s", tt.who, tt.line, got, complaints.String())
			continue
		}
		items := 0
		for line := range strings.Lines(out.String()) {
			decode(t, line)
			items++
			if missing := missingFields(t, line, tt.fields); items == 1 && len(missing) > 0 {
				t.Errorf("%s: %v are missing in %s", tt.line, missing, line)
			}
		}
		if items != tt.items {
			t.Errorf("%s prints %d lines, want %d: %q", tt.line, items, tt.items, out.String())
		}
	}
	for _, d := range table() {
		if !tested[d.Name] && d.Name != "recover" && d.Name != "tv" && d.Name != "claim" && d.Name != "wheel" && d.Name != "event" && d.Name != "adjourn" && d.Name != "resume" && !d.Prompt { // which have tests of their own
			t.Errorf("%s is not tested", d.Name)
		}
	}
}

// TestGamesJSON: options are described so that a form can be made of them, and so are the computer players.
func TestGamesJSON(t *testing.T) {
	h := newFixture(t)
	out, _ := h.as("guest", Done, "games --json")
	options, levels, presets := map[string]optionJSON{}, map[string]levelJSON{}, map[string][]presetJSON{}
	for line := range strings.Lines(out) {
		var g gameJSON
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		for _, o := range g.Options {
			options[g.ID+" "+o.Key] = o
		}
		levels[g.ID] = g.Levels[0]
		presets[g.ID] = g.Presets
	}
	for key, want := range map[string]optionJSON{
		"fourmation cols":    {"cols", "Columns", "number", 7, 3, 26, []int{}},
		"petteia safe_entry": {"safe_entry", "Safe between enemies", "switch", 1, 0, 1, []int{0, 1}},
		"petteia repetition": {"repetition", "Draw by repetition", "choice", 3, 0, 5, []int{0, 2, 3, 4, 5}},
		"tanks size":         {"size", "Board size", "choice", 8, 6, 26, []int{6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26}},
	} {
		if diff := cmp.Diff(want, options[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	for id, want := range map[string][]presetJSON{
		"tanks": {{"classic", games.Options{"size": 8}}},
		"flugelrad": {
			{"classic", games.Options{"chain": 0, "connect": 6, "fresh_wheel": 1, "move_limit": 200, "repetition": 3}},
			{"decisive", games.Options{"chain": 1, "connect": 5, "fresh_wheel": 1, "move_limit": 200, "repetition": 3}},
		},
	} {
		if diff := cmp.Diff(want, presets[id]); diff != "" {
			t.Errorf("the presets of %s (-want +got):\n%s", id, diff)
		}
	}
	if r := levels["tanks"].Rating; r == nil || *r != 1234 {
		t.Errorf("the level's rating in Tanks is %v, want 1234", r)
	}
	if !levels["tanks"].More || levels["petteia"].More {
		t.Errorf("the level is stronger than its rating in Tanks: %v, in Petteia: %v; want true and false", levels["tanks"].More, levels["petteia"].More)
	}
	if r := levels["petteia"].Rating; r != nil {
		t.Errorf("the level's rating in Petteia is %d, but it was never measured", *r)
	}
}

// TestKindsOfSeats: every output with seats tells who sits in them.
func TestKindsOfSeats(t *testing.T) {
	h := newFixture(t)
	open := h.object("ana", "new 4mation --side second --json")["code"].(string)
	check := func(line, first, second string) {
		t.Helper()
		m := h.object("ana", line+" --json")
		if m["first_kind"] != first || m["second_kind"] != second {
			t.Errorf("%s: %q and %q, want %q and %q", line, m["first_kind"], m["second_kind"], first, second)
		}
	}
	check("show "+open, "", "player")
	check("matches", "", "player")
	check("resign "+open, "", "player")
	bot := h.object("ana", "new 4mation --side first --vs first --json")["code"].(string)
	check("show "+bot, "player", "bot")
	check("matches", "player", "bot")
	h.twoEach(bot, "ana", "")
	h.as("ana", Done, "resign "+bot)
	check("history", "player", "bot")
	check("record "+bot, "player", "bot")
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
	h.twoEach(code, "ana", "rui")
	h.as("rui", Done, "resign "+code)
	check("ana", "history --json", "started", true)
	check("ana", "history --json", "ended", true)
}

// missingFields returns the names that an object lacks. It may have more.
func missingFields(t *testing.T, line, names string) (missing []string) {
	t.Helper()
	has := fieldsOf(t, line)
	for _, name := range strings.Fields(names) {
		if !slices.Contains(has, name) {
			missing = append(missing, name)
		}
	}
	return missing
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

// closed is the writer of a session that has ended.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestClientLeaves: it is not logged as an error if a client disconnects before the answer.
func TestClientLeaves(t *testing.T) {
	h := newFixture(t)
	var log bytes.Buffer
	h.run.log = slog.New(slog.NewTextHandler(&log, nil))
	for _, line := range []string{"games", "games --json", "who", "new tanks --json"} {
		if got := h.run.Run(t.Context(), key("ana"), line, closed{}, io.Discard); got != Refused {
			t.Errorf("%s: status %d, want %d", line, got, Refused)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log says %s", log.String())
	}
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

// TestHelpOfNothing: help for a command that there is not ends like that command.
func TestHelpOfNothing(t *testing.T) {
	h := newFixture(t)
	for _, line := range []string{"banana", "help banana"} {
		if _, complaints := h.as("guest", Usage, line); !strings.Contains(complaints, `There is no command "banana". The commands are: help `) {
			t.Errorf("%s is told %q", line, complaints)
		}
		if out, _ := h.as("guest", Usage, line+" --json"); !strings.Contains(out, `"code":"usage"`) {
			t.Errorf("%s --json prints %q", line, out)
		}
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	h := newFixture(t)
	text, _ := h.as("guest", Done, "help")
	for _, v := range table() {
		if v.Who != tree.Anyone {
			continue // TestStatusIsTheOperators
		}
		if !strings.Contains(text, "  "+v.Name+" ") && !strings.Contains(text, "  "+v.Name+", ") {
			t.Errorf("help does not list %s", v.Name)
		}
		if one, _ := h.as("guest", Done, "help "+v.Name); !strings.Contains(strings.Join(strings.Fields(one), " "), v.Line()) {
			t.Errorf("help %s is %q", v.Name, one)
		}
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, "[") != strings.Count(line, "]") {
			t.Errorf("help cuts an argument short: %q", line)
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
		{"ana", "show a b", Usage, `"b" is one word too many`},
		{"ana", "history --limit 0", Usage, "at least 1"},
		{"ana", "history --limit x", Usage, `--limit can't be "x"`},
		{"ana", "history --limit 9999999999999999999", Usage, "--limit can't be"},
		{"ana", "whoami --json=perhaps", Usage, `--json can't be "perhaps"`},
		{"ana", "history -1", Usage, "-1\" is neither a flag nor a word"},
		{"ana", "new tanks -6", Usage, "-6\" is neither a flag nor a word"},
		{"ana", "move " + code + " -4", Usage, "-4\" is neither a flag nor a word"},
		{"ana", "history --game go", Refused, `no game "go"`},
		{"ana", "history \x1b]0;x\x07", Refused, "Nobody here"},
		{"ana", "new 4mation size=3", Usage, "no option size"},
		{"ana", "new 4mation rows=3 rows=4", Usage, "twice"},
		{"ana", "new 4mation rows", Usage, "not of the form key=value"},
		{"ana", "new 4mation rows=many", Usage, "not a whole number"},
		{"ana", "new 4mation rows=99 \x1b[2Jcolour=3", Usage, "no option"},
		{"ana", "new 4mation --ratde", Usage, "ratde"},
		{"ana", "show " + code + " --colour", Usage, "colour"},
		{"ana", "record AAAAAAAA", Refused, "that you may see has the id aaaaaaaa"},
		{"new\x1b", "new 4mation", Refused, "name NAME"},
		{"guest", "matches now", Usage, "one word too many"},
		{"guest", "join " + code, Refused, "needs a key"},
		{"guest", "profile", Refused, "no name"},
	}
	if _, said := h.as("ana", Refused, "new 4mation rows=99"); said != "rows 99 isn't allowed: 3 to 26.\n" {
		t.Errorf("an option out of range: %q", said)
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
		{"review m7k2x9qd", "review", "m7k2x9qd"},
		{"review", "", ""},
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
		f.Add(v.Line())
	}
	f.Add("new 4mation cols=3 --side second --vs first")
	f.Fuzz(func(t *testing.T, line string) {
		if words, err := split(wording.Words{}, line); err == nil && len(words) > 0 && (words[0] == "name" || words[0] == "new") {
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
				if _, err := club.Accounts.SignUp(ctx, fingerprint, quicker); err != nil {
					t.Fatal(err)
				}
				return club.Accounts.SignUp(ctx, fingerprint, name)
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

// TestWhoSignsUp: looking around makes no account, and neither does a command that fails.
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
	own := h.object("ana", "new 4mation --vs first --json")["code"].(string)
	for _, line := range []string{
		"new 4mation --vs nobody", "new 4mation --to nemo", "follow nemo", "report nemo rude", "quick", "say 222222 hello", "say " + code + " " + strings.Repeat("x", 201),
		"move " + own + " a1", "resign " + own, "draw " + own, "hint " + own, "abort " + own, "rematch " + own, "move 222222 a1",
	} {
		var out, complaints bytes.Buffer
		status := h.run.Run(t.Context(), key("rui"), line, &out, &complaints)
		if said := out.String() + complaints.String(); status == Done || name() != "" || strings.Contains(said, "ecovery") {
			t.Errorf("%s: status %d, signs up %v, says %q", line, status, name(), said)
		}
	}
	public := h.object("ana", "new 4mation --public --json")
	if h.as("eva", Done, "join "+public["id"].(string)); h.object("eva", "show "+public["code"].(string)+" --json")["ply"] == nil {
		t.Error("a public offer isn't joined by its id")
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
			if code != wantCode || out != strings.ReplaceAll(wantOut, "sstatus", "status") || complaints != strings.ReplaceAll(wantComplaints, "sstatus", "status") {
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
