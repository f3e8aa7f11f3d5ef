package ui

import (
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// state is what the drawing of the board depends on beside the position.
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
		for _, line := range text.Wrap(s.input.problem, w-2*menuColumn) {
			p.line(menuColumn, t.accent, line)
		}
		return
	}
	st := s.state()
	sp := layoutBoard(s.scene, st, w, h)
	f := s.statusArea(w)
	board := sp.y + sp.board.Height
	last := min(linesOf(f.prompt, w-2*margin, 2), h-board-1)
	if s.input.typed.text != "" {
		last = 1
	}
	room := max(h-last-f.lines(w), board) // the panel makes room for what matters, the board doesn't
	p.part(room, func(p *page) { drawBoardAndPanel(p, t, sp, s.scene, st, s.panel(sp)) })
	drawWords(p, f.style, f.mark, f.words, h-last-room)
	s.drawInput(p, f.prompt, last)
}

// drawWords draws words with a mark before them at the end of some lines.
func drawWords(p *page, y canvas.Style, mark, words string, lines int) {
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
	if s.asking != "" {
		return s.question()
	}
	if s.input.problem != "" {
		return s.input.problem
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
	return s.asking == "" && s.input.problem == "" && s.hint == "" && (s.yours() || s.running() && !s.plays())
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
	if s.input.isCommand() {
		return s.input.commandMeaning(s.env.say, available(s, onMatch))
	}
	return s.input.meaning(s.env.say, s.scene, s.yours())
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
	if words := s.input.prompt(say, s.scene); words != "" {
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
	case s.view == nil, s.asking != "":
		return 0, 0, false
	case s.input.typed.text != "":
		return margin + typedFrom + s.input.typed.column(), s.size.Height - 1, true
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
	return titleOf(s.env, s.view, s.narrow())
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
	return s.status()
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

// WindowTitle is what the window's title says when the other side has moved.
func (s matchScreen) WindowTitle() string {
	if s.view == nil {
		return ""
	}
	return s.calling()
}

func (s matchScreen) calling() string {
	if s.view.YourTurn(s.env.who) && !s.bothSeats() {
		return s.env.say.T("your move")
	}
	return ""
}

// ConfirmLeave asks once while a match goes on.
func (s matchScreen) ConfirmLeave() string {
	say := s.env.say
	switch {
	case !s.running() || !s.plays():
		return ""
	case s.env.who.Player() == "":
		return say.T("Guests who leave lose their match after a while. Leave? ctrl+c once more.")
	}
	return say.T("Your match goes on, and waits for you here. Leave? ctrl+c once more.")
}

// HandlesEsc says that esc has something to let go of.
func (s matchScreen) HandlesEsc() bool {
	return s.asking != "" || s.scene != nil && s.input.cancels()
}

// Playing keeps the session from ending while a match goes on.
func (s matchScreen) InMatch() bool { return s.running() }

// Typing says that letters are moves.
func (s matchScreen) Typing() bool { return s.inPlay() || !s.input.empty() || s.asking != "" }

// Keys lists what the keys do now.
func (s matchScreen) Keys() keyMap { return s.keys() }

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
	case s.canJoin():
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

// The line that is typed, and what stands above it, in cells and lines.
const (
	alertLines = 3 // for what matters
	typedFrom  = 2 // before what is typed, from the margin on
	meantFrom  = 3 // between that and what it means
)

// A foot is what stands below the board.
type statusArea struct {
	style  canvas.Style
	mark   string
	words  string // above the line that is typed
	prompt string // in that line
}

// foot is what matters, and behind what is typed what it means. What doesn't fit behind it stands above: somebody who is
// told how to write a move must be able to read it to the end.
func (s matchScreen) statusArea(w int) statusArea {
	t := s.env.theme
	f := statusArea{style: t.accent, mark: t.waiting + " ", words: s.alert()}
	switch {
	case s.asking != "", s.sending != "":
	case s.input.typed.text == "":
		f.prompt = s.prompt()
	case s.input.problem == "":
		f.prompt = s.meaning()
		if margin+typedFrom+text.Width(s.input.typed.text)+meantFrom+text.Width(f.prompt) > w-margin {
			f = statusArea{style: t.dim, mark: text.Spaces(typedFrom), words: f.prompt}
		}
	}
	return f
}

// lines is how many lines the words take in a window of the given width.
func (f statusArea) lines(w int) int {
	if f.words == "" {
		return 0
	}
	return linesOf(f.words, w-2*margin-text.Width(f.mark), alertLines)
}

// linesOf is how many lines words take, at least one and at most so many.
func linesOf(words string, width, most int) int {
	if text.Width(words) <= width {
		return 1
	}
	return min(len(text.Wrap(words, width)), most)
}

// drawInput draws the line that is typed and what stands behind it, or what can be done in so many lines.
func (s matchScreen) drawInput(p *page, behind string, lines int) {
	t := s.env.theme
	switch {
	case s.asking != "": // nothing but the question
	case s.sending != "":
		p.line(margin, t.dim, s.env.say.T("%s is on its way ...", string(s.sending)))
	case s.input.typed.text != "":
		p.to(margin).put(t.accent, t.pick).to(margin+typedFrom).put(t.bold, s.input.typed.text)
		p.to(p.at+meantFrom).put(t.dim, behind).end()
	default:
		drawWords(p, t.dim, "", behind, lines)
	}
}
