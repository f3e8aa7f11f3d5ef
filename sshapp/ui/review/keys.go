package review

import (
	"charm.land/bubbles/v2/key"

	"ludoteca/games/analysis"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// reviewPage is the number of moves by which the page keys move.
const reviewPage = 20

// reviewSteps maps keys to the number of moves by which they step.
var reviewSteps = map[string]int{
	"left": -1, "backspace": -1, "right": 1, "enter": 1, "space": 1,
	"up": -2, "down": 2, "pgup": -reviewPage, "pgdown": reviewPage,
}

// keys returns the keys that there are now.
func (s reviewScreen) keys() *widget.Actions[reviewScreen] {
	switch {
	case s.view == nil:
		return &widget.Actions[reviewScreen]{}
	case s.notes.typing:
		return &noteKeys
	case s.together.typing:
		return &togetherKeys
	case s.together.follows():
		return &followKeys
	case s.trying():
		return &tryKeys
	}
	return &reviewKeys
}

// reviewKeys are the keys of a review. In a narrow window two or three of them have room in the footer.
var reviewKeys = widget.Actions[reviewScreen]{
	Footer: []widget.Action[reviewScreen]{
		widget.OnKey(text.T("left right"), text.T("one move"), stepKey, "left", "right").Listed(namesSteps),
		widget.OnKey("n p", text.T("mistakes"), seekKey, "n", "p").Listed(namesMistakes),
		widget.On("b", text.T("better line"), showLine, "b").Listed(atMistake),
		widget.On("esc", text.T("back"), backToMatch, "esc").Listed(namesBack).Doing(backWhat),
		widget.On("b", text.T("best line"), showLine, "b").Listed(namesBestLine),
		widget.On("a", text.T("try moves"), tryMoves, "a").Listed(canTry).Doing(tryWhat),
		widget.On("?", text.T("help"), openHelp, "?"),
		widget.On("c", text.T("play on"), playOn, "c").Listed(open),
		widget.On("m", text.T("all mistakes"), list, "m").Listed(analysed),
		widget.On("w", text.T("note"), writeNote, "w").Listed(canNote).When(canNote),
		widget.On("t", text.T("together"), openLine, "t").Listed(canTogether).When(hasTogether).Doing(togetherWhat),
		widget.OnKey("home end", text.T("first and last"), endKey, "home", "end"),
		widget.On("f", text.T("flip"), flip, "f", "ctrl+f").Listed(canFlip),
		widget.On("g", text.T("graph"), toggleGraph, "g").Listed(analysed),
		// Translators: "two" is two moves back or on.
		widget.OnKey(text.T("up down"), text.T("two"), stepKey, "up", "down"),
		// Translators: "twenty" is twenty moves back or on.
		widget.OnKey("pgup pgdn", text.T("twenty"), stepKey, "pgup", "pgdown"),
	},
	Others: []widget.Action[reviewScreen]{widget.OnKey("", "", stepKey, "backspace", "enter", "space")},
}

// tryKeys are the keys where moves are tried: as at the board of a match.
var tryKeys = widget.Actions[reviewScreen]{
	Footer: []widget.Action[reviewScreen]{
		widget.On(text.T("arrows enter"), text.T("or type a move"), reviewScreen.enter, "enter").Listed(wide),
		widget.On("ctrl+p", text.T("plan this line"), planLine, "ctrl+p").Listed(planning).When(planning),
		widget.On("backspace", text.T("take back"), takeback, "backspace").When(typesNothing),
		widget.Typed[reviewScreen]("/", text.T("commands")).Listed(wide),
		widget.On("esc", text.T("done"), cancel, "esc").Doing(cancelWhat),
		widget.On("ctrl+f", text.T("flip"), flip, "ctrl+f").Listed(namesFlip),
		widget.On("?", text.T("help"), openHelp, "?").When(typesNoCommand),
	},
	Others:   []widget.Action[reviewScreen]{widget.On("", "", complete, "tab")},
	Commands: reviewCommands.Help,
}

func (s reviewScreen) ShortHelp() []key.Binding  { return s.keys().ShortHelp(s) }
func (s reviewScreen) FullHelp() [][]key.Binding { return s.keys().FullHelp(s) }

// The conditions of keys and of their places in the footer.

func wide(s reviewScreen) bool { return !s.Narrow() }

func analysed(s reviewScreen) bool { return s.analysis.Ready() }
func atMistake(s reviewScreen) bool {
	return s.variation == nil && s.analysis.Mark(s.at) != analysis.Fine
}

func namesSteps(s reviewScreen) bool     { return !s.Narrow() || !atMistake(s) }
func namesMistakes(s reviewScreen) bool  { return s.variation == nil && analysed(s) }
func namesBack(s reviewScreen) bool      { return s.Narrow() || !atMistake(s) }
func namesFlip(s reviewScreen) bool      { return wide(s) && canFlip(s) }
func typesNothing(s reviewScreen) bool   { return s.Input.Empty() }
func typesNoCommand(s reviewScreen) bool { return !s.Input.IsCommand() }
func namesBestLine(s reviewScreen) bool {
	return s.variation == nil && !atMistake(s) && len(s.analysis.Line(s.at)) > 0
}

// open reports whether the match is over and the game goes on here, so that moves can be tried.
func open(s reviewScreen) bool { return s.view.Over && !s.Scene.Position().Result().Over }

// canTry reports whether moves can be tried from the board on.
func canTry(s reviewScreen) bool { return open(s) || plans(s) }

// backWhat and cancelWhat say in English what esc does.
func backWhat(s reviewScreen) string {
	if s.variation != nil && wide(s) {
		return text.T("back to the match")
	}
	return text.T("back")
}

func cancelWhat(s reviewScreen) string { return s.Input.CancelWhat(text.T("done")) }

func canFlip(s reviewScreen) bool { return mayFlip(s) == nil }
