package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/news"
	"ludoteca/lobby/quick"
	"ludoteca/sshapp/command/lineedit"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// nameless is the prompt where there is no current match. Prompts stand on the complaints' stream, so that a script reads nothing but answers.
const nameless = "ludoteca> "

// LineMode reads commands, one a line, and runs each, until the input ends or a line says quit. It prints no escape sequences
// and works on any terminal, in a pipe and with a screen reader. It returns the status of the last command, and ends soon
// after ctx. It closes in, which must end a blocked Read. A command that follows a match ends at the next line.
//
// first is a command that runs before the others, "" for none. cooked makes LineMode echo and edit the input. It is for a terminal without abilities
// (TERM=dumb, or none), whose client switched off its own line discipline when it asked for a pty.
func (r *Runner) LineMode(ctx context.Context, who Caller, first string, in io.ReadCloser, out, complaints io.Writer, cooked bool) int {
	ctx, cancel := context.WithCancel(ctx)
	m := &lineMode{
		runner: r, caller: who, chunks: make(chan []byte), news: make(chan prompt.Line),
		out: out, complaints: complaints,
	}
	if cooked {
		m.out, m.complaints = folder{out, m.say}, folder{complaints, m.say}
	}
	m.typed = lineedit.Editor{Keys: cooked, Complete: m.complete, Prompt: m.prompt}
	m.caller.Receive = nil // it is the lines
	say, _ := r.language(ctx, who)
	m.caller.current = prompt.NewMatch(say)
	m.caller.together = prompt.NewTogether(m.say)
	m.caller.lounge = prompt.NewLounge()
	m.caller.search = prompt.NewSearch(func(who lobby.User, w quick.Wanted) (quick.Search, context.CancelFunc, error) {
		ctx, stop := context.WithCancel(ctx)
		s, err := r.lobby.Quick.Seek(ctx, who, w)
		if err != nil {
			stop()
		}
		return s, stop, err
	}, m.caller.current)
	m.caller.lessons = new(firstLessons)
	m.settle(ctx)
	if first != "" {
		m.early = &lineedit.Line{Text: first}
	}
	m.beside.Go(func() { m.read(ctx, in) })
	m.beside.Go(func() {
		m.caller.current.Tell(ctx, r.lobby.Practice, m.teller(ctx, eventEvery), m.wordsTeller(ctx, talkEvery))
	})
	m.beside.Go(func() { m.caller.together.Tell(ctx, m.teller(ctx, eventEvery), m.wordsTeller(ctx, talkEvery)) })
	found := prompt.Finder{Say: m.say, Lobby: r.lobby, Match: m.caller.current, At: m.visit.at, Tell: m.teller(ctx, eventEvery)}
	m.beside.Go(func() { m.caller.search.Tell(ctx, found) })
	defer func() { cancel(); in.Close(); m.beside.Wait() }()
	return m.serve(ctx)
}

// The rates of news: newsBurst lines at once, then one each eventEvery, or each talkEvery for chat and arrivals. The goroutine that tells
// news of one kind waits for its rate and for the prompt. So at most one line of each kind waits, and the next one tells the state at its
// time.
const (
	newsBurst  = 8
	eventEvery = time.Second
	talkEvery  = 2 * time.Second
)

// teller returns what tells news of one kind. It returns when the prompt has them, or ctx has ended. One goroutine may use it.
func (m *lineMode) teller(ctx context.Context, every time.Duration) func(prompt.Line) {
	pace := rate.NewLimiter(rate.Every(every), newsBurst)
	return func(n prompt.Line) {
		if pace.Wait(ctx) != nil {
			return
		}
		select {
		case m.news <- n:
		case <-ctx.Done():
		}
	}
}

// wordsTeller is teller for lines without a printed callback.
func (m *lineMode) wordsTeller(ctx context.Context, every time.Duration) func(string) {
	tell := m.teller(ctx, every)
	return func(words string) { tell(prompt.Line{Words: words}) }
}

// print prints news, with before in front and after behind.
func (m *lineMode) print(n prompt.Line, before, after string) {
	if n.Make != nil {
		n.Words = n.Make(m.typed.Shown() != "")
	}
	fmt.Fprint(m.complaints, before+n.Words+"\n"+after)
	if n.Printed != nil {
		n.Printed()
	}
}

// A folder writes to a terminal, and only what that can show, if it knows only ASCII. What goes through a pipe stays as it is.
type folder struct {
	io.Writer
	say func() wording.Words
}

// Write writes text. Half a character, typed and shown byte by byte, stays as it is.
func (f folder) Write(p []byte) (int, error) {
	if !f.say().OnlyASCII() || !utf8.Valid(p) {
		return f.Writer.Write(p)
	}
	if _, err := io.WriteString(f.Writer, text.ASCII(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A lineMode is one run of LineMode.
type lineMode struct {
	runner          *Runner
	caller          Caller
	chunks          chan []byte     // of the input; closed when that or the context has ended
	typed           lineedit.Editor // what has come of them
	visit           boardVisit
	early           *lineedit.Line    // came while a command was following a match
	told            bulletin.Bulletin // the bulletin that was printed last
	newer           <-chan struct{}
	news            chan prompt.Line // about what has happened
	beside          sync.WaitGroup   // the reader and the goroutines that tell news
	out, complaints io.Writer
}

// chunkBytes are read of the input at once.
const chunkBytes = 256

// read hands over the input until it ends or ctx does.
func (m *lineMode) read(ctx context.Context, in io.Reader) {
	defer close(m.chunks)
	for {
		chunk := make([]byte, chunkBytes)
		n, err := in.Read(chunk)
		if n > 0 {
			select {
			case m.chunks <- chunk[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (m *lineMode) serve(ctx context.Context) (status int) {
	m.enter(ctx) // before the greeting, so that a greeted user is present for all others
	m.greet()
	defer func() { m.visit.leave(m.caller) }()
	for {
		m.enter(ctx)
		l, err := m.next(ctx)
		switch err {
		case io.EOF:
			fmt.Fprintln(m.complaints)
			return status
		case lobby.ErrClosed: // or the caller is gone, and hears nothing any more
			fmt.Fprintln(m.complaints, "\n"+m.runner.goodbye(ctx, m.say()).words)
			return Refused
		case errIdle:
			fmt.Fprintln(m.complaints, "\n"+m.say().T("You were away for a long time, so the club ended your visit. Come back soon."))
			return Refused
		}
		switch typed := strings.TrimSpace(l.Text); {
		case l.Err == lineedit.ErrSkipped:
		case l.Err != nil:
			fmt.Fprintln(m.complaints, m.say().T("That line is too long; nothing was done."))
			status = Usage
		case typed == "":
		case typed == "quit" || typed == "exit" || typed == "q":
			return status
		default:
			var more bool
			status, more = m.run(ctx, m.expand(typed))
			if !more && ctx.Err() == nil { // the input has ended: this was the last
				return status
			}
		}
	}
}

// greet prints what the club says of itself, and how a game begins.
func (m *lineMode) greet() {
	hello := m.runner.options.Greeting
	fmt.Fprintln(m.complaints, m.say().T("%s. play petteia begins a game; help says how to play, quit leaves.", m.say().Spell(hello.Name())))
	for _, line := range hello.Lines() {
		if line != "" {
			fmt.Fprintln(m.complaints, m.say().Spell(line))
		}
	}
}

// enter has the user be here, and told what concerns them, as soon as they have a name.
func (m *lineMode) enter(ctx context.Context) {
	m.visit.typed()
	if m.visit.visit != nil {
		return
	}
	u := m.runner.lobby.Accounts.Guest(m.caller.ConnectionID)
	if m.caller.Fingerprint != "" {
		var err error
		if u, _, err = m.runner.lobby.Accounts.SignIn(ctx, m.caller.Fingerprint); err != nil {
			return // not yet
		}
	}
	if m.visit.enter(m.runner.lobby, u); m.visit.visit == nil {
		return
	}
	n := prompt.News{Say: m.say, Lobby: m.runner.lobby, Who: u, Match: m.caller.current, Tell: m.wordsTeller(ctx, eventEvery)}
	m.beside.Go(func() { n.Run(ctx) })
	e := prompt.Events{Say: m.say, Lobby: m.runner.lobby, Who: u, Match: m.caller.current, At: m.visit.at, Tell: m.teller(ctx, eventEvery)}
	m.beside.Go(func() { e.Run(ctx) })
	arrived := m.wordsTeller(ctx, talkEvery)
	m.beside.Go(func() { prompt.TellArrivals(ctx, n.Lobby, n.Say, u, arrived) })
	told := m.wordsTeller(ctx, talkEvery)
	m.beside.Go(func() { prompt.TellTells(ctx, n.Lobby, n.Say, u, told) })
	lounge := m.wordsTeller(ctx, talkEvery)
	m.beside.Go(func() { m.caller.lounge.Tell(ctx, n.Lobby, n.Say, u, lounge) })
	invitations, leave := n.Lobby.Together.Listen(u)
	m.beside.Go(func() {
		defer leave()
		m.caller.together.Listen(ctx, invitations, m.wordsTeller(ctx, eventEvery))
	})
}

// announce prints what is new in the bulletin, with before in front, and reports whether it printed anything. Afterwards newer is closed
// when there is a newer bulletin.
func (m *lineMode) announce(before string) (printed bool) {
	if m.runner.options.Bulletin == nil {
		return false
	}
	b, _, newer := m.runner.options.Bulletin()
	var lines []string
	for _, i := range news.Bulletin(m.told, b, time.Now()) {
		switch i.Kind {
		case news.Announced:
			lines = append(lines, m.say().T("From the operator: %s", text.Clean(i.Text)))
		default:
			lines = append(lines, m.say().CutOff(i.Kind == news.CutOff, i.Full))
		}
	}
	for i, line := range lines {
		if i > 0 {
			before = ""
		}
		fmt.Fprintln(m.complaints, before+line)
	}
	m.told, m.newer = b, newer
	return len(lines) > 0
}

// errIdle means that no line came for Options.Idle.
var errIdle = errors.New("no line for too long")

// answerTime is how long the prompt waits for the answer of a computer player, so that it is told before.
const answerTime = 3 * time.Second

// next prints the prompt and waits for a line. The error is io.EOF, lobby.ErrClosed when ctx has ended, or errIdle. What happens meanwhile is
// printed below the line that is being typed. The known part of that line is printed again below it. A client with its own line editing keeps
// the line and sends it whole: it gets the news and the next prompt below it.
func (m *lineMode) next(ctx context.Context) (lineedit.Line, error) {
	answer := m.beforePrompt()
	if l := m.early; l != nil {
		m.ready()
		m.early = nil
		return *l, nil
	}
	var late <-chan time.Time
	if limit := m.runner.idle(); limit > 0 {
		idle := time.NewTimer(limit)
		defer idle.Stop()
		late = idle.C
	}
	var wait <-chan time.Time // for an answer, before the prompt
	if answer {
		soon := time.NewTimer(answerTime)
		defer soon.Stop()
		wait = soon.C
	} else {
		m.ready()
	}
	again := func() { // the prompt and what has been typed, below what was printed
		if wait = nil; !m.typed.Skipping() {
			fmt.Fprint(m.complaints, m.prompt()+m.typed.Shown())
		}
	}
	below := func() string { // what ends the line that is being typed
		if wait != nil {
			return ""
		}
		return "\n"
	}
	for {
		if l, ok := m.take(); ok {
			return l, nil
		}
		if m.typed.Over() {
			return lineedit.Line{}, io.EOF
		}
		select {
		case chunk, ok := <-m.chunks:
			switch {
			case ok:
				m.typed.Add(chunk)
			case ctx.Err() != nil:
				return lineedit.Line{}, lobby.ErrClosed
			default:
				m.typed.End()
			}
		case <-m.newer:
			if m.announce(below()) {
				again()
			}
		case n := <-m.news:
			m.print(n, below(), "")
			again()
		case <-wait:
			again()
		case <-late:
			return lineedit.Line{}, errIdle
		case <-ctx.Done():
			return lineedit.Line{}, lobby.ErrClosed
		}
	}
}

// beforePrompt announces what is new in the bulletin, and reports whether a computer player is about to answer.
func (m *lineMode) beforePrompt() (answer bool) {
	if m.typed.Skipping() {
		return false
	}
	m.announce("")
	return m.caller.current.Expects() && m.early == nil
}

// ready prints the prompt.
func (m *lineMode) ready() {
	if !m.typed.Skipping() {
		fmt.Fprint(m.complaints, m.prompt())
	}
}

// prompt stands before a line that is typed: it names the current match.
func (m *lineMode) prompt() string { return m.caller.current.Name() + "> " }

// say returns the language.
func (m *lineMode) say() wording.Words { return m.caller.current.Say() }

// settle has the line mode tell things as the caller has chosen for their account.
func (m *lineMode) settle(ctx context.Context) {
	manner := prompt.Manner{}
	if m.caller.Fingerprint != "" {
		if _, s, err := m.runner.lobby.Accounts.SignIn(ctx, m.caller.Fingerprint); err == nil {
			manner = prompt.Manner{Brief: s.Brief, Drawn: s.Drawn, Bell: m.typed.Keys && !s.Mute}
		}
	}
	m.caller.current.SetManner(manner)
}

// take returns a line that is whole, and shows what has been typed.
func (m *lineMode) take() (l lineedit.Line, ok bool) {
	l, ok, echo := m.typed.Line()
	if len(echo) > 0 {
		_, _ = m.out.Write(echo) // fails only for a client that is gone
	}
	return l, ok
}

// run runs one command. If it follows a match, the next line ends it, without a word, and so does ctrl+c on a terminal; the end of the
// input does not, so that a script can pipe such a command in. more is false when the input has ended meanwhile.
func (m *lineMode) run(ctx context.Context, typed string) (status int, more bool) {
	perform := func(ctx context.Context) {
		language := func() (wording.Words, *signedIn) { return m.say(), nil }
		status, _ = m.runner.perform(ctx, m.caller, &m.visit, language, typed, m.out, m.complaints)
	}
	if name, _, _ := strings.Cut(typed, " "); name == "say" {
		perform(ctx)
		return status, true
	}
	words, err := split(m.say(), typed)
	if d := tree.Find(m.runner.table, append(words, "")[0]); err != nil || d == nil || !d.MayFollow(words) {
		perform(ctx)
		return status, true
	}
	during, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() { defer close(ended); perform(during) })
	defer following.Wait()
	more = true
	chunks := m.chunks
	for {
		if chunks != nil {
			l, ok := m.take()
			if ok {
				m.early = &l
			}
			if ok || m.typed.Over() && m.typed.Keys {
				cancel()
			}
			if ok || m.typed.Over() {
				more, chunks = ok, nil
			}
		}
		select {
		case <-ended:
			return status, more
		case chunk, ok := <-chunks:
			switch {
			case ok:
				m.typed.Add(chunk)
			case ctx.Err() != nil:
				more, chunks = false, nil
			default:
				m.typed.End()
			}
		case <-m.newer:
			m.announce("")
		case n := <-m.news:
			m.print(n, "", "")
		}
	}
}

// expand returns the command that a line stands for: a move at the current board is one too.
func (m *lineMode) expand(typed string) string {
	name, _, _ := strings.Cut(typed, " ")
	if tree.Find(m.runner.commands(m.caller), name) != nil {
		return typed
	}
	var p games.Position
	if s := m.caller.current.Study(); s != nil {
		p = s.Look().Position
	} else if v := m.caller.current.View(); v != nil {
		p = v.Position
	}
	if p == nil {
		return typed
	}
	if move, err := p.Read(typed); err == nil {
		return "move " + m.caller.current.Code() + " " + string(move)
	}
	return typed
}

// complete returns the words that may stand at the end of what has been typed: commands, and what their arguments may be.
func (m *lineMode) complete(typed string) (words []string) {
	before := strings.Fields(typed)
	if len(before) > 0 && !strings.HasSuffix(typed, " ") {
		before = before[:len(before)-1]
	}
	all := m.runner.commands(m.caller)
	if len(before) == 0 {
		return append(tree.Names(all), "quit")
	}
	d := tree.Find(all, before[0])
	if d == nil {
		return nil
	}
	if len(before) == 1 {
		words = append(words, tree.Names(d.Sub)...)
	}
	for _, f := range d.Flags() {
		words = append(words, "--"+f.Name)
	}
	for _, a := range d.Args {
		switch a.Name {
		case "GAME", gamesArg().Name:
			for _, g := range m.runner.lobby.Games() {
				words = append(words, g.About().ID)
			}
		case "LEVEL":
			for _, l := range m.runner.lobby.Levels() {
				words = append(words, l.ID)
			}
		case "COMMAND":
			words = append(words, tree.Names(all)...)
		case "SETTING":
			words = append(words, settingNames...)
		default:
			if lower := strings.ToLower(a.Name); lower == a.Name && strings.Contains(lower, "|") {
				words = append(words, strings.Split(lower, "|")...)
			}
		}
	}
	return words
}
