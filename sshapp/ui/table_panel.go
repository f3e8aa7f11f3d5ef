package ui

import (
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// youngPlies is how long the rules stand beside a board.
const youngPlies = 8

// namesOf are the players by side. Somebody who plays both sides gets their names behind his own.
func namesOf(e *env, g games.Game, seats [2]storage.Occupant) [2]string {
	names := [2]string{occupant(e, seats[0]), occupant(e, seats[1])}
	if names[0] == names[1] {
		for side := range names {
			names[side] += " (" + e.say.T(g.About().Sides[side]) + ")"
		}
	}
	return names
}

// panel is what stands beside or below the board.
func (s matchScreen) panel(sp boardLayout) panel {
	p := newPanel(sp.width, sp.height)
	t := s.env.theme
	s.drawPlayers(&p, sp.beside)
	switch {
	case s.waiting():
		s.drawWaiting(&p)
	case s.view.Over:
		p.gap()
		p.wrap(t.accent, 0, ending(s.env, s.view, s.names()))
		drawAid(&p, s.env, s.view)
	case s.view.Ply()-s.view.Start < youngPlies && s.plays() && sp.beside:
		s.drawRules(&p)
	}
	if s.running() {
		s.drawNotes(&p)
	}
	drawMoves(&p, t, newMoveList(s.view.Moves), sp.beside)
	return p
}

// brief says the rules in three lines, or running where there is no room for these.
func (s matchScreen) drawRules(p *panel) {
	p.gap()
	lines := s.view.Game.About().Brief
	words := make([]string, len(lines))
	for i, line := range lines {
		words[i] = s.env.say.T(line)
	}
	if p.width < panelMax {
		words = []string{strings.Join(words, " ")}
	}
	for _, line := range words {
		p.wrap(s.env.theme.dim, 0, line)
	}
}

// players draws both names with what stands beside each: rating, whose turn it is, what the game counts.
func (s matchScreen) drawPlayers(p *panel, beside bool) {
	turn := -1
	if s.running() {
		turn = int(s.view.Turn)
	}
	drawPlayers(p, s.env, s.scene, s.names(), strengths(s.env, s.view), turn, beside)
}

// strengths are the ratings of the players in words: at the end of a rated match before and after it, "" for none.
func strengths(e *env, v *lobby.View) [2]string {
	var words [2]string
	arrow := " → "
	if e.theme.ascii {
		arrow = " -> "
	}
	for side, s := range v.Strength {
		switch {
		case v.Ratings != nil:
			words[side] = ratingOf(v.Ratings[side].Before) + arrow + ratingOf(v.Ratings[side].After)
		case s.Known:
			words[side] = rated(s.Rating, s.Provisional)
		}
	}
	return words
}

// drawPlayers draws the two players, the one whose turn it is with a mark.
func drawPlayers(p *panel, e *env, scene *boardview.Scene, names, strong [2]string, turn int, beside bool) {
	t := e.theme
	for side, name := range names {
		mark, y := " ", t.plain
		if side == turn {
			mark, y = t.pick, t.bold
		}
		ink := t.first
		if games.Side(side) == games.Second {
			ink = t.second
		}
		token := scene.Token(games.Side(side), t.ascii)
		standing, hand := scene.Standing(e.say, games.Side(side)), scene.Reserve(games.Side(side), t.ascii)
		strength, below := strong[side], ""
		if beside {
			below = standing + heading("  ", hand)
			standing, hand = "", ""
		}
		taken := text.Width(t.pick+token) + 2
		name, tail := fitPlayer(p.width-taken, name, heading("  ", strength), heading(t.dot, standing), heading("  ", hand))
		p.line(styledRun{t.accent, mark}, styledRun{t.plain, " "}, styledRun{ink, token}, styledRun{t.plain, " "}, styledRun{y, name}, styledRun{t.dim, tail})
		if below != "" {
			p.line(styledRun{t.dim, "    " + below})
		}
	}
}

// heading is words with something before them, or nothing.
func heading(before, words string) string {
	if words == "" {
		return ""
	}
	return before + words
}

// fitPlayer makes a name and what stands behind it fit into a line. What matters less is left out as a whole: the hand in
// pictures, then the strength; then the name is cut.
func fitPlayer(width int, name, strength, standing, hand string) (cut, tail string) {
	const shortest = 8 // of a name that has to make room
	for _, tail := range []string{strength + standing + hand, strength + standing, standing} {
		if text.Width(name)+text.Width(tail) <= width {
			return name, tail
		}
	}
	if room := width - text.Width(standing); room >= shortest {
		return text.Cut(name, room), standing
	}
	return text.Cut(name, width), ""
}

// notes says how things stand. What is urgent has its line below the board.
func (s matchScreen) drawNotes(p *panel) {
	t, say := s.env.theme, s.env.say
	p.gap()
	urgent := s.alerted() // the first urgent note is shown below
	for _, n := range s.scene.Notes(say, s.names()) {
		if n.Urgent && urgent {
			urgent = false
			continue
		}
		p.wrap(t.dim, 0, s.noteText(n))
	}
	if words := s.thinking(); words != "" {
		p.wrap(t.dim, 0, words)
	}
	drawAid(p, s.env, s.view)
}

// said is a note in the words for the one who reads it.
func (s matchScreen) noteText(n boardview.Note) string {
	if n.You != "" && s.plays() && !s.bothSeats() && s.view.Holds(s.env.who, s.view.Turn) {
		return n.You
	}
	return n.Words
}

// drawAid says where a match began, if not at the beginning, and what help was taken.
func drawAid(p *panel, e *env, v *lobby.View) {
	if v.Start > 0 {
		p.wrap(e.theme.dim, 0, e.say.T("It began after move %d.", v.Start))
	}
	if words := e.say.Helped(v.Helped); words != "" {
		p.wrap(e.theme.dim, 0, words)
	}
}

// thinking says how far a computer player is.
func (s matchScreen) thinking() string {
	say, name := s.env.say, text.Clean(s.view.Seats[s.view.Turn].Name)
	switch s.view.Reply {
	case lobby.Thinking:
		return say.T("%s is thinking ...", name)
	case lobby.Queued:
		return s.queued(name)
	case lobby.Paused:
		return say.T("%s waits for somebody to watch.", name)
	}
	return ""
}

// fewAhead is up to how many in a line are counted exactly; see lobby.View.Ahead.
const fewAhead = 5

// queued says how many come before a computer player.
func (s matchScreen) queued(name string) string {
	say, n := s.env.say, s.view.Ahead
	switch {
	case n == 1:
		return say.T("%s waits for its turn to think: one before it.", name)
	case n <= fewAhead:
		return say.T("%s waits for its turn to think: %d before it.", name, n)
	}
	return say.T("%s waits for its turn to think: some %d before it. While so many play, all think shorter.", name, n)
}

// invitation says what a match waits for: the code to pass on, in large.
func (s matchScreen) drawWaiting(p *panel) {
	t, say := s.env.theme, s.env.say
	p.gap()
	switch {
	case s.invited():
		p.wrap(t.plain, 0, say.T("This seat is kept for you: enter takes it."))
	case s.can(cmdJoin):
		p.wrap(t.plain, 0, say.T("The seat is free: enter takes it."))
	case !s.plays():
		p.wrap(t.plain, 0, say.T("Nobody has taken the second seat yet."))
	case s.view.Reserved.Kind != storage.Free:
		p.wrap(t.plain, 0, say.T("Waiting for %s to accept.", occupant(s.env, s.view.Reserved)))
	case s.view.Public:
		p.wrap(t.plain, 0, say.T("Your offer is in the lobby. The match starts when somebody takes it, or a friend joins with the code"))
		s.drawCode(p)
	default:
		p.wrap(t.plain, 0, say.T("Tell your friend the code"))
		s.drawCode(p)
		p.wrap(t.dim, 0, say.T("Your friend chooses Join by code here, or types: ssh -t ADDRESS join %s", s.view.Code))
	}
}

// code draws the code with air around it.
func (s matchScreen) drawCode(p *panel) {
	p.gap()
	p.line(styledRun{s.env.theme.accent, "  " + strings.Join(strings.Split(s.view.Code, ""), " ")})
	p.gap()
}

// ending says who has won and why.
func ending(e *env, v *lobby.View, names [2]string) string {
	return e.say.Ending(v.Game.About(), v.Result, v.Reason, names[0], names[1]) + "."
}

// ratingOf is a rating as it is kept; of somebody who has not played, the one that everybody starts with.
func ratingOf(r storage.Rating) string {
	g := rating.Glicko{Rating: r.Rating, Deviation: r.Deviation}
	if r.At.IsZero() {
		g = rating.Newcomer()
	}
	return rated(g.Rating, g.Provisional())
}
