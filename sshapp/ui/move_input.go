package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
)

// A grip is a move in the making: where the hand is, what is typed, and why that can't be done. Whoever moves at a board
// has one: the table of a match, and the analysis of one.
type moveInput struct {
	sel     boardview.Selection
	typed   entry  // a move, or a command after a slash
	problem string // why what was typed or chosen can't be done
}

// retyped is the grip after the line has changed.
func (g moveInput) withTyped(typed entry) moveInput {
	if typed.text != g.typed.text {
		g.problem = ""
	}
	g.typed = typed
	return g
}

// takes takes a key into the line.
func (g moveInput) insertKey(msg tea.KeyPressMsg) moveInput {
	if msg.Text == "/" && !g.isCommand() {
		g.typed = entry{} // no move has a slash: this is a command
	}
	if typed, ok := g.typed.typed(msg, typedCells); ok {
		return g.withTyped(typed)
	}
	return g
}

// commands says that what is typed is a command.
func (g moveInput) isCommand() bool { return strings.HasPrefix(g.typed.text, "/") }

// meant is the hand as what is typed would have it.
func (g moveInput) selection(scene *boardview.Scene) boardview.Selection {
	if g.typed.text == "" || g.isCommand() {
		return g.sel
	}
	_, h := scene.Typed(g.typed.text, g.sel)
	return h
}

// adopts says whether an arrow is for the board although something is typed: it goes up or down, or what is typed has
// taken something up.
func (g moveInput) arrowMoves(scene *boardview.Scene, arrow arrow) bool {
	return !g.isCommand() && (arrow.y != 0 || g.selection(scene).From != boardview.Nowhere)
}

// adopt lets the hand take up what was typed.
func (g moveInput) acceptTyped(scene *boardview.Scene) moveInput {
	g.sel, g.typed = g.selection(scene), entry{}
	return g
}

// step moves the cursor.
func (g moveInput) step(scene *boardview.Scene, arrow arrow, flip bool) moveInput {
	g.sel, g.problem = scene.Step(g.sel, arrow.x, arrow.y, flip), ""
	return g
}

// letGo empties the line, or lets go of what is held.
func (g moveInput) cancel(scene *boardview.Scene) moveInput {
	g.problem = ""
	if g.typed.text != "" {
		g.typed = entry{}
		return g
	}
	g.sel = scene.Release(g.sel)
	return g
}

// reads is the legal move that is typed, or why there is none.
func (g moveInput) typedMove(p games.Position) (games.Move, error) {
	m, err := p.Read(g.typed.text)
	if err == nil {
		_, err = p.Play(m)
	}
	return m, err
}

// meaning says what the typed move would do. yours says that it can be played at once.
func (g moveInput) meaning(say text.Say, scene *boardview.Scene, yours bool) string {
	m, err := g.typedMove(scene.Position())
	moves, _ := scene.Typed(g.typed.text, g.sel)
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

// choosing says what the hand can do next: "" if it holds nothing and means nothing.
func (g moveInput) selectionPrompt(say text.Say, scene *boardview.Scene) string {
	if m := scene.SelectedMove(g.sel); m != "" {
		return say.T("enter plays %s", string(m)) + effectOf(say, scene, m)
	}
	if g.sel.From == boardview.Nowhere {
		return ""
	}
	if can, _ := scene.Turns(); !can {
		return say.T("Left and right turn it, enter plays.")
	}
	return say.T("Choose where it goes, esc lets go.")
}

// matching are the names of commands among those available that start with what is typed.
func (g moveInput) matching(available []command) []string {
	start := strings.ToLower(strings.TrimPrefix(g.typed.text, "/"))
	var names []string
	for _, a := range available {
		for _, c := range commandNames {
			if c.command == a && strings.HasPrefix(c.name, start) {
				names = append(names, c.name)
			}
		}
	}
	return names
}

// complete is tab: it completes a command as far as it is clear which one is meant.
func (g moveInput) complete(available []command) moveInput {
	names := g.matching(available)
	if !g.isCommand() || len(names) == 0 {
		return g
	}
	common := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, common) {
			common = common[:len(common)-1]
		}
	}
	return g.withTyped(entry{}.insert("/"+common, typedCells))
}

// command takes the command that is typed out of the line: one that exists, available or not, or the only one available
// that starts like it. It is cmdNone, and the problem says why, if that is not clear.
func (g moveInput) command(say text.Say, available []command) (moveInput, command) {
	name := strings.TrimSpace(strings.TrimPrefix(g.typed.text, "/"))
	names := g.matching(available)
	for _, c := range commandNames {
		known := strings.EqualFold(c.name, name)
		if known || len(names) == 1 && names[0] == c.name {
			g.typed = entry{}
			return g, c.command
		}
	}
	g.problem = g.commandMatches(say, available)
	if len(names) > 0 {
		g.problem = say.T("Which one: %s?", g.problem)
	}
	return g, cmdNone
}

// commanding says which commands start with what is typed, or that there is none.
func (g moveInput) commandMatches(say text.Say, available []command) string {
	names := g.matching(available)
	if len(names) == 0 {
		name := strings.TrimSpace(strings.TrimPrefix(g.typed.text, "/"))
		return say.T("There is no command /%s here. Tab after / shows them.", text.Cut(name, 12))
	}
	return "/" + strings.Join(names, " /")
}

// How many moves are named among other words, and in a line of their own.
const (
	fewMoves  = 4
	someMoves = 6
)

// firstOf are the first few of some moves.
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

// does is what a move would do beside, behind a comma.
func effectOf(say text.Say, scene *boardview.Scene, m games.Move) string {
	if what := scene.Effect(say, m); what != "" {
		return ", " + what
	}
	return ""
}

// whyNot says why a choice on the board is none.
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
