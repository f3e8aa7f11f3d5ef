package ui

import (
	"cmp"
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// greyFor is how long a line that is gone stays in the lists, greyed out.
const greyFor = 2 * time.Second

// lobbyScreen is the first page: what one can do at the left, what is going on at the right.
type lobbyScreen struct {
	env  *env
	size tea.WindowSizeMsg

	right  bool // the lists have the cursor, not the menu
	item   int  // of the menu
	rows   []shownRow
	chosen storage.MatchID // the row with the cursor: it follows its match, wherever that moves
	top    int             // the first line of the lists that is shown

	here     int
	loaded   bool   // lists have come
	removals int    // the number of the last removal that was set up
	busy     bool   // a seat is being taken: enter waits
	rating   string // the player's own standing, in short
	yourMove bool   // a match waits for him
}

type (
	removalMsg struct{ number int }
	ratingMsg  struct{ short string }
	tookMsg    struct {
		ref lobby.Ref
		err error
	}
)

func newLobby(e *env) screen { return lobbyScreen{env: e} }

// WantsLists makes App send listsMsg.
func (s lobbyScreen) WantsLists() {}

func (s lobbyScreen) Init() tea.Cmd { return s.loadRating() }

// standing asks for the rating in the game that the player has played most.
func (s lobbyScreen) loadRating() tea.Cmd {
	club, ctx, who := s.env.club, s.env.ctx, s.env.who
	if who.Player() == "" {
		return nil
	}
	return func() tea.Msg {
		p, err := club.Profile(ctx, who.Name)
		if err != nil {
			return nil // the line is only left out
		}
		best := lobby.Standing{}
		for _, g := range p.Games {
			if g.Played > best.Played {
				best = g
			}
		}
		if g, err := club.Game(best.Game); err == nil && best.Played > 0 {
			return ratingMsg{shortName(g) + " " + rated(best.Rating, best.Provisional)}
		}
		return nil
	}
}

func (s lobbyScreen) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case listsMsg:
		return s.update(msg)
	case ratingMsg:
		s.rating = msg.short
	case removalMsg:
		s.rows = dropRemoved(s.rows, msg.number, s.held())
	case tookMsg:
		s.busy = false
		if msg.err != nil {
			return s, note(s.env.say.Error(msg.err))
		}
		return s, push(newMatch(s.env, msg.ref.ID))
	case resumedMsg:
		return s, s.loadRating()
	case tea.MouseWheelMsg:
		s.top += wheel(msg)
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	s.top = s.scrolled(s.top, s.size.Height)
	return s, nil
}

// update takes new lists in: what is new comes at its place, what is gone greys out and goes a little later.
func (s lobbyScreen) update(msg listsMsg) (screen, tea.Cmd) {
	was := s.yourMove
	s.here = msg.lists.Count
	s.yourMove = false
	for _, m := range msg.yours.Matches {
		s.yourMove = s.yourMove || m.YourTurn
	}
	fresh := rowsOf(s.env, msg)
	if !s.loaded {
		s.rows, s.loaded = fresh, true
		return s, nil
	}
	var cmds []tea.Cmd
	var anyGone bool
	s.rows, anyGone = mergeRows(s.rows, fresh, s.removals+1)
	if anyGone {
		s.removals++
		cmds = append(cmds, after(s.env.ctx, greyFor, removalMsg{s.removals}))
	}
	if s.yourMove && !was {
		cmds = append(cmds, bell)
	}
	s.top = s.scrolled(s.top, s.size.Height)
	return s, tea.Batch(cmds...)
}

// after brings msg when the time has passed, unless the session ends before.
func after(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// held is the match whose line must not go, because the cursor stands on it.
func (s lobbyScreen) held() storage.MatchID {
	if s.right {
		return s.chosen
	}
	return ""
}

func (s lobbyScreen) key(msg tea.KeyPressMsg) (screen, tea.Cmd) {
	switch k := s.keys(); {
	case key.Matches(msg, k.other):
		s = s.focusColumn(!s.right)
	case key.Matches(msg, k.sides):
		s = s.focusColumn(msg.String() == "right")
	case k.list.matches(msg):
		s = s.move(msg.String())
	case key.Matches(msg, k.choose):
		if s.right {
			return s.choose(s.chosen)
		}
		return s, menu[s.item].open(s.env)
	}
	s.top = s.follow(s.size.Height)
	return s, nil
}

// focusColumn gives the cursor to a column.
func (s lobbyScreen) focusColumn(right bool) lobbyScreen {
	s.right = right
	if right && s.index(s.chosen) < 0 {
		if at := firstMatch(s.rows); at >= 0 {
			s.chosen = s.rows[at].id
		}
	}
	s.rows = dropRemoved(s.rows, s.removals, s.held())
	return s
}

// move moves the cursor within its column.
func (s lobbyScreen) move(key string) lobbyScreen {
	if !s.right {
		s.item = moved(key, s.item, len(menu), len(menu))
		return s
	}
	var at int
	ids := make([]storage.MatchID, 0, len(s.rows))
	for _, r := range s.rows {
		if r.id != "" {
			if r.id == s.chosen {
				at = len(ids)
			}
			ids = append(ids, r.id)
		}
	}
	if len(ids) > 0 {
		s.chosen = ids[moved(key, at, len(ids), s.size.Height-4)]
	}
	return s
}

// choose does what a line of the lists stands for: goes to the board, or takes the free seat first.
func (s lobbyScreen) choose(id storage.MatchID) (screen, tea.Cmd) {
	at := s.index(id)
	if at < 0 || s.busy {
		return s, nil
	}
	switch r := s.rows[at]; {
	case r.removed && r.seat:
		return s, note(s.env.say.T("This one is gone. Choose another, or open a match yourself."))
	case !r.seat:
		return s, push(newMatch(s.env, id))
	}
	s.busy = true
	club, ctx, who := s.env.club, s.env.ctx, s.env.who
	return s, func() tea.Msg {
		ref, err := club.Take(ctx, who, id)
		return tookMsg{ref, err}
	}
}

// index is the place of a match in the rows, -1 if it has none.
func (s lobbyScreen) index(id storage.MatchID) int {
	for i, r := range s.rows {
		if r.id == id && id != "" {
			return i
		}
	}
	return -1
}

func (s lobbyScreen) Title() string { return "Ludoteca" }

func (s lobbyScreen) Status() string {
	status := s.env.who.Name
	if s.rating != "" {
		status += s.env.theme.dot + s.rating
	}
	if s.loaded {
		status += s.env.theme.dot + s.env.say.T("%d here", s.here)
	}
	return status
}

// WindowTitle is what the window's title says while a match waits.
func (s lobbyScreen) WindowTitle() string {
	if s.yourMove {
		return s.env.say.T("your move")
	}
	return ""
}

// lobbyKeys are the keys of the lobby.
type lobbyKeys struct {
	list                 listKeys
	choose, other, sides key.Binding
	narrow               bool
}

func (s lobbyScreen) keys() lobbyKeys {
	say, narrow := s.env.say, s.size.Width < bothColumns
	what := say.T("other column")
	switch {
	case narrow && s.right:
		what = say.T("menu")
	case narrow:
		what = say.T("lists")
	}
	return lobbyKeys{
		list:   newListKeys(say),
		choose: bind("enter", say.T("choose"), "enter"),
		other:  bind("tab", what, "tab", "shift+tab"),
		sides:  bind("", "", "left", "right"),
		narrow: narrow,
	}
}

func (s lobbyScreen) Keys() keyMap { return s.keys() }

func (k lobbyKeys) ShortHelp() []key.Binding {
	if k.narrow {
		return []key.Binding{k.choose, k.other}
	}
	return []key.Binding{k.list.move, k.choose, k.other}
}

func (k lobbyKeys) FullHelp() [][]key.Binding {
	return [][]key.Binding{k.ShortHelp(), k.list.others()}
}

func (s lobbyScreen) Typing() bool { return false }

// A choice is a line of the menu; one without words leaves a line empty.
type menuItem struct {
	words string
	open  func(*env) tea.Cmd
}

// menu are the things to do, in the order in which they stand.
var menu = []menuItem{
	{text.T("Play the computer"), func(e *env) tea.Cmd { return push(newSetup(e, againstComputer)) }},
	{text.T("Quick match"), func(e *env) tea.Cmd { return push(newQuick(e)) }},
	{text.T("New match..."), func(e *env) tea.Cmd { return push(newSetup(e, againstPerson)) }},
	{text.T("Join by code..."), func(e *env) tea.Cmd { return push(newJoin(e)) }},
	{text.T("Two at this keyboard"), func(e *env) tea.Cmd { return push(newSetup(e, atOneKeyboard)) }},
	{text.T("Leaderboard"), func(e *env) tea.Cmd { return push(newLeaderboard(e)) }},
	{text.T("Watch a match"), func(e *env) tea.Cmd { return push(newWatch(e)) }},
	{text.T("History"), func(e *env) tea.Cmd { return push(newHistory(e, e.who.Name)) }},
	{text.T("Learn the games"), func(e *env) tea.Cmd { return push(newLearn(e)) }},
	{text.T("Settings"), func(e *env) tea.Cmd { return push(newSettings(e)) }},
}

// menuGap is the item before which the menu leaves a line empty.
const menuGap = 5

// menuLine is the line of an item of the menu, counted from the line below the heading.
func menuLine(item int) int {
	if item >= menuGap {
		return item + 1
	}
	return item
}

func (s lobbyScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	w, h := p.width, p.height
	remark := s.remark(w)
	room := max(h-firstLine-len(remark), 0)
	p.down(firstLine)
	lines := s.lines()
	top := s.scrolled(s.top, h)
	for i := range room {
		switch {
		case w >= bothColumns:
			s.menuCell(p, i)
			p.to(listColumn)
			s.listCell(p, lines.row(top+i), i == 0 && top > 0, i == room-1 && top+room < lines.count)
		case s.right:
			p.to(1)
			s.listCell(p, lines.row(top+i), i == 0 && top > 0, i == room-1 && top+room < lines.count)
		default:
			s.menuCell(p, i)
		}
		p.end()
	}
	for _, words := range remark {
		p.line(menuColumn, s.env.theme.dim, words)
	}
}

// remark is what the lines below the columns say: to whom the lists are hidden behind the menu, that a match waits; to a
// guest, what a key would change.
func (s lobbyScreen) remark(w int) []string {
	words := ""
	switch {
	case w < bothColumns && s.yourMove && !s.right:
		words = s.env.say.T("! It is your move: press tab.")
	case s.env.who.Kind == storage.Guest:
		words = s.env.say.T("You are a guest: connect with an SSH key, and your name and results are kept.")
	default:
		return nil
	}
	return append(text.Wrap(words, w-2*menuColumn), "")
}

// menuCell draws one line of the menu, the first being its heading.
func (s lobbyScreen) menuCell(p *page, line int) {
	t, say := s.env.theme, s.env.say
	if line == 0 {
		p.to(menuColumn).put(t.dim, say.T("PLAY"))
		return
	}
	for i, item := range menu {
		if menuLine(i) != line-1 {
			continue
		}
		if i == s.item && !s.right {
			p.to(menuColumn-2).put(t.accent, ">").to(menuColumn).put(t.accent, say.T(item.words))
		} else {
			p.to(menuColumn).put(t.plain, say.T(item.words))
		}
		return
	}
}

// listLines are the lines of the lists: the rows, with an empty line before the heading of each block but the first.
type listLines struct {
	count  int
	starts [blocks]int // the lines of the headings
}

func (s lobbyScreen) lines() (l listLines) {
	for i, r := range s.rows {
		if r.heading {
			l.starts[r.block] = i + int(r.block)
		}
	}
	if len(s.rows) > 0 {
		l.count = len(s.rows) + blocks - 1
	}
	return l
}

// row is the place in the rows of what stands on a line, -1 for nothing.
func (l listLines) row(line int) int {
	if line >= l.count {
		return -1
	}
	for b := blocks - 1; b > 0; b-- {
		switch start := l.starts[b]; {
		case line >= start:
			return line - b
		case line == start-1:
			return -1
		}
	}
	return line
}

// line is the line of a row.
func (l listLines) line(row int) int {
	for b := blocks - 1; b > 0; b-- {
		if row+b >= l.starts[b] {
			return row + b
		}
	}
	return row
}

// listCell draws a row of the lists, -1 being none, or a mark that there is more above or below.
func (s lobbyScreen) listCell(p *page, at int, above, below bool) {
	t := s.env.theme
	switch {
	case above:
		p.to(p.at+2).put(t.dim, t.up)
		return
	case below:
		p.to(p.at+2).put(t.dim, t.down)
		return
	case at < 0:
		return
	}
	r := s.rows[at]
	if r.id == "" {
		words := r.game
		if text.Width(words) > p.width-p.at-2 {
			words = cmp.Or(r.cells[0], words)
		}
		p.to(p.at+2).put(t.dim, words)
		return
	}
	mark, y := " ", t.plain
	if r.waiting && !r.removed {
		mark, y = t.waiting, t.bold
	}
	if s.right && r.id == s.chosen {
		mark, y = ">", t.accent
	}
	if r.removed {
		y = t.gone
	}
	p.put(y, mark).to(p.at + 1)
	p.field(y, r.game, gameCells)
	s.cells(p, y, r)
}

// cells draws the columns of a row into what is left of the line. The last one keeps its place at the right; the first
// gets the room that is left. In a narrow window the age of a match has to go.
func (s lobbyScreen) cells(p *page, y canvas.Style, r shownRow) {
	second, third := 10, 8
	switch {
	case r.block == openOffers:
		third = max(7, text.Width(casual(s.env.say, true)), text.Width(casual(s.env.say, false)))
		second = 23 - third
	case r.block == nowPlaying:
		second, third = 0, 9
	case p.width < bothColumns:
		third = 0
	}
	cells := r.cells
	if r.removed { // in words as well as in a style, which some terminals don't show
		cells = s.removedCells(r)
	}
	rest := min(p.width-margin, listColumn+listCells) - p.at - third
	if rest < second+6 {
		second = max(rest-6, 0)
	}
	if r.block == nowPlaying {
		cells[0] = r.pair.in(rest - second - 1)
	}
	p.field(y, text.Cut(cells[0], rest-second-1), rest-second)
	if second > 0 {
		p.field(y, text.Cut(cells[1], second-1), second)
	}
	if third > 0 {
		p.number(y, cells[2], third)
	}
}

// removedCells are the cells of a row that is gone: it no longer says whose move it is, or that a seat is free.
func (s lobbyScreen) removedCells(r shownRow) [3]string {
	words := s.env.say.T("over")
	if r.seat {
		words = s.env.say.T("gone")
	}
	if r.block == yourMatches {
		return [3]string{r.cells[0], words, ""}
	}
	return [3]string{r.cells[0], r.cells[1], words}
}

// listRoom is how many lines of the lists a body of height h shows.
func (s lobbyScreen) listRoom(h int) int { return max(h-firstLine-len(s.remark(s.size.Width)), 1) }

// scrolled keeps top within the lists.
func (s lobbyScreen) scrolled(top, h int) int {
	return max(min(top, s.lines().count-s.listRoom(h)), 0)
}

// follow scrolls just as far as the cursor needs, with a line to spare for the marks.
func (s lobbyScreen) follow(h int) int {
	top, room := s.top, s.listRoom(h)
	if at := s.index(s.chosen); s.right && at >= 0 {
		line := s.lines().line(at)
		top = min(top, line-2)
		top = max(top, line+2-room)
	}
	return s.scrolled(top, h)
}

// click chooses what is under the mouse.
func (s lobbyScreen) click(m tea.MouseClickMsg) (screen, tea.Cmd) {
	line := m.Y - firstLine
	both := s.size.Width >= bothColumns
	if m.Button != tea.MouseLeft || line < 0 {
		return s, nil
	}
	if both && m.X >= listColumn || !both && s.right {
		if at := s.lines().row(line + s.scrolled(s.top, s.size.Height)); at >= 0 {
			if id := s.rows[at].id; id != "" {
				s.right, s.chosen = true, id
				return s.choose(id)
			}
		}
		return s, nil
	}
	for i := range menu {
		if menuLine(i) == line-1 {
			s.right, s.item = false, i
			return s, menu[i].open(s.env)
		}
	}
	return s, nil
}
