// Package positionpage has the screen on which a position is set up by hand, for a match that begins from it.
package positionpage

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A positionScreen is a board on which pieces are put and taken, and the fields of a position beside it.
type positionScreen struct {
	editor
	size tea.WindowSizeMsg
	back screen.Screen
	use  func(games.Position) screen.Screen

	cursor   boardview.Spot
	scroll   boardview.Scroll
	onFields bool   // keys change the fields, not the board
	field    int    // the one with the cursor
	digits   string // the number that is being typed into it

	asText  bool // the position is being typed
	typed   widget.Entry
	refused string // why what was typed is no position; "" for nothing
}

// An editor changes a draft of a position, and finds out whether it is one that a match can begin from.
type editor struct {
	env   *screen.Env
	game  games.Editable
	start games.Position // with the options of the draft
	draft games.Draft
	past  []games.Draft // before each change that can be undone, the last one at the end

	scene   *boardview.Scene // of the draft
	pos     games.Position   // that the draft is; nil: none that a match can begin from
	info    *boardview.Scene // of the position; of the draft while it is none
	problem string           // why it is none
}

// The bounds of undo steps and typed text. The longest position has 701 letters.
const (
	maxPast   = 100
	textCells = 1000
	maxDigits = 4
)

// New returns the screen with a position. It leads on to the screen that use makes of the finished position, or to back. ok is false if
// positions of the game can't be set up by hand.
func New(e *screen.Env, g games.Game, p games.Position, back screen.Screen, use func(games.Position) screen.Screen) (s screen.Screen, ok bool) {
	game, ok := g.(games.Editable)
	if !ok {
		return nil, false
	}
	ed, ok := editor{env: e, game: game}.with(game.Draft(p))
	if !ok {
		return nil, false
	}
	return positionScreen{editor: ed, back: back, use: use, cursor: ed.scene.Start(games.First).Cursor}, true
}

// with returns the editor with another draft. ok is false if the game has no position with its options.
func (s editor) with(d games.Draft) (with editor, ok bool) {
	if s.start == nil || !s.start.Options().Equal(d.Options) {
		start, err := s.game.New(d.Options)
		if err != nil {
			return s, false
		}
		s.start = start
	}
	s.draft = d
	return s.judged(), true
}

// judged finds out whether the draft is a position that a match can begin from.
func (s editor) judged() editor {
	p, err := games.Study(s.game, s.game.Text(s.draft))
	if err == nil {
		if _, bounded := s.game.Longest(p.Options()); !bounded {
			err = lobby.ErrEndless
		}
	}
	s.scene = boardview.NewDraft(s.start, s.draft, s.fields())
	if err != nil {
		s.pos, s.info, s.problem = nil, s.scene, s.env.Say.Error(err)
		return s
	}
	s.pos, s.info, s.problem = p, boardview.New(p, nil, ""), ""
	return s
}

// change makes another draft the present one, and keeps the old one for undo.
func (s editor) change(d games.Draft) editor {
	past := append(s.past[:len(s.past):len(s.past)], s.draft)
	changed, ok := s.with(d)
	if !ok {
		return s
	}
	changed.past = past[max(len(past)-maxPast, 0):]
	return changed
}

// put puts a piece on a cell, or empties it.
func (s editor) put(at boardview.Spot, letter byte) editor {
	if s.draft.At(int(at)) == letter {
		return s
	}
	return s.change(s.game.Settle(s.draft.Put(int(at), letter), int(at)))
}

// set changes a field.
func (s editor) set(f games.Field, v int) editor {
	if s.draft.Fields[f.Key] == v {
		return s
	}
	return s.change(s.draft.Set(f.Key, v))
}

// undone takes the last change back; ok is false if there is none.
func (s editor) undone() (before editor, ok bool) {
	last := len(s.past) - 1
	if last < 0 {
		return s, false
	}
	before, ok = s.with(s.past[last])
	before.past = s.past[:last:last]
	return before, ok
}

func (s editor) fields() []games.Field { return s.game.Fields(s.draft.Options) }

// fieldWith returns the first field of which on holds.
func (s editor) fieldWith(on func(games.Field) bool) (f games.Field, ok bool) {
	for _, f := range s.fields() {
		if on(f) {
			return f, true
		}
	}
	return games.Field{}, false
}

func (s positionScreen) Init() tea.Cmd { return nil }

func (s positionScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	next, cmd := s.update(msg)
	if next, ok := next.(positionScreen); ok {
		next.scroll = next.layout(next.size.Width, next.size.Height).Board.Scroll
		return next, cmd
	}
	return next, cmd
}

func (s positionScreen) update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case tea.MouseClickMsg:
		return s.click(msg), nil
	case tea.PasteMsg:
		if !s.asText {
			s, _ = s.beginText()
			s.typed = widget.Entry{}
		}
		s.typed, s.refused = s.typed.Insert(strings.TrimSpace(msg.Content), textCells), ""
	case tea.KeyPressMsg:
		if s.asText {
			return s.textKey(msg)
		}
		return screen.Press(s, &boardKeys, msg)
	}
	return s, nil
}

// boardKeys are the keys of the board and of the fields. Every letter and digit belongs to the pieces, or to a number.
var boardKeys = widget.Actions[positionScreen]{
	Footer: []widget.Action[positionScreen]{
		widget.On("enter", text.T("go on"), positionScreen.goOn, "enter"),
		widget.OnKey(text.T("arrows"), text.T("choose and change"), positionScreen.fieldStep, "up", "down", "left", "right").When(inFields),
		// Translators: "put" puts a piece on a cell.
		widget.OnKey(text.T("letters"), text.T("put"), positionScreen.piece, letterKeys()...).When(onBoard),
		widget.OnKey(text.T("digits"), text.T("a number"), positionScreen.digit, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "backspace").When(inFields),
		widget.On("space", text.T("take away"), positionScreen.empty, "space", "backspace", "delete", ".", "0").When(onBoard),
		widget.On("tab", text.T("numbers"), positionScreen.otherPane, "tab", "shift+tab").Doing(otherPaneWhat),
		widget.On("ctrl+o", text.T("other side"), positionScreen.otherSide, "ctrl+o").When(positionScreen.hasTurn),
		widget.On("*", text.T("last piece"), positionScreen.markCell, "*").When(marksCells),
		widget.On("?", text.T("help"), positionScreen.openHelp, "?"),
		// Translators: in a match it takes a move back, on the page of a position the last change.
		widget.On("ctrl+z", text.T("undo"), positionScreen.undo, "ctrl+z").Listed(positionScreen.canUndo),
		widget.On("esc", text.T("back"), positionScreen.goBack, "esc"),
	},
	Others: []widget.Action[positionScreen]{
		widget.OnKey(text.T("arrows"), text.T("move"), positionScreen.step, "up", "down", "left", "right", "home", "end").When(onBoard),
		widget.On("ctrl+k", text.T("empty the board"), positionScreen.clear, "ctrl+k"),
		widget.On("ctrl+b", text.T("the start position"), positionScreen.toStart, "ctrl+b"),
		widget.On("ctrl+p", text.T("the position as text"), positionScreen.beginText, "ctrl+p"),
	},
}

// letterKeys are all keys that can stand for a piece.
func letterKeys() []string {
	var all []string
	for r := 'a'; r <= 'z'; r++ {
		all = append(all, string(r), strings.ToUpper(string(r)))
	}
	for r := '1'; r <= '9'; r++ {
		all = append(all, string(r))
	}
	return all
}

// The conditions of keys.
func onBoard(s positionScreen) bool  { return !s.onFields }
func inFields(s positionScreen) bool { return s.onFields }

func marksCells(s positionScreen) bool {
	_, ok := s.fieldWith(isCell)
	return ok && !s.onFields
}

func (s editor) canUndo() bool { return len(s.past) > 0 }

func (s editor) hasTurn() bool {
	_, ok := s.fieldWith(games.Field.SaysTurn)
	return ok
}

func isCell(f games.Field) bool { return f.Kind == games.Cell }

func (s positionScreen) openHelp() (positionScreen, tea.Cmd) { return s, screen.ShowHelp }

// otherPaneWhat says where the tab key leads.
func otherPaneWhat(s positionScreen) string {
	if s.onFields {
		return text.T("board")
	}
	return text.T("numbers")
}

// goOn leads on with the position, or says why it can't.
func (s positionScreen) goOn() (positionScreen, tea.Cmd) {
	if s.pos == nil {
		return s, screen.Note(s.problem)
	}
	return s, screen.Replace(s.use(s.pos))
}

func (s positionScreen) goBack() (positionScreen, tea.Cmd) { return s, screen.Replace(s.back) }

// step moves the cursor.
func (s positionScreen) step(msg tea.KeyPressMsg) (positionScreen, tea.Cmd) {
	sel := boardview.Selection{Cursor: s.cursor, From: boardview.Nowhere}
	switch msg.String() {
	case "up":
		sel = s.scene.Step(sel, 0, -1, false)
	case "down":
		sel = s.scene.Step(sel, 0, 1, false)
	case "left":
		sel = s.scene.Step(sel, -1, 0, false)
	case "right":
		sel = s.scene.Step(sel, 1, 0, false)
	case "home":
		sel.Cursor = 0
	case "end":
		sel.Cursor = boardview.Spot(s.draft.Cells() - 1)
	}
	s.cursor = sel.Cursor
	return s, nil
}

// letter returns the piece of a key: its letter, in any case if no other piece has the same, or its number in their order.
func (s editor) letter(key string) (letter byte, ok bool) {
	pieces := s.game.Pieces()
	if at := strings.Index(pieces, key); at >= 0 {
		return pieces[at], true
	}
	if at := strings.Index(strings.ToLower(pieces), strings.ToLower(key)); at >= 0 {
		return pieces[at], true
	}
	if n, err := strconv.Atoi(key); err == nil && n <= len(pieces) {
		return pieces[n-1], true
	}
	return 0, false
}

// piece puts the piece of a key on the cell under the cursor.
func (s positionScreen) piece(msg tea.KeyPressMsg) (positionScreen, tea.Cmd) {
	if letter, ok := s.letter(msg.String()); ok {
		s.editor = s.put(s.cursor, letter)
	}
	return s, nil
}

func (s positionScreen) empty() (positionScreen, tea.Cmd) {
	s.editor = s.put(s.cursor, '.')
	return s, nil
}

// otherSide lets the other side move first.
func (s positionScreen) otherSide() (positionScreen, tea.Cmd) {
	f, _ := s.fieldWith(games.Field.SaysTurn)
	s.editor = s.set(f, s.draft.Fields[f.Key]^1)
	return s, nil
}

// markCell makes the cell under the cursor the value of a field.
func (s positionScreen) markCell() (positionScreen, tea.Cmd) {
	f, _ := s.fieldWith(isCell)
	s.editor = s.set(f, int(s.cursor))
	return s, nil
}

func (s positionScreen) otherPane() (positionScreen, tea.Cmd) {
	s.onFields, s.digits = !s.onFields && len(s.fields()) > 0, ""
	return s, nil
}

func (s positionScreen) undo() (positionScreen, tea.Cmd) {
	before, ok := s.undone()
	if !ok {
		return s, nil
	}
	s.editor, s.digits = before, ""
	return s.inside(), nil
}

// inside brings the cursors back to what there is: other options have other boards.
func (s positionScreen) inside() positionScreen {
	if int(s.cursor) >= s.draft.Cells() {
		s.cursor = s.scene.Start(games.First).Cursor
	}
	s.field = min(s.field, max(len(s.fields())-1, 0))
	return s
}

func (s positionScreen) clear() (positionScreen, tea.Cmd) {
	s.editor = s.change(s.game.Settle(s.draft.Clear(), -1))
	return s, nil
}

func (s positionScreen) toStart() (positionScreen, tea.Cmd) {
	s.editor = s.change(s.game.Draft(s.start))
	return s, nil
}

// fieldStep moves the cursor among the fields, or changes the value under it.
func (s positionScreen) fieldStep(msg tea.KeyPressMsg) (positionScreen, tea.Cmd) {
	fields := s.fields()
	f := fields[s.field]
	s.digits = ""
	switch v := s.draft.Fields[f.Key]; msg.String() {
	case "up":
		s.field = max(s.field-1, 0)
	case "down":
		s.field = min(s.field+1, len(fields)-1)
	case "left":
		s.editor = s.set(f, min(max(v-1, f.Min), f.Max))
	case "right":
		s.editor = s.set(f, min(max(v+1, f.Min), f.Max))
	}
	return s, nil
}

// digit changes the number that is typed into the field under the cursor.
func (s positionScreen) digit(msg tea.KeyPressMsg) (positionScreen, tea.Cmd) {
	digits := s.digits
	switch name := msg.String(); {
	case name == "backspace":
		digits = digits[:max(len(digits)-1, 0)]
	case len(digits) < maxDigits:
		digits += name
	}
	f := s.fields()[s.field]
	v, err := strconv.Atoi(digits)
	if err != nil {
		v = f.Min
	}
	s.editor, s.digits = s.set(f, min(max(v, f.Min), f.Max)), digits
	return s, nil
}

// click moves the cursor to a cell. A click on the cell with the cursor puts the next piece there.
func (s positionScreen) click(msg tea.MouseClickMsg) positionScreen {
	l := s.layout(s.size.Width, s.size.Height)
	at := s.scene.Spot(l.Board, s.state(), msg.X-l.X, msg.Y-l.Y)
	if msg.Button != tea.MouseLeft || s.asText || at == boardview.Nowhere {
		return s
	}
	if at == s.cursor && !s.onFields {
		all := "." + s.game.Pieces()
		s.editor = s.put(at, all[(strings.IndexByte(all, s.draft.At(int(at)))+1)%len(all)])
		return s
	}
	s.cursor, s.onFields = at, false
	return s
}

// beginText shows the position as text, which can be changed.
func (s positionScreen) beginText() (positionScreen, tea.Cmd) {
	s.asText, s.refused = true, ""
	s.typed = widget.Entry{}.Insert(s.game.Text(s.draft), textCells)
	return s, nil
}

var textKeys = widget.Actions[positionScreen]{Footer: []widget.Action[positionScreen]{
	widget.On("enter", text.T("set it up"), positionScreen.takeText, "enter"),
	widget.Typed[positionScreen](text.T("letters"), text.T("the position")),
	widget.On("ctrl+u", text.T("clear"), positionScreen.clearText, "ctrl+u"),
	widget.On("esc", text.T("back"), positionScreen.endText, "esc"),
}}

func (s positionScreen) textKey(msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	if run, ok := textKeys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	if typed, ok := s.typed.Typed(msg, textCells); ok {
		if typed.Text != s.typed.Text {
			s.refused = ""
		}
		s.typed = typed
	}
	return s, nil
}

func (s positionScreen) endText() (positionScreen, tea.Cmd) {
	s.asText, s.typed, s.refused = false, widget.Entry{}, ""
	return s, nil
}

func (s positionScreen) clearText() (positionScreen, tea.Cmd) {
	s.typed, s.refused = widget.Entry{}, ""
	return s, nil
}

// takeText sets up the position that was typed, or says why it is none.
func (s positionScreen) takeText() (positionScreen, tea.Cmd) {
	p, err := s.game.Parse(s.typed.Text)
	if err != nil {
		s.refused = s.env.Say.Error(err)
		return s, nil
	}
	s.editor = s.change(s.game.Draft(p))
	return s.inside().endText()
}

func (s positionScreen) state() boardview.State {
	return boardview.State{Selection: boardview.Selection{Cursor: s.cursor, From: boardview.Nowhere}, Yours: !s.onFields && !s.asText,
		Over: true, Scroll: s.scroll}
}

func (s positionScreen) layout(w, h int) boardpage.Layout {
	return boardpage.NewLayout(s.scene, s.state(), w, h)
}

func (s positionScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t := s.env.Theme
	l := s.layout(p.Width, p.Height)
	style, mark, words := s.status()
	lines := boardpage.LinesOf(words, p.Width-2*widget.Margin-text.Width(mark), boardpage.StatusLines(p.Width))
	room := max(p.Height-1-lines, l.Y+l.Board.Height) // the panel makes room for the words
	part := p.Part(room)
	s.fill(l.Draw(&part, t, s.scene, s.state()), l)
	if left := p.Height - 1 - p.Lines; left > 0 {
		boardpage.DrawWords(&p, style, mark, words, left)
	}
	if !s.asText {
		p.Line(widget.Margin, t.Dim, s.game.Text(s.draft))
		return
	}
	shown, _ := s.typed.Shown(entryRoom(p.Width))
	p.To(widget.Margin).Put(t.Accent, t.Pick).To(widget.Margin+boardpage.TypedFrom).Put(t.Bold, shown).End()
}

// status reports whether the draft is a position, and why not.
func (s positionScreen) status() (y canvas.Style, mark, words string) {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.refused != "":
		return t.Accent, t.Waiting + " ", s.refused
	case s.asText:
		return t.Dim, "", say.T("The position in one line, as the command show gives it.")
	case s.pos == nil:
		return t.Accent, t.Waiting + " ", s.problem
	}
	return t.Plain, "", say.T("A match can begin from here: %s is to move.", s.sideNames()[s.pos.Turn()])
}

// entryRoom returns the cells for what is typed in the last line of a page.
func entryRoom(width int) int { return width - 2*widget.Margin - boardpage.TypedFrom }

func (s editor) sideNames() [2]string {
	sides, say := s.game.About().Sides, s.env.Say
	return [2]string{say.T(sides[games.First]), say.T(sides[games.Second])}
}

// fill adds to the panel: the pieces, the fields, and what the game says about the position.
func (s positionScreen) fill(panel boardpage.Panel, l boardpage.Layout) {
	t, say := s.env.Theme, s.env.Say
	if l.Beside {
		panel.Line(s.pieces(panel.Width())...)
		panel.Gap()
	}
	fields := s.fields()
	first := max(min(s.field-panel.Room()+1, len(fields)-1), 0)
	for i, f := range fields[first:] {
		panel.Line(s.fieldLine(f, panel.Width(), s.onFields && first+i == s.field, s.digits)...)
	}
	panel.Gap()
	turn := -1
	if s.pos != nil {
		turn = int(s.pos.Turn())
	}
	if !l.Beside && panel.Room() > 2 {
		panel.Line(s.pieces(panel.Width())...)
	}
	names := s.sideNames()
	panel.AddPlayers(t, say, s.info, [2]boardpage.PlayerLine{{Name: names[games.First]}, {Name: names[games.Second]}}, turn, l.Beside)
	if s.pos == nil {
		return
	}
	panel.Gap()
	for _, note := range s.info.Notes(say.Say, names) {
		panel.Wrap(t.Dim, 0, note.Words)
	}
}

// pieces returns a line with the keys that put pieces: the letters and, if there is room, the digits.
func (s editor) pieces(width int) []boardpage.Run {
	line, cells := s.pieceRuns(true)
	if cells > width {
		line, _ = s.pieceRuns(false)
	}
	return line
}

func (s editor) pieceRuns(digits bool) (line []boardpage.Run, cells int) {
	t := s.env.Theme
	add := func(y canvas.Style, words string) {
		line, cells = append(line, boardpage.Run{Style: y, Text: words}), cells+text.Width(words)
	}
	add(t.Dim, s.env.Say.T("Pieces"))
	for i, letter := range []byte(s.game.Pieces()) {
		add(t.Dim, "  ")
		if digits {
			add(t.Dim, strconv.Itoa(i+1)+" ")
		}
		token, side := boardview.Piece(letter, t.ASCII)
		name := string(rune(letter))
		if token != rune(letter) {
			name = strings.ToLower(name) + " " + string(token)
		}
		add(boardpage.SideStyle(t, side), name)
	}
	return line, cells
}

// fieldLine returns the line of a field: the one that is chosen with the digits that are typed into it, and with marks around its value while it can
// be changed.
func (s editor) fieldLine(f games.Field, width int, chosen bool, digits string) []boardpage.Run {
	t, say := s.env.Theme, s.env.Say
	value := s.scene.FieldValue(say.Say, s.game.About(), f, s.draft.Fields[f.Key])
	mark, y, before, after := "  ", t.Plain, " ", " "
	if chosen {
		mark, y, before, after = t.Pick+" ", t.Accent, t.Left, t.Right
		if digits != "" {
			value = digits + "_"
		}
	}
	label := text.Cut(say.T(f.Label), max(width-text.Width(mark+value)-5, 1))
	gap := max(min(width, 34)-text.Width(mark+label+value)-4, 1)
	return []boardpage.Run{{Style: t.Accent, Text: mark}, {Style: y, Text: label + text.Spaces(gap)},
		{Style: t.Dim, Text: before + " "}, {Style: y, Text: value}, {Style: t.Dim, Text: " " + after}}
}

// Cursor returns the place of the cursor: in the typed text if there is any, else on the board.
func (s positionScreen) Cursor() (x, y int, shown bool) {
	if s.asText {
		_, column := s.typed.Shown(entryRoom(s.size.Width))
		return widget.Margin + boardpage.TypedFrom + column, s.size.Height - 1, true
	}
	l := s.layout(s.size.Width, s.size.Height)
	x, y = s.scene.CursorCell(l.Board, s.state())
	return l.X + x, l.Y + y, !s.onFields
}

// HandlesEsc returns true, because esc leads to the screen that this one has replaced.
func (s positionScreen) HandlesEsc() bool { return true }

// HelpBeside makes App show the help beside the board if there is room.
func (s positionScreen) HelpBeside() {}

// Help explains what can be set up.
func (s positionScreen) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Put pieces where you want them: the arrows move the cursor, a letter or a digit puts the piece that it has in the list, the space bar takes it away. A second click on a cell puts the next piece."),
		say.T("Tab leads to the numbers that belong to the position, and back. The line below the board says whether a match can begin from it, and if not, why."),
		say.T("A position can be pasted as text, too: one line, as the command show gives it. A match that begins from a position is always casual."),
	)
}

func (s positionScreen) Title() string {
	return s.env.Say.Spell(s.game.About().Name) + s.env.Theme.Dot + s.env.Say.T("position")
}
func (s positionScreen) Status() string { return s.env.Who.Name }
func (s positionScreen) Typing() bool   { return true }

func (s positionScreen) keys() *widget.Actions[positionScreen] {
	if s.asText {
		return &textKeys
	}
	return &boardKeys
}

func (s positionScreen) ShortHelp() []key.Binding  { return s.keys().ShortHelp(s) }
func (s positionScreen) FullHelp() [][]key.Binding { return s.keys().FullHelp(s) }
