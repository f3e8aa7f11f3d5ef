package ui

import (
	"strings"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// state returns what the drawing of the board depends on besides the position.
func (s matchScreen) state() boardview.State {
	return boardview.State{
		Selection: s.input.selection(s.scene), Yours: s.yours(), Over: !s.running(), Flip: s.flipped(), Scroll: s.scroll,
	}
}

func (s matchScreen) layout(w, h int) boardLayout { return layoutBoard(s.scene, s.state(), w, h) }

func (s matchScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	w, h := p.width, p.height
	t, say := s.env.theme, s.env.say
	if s.view == nil {
		p.end()
		p.line(menuColumn, t.dim, say.T("Going to the board ..."))
		p.wrap(menuColumn, t.accent, s.input.problem, w-2*menuColumn)
		return
	}
	l, status := s.layout(w, h), s.statusArea(w)
	bottom := l.y + l.board.Height
	last := min(linesOf(status.prompt, w-2*margin, 2), h-bottom-1)
	if !s.input.empty() {
		last = 1
	}
	room := max(h-last-status.lines(w), bottom) // the panel makes room for the status, the board doesn't
	p.part(room, func(p *page) { drawBoardAndPanel(p, t, l, s.scene, s.state(), s.panel(l)) })
	drawWords(p, status.style, status.mark, status.words, h-last-room)
	switch {
	case s.asking != "": // nothing but the question
	case s.sending != "":
		p.line(margin, t.dim, say.T("%s is on its way ...", string(s.sending)))
	case !s.input.empty():
		drawTyped(p, t, s.input, status.prompt)
	default:
		drawWords(p, t.dim, "", status.prompt, last)
	}
}

// A statusArea is what stands below the board.
type statusArea struct {
	style  canvas.Style
	mark   string
	words  string // above the typed text
	prompt string // what the typed text means, else what can be done
}

const alertLines = 3 // of a statusArea's words

// statusArea returns what matters now, and the meaning of the typed text. A meaning that doesn't fit behind the text stands
// above it, so that a player who is told how to write a move can read it to the end.
func (s matchScreen) statusArea(w int) statusArea {
	t := s.env.theme
	a := statusArea{style: t.accent, mark: t.waiting + " ", words: s.alert()}
	switch {
	case s.asking != "", s.sending != "":
	case s.input.empty():
		a.prompt = s.prompt()
	case s.input.problem == "":
		a.prompt = s.meaning()
		if margin+typedFrom+text.Width(s.input.typed.text)+meaningGap+text.Width(a.prompt) > w-margin {
			a = statusArea{style: t.dim, mark: text.Spaces(typedFrom), words: a.prompt}
		}
	}
	return a
}

// lines returns how many lines the words take in a window of the given width.
func (a statusArea) lines(w int) int {
	if a.words == "" {
		return 0
	}
	return linesOf(a.words, w-2*margin-text.Width(a.mark), alertLines)
}

// alert returns what matters now: an open question, what went wrong, a hint, a rematch, or what the rules demand.
func (s matchScreen) alert() string {
	switch {
	case s.asking != "":
		return s.question()
	case s.input.problem != "":
		return s.input.problem
	case s.hint != "":
		return s.hint
	}
	if r := s.view.Rematch; s.hasPlayed() && r != nil && !r.Taken && r.By != s.env.who.Occupant() {
		return s.env.say.T("%s asks for a rematch: press r.", occupant(s.env, r.By))
	}
	if s.showsUrgent() {
		for _, n := range s.scene.Notes(s.env.say, s.names()) {
			if n.Urgent {
				return s.noteText(n)
			}
		}
	}
	return ""
}

// showsUrgent reports whether the first urgent note stands in the status area. A player who waits isn't hurried.
func (s matchScreen) showsUrgent() bool {
	return s.asking == "" && s.input.problem == "" && s.hint == "" && (s.yours() || s.running() && !s.plays())
}

// meaning says what the typed text would do.
func (s matchScreen) meaning() string {
	if s.input.isCommand() {
		return s.input.commandMeaning(s.env.say, available(s, onMatch))
	}
	return s.input.meaning(s.env.say, s.scene, s.yours())
}

// prompt says what can be done while nothing is typed.
func (s matchScreen) prompt() string {
	say := s.env.say
	switch {
	case !s.inPlay():
		return ""
	case !s.yours():
		return say.T("%s is to move.", s.names()[s.view.Turn])
	case s.hinting:
		return say.T("Looking for a hint ...")
	}
	if words := s.input.prompt(say, s.scene); words != "" {
		return words
	}
	if s.narrow() {
		return say.T("Your move: arrows, enter, or type it.")
	}
	return say.T("Your move: arrows and enter, a click, or type it.")
}

// Cursor stands in the typed text, else on the board.
func (s matchScreen) Cursor() (x, y int, shown bool) {
	if s.view == nil || s.asking != "" || s.input.empty() && !s.yours() {
		return 0, 0, false
	}
	x, y = inputCursor(s.input, s.scene, s.layout(s.size.Width, s.size.Height), s.state(), s.size.Height)
	return x, y, true
}

// names returns the names of the players, by side.
func (s matchScreen) names() [2]string {
	names := namesOf(s.env, s.view.Game, s.view.Seats)
	for side, o := range s.view.Seats {
		switch {
		case o.Kind != storage.Free:
		case s.view.Reserved.Kind != storage.Free:
			names[side] = occupant(s.env, s.view.Reserved)
		default:
			names[side] = s.env.say.T("nobody yet")
		}
	}
	return names
}

// Title is the game, its variant, the match, and whether it is rated.
func (s matchScreen) Title() string {
	if s.view == nil {
		return "Ludoteca"
	}
	return titleOf(s.env, s.view, s.narrow())
}

// narrow reports whether there is no room for words that can be spared.
func (s matchScreen) narrow() bool { return s.size.Width < bothColumns }

// Status is the name of the player, where there is room, and how things stand.
func (s matchScreen) Status() string {
	name := text.Clean(s.env.who.Name)
	switch {
	case s.view == nil:
		return name
	case s.narrow():
		return s.standing()
	}
	return name + s.env.theme.dot + s.standing()
}

// standing says in two words how things stand.
func (s matchScreen) standing() string {
	say := s.env.say
	switch {
	case s.view.Over:
		return say.T("over")
	case s.waiting():
		return say.T("waiting")
	case s.bothSeats():
		return say.T("%s to move", say.T(s.view.Game.About().Sides[s.view.Turn])) // the player's name is there already
	case s.view.YourTurn(s.env.who):
		return say.T("your move")
	case s.plays():
		return say.T("waiting")
	}
	return say.T("watching")
}

// WindowTitle says that the other side has moved.
func (s matchScreen) WindowTitle() string {
	if s.view != nil && s.view.YourTurn(s.env.who) && !s.bothSeats() {
		return s.env.say.T("your move")
	}
	return ""
}

// ConfirmLeave asks once while a match goes on.
func (s matchScreen) ConfirmLeave() string {
	say := s.env.say
	switch {
	case !s.inPlay():
		return ""
	case s.env.who.Player() == "":
		return say.T("Guests who leave lose their match after a while. Leave? ctrl+c once more.")
	}
	return say.T("Your match goes on, and waits for you here. Leave? ctrl+c once more.")
}

// HandlesEsc reports whether esc cancels something here.
func (s matchScreen) HandlesEsc() bool { return s.scene != nil && s.input.cancels() }

// Asking reports whether a question waits for a second enter.
func (s matchScreen) Asking() bool { return s.asking != "" }

// InMatch keeps the session from ending while a match goes on.
func (s matchScreen) InMatch() bool { return s.running() }

// Typing reports whether letters are moves.
func (s matchScreen) Typing() bool { return s.inPlay() || !s.input.empty() }

// Keys returns the keys that work now.
func (s matchScreen) Keys() keyMap { return s.keys() }

// rulesPlies is for how many plies the rules stand beside a board.
const rulesPlies = 8

// panel returns what stands beside or below the board.
func (s matchScreen) panel(l boardLayout) panel {
	p := newPanel(l.width, l.height)
	turn := -1
	if s.running() {
		turn = int(s.view.Turn)
	}
	p.addPlayers(s.env, s.scene, s.names(), strengths(s.env, s.view), turn, l.beside)
	switch {
	case s.waiting():
		s.addWaiting(&p)
	case s.view.Over:
		p.gap()
		p.wrap(s.env.theme.accent, 0, ending(s.env, s.view, s.names()))
		p.addHelp(s.env, s.view)
	case s.view.Ply()-s.view.Start < rulesPlies && s.plays() && l.beside:
		s.addRules(&p)
	}
	if s.running() {
		s.addNotes(&p)
	}
	p.addMoves(s.env.theme, newMoveList(s.view.Moves), l.beside)
	return p
}

// addRules says the rules in three lines, or as running text where there is no room for these.
func (s matchScreen) addRules(p *panel) {
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

// addNotes says how things stand.
func (s matchScreen) addNotes(p *panel) {
	t, say := s.env.theme, s.env.say
	p.gap()
	urgent := s.showsUrgent()
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
	p.addHelp(s.env, s.view)
}

// noteText returns a note, in the words for the side to move if the player is that.
func (s matchScreen) noteText(n boardview.Note) string {
	if n.You != "" && s.plays() && !s.bothSeats() && s.view.Holds(s.env.who, s.view.Turn) {
		return n.You
	}
	return n.Words
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

// fewAhead is up to how many in the queue are counted exactly; see lobby.View.Ahead.
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

// addWaiting says what a match waits for, with the code to pass on.
func (s matchScreen) addWaiting(p *panel) {
	t, say := s.env.theme, s.env.say
	p.gap()
	switch {
	case s.invited():
		p.wrap(t.plain, 0, say.T("This seat is kept for you: enter takes it."))
	case s.canJoin():
		p.wrap(t.plain, 0, say.T("The seat is free: enter takes it."))
	case !s.plays():
		p.wrap(t.plain, 0, say.T("Nobody has taken the second seat yet."))
	case s.view.Reserved.Kind != storage.Free:
		p.wrap(t.plain, 0, say.T("Waiting for %s to accept.", occupant(s.env, s.view.Reserved)))
	case s.view.Public:
		p.wrap(t.plain, 0, say.T("Your offer is in the lobby. The match starts when somebody takes it, or a friend joins with the code"))
		s.addCode(p)
	default:
		p.wrap(t.plain, 0, say.T("Tell your friend the code"))
		s.addCode(p)
		p.wrap(t.dim, 0, say.T("Your friend chooses Join by code here, or types: ssh -t ADDRESS join %s", s.view.Code))
	}
}

// addCode adds the code with air around it.
func (s matchScreen) addCode(p *panel) {
	p.gap()
	p.line(styledRun{s.env.theme.accent, "  " + strings.Join(strings.Split(s.view.Code, ""), " ")})
	p.gap()
}
