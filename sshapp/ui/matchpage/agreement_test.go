package matchpage

import (
	"testing"
	"testing/synctest"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

// newCasual opens a casual match of ana's, who plays first.
func newCasual(t *testing.T, spec lobby.Spec) *uitest.Match {
	t.Helper()
	b := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
	b.Ana, b.Rui = b.Person("ana"), b.Person("rui")
	spec.Game, spec.Side = "fourmation", lobby.PlayFirst
	ref, err := b.Club.Open(t.Context(), b.Ana, spec)
	if err != nil {
		t.Fatal(err)
	}
	b.Ref = ref
	return b
}

// TestAgreementAtTheBoard: an offer stands above the footer of the other side until it is answered, and above one's own in other words.
func TestAgreementAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newCasual(t, lobby.Spec{})
		if _, err := b.Club.Join(t.Context(), b.Rui, origin.Origin{}, b.Ref.Code); err != nil {
			t.Fatal(err)
		}
		ana, rui := open(b, b.Ana, 80, 24, storage.Settings{}), open(b, b.Rui, 40, 20, storage.Settings{})
		settle := func() {
			ana.Settle()
			rui.Settle()
		}
		ana.Keys("/draw", "enter")
		ana.Sees("Not both sides have moved yet")
		b.Play("a1", "b2")
		settle()
		bells := rui.Bells
		ana.Keys("/accept", "enter")
		ana.Sees("There is no offer here that you could answer.")
		ana.Keys("/draw", "enter")
		settle()
		ana.Sees("You offer a draw, until somebody moves.")
		rui.Sees("! ana offers a draw: /accept, /decline")
		if rui.Bells != bells+1 {
			t.Errorf("%d bells for an offer, want 1", rui.Bells-bells)
		}
		ana.Keys("/draw", "enter")
		ana.Sees("The other side has not answered yet.")
		rui.Keys("/decline", "enter")
		settle()
		ana.Sees("rui declines the draw.")
		rui.Misses("offers a draw")

		ana.Keys("/draw", "enter")
		ana.Sees("You have offered that lately. Make 5 more moves")
		ana.Keys("/takeback", "enter")
		settle()
		rui.Sees("ana asks to take a move back:")
		rui.Keys("/accept", "enter")
		settle()
		if v := b.View(); v.Ply() != 0 {
			t.Errorf("%d moves after the takeback", v.Ply())
		}
		b.Play("a1", "b2")
		settle()
		rui.Keys("/draw", "enter")
		settle()
		ana.Keys("/accept", "enter")
		settle()
		ana.Sees("Draw: both sides agreed.")
	})
}

// TestDrawAtOneKeyboard asks first, for nobody else has to agree.
func TestDrawAtOneKeyboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newCasual(t, lobby.Spec{Hotseat: true})
		s := open(b, b.Ana, 80, 24, storage.Settings{})
		s.Keys("a1", "enter", "b2", "enter")
		s.Keys("/draw", "enter")
		s.Sees("End this match as a draw?")
		s.Keys("esc")
		if v := b.View(); v.Over {
			t.Fatal("esc ends the match")
		}
		s.Keys("/draw", "enter", "enter")
		s.Settle()
		s.Sees("Draw: both sides agreed.")
	})
}
