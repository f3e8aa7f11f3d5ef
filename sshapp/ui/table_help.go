package ui

// Help explains the game, then the keys of the board.
func (s matchScreen) Help() string {
	say := s.env.say
	if s.view == nil {
		return ""
	}
	about := s.view.Game.About()
	return paragraphs(
		"# "+about.Name,
		say.T(about.Sentence)+"\n\n"+say.HowTo(about),
		"# "+say.T("At the board"),
		say.T("There are three ways to make a move: arrows and enter, a click with the mouse, or typing it. Letters and digits always belong to the move."),
		s.scene.Legend(say, s.env.theme.ascii),
		say.T("Commands start with a slash: /resign, /abort before both have moved, /flip, /review, /lobby, /quit. Tab completes them."),
		say.T("In a casual match against a computer player, /hint (ctrl+t) asks the strongest of them for a move, and /takeback (ctrl+z) undoes your last one. The match is marked as played with help."),
		say.T("A computer player resigns only what it has lost for certain, when you have found the way. While many play at once, all computer players think shorter."),
		say.T("Leave when you like: the match is kept and waits under Your matches."),
	)
}
