package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/seats"
	"ludoteca/storage/accounts"
)

// A heardPrompt is a line mode in a bubble, and what it tells beside the answers to commands.
type heardPrompt struct {
	t        *testing.T
	keyboard *io.PipeWriter
	dropped  bool // how the line ends
	ended    chan int
	answers  lockedBuffer
	told     lockedBuffer
}

// hear starts a line mode for the named player.
func (h *fixture) hear(who Caller, cooked bool) *heardPrompt {
	in, keyboard := io.Pipe()
	p := &heardPrompt{t: h.t.(*testing.T), keyboard: keyboard, ended: make(chan int, 1)}
	who.Dropped = func() bool { return p.dropped }
	go func() { p.ended <- h.run.LineMode(h.t.Context(), who, "", in, &p.answers, &p.told, cooked) }()
	synctest.Wait()
	return p
}

// types types something and waits until all that follows from it at once has happened.
func (p *heardPrompt) types(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.keyboard, text); err != nil {
		p.t.Fatal(err)
	}
	synctest.Wait()
}

// leaves ends the line mode; dropped says how.
func (p *heardPrompt) leaves(dropped bool) {
	p.dropped = dropped
	p.keyboard.Close()
	<-p.ended
	synctest.Wait()
}

// hears checks which lines were told since it was asked last, prompts and empty lines apart. $CODE in a line stands for any code.
func (p *heardPrompt) hears(name string, want ...string) {
	p.t.Helper()
	time.Sleep(2 * time.Second) // of the bubble: lists and who is there are shown after a moment
	synctest.Wait()
	var got []string
	for line := range strings.Lines(p.told.take()) {
		line = prompts.ReplaceAllString(line, "")
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Ludoteca. ") {
			got = append(got, line)
		}
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		p.t.Errorf("%s is told\n\t%q, want\n\t%q", name, got, want)
	}
}

// prompts are those at the beginning of a line.
var prompts = regexp.MustCompile(`^([a-z]+> )+`)

// lockedBuffer is a buffer that two goroutines may use.
type lockedBuffer struct {
	mu   sync.Mutex // guards all
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns what was written since it was taken last.
func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// TestMatchBegins: a user who waits in the lobby is at the board when another player joins, and can move; a user at another match is told the way.
func TestMatchBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "name "+name)
		}
		ana := h.hear(key("ana"), false)
		opened := func() string {
			t.Helper()
			ana.types("new 4mation --side first --json\n")
			return decode(t, ana.answers.take())["code"].(string)
		}
		code := opened()
		ana.types("lobby\n")
		time.Sleep(time.Second) // the lists show the match
		h.as("rui", Done, "join "+code)
		time.Sleep(eventEvery)
		ana.hears("ana", "Match "+code+" begins: rui plays against you. It is your move. You are at its board now.")
		ana.answers.take()
		ana.types("d4\n")
		if got := ana.answers.take(); !strings.Contains(got, "You place a piece on d4.") {
			t.Errorf("the move answers %q", got)
		}
		h.as("rui", Done, "move "+code+" d5")
		time.Sleep(eventEvery)
		ana.hears("ana", "rui places a piece on d5. You can play c4, c5, c6, d6, e4, e5, e6. Your move.")

		other := opened()
		ana.types("show " + code + "\n")
		time.Sleep(time.Second)
		h.as("rui", Done, "join "+other)
		time.Sleep(eventEvery)
		ana.hears("ana", "Match "+other+" begins: rui plays against you. It is your move. show "+other+" goes to its board.")
		ana.leaves(false)
	})
}

// TestPromptTellsChallenges: the line mode tells both sides what becomes of a challenge, in the language of each account.
func TestPromptTellsChallenges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui", "eva"} {
			h.as(name, Done, "name "+name)
		}
		german := mustSignIn(t, h, "eva")
		if err := h.run.lobby.Accounts.SaveSettings(t.Context(), german, accounts.Settings{Language: "de"}); err != nil {
			t.Fatal(err)
		}
		before := h.object("eva", "new tanks --to rui --json")["code"].(string)
		ana, rui := h.hear(key("ana"), false), h.hear(key("rui"), false)
		answer := func(code string) string { return "Your answer: accept " + code + " or decline " + code }
		rui.hears("rui", "eva challenges you: Breakthrough Tanks, no clock, casual, you play "+h.sideIn(before)+". "+answer(before))

		eva := h.hear(key("eva"), false)
		challenge := func(line string) string {
			t.Helper()
			ana.types(line + " --json\n")
			return decode(t, ana.answers.take())["code"].(string)
		}
		code := challenge("new petteia --to rui --clock 5+3 --rated --side second")
		rui.hears("rui", "ana challenges you: Petteia, 5+3, rated, you play first. "+answer(code))
		rui.types("decline " + code + "\n")
		rui.hears("rui")
		ana.hears("ana", "rui declines the challenge.")

		code = challenge("new petteia --to rui --side second")
		rui.hears("rui", "ana challenges you: Petteia, no clock, casual, you play first. "+answer(code))
		time.Sleep(seats.ChallengeWait)
		rui.hears("rui", "ana's challenge has lapsed.")
		ana.hears("ana", "rui has not answered in time.")

		code = challenge("new petteia --to eva --side second")
		eva.hears("eva", "ana fordert dich heraus: Petteia, ohne Uhr, ungewertet, du ziehst an. Deine Antwort: accept "+code+" oder decline "+code)
		ana.types("abort " + code + "\n")
		ana.answers.take()
		eva.hears("eva", "ana wartet nicht mehr auf deine Antwort.")
		ana.hears("ana")

		code = challenge("new 4mation --to rui --side second")
		other := challenge("new tanks") // so that the challenge is not the current match
		rui.hears("rui", "ana challenges you: 4Mation, no clock, casual, you play first. "+answer(code))
		rui.types("accept " + code + "\n")
		ana.hears("ana", "Match "+code+" begins: rui plays against you. show "+code+" goes to its board.")
		rui.types("move " + code + " d4\n")
		ana.hears("ana", "It is your move in match "+code+", against rui.")
		ana.types("move " + code + " d5\n")
		rui.hears("rui", "ana places a piece on d5. You can play c4, c5, c6, d6, e4, e5, e6. Your move.")
		ana.types("show " + other + "\n")
		rui.types("move " + code + " c5\n")
		ana.hears("ana", "It is your move in match "+code+", against rui.")
		h.as("ana", Done, "move "+code+" d6")
		rui.hears("rui", "ana places a piece on d6. You can play c6, c7, d7, e5, e6, e7. Your move.")
		rui.types("resign " + code + "\n")
		rui.hears("rui")
		ana.hears("ana", "Match "+code+" is over. ana wins: rui resigned.")
		ana.types("rematch " + code + " --json\n")
		ana.answers.take()
		again := ""
		for _, o := range h.run.lobby.Lists.Yours(mustSignIn(t, h, "rui")).Invitations {
			if o.RematchOf != "" {
				again = o.Code
			}
		}
		rui.hears("rui", "ana would like a rematch. "+answer(again))
		rui.types("accept " + code + "\n")
		ana.hears("ana", "The match begins: ana against rui. Your move.")
		for _, p := range []*heardPrompt{ana, rui, eva} {
			p.leaves(false)
		}
		first := h.hear(key("ana"), false)
		first.hears("ana", "One match waits for your move: matches shows it.")
		first.leaves(false)
	})
}

// sideIn is the side that is free in a match.
func (h *fixture) sideIn(code string) string {
	if h.object("guest", "show "+code+" --json")["first"] == "" {
		return "first"
	}
	return "second"
}

// TestPromptAnswersWhatItShowed: accept without a number answers the offers that the prompt has shown, not newer ones.
func TestPromptAnswersWhatItShowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		code := h.object("ana", "new petteia --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		ana := h.hear(key("ana"), false)
		ana.types("show " + code + "\n")
		for ply := range 20 { // more news than come at once
			legal := h.object("guest", "show "+code+" --json")["legal"].([]any)
			h.as([]string{"ana", "rui"}[ply%2], Done, "move "+code+" "+legal[0].(string))
			synctest.Wait()
		}
		h.as("rui", Done, "takeback "+code)
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		how := "Your answer: accept " + code + " or decline " + code
		if told := ana.told.take(); !strings.Contains(told, "rui asks to take a move back. "+how) {
			t.Fatalf("ana is told %q", told)
		}
		h.as("ana", Done, "decline "+code) // in another session
		h.as("rui", Done, "draw "+code)
		ana.types("accept " + code + "\n") // before it is time for the news of the draw
		if m := h.object("guest", "show "+code+" --json"); m["result"] != "" {
			t.Fatalf("ana agrees to a draw that she was not shown: %v", m)
		}
		ana.hears("ana", "That offer is not open any more. Look at what is offered now, then answer.", "rui offers a draw. "+how)
		ana.types("accept " + code + "\n")
		if m := h.object("guest", "show "+code+" --json"); m["result"] != "draw" {
			t.Errorf("ana agrees to the draw, and the result is %v", m["result"])
		}
		ana.leaves(false)
	})
}

// TestPromptTellsCompany: the line mode tells the offers and answers of the other side of the current match, its leaving and coming back, and
// when the match can be claimed. A line that is being typed stays whole.
func TestPromptTellsCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		begin := func(clock string) (code string) {
			code = h.object("ana", "new 4mation --side first --json --clock "+clock)["code"].(string)
			h.as("rui", Done, "join "+code)
			return code
		}
		code := begin("none")
		ana, rui := h.hear(key("ana"), true), h.hear(key("rui"), false)
		ana.types("show " + code + "\r")
		rui.types("show " + code + "\n")
		ana.hears("ana", "One match waits for your move: matches shows it.")
		rui.hears("rui")
		ana.types("move " + code + " a1\r")
		rui.types("move " + code + " b2\n")
		ana.hears("ana", "rui places a piece on b2. You can play a2, a3, b1, b3, c1, c2, c3. Your move.\a")
		rui.hears("rui", "ana places a piece on a1. You can play a2, b1, b2. Your move.")

		ana.types("draw " + code + "\r")
		rui.hears("rui", "ana offers a draw. Your answer: accept "+code+" or decline "+code)
		rui.types("decline " + code + "\n")
		ana.hears("ana", "rui declines the draw.")
		rui.types("takeback " + code + "\n")
		ana.hears("ana", "rui asks to take a move back. Your answer: accept "+code+" or decline "+code)
		ana.types("accept " + code + "\r")
		ana.hears("ana")
		rui.hears("rui", "Moves are taken back: the last one is now number 1. Your move.")
		rui.types("move " + code + " b2\n")
		ana.types("move " + code + " b1\r")
		rui.types("draw " + code + "\n")
		ana.hears("ana", "rui places a piece on b2. You can play a2, a3, b1, b3, c1, c2, c3. Your move.\a", "rui offers a draw. Your answer: accept "+code+" or decline "+code)
		ana.types("accept " + code + "\r")
		ana.hears("ana")
		rui.hears("rui", "ana places a piece on b1. You can play a2, c1, c2. Your move.", "Draw: both sides agreed.")

		code = begin("5+3")
		ana.types("move " + code + " a1\r")
		rui.types("move " + code + " b2\n")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		ana.told.take()
		ana.answers.take()
		ana.types("say well pl")
		rui.leaves(true)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := ana.told.take(); got != "\nrui's line dropped: 1 minute to come back.\nfourmation> say well pl" {
			t.Errorf("below a line that is being typed ana reads %q", got)
		}
		ana.types("ayed\r")
		if got := ana.answers.take(); got != "say well played\r\nana: well played\n" {
			t.Errorf("the line that was being typed answers %q", got)
		}
		time.Sleep(time.Minute)
		ana.hears("ana", "rui has not come back. Claim the win or a draw: claim "+code+" win, claim "+code+" draw")
		rui = h.hear(key("rui"), false)
		ana.hears("ana", "rui is here.")
		rui.hears("rui")
		rui.leaves(false)
		ana.hears("ana", "rui has left: 20 seconds to come back.")
		ana.leaves(false)
	})
}

// TestNewsAreBounded: chat of one stranger after the other at a match prints a few lines only, and a prompt whose client reads nothing delays
// no other user.
func TestNewsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		code := h.object("ana", "new 4mation --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		ana := h.hear(key("zoe"), false)
		ana.types("show " + code + "\n")
		ana.told.take()

		in, keyboard := io.Pipe()
		stuck, screen := io.Pipe() // never read
		ctx, cancel := context.WithCancel(t.Context())
		deaf := make(chan int, 1)
		go func() { deaf <- h.run.LineMode(ctx, key("eva"), "", in, screen, screen, false) }()
		synctest.Wait()

		const strangers, each = 40, 4
		for i := range strangers {
			for j := range each {
				h.as(fmt.Sprint("stranger", i), Done, fmt.Sprintf("say %s line %d", code, i*each+j))
			}
		}
		synctest.Wait()
		lines := strings.Count(ana.told.take(), "(watching)")
		if lines == 0 || lines > newsBurst {
			t.Errorf("%d lines were told at once", lines)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		rest := ana.told.take()
		if n := strings.Count(rest, "(watching)"); n > int(time.Minute/talkEvery) || !strings.Contains(rest, "earlier lines are left out.") || !strings.Contains(rest, fmt.Sprint("line ", strangers*each-1)) {
			t.Errorf("then %d lines were told:\n%s", n, rest)
		}
		h.as("ana", Done, "move "+code+" a1")
		ana.hears("zoe", "ana places a piece on a1. rui can play a2, b1, b2.")
		ana.leaves(false)
		cancel()
		screen.Close()
		stuck.Close()
		keyboard.Close()
		<-deaf
	})
}

// TestPromptTellsMoves: the line mode tells what happens in the match that a command has named.
func TestPromptTellsMoves(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --clock 5+3 --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	rui := h.prompt("rui")
	rui.write("show " + code)
	rui.until("waiting for ana")
	h.as("ana", Done, "move "+code+" a1")
	if got := rui.until("ana places"); !strings.Contains(got, "ana places a piece on a1. You can play a2, b1, b2. Your first move: ") {
		t.Errorf("rui is told %q", got)
	}
}
