package matchpage

import (
	"context"
	"testing"
	"testing/synctest"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// newCasual opens a casual match of ana's, who plays first.
func newCasual(t *testing.T, spec seats.Spec) *uitest.Match {
	t.Helper()
	b := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
	b.Ana, b.Rui = b.Person("ana"), b.Person("rui")
	spec.Game, spec.Side = "fourmation", seats.PlayFirst
	ref, err := b.Club.Seats.Open(t.Context(), b.Ana, spec)
	if err != nil {
		t.Fatal(err)
	}
	b.Ref = ref
	return b
}

// TestAgreementAtTheBoard: until it is answered, an offer stands above the footers of both sides, in different words.
func TestAgreementAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newCasual(t, seats.Spec{})
		if _, err := b.Club.Seats.Join(t.Context(), b.Rui, origin.Origin{}, b.Ref.Code); err != nil {
			t.Fatal(err)
		}
		ana, rui := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 40, 20, accounts.Settings{})
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

// TestAnswersAtTheBoard: an answer that is typed is for an offer that stood on the screen when its player began to type.
func TestAnswersAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newCasual(t, seats.Spec{})
		if _, err := b.Club.Seats.Join(t.Context(), b.Rui, origin.Origin{}, b.Ref.Code); err != nil {
			t.Fatal(err)
		}
		ana, rui := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 80, 24, accounts.Settings{})
		seat := b.Seat(b.Ana)
		offer := func(do func(context.Context) error) {
			t.Helper()
			if err := do(t.Context()); err != nil {
				t.Fatal(err)
			}
			ana.Settle()
			rui.Settle()
		}
		b.Play("a1", "b2", "b1")
		offer(seat.Takeback)
		rui.Sees("ana asks to take a move back: /accept")
		rui.Keys("/accept")
		offer(seat.OfferDraw)
		rui.Sees("ana offers a draw and asks to take a move back: /accept draw or")
		rui.Keys("enter")
		rui.Settle()
		if v := b.View(); v.Over || v.Ply() != 2 {
			t.Fatalf("over %v after %d moves; the takeback was accepted", v.Over, v.Ply())
		}

		b.Play("b1", "c1")
		seat = b.Seat(b.Rui)
		offer(seat.Takeback)
		ana.Sees("rui asks to take a move back: /accept")
		ana.Keys("/accept")
		offer(func(ctx context.Context) error { return b.Seat(b.Ana).Decline(ctx, lobby.OfferRef{}) }) // in another session
		offer(seat.OfferDraw)
		ana.Sees("rui offers a draw: /accept, /decline")
		ana.Keys("enter")
		ana.Settle()
		if v := b.View(); v.Over {
			t.Fatalf("ana accepts the draw instead of the takeback")
		}
		ana.Sees("That offer is not open any more.")
		ana.Keys("/accept", "enter")
		ana.Settle()
		ana.Sees("Draw: both sides agreed.")
	})
}

// TestTwoOffersAtTheBoard: of two open offers each is shown, and answered by its name.
func TestTwoOffersAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newCasual(t, seats.Spec{})
		if _, err := b.Club.Seats.Join(t.Context(), b.Rui, origin.Origin{}, b.Ref.Code); err != nil {
			t.Fatal(err)
		}
		ana, rui := open(b, b.Ana, 100, 24, accounts.Settings{}), open(b, b.Rui, 80, 24, accounts.Settings{})
		settle := func() {
			ana.Settle()
			rui.Settle()
		}
		b.Play("a1", "b2", "b1")
		settle()
		ana.Keys("/takeback", "enter")
		settle()
		ana.Keys("/draw", "enter")
		settle()
		ana.Sees("You ask to take your move back, until somebody moves. You offer a draw, until somebody moves.")
		rui.Keys("/accept", "enter")
		settle()
		rui.Sees("More than one offer is open. Say which one you answer: draw, takeback or")
		rui.Keys("/decline draw", "enter")
		settle()
		ana.Sees("rui declines the draw.")
		rui.Sees("ana asks to take a move back: /accept, /decline")
		rui.Keys("/accept takeback", "enter")
		settle()
		if v := b.View(); v.Ply() != 2 || v.Over {
			t.Errorf("over %v after %d moves", v.Over, v.Ply())
		}
	})
}

// TestDrawAtOneKeyboard: at one keyboard /draw asks first, because no other player has to agree.
func TestDrawAtOneKeyboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newCasual(t, seats.Spec{Hotseat: true})
		s := open(b, b.Ana, 80, 24, accounts.Settings{})
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
