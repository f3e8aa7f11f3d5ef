package games

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxRecord is the size in bytes beyond which a record is neither written nor read. The longest game that any bounded
// options allow fits several times over.
const MaxRecord = 1 << 20

// The headers of the records that this program writes, in their order. A record may have others.
const (
	HeaderGame    = "Game"    // the id of the game; the only header that must be there
	HeaderOptions = "Options" // as Options.String writes them; what is missing is the default
	HeaderFirst   = "First"   // who played the first side
	HeaderSecond  = "Second"
	HeaderResult  = "Result" // the same as the token at the end
	HeaderReason  = "Reason" // a reason code of the rules, or how else the match ended: resigned, aborted, abandoned
	HeaderStarted = "Started"
	HeaderEnded   = "Ended"
	HeaderRated   = "Rated"
	HeaderID      = "Id"
	HeaderSite    = "Site"
	HeaderEvent   = "Event"  // the name of the event that the match belongs to; absent for none
	HeaderRound   = "Round"  // the round of that event
	HeaderGiven   = "Given"  // how many of the moves were made before the players took over; absent for none
	HeaderHelped  = "Helped" // what help a player took against a computer player: "2 hints, 1 takeback"; absent for none

	HeaderFirstKind  = "FirstKind" // who the first side was: player, guest, bot or engine
	HeaderSecondKind = "SecondKind"

	// The rating of each side before a rated match, in whole points, and by how many the match changed it: "+12". Absent for other matches.
	HeaderFirstRating  = "FirstRating"
	HeaderSecondRating = "SecondRating"
	HeaderFirstChange  = "FirstChange"
	HeaderSecondChange = "SecondChange"

	HeaderClock   = "Clock"   // the clock: 5+3 (minutes for each side, seconds more a move) or 3d (days a move); absent for none
	HeaderSetUp   = "SetUp"   // 1: the match began from another position than the start of its game, which HeaderFEN says; absent else
	HeaderFEN     = "FEN"     // that position in one line, as Position.String writes it
	HeaderCounted = "Counted" // how much a rated match counted for each player: "0.25 new_account, 1"; absent if fully
)

// Result tokens, the last word of a record. A match that goes on has TokenNone and no reason; one that was aborted has
// TokenNone and the reason "aborted".
const (
	TokenFirst  = "1-0"
	TokenSecond = "0-1"
	TokenDraw   = "1/2-1/2"
	TokenNone   = "*"
)

var tokens = []string{TokenFirst, TokenSecond, TokenDraw, TokenNone}

// Token returns the result token of a result.
func (r Result) Token() string {
	switch {
	case !r.Over:
		return TokenNone
	case r.Draw:
		return TokenDraw
	case r.Winner == First:
		return TokenFirst
	}
	return TokenSecond
}

// A Header is one line [Key "Value"] of a record. A key is letters, digits and "_", and begins with a letter; a value is
// any text without control characters.
type Header struct{ Key, Value string }

// A Record is a match as text: who played what, and every move. Its text form is
//
//	[Game "fourmation"]
//	[First "ana"]
//
//	1. d4 {4:58.3} c3 2. b2 1-0
//
// with moves in canonical notation, numbered by pairs and wrapped at 80 columns, and the result token last. Behind a move in braces stands
// what the side that made it had left on its clock.
type Record struct {
	Headers []Header // in their order, each key once
	Begins  Side     // who makes the first move: Second, where the position in HeaderFEN says so
	Moves   []Move
	Left    []time.Duration // as long as Moves, NoTime where the record doesn't say; nil if it never does
	Result  string          // a result token
}

// NoTime stands for a time that a record doesn't say.
const NoTime time.Duration = -1

// Get returns the value of a header, "" if there is none.
func (r *Record) Get(key string) string {
	if i := r.index(key); i >= 0 {
		return r.Headers[i].Value
	}
	return ""
}

// Set changes a header, or adds it at the end.
func (r *Record) Set(key, value string) {
	if i := r.index(key); i >= 0 {
		r.Headers[i].Value = value
		return
	}
	r.Headers = append(r.Headers, Header{key, value})
}

func (r *Record) index(key string) int {
	return slices.IndexFunc(r.Headers, func(h Header) bool { return h.Key == key })
}

// A RecordError says where in its text a record is wrong.
type RecordError struct {
	Line, Column int   // from 1 on, columns in characters; both 0 for a record that is too long
	Err          error // *IllegalError, *OptionError, *PositionError or *RecordTextError
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns the reason.
func (e *RecordError) Unwrap() error { return e.Err }

// A RecordTextError says in words what is wrong in the text of a record, besides illegal moves, options and positions. Format and Args are apart
// so that the words can be given in another language; Args are safe to print.
type RecordTextError struct {
	Format string // "there is no game %s"
	Args   []any
}

// badRecord returns a *RecordTextError.
func badRecord(format string, args ...any) error { return &RecordTextError{format, args} }

func (e *RecordTextError) Error() string { return fmt.Sprintf(e.Format, e.Args...) }

// Write writes the text form in one piece. It refuses what ReadRecord couldn't read back (bad keys, control characters,
// a result header that differs from Result, a size over MaxRecord), but doesn't know the rules of the game.
func (r *Record) Write(w io.Writer) error {
	var b strings.Builder
	for i, h := range r.Headers {
		if err := h.check(); err != nil {
			return fmt.Errorf("write record: %w", err)
		}
		if r.index(h.Key) != i {
			return fmt.Errorf("write record: header %s is there twice", h.Key)
		}
		fmt.Fprintf(&b, "[%s \"%s\"]\n", h.Key, escaper.Replace(h.Value))
	}
	b.WriteByte('\n')
	if r.Get(HeaderGame) == "" {
		return fmt.Errorf("write record: the header %s is missing", HeaderGame)
	}
	if err := r.checkResult(); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if r.Left != nil && len(r.Left) != len(r.Moves) {
		return fmt.Errorf("write record: %d times for %d moves", len(r.Left), len(r.Moves))
	}
	if err := r.writeMoves(&b); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if b.Len() > MaxRecord {
		return fmt.Errorf("write record: %d bytes are more than %d", b.Len(), MaxRecord)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func (h Header) check() error {
	for i, c := range []byte(h.Key) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return badRecord("%s is no key of a header", quote(h.Key))
		}
	}
	switch {
	case h.Key == "":
		return badRecord("a header has no key")
	case !utf8.ValidString(h.Value):
		return badRecord("header %s is not UTF-8", quote(h.Key))
	case strings.ContainsFunc(h.Value, unicode.IsControl):
		return badRecord("header %s has a control character", quote(h.Key))
	}
	return nil
}

// checkResult checks that the token is one, and that the header agrees with it.
func (r *Record) checkResult() error {
	if !slices.Contains(tokens, r.Result) {
		return badRecord("%s is no result: write %s", quote(r.Result), strings.Join(tokens, ", "))
	}
	if i := r.index(HeaderResult); i >= 0 && r.Headers[i].Value != r.Result {
		return badRecord("the header says %s, the end says %s", quote(r.Headers[i].Value), r.Result)
	}
	return nil
}

// recordWidth is the number of columns of a line of moves.
const recordWidth = 80

func (r *Record) writeMoves(b *strings.Builder) error {
	column := 0
	word := func(w string) {
		switch {
		case column == 0:
		case column+1+len(w) > recordWidth:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	for i, m := range r.Moves {
		if !plainWord(string(m)) || slices.Contains(tokens, string(m)) {
			return fmt.Errorf("%s is no move", quote(string(m)))
		}
		text := string(m)
		if i == 0 || r.sideOf(i) == First {
			text = r.numberOf(i) + " " + text // a number, its move and the time behind it stay in one line
		}
		if r.Left != nil && r.Left[i] != NoTime {
			left, ok := timeText(r.Left[i])
			if !ok {
				return fmt.Errorf("%v is no time", r.Left[i])
			}
			text += " " + left
		}
		word(text)
	}
	word(r.Result)
	b.WriteByte('\n')
	return nil
}

// MovesLen returns how many bytes the moves of a record take in its text form, with the times behind them, the result, and the line feed at the end.
func (r *Record) MovesLen() int {
	n := len(r.Result) + 1 + NumbersLen(len(r.Moves), r.Begins)
	for i, m := range r.Moves {
		n += len(m) + 1 // with the space or line feed behind it
		if r.Left == nil || r.Left[i] == NoTime {
			continue
		}
		if left, ok := timeText(r.Left[i]); ok {
			n += 1 + len(left)
		}
	}
	return n
}

// NumbersLen returns how many bytes the numbers between some moves take in the text form of a record, each with the space or line feed behind it.
func NumbersLen(moves int, begins Side) (n int) {
	r := Record{Begins: begins}
	for i := range moves {
		if i == 0 || r.sideOf(i) == First {
			n += len(r.numberOf(i)) + 1
		}
	}
	return n
}

// maxTime is the longest time that a record can say.
const maxTime = 1000 * time.Hour

// timeText returns a time as it stands behind a move, cut to tenths of a second: {4:58.3}, {1:04:58.3}.
func timeText(d time.Duration) (text string, ok bool) {
	if d < 0 || d >= maxTime {
		return "", false
	}
	tenths := int(d / (100 * time.Millisecond))
	hours, minutes, seconds := tenths/36000, tenths/600%60, tenths/10%60
	if hours > 0 {
		return fmt.Sprintf("{%d:%02d:%02d.%d}", hours, minutes, seconds, tenths%10), true
	}
	return fmt.Sprintf("{%d:%02d.%d}", minutes, seconds, tenths%10), true
}

// readTime reads what timeText writes, and nothing else.
func readTime(text string) (time.Duration, bool) {
	var parts [4]int // hours, minutes, seconds, tenths
	inner, _ := strings.CutPrefix(text, "{")
	inner, tenths, _ := strings.Cut(strings.TrimSuffix(inner, "}"), ".")
	words := append(strings.Split(inner, ":"), tenths)
	if len(words) > len(parts) {
		return 0, false
	}
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			return 0, false
		}
		parts[len(parts)-len(words)+i] = n
	}
	if max(parts[0], parts[1], parts[2], parts[3]) >= 1000 {
		return 0, false
	}
	d := time.Duration(parts[0])*time.Hour + time.Duration(parts[1])*time.Minute + time.Duration(parts[2])*time.Second +
		time.Duration(parts[3])*100*time.Millisecond
	again, ok := timeText(d)
	return d, ok && again == text
}

// plainWord reports whether w is a word of visible ASCII that isn't taken for a number or a time.
func plainWord(w string) bool {
	for _, c := range []byte(w) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return w != "" && !strings.HasSuffix(w, ".") && w[0] != '{'
}

// sideOf returns the side that makes the move at index i: the sides take turns.
func (r *Record) sideOf(i int) Side { return Side((i + int(r.Begins)) % 2) }

// numberOf returns the number that may stand before the move at index i, as in PGN: "1." before a move of the first side, and "1..." before
// one of the second.
func (r *Record) numberOf(i int) string {
	number := strconv.Itoa((i+int(r.Begins))/2 + 1)
	if r.sideOf(i) == First {
		return number + "."
	}
	return number + "..."
}

// ReadRecord reads one record and replays its moves, from the start of the game or from the position in the record. find looks a
// game up by its id. The returned position is the one after the last move. An error about the text is a *RecordError, which wraps
// ErrIllegal for an illegal move. If the rules ended the game, the record must have their result and reason; otherwise the match
// may have ended in any other way. Any input is safe.
func ReadRecord(from io.Reader, find func(id string) (Game, bool)) (*Record, Position, error) {
	text, err := io.ReadAll(io.LimitReader(from, MaxRecord+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read record: %w", err)
	}
	rd := &recordReader{rest: strings.TrimPrefix(string(text), byteOrderMark)}
	switch {
	case len(text) > MaxRecord:
		err = badRecord("a record has at most %d bytes", MaxRecord)
	case isUTF16(text):
		rd.line, rd.column = 1, 1
		err = badRecord("the text is UTF-16: save it as UTF-8")
	default:
		err = rd.read(find)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read record: %w", &RecordError{rd.line, rd.column, err})
	}
	return &rd.record, rd.state.Freeze(), nil
}

// byteOrderMark is what some editors write in front of a text.
const byteOrderMark = "\ufeff"

// isUTF16 reports whether a text is UTF-16, by its byte order mark or, without one, by the other half of its first letter.
func isUTF16(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	first, second := text[0], text[1]
	return first == 0xfe && second == 0xff || first == 0xff && second == 0xfe || (first == 0) != (second == 0)
}

// recordReader is the reading of one record. line and column are where the last thing that was looked at begins.
type recordReader struct {
	rest         string // what comes after the line being read
	line, column int
	blank        int // lines in front of the headers
	record       Record
	state        State
	byPairs      bool // the numbers count pairs of moves, whichever side begins
}

func (rd *recordReader) read(find func(id string) (Game, bool)) error {
	rd.line, rd.column = 1, 1
	if err := rd.headers(); err != nil {
		return err
	}
	moves := rd.line
	if rd.at(HeaderGame); rd.record.index(HeaderGame) < 0 {
		return badRecord("the header %s is missing", HeaderGame)
	}
	game, ok := find(rd.record.Get(HeaderGame))
	if !ok {
		return badRecord("there is no game %s", quote(rd.record.Get(HeaderGame)))
	}
	rd.at(HeaderOptions)
	options, err := ParseOptions(game, strings.Fields(rd.record.Get(HeaderOptions)))
	if err != nil {
		return err
	}
	rd.at(HeaderClock)
	if err := checkClock(rd.record.Get(HeaderClock)); err != nil {
		return err
	}
	start, err := rd.start(game, options)
	if err != nil {
		return err
	}
	rd.state, rd.line, rd.record.Begins = start.State(), moves, start.Turn()
	if err := rd.moves(); err != nil {
		return err
	}
	return rd.ending(game)
}

// at goes to the line of a header, or to the first of all headers if that isn't there.
func (rd *recordReader) at(key string) { rd.line = rd.blank + max(1, rd.record.index(key)+1) }

// The bounds of clocks, as lobby/clock has them.
const (
	maxClockMinutes = 180
	maxClockSeconds = 180
	maxClockDays    = 14
)

// checkClock refuses a clock that is none: neither "", none, 5+3 nor 3d.
func checkClock(text string) error {
	whole := func(s string, least, most int) bool {
		n, err := strconv.Atoi(s)
		return err == nil && s == strconv.Itoa(n) && n >= least && n <= most
	}
	minutes, seconds, fischer := strings.Cut(text, "+")
	days, correspondence := strings.CutSuffix(text, "d")
	switch {
	case text == "", text == "none":
	case fischer && whole(minutes, 1, maxClockMinutes) && whole(seconds, 0, maxClockSeconds):
	case correspondence && whole(days, 1, maxClockDays):
	default:
		return badRecord("%s is no clock: write none, minutes and seconds like 5+3, or days like 3d", quote(text))
	}
	return nil
}

// start returns the position before the first move. The headers SetUp and FEN are read as in PGN: unless SetUp is "1", the game
// begins at its usual start position.
func (rd *recordReader) start(game Game, o Options) (Position, error) {
	text, err := rd.record.Start()
	if rd.record.index(HeaderSetUp) >= 0 {
		rd.at(HeaderSetUp)
	}
	if err != nil {
		return nil, err
	}
	if rd.record.index(HeaderFEN) >= 0 && text != "" {
		rd.at(HeaderFEN)
	}
	return Begin(game, o, text)
}

// Start returns the text of the position before the first move, "" for the start of the game. It fails if the record announces a
// position with HeaderSetUp and has none in HeaderFEN.
func (r *Record) Start() (text string, err error) {
	if r.Get(HeaderSetUp) != "1" {
		return "", nil
	}
	if text = r.Get(HeaderFEN); text == "" {
		return "", badRecord("the header %s is missing, which %s promises", HeaderFEN, HeaderSetUp)
	}
	return text, nil
}

// next takes the next line, without blanks at its end; ok is false at the end of the text.
func (rd *recordReader) next() (line string, ok bool) {
	if rd.rest == "" {
		return "", false
	}
	line, rd.rest, _ = strings.Cut(rd.rest, "\n")
	return strings.TrimRight(line, " \t\r"), true
}

// headers reads the headers and the empty line after them, and passes over empty lines in front.
func (rd *recordReader) headers() error {
	known := map[string]bool{}
	line, ok := rd.next()
	for ; ok && line == ""; line, ok = rd.next() {
		rd.blank++
		rd.line++
	}
	for ; ok && line != ""; line, ok = rd.next() {
		h, err := parseHeader(line)
		if err != nil {
			return err
		}
		if known[h.Key] {
			return badRecord("header %s is there twice", h.Key)
		}
		known[h.Key] = true
		rd.record.Headers = append(rd.record.Headers, h)
		rd.line++
	}
	return nil
}

// parseHeader reads [Key "Value"], where \ stands before each " and \ of the value.
func parseHeader(line string) (h Header, err error) {
	notHeader := badRecord("%s is no header: write [Key \"value\"]", quote(line))
	inner, okFront := strings.CutPrefix(line, "[")
	inner, okBack := strings.CutSuffix(inner, `"]`)
	key, escaped, okMiddle := strings.Cut(inner, ` "`)
	if !okFront || !okBack || !okMiddle {
		return h, notHeader
	}
	var value strings.Builder
	for i := 0; i < len(escaped); i++ {
		if escaped[i] == '"' {
			return h, notHeader
		}
		if escaped[i] == '\\' {
			i++
			if i == len(escaped) || escaped[i] != '"' && escaped[i] != '\\' {
				return h, notHeader
			}
		}
		value.WriteByte(escaped[i])
	}
	h = Header{key, value.String()}
	return h, h.check()
}

// moves reads and plays the moves, up to the result token and the end of the text.
func (rd *recordReader) moves() error {
	for line, ok := rd.next(); ok; line, ok = rd.next() {
		rd.line++
		for at := 0; at < len(line); {
			length := strings.IndexAny(line[at:], " \t")
			if length < 0 {
				length = len(line) - at
			}
			if err := rd.word(line[at : at+length]); err != nil {
				rd.column = utf8.RuneCountInString(line[:at]) + 1
				return err
			}
			at += length + 1
		}
	}
	if rd.record.Result == "" {
		return badRecord("the result is missing at the end")
	}
	return nil
}

// word takes a number, a move or the result; the words between two blanks next to each other are empty.
func (rd *recordReader) word(w string) error {
	switch {
	case w == "":
		return nil
	case rd.record.Result != "":
		return badRecord("%s comes after the result", quote(w))
	case slices.Contains(tokens, w):
		rd.record.Result = w
		return nil
	case w[0] == '{':
		return rd.time(w)
	case strings.HasSuffix(w, "."):
		return rd.number(w)
	}
	code, err := rd.state.Code(Move(w))
	if err != nil {
		return err
	}
	rd.state.Play(code)
	rd.record.Moves = append(rd.record.Moves, Move(w))
	if rd.record.Left != nil {
		rd.record.Left = append(rd.record.Left, NoTime)
	}
	return nil
}

// number takes the number in front of a move. Records of earlier versions count pairs of moves from the first one on, also where the second
// side begins: one that begins with "1." there is read in that way.
func (rd *recordReader) number(w string) error {
	played := len(rd.record.Moves)
	if played == 0 && w == "1." && rd.record.Begins == Second {
		rd.byPairs = true
	}
	counted := rd.record
	if rd.byPairs {
		counted.Begins = First
	}
	if w != counted.numberOf(played) {
		return badRecord("the number %s doesn't belong before move %d", quote(w), played+1)
	}
	return nil
}

// time takes the time behind a move.
func (rd *recordReader) time(w string) error {
	played := len(rd.record.Moves)
	left, ok := readTime(w)
	switch {
	case !ok:
		return badRecord("%s is no time: write %s or %s", quote(w), "{4:58.3}", "{1:04:58.3}")
	case played == 0, rd.record.Left != nil && rd.record.Left[played-1] != NoTime:
		return badRecord("the time %s doesn't stand behind a move", quote(w))
	case rd.record.Left == nil:
		rd.record.Left = slices.Repeat([]time.Duration{NoTime}, played)
	}
	rd.record.Left[played-1] = left
	return nil
}

// ending checks that result and reason are possible after the moves.
func (rd *recordReader) ending(game Game) error {
	if err := rd.record.checkResult(); err != nil {
		return err
	}
	result, reason := rd.state.Result(), rd.record.Get(HeaderReason)
	switch _, ofRules := game.About().Reasons[reason]; {
	case result.Over && rd.record.Result != result.Token():
		return badRecord("the result is %s, but by the rules it is %s", rd.record.Result, result.Token())
	case result.Over && reason != "" && reason != result.Reason:
		return badRecord("the reason is %s, but by the rules it is %s", quote(reason), result.Reason)
	case !result.Over && ofRules:
		return badRecord("the reason is %s, but the moves do not lead there", quote(reason))
	}
	return nil
}
