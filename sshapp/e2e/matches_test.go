package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/e2e/sshclient"
)

// wholeMatch is a match by the rules of a game with its default options, from the first move to the end.
type wholeMatch struct {
	game, moves    string
	result, reason string
}

var wholeMatches = []wholeMatch{
	{"momentum", "b4 e7 e6 a4 b3 e4 b4 g3 f3 g3 f4 f1 e2 c3 f5", "first", "all_placed"},
	{"petteia", "k1-k7 a8-a2 f1-f4 a2-b2 h1-h4 e8-e4 d1-d4 i8-i2 k7-k2 k8-k4 a1-a3 i2-i3 a3-b3 j8-j2 i1-i2 h8-k8 h4-i4 " +
		"k4-k3 i4-k4 f8-e8 e1-d1 g8-f8 f4-g4 k8-j8 j1-j2 l8-l2 b3-l3 e8-e1 g1-f1", "first", "captures"},
	{"fourmation", "c3 d4 c4 b5 c5 d6 c6", "first", "line"},
	{"flugelrad", "0:2 2:4 4:2 1:4 5:4 6:3 3:1 5:3", "second", "connection"},
	{"tanks", "g2-h3 d7-d6 h3-g4 h7-h6 g4-f5 c8-d7 f5-e6 g7-f6 e6xd7 h8-g7 d7xd8", "first", "breakthrough"},
}

// played are the moves in their order.
func (m wholeMatch) played() []string { return strings.Fields(m.moves) }

// TestMatchesByCommands plays a rated match of every game from two shells, from the invitation to the record.
func TestMatchesByCommands(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	t.Run("games", func(t *testing.T) { // ends when all its games do
		for _, g := range catalog.All() {
			m := wholeMatchOf(t, g)
			t.Run(m.game, func(t *testing.T) {
				t.Parallel()
				ana, rui := newShell(t, keys, club.addr, "ana-"+m.game), newShell(t, keys, club.addr, "rui-"+m.game)
				m.playByCommands(t, ana, rui, newShell(t, keys, club.addr, sshclient.Guest))
			})
		}
	})
}

// wholeMatchOf returns the match of a game in wholeMatches, or one of random moves that a side wins.
func wholeMatchOf(t *testing.T, g games.Game) wholeMatch {
	t.Helper()
	id := g.About().ID
	if i := slices.IndexFunc(wholeMatches, func(m wholeMatch) bool { return m.game == id }); i >= 0 {
		return wholeMatches[i]
	}
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(100) {
		p, err := g.New(o)
		if err != nil {
			t.Fatal(err)
		}
		r, moves := games.NewRandom(seed), []string(nil)
		for !p.Result().Over {
			legal := p.Legal()
			m := legal[r.N(len(legal))]
			if p, err = p.Play(m); err != nil {
				t.Fatal(err)
			}
			moves = append(moves, string(m))
		}
		if end := p.Result(); !end.Draw {
			return wholeMatch{id, strings.Join(moves, " "), end.String(), end.Reason}
		}
	}
	t.Fatalf("no random game of %s is won", id)
	return wholeMatch{}
}

// object is a line of JSON.
type object = map[string]any

func (m wholeMatch) playByCommands(t *testing.T, ana, rui, onlooker *shell) {
	opened := ana.line("new", m.game, "--side", "first", "--rated", "--clock", "30+20")
	code, id := opened["code"].(string), opened["id"].(string)
	rui.does("join", strings.ToLower(code))
	seats := [2]*shell{ana, rui}
	for ply, move := range m.played() {
		seats[ply%2].does("move", code, move)
	}

	moves := []any{}
	for _, move := range m.played() {
		moves = append(moves, move)
	}
	shown := onlooker.line("show", code)
	want := object{"id": id, "code": code, "game": m.game, "options": opened["options"], "first": ana.name, "second": rui.name,
		"ply": float64(len(moves)), "moves": moves, "board": shown["board"], "turn": "", "legal": []any{},
		"result": m.result, "reason": m.reason, "from": "", "start": 0.0, "helped": false, "hints": 0.0, "takebacks": 0.0,
		"first_kind": "player", "second_kind": "player", "rated": true, "clock": shown["clock"], "position": shown["position"], "offer": nil, "offers": []any{},
		"presence": shown["presence"], "claim_in_s": nil, "spectators": 0.0, "watching": []any{}, "stake": nil}
	clock, _ := shown["clock"].(object)
	left := [2]float64{}
	for i, key := range []string{"first_ms", "second_ms"} {
		left[i], _ = clock[key].(float64)
	}
	wantClock := object{"kind": "fischer", "base_s": 1800.0, "increment_s": 20.0, "first_ms": left[0], "second_ms": left[1], "running": "", "pauses": []any{}}
	if diff := cmp.Diff(wantClock, clock); diff != "" || min(left[0], left[1]) <= 0 {
		t.Errorf("clock (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("show (-want +got):\n%s", diff)
	}
	watched := onlooker.line("watch", code)
	for _, key := range []string{"presence", "spectators", "watching"} { // of this moment
		watched[key] = shown[key]
	}
	if diff := cmp.Diff(shown, watched); diff != "" { // of what is over: how it ended, and done
		t.Errorf("watch differs from show:\n%s", diff)
	}
	for i, s := range seats {
		m.isKeptOf(t, s, m.result == games.Side(i).String())
		past := s.line("history")
		want := object{"id": id, "game": m.game, "options": opened["options"], "first": ana.name, "second": rui.name,
			"result": m.result, "reason": m.reason, "plies": float64(len(moves)), "rated": true, "clock": "30+20",
			"counted": true, "weight": object{"first": 0.25, "second": 0.25}, // both have just signed up
			"discount": object{"first": "new_account", "second": "new_account"},
			"started":  past["started"], "ended": past["ended"], "from": "", "start": 0.0, "helped": false, "hints": 0.0, "takebacks": 0.0,
			"first_kind": "player", "second_kind": "player"}
		if diff := cmp.Diff(want, past); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if left := s.lines("matches"); len(left) != 0 {
			t.Errorf("a match that is over is among the unfinished ones of %s: %v", s.name, left)
		}
	}
	m.isRecorded(t, onlooker.does("record", id), shown)
}

// isKeptOf checks what a finished rated match has changed for one of its players.
func (m wholeMatch) isKeptOf(t *testing.T, s *shell, won bool) {
	t.Helper()
	profile := s.line("profile")
	kept, _ := profile["games"].([]any)
	if len(kept) != 1 || profile["name"] != s.name || profile["online"] != false { // commands alone are no visit
		t.Fatalf("profile: %v", profile)
	}
	standing := kept[0].(object)
	rating, _ := standing["rating"].(float64)
	if rating == 1500 || rating > 1500 != won {
		t.Errorf("%s won: %v, and is rated %v", s.name, won, rating)
	}
	want := object{"game": m.game, "rating": rating, "deviation": standing["deviation"], "provisional": true,
		"played": 1.0, "won": 0.0, "drawn": 0.0, "lost": 1.0}
	if won {
		want["won"], want["lost"] = 1.0, 0.0
	}
	if diff := cmp.Diff(want, standing); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	want["rank"], want["name"], want["bot"] = nil, s.name, false // not ranked while provisional
	want["season"], want["best"] = nil, nil                      // of all time
	board, place := s.lines("leaderboard", m.game), 1
	if won {
		place = 0
	}
	aging := cmpopts.EquateApprox(0, 0.01) // deviations grow while one looks
	if len(board) != 2 || !cmp.Equal(want, board[place], aging) {
		t.Errorf("the leaderboard has %v, want %v at place %d", board, want, place)
	}
}

// isRecorded checks the record of a match that is shown as it ended.
func (m wholeMatch) isRecorded(t *testing.T, text string, shown object) {
	t.Helper()
	r, _, err := games.ReadRecord(strings.NewReader(text), catalog.Find)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var moves []string
	for _, move := range r.Moves {
		moves = append(moves, string(move))
	}
	if diff := cmp.Diff(m.played(), moves); diff != "" {
		t.Errorf("recorded moves (-want +got):\n%s", diff)
	}
	token := map[string]string{"first": "1-0", "second": "0-1", "draw": "1/2-1/2"}[m.result]
	want := map[string]any{"Game": m.game, "First": shown["first"], "Second": shown["second"], "Result": token, "Reason": m.reason,
		"Id": shown["id"], "Clock": "30+20", "Rated": r.Get("Rated"), "Options": r.Get("Options"), "Site": r.Get("Site")}
	for key, value := range want {
		if got := r.Get(key); got != value || got == "" {
			t.Errorf("the record has %s %q, want %q", key, got, value)
		}
	}
	if len(r.Left) != len(moves) || slices.Contains(r.Left, games.NoTime) {
		t.Errorf("the record has the times %v", r.Left)
	}
	var again strings.Builder
	if err := r.Write(&again); err != nil || again.String() != text {
		t.Errorf("the record is written again as\n%s%v, want\n%s", again.String(), err, text)
	}
	for _, key := range []string{"Started", "Ended"} {
		if _, err := time.Parse(time.RFC3339, r.Get(key)); err != nil {
			t.Errorf("the record has %s: %v", key, err)
		}
	}
}
