package boardpage

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// A Board is the board on a page: its scene with the cursor, the side from which it is seen, and the move that is being made. The board of a
// match and the review have one each. It is a value: every change returns another one.
type Board struct {
	Size   tea.WindowSizeMsg
	Scene  *boardview.Scene // nil until there is one
	Input  MoveInput
	Scroll boardview.Scroll // of a board that doesn't fit
	Turned bool             // the player has turned it round
}

// Narrow reports whether the page has no room for words that can be spared.
func (b *Board) Narrow() bool { return b.Size.Width < widget.BothColumns }

// Flipped reports whether a player sees the board from the second side.
func (b *Board) Flipped(v *lobby.View, who lobby.User) bool {
	return FlippedFor(b.Scene, v, who) != b.Turned
}

// MayFlip returns nil if the board has another side to be seen from, else why it can't be turned round.
func (b *Board) MayFlip() error {
	if can, _ := b.Scene.Turns(); !can {
		return ErrNoOtherSide
	}
	return nil
}

// Flip returns the board turned round, or with the reason why it can't be.
func (b Board) Flip(say wording.Words) Board {
	if err := b.MayFlip(); err != nil {
		b.Input.Problem = Why(say, err)
		return b
	}
	b.Turned = !b.Turned
	return b
}

// Arrow handles an arrow key; see MoveInput.Arrow.
func (b Board) Arrow(key string, flip, mayMove bool) (next Board, ok bool) {
	b.Input, ok = b.Input.Arrow(b.Scene, key, flip, mayMove)
	return b, ok
}

// Layout returns the layout of the page.
func (b *Board) Layout(st boardview.State) Layout {
	return NewLayout(b.Scene, st, b.Size.Width, b.Size.Height)
}

// Scrolled returns the board with the cursor, or what else matters, in view.
func (b Board) Scrolled(st boardview.State) Board {
	b.Scroll = b.Layout(st).Board.Scroll
	return b
}

// Click chooses the place of a click. The move is "" if it isn't complete yet.
func (b *Board) Click(say wording.Words, st boardview.State, msg tea.MouseClickMsg) (MoveInput, games.Move) {
	l := b.Layout(st)
	return b.Input.Click(say, b.Scene, b.Scene.Spot(l.Board, st, msg.X-l.X, msg.Y-l.Y))
}

// CursorAt returns the place of the terminal's cursor on the page.
func (b *Board) CursorAt(st boardview.State) (x, y int) {
	return b.Layout(st).Cursor(b.Input, b.Scene, st, b.Size.Height)
}
