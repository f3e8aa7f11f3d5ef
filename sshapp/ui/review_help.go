package ui

import "ludoteca/games/analysis"

// Hints are the keys that work now. In a narrow window two or three of them have room.
func (s review) Hints() []hint {
	say := s.env.say
	switch {
	case s.view == nil:
		return nil
	case s.trying():
		return s.playHints()
	}
	move := hint{say.T("left right"), say.T("one move")}
	mistakes, back := hint{"n p", say.T("mistakes")}, hint{"esc", say.T("back")}
	var hints []hint
	switch marked := s.analysis.mark(s.at) != analysis.Fine; {
	case s.variation != nil && s.narrow():
		hints = []hint{move, back}
	case s.variation != nil:
		hints = []hint{move, {"esc", say.T("back to the match")}}
	case marked && s.narrow():
		hints = []hint{mistakes, {"b", say.T("better line")}, back}
	case marked:
		hints = []hint{move, mistakes, {"b", say.T("better line")}}
	case s.analysis.ready() && len(s.analysis.points[s.at].Line) > 0:
		hints = []hint{move, mistakes, back, {"b", say.T("best line")}}
	case s.analysis.ready():
		hints = []hint{move, mistakes, back}
	default:
		hints = []hint{move, back}
	}
	help := hint{"?", say.T("help")}
	if s.view.Over && !s.scene.Position().Result().Over {
		hints = append(hints, hint{"a", say.T("try moves")}, help, hint{"c", say.T("play on")})
	} else {
		hints = append(hints, help)
	}
	if s.analysis.ready() {
		hints = append(hints, hint{"m", say.T("all mistakes")})
	}
	hints = append(hints, hint{"home end", say.T("first and last")})
	if can, _ := s.scene.Turns(); can {
		hints = append(hints, hint{"f", say.T("flip")})
	}
	if s.analysis.ready() {
		hints = append(hints, hint{"g", say.T("graph")})
	}
	return append(hints, hint{say.T("up down"), say.T("two")}, hint{"pgup pgdn", say.T("twenty")})
}

// playHints are the keys where moves are tried.
func (s review) playHints() []hint {
	say := s.env.say
	back := hint{"backspace", say.T("take back")}
	if s.narrow() {
		return []hint{back, {"esc", say.T("done")}, {"?", say.T("help")}}
	}
	hints := []hint{{say.T("arrows enter"), say.T("or type a move")}, back, {"/", say.T("commands")}, {"esc", say.T("done")}}
	if can, _ := s.scene.Turns(); can {
		hints = append(hints, hint{"ctrl+f", say.T("flip")})
	}
	return append(hints, hint{"?", say.T("help")})
}

// Help says what the marks on the board and in the graph mean, and what can be learned here.
func (s review) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("Left and right go one move back and on. The board shows the match as it stood then, with the last move marked."),
		"# "+say.T("Where it was won and lost"),
		say.T("A finished match is looked over by the computer. Behind a move ?! is an inaccuracy, ? a mistake and ?? a blunder: it gave away a tenth, a fifth or three tenths of a point, or more. The keys n and p go from one to the next, m lists them all in words."),
		say.T("The graph is higher the better the first side stood; an arrow below it, or a stroke in it, shows where you are, and . ? × the three kinds of mistakes. A click goes there. The words in the last line say the same. What is called proven has been proven; all else is an estimate."),
		"# "+say.T("What was not played"),
		say.T("The key b plays the better line on the board, and a lets you try moves for both sides. Such moves stand in brackets and are kept nowhere; esc brings you back to the match. The key c starts a casual match against the computer from the board that you see."),
		"# "+say.T("As text"),
		say.T("The record of a match is text with all its moves: ssh ADDRESS record %s", string(s.id)),
	)
}
