package review

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/widget"
)

// idOf returns the id of a match; "" before it has come.
func idOf(v *lobby.View) string {
	if v == nil {
		return ""
	}
	return string(v.ID)
}

// Help explains the marks on the board and in the graph, and the use of a review.
func (s reviewScreen) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Left and right go one move back and on. The board shows the match as it stood then, with the last move marked."),
		"# "+say.T("Where it was won and lost"),
		say.T("The computer analyses a finished match. Behind a move, ?! is an inaccuracy, ? a mistake and ?? a blunder: it gave away at least a tenth, a fifth or three tenths of a point. The keys n and p go from one to the next, m lists them all in words."),
		say.T("The graph is high where the first side stood well. An arrow below it, or a stroke in it, shows where you are; . ? × are the three kinds of mistakes. A click goes to that move. The last line says the same in words. Only what is called proven is certain; all else is an estimate."),
		say.T("Accuracy says how little the moves of a side gave away, from 0 to 100 %, as lichess computes it. The time behind a move is how long it took."),
		"# "+say.T("Other moves"),
		say.T("The key b plays the better line on the board, and a lets you try moves for both sides. Such moves stand in brackets and are not kept; esc goes back to the match. The key c begins a casual match from the position shown, with any opponent."),
		"# "+say.T("Your notes"),
		say.T("The key w writes a note on the position. Nobody else sees it, and it is deleted with your account. A note without a text is removed. As text: %s", say.SSH("note "+idOf(s.view))),
		"# "+say.T("Two people at one review"),
		say.T("The key t invites another player: type their name. You lead: they see your board, your moves and lines, but not your notes. Then t writes to them, and esc leaves. When you follow, the board shows what the other one shows."),
		"# "+say.T("As text"),
		say.T("The record of a match is text with all its moves: %s", say.SSH("record "+idOf(s.view))),
	)
}
