package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
)

// A moveInput is a move being made at a board: the selection, what is typed, and why neither can be played. The match
// screen has one, and the review has one for trying moves. It is a value: every change returns another one.
type moveInput struct {
	sel     boardview.Selection
	typed   widget.Entry // a move, or a command after a slash
	problem string       // why the last thing that was typed, chosen or asked for could not be done; "" for nothing
}

// typedCells is how long the typed text gets.
const typedCells = 30

// empty reports whether nothing is typed.
func (in moveInput) empty() bool { return in.typed.Text == "" }

// isCommand reports whether the typed text is a command.
func (in moveInput) isCommand() bool { return strings.HasPrefix(in.typed.Text, "/") }

// edit replaces the typed text. A problem belongs to the text before.
func (in moveInput) edit(typed widget.Entry) moveInput {
	if typed.Text != in.typed.Text {
		in.problem = ""
	}
	in.typed = typed
	return in
}

// paste adds text at the cursor of the typed text.
func (in moveInput) paste(words string) moveInput { return in.edit(in.typed.Insert(words, typedCells)) }

// insert handles a key of the typed text. A slash begins a command: no move has one.
func (in moveInput) insert(msg tea.KeyPressMsg) moveInput {
	if msg.Text == "/" && !in.isCommand() {
		in.typed = widget.Entry{}
	}
	if typed, ok := in.typed.Typed(msg, typedCells); ok {
		return in.edit(typed)
	}
	return in
}

// selection returns what is selected: what the typed text stands for, else what arrows and clicks have chosen.
func (in moveInput) selection(scene *boardview.Scene) boardview.Selection {
	if in.empty() || in.isCommand() {
		return in.sel
	}
	_, sel := scene.Typed(in.typed.Text, in.sel)
	return sel
}

// acceptTyped makes what the typed text stands for the selection, and clears the text.
func (in moveInput) acceptTyped(scene *boardview.Scene) moveInput {
	in.sel, in.typed = in.selection(scene), widget.Entry{}
	return in
}

// A direction is a step of the cursor, in directions of the screen.
type direction struct{ x, y int }

// directions are the arrow keys.
var directions = map[string]direction{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

// arrow handles a key if it is an arrow key. It moves the cursor on the board if mayMove is true. While a move is typed, left and
// right belong to the text, unless the text has chosen a piece or a wheel: then ok is false, as for other keys.
func (in moveInput) arrow(scene *boardview.Scene, key string, flip, mayMove bool) (next moveInput, ok bool) {
	d, ok := directions[key]
	if !ok {
		return in, false
	}
	return in.step(scene, d, flip, mayMove)
}

// step is arrow for a direction.
func (in moveInput) step(scene *boardview.Scene, d direction, flip, mayMove bool) (next moveInput, ok bool) {
	if in.isCommand() || !in.empty() && d.y == 0 && in.selection(scene).From == boardview.Nowhere {
		return in, false
	}
	in = in.acceptTyped(scene)
	if mayMove {
		in.sel, in.problem = scene.Step(in.sel, d.x, d.y, flip), ""
	}
	return in, true
}

// wheel moves the cursor up (dy is -1) or down (1), or turns the wheel of Flügelrad that is chosen.
func (in moveInput) wheel(scene *boardview.Scene, dy int, flip bool) moveInput {
	d := direction{y: dy}
	if can, _ := scene.Turns(); !can && in.sel.From != boardview.Nowhere {
		d = direction{x: dy}
	}
	in, _ = in.step(scene, d, flip, true)
	return in
}

// cancels reports whether cancel has something to do.
func (in moveInput) cancels() bool { return !in.empty() || in.sel.From != boardview.Nowhere }

// cancel clears the typed text, or lets go of what is chosen first.
func (in moveInput) cancel(scene *boardview.Scene) moveInput {
	in.problem = ""
	if !in.empty() {
		in.typed = widget.Entry{}
		return in
	}
	in.sel = scene.Release(in.sel)
	return in
}

// enter makes the typed move, else chooses what is under the cursor. The move is "" if there is none yet.
func (in moveInput) enter(say text.Say, scene *boardview.Scene) (moveInput, games.Move) {
	if in.empty() {
		return in.chosen(say, scene.Choose)
	}
	m, err := in.move(scene.Position())
	if err != nil {
		in.problem = say.Error(err)
		return in, ""
	}
	return moveInput{sel: scene.Release(in.selection(scene))}, m
}

// click chooses a place of the board. The move is "" if there is none yet.
func (in moveInput) click(say text.Say, scene *boardview.Scene, at boardview.Spot) (moveInput, games.Move) {
	return in.acceptTyped(scene).chosen(say, func(sel boardview.Selection) (boardview.Selection, games.Move, error) {
		return scene.Click(sel, at)
	})
}

func (in moveInput) chosen(say text.Say, choose func(boardview.Selection) (boardview.Selection, games.Move, error)) (moveInput, games.Move) {
	sel, m, err := choose(in.sel)
	in.sel, in.problem = sel, whyNot(say, err)
	return in, m
}

// move returns the legal move that is typed, or why there is none.
func (in moveInput) move(p games.Position) (games.Move, error) {
	m, err := p.Read(in.typed.Text)
	if err == nil {
		_, err = p.Play(m)
	}
	return m, err
}

// meaning says what the typed move would do. yours says that it can be played at once.
func (in moveInput) meaning(say text.Say, scene *boardview.Scene, yours bool) string {
	m, err := in.move(scene.Position())
	moves, _ := scene.Typed(in.typed.Text, in.sel)
	switch {
	case err == nil && yours:
		return say.T("enter plays %s", string(m)) + effectOf(say, scene, m)
	case err == nil:
		return say.T("%s, when it is your turn", string(m))
	case len(moves) == 1:
		return say.T("on the way to %s", string(moves[0]))
	case len(moves) > 1:
		return say.T("%d moves start like this: %s", len(moves), firstOf(moves, fewMoves))
	}
	return say.Error(err)
}

// prompt says what can be done with the selection: "" if nothing is chosen and no move is selected.
func (in moveInput) prompt(say text.Say, scene *boardview.Scene) string {
	if m := scene.SelectedMove(in.sel); m != "" {
		return say.T("enter plays %s", string(m)) + effectOf(say, scene, m)
	}
	if in.sel.From == boardview.Nowhere {
		return ""
	}
	if can, _ := scene.Turns(); !can {
		return say.T("Left and right turn it, enter plays.")
	}
	return say.T("Choose where it goes, esc lets go.")
}

// matching returns the commands among those available that begin with the typed text.
func (in moveInput) matching(available []string) []string {
	start := strings.ToLower(strings.TrimPrefix(in.typed.Text, "/"))
	var names []string
	for _, name := range available {
		if strings.HasPrefix(name, start) {
			names = append(names, name)
		}
	}
	return names
}

// complete completes a typed command as far as only one continuation is possible.
func (in moveInput) complete(available []string) moveInput {
	names := in.matching(available)
	if !in.isCommand() || len(names) == 0 {
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

// command takes the typed command out of the text: one that is known, available or not, or the only one available that begins
// with the text. If that isn't clear, the name is "" and the problem says why.
func (in moveInput) command(say text.Say, known, available []string) (next moveInput, name string) {
	typed := strings.TrimSpace(strings.TrimPrefix(in.typed.Text, "/"))
	names := in.matching(available)
	for _, name := range known {
		if strings.EqualFold(name, typed) || len(names) == 1 && names[0] == name {
			in.typed = widget.Entry{}
			return in, name
		}
	}
	in.problem = in.commandMeaning(say, available)
	if len(names) > 0 {
		in.problem = say.T("Which one: %s?", in.problem)
	}
	return in, ""
}

// commandMeaning says which commands begin with the typed text, or that there is none.
func (in moveInput) commandMeaning(say text.Say, available []string) string {
	names := in.matching(available)
	if len(names) == 0 {
		typed := strings.TrimSpace(strings.TrimPrefix(in.typed.Text, "/"))
		return say.T("There is no command /%s here. Tab after / shows them.", text.Cut(typed, 12))
	}
	words := ""
	for _, name := range names {
		words += " /" + name
	}
	return words[1:]
}

// How many moves are named among other words, and in a line of their own.
const (
	fewMoves  = 4
	someMoves = 6
)

// firstOf returns the first few of some moves.
func firstOf(moves []games.Move, few int) string {
	var words []string
	for _, m := range moves[:min(few, len(moves))] {
		words = append(words, string(m))
	}
	if len(moves) > few {
		words = append(words, "...")
	}
	return strings.Join(words, " ")
}

// effectOf says behind a comma what else a move would do.
func effectOf(say text.Say, scene *boardview.Scene, m games.Move) string {
	if what := scene.Effect(say, m); what != "" {
		return ", " + what
	}
	return ""
}

// whyNot says why something can't be chosen.
func whyNot(say text.Say, err error) string {
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
