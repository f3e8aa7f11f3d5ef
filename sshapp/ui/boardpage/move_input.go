package boardpage

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// A MoveInput is a move being made at a board: the selection, the typed text, and the reason why it can't be played. The match
// screen has one, and the review has one for trying moves. It is a value: every change returns another one.
type MoveInput struct {
	Sel     boardview.Selection
	Typed   widget.Entry // a move, or a command after a slash
	Problem string       // why the last thing that was typed, chosen or asked for could not be done; "" for nothing
}

// typedCells is the longest text that can be typed.
const typedCells = 30

// Empty reports whether nothing is typed.
func (in MoveInput) Empty() bool { return in.Typed.Text == "" }

// IsCommand reports whether the typed text is a command.
func (in MoveInput) IsCommand() bool { return strings.HasPrefix(in.Typed.Text, "/") }

// edit replaces the typed text. A problem belongs to the text before.
func (in MoveInput) edit(typed widget.Entry) MoveInput {
	if typed.Text != in.Typed.Text {
		in.Problem = ""
	}
	in.Typed = typed
	return in
}

// Paste adds text at the cursor of the typed text.
func (in MoveInput) Paste(words string) MoveInput { return in.edit(in.Typed.Insert(words, typedCells)) }

// Insert handles a key of the typed text. A slash begins a command: no move has one.
func (in MoveInput) Insert(msg tea.KeyPressMsg) MoveInput {
	if msg.Text == "/" && !in.IsCommand() {
		in.Typed = widget.Entry{}
	}
	if typed, ok := in.Typed.Typed(msg, typedCells); ok {
		return in.edit(typed)
	}
	return in
}

// Selection returns the selection that the typed text stands for or, without text, the one made by arrows and clicks.
func (in MoveInput) Selection(scene *boardview.Scene) boardview.Selection {
	if in.Empty() || in.IsCommand() {
		return in.Sel
	}
	_, sel := scene.Typed(in.Typed.Text, in.Sel)
	return sel
}

// acceptTyped makes what the typed text stands for the selection, and clears the text.
func (in MoveInput) acceptTyped(scene *boardview.Scene) MoveInput {
	in.Sel, in.Typed = in.Selection(scene), widget.Entry{}
	return in
}

// A direction is a step of the cursor, in directions of the screen.
type direction struct{ x, y int }

// directions are the arrow keys.
var directions = map[string]direction{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

// Arrow handles an arrow key. It moves the cursor on the board if mayMove is true. ok is false for other keys, and for left and right
// while they belong to a typed move, which they do unless the text has chosen a piece or a wheel.
func (in MoveInput) Arrow(scene *boardview.Scene, key string, flip, mayMove bool) (next MoveInput, ok bool) {
	d, ok := directions[key]
	if !ok {
		return in, false
	}
	return in.step(scene, d, flip, mayMove)
}

// step is Arrow for a direction.
func (in MoveInput) step(scene *boardview.Scene, d direction, flip, mayMove bool) (next MoveInput, ok bool) {
	if in.IsCommand() || !in.Empty() && d.y == 0 && in.Selection(scene).From == boardview.Nowhere {
		return in, false
	}
	in = in.acceptTyped(scene)
	if mayMove {
		in.Sel, in.Problem = scene.Step(in.Sel, d.x, d.y, flip), ""
	}
	return in, true
}

// Wheel moves the cursor up (dy is -1) or down (1), or turns the wheel of Flügelrad that is chosen.
func (in MoveInput) Wheel(scene *boardview.Scene, dy int, flip bool) MoveInput {
	d := direction{y: dy}
	if can, _ := scene.Turns(); !can && in.Sel.From != boardview.Nowhere {
		d = direction{x: dy}
	}
	in, _ = in.step(scene, d, flip, true)
	return in
}

// Cancels reports whether Cancel has something to do.
func (in MoveInput) Cancels() bool { return !in.Empty() || in.Sel.From != boardview.Nowhere }

// CancelWhat returns an English word for what Cancel does, or other if Cancel has nothing to do.
func (in MoveInput) CancelWhat(other string) string {
	switch {
	case !in.Empty():
		return text.T("clear") // Translators: clear what was typed.
	case in.Cancels():
		return text.T("let go") // Translators: let go of the piece that was picked up.
	}
	return other
}

// Cancel clears the typed text or, if there is none, the chosen piece.
func (in MoveInput) Cancel(scene *boardview.Scene) MoveInput {
	in.Problem = ""
	if !in.Empty() {
		in.Typed = widget.Entry{}
		return in
	}
	in.Sel = scene.Release(in.Sel)
	return in
}

// Enter makes the typed move or, without text, chooses the place under the cursor. The move is "" if it isn't complete yet.
func (in MoveInput) Enter(say wording.Words, scene *boardview.Scene) (MoveInput, games.Move) {
	if in.Empty() {
		return in.chosen(say, scene.Choose)
	}
	m, err := in.move(scene.Position())
	if err != nil {
		in.Problem = say.Error(err)
		return in, ""
	}
	return MoveInput{Sel: scene.Release(in.Selection(scene))}, m
}

// Click chooses a place of the board. The move is "" if it isn't complete yet.
func (in MoveInput) Click(say wording.Words, scene *boardview.Scene, at boardview.Spot) (MoveInput, games.Move) {
	return in.acceptTyped(scene).chosen(say, func(sel boardview.Selection) (boardview.Selection, games.Move, error) {
		return scene.Click(sel, at)
	})
}

func (in MoveInput) chosen(say wording.Words, choose func(boardview.Selection) (boardview.Selection, games.Move, error)) (MoveInput, games.Move) {
	sel, m, err := choose(in.Sel)
	in.Sel, in.Problem = sel, whyNot(say, err)
	return in, m
}

// move returns the legal move that is typed, or why there is none.
func (in MoveInput) move(p games.Position) (games.Move, error) {
	m, err := p.Read(in.Typed.Text)
	if err == nil {
		_, err = p.Play(m)
	}
	return m, err
}

// Meaning describes the effect of the typed move. turn is "" if the move can be played at once; else it tells whose turn it is, and Meaning
// gives that as the reason why the move can't be played. The reason of the rules would speak of the other side's pieces.
func (in MoveInput) Meaning(say wording.Words, scene *boardview.Scene, turn string) string {
	m, err := in.move(scene.Position())
	moves, sel := scene.Typed(in.Typed.Text, in.Sel)
	switch {
	case turn != "" && err == nil && !scene.MovesPiece(sel):
		return say.T("%s, when it is your turn", string(m))
	case turn != "":
		return say.T("It is %s's turn.", turn)
	case err == nil:
		return say.T("enter plays %s", string(m)) + EffectOf(say, scene, m)
	case len(moves) == 1:
		return say.T("keep typing: %s", string(moves[0]))
	case len(moves) > 1:
		return say.T("choose: %s", FirstOf(moves, FewMoves))
	}
	return say.Error(err)
}

// Prompt tells what can be done with the selection. It is "" if nothing is chosen and no move is selected.
func (in MoveInput) Prompt(say wording.Words, scene *boardview.Scene) string {
	if m := scene.SelectedMove(in.Sel); m != "" {
		return say.T("enter plays %s", string(m)) + EffectOf(say, scene, m)
	}
	if in.Sel.From == boardview.Nowhere {
		return ""
	}
	if can, _ := scene.Turns(); !can {
		return say.T("Left and right turn it, enter plays.")
	}
	return say.T("Choose where it goes, esc lets go.")
}

// matching returns the commands among those available that begin with the typed text.
func (in MoveInput) matching(available []string) []string {
	start := strings.ToLower(strings.TrimPrefix(in.Typed.Text, "/"))
	var names []string
	for _, name := range available {
		if strings.HasPrefix(name, start) {
			names = append(names, name)
		}
	}
	return names
}

// Complete completes a typed command as far as there is only one continuation.
func (in MoveInput) Complete(available []string) MoveInput {
	names := in.matching(available)
	if !in.IsCommand() || len(names) == 0 {
		return in
	}
	common := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, common) {
			common = common[:len(common)-1]
		}
	}
	return in.edit(widget.Entry{}.Insert("/"+common, typedCells))
}

// Command removes the typed command from the text and returns its name. The text is the name of a known command, available or not, or the
// beginning of only one available command. Otherwise the name is "", and the problem of next says why.
func (in MoveInput) Command(say wording.Words, known, available []string) (next MoveInput, name string) {
	typed := strings.TrimSpace(strings.TrimPrefix(in.Typed.Text, "/"))
	names := in.matching(available)
	for _, name := range known {
		if strings.EqualFold(name, typed) || len(names) == 1 && names[0] == name {
			in.Typed = widget.Entry{}
			return in, name
		}
	}
	in.Problem = in.CommandMeaning(say, available)
	if len(names) > 0 {
		in.Problem = say.T("Which one: %s?", in.Problem)
	}
	return in, ""
}

// CommandMeaning lists the commands that begin with the typed text, or says that there is none.
func (in MoveInput) CommandMeaning(say wording.Words, available []string) string {
	names := in.matching(available)
	if len(names) == 0 {
		typed := strings.TrimSpace(strings.TrimPrefix(in.Typed.Text, "/"))
		return say.T("There is no command /%s here. Tab after / shows them.", text.Cut(typed, 12))
	}
	words := ""
	for _, name := range names {
		words += " /" + name
	}
	return words[1:]
}

// FewMoves is the number of moves named among other words, and SomeMoves the number in a line of their own.
const (
	FewMoves  = 4
	SomeMoves = 6
)

// FirstOf lists at most few of some moves, the first ones.
func FirstOf(moves []games.Move, few int) string {
	var words []string
	for _, m := range moves[:min(few, len(moves))] {
		words = append(words, string(m))
	}
	if len(moves) > few {
		words = append(words, "...")
	}
	return strings.Join(words, " ")
}

// EffectOf returns the further effects of a move, after a comma.
func EffectOf(say wording.Words, scene *boardview.Scene, m games.Move) string {
	if what := scene.Effect(say.Say, m); what != "" {
		return ", " + what
	}
	return ""
}

// whyNot says why something can't be chosen.
func whyNot(say wording.Words, err error) string {
	switch {
	case errors.Is(err, boardview.ErrNotYours):
		return say.T("Choose one of your own pieces first.")
	case errors.Is(err, boardview.ErrStuck):
		return say.T("This piece can't move now. Choose another one.")
	case errors.Is(err, boardview.ErrUnturned):
		return say.T("Turn the wheel first, with left and right.")
	}
	return say.Error(err)
}
