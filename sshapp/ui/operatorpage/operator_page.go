// Package operatorpage is the screen of operators: figures, reports and the audit log.
package operatorpage

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/operators"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/chat"
	operatorstore "ludoteca/storage/operators"
)

// An operatorPage shows operators the status of the club, the open reports with keys to act on them, and the newest entries of the
// audit log with a key to undo them. It refreshes every second while it is on top.
type operatorPage struct {
	env   *screen.Env
	size  tea.WindowSizeMsg
	tab   int
	looks int // the number of the look that is planned; others don't go on

	now     status.Status
	loaded  bool
	reports []operatorstore.Report
	audit   []operatorstore.AuditEntry
	list    widget.List

	reading bool         // the report under the cursor is shown whole
	whole   widget.Prose // that report

	verb    string                   // the act that the operator has begun; "" while there is none
	about   operatorstore.Report     // the report that it is about
	entry   operatorstore.AuditEntry // the entry that is to be undone
	picking bool                     // a ban waits for what it is of
	targets []banTarget              // that it can be of; empty until they are known
	pick    widget.List              // of targets
	reason  widget.Entry
	sure    bool // the reason is there: the second enter acts
	acting  bool
}

// A banTarget is a key, an address or a block of addresses that can be banned.
type banTarget struct {
	subject string
	label   string        // English, for T
	lasts   time.Duration // 0: for good
	marked  bool
}

// The tabs.
const (
	figuresTab = iota
	reportsTab
	auditTab
	operatorTabs
)

const (
	lookEvery   = time.Second
	auditShown  = 50
	mutedFor    = 7 * 24 * time.Hour
	bannedFor   = 30 * 24 * time.Hour // addresses, which others have later; keys are for good
	reasonCells = 200                 // letters of a reason
	reasonLines = 3                   // at the bottom: the question, the reason, what is next
	reasonMark  = "> "
)

type (
	lookedMsg struct {
		now     status.Status
		reports []operatorstore.Report
		audit   []operatorstore.AuditEntry
		err     error
	}
	actedMsg struct{ err error }
	fileMsg  struct {
		report uint64
		file   operators.Dossier
		err    error
	}
)

// New returns the page of operators. The session must have an Operator.
func New(e *screen.Env) screen.Screen { return operatorPage{env: e} }

func (s operatorPage) Init() tea.Cmd { return s.look() }

func (s operatorPage) look() tea.Cmd {
	op, ctx := s.env.Operator, s.env.Ctx
	return func() tea.Msg {
		reports, err := op.Reports(ctx, false)
		if err != nil {
			return lookedMsg{err: err}
		}
		audit, err := op.Audit(ctx, 0, auditShown)
		return lookedMsg{op.Status(), reports, audit, err}
	}
}

func (s operatorPage) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case screen.ResumedMsg:
		return s, s.look()
	case screen.TickMsg:
		if msg.Number == s.looks {
			return s, s.look()
		}
	case lookedMsg:
		if msg.err == nil {
			s.reading = s.reading && slices.ContainsFunc(msg.reports, func(r operatorstore.Report) bool {
				return s.list.At < len(s.reports) && r.Number == s.reports[s.list.At].Number
			})
			s.now, s.reports, s.audit, s.loaded = msg.now, msg.reports, msg.audit, true
		}
		s.list = s.list.Fit(s.rows(), s.room())
		s.looks++
		return s, tea.Batch(screen.After(s.env.Ctx, lookEvery, screen.TickMsg{Number: s.looks}), screen.Note(s.env.Say.Error(msg.err)))
	case actedMsg:
		s.acting = false
		return s, tea.Batch(screen.Note(s.env.Say.Error(msg.err)), s.look())
	case fileMsg:
		if !s.picking || msg.report != s.about.Number {
			return s, nil
		}
		if msg.err != nil {
			s.verb, s.picking = "", false
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s.targets, s.pick = banTargets(msg.file, s.env.Origin.Addr), widget.List{}
	case tea.KeyPressMsg:
		if s.picking {
			return s.choose(msg)
		}
		if s.verb != "" {
			return s.answer(msg)
		}
		if s.reading && msg.Code == tea.KeyEscape {
			s.reading = false
			return s, nil
		}
		return screen.Press(s, &operatorKeys, msg)
	}
	return s, nil
}

var operatorKeys = widget.Actions[operatorPage]{
	Footer: []widget.Action[operatorPage]{
		widget.OnKey("enter", text.T("read the report"), operatorPage.read, "enter").When(operatorPage.canRead),
		widget.OnKey("tab", text.T("other page"), operatorPage.turn, "tab", "right", "shift+tab", "left"),
		widget.OnKey("m", text.T("mute for a week"), askOperator("mute"), "m").When(operatorPage.onReport),
		widget.OnKey("c", text.T("close the account"), askOperator("close"), "c").When(operatorPage.onReport),
		widget.OnKey("b", text.T("ban"), operatorPage.askBan, "b").When(operatorPage.onReport),
		widget.OnKey("d", text.T("dismiss"), askOperator("dismiss"), "d").When(operatorPage.onReport),
		widget.OnKey("u", text.T("undo this act"), operatorPage.askUndo, "u").When(operatorPage.onUndoable),
		widget.ArrowKeys(operatorPage.move),
	},
	Others: widget.JumpKeys(operatorPage.move),
}

func (s operatorPage) onReport() bool {
	return s.tab == reportsTab && len(s.reports) > 0 && s.verb == "" && !s.acting
}

func (s operatorPage) canRead() bool { return s.onReport() && !s.reading }

// read shows the report under the cursor whole, with the lines of the chat that were kept with it.
func (s operatorPage) read(tea.KeyPressMsg) (operatorPage, tea.Cmd) {
	say, r := s.env.Say, s.reports[s.list.At]
	match := ""
	if r.Match != "" {
		match = say.T("In the match %s.", string(r.Match))
	}
	lines := say.T("No chat was kept with it.")
	if len(r.Chat) > 0 {
		lines = "# " + say.T("The chat, as %s has seen it", say.Name(r.ByName))
		for _, l := range r.Chat {
			lines += "\n- " + say.Name(l.By) + ": " + say.Talk().Text(chat.Line{Text: l.Text, Greeting: l.Greeting})
		}
	}
	s.reading, s.whole = true, widget.Prose{Words: widget.Paragraphs(
		"# "+say.T("Report %d, %s: %s about %s", r.Number, say.Date(r.At), say.Name(r.ByName), say.Name(r.AboutName)),
		text.Clean(r.Reason), match, lines,
	)}
	return s, nil
}

func (s operatorPage) onUndoable() bool {
	if s.tab != auditTab || s.list.At >= len(s.audit) || s.verb != "" || s.acting {
		return false
	}
	e := s.audit[s.list.At]
	return e.Undo != nil && e.UndoneBy == 0
}

func (s operatorPage) turn(msg tea.KeyPressMsg) (operatorPage, tea.Cmd) {
	s.tab, s.list, s.reading = widget.Cycle(s.tab, operatorTabs, msg.String()), widget.List{}, false
	return s, nil
}

func (s operatorPage) move(msg tea.KeyPressMsg) (operatorPage, tea.Cmd) {
	if s.reading {
		s.whole = s.whole.Key(msg.String(), s.size.Width, s.size.Height)
		return s, nil
	}
	s.list = s.list.Key(msg.String(), s.rows(), s.room())
	return s, nil
}

func (s operatorPage) rows() int {
	return [operatorTabs]int{len(s.figures()), len(s.reports), len(s.audit)}[s.tab]
}

// room returns how many rows are shown below the tabs and above the lines of a question.
func (s operatorPage) room() int { return max(s.size.Height-widget.FirstLine-6, 1) }

// askOperator begins an act on the report under the cursor: first it wants a reason.
func askOperator(verb string) func(operatorPage, tea.KeyPressMsg) (operatorPage, tea.Cmd) {
	return func(s operatorPage, _ tea.KeyPressMsg) (operatorPage, tea.Cmd) {
		s.verb, s.about, s.reason, s.sure = verb, s.reports[s.list.At], widget.Entry{}, false
		return s, nil
	}
}

// askBan first asks for the targets of the ban: the player's keys, and the addresses and blocks that they have come from lately.
func (s operatorPage) askBan(msg tea.KeyPressMsg) (operatorPage, tea.Cmd) {
	s, _ = askOperator("ban")(s, msg)
	s.picking, s.targets = true, nil
	op, ctx, about := s.env.Operator, s.env.Ctx, s.about
	return s, func() tea.Msg {
		file, err := op.Dossier(ctx, about.AboutName)
		return fileMsg{about.Number, file, err}
	}
}

// banTargets returns the keys, addresses and blocks of a player that can be banned. Only keys are marked, because a whole school may share an
// address. The operator's own address is left out, so that two keys can't lock the operator out.
func banTargets(f operators.Dossier, own netip.Addr) []banTarget {
	var all []banTarget
	for _, k := range f.Keys {
		all = append(all, banTarget{subject: k.From, label: text.T("key %s"), marked: true})
	}
	for _, a := range f.Addresses {
		for _, b := range origin.Blocks(a.Addr) {
			t := banTarget{subject: b.String(), label: text.T("block %s"), lasts: bannedFor}
			if b.IsSingleIP() {
				t.subject, t.label = b.Addr().String(), text.T("address %s")
			}
			if !b.Contains(own.Unmap()) && !slices.ContainsFunc(all, func(o banTarget) bool { return o.subject == t.subject }) {
				all = append(all, t)
			}
		}
	}
	return all
}

// choose takes a key while a ban waits for what it is of.
func (s operatorPage) choose(msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	isMarked := func(t banTarget) bool { return t.marked }
	switch {
	case msg.Code == tea.KeyEscape:
		s.verb, s.picking = "", false
	case msg.Code == tea.KeyEnter:
		s.picking = !slices.ContainsFunc(s.targets, isMarked)
	case msg.Code == tea.KeySpace && len(s.targets) > 0:
		s.targets = slices.Clone(s.targets)
		s.targets[s.pick.At].marked = !s.targets[s.pick.At].marked
	default:
		s.pick = s.pick.Key(msg.String(), len(s.targets), s.room())
	}
	return s, nil
}

func (s operatorPage) askUndo(tea.KeyPressMsg) (operatorPage, tea.Cmd) {
	s.verb, s.entry, s.reason, s.sure = "undo", s.audit[s.list.At], widget.Entry{}, false
	return s, nil
}

// answer takes a key while an act waits for its reason, or for the second enter.
func (s operatorPage) answer(msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	switch {
	case msg.Code == tea.KeyEscape:
		s.verb = ""
	case msg.Code == tea.KeyEnter && s.sure:
		return s.act()
	case msg.Code == tea.KeyEnter:
		s.sure = s.reason.Text != ""
	default:
		s.sure = false
		s.reason, _ = s.reason.Typed(msg, reasonCells)
	}
	return s, nil
}

func (s operatorPage) act() (screen.Screen, tea.Cmd) {
	op, ctx, now, verb, about, entry, reason := s.env.Operator, s.env.Ctx, s.env.Now(), s.verb, s.about, s.entry, s.reason.Text
	targets := s.targets
	ctx = context.WithoutCancel(ctx) // what consists of several acts is done whole, even if the first one ends this session
	s.verb, s.acting = "", true
	return s, func() tea.Msg {
		var err error
		switch verb {
		case "undo":
			_, err = op.Undo(ctx, entry.Number, reason)
			return actedMsg{err}
		case "mute":
			_, err = op.Mute(ctx, about.AboutName, now.Add(mutedFor), reason)
		case "close":
			_, err = op.Close(ctx, about.AboutName, reason)
		case "ban":
			for _, t := range targets {
				if err != nil || !t.marked {
					continue
				}
				var until time.Time
				if t.lasts != 0 {
					until = now.Add(t.lasts)
				}
				_, err = op.Ban(ctx, t.subject, until, reason)
			}
		}
		if err == nil {
			_, err = op.Handle(ctx, about.Number, reason)
		}
		return actedMsg{err}
	}
}

// question says what the act that waits for its reason would do.
func (s operatorPage) question() string {
	say, name := s.env.Say, text.Clean(s.about.AboutName)
	switch s.verb {
	case "mute":
		return say.T("Mute %s for a week. Why?", name)
	case "close":
		return say.T("Close the account of %s. Why?", name)
	case "ban":
		if s.picking {
			return say.T("Ban what of %s? Keys are banned for good, addresses for 30 days.", name)
		}
		return say.T("Ban %s. Why?", name)
	case "undo":
		return say.T("Undo %s %s. Why?", s.entry.Verb, text.Clean(s.entry.Subject))
	}
	return say.T("Dismiss the report about %s. Why?", name)
}

// figures are the lines of the first tab: a label and a value each.
func (s operatorPage) figures() [][2]string {
	say, n := s.env.Say, &s.now
	size := func(bytes int64) string {
		if bytes >= 1<<30 {
			return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
		}
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	rows := [][2]string{
		{say.T("sessions"), fmt.Sprint(n.Sessions)},
		{say.T("connections"), say.T("%d, %d signing in", n.Connections, n.SigningIn)},
		{say.T("people"), fmt.Sprint(n.Here)},
		{say.T("matches"), say.N(n.MatchesWaiting, "%d, %d waits for a player", "%d, %d wait for a player", n.Matches, n.MatchesWaiting)},
		{say.T("of people"), fmt.Sprint(n.MatchesPeople)},
		{say.T("with a bot"), fmt.Sprint(n.MatchesBots)},
		{say.T("of two bots"), fmt.Sprint(n.MatchesExhibitions)},
		{say.T("bots think"), say.N(n.BotsWaiting, "%d, %d waits, at most %.1f s", "%d, %d wait, at most %.1f s", n.BotsThinking, n.BotsWaiting, float64(n.BotsLongestWait)/1000)},
		{say.T("analyses"), fmt.Sprint(n.AnalysesWaiting)},
		{say.T("store"), say.N(n.StoreQueue, "%s, %d change waits", "%s, %d changes wait", size(n.StoreBytes), n.StoreQueue)},
		{say.T("writes"), fmt.Sprintf("50 %% %.1f ms, 99 %% %.1f ms", n.StoreWrite.P50, n.StoreWrite.P99)},
		{say.T("disk"), say.T("%s free", size(int64(n.DiskFree)))},
		{say.T("program"), say.T("%s, %d goroutines", size(n.MemoryBytes), n.Goroutines)},
		{say.T("up"), (time.Duration(n.UptimeSeconds) * time.Second).String() + ", " + n.Version},
	}
	for _, r := range n.Refusals {
		rows = append(rows, [2]string{say.T("refused"), say.T("%s: %d/min, %d/h", r.Reason, r.Minute, r.Hour)})
	}
	return rows
}

const figureCells = 14 // of the labels

func (s operatorPage) Draw(c *canvas.Canvas, area canvas.Rect) {
	p, t, say := widget.NewPage(c, area), s.env.Theme, s.env.Say
	p.Down(widget.FirstLine)
	widget.DrawTabs(&p, t, []string{say.T("now"), say.T("reports"), say.T("audit")}, s.tab)
	if !s.loaded {
		return
	}
	if s.picking {
		s.drawTargets(&p)
		return
	}
	if s.reading && s.verb == "" {
		s.whole.Draw(&p, t)
		return
	}
	figures, ends := s.figures(), operators.AuditEnds(s.audit, s.env.Now())
	if s.rows() == 0 {
		p.Line(widget.MenuColumn, t.Dim, say.T("There is nothing here."))
	}
	widget.DrawList(&p, t, s.list, s.rows(), s.room(), func(i int, y canvas.Style) {
		switch s.tab {
		case figuresTab:
			p.Field(y, figures[i][0], figureCells).Put(y, figures[i][1])
		case reportsTab:
			r := s.reports[i]
			p.Put(y, fmt.Sprintf("%d %s: %s (%s)", r.Number, text.Clean(r.AboutName), text.Clean(r.Reason), text.Clean(r.ByName)))
		default:
			e := s.audit[i]
			act := strings.TrimSpace(e.Verb + " " + text.Clean(e.Subject))
			p.Put(y, fmt.Sprintf("%d %s: %s", e.Number, act, text.Clean(e.Reason)))
			if note := say.AuditNote(e, ends[i]); note != "" {
				p.Put(y, " ("+note+")")
			}
		}
	})
	if s.verb == "" {
		return
	}
	p.Down(max(p.Height-reasonLines, 0))
	p.Line(widget.MenuColumn, t.Accent, s.question())
	shown, _ := s.reason.Shown(reasonRoom(p.Width))
	p.Line(widget.MenuColumn, t.Plain, reasonMark+shown)
	if s.sure {
		p.Line(widget.MenuColumn, t.Bold, say.T("Enter once more does it."))
	}
}

// drawTargets draws what can be banned, in place of the reports.
func (s operatorPage) drawTargets(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	p.Wrap(widget.MenuColumn, t.Accent, s.question(), widget.Measure(p.Width)-2*widget.MenuColumn)
	widget.DrawList(p, t, s.pick, len(s.targets), s.room(), func(i int, y canvas.Style) {
		mark := "[ ] "
		if s.targets[i].marked {
			mark = "[x] "
		}
		p.Put(y, mark+say.T(s.targets[i].label, s.targets[i].subject))
	})
}

func (s operatorPage) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("operator")
}
func (s operatorPage) Status() string   { return s.env.Say.T("reports: %d", len(s.reports)) }
func (s operatorPage) Typing() bool     { return s.verb != "" }
func (s operatorPage) HandlesEsc() bool { return s.verb != "" || s.reading }

// reasonRoom returns the cells for what is typed of a reason in a page of w cells.
func reasonRoom(w int) int { return w - widget.MenuColumn - len(reasonMark) }

// Cursor returns the place of the cursor in the reason.
func (s operatorPage) Cursor() (x, y int, shown bool) {
	_, column := s.reason.Shown(reasonRoom(s.size.Width))
	return widget.MenuColumn + len(reasonMark) + column, s.size.Height - reasonLines + 1, s.verb != "" && !s.picking
}

func (s operatorPage) ShortHelp() []key.Binding {
	if s.picking {
		return []key.Binding{widget.Label(text.T("space"), text.T("mark")), widget.Label("enter", text.T("go on")), widget.Label("esc", text.T("cancel"))}
	}
	if s.verb != "" {
		// Translators: "act" does what was chosen, such as a ban.
		return []key.Binding{widget.Label("enter", text.T("act")), widget.Label("esc", text.T("cancel"))}
	}
	return operatorKeys.ShortHelp(s)
}
func (s operatorPage) FullHelp() [][]key.Binding { return operatorKeys.FullHelp(s) }
