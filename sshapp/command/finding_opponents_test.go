package command

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/quick"
)

// offersOf returns the offers that a caller is shown, by code.
func (h *fixture) offersOf(name, line string) map[string]map[string]any {
	h.t.Helper()
	out, _ := h.as(name, Done, line)
	all := map[string]map[string]any{}
	for object := range strings.Lines(out) {
		o := decode(h.t, object)
		all[o["code"].(string)] = o
	}
	return all
}

// TestOfferSaysWhatItIsWorth: the stake of a rated offer is the rating change of the player who takes it, and its finished_share is the
// share of matches that its maker finishes.
func TestOfferSaysWhatItIsWorth(t *testing.T) {
	h := newFixture(t)
	h.as("eva", Done, "name eva")
	offer := func(by, flags string) string {
		t.Helper()
		return h.object(by, "new 4mation --public --side first --json "+flags)["code"].(string)
	}
	code := offer("ana", "--rated")
	h.as("rui", Done, "name rui")
	o := h.offersOf("rui", "offers --json")[code]
	stake, ok := o["stake"].(map[string]any)
	if !ok || o["finished_share"] != nil {
		t.Fatalf("the offer of a newcomer: %v", o)
	}
	if out, _ := h.as("rui", Done, "offers"); !strings.Contains(out, "win +53, draw 0, loss -53") || strings.Contains(out, "finishes") {
		t.Errorf("offers prints\n%s", out)
	}
	if m := h.object("rui", "show "+code+" --json"); m["stake"].(map[string]any)["win"] != stake["win"] {
		t.Errorf("show says %v, offers %v", m["stake"], stake)
	}
	for _, who := range []string{"ana", "guest"} {
		if o := h.offersOf(who, "offers --json")[code]; o["stake"] != nil {
			t.Errorf("the stake of %s is %v", who, o["stake"])
		}
	}
	h.as("rui", Done, "join "+code)
	for i, m := range []string{"a1", "b2", "b1", "c2"} {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	h.as("ana", Done, "resign "+code)
	if got := h.object("ana", "profile rui --json")["games"].([]any)[0].(map[string]any)["rating"].(float64) - 1500; got != stake["win"] {
		t.Errorf("rui has won %v points, the offer said %v", got, stake["win"])
	}

	code = offer("rui", "")
	if o := h.offersOf("eva", "offers --json")[code]; o["finished_share"] != 1.0 || o["stake"] != nil {
		t.Errorf("a casual offer of rui: %v", o)
	}
	if out, _ := h.as("eva", Done, "offers"); !strings.Contains(out, "finishes 100%") || strings.Contains(out, "win") {
		t.Errorf("offers prints\n%s", out)
	}
}

// TestOffers: a match can be open to all, to some ratings or to one player; each sees what they can take, and says how.
func TestOffers(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"ana", "rui", "eva"} {
		h.as(name, Done, "name "+name)
	}
	public := h.object("ana", "new petteia --public --rating 1400-1600 --rated --clock 3d --side first --json")["code"].(string)
	far := h.object("ana", "new petteia --public --rating 1600-1800 --json")["code"].(string)
	challenge := h.object("ana", "new tanks --to RUI --clock 5+3 --preset classic --json")["code"].(string)
	private := h.object("ana", "new tanks --rating 1501-1600 --json")["code"].(string)

	for name, want := range map[string][]string{"rui": {public, far, challenge}, "eva": {public, far}, "guest": {public, far}} {
		all := h.offersOf(name, "offers --json")
		for _, code := range want {
			if all[code] == nil {
				t.Errorf("%s is not shown %s", name, code)
			}
		}
		if len(all) != len(want) {
			t.Errorf("%s is shown %d offers, want %d", name, len(all), len(want))
		}
	}
	o := h.offersOf("rui", "offers petteia --json")[public]
	if r := o["range"].([]any); r[0] != 1400.0 || r[1] != 1600.0 || o["to"] != nil || o["rated"] != true || o["side"] != "second" || o["clock"] != "3d" || o["until"] != nil {
		t.Errorf("the public offer: %v", o)
	}
	if o := h.offersOf("rui", "offers tanks --json")[challenge]; o["to"] != "rui" || o["range"] != nil || o["clock"] != "5+3" || o["by"] != "ana" {
		t.Errorf("the challenge: %v", o)
	}
	if out, _ := h.as("rui", Done, "offers"); !strings.Contains(out, "1400-1600") || !strings.Contains(out, "for you") {
		t.Errorf("offers prints\n%s", out)
	}
	if out, _ := h.as("ana", Done, "matches"); !strings.Contains(out, "vs rui") || !strings.Contains(out, "waiting for an answer") || strings.Contains(out, "accept CODE") {
		t.Errorf("matches prints\n%s", out)
	}
	if out, _ := h.as("eva", Done, "matches"); out != "You have no unfinished matches.\n" {
		t.Errorf("matches of a player without any prints\n%s", out)
	}
	if out, _ := h.as("rui", Done, "matches"); !strings.Contains(out, challenge+"  tanks  vs ana  challenges you") || !strings.Contains(out, "accept CODE") ||
		strings.Contains(out, "no unfinished") {
		t.Errorf("matches of who is challenged prints\n%s", out)
	}
	if m := h.offersOf("rui", "matches --json"); len(m) != 1 || m[challenge]["by"] != "ana" || m[challenge]["to"] != nil || m[challenge]["your_turn"] != false ||
		m[challenge][m[challenge]["your_side"].(string)] != "" || m[challenge]["started"] != nil {
		t.Errorf("matches --json of who is challenged: %v", m)
	}
	to := map[any]bool{}
	for code, m := range h.offersOf("ana", "matches --json") {
		to[m["to"]] = true
		if (m["to"] == "rui") != (code == challenge) {
			t.Errorf("%s is for %v", code, m["to"])
		}
	}
	if len(to) != 2 {
		t.Errorf("matches --json are for %v", to)
	}

	for _, code := range []string{far, private} {
		if _, said := h.as("rui", Refused, "join "+code); !strings.Contains(said, "Yours is 1500") {
			t.Errorf("joining an offer for others: %q", said)
		}
	}
	h.as("eva", Refused, "join "+challenge)
	h.as("rui", Done, "join "+challenge)
	h.as("eva", Done, "join "+public)

	if out, _ := h.as("ana", Done, "new 4mation --to eva"); !strings.Contains(out, "eva is challenged") {
		t.Errorf("a challenge prints\n%s", out)
	}
	if _, said := h.as("ana", Refused, "new 4mation --to nobody"); !strings.Contains(said, `"nobody"`) {
		t.Errorf("a challenge to nobody: %q", said)
	}
	if out, _ := h.as("ana", Done, "new 4mation --public"); !strings.Contains(out, "You wait") {
		t.Errorf("a public offer prints\n%s", out)
	}
	h.as("ana", Refused, "new 4mation --to ana")
	h.as("ana", Refused, "new 4mation --to eva --public")
	h.as("ana", Refused, "new 4mation --to eva --rating 1400-1600")
	for _, r := range []string{"1400", "1600-1400", "-5-1400", "1400-", "1400-1600-1800", "1400-9999", "a-b", "99999999999999999999-1"} {
		h.as("ana", Usage, "new 4mation --rating="+r)
	}
}

// TestQuickRemembers: a quick match without a game is the same as the last one; the choice is the player's, and stays.
func TestQuickRemembers(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	if _, said := h.as("ana", Usage, "quick"); !strings.Contains(said, "Which game?") {
		t.Errorf("nothing was chosen before: %q", said)
	}
	h.as("ana", Usage, "quick --casual")
	first := h.object("ana", "quick flugelrad --preset decisive --clock 10+5 --casual --json")
	again := h.object("ana", "quick --json")
	if first["code"] != again["code"] || first["waiting"] != true {
		t.Errorf("asked again without a game: %v, want %v", again, first)
	}
	h.as("ana", Done, "abort "+first["code"].(string))
	again = h.object("ana", "quick --json")
	o := h.offersOf("guest", "offers --json")[again["code"].(string)]
	if o["game"] != "flugelrad" || o["clock"] != "10+5" || o["rated"] != false || o["options"].(map[string]any)["connect"] != first["options"].(map[string]any)["connect"] {
		t.Errorf("the match that was remembered: %v", o)
	}
	h.as("ana", Done, "abort "+again["code"].(string))
	h.as("ana", Done, "quick tanks")
	last := h.object("ana", "quick --json")
	if o := h.offersOf("guest", "offers --json")[last["code"].(string)]; o["game"] != "tanks" || o["clock"] != "none" || o["rated"] != true {
		t.Errorf("the newer choice: %v", o)
	}
}

// TestOffersSought: offers says to people what others look for, and so does the prompt to a player who comes.
func TestOffersSought(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "name "+name)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		if _, err := h.run.lobby.Quick.Seek(ctx, mustSignIn(t, h, "ana"), quick.Wanted{Games: []quick.Choice{{Game: "tanks"}, {Game: "petteia"}}, Class: clock.Blitz}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // of the bubble
		const want = "1 looks for Breakthrough Tanks / Petteia, any blitz clock, casual"
		if out, _ := h.as("rui", Done, "offers"); !strings.Contains(out, want+"\n") {
			t.Errorf("offers prints %q", out)
		}
		if out, _ := h.as("ana", Done, "offers"); strings.Contains(out, "looks for") {
			t.Errorf("offers prints the player's own search: %q", out)
		}
		if out, _ := h.as("rui", Done, "offers --json"); out != "" {
			t.Errorf("offers --json prints %q", out)
		}
		in, keyboard := io.Pipe()
		var out lockedBuffer
		ended := make(chan int, 1)
		go func() { ended <- h.run.LineMode(t.Context(), key("rui"), "", in, &out, &out, false) }()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := out.take(); !strings.Contains(got, want) {
			t.Errorf("the prompt says %q", got)
		}
		keyboard.Close()
		<-ended
	})
}
