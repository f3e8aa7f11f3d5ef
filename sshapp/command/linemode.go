package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/lobby/notices"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// MaxLine is the longest line that the line mode takes, in bytes.
const MaxLine = 4 << 10

// ready stands on the complaints' stream, so that a script reads nothing but answers.
const ready = "ludoteca> "

// LineMode reads commands, one a line, and runs each, until the input ends or a line says quit. It prints no escape sequences
// and works on any terminal, in a pipe and with a screen reader. It returns the status of the last command, and ends soon
// after ctx. It closes in, which must end a blocked Read. A command that follows a match ends at the next line.
//
// cooked makes LineMode echo and edit the input. It is for a terminal without abilities (TERM=dumb, or none), whose client switched off
// its own line discipline when it asked for a pty.
func (r *Runner) LineMode(ctx context.Context, who Caller, in io.ReadCloser, out, complaints io.Writer, cooked bool) int {
	ctx, cancel := context.WithCancel(ctx)
	m := &lineMode{
		runner: r, caller: who, say: r.language(ctx, who), chunks: make(chan []byte), news: make(chan prompt.Line), typed: typing{cooked: cooked},
		out: out, complaints: complaints,
	}
	m.caller.current = prompt.NewMatch()
	m.beside.Go(func() { m.read(ctx, in) })
	m.beside.Go(func() { m.caller.current.Tell(ctx, m.say, m.teller(ctx, eventEvery), m.wordsTeller(ctx, talkEvery)) })
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
	fmt.Fprint(m.complaints, before+n.Words+"\n"+after)
	if n.Printed != nil {
		n.Printed()
	}
}

// A lineMode is one run of LineMode.
type lineMode struct {
	runner          *Runner
	caller          Caller
	say             wording.Words
	chunks          chan []byte // of the input; closed when that or the context has ended
	typed           typing      // what has come of them
	visit           boardVisit
	early           *line            // came while a command was following a match
	told            notices.Bulletin // the bulletin that was printed last
	newer           <-chan struct{}
	news            chan prompt.Line // about what has happened
	beside          sync.WaitGroup   // the reader and the goroutines that tell news
	out, complaints io.Writer
}

// A line is what was typed, or what was wrong with it.
type line struct {
	text string
	err  error
}

var (
	errLongLine = errors.New("a line is too long")
	errSkipped  = errors.New("the rest of a refused line was skipped")
)

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
	fmt.Fprintln(m.complaints, m.say.T("Ludoteca. One command a line: help lists them, quit leaves."))
	defer func() { m.visit.leave(m.caller) }()
	for {
		m.enter(ctx)
		if !m.typed.skipping {
			m.announce("")
			fmt.Fprint(m.complaints, ready)
		}
		l, err := m.next(ctx)
		switch err {
		case io.EOF:
			fmt.Fprintln(m.complaints)
			return status
		case lobby.ErrClosed: // or the caller is gone, and hears nothing any more
			fmt.Fprintln(m.complaints, "\n"+m.runner.goodbye(ctx, m.say).words)
			return Refused
		case errIdle:
			fmt.Fprintln(m.complaints, "\n"+m.say.T("You were away for a long time, so the club ended your visit. Come back soon."))
			return Refused
		}
		switch typed := strings.TrimSpace(l.text); {
		case l.err == errSkipped:
		case l.err != nil:
			fmt.Fprintln(m.complaints, m.say.T("That line is too long; nothing was done."))
			status = Usage
		case typed == "":
		case typed == "quit" || typed == "exit" || typed == "q":
			return status
		default:
			var more bool
			status, more = m.run(ctx, typed)
			if !more && ctx.Err() == nil { // the input has ended: this was the last
				return status
			}
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
	arrived := m.wordsTeller(ctx, talkEvery)
	m.beside.Go(func() { prompt.TellArrivals(ctx, n.Lobby, n.Say, u, arrived) })
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
			lines = append(lines, m.say.T("From the operator: %s", text.Clean(i.Text)))
		default:
			lines = append(lines, m.say.CutOff(i.Kind == news.CutOff, i.Full))
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

// next waits for a line. The error is io.EOF, lobby.ErrClosed when ctx has ended, or errIdle. Announcements and other news that come meanwhile
// are printed at once, below the line that is being typed. The known part of that line is printed again below them. A client with its own line
// editing keeps the line and sends it whole.
func (m *lineMode) next(ctx context.Context) (line, error) {
	if l := m.early; l != nil {
		m.early = nil
		return *l, nil
	}
	var late <-chan time.Time
	if limit := m.runner.idle(); limit > 0 {
		idle := time.NewTimer(limit)
		defer idle.Stop()
		late = idle.C
	}
	for {
		if l, ok := m.take(); ok {
			return l, nil
		}
		if m.typed.over {
			return line{}, io.EOF
		}
		select {
		case chunk, ok := <-m.chunks:
			switch {
			case ok:
				m.typed.add(chunk)
			case ctx.Err() != nil:
				return line{}, lobby.ErrClosed
			default:
				m.typed.end()
			}
		case <-m.newer:
			if m.announce("\n") {
				fmt.Fprint(m.complaints, ready+m.typed.shown())
			}
		case n := <-m.news:
			m.print(n, "\n", ready+m.typed.shown())
		case <-late:
			return line{}, errIdle
		case <-ctx.Done():
			return line{}, lobby.ErrClosed
		}
	}
}

// take returns a line that is whole, and shows what has been typed.
func (m *lineMode) take() (l line, ok bool) {
	l, ok, echo := m.typed.line()
	if len(echo) > 0 {
		_, _ = m.out.Write(echo) // fails only for a client that is gone
	}
	return l, ok
}

// run runs one command. If it follows a match, the next line ends it, without a word, and so does ctrl+c on a terminal; the end of the
// input does not, so that a script can pipe such a command in. more is false when the input has ended meanwhile.
func (m *lineMode) run(ctx context.Context, typed string) (status int, more bool) {
	perform := func(ctx context.Context) {
		status, _ = m.runner.perform(ctx, m.caller, &m.visit, func() wording.Words { return m.say }, typed, m.out, m.complaints)
	}
	if name, _, _ := strings.Cut(typed, " "); name == "say" {
		perform(ctx)
		return status, true
	}
	words, err := split(m.say, typed)
	if d := tree.Find(m.runner.table, append(words, "")[0]); err != nil || d == nil || !d.Follows {
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
			if ok || m.typed.over && m.typed.cooked {
				cancel()
			}
			if ok || m.typed.over {
				more, chunks = ok, nil
			}
		}
		select {
		case <-ended:
			return status, more
		case chunk, ok := <-chunks:
			switch {
			case ok:
				m.typed.add(chunk)
			case ctx.Err() != nil:
				more, chunks = false, nil
			default:
				m.typed.end()
			}
		case <-m.newer:
			m.announce("")
		case n := <-m.news:
			m.print(n, "", "")
		}
	}
}

// typing makes lines of what is typed.
type typing struct {
	cooked   bool
	raw      []byte // typed after the last line that was taken: at most a chunk
	text     []byte // of the line that is being typed, at most MaxLine
	long     bool   // that line is too long
	skipping bool   // that line has been refused, and the rest of it is thrown away
	over     bool   // nothing more comes
	begun    bool   // a line has been taken
}

// add takes in a chunk of the input. All lines of the chunk before must have been taken.
func (t *typing) add(chunk []byte) { t.raw = append(t.raw, chunk...) }

// end marks the end of the input. In a pipe, text after the last line feed is a line too.
func (t *typing) end() {
	t.over = true
	if !t.cooked && len(t.text) > 0 {
		t.raw = append(t.raw, '\n')
	}
}

// line returns the next line, if that is whole, and what a terminal is to show for the keys up to there. A line of a pipe that is too long
// is refused before its end: a megabyte takes a while to come.
func (t *typing) line() (l line, ok bool, echo []byte) {
	var shown bytes.Buffer
	for len(t.raw) > 0 && !ok {
		b := t.raw[0]
		t.raw = t.raw[1:]
		if t.cooked {
			ok = t.key(b, &shown)
		} else {
			ok = t.piped(b)
		}
	}
	if ok {
		words := string(t.text)
		if !t.begun { // some programs write a byte order mark in front of the first line
			words, t.begun = strings.TrimPrefix(words, "\ufeff"), true
		}
		l = line{text: words}
		switch {
		case t.long:
			l = line{err: errLongLine}
		case t.skipping:
			l = line{err: errSkipped}
		}
		t.skipping = t.long && !t.cooked
		t.text, t.long = t.text[:0], false
	}
	return l, ok, shown.Bytes()
}

// shown returns the beginning of a line, as it stands on a terminal. Other clients show it themselves, and only they know how far it is.
func (t *typing) shown() string {
	if t.cooked {
		return string(t.text)
	}
	return ""
}

// piped takes a byte that is not a key, but the next of a line, and reports whether it ends that or makes it too long.
func (t *typing) piped(b byte) (whole bool) {
	switch {
	case b == '\n':
		return true
	case t.skipping:
	case len(t.text) < MaxLine:
		t.text = append(t.text, b)
	default:
		t.long = true
	}
	return t.long
}

// The keys that are not text.
const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	ctrlU     = 0x15
	backspace = 0x08
	del       = 0x7f
)

// key does for a terminal what a system's line discipline does elsewhere, and reports whether a line is whole. It shows nothing but printable
// characters, backspaces, carriage returns and line feeds.
func (t *typing) key(b byte, echo *bytes.Buffer) (whole bool) {
	switch {
	case b == '\r' || b == '\n':
		echo.WriteString("\r\n")
		return true
	case b == backspace || b == del:
		t.erase(echo)
	case b == ctrlU:
		for len(t.text) > 0 {
			t.erase(echo)
		}
	case b == ctrlC || b == ctrlD && len(t.text) == 0:
		t.raw, t.text, t.over = nil, nil, true
		echo.WriteString("\r\n")
	case b < ' ':
	case len(t.text) >= MaxLine:
		t.long = true // until something is erased: a terminal shows what fits
	default:
		t.text = append(t.text, b)
		echo.WriteByte(b)
	}
	return false
}

// erase takes the last character back.
func (t *typing) erase(echo *bytes.Buffer) {
	if len(t.text) == 0 {
		return
	}
	_, size := utf8.DecodeLastRune(t.text)
	t.text, t.long = t.text[:len(t.text)-size], false
	echo.WriteString("\b \b")
}
