package matchpage

import (
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/widget"
)

// Help explains the game, then the keys and commands.
func (s matchScreen) Help() string {
	say := s.env.Say
	if s.view == nil {
		return ""
	}
	about := s.view.Game.About()
	return widget.Paragraphs(
		"# "+say.Spell(about.Name),
		describe.Rules(s.env, about),
		"# "+say.T("At the board"),
		say.T("There are three ways to make a move: arrows and enter, a click with the mouse, or typing it. Letters and digits always belong to the move."),
		s.Scene.Legend(say.Say, s.env.Theme.ASCII),
		say.T("The mark behind the name of a person says how near they are: %s at this board, %s elsewhere or without a key for five minutes, %s gone.", s.env.Theme.Here, s.env.Theme.Away, s.env.Theme.Gone),
		say.T("Commands start with a slash, and tab completes them. Those that work now are listed with the keys."),
		say.T("Tab, or /chat, opens the chat: the players have one, those who watch another. Up and down choose a greeting, which the reader gets in their own language."),
		say.T("In a casual match against a computer player, /hint (ctrl+t) asks the strongest of them for a move, and /takeback (ctrl+z) undoes your last one. The match is marked as played with help."),
		say.T("With /draw you offer a draw, and in a casual match between people /takeback asks to take your last move back. /accept and /decline answer; a move lets an offer lapse."),
		say.T("When your opponent has left and not come back in time, the board says so: /claim takes the win, /claimdraw a draw, or you wait on."),
		say.T("A computer player resigns only when its loss is certain and you have found the way. While many people play, all computer players think for less time."),
		say.T("Leave when you like: the match is kept and waits under Your matches."),
		say.T("A clock runs on while you are away, and a side whose time is up loses. Until both sides have moved, each has some time of its own; a match without first moves is void."),
	)
}
