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

	// A cut sequence is held that long. Longer, and the escape key would feel slow.
	cutSequenceWait = 50 * time.Millisecond
	// The end of a paste or of a string sequence is awaited that long after the last byte of it.
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

// feed decodes bytes behind the cut sequence that is kept.
func (in *input) feed(b []byte, now time.Time) {
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
	copy(in.buffer[maxSequenceBytes-in.kept:], b[len(b)-in.kept:])
	wait := lostEndWait
	switch {
	case in.kept > 0:
		wait = cutSequenceWait
	case !in.decoder.waiting():
		in.until = time.Time{}
		return
	}
	in.until = now.Add(wait)
}

// decodeState says what the decoder is in the middle of.
type decodeState uint8

const (
	atGround   decodeState = iota
	inPaste                // between the marks of a bracketed paste
	inString               // in a string sequence (OSC, DCS, APC, PM, SOS): terminals' answers, all dropped
	inSequence             // in a control sequence that is too long, dropped
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// A decoder turns what a terminal sends into messages for a model.
//
// It does the framing itself: ultraviolet's decoder, which knows all the keys, only ever sees one complete sequence
// within the bounds above. Answers to questions nobody asked (sizes, colours, clipboards) never become messages, and neither
// do Windows' key records, of which one can stand for 65,535 keys.
type decoder struct {
	emit    func(tea.Msg)
	dropped func(bytes int)

	pasteBytes int // of one paste that are kept; the rest of it is dropped

	state  decodeState
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
		return d.stepSequence(b)
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
		return d.key(b[:1]) // the key twice, close together; not alt+esc
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

// stepControl takes a sequence that begins with ESC [.
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
	case i == 2 && i == len(b):
		return d.key(b) // alt+[
	case i == len(b):
		return d.drop(i)
	}
	final := b[i]
	switch {
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

// linuxKey takes F1 to F5 of the Linux console: ESC [ [ A.
func (d *decoder) linuxKey(b []byte, late bool) int {
	if len(b) < 4 {
		if !late {
			return 0
		}
		return d.drop(len(b))
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
	case i == 2 && i == len(b):
		return d.key(b) // alt+O
	case i == len(b) || b[i] <= ' ' || b[i] > '~' || i >= maxSequenceBytes:
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

// stepSequence passes over a control sequence that is too long.
func (d *decoder) stepSequence(b []byte) int {
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
		return d.step(b, true)
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
	switch e := event.(type) {
	case uv.KeyPressEvent:
		d.send(tea.KeyPressMsg(e))
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
				d.send(tea.KeyPressMsg(press))
				return
			}
		}
	}
}

func (d *decoder) send(msg tea.Msg) {
	d.flushMotion()
	d.emit(msg)
}

// flushMotion sends where the mouse got to; where it was on the way nobody needs to know.
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
