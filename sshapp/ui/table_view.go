package ui

import (
	"strings"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// state is what the drawing of the board depends on beside the position.
func (s matchScreen) state() boardview.State {
	return boardview.State{
		Selection: s.selection(s.scene), Yours: s.yours(), Over: !s.running(), Flip: s.flipped(), Scroll: s.scroll,
	}
}

func (s matchScreen) layout(w, h int) boardLayout { return layoutBoard(s.scene, s.state(), w, h) }

// boardExtra is what a page with a board takes beside a byte a cell, about: colours, and characters of three bytes.
const boardExtra = 4 << 10

func (s matchScreen) View(w, h int) string {
	p := pageOf(w, h, w*h+boardExtra)
	s.draw(p)
	return p.String()
}

// A drawer draws its page straight into App's, which spares boards, that are drawn with every key, to be copied and measured.
type drawer interface{ draw(p *page) }

// draw is View on a page that is there already.
func (s matchScreen) draw(p *page) {
	w, h := p.width, p.height
	t, say := s.env.theme, s.env.say
	if s.view == nil {
		p.end()
		p.line(menuColumn, t.dim, say.T("Going to the board ..."))
		for _, line := range text.Wrap(s.problem, w-2*menuColumn) {
			p.line(menuColumn, t.accent, line)
		}
		return
	}
	st := s.state()
	sp := layoutBoard(s.scene, st, w, h)
	f := s.statusArea(w)
	board := sp.y + sp.board.Height
	last := min(linesOf(f.prompt, w-2*margin, 2), h-board-1)
	if s.typed.text != "" {
		last = 1
	}
	room := max(h-last-f.lines(w), board) // the panel makes room for what matters, the board doesn't
	p.part(room, func(p *page) { drawBoardAndPanel(p, sp, s.painted(sp, st), s.panelLines(sp)) })
	drawWords(p, f.style, f.mark, f.words, h-last-room)
	s.drawInput(p, f.prompt, last)
}

// drawWords draws words with a mark before them at the end of some lines.
func drawWords(p *page, y style, mark, words string, lines int) {
	all := text.Wrap(words, p.width-2*margin-text.Width(mark))
	if len(all) > lines {
		all = append(all[:lines-1:lines-1], strings.Join(all[lines-1:], " "))
	}
	p.down(p.lines + lines - len(all))
	for i, line := range all {
		if i > 0 {
			mark = text.Spaces(text.Width(mark))
		}
		p.line(margin, y, mark+text.Cut(line, p.width-2*margin-text.Width(mark)))
	}
}

// alert is what matters just now: what went wrong, else what is asked, else what the rules demand.
func (s matchScreen) alert() string {
	if s.problem != "" {
		return s.problem
	}
	if s.hint != "" {
		return s.hint
	}
	if s.view.Over && s.plays() {
		if r := s.view.Rematch; r != nil && !r.Taken && r.By != s.env.who.Occupant() {
			return s.env.say.T("%s asks for a rematch: press r.", occupant(s.env, r.By))
		}
	}
	if s.alerted() {
		for _, n := range s.scene.Notes(s.env.say, s.names()) {
			if n.Urgent {
				return s.noteText(n)
			}
		}
	}
	return ""
}

// alerted says whether an urgent note stands in the line for what matters. Who waits for the other one isn't hurried.
func (s matchScreen) alerted() bool {
	return s.problem == "" && s.hint == "" && (s.yours() || s.running() && !s.plays())
}

// names are who plays, by side. Where both are the same, the sides are told apart by what the game calls them.
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

// meaning says what the typed line would do.
func (s matchScreen) meaning() string {
	if s.isCommand() {
		return s.commandMatches(s.env.say, s.available())
	}
	return s.moveInput.meaning(s.env.say, s.scene, s.yours())
}

// prompt says what can be done while nothing is typed.
func (s matchScreen) prompt() string {
	say := s.env.say
	switch {
	case !s.running() || !s.plays():
		return ""
	case !s.yours():
		return say.T("%s is to move.", s.names()[s.view.Turn])
	case s.hinting:
		return say.T("Looking for a hint ...")
	}
	if words := s.selectionPrompt(say, s.scene); words != "" {
		return words
	}
	if s.narrow() {
		return say.T("Your move: arrows, enter, or type it.")
	}
	return say.T("Your move: arrows and enter, a click, or type it.")
}

// Cursor stands in the typed line, else on the board.
func (s matchScreen) Cursor() (x, y int, shown bool) {
	switch {
	case s.view == nil:
		return 0, 0, false
	case s.typed.text != "":
		return margin + typedFrom + s.typed.column(), s.size.Height - 1, true
	case !s.yours():
		return 0, 0, false
	}
	sp := s.layout(s.size.Width, s.size.Height)
	x, y = s.scene.CursorCell(sp.board, s.state())
	return sp.x + x, sp.y + y, true
}

// Title is the game, its variant, the match, and whether it counts.
func (s matchScreen) Title() string {
	if s.view == nil {
		return "Ludoteca"
	}
	return s.aside().title
}

// titleOf is a game with its variant, if that is worth a word, and its match. A narrow window has room for the names alone.
func titleOf(e *env, v *lobby.View, narrow bool) string {
	say, dot := e.say, e.theme.dot
	if narrow {
		return shortName(v.Game) + dot + v.Code
	}
	title := v.Game.About().Name
	if kind := variant(say, v.Game.About(), v.Options); kind != say.T("standard") {
		title += " " + kind
	}
	return title + dot + say.T("match %s", v.Code) + dot + casual(say, v.Rated)
}

// narrow says that there is no room for words that could be missed.
func (s matchScreen) narrow() bool { return s.size.Width < bothColumns }

func (s matchScreen) Status() string {
	if s.view == nil {
		return text.Clean(s.env.who.Name)
	}
	return s.aside().status
}

func (s matchScreen) status() string {
	if s.narrow() {
		return s.standing()
	}
	return text.Clean(s.env.who.Name) + s.env.theme.dot + s.standing()
}

// standing says in two words how things are.
func (s matchScreen) standing() string {
	say := s.env.say
	switch {
	case s.view.Over:
		return say.T("over")
	case s.waiting():
		return say.T("waiting")
	case s.bothSeats():
		return say.T("%s to move", say.T(s.view.Game.About().Sides[s.view.Turn])) // his own name is there already
	case s.view.YourTurn(s.env.who):
		return say.T("your move")
	case s.plays():
		return say.T("waiting")
	}
	return say.T("watching")
}

// Calling is what the window's title says when the other side has moved.
func (s matchScreen) Calling() string {
	if s.view == nil {
		return ""
	}
	return s.aside().calling
}

func (s matchScreen) calling() string {
	if s.view.YourTurn(s.env.who) && !s.bothSeats() {
		return s.env.say.T("your move")
	}
	return ""
}

// Leaving asks once while a match goes on.
func (s matchScreen) Leaving() string {
	say := s.env.say
	switch {
	case !s.running() || !s.plays():
		return ""
	case s.env.who.Player() == "":
		return say.T("Guests who leave lose their match after a while. Leave? ctrl+c once more.")
	}
	return say.T("Your match goes on, and waits for you here. Leave? ctrl+c once more.")
}

// Escaping says that esc has something to let go of.
func (s matchScreen) Escaping() bool {
	return s.typed.text != "" || s.sel.From != boardview.Nowhere && s.scene != nil || s.asked != cmdNone
}

// Playing keeps the session from ending while a match goes on.
func (s matchScreen) Playing() bool { return s.running() }

// Typing says that letters are moves.
func (s matchScreen) Typing() bool { return s.running() && s.plays() || s.typed.text != "" }

// afterwards are the keys at the end of a match.
func (s matchScreen) afterwards() []hint {
	say := s.env.say
	var hints []hint
	if s.can(cmdRematch) {
		hints = append(hints, hint{"r", say.T("rematch")})
	}
	if s.can(cmdReview) {
		hints = append(hints, hint{"v", say.T("review")})
	}
	return append(hints, hint{"n", say.T("new opponent")}, hint{"esc", say.T("lobby")})
}

func (s matchScreen) Hints() []hint {
	if s.view == nil {
		return nil
	}
	return s.aside().hints
}

func (s matchScreen) hints() []hint {
	say := s.env.say
	switch {
	case s.view.Over && s.plays():
		return s.afterwards()
	case s.invited():
		return []hint{{"enter", say.T("take the seat")}, {"a", say.T("decline")}, {"esc", say.T("lobby")}}
	case s.can(cmdJoin):
		return []hint{{"enter", say.T("take the seat")}, {"esc", say.T("lobby")}}
	case s.waiting() && s.plays():
		return []hint{{"a", say.T("take it back")}, {"esc", say.T("lobby")}}
	case !s.running() || !s.plays():
		hints := []hint{{"/", say.T("commands")}}
		if s.view.Ply() > 0 {
			hints = append([]hint{{"v", say.T("review")}}, hints...)
		}
		return append(hints, hint{"esc", say.T("lobby")})
	}
	if s.narrow() {
		return []hint{{"enter", say.T("play")}, {"/", say.T("commands")}, {"?", say.T("help")}, {"esc", say.T("lobby")}}
	}
	hints := []hint{{say.T("arrows enter"), say.T("or type a move")}, {"/", say.T("commands")}}
	if s.mayBeHelped() {
		hints[0] = hint{"enter", say.T("play")}
		if s.can(cmdHint) {
			hints = append(hints, hint{"ctrl+t", say.T("hint")})
		}
		if s.can(cmdTakeBack) {
			hints = append(hints, hint{"ctrl+z", say.T("undo")})
		}
	}
	leave := []hint{{"?", say.T("help")}, {"esc", say.T("lobby")}}
	can, _ := s.scene.Turns()
	switch flip := (hint{"ctrl+f", say.T("flip")}); {
	case !can:
		return append(hints, leave...)
	case s.mayBeHelped():
		return append(append(hints, leave...), flip)
	default:
		return append(append(hints, flip), leave...)
	}
}
