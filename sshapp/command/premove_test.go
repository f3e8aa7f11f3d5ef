package command

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPremoveInLineMode: a move that is entered ahead is played when the turn comes if it is legal then, and both are told.
func TestPremoveInLineMode(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		reply string
		plies float64
		told  []string
	}{
		{"legal then", []string{"premove e6"}, "e5", 3, []string{"e6 is played as soon as it is your turn; premove off takes it back.", "rui places a piece on e5.", "You place a piece on e6."}},
		{"another one", []string{"premove e6", "premove d6"}, "e5", 3, []string{"You place a piece on d6."}},
		{"illegal then", []string{"premove e6"}, "c3", 2, []string{"e6 can't be played now, so it is dropped."}},
		{"taken back", []string{"premove e6", "premove off"}, "e5", 2, []string{"No move is entered ahead."}},
		{"the board is left", []string{"premove e6", "lobby"}, "e5", 2, nil},
		{"no move", []string{"premove zz99"}, "e5", 2, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newFixture(t)
				code := h.object("ana", "new 4mation --side first --clock 5+3 --json")["code"].(string)
				h.as("rui", Done, "join "+code)
				h.as("ana", Done, "move "+code+" d4")
				p := h.hear(key("ana"), false)
				defer p.leaves(false)
				p.types("show " + code + "\n")
				for _, line := range tt.lines {
					p.types(line + "\n")
				}
				h.as("rui", Done, "move "+code+" "+tt.reply)
				synctest.Wait()
				if got := h.object("rui", "show "+code+" --json")["ply"]; got != tt.plies {
					t.Errorf("the match has %v moves, want %v", got, tt.plies)
				}
				time.Sleep(5 * time.Second)
				synctest.Wait()
				said := p.answers.take() + p.told.take()
				for _, want := range tt.told {
					if !strings.Contains(said, want) {
						t.Errorf("%q is missing in\n%s", want, said)
					}
				}
			})
		})
	}
}

// TestNoPremoveInLineMode: there are no premoves on the own turn, without a clock that counts seconds, for spectators, and outside the line mode.
func TestNoPremoveInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		code := h.object("ana", "new 4mation --side first --clock 5+3 --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		slow := h.object("ana", "new 4mation --side second --clock 3d --json")["code"].(string)
		h.as("rui", Done, "join "+slow)
		p := h.hear(key("ana"), false)
		defer p.leaves(false)
		for _, tt := range [][2]string{
			{"premove e6", "Usage"},
			{fmt.Sprintf("premove %s d4", code), "It is your turn: type the move itself."},
			{fmt.Sprintf("premove %s d4", slow), "in a match whose clock counts seconds"},
		} {
			p.types(tt[0] + "\n")
			if said := p.answers.take() + p.told.take(); !strings.Contains(said, tt[1]) {
				t.Errorf("%s says %q, want %q", tt[0], said, tt[1])
			}
		}
		eva := h.hear(key("eva"), false)
		defer eva.leaves(false)
		eva.types("premove " + code + " d4\n")
		if said := eva.answers.take() + eva.told.take(); !strings.Contains(said, "You are only watching this match.") {
			t.Errorf("a spectator is told %q", said)
		}
	})
}
