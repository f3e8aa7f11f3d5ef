package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/wording"
)

// TestHelpAgainstTheComputer holds that a script can take a move back and have a hint, and that records say so.
func TestHelpAgainstTheComputer(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --vs first --side first --json")["code"].(string)
	h.as("ana", Refused, "takeback "+code)
	h.as("ana", Done, "move "+code+" d4")
	h.until(code, 2)
	if out, _ := h.as("ana", Done, "takeback "+code); !strings.Contains(out, "With help: one takeback.") || !strings.Contains(out, "your move") {
		t.Errorf("after a takeback:\n%s", out)
	}
	if out, _ := h.as("ana", Done, "hint "+code); out != "A hint: a1.\n" {
		t.Errorf("the hint is %q", out)
	}
	got := h.object("ana", "hint "+code+" --json")
	if got["move"] != "a1" || got["ply"] != 0.0 || got["proven"] != "" {
		t.Errorf("the hint again is %v", got)
	}
	m := h.object("guest", "show "+code+" --json")
	if m["ply"] != 0.0 || m["helped"] != true || m["hints"] != 1.0 || m["takebacks"] != 1.0 || m["start"] != 0.0 {
		t.Errorf("show says %v", m)
	}
	h.as("ana", Done, "move "+code+" e5")
	h.until(code, 2)
	h.as("ana", Done, "move "+code+" d5")
	h.until(code, 4)
	h.as("ana", Done, "resign "+code)
	if out, _ := h.as("ana", Done, "record "+code); !strings.Contains(out, `[Helped "1 hint, 1 takeback"]`) || !strings.Contains(out, "1. e5 ") {
		t.Errorf("the record:\n%s", out)
	}
	if out, _ := h.as("ana", Done, "history"); !strings.Contains(out, "casual, helped") {
		t.Errorf("history: %s", out)
	}
	for _, refused := range []struct{ who, line, want string }{
		{"ana", "takeback " + code, "This match is over."},
		{"ana", "hint " + code, "This match is over."},
		{"guest", "hint " + code, "A guest may look"},
	} {
		if _, complaint := h.as(refused.who, Refused, refused.line); !strings.Contains(complaint, refused.want) {
			t.Errorf("%s: %q", refused.line, complaint)
		}
	}
	code = h.object("ana", "new 4mation --side first --rated --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	h.as("ana", Done, "move "+code+" d4")
	if _, complaint := h.as("ana", Refused, "takeback "+code); complaint != "In a rated match no move is taken back.\n" {
		t.Errorf("in a rated match: %q", complaint)
	}
}

// until waits until plies moves have been made.
func (h *fixture) until(code string, plies int) {
	h.t.Helper()
	ctx := h.t.Context()
	ref, err := h.run.lobby.Finder.Find(ctx, lobby.User{}, origin.Origin{}, code)
	if err != nil {
		h.t.Fatal(err)
	}
	seat, err := h.run.lobby.Seats.At(ctx, lobby.User{}, ref)
	for seq, ply := uint64(0), -1; err == nil && ply != plies; {
		var v *lobby.View
		if v, err = seat.Next(ctx, seq); err == nil {
			seq, ply = v.Seq, v.Ply()
		}
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestLevelsAreListed: games lists the computer players of each game, with their strength where it is known.
func TestLevelsAreListed(t *testing.T) {
	h := newFixture(t)
	out, _ := h.as("guest", Done, "games")
	if strings.Count(out, "--vs first  very strong, over 1234 points  Plays the first move there is.") != 1 || strings.Count(out, "--vs first") != len(catalog.All()) {
		t.Errorf("games prints:\n%s", out)
	}
}

// TestBegunLater holds that show, history and record say how many of the moves were given.
func TestBegunLater(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	ana, _, err := h.run.lobby.Accounts.SignIn(t.Context(), key("ana").Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := h.run.lobby.Seats.Open(t.Context(), ana, seats.Spec{Game: "4mation", Hotseat: true, Moves: []games.Move{"d4", "c3"}})
	if err != nil {
		t.Fatal(err)
	}
	h.as("ana", Done, "move "+ref.Code+" c4")
	if out, _ := h.as("guest", Done, "show "+ref.Code); !strings.Contains(out, "begun after move 2\n") || !strings.Contains(out, "after move 3, c4\n") {
		t.Errorf("show prints:\n%s", out)
	}
	if m := h.object("ana", "matches --json"); m["start"] != 2.0 || m["plies"] != 3.0 {
		t.Errorf("matches says %v", m)
	}
	h.as("ana", Done, "resign "+ref.Code)
	if m := h.object("guest", "show "+ref.Code+" --json"); m["start"] != 2.0 || m["ply"] != 3.0 || m["helped"] != false {
		t.Errorf("show says %v", m)
	}
	out, _ := h.as("guest", Done, "record "+ref.Code)
	r, _, err := games.ReadRecord(strings.NewReader(out), catalog.Find)
	if err != nil || r.Get(games.HeaderGiven) != "2" || len(r.Moves) != 3 {
		t.Errorf("%v in the record:\n%s", err, out)
	}
}

// TestWhoseTurnComesFirst: in every game, a move on the other side's turn is refused for that reason, whatever else is wrong with it.
func TestWhoseTurnComesFirst(t *testing.T) {
	h := newFixture(t)
	for game, typed := range map[string][]string{
		"momentum": {"d4", "z9", "d4 d5"}, "petteia": {"e8-e4", "e8e4", "e1-e4", "nonsense"}, "4mation": {"d4", "z9"},
		"flugelrad": {"3:2", "32", "9:9"}, "tanks": {"e7e6", "e2-e3", "e2xe9"},
	} {
		code := h.object("ana", "new "+game+" --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		for _, m := range typed {
			if _, complaint := h.as("rui", Refused, "move "+code+" "+m); !strings.Contains(complaint, "It is not your turn.") {
				t.Errorf("%s: %s on the other side's turn: %q", game, m, complaint)
			}
		}
	}
	code := h.object("ana", "new petteia --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	if out, _ := h.as("ana", Done, "move "+code+" F1F4"); !strings.Contains(out, "after move 1, f1-f4") {
		t.Errorf("F1F4 gives\n%s", out)
	}
}

// TestWordsOfAMatch: what is said of a match is said to the caller, and one move is not moves.
func TestWordsOfAMatch(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	says := func(name, line, want string) {
		t.Helper()
		if out, _ := h.as(name, Done, line); !strings.HasSuffix(out, want+"\n") {
			t.Errorf("%s: %s says\n%s, want %q last", name, line, out, want)
		}
	}
	says("ana", "show "+code, "waiting for somebody to join with the code "+code)
	says("rui", "join "+code, "waiting for ana")
	says("ana", "show "+code, "your move")
	says("ana", "move "+code+" c3", "waiting for rui")
	says("guest", "show "+code, "waiting for rui")
	h.as("rui", Done, "resign "+code)
	says("guest", "show "+code, "ana wins: rui resigned")

	code = h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range []string{"a1", "b2", "b1", "c2", "c1"} {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	h.as("rui", Done, "resign "+code)
	says("guest", "history", "resigned  5 moves  casual")
}

// TestMatchesThatAreNotKept: a match that ends before two moves a side says that it is not kept. It can be shown, but no list has it.
func TestMatchesThatAreNotKept(t *testing.T) {
	h := newFixture(t)
	notKept := (wording.Words{}).Temporary("first")
	for _, moves := range []int{0, 1, 3, 4} {
		code := h.object("ana", "new 4mation --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		for i, m := range []string{"d4", "c3", "c4", "d3"}[:moves] {
			if out, _ := h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m); strings.Contains(out, notKept) {
				t.Errorf("it goes on:\n%s", out)
			}
		}
		h.as("rui", Done, "resign "+code)
		kept := moves == 4
		if out, _ := h.as("guest", Done, "show "+code); strings.Contains(out, notKept) == kept {
			t.Errorf("after %d moves show says\n%s", moves, out)
		}
		if out, _ := h.as("guest", Done, "record "+code); !strings.Contains(out, `[Reason "resigned"]`) {
			t.Errorf("after %d moves record says\n%s", moves, out)
		}
		if out, _ := h.as("guest", Done, "history"); strings.Contains(out, "There are no finished matches.") == kept {
			t.Errorf("after %d moves history says\n%s", moves, out)
		}
		out, _ := h.as("guest", Done, "history --json")
		if mine, _ := h.as("rui", Done, "history --json"); mine != out || (out != "") != kept {
			t.Errorf("after %d moves the history is %q, rui's %q", moves, out, mine)
		}
	}
}

// TestPreset: a new match has the options of the preset, except for options that are given. A misspelt preset or option is wrong usage.
func TestPreset(t *testing.T) {
	h := newFixture(t)
	for line, want := range map[string]string{
		"new petteia":                                        "captures_to_win=7",
		"new petteia --preset classic":                       "captures_to_win=7",
		"new petteia --preset decisive":                      "captures_to_win=5",
		"new petteia captures_to_win=6 --preset decisive":    "captures_to_win=6",
		"new petteia quiet_limit=200 --preset decisive":      "captures_to_win=5",
		"new 4mation --preset decisive --vs first":           "cols=10",
		"new tanks --preset classic size=10 --side second":   "size=10",
		"new flugelrad --preset=decisive connect=4 --rated ": "connect=4",
	} {
		key, value, _ := strings.Cut(want, "=")
		options := h.object("ana", line+" --json")["options"].(map[string]any)
		if got := fmt.Sprint(options[key]); got != value {
			t.Errorf("%s: %s is %s, want %s", line, key, got, value)
		}
	}
	for _, line := range []string{"new petteia --preset decissive", "new tanks --preset decisive", "new tanks siez=8", "new tanks size", "new tanks size=x"} {
		if _, complaint := h.as("ana", Usage, line); !strings.Contains(complaint, "Usage: new GAME") {
			t.Errorf("%s complains %q", line, complaint)
		}
	}
	if _, complaint := h.as("ana", Refused, "new tanks size=7"); !strings.Contains(complaint, "even numbers") {
		t.Errorf("a size that isn't allowed complains %q", complaint)
	}
}

// TestNewFrom: a match begins from the position of --from, quoted or as ssh passes it on. Its record has the position and is read back, and
// the position as show prints it begins another match.
func TestNewFrom(t *testing.T) {
	const from = "last=b1 turn=O ......./......./......./......./......./.O...../XX....."
	h := newFixture(t)
	for name, line := range map[string]string{
		"quoted":         "new 4mation --vs first --side first --from '" + from + "' --json",
		"bare":           "new 4mation --vs first --side first --json --from " + from,
		"options apart":  "new 4mation cols=7 --vs first --side first --from '" + from + "' --json",
		"flags after it": "new 4mation --from " + from + " --vs first --side first --json",
	} {
		code := h.object("ana", line)["code"].(string)
		h.until(code, 1)
		got := h.object("ana", "show "+code+" --json")
		if got["from"] != from || got["rated"] != false || got["turn"] != "first" || got["ply"] != 1.0 {
			t.Errorf("%s: %v", name, got)
		}
		text, _ := h.as("ana", Done, "record "+code)
		r, p, err := games.ReadRecord(strings.NewReader(text), catalog.Find)
		if err != nil || !strings.Contains(text, "[SetUp \"1\"]\n[FEN \""+from+"\"]\n") || !strings.Contains(text, "\n\n1... ") || p.String() != got["position"] {
			t.Fatalf("%s: %v, %v\n%s", name, err, p, text)
		}
		var again strings.Builder
		if err := r.Write(&again); err != nil || again.String() != text {
			t.Errorf("%s: written again as\n%s, %v", name, again.String(), err)
		}
		next := h.object("ana", "new 4mation --from "+got["position"].(string)+" --json")["code"].(string)
		if on := h.object("ana", "show "+next+" --json"); on["from"] != got["position"] || on["ply"] != 0.0 {
			t.Errorf("%s: from there %v", name, on)
		}
		if out, _ := h.as("ana", Done, "show "+next); !strings.Contains(out, "begun from a position: "+got["position"].(string)) {
			t.Errorf("%s: %s", name, out)
		}
	}
	for _, tt := range []struct{ name, line, want string }{
		{"rubbish", "new 4mation --from \x1b[2J", "A match can't begin from this position"},
		{"what is wrong", "new petteia --from 'turn=Z captured=0,0 ........'", "turn is \"Z\"; it must be X or O"},
		{"over", "new tanks --from 'turn=bot M......./......../......../......../......../......../......../m.......'", "the game is over in it"},
		{"rated", "new 4mation --rated --from " + from, "always casual"},
		{"an option against it", "new 4mation win_length=5 --from '" + from + "'", "its options are"},
	} {
		if _, complaint := h.as("ana", Refused, tt.line); !strings.Contains(complaint, tt.want) || strings.ContainsAny(complaint, "\x1b\x00") {
			t.Errorf("%s: %q", tt.name, complaint)
		}
	}
}

// FuzzNewFrom gives --from any text, for any game: it opens a match from a position that reads back, or refuses in one line.
func FuzzNewFrom(f *testing.F) {
	for i, g := range catalog.All() {
		o, err := games.Complete(g, nil)
		if err != nil {
			f.Fatal(err)
		}
		p, err := g.New(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), p.String())
		f.Add(uint8(i+1), p.String())
		f.Add(uint8(i), p.String()+"\x1b[2J")
		f.Add(uint8(i), strings.Repeat(p.String(), 20))
	}
	f.Fuzz(func(t *testing.T, number uint8, typed string) {
		g := catalog.All()[int(number)%len(catalog.All())]
		from, _ := startPosition(g, typed, strings.Fields(typed))
		p, err := games.Study(g, from)
		if err != nil {
			said := (wording.Words{}).Error(err)
			if said == "" || strings.ContainsAny(said, "\x1b\x00\n\u202e") || len(said) > 2000 {
				t.Errorf("%.200q is refused with %q", typed, said)
			}
			return
		}
		if again, err := games.Study(g, p.String()); err != nil || again.String() != p.String() || len(p.Legal()) == 0 {
			t.Errorf("%s is read as %v, %v", p, again, err)
		}
	})
}

// TestAnswersByNumber: two open offers are answered one by one, by their kind or their number.
func TestAnswersByNumber(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range strings.Fields("a1 b2 b1") {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	h.as("ana", Done, "takeback "+code)
	h.as("ana", Done, "draw "+code)
	shown := h.object("rui", "show "+code+" --json")
	var kinds []any
	numbers := map[string]string{}
	for _, o := range shown["offers"].([]any) {
		o := o.(map[string]any)
		kinds = append(kinds, o["kind"])
		numbers[o["kind"].(string)] = fmt.Sprint(o["number"])
	}
	if !slices.Equal(kinds, []any{"takeback", "draw"}) || shown["offer"].(map[string]any)["kind"] != "draw" {
		t.Errorf("open are %v, and the newest is %v", kinds, shown["offer"])
	}
	out, _ := h.as("rui", Done, "show "+code)
	want := "ana asks to take a move back.\nana offers a draw.\nYour answer: accept " + code + " or decline " + code + ", and which one: takeback, draw\n"
	if !strings.Contains(out, want) {
		t.Errorf("%q doesn't contain %q", out, want)
	}
	for _, tt := range []struct {
		line   string
		status int
		words  string
	}{
		{"accept " + code, Refused, "More than one offer is open"},
		{"decline " + code, Refused, "More than one offer is open"},
		{"accept " + code + " rematch", Refused, "no offer here"},
		{"accept " + code + " peace", Usage, "no kind of offer"},
		{"accept " + code + " --number 0", Usage, "--number is that of an open offer"},
		{"accept " + code + " takeback --number " + numbers["draw"], Refused, "not open any more"},
		{"decline " + code + " --number " + numbers["draw"], Done, ""},
		{"accept " + code + " --number " + numbers["draw"], Refused, "not open any more"},
		{"accept " + code + " --number " + numbers["takeback"], Done, ""},
		{"accept " + code, Refused, "no offer here"},
	} {
		if _, complaints := h.as("rui", tt.status, tt.line); !strings.Contains(complaints, tt.words) {
			t.Errorf("%s: %q, want %q", tt.line, complaints, tt.words)
		}
	}
	if m := h.object("guest", "show "+code+" --json"); m["ply"] != 2.0 || len(m["offers"].([]any)) != 0 || m["offer"] != nil {
		t.Errorf("at the end: ply %v, offers %v, offer %v", m["ply"], m["offers"], m["offer"])
	}

	challenge := h.object("ana", "new 4mation --to rui --json")["code"].(string)
	offers := h.object("rui", "show "+challenge+" --json")["offers"].([]any)
	if len(offers) != 1 || offers[0].(map[string]any)["kind"] != "challenge" {
		t.Errorf("a challenge is shown as the offers %v", offers)
	}
	h.as("rui", Done, "accept "+challenge+" challenge --number 1")
}

// TestPlainShowSaysTheRest: show, move and watch print below the board what the rules depend on and the board doesn't show.
func TestPlainShowSaysTheRest(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new momentum --side first --json")["code"].(string)
	if out, _ := h.as("ana", Done, "show "+code); !strings.Contains(out, "\nana: in hand 8\nO: in hand 8\n") {
		t.Errorf("an offer is shown as\n%s", out)
	}
	h.as("rui", Done, "join "+code)
	want := "\nana: in hand 7\nrui: in hand 8\nrui may swap: take over the first marble.\nMove 2 of 60.\n"
	if out, _ := h.as("ana", Done, "move "+code+" d4"); !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	for _, line := range []string{"show ", "watch "} {
		if out, _ := h.as("guest", Done, line+code); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", line, want, out)
		}
	}
	if out, _ := h.as("guest", Done, "show --words "+code); strings.Count(out, "in hand 7") != 1 {
		t.Errorf("in words:\n%s", out)
	}
}
