// Package lobbypage has the first screen: a menu, and lists of the matches and offers in the club.
package lobbypage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/accountpage"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/eventspage"
	"ludoteca/sshapp/ui/lessonpage"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/operatorpage"
	"ludoteca/sshapp/ui/people"
	"ludoteca/sshapp/ui/puzzlepage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// greyFor is the time for which a removed row stays in the lists, greyed out.
const greyFor = 2 * time.Second

// A column is a part of the page that the cursor can be in.
type column uint8

const (
	menuColumn column = iota
	listColumn
	televisionColumn // in wide windows only
	loungeColumn
)

// A lobbyScreen is the first page: a menu at the left, lists of matches and offers beside it, and in wide windows the television at the
// right.
type lobbyScreen struct {
	listPane
	size   tea.WindowSizeMsg
	column column // with the cursor
	item   int    // of the menu

	here     int    // players who are connected
	loaded   bool   // lists have come
	removals int    // the number of the last removal that is planned
	busy     bool   // a seat is being taken
	rating   string // the player's, in the game played most
	yourMove bool   // a match waits for the player

	staked storage.MatchID  // the rated offer whose stake was asked for
	stake  *standings.Stake // of it; nil: not known yet, or there is none

	covered bool // the page isn't visible
	tv      television
	lounge  loungePane
}

// A listEnd is the column where the lists end, and whether the cursor is in them.
type listEnd struct {
	column int
	cursor bool
}

// A listPane is the lists of matches and offers.
type listPane struct {
	env    *screen.Env
	rows   []shownRow
	needs  [blocks]need    // of the rows
	wanted int             // cells that the lists need for nothing in them to be cut
	chosen storage.MatchID // the row with the cursor, which follows its match
	top    int             // the first line shown
}

type (
	removalMsg struct{ number int }
	ratingMsg  struct{ short string }
	stakeMsg   struct {
		id    storage.MatchID
		stake *standings.Stake
	}
	tookMsg struct {
		ref lobby.Ref
		err error
	}
)

// New returns the first screen.
func New(e *screen.Env) screen.Screen {
	return lobbyScreen{listPane: listPane{env: e}, tv: television{env: e}, lounge: loungePane{env: e}}
}

// WantsLists makes App send ListsMsg.
func (s lobbyScreen) WantsLists() {}

func (s lobbyScreen) Init() tea.Cmd { return s.loadRating() }

// loadRating loads the player's rating in the game played most.
func (s lobbyScreen) loadRating() tea.Cmd {
	l, ctx, who, say := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Say
	if who.Player() == "" {
		return nil
	}
	return func() tea.Msg {
		p, err := l.Profile(ctx, who, who.Name)
		if err != nil {
			return nil // the header does without
		}
		best := standings.Standing{}
		for _, g := range p.Games {
			if g.Played > best.Played {
				best = g
			}
		}
		if g, err := l.Game(best.Game); err == nil && best.Played > 0 {
			return ratingMsg{describe.ShortName(say, g) + " " + describe.Rated(best.Rating, best.Provisional)}
		}
		return nil
	}
}

func (s lobbyScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	next, cmd := s.handle(msg)
	if page := next.(lobbyScreen); wantsLounge(&page) {
		return withLounge(page, cmd)
	}
	return next, cmd
}

// handle takes a message.
func (s lobbyScreen) handle(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		return s.tuned(nil)
	case screen.CoveredMsg:
		s.lounge.opened = false
		s.covered, s.tv.idle = true, false // new lists tell whether a match runs when the page is visible again
		return s.tuned(nil)
	case televisionMsg, puzzleMsg, lastMatchMsg, screen.TickMsg:
		var cmd tea.Cmd
		s.tv, cmd = s.tv.update(msg)
		return s, cmd
	case screen.ListsMsg:
		return s.update(msg)
	case ratingMsg:
		s.rating = msg.short
	case stakeMsg:
		if msg.id == s.staked {
			s.stake = msg.stake
		}
	case removalMsg:
		s.rows = dropRemoved(s.rows, msg.number, s.held())
	case tookMsg:
		s.busy = false
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		return s, screen.ShowMatch(msg.ref)
	case screen.ResumedMsg:
		s.covered, s.staked = false, ""
		s, cmd := s.loadStake()
		return s.tuned(tea.Batch(s.loadRating(), cmd))
	case tea.MouseWheelMsg:
		s.top += widget.Wheel(msg)
	case tea.MouseClickMsg:
		return s.click(msg)
	case loungeMsg, saidMsg, loungeAgainMsg:
		var cmd tea.Cmd
		s.lounge, cmd = s.lounge.update(msg)
		return s, cmd
	case tea.PasteMsg:
		if s.column == loungeColumn {
			s.lounge.pane = s.lounge.pane.Pasted(msg.Content)
		}
	case tea.KeyPressMsg:
		if s.column == loungeColumn {
			return pressInLounge(s, msg)
		}
		return screen.Press(s, &lobbyKeys, msg)
	}
	return s.within(), nil
}

// tuned returns the page with the television on if the player wants and sees it, beside what cmd does.
func (s lobbyScreen) tuned(cmd tea.Cmd) (lobbyScreen, tea.Cmd) {
	var switched tea.Cmd
	s.tv, switched = s.tv.switched(!s.covered && !s.env.Settings.TelevisionOff && s.hasRoom())
	if s.column == televisionColumn && !s.tv.on() {
		s.column = listColumn
	}
	return s.within(), tea.Batch(cmd, switched)
}

// hasRoom reports whether there is room for the television beside the lists.
func (s lobbyScreen) hasRoom() bool {
	return s.size.Width >= televisionWidth && s.size.Height >= televisionHeight
}

// televisionLeft returns the column where the television begins.
func (s lobbyScreen) televisionLeft() int {
	right := s.size.Width - widget.Margin
	beside := func(lists int) int { return right - describe.ListColumn - lists - televisionGap }
	cells := min(max(beside(describe.ListCells), televisionLeast), televisionMost)
	return right - min(max(cells, beside(widestLists)), televisionHuge)
}

// widestLists is the largest width of the lists, in cells, if their rows would be cut otherwise.
const widestLists = 84

// listsEnd returns the column where the lists end. They exceed their usual width only if that shows more of a row.
func (s lobbyScreen) listsEnd() int {
	end := s.size.Width - widget.Margin
	if s.tv.on() {
		end = s.televisionLeft() - televisionGap
	}
	return min(end, describe.ListColumn+min(max(s.wanted, describe.ListCells), widestLists))
}

// wantedCells returns how many cells the lists need for nothing in them to be cut.
func (s listPane) wantedCells() (cells int) {
	for b, n := range s.needs {
		third := thirdCells
		if block(b) == openOffers {
			third = s.casualCells()
		}
		cells = max(cells, markCells+describe.GameCells+n.first+n.second+third)
	}
	return cells
}

// update takes new lists. New rows appear in their places; removed ones grey out and go a little later.
func (s lobbyScreen) update(msg screen.ListsMsg) (lobbyScreen, tea.Cmd) {
	s.here = msg.Lists.Count
	s.yourMove = false
	for _, m := range msg.Yours.Matches {
		s.yourMove = s.yourMove || m.Waits()
	}
	var tv tea.Cmd
	s.tv, tv = s.tv.heard(len(msg.Lists.Running) == 0)
	fresh := rowsOf(s.env, msg)
	s.needs = needsOf(s.env, msg, fresh)
	s.wanted = s.wantedCells()
	if !s.loaded {
		s.rows, s.loaded = fresh, true
		return s, tv
	}
	cmds := []tea.Cmd{tv}
	var anyGone bool
	s.rows, anyGone = mergeRows(s.rows, fresh, s.removals+1)
	if anyGone {
		s.removals++
		cmds = append(cmds, screen.After(s.env.Ctx, greyFor, removalMsg{s.removals}))
	}
	return s.within(), tea.Batch(cmds...)
}

// loadStake loads what the rated offer under the cursor would do to the player's rating, unless that was asked for. It is read once each
// time that the cursor comes to an offer, whatever changes in the lists meanwhile.
func (s lobbyScreen) loadStake() (lobbyScreen, tea.Cmd) {
	r := s.offer()
	if r == nil || !r.rated {
		s.staked, s.stake = "", nil
		return s, nil
	}
	if r.id == s.staked {
		return s, nil
	}
	s.staked, s.stake = r.id, nil
	l, ctx, who, id := s.env.Lobby, s.env.Ctx, s.env.Who, r.id
	return s, func() tea.Msg {
		stake, _ := l.OfferStake(ctx, who, id) // without it the words are missing, and nothing else
		return stakeMsg{id, stake}
	}
}

// offer returns the row with the cursor if it is an offer that can be taken, else nil.
func (s lobbyScreen) offer() *row {
	at := s.index(s.chosen)
	if s.column != listColumn || at < 0 || !s.rows[at].seat || s.rows[at].removed {
		return nil
	}
	return s.rows[at].row
}

// terms says what the offer under the cursor is, its stake included; nothing if there is none.
func (s lobbyScreen) terms() []string {
	r := s.offer()
	switch {
	case r == nil:
		return nil
	case s.stake == nil || r.id != s.staked:
		return r.terms
	}
	return append(r.terms[:len(r.terms):len(r.terms)], strings.Join(s.env.Say.Stake(*s.stake), s.env.Theme.Dot))
}

// held returns the match under the cursor. Its row stays even if it is removed.
func (s lobbyScreen) held() storage.MatchID {
	if s.column == listColumn {
		return s.chosen
	}
	return ""
}

var lobbyKeys = widget.Actions[lobbyScreen]{
	Footer: []widget.Action[lobbyScreen]{
		widget.ArrowKeys(lobbyScreen.move).Listed(bothColumns),
		widget.On("enter", text.T("choose"), lobbyScreen.enter, "enter"),
		widget.OnKey("tab", text.T("other column"), lobbyScreen.switchColumn, "tab", "shift+tab").Doing(otherColumn),
		// Translators: the key p opens the puzzle of the day.
		widget.On("p", text.T("the puzzle"), solve, "p").When(puzzled),
		widget.On("o", text.T("operator"), operate, "o").When(operates),
	},
	Others: widget.JumpKeys(lobbyScreen.move, widget.OnKey("", "", lobbyScreen.toColumn, "left", "right")),
}

// puzzled reports whether the television shows the puzzle of the day.
func puzzled(s lobbyScreen) bool { return s.tv.puzzled() }

// solve opens the puzzle of the day.
func solve(s lobbyScreen) (lobbyScreen, tea.Cmd) {
	return s, screen.Push(puzzlepage.NewDaily(s.env))
}

func operates(s lobbyScreen) bool { return s.env.Operator != nil }

func operate(s lobbyScreen) (lobbyScreen, tea.Cmd) { return s, screen.Push(operatorpage.New(s.env)) }

// bothColumns reports whether menu and lists are shown at once.
func bothColumns(s lobbyScreen) bool { return s.size.Width >= widget.BothColumns }

// otherColumn says in English where tab goes.
func otherColumn(s lobbyScreen) string {
	if bothColumns(s) {
		return text.T("other column")
	}
	switch nextColumn(s, 1) {
	case listColumn:
		return text.T("lists")
	case loungeColumn:
		return text.T("lounge")
	}
	return text.T("menu")
}

// columnsOf returns the columns that the cursor can be in, in their order.
func columnsOf(s lobbyScreen) []column {
	all := []column{menuColumn, listColumn}
	if s.tv.shows() {
		all = append(all, televisionColumn)
	}
	if s.env.Lobby.Lounge != nil {
		all = append(all, loungeColumn)
	}
	return all
}

// nextColumn returns the column that is some steps farther, from the last on at the first again.
func nextColumn(s lobbyScreen, steps int) column {
	all := columnsOf(s)
	return all[(max(slices.Index(all, s.column), 0)+steps+len(all))%len(all)]
}

// switchColumn moves the cursor to the next column, and from the last to the first.
func (s lobbyScreen) switchColumn(msg tea.KeyPressMsg) (lobbyScreen, tea.Cmd) {
	steps := 1
	if msg.String() == "shift+tab" {
		steps = -1
	}
	return s.focusColumn(nextColumn(s, steps)).loadStake()
}

// toColumn moves the cursor one column to the left or right.
func (s lobbyScreen) toColumn(msg tea.KeyPressMsg) (lobbyScreen, tea.Cmd) {
	all := slices.DeleteFunc(columnsOf(s), func(c column) bool { return c == loungeColumn }) // where these keys are text
	at := max(slices.Index(all, s.column), 0)
	if msg.String() == "right" {
		return s.focusColumn(all[min(at+1, len(all)-1)]).loadStake()
	}
	return s.focusColumn(all[max(at, 1)-1]).loadStake()
}

// enter opens what the cursor stands on.
func (s lobbyScreen) enter() (lobbyScreen, tea.Cmd) {
	switch s.column {
	case listColumn:
		return s.choose(s.chosen)
	case televisionColumn:
		return s, s.tv.open()
	}
	return s, menu[s.item].open(s.env)
}

// focusColumn moves the cursor to a column.
func (s lobbyScreen) focusColumn(to column) lobbyScreen {
	s.column = to
	s.lounge.opened = s.lounge.opened || to == loungeColumn
	if to == listColumn && s.index(s.chosen) < 0 {
		if at := firstMatch(s.rows); at >= 0 {
			s.chosen = s.rows[at].id
		}
	}
	s.rows = dropRemoved(s.rows, s.removals, s.held())
	return s.follow()
}

// move moves the cursor within its column.
func (s lobbyScreen) move(msg tea.KeyPressMsg) (lobbyScreen, tea.Cmd) {
	key := msg.String()
	switch s.column {
	case menuColumn:
		s.item = widget.Moved(key, s.item, len(menu), len(menu))
		return s, nil
	case televisionColumn, loungeColumn:
		return s, nil
	}
	at, matches := 0, 0
	for _, r := range s.rows {
		if r.id == s.chosen && r.id != "" {
			at = matches
		}
		if r.id != "" {
			matches++
		}
	}
	if matches > 0 {
		s.chosen = nthMatch(s.rows, widget.Moved(key, at, matches, s.size.Height-4))
	}
	return s.follow().loadStake()
}

// choose opens the board of a row, after taking the seat of an offer.
func (s lobbyScreen) choose(id storage.MatchID) (lobbyScreen, tea.Cmd) {
	at := s.index(id)
	if at < 0 || s.busy {
		return s, nil
	}
	switch r := s.rows[at]; {
	case r.removed && r.seat:
		return s, screen.Note(s.env.Say.T("This one is gone. Choose another, or open a match yourself."))
	case !r.seat:
		return s, screen.ShowMatch(lobby.Ref{ID: id})
	}
	s.busy = true
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	return s, func() tea.Msg {
		ref, err := l.Take(ctx, who, id)
		return tookMsg{ref, err}
	}
}

// index returns the place of a match in the rows, -1 if there is none.
func (s listPane) index(id storage.MatchID) int {
	for i, r := range s.rows {
		if r.id == id && id != "" {
			return i
		}
	}
	return -1
}

func (s lobbyScreen) Title() string { return s.env.Greeting.Name() }

func (s lobbyScreen) Status() string {
	status := s.env.Who.Name
	if s.rating != "" {
		status += s.env.Theme.Dot + s.rating
	}
	if s.loaded {
		// Translators: how many people are in the club.
		status += s.env.Theme.Dot + s.env.Say.T("%d here", s.here)
	}
	return status
}

// WindowTitle returns "your move" if a match waits for the player.
func (s lobbyScreen) WindowTitle() string {
	if s.yourMove {
		return s.env.Say.T("your move")
	}
	return ""
}

func (s lobbyScreen) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("The menu is at the left, what is going on at the right; in a narrow window the key tab goes from one to the other."),
		"# "+say.T("Your matches"),
		say.T("Matches go on after you leave, for as long as you both like. A ! marks one that waits for you: enter goes to its board."),
		"# "+say.T("Open offers"),
		say.T("Enter takes the free seat, and the match starts. A rating with a ? is provisional: it rests on few matches."),
		"# "+say.T("Now playing"),
		say.T("Enter watches. Players marked (bot) are computer players."),
		"# "+say.T("Lounge"),
		say.T("The key tab goes on to the lounge, the room for all who are here. Its newest line stands below the lists once you have opened it; the settings switch that off."),
		"# "+say.T("Television"),
		say.T("In a window of 120x30 or more, the lobby shows the best match that is being played, else the puzzle of the day and the last match.")+" "+
			say.T("Enter on it goes to the board. The settings switch it off."),
	)
}

func (s lobbyScreen) ShortHelp() []key.Binding  { return keysIn(s).ShortHelp(s) }
func (s lobbyScreen) FullHelp() [][]key.Binding { return keysIn(s).FullHelp(s) }
func (s lobbyScreen) Typing() bool              { return s.column == loungeColumn }

// HandlesEsc reports whether esc leads from the lounge back to the menu.
func (s lobbyScreen) HandlesEsc() bool { return s.column == loungeColumn }

// Cursor returns the place of the cursor in the line that is typed in the lounge.
func (s lobbyScreen) Cursor() (x, y int, shown bool) {
	if s.column != loungeColumn {
		return 0, 0, false
	}
	at := loungeArea(s, canvas.Area(0, 0, s.size.Width, s.size.Height), s.room())
	return at.Min.X + s.lounge.pane.Cursor(at.Dx()), at.Max.Y - 1, true
}

// Settings returns the settings of the player, who has opened the lounge if the cursor was there.
func (s lobbyScreen) Settings() accounts.Settings {
	now := s.env.Settings
	now.Lounge = now.Lounge || s.lounge.opened
	return now
}

// A menuItem is a line of the menu.
type menuItem struct {
	words string
	open  func(*screen.Env) tea.Cmd
}

// menu lists what a player can do.
var menu = []menuItem{
	{text.T("Play the computer"), func(e *screen.Env) tea.Cmd { return screen.Push(newmatch.New(e, newmatch.AgainstComputer)) }},
	{text.T("Quick match"), func(e *screen.Env) tea.Cmd { return screen.Push(newmatch.NewQuick(e)) }},
	{text.T("New match..."), func(e *screen.Env) tea.Cmd { return screen.Push(newmatch.New(e, newmatch.AgainstPerson)) }},
	{text.T("Join by code..."), func(e *screen.Env) tea.Cmd { return screen.Push(newmatch.NewJoin(e)) }},
	{text.T("Two at this keyboard"), func(e *screen.Env) tea.Cmd { return screen.Push(newmatch.New(e, newmatch.AtOneKeyboard)) }},
	{text.T("Events"), func(e *screen.Env) tea.Cmd { return screen.Push(eventspage.NewList(e)) }},
	{text.T("Players here"), func(e *screen.Env) tea.Cmd { return screen.Push(people.NewPlayersHere(e)) }},
	{text.T("Leaderboard"), func(e *screen.Env) tea.Cmd { return screen.Push(people.NewLeaderboard(e)) }},
	{text.T("Watch a match"), func(e *screen.Env) tea.Cmd { return screen.Push(people.NewWatch(e)) }},
	{text.T("History"), func(e *screen.Env) tea.Cmd { return screen.Push(people.NewHistory(e, e.Who.Name)) }},
	{text.T("Learn the games"), func(e *screen.Env) tea.Cmd { return screen.Push(lessonpage.NewList(e)) }},
	{text.T("Puzzles"), func(e *screen.Env) tea.Cmd { return screen.Push(puzzlepage.NewList(e)) }},
	{text.T("Settings"), func(e *screen.Env) tea.Cmd { return screen.Push(accountpage.NewSettings(e)) }},
}

// menuGap is the item above which the menu has an empty line.
const menuGap = 5

// menuItem returns the item of the menu on a line of the columns, which are room lines high; -1 if there is none. Line 0 is the heading.
// Where there is no room for all, the menu has no empty line, and scrolls with the cursor.
func (s lobbyScreen) menuItem(line, room int) int {
	if line <= 0 || line >= room {
		return -1
	}
	item := line - 1
	room-- // below the heading
	switch {
	case room > len(menu) && item == menuGap:
		return -1
	case room > len(menu) && item > menuGap:
		item--
	case room < len(menu):
		item += max(s.item-room+1, 0)
	}
	if item >= len(menu) {
		return -1
	}
	return item
}

func (s lobbyScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	w, h := p.Width, p.Height
	remark, first := belowColumns(s, w), firstLine(s.env, s.size)
	room := max(h-first-len(remark), 0)
	p.Down(widget.FirstLine)
	for _, line := range greetingOn(s.env, s.size) {
		p.Line(widget.MenuColumn, s.env.Theme.Plain, text.Cut(line, w-widget.MenuColumn))
	}
	lines := s.lines()
	top, end := scrolled(s.top, lines.count, room), listEnd{s.listsEnd(), s.column == listColumn}
	for i := range room {
		switch {
		case w >= widget.BothColumns:
			s.menuCell(&p, i, room)
			if s.column == loungeColumn {
				break
			}
			p.To(describe.ListColumn)
			s.listCell(&p, lines.row(top+i), end, i == 0 && top > 0, i == room-1 && top+room < lines.count)
		case s.column == listColumn:
			p.To(1)
			s.listCell(&p, lines.row(top+i), end, i == 0 && top > 0, i == room-1 && top+room < lines.count)
		case s.column == menuColumn:
			s.menuCell(&p, i, room)
		}
		p.End()
	}
	if s.column == loungeColumn {
		s.lounge.draw(c, loungeArea(s, area, room))
	}
	if s.tv.on() {
		left := s.televisionLeft()
		at := area.Min
		s.tv.draw(c, canvas.Area(at.X+left, at.Y+first, w-widget.Margin-left, room), s.column == televisionColumn)
	}
	for _, words := range remark {
		p.Line(widget.MenuColumn, s.env.Theme.Dim, words)
	}
}

// greetingHeight is the least height of the page at which the lines of the operator stand above the columns: the menu is whole below them.
const greetingHeight = 21

// greetingOn returns the lines of the operator that stand above the columns of a page, with an empty one below them.
func greetingOn(e *screen.Env, size tea.WindowSizeMsg) []string {
	lines := e.Greeting.Lines()
	if len(lines) == 0 || size.Height < greetingHeight || size.Width < widget.BothColumns {
		return nil
	}
	return append(slices.Clip(lines), "")
}

// firstLine returns the line of a page on which the columns begin.
func firstLine(e *screen.Env, size tea.WindowSizeMsg) int {
	return widget.FirstLine + len(greetingOn(e, size))
}

// termLines returns the number of lines that are kept for the terms of an offer, so that the lists don't move when its stake arrives.
func termLines(w int) int {
	if w < widget.BothColumns {
		return 3
	}
	return 2
}

// remark returns the lines below the columns: the terms of the offer under the cursor, or in a narrow window with only the menu that a match
// waits, or what a guest gains with a key.
func (s lobbyScreen) remark(w int) []string {
	if terms := s.terms(); terms != nil {
		lines, most := text.WrapParts(terms, s.env.Theme.Dot, w-widget.MenuColumn-widget.Margin), termLines(w)
		for len(lines) < most {
			lines = append(lines, "")
		}
		return append(lines[:most], "")
	}
	words := ""
	switch {
	case w < widget.BothColumns && s.yourMove && s.column == menuColumn:
		words = s.env.Say.T("! It is your move: press tab.")
	case s.env.Who.Kind == storage.Guest:
		words = s.env.Say.T("You are a guest: connect with an SSH key, and your name and results are kept.")
	default:
		return nil
	}
	return append(text.Wrap(words, w-2*widget.MenuColumn), "")
}

// menuCell draws a line of the menu in columns that are room lines high. Line 0 is the heading.
func (s lobbyScreen) menuCell(p *widget.Page, line, room int) {
	t, say := s.env.Theme, s.env.Say
	item := s.menuItem(line, room)
	switch {
	case line == 0:
		p.To(widget.MenuColumn).Put(t.Dim, say.T("PLAY"))
	case item < 0:
	case item == s.item && s.column == menuColumn:
		p.To(widget.MenuColumn-2).Put(t.Accent, ">").To(widget.MenuColumn).Put(t.Accent, say.T(menu[item].words))
	default:
		p.To(widget.MenuColumn).Put(t.Plain, say.T(menu[item].words))
	}
}

// listLines maps the rows of the lists to lines: there is an empty line above each heading but the first.
type listLines struct {
	count  int
	starts [blocks]int // the lines of the headings
}

func (s listPane) lines() (l listLines) {
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

// row returns the row on a line, -1 if there is none.
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

// line returns the line of a row.
func (l listLines) line(row int) int {
	for b := blocks - 1; b > 0; b-- {
		if row+b >= l.starts[b] {
			return row + b
		}
	}
	return row
}

// listCell draws a row of the lists, nothing for -1, or a mark where there is more above or below.
func (s listPane) listCell(p *widget.Page, at int, end listEnd, above, below bool) {
	t := s.env.Theme
	switch {
	case above:
		p.To(p.At+2).Put(t.Dim, t.Up)
		return
	case below:
		p.To(p.At+2).Put(t.Dim, t.Down)
		return
	case at < 0:
		return
	}
	r := s.rows[at]
	if r.id == "" && !r.heading && !r.sought && s.hasRemoved(r.block) {
		return // it would say beside a match that there is none
	}
	if r.id == "" {
		words := r.game
		if text.Width(words) > p.Width-p.At-2 {
			words = cmp.Or(r.cells[0], words)
		}
		p.To(p.At+2).Put(t.Dim, words)
		return
	}
	mark, y := " ", t.Plain
	if r.waiting && !r.removed {
		mark, y = t.Waiting, t.Bold
	}
	if end.cursor && r.id == s.chosen {
		mark, y = ">", t.Accent
	}
	if r.removed {
		y = t.Removed
	}
	p.Put(y, mark).To(p.At + 1)
	p.Field(y, r.game, describe.GameCells)
	s.cells(p, y, r, end.column)
}

// The widths of the fixed columns: the mark of the cursor, and the last column, which in offers is casualCells wide.
const (
	markCells  = 2
	thirdCells = 9
)

func (s listPane) casualCells() int {
	return max(7, text.Width(describe.Casual(s.env.Say, true)), text.Width(describe.Casual(s.env.Say, false)))
}

// cells draws the columns of a row into the rest of the line. The last one keeps its place at the right, the first one gets the
// room that is left. A narrow window doesn't show the age of a match.
func (s listPane) cells(p *widget.Page, y canvas.Style, r shownRow, end int) {
	second, third := 10, 8
	switch {
	case r.block == openOffers:
		third = s.casualCells()
		second = 21 - third
	case r.block == nowPlaying:
		second, third = describe.ClockCells(r.cells[1]), thirdCells
	case p.Width < widget.BothColumns:
		third = 0
	}
	cells := r.cells
	if s.env.Now().Before(r.stands) { // when it is drawn: sessions share the rows for longer than some pauses last
		cells[2] = s.env.Say.T("paused")
	}
	if r.removed { // also in words: some terminals don't show the style
		cells = s.removedCells(r)
	}
	n, rest := s.needs[r.block], end-p.At-third
	if missing := n.first + second - rest; r.block == yourMatches && missing > 0 { // the ages leave what they don't need
		wide := third
		third = min(third, max(n.third, third-missing))
		rest += wide - third
	}
	switch missing := n.first + second - rest; {
	case r.block == nowPlaying:
	case n.second > second: // into room that the first column doesn't need
		second = max(second, min(n.second, rest-n.first))
	case missing > 0: // and the other way round
		second = max(n.second, second-missing)
	}
	if rest < second+6 {
		second = max(rest-6, 0)
	}
	if r.block == nowPlaying {
		cells[0] = r.pair.In(rest - second - 1)
	}
	if len(r.shorter) > 0 {
		cells[0] = r.first(rest - second - 1)
	}
	p.Field(y, text.Cut(cells[0], rest-second-1), rest-second)
	if second > 0 {
		p.Field(y, text.Cut(cells[1], second-1), second)
	}
	if third > 0 {
		p.Number(y, cells[2], third)
	}
}

// hasRemoved reports whether a block shows rows that have disappeared from the lists.
func (s listPane) hasRemoved(b block) bool {
	return slices.ContainsFunc(s.rows, func(r shownRow) bool { return r.block == b && r.removed })
}

// removedCells returns the columns of a removed row, without the side to move or a free seat. Only the player's own matches are called
// over: a running match of others also disappears from the lists when its players have left for a while.
func (s listPane) removedCells(r shownRow) [3]string {
	gone := s.env.Say.C("an offer or a match", "gone") // Translators: it stands in the lists no more.
	switch {
	case r.block != yourMatches:
		return [3]string{r.cells[0], r.cells[1], gone}
	case r.seat:
		return [3]string{r.cells[0], gone, ""}
	}
	// Translators: of a match that has ended.
	return [3]string{r.cells[0], s.env.Say.T("over"), ""}
}

// room returns how many lines of the menu and the lists are shown. It wraps the remark, so callers ask once for each message.
func (s lobbyScreen) room() int {
	return max(s.size.Height-firstLine(s.env, s.size)-len(belowColumns(s, s.size.Width)), 1)
}

// scrolled returns top, bounded so that room lines from there on stay within the lines of the lists.
func scrolled(top, lines, room int) int { return max(min(top, lines-room), 0) }

// within returns the page scrolled no farther than the lists go.
func (s lobbyScreen) within() lobbyScreen {
	s.top = scrolled(s.top, s.lines().count, s.room())
	return s
}

// follow returns the page scrolled as far as the cursor needs, with a line to spare for the marks.
func (s lobbyScreen) follow() lobbyScreen {
	lines, room := s.lines(), s.room()
	if at := s.index(s.chosen); s.column == listColumn && at >= 0 {
		line := lines.line(at)
		s.top = min(s.top, line-2)
		s.top = max(s.top, line+2-room)
	}
	s.top = scrolled(s.top, lines.count, room)
	return s
}

// click chooses what is under the mouse. The first click on an offer moves the cursor there.
func (s lobbyScreen) click(m tea.MouseClickMsg) (lobbyScreen, tea.Cmd) {
	line, room := m.Y-firstLine(s.env, s.size), s.room()
	both := s.size.Width >= widget.BothColumns
	if m.Button != tea.MouseLeft || line < 0 {
		return s, nil
	}
	if s.tv.shows() && m.X >= s.televisionLeft() {
		return s.focusColumn(televisionColumn), s.tv.open()
	}
	if s.column == loungeColumn && (!both || m.X >= describe.ListColumn) {
		return s, nil
	}
	if both && m.X >= describe.ListColumn || !both && s.column == listColumn {
		lines := s.lines()
		if at := lines.row(line + scrolled(s.top, lines.count, room)); at >= 0 {
			if r := s.rows[at]; r.id != "" {
				first := s.column != listColumn || s.chosen != r.id
				s.column, s.chosen = listColumn, r.id
				if first && r.seat { // what it would win is read before it is taken
					return s.follow().loadStake()
				}
				return s.choose(r.id)
			}
		}
		return s, nil
	}
	if item := s.menuItem(line, room); item >= 0 {
		s.column, s.item = menuColumn, item
		return s, menu[item].open(s.env)
	}
	return s, nil
}
