package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/together"
	"ludoteca/storage"
)

// answersTo types a line and checks parts of what it answers, in order.
func (p *heardPrompt) answersTo(line string, want ...string) {
	p.t.Helper()
	p.types(line + "\n")
	got := p.answers.take()
	rest := got
	for _, w := range want {
		_, after, found := strings.Cut(rest, w)
		if !found {
			p.t.Errorf("%s answers\n%s\nwithout %q", line, got, w)
			return
		}
		rest = after
	}
	if len(want) == 0 && got != "" {
		p.t.Errorf("%s answers\n%s", line, got)
	}
}

const (
	asksYou  = "ana asks you to look at a match together: together accept, or together decline"
	isAsked  = "rui is asked to look at the match with you. You lead: next, back and goto move both boards."
	hasCome  = "rui looks at the match with you now. next, back and goto move both boards; say TEXT writes."
	theyLead = "The other player leads: your board shows what theirs shows. To go on alone: together leave"
)

// TestTogetherInLineMode: a user of the line mode asks another one to look at a match with them, and leads; the other one is told each position,
// asks about it, and both write to each other. Each may leave, and both are told how it ends.
func TestTogetherInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		_, id := h.played()
		ana, rui := h.hear(key("ana"), false), h.hear(key("rui"), false)
		ana.hears("ana")
		rui.hears("rui")

		ana.answersTo("together", "Nobody looks at a match with you.\nreview ID looks through one")
		ana.answersTo("together rui")
		ana.hears("ana", "You are looking through no match. review ID begins with one; history lists them.")
		ana.answersTo("review "+id, "The beginning of the match")
		for _, refused := range [][2]string{
			{"together nobody", "Nobody here has this name. Check how it is written."},
			{"together leave", "Nobody looks at a match with you."},
			{"together accept", "The invitation is gone: it was withdrawn, or waited too long."},
			{"together decline", "The invitation is gone: it was withdrawn, or waited too long."},
		} {
			ana.answersTo(refused[0])
			ana.hears("ana", refused[1])
		}

		ana.answersTo("together rui", isAsked)
		rui.hears("rui", asksYou)
		rui.answersTo("together", asksYou)
		ana.answersTo("together", "rui is asked, and has not answered.")
		ana.answersTo("say are you there?")
		ana.hears("ana", "Nobody has come yet, so nobody would read it.")
		ana.answersTo("next", "Move 1 of 7: You place a piece on a1.")
		rui.answersTo("together accept", "4Mation, ana against rui. ana wins: 4 in a line.", "ana leads: you are told each position that they go to.", "Move 1 of 7: ana places a piece on a1.")
		rui.hears("rui")
		ana.hears("ana", hasCome)
		ana.answersTo("together", "You lead; rui sees your board.")
		rui.answersTo("together", "ana leads through the review.")

		ana.answersTo("next", "Move 2 of 7: rui places")
		rui.hears("rui", "Move 2 of 7: You place a piece on b2. ana can play a2, a3, b1, b3, c1, c2, c3.")
		rui.answersTo("what b2", "b2: your piece")
		rui.answersTo("clock", "This match has no clock.")
		rui.answersTo("players", "ana")
		rui.answersTo("note a secret", "after move 2: a secret")
		for _, line := range []string{"next", "back", "goto 1", "review"} {
			rui.answersTo(line)
			rui.hears("rui", theyLead)
		}
		ana.answersTo("goto 7", "Move 7 of 7", "You win: 4 in a line.")
		rui.hears("rui", "Move 7 of 7: ana places a piece on d1. The line is a1, b1, c1, d1.", "ana wins: 4 in a line.")
		rui.answersTo("what d1", "d1: ana's piece")
		ana.answersTo("goto 2", "Move 2 of 7")
		rui.hears("rui", "Move 2 of 7: You place a piece on b2. ana can play a2, a3, b1, b3, c1, c2, c3.", "Your note: a secret")

		ana.answersTo("say you see?", "ana: you see?")
		rui.hears("rui", "ana: you see?")
		rui.answersTo("say I do", "rui: I do")
		rui.answersTo("say --json :hello", `"by":"rui","by_kind":"player","room":"review","text":":hello"`)
		ana.hears("ana", "rui: I do", "rui: :hello")
		rui.hears("rui")

		rui.answersTo("together leave", "You look at the match alone now.")
		rui.hears("rui")
		ana.hears("ana", "rui has left. You look at the review alone now.")
		rui.answersTo("next", "Move 3 of 7")
		ana.answersTo("say well")
		ana.hears("ana", "The other player has left, so nobody would read it. To write at the match itself, go there first: show")
		ana.answersTo("back", "Move 1 of 7")
		rui.hears("rui")

		ana.answersTo("together rui", isAsked)
		rui.hears("rui", asksYou)
		rui.answersTo("together decline", "You don't look at the match with ana.")
		rui.hears("rui")
		ana.hears("ana", "rui doesn't come.")
		rui.answersTo("together accept")
		rui.hears("rui", "The invitation is gone: it was withdrawn, or waited too long.")

		time.Sleep(time.Hour) // of the bubble: people invite the same person seldom
		ana.answersTo("together rui", isAsked)
		rui.hears("rui", asksYou)
		ana.answersTo("lobby", "You are in the lobby.")
		ana.hears("ana", "rui is no longer invited.")
		rui.hears("rui", "ana no longer waits for your answer.")

		ana.answersTo("review "+id, "The beginning of the match")
		ana.answersTo("together rui", isAsked)
		rui.hears("rui", asksYou)
		time.Sleep(together.InviteWait)
		ana.hears("ana", "rui doesn't come.")
		rui.hears("rui", "ana no longer waits for your answer.")

		ana.answersTo("together rui", isAsked)
		rui.hears("rui", asksYou)
		rui.answersTo("together accept", "The beginning of the match")
		ana.hears("ana", hasCome)
		rui.answersTo("show "+id, "4Mation, match ")
		rui.hears("rui", "You no longer look at the match together with ana.")
		ana.hears("ana", "rui has left. You look at the review alone now.")
		ana.answersTo("next", "Move 1 of 7")
		rui.hears("rui")

		time.Sleep(time.Hour)
		ana.answersTo("together rui", isAsked)
		rui.hears("rui", asksYou)
		rui.answersTo("together accept", "Move 1 of 7")
		ana.hears("ana", hasCome)
		ana.leaves(true)
		rui.hears("rui", "ana has left. You look at the review alone now.")
		rui.leaves(false)
	})
}

// TestTogetherWithAScreen: what a person leads to on a screen is told in the line mode, lines that were not played too; and a screen gets each place
// that a user of the line mode goes to.
func TestTogetherWithAScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		_, id := h.played()
		club, ref := h.run.lobby.Together, lobby.Ref{ID: storage.MatchID(id)}
		anaUser, ruiUser := mustSignIn(t, h, "ana"), mustSignIn(t, h, "rui")
		screen, leave := club.Listen(anaUser)
		defer leave()
		rui := h.hear(key("rui"), false)
		rui.hears("rui")

		seat, err := club.Lead(t.Context(), anaUser, ruiUser, ref)
		if err != nil {
			t.Fatal(err)
		}
		seat.Show(together.Place{Ply: 7})
		rui.hears("rui", asksYou)
		rui.answersTo("together accept", "Move 7 of 7")
		line := []games.Move{"d1", "d2"}
		seat.Show(together.Place{Ply: 5, Line: line, Shown: 2})
		rui.hears("rui", "Not played, move 2 after move 5 of the match: ana places a piece on d2. You can play c3, d3, e1, e2, e3.")
		rui.answersTo("what d1", "d1: your piece")
		rui.answersTo("note lost anyway", "after move 5: lost anyway")
		seat.Show(together.Place{Ply: 5, Line: line, Shown: 2, Flipped: true})
		rui.hears("rui")
		seat.Show(together.Place{Ply: 5, Line: line, Flipped: true})
		rui.hears("rui", "Move 5 of 7: ana places a piece on c1. You can play d1, d2.", "Your note: lost anyway")
		seat.Leave()
		rui.hears("rui", "ana has left. You look at the review alone now.")

		rui.answersTo("back", "Move 4 of 7")
		rui.answersTo("together ana", "ana is asked")
		if i, _, err := screen.Next(t.Context(), 0); err != nil || i.By.Name != "rui" || string(i.Match.ID) != id {
			t.Errorf("ana is asked by %+v, %v", i, err)
		}
		if seat, err = club.Join(t.Context(), anaUser); err != nil {
			t.Fatal(err)
		}
		rui.hears("rui", "ana looks at the match with you now. next, back and goto move both boards; say TEXT writes.")
		for _, tt := range []struct {
			line string
			want int
		}{{"together", 4}, {"next", 5}, {"goto 1", 1}, {"review", 0}} {
			rui.types(tt.line + "\n")
			if v, err := seat.Next(t.Context(), 0); err != nil || v.Place.Ply != tt.want || len(v.Place.Line) > 0 {
				t.Errorf("after %s ana sees %+v, %v", tt.line, v.Place, err)
			}
		}
		rui.hears("rui")
		rui.leaves(false)
		if v, err := seat.Next(t.Context(), 0); err != nil || !v.Over {
			t.Errorf("after rui has gone: %+v, %v", v, err)
		}
	})
}

// TestTogetherWithAGuest: lines of a guest wait until the other person has written one.
func TestTogetherWithAGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		_, id := h.played()
		ana, guest := h.hear(key("ana"), false), h.hear(Caller{ConnectionID: "c1"}, false)
		ana.hears("ana")
		name := h.run.lobby.Accounts.Guest("c1").Name
		guest.answersTo("review "+id, "The beginning")
		guest.answersTo("together ana", "ana is asked")
		ana.hears("ana", strings.Replace(asksYou, "ana", name, 1))
		ana.answersTo("together accept", "The beginning")
		guest.hears(name, strings.Replace(hasCome, "rui", "ana", 1))
		guest.answersTo("say psst", name+": psst")
		ana.hears("ana", "A guest has written a line. Write something, hello for example, to see it.")
		ana.answersTo("say yes?", "ana: yes?")
		ana.hears("ana", name+": psst")
		guest.hears(name, "ana: yes?")
		guest.leaves(false)
		ana.hears("ana", name+" has left. You look at the review alone now.")
		ana.leaves(false)
	})
}
