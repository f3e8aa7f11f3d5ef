package terminal

import (
	"bytes"
	"cmp"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

const (
	maxSequenceBytes = 64  // of one escape sequence
	maxPasteBytes    = 512 // of one paste, unless Options say something else

	// One or two escapes, and a character cut in two, are held that long. Longer, and the escape key would feel slow.
	cutSequenceWait = 50 * time.Millisecond
	// The end of a paste, of a string sequence or of a control sequence is awaited that long after the last byte of it.
	lostEndWait = time.Second
)

// input puts together what the client types in pieces, and has it decoded.
type input struct {
	buffer  [maxSequenceBytes + chunkBytes]byte // the end of the first part holds a cut sequence
	kept    int                                 // bytes of the cut sequence
	until   time.Time                           // when what is kept or awaited is given up; zero is never
	decoder decoder
}

// newInput returns an input that gives messages to emit and says how many bytes it drops. pasteBytes is how much of a paste is
// kept; zero is maxPasteBytes.
func newInput(pasteBytes int, emit func(tea.Msg), dropped func(bytes int)) input {
	return input{decoder: decoder{emit: emit, dropped: dropped, pasteBytes: cmp.Or(pasteBytes, maxPasteBytes)}}
}

// feed decodes bytes after the kept beginning of a cut sequence. If that is only escapes and b begins with another escape, they are the escape
// key: an escape stands for alt only together with a key in the same read.
func (in *input) feed(b []byte, now time.Time) {
	if kept := in.buffer[maxSequenceBytes-in.kept : maxSequenceBytes]; len(b) > 0 && b[0] == ansi.ESC && onlyEscapes(kept) {
		in.decode(kept, true, now)
	}
	for len(b) > 0 {
		n := copy(in.buffer[maxSequenceBytes:], b)
		in.decode(in.buffer[maxSequenceBytes-in.kept:maxSequenceBytes+n], false, now)
		b = b[n:]
	}
}

// expire gives up what has been waited for long enough.
func (in *input) expire(now time.Time) {
	if in.until.IsZero() || now.Before(in.until) {
		return
	}
	if in.kept == 0 {
		in.until = time.Time{}
		in.decoder.giveUp()
		return
	}
	in.decode(in.buffer[maxSequenceBytes-in.kept:maxSequenceBytes], true, now)
}

func (in *input) decode(b []byte, late bool, now time.Time) {
	in.kept = in.decoder.feed(b, late)
	kept := b[len(b)-in.kept:]
	copy(in.buffer[maxSequenceBytes-in.kept:], kept)
	wait := lostEndWait
	switch {
	case in.kept > 0 && (onlyEscapes(kept) || kept[0] != ansi.ESC):
		wait = cutSequenceWait
	case in.kept > 0:
	case !in.decoder.waiting():
		in.until = time.Time{}
		return
	}
	in.until = now.Add(wait)
}

// onlyEscapes reports whether b holds escapes and nothing else.
func onlyEscapes(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "\x1b")) == 0 }

// decodeState says what the decoder is in the middle of.
type decodeState uint8

const (
	atGround   decodeState = iota
	inPaste                // between the marks of a bracketed paste
	inString               // in a string sequence (OSC, DCS, APC, PM, SOS): terminals' answers, all dropped
	inSequence             // in a control sequence that is too long or was given up, dropped
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// A decoder turns what a terminal sends into messages for a model.
//
// It does the framing itself: ultraviolet's decoder, which knows all the keys, only ever sees one complete sequence
// within the bounds above. Unrequested answers (sizes, colours, clipboards) never become messages, and neither
// do Windows' key records, of which one can stand for 65,535 keys.
type decoder struct {
	emit    func(tea.Msg)
	dropped func(bytes int)

	pasteBytes int // of one paste that are kept; the rest of it is dropped

	state  decodeState
	alt    bool // an escape in front of the sequence stands for alt, if the sequence is a key
	paste  []byte
	motion *tea.MouseMotionMsg // the newest motion that hasn't been emitted
	keys   uv.EventDecoder
}

// feed decodes b and returns how many bytes at its end are a sequence cut in two, at most maxSequenceBytes: they must
// come again in front of what follows. Once late is true nothing more is waited for.
func (d *decoder) feed(b []byte, late bool) (kept int) {
	for len(b) > 0 {
		n := d.step(b, late)
		if n == 0 {
			break
		}
		b = b[n:]
	}
	d.flushMotion()
	return len(b)
}

// waiting reports whether the decoder is inside something that has to end, other than a cut sequence.
func (d *decoder) waiting() bool { return d.state != atGround }

// giveUp ends whatever the decoder is in the middle of, after a silence that says its end got lost.
func (d *decoder) giveUp() {
	if d.state == inPaste {
		d.endPaste()
	}
	d.state = atGround
}

// step takes what b starts with and returns its length, or 0 when b is the beginning of something longer.
func (d *decoder) step(b []byte, late bool) int {
	switch d.state {
	case inPaste:
		return d.stepPaste(b, late)
	case inString:
		return d.stepString(b, late)
	case inSequence:
		return d.stepSequence(b, late)
	}
	switch c := b[0]; {
	case c == ansi.ESC:
		return d.stepEscape(b, late)
	case c < utf8.RuneSelf:
		d.key(b[:1])
		return 1
	default:
		return d.stepText(b, late)
	}
}

// stepText takes one character beyond ASCII.
func (d *decoder) stepText(b []byte, late bool) int {
	if !utf8.FullRune(b) && !late {
		return 0
	}
	if r, size := utf8.DecodeRune(b); r == utf8.RuneError && size <= 1 || !unicode.IsGraphic(r) {
		return d.drop(max(size, 1))
	}
	n, event := d.keys.Decode(b[:min(len(b), maxSequenceBytes)])
	d.translate(event)
	return max(n, 1)
}

// stepEscape takes an escape sequence, or the escape key.
func (d *decoder) stepEscape(b []byte, late bool) int {
	if len(b) == 1 {
		if !late {
			return 0
		}
		return d.key(b)
	}
	switch c := b[1]; {
	case c == ansi.ESC:
		return d.stepEscapes(b, late)
	case c == '[':
		return d.stepControl(b, late)
	case c == 'O':
		return d.stepSingleShift(b, late)
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		if len(b) == 2 && !late {
			return 0
		}
		if len(b) == 2 {
			return d.key(b) // alt and that character
		}
		d.state = inString
		return d.drop(2)
	case c < utf8.RuneSelf:
		return d.key(b[:2])
	}
	if !utf8.FullRune(b[1:]) && !late {
		return 0
	}
	r, size := utf8.DecodeRune(b[1:])
	if r == utf8.RuneError || !unicode.IsGraphic(r) {
		return d.key(b[:1])
	}
	return d.key(b[:1+size])
}

// stepEscapes takes what begins with ESC ESC. In front of a sequence of a key the first one is alt: so PuTTY, rxvt and iTerm2 send alt and
// an arrow. Else it is the escape key.
func (d *decoder) stepEscapes(b []byte, late bool) int {
	switch {
	case len(b) == 2 && !late:
		return 0
	case len(b) == 2 || b[2] != '[' && b[2] != 'O':
		return d.key(b[:1])
	}
	d.alt = true
	n := d.stepEscape(b[1:], late)
	if n == 0 {
		d.alt = false
		return 0
	}
	d.pressEscape()
	return 1 + n
}

// pressEscape sends the escape key if an escape that might have been alt is still to be accounted for.
func (d *decoder) pressEscape() {
	if d.alt {
		d.alt = false
		d.send(tea.KeyPressMsg{Code: tea.KeyEscape})
	}
}

// stepControl takes a sequence that begins with ESC [. A sequence without an end is dropped together with the bytes that follow: the network
// may have cut it in two, and then they are its rest and no text.
func (d *decoder) stepControl(b []byte, late bool) int {
	i := 2
	for i < len(b) && i < maxSequenceBytes && ' ' <= b[i] && b[i] <= '?' {
		i++
	}
	switch {
	case i >= maxSequenceBytes:
		d.state = inSequence
		return d.drop(i)
	case i == len(b) && !late:
		return 0
	case i == len(b):
		return d.lostEnd(b)
	}
	final := b[i]
	switch {
	case i == 2 && final == ansi.ESC:
		return d.key(b[:2]) // alt+[, and then another key
	case final < '@' || final > '~':
		return d.drop(i) // broken off by what stands at i
	case i == 2 && final == '[':
		return d.linuxKey(b, late)
	case i == 2 && final == 'M':
		return d.oldMouse(b, late)
	case final == '_' || final == 't':
		return d.drop(i + 1) // key records and window reports
	}
	sequence := b[:i+1]
	switch {
	case bytes.Equal(sequence, pasteStart):
		d.state = inPaste
	case bytes.Equal(sequence, pasteEnd):
	default:
		d.key(sequence)
	}
	return len(sequence)
}

// lostEnd gives up a sequence b whose end hasn't come in time, and skips the rest of it.
func (d *decoder) lostEnd(b []byte) int {
	d.state = inSequence
	if len(b) == 2 {
		return d.key(b) // alt+[ or alt+O
	}
	return d.drop(len(b))
}

// linuxKey takes F1 to F5 of the Linux console: ESC [ [ A.
func (d *decoder) linuxKey(b []byte, late bool) int {
	if len(b) < 4 {
		if !late {
			return 0
		}
		return d.lostEnd(b)
	}
	if b[3] < 'A' || b[3] > 'E' {
		return d.drop(4)
	}
	d.send(tea.KeyPressMsg{Code: tea.KeyF1 + rune(b[3]-'A')})
	return 4
}

// oldMouse takes a mouse report with three raw bytes.
func (d *decoder) oldMouse(b []byte, late bool) int {
	const length = 6
	if len(b) < length {
		if !late {
			return 0
		}
		return d.drop(len(b))
	}
	d.key(b[:length])
	return length
}

// stepSingleShift takes a sequence that begins with ESC O.
func (d *decoder) stepSingleShift(b []byte, late bool) int {
	i := 2
	for i < len(b) && i < maxSequenceBytes && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	switch {
	case i == len(b) && !late:
		return 0
	case i == len(b):
		return d.lostEnd(b)
	case i == 2 && b[i] == ansi.ESC:
		return d.key(b[:2]) // alt+O, and then another key
	case b[i] <= ' ' || b[i] > '~' || i >= maxSequenceBytes:
		return d.drop(i)
	}
	return d.key(b[:i+1])
}

// stepString passes over a string sequence up to its end.
func (d *decoder) stepString(b []byte, late bool) int {
	for i, c := range b {
		switch c {
		case ansi.BEL, ansi.CAN, ansi.SUB:
			d.state = atGround
			return d.drop(i + 1)
		case ansi.ESC:
			switch {
			case i+1 < len(b) && b[i+1] == '\\':
				d.state = atGround
				return d.drop(i + 2)
			case i+1 < len(b) || late:
				d.state = atGround // broken off by another sequence
				d.drop(i)
				return i + d.step(b[i:], late)
			}
			return d.drop(i) // 0 if b is the lone escape: wait for the rest
		}
	}
	return d.drop(len(b))
}

// stepSequence passes over the rest of a control sequence that is too long or was given up.
func (d *decoder) stepSequence(b []byte, late bool) int {
	i := 0
	for i < len(b) && ' ' <= b[i] && b[i] <= '?' {
		i++
	}
	if i == len(b) {
		return d.drop(i)
	}
	d.state = atGround
	if '@' <= b[i] && b[i] <= '~' {
		i++
	}
	if i == 0 {
		return d.step(b, late)
	}
	return d.drop(i)
}

// stepPaste takes what is pasted up to the end mark.
func (d *decoder) stepPaste(b []byte, late bool) int {
	if i := bytes.Index(b, pasteEnd); i >= 0 {
		d.addPaste(b[:i])
		d.endPaste()
		return i + len(pasteEnd)
	}
	n := len(b)
	if !late {
		n -= overlap(b, pasteEnd)
	}
	d.addPaste(b[:n])
	return n
}

// overlap returns how many bytes at the end of b may be the beginning of mark.
func overlap(b, mark []byte) int {
	for n := min(len(b), len(mark)-1); n > 0; n-- {
		if bytes.HasSuffix(b, mark[:n]) {
			return n
		}
	}
	return 0
}

func (d *decoder) addPaste(b []byte) {
	n := min(len(b), d.pasteBytes-len(d.paste))
	d.paste = append(d.paste, b[:n]...)
	d.drop(len(b) - n)
}

func (d *decoder) endPaste() {
	d.state = atGround
	text := string(bytes.ToValidUTF8(d.paste, nil))
	d.paste = nil
	if text != "" {
		d.send(tea.PasteMsg{Content: text})
	}
}

// key decodes one complete sequence and returns its length.
func (d *decoder) key(sequence []byte) int {
	_, event := d.keys.Decode(sequence)
	d.translate(event)
	return len(sequence)
}

// translate sends an event as the message Bubble Tea has for it. What isn't listed is none of a model's business.
func (d *decoder) translate(event uv.Event) {
	switch event.(type) {
	case uv.KeyPressEvent, uv.MultiEvent:
	default:
		d.pressEscape()
	}
	switch e := event.(type) {
	case uv.KeyPressEvent:
		d.press(e)
	case uv.KeyReleaseEvent:
		d.send(tea.KeyReleaseMsg(e))
	case uv.MouseClickEvent:
		d.send(tea.MouseClickMsg(e))
	case uv.MouseReleaseEvent:
		d.send(tea.MouseReleaseMsg(e))
	case uv.MouseWheelEvent:
		d.send(tea.MouseWheelMsg(e))
	case uv.MouseMotionEvent:
		motion := tea.MouseMotionMsg(e)
		d.motion = &motion
	case uv.FocusEvent:
		d.send(tea.FocusMsg{})
	case uv.BlurEvent:
		d.send(tea.BlurMsg{})
	case uv.MultiEvent: // F3 with modifiers, which might also be a cursor report
		for _, e := range e {
			if press, ok := e.(uv.KeyPressEvent); ok {
				d.press(press)
				return
			}
		}
	}
}

// press sends a key. A key of the number pad is sent as the key with the same label, whether the terminal tells them apart or not.
func (d *decoder) press(e uv.KeyPressEvent) {
	if plain := padKeys[e.Code]; plain != 0 {
		e.Code = plain
		if e.Text == "" && e.Mod&^uv.ModShift == 0 && plain < tea.KeyExtended && plain != tea.KeyEnter {
			e.Text = string(plain)
		}
	}
	if d.alt {
		d.alt = false
		e.Mod, e.Text = e.Mod|uv.ModAlt, ""
	}
	d.send(tea.KeyPressMsg(e))
}

// padKeys maps the keys of the number pad, which terminals tell apart in application mode, to the keys of the main keyboard.
var padKeys = map[rune]rune{
	tea.KeyKpEnter: tea.KeyEnter, tea.KeyKpEqual: '=', tea.KeyKpMultiply: '*', tea.KeyKpPlus: '+', tea.KeyKpComma: ',', tea.KeyKpMinus: '-',
	tea.KeyKpDecimal: '.', tea.KeyKpDivide: '/', tea.KeyKpSep: ',',
	tea.KeyKp0: '0', tea.KeyKp1: '1', tea.KeyKp2: '2', tea.KeyKp3: '3', tea.KeyKp4: '4',
	tea.KeyKp5: '5', tea.KeyKp6: '6', tea.KeyKp7: '7', tea.KeyKp8: '8', tea.KeyKp9: '9',
	tea.KeyKpUp: tea.KeyUp, tea.KeyKpDown: tea.KeyDown, tea.KeyKpLeft: tea.KeyLeft, tea.KeyKpRight: tea.KeyRight, tea.KeyKpPgUp: tea.KeyPgUp,
	tea.KeyKpPgDown: tea.KeyPgDown, tea.KeyKpHome: tea.KeyHome, tea.KeyKpEnd: tea.KeyEnd, tea.KeyKpInsert: tea.KeyInsert, tea.KeyKpDelete: tea.KeyDelete,
}

func (d *decoder) send(msg tea.Msg) {
	d.flushMotion()
	d.emit(msg)
}

// flushMotion sends the newest position of the mouse. Positions on the way to it are dropped.
func (d *decoder) flushMotion() {
	if d.motion != nil {
		motion := *d.motion
		d.motion = nil
		d.emit(motion)
	}
}

func (d *decoder) drop(n int) int {
	d.dropped(n)
	return n
}
