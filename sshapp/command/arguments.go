package command

import (
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// codeArg is the code of a match.
func codeArg() tree.Arg {
	return tree.Arg{Name: "CODE", Sample: "K7QM2X", Asks: text.T("Which match?"), Help: text.T("the code of the match, in capital or small letters")}
}

// matchArg is the id or the code of a match.
func matchArg() tree.Arg {
	return tree.Arg{Name: "ID|CODE", Sample: "K7QM2X", Asks: text.T("Which match?"), Help: text.T("the id of the match, as history prints it, or its code")}
}

// gameArg is a game.
func gameArg() tree.Arg {
	return tree.Arg{Name: "GAME", Sample: "tanks", Asks: text.T("Which game?"), Help: text.T("the game; games lists them")}
}

// gamesArg is a list of games.
func gamesArg() tree.Arg {
	return tree.Arg{Name: "GAME,...", Sample: "tanks", Asks: text.T("Which game?"), Help: text.T("the game, or several games with commas between; games lists them")}
}

// nameArg is a player.
func nameArg() tree.Arg {
	return tree.Arg{Name: "NAME", Sample: "ana", Asks: text.T("Which name?"), Help: text.T("the name of the player")}
}

// optional is an argument that may be left out.
func optional(a tree.Arg) tree.Arg {
	a.Optional = true
	return a
}

// presetFlag declares the flag with a set of options.
func presetFlag(f *tree.Flags) *string {
	return f.String("preset", "NAME", "", text.T("a named set of options; games lists them"))
}

// clockFlag declares the flag with a clock.
func clockFlag(f *tree.Flags) *string {
	return f.String("clock", "none|5+3|3d", "none", text.T("the clock: none, minutes and seconds for each move (5+3), or days for each move (3d)"))
}
