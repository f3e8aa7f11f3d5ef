package terminal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A typing is a decoder behind its input, fed by hand.
type typing struct {
	in      input
	now     time.Time
	got     []string
	dropped int
}

func newTyping() *typing {
	return newTypingWith(Options{})
}

func newTypingWith(o Options) *typing {
	ty := &typing{now: time.Unix(0, 0)}
	ty.in = newInput(o.PasteBytes, func(msg tea.Msg) { ty.got = append(ty.got, describe(msg)) }, func(n int) { ty.dropped += n })
	return ty
}

// read feeds s at one moment.
func (ty *typing) read(s string) { ty.in.feed([]byte(s), ty.now) }

func (ty *typing) pause(d time.Duration) {
	for end := ty.now.Add(d); ty.now.Before(end); {
		ty.now = ty.now.Add(cutSequenceWait / 2)
		ty.in.expire(ty.now)
	}
}

func describe(msg tea.Msg) string {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return msg.String()
	case tea.KeyReleaseMsg:
		return "let go " + msg.String()
	case tea.PasteMsg:
		return fmt.Sprintf("paste %q", msg.Content)
	case tea.MouseMsg:
		return fmt.Sprintf("%s %d,%d", strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", msg), "tea.Mouse"), "Msg"), msg.Mouse().X, msg.Mouse().Y)
	default:
		return fmt.Sprintf("%T", msg)
	}
}

func TestDecoder(t *testing.T) {
	tests := []struct {
		name  string
		reads []string // with a pause of 20 ms between them
		want  []string
	}{
		{"letters", []string{"aB1 "}, []string{"a", "B", "1", "space"}},
		{"control keys", []string{"\x03\x0c\r\t\x7f\x00"}, []string{"ctrl+c", "ctrl+l", "enter", "tab", "backspace", "ctrl+space"}},
		{"letters beyond ascii", []string{"éß漢👍🏽"}, []string{"é", "ß", "漢", "👍🏽"}},
		{"a letter cut in two", []string{"\xc3", "\xa9x"}, []string{"é", "x"}},
		{"arrows", []string{"\x1b[A\x1b[B\x1bOC\x1bOD"}, []string{"up", "down", "right", "left"}},
		{"function keys", []string{"\x1bOP\x1b[15~\x1b[1;2R\x1b[Z\x1b[3~"}, []string{"f1", "f5", "shift+f3", "shift+tab", "delete"}},
		{"function keys of the linux console", []string{"\x1b[[A\x1b[[E\x1b[[Zx"}, []string{"f1", "f5", "x"}},
		{"an arrow cut in three", []string{"\x1b", "[", "A"}, []string{"up"}},
		{"modified and cut", []string{"\x1b[1;", "5D"}, []string{"ctrl+left"}},
		{"escape alone", []string{"\x1b"}, []string{"esc"}},
		{"escape twice at once", []string{"\x1b\x1b"}, []string{"esc", "esc"}},
		{"escape twice, and then an arrow", []string{"\x1b\x1b", "\x1b[D"}, []string{"esc", "esc", "left"}},
		{"escape, and then an arrow", []string{"\x1b", "\x1b[D"}, []string{"esc", "left"}},
		{"escape, and then two arrows", []string{"\x1b", "\x1bOD\x1b[A"}, []string{"esc", "left", "up"}},
		{"escape three times at once, and an arrow", []string{"\x1b\x1b\x1b[D"}, []string{"esc", "alt+left"}},
		{"alt and arrows of PuTTY", []string{"\x1b\x1b[D\x1b\x1bOA\x1b\x1b[1;5C"}, []string{"alt+left", "alt+up", "ctrl+alt+right"}},
		{"alt and an arrow, cut", []string{"\x1b\x1b", "[", "D"}, []string{"alt+left"}},
		{"escape and a click read together", []string{"\x1b\x1b[<0;3;4M"}, []string{"esc", "Click 2,3"}},
		{"escape and a paste read together", []string{"\x1b\x1b[200~b\x1b[201~"}, []string{"esc", `paste "b"`}},
		{"escape and an answer read together", []string{"\x1b\x1b[5;5Rz"}, []string{"esc", "z"}},
		{"the number pad in application mode", []string{"\x1bOt\x1bOy\x1bOp\x1bOn\x1bOk\x1bOM\x1b[57403u"}, []string{"4", "9", "0", ".", "+", "enter", "4"}},
		{"an arrow cut for long", []string{"\x1b[", "", "", "", "", "", "A"}, []string{"up"}},
		{"a click cut for long", []string{"\x1b[<0;3", "", "", "", "", "", ";4M"}, []string{"Click 2,3"}},
		{"a keypad arrow cut for long", []string{"\x1bO", "", "", "", "", "", "A"}, []string{"up"}},
		{"escape, then a key much later", []string{"\x1b", "", "", "", "a"}, []string{"esc", "a"}},
		{"alt and a letter", []string{"\x1ba\x1bé"}, []string{"alt+a", "alt+é"}},
		{"alt and letters that could go on", []string{"\x1b[", "", "", "", "\x1bO", "", "", "", "\x1b]"}, []string{"alt+[", "alt+shift+o", "alt+]"}},
		{"paste", []string{"a\x1b[200~c3 e5\x1b[201~b"}, []string{"a", `paste "c3 e5"`, "b"}},
		{"paste with escapes is text", []string{"\x1b[200~x\x1b[Ay\r\x1b[201~"}, []string{`paste "x\x1b[Ay\r"`}},
		{"paste cut anywhere", []string{"\x1b[20", "0~ab", "c\x1b", "[20", "1~d"}, []string{`paste "abc"`, "d"}},
		{"paste with invalid bytes", []string{"\x1b[200~a\xffb\x1b[201~"}, []string{`paste "ab"`}},
		{"an empty paste", []string{"\x1b[200~\x1b[201~"}, nil},
		{"the end of no paste", []string{"\x1b[201~a"}, []string{"a"}},
		{"mouse", []string{"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<64;1;1M"}, []string{"Click 2,3", "Release 2,3", "Wheel 0,0"}},
		{"only where the mouse got to", []string{"\x1b[<35;1;1M\x1b[<35;2;1M\x1b[<35;3;1Ma\x1b[<35;4;1M"}, []string{"Motion 2,0", "a", "Motion 3,0"}},
		{"mouse of old terminals", []string{"\x1b[M !!\x1b[M !", "!"}, []string{"Click 0,0", "Click 0,0"}},
		{"focus", []string{"\x1b[I\x1b[O"}, []string{"tea.FocusMsg", "tea.BlurMsg"}},
		{"a key let go", []string{"\x1b[97;1:3u"}, []string{"let go a"}},
		{"unrequested answers", []string{"\x1b]11;rgb:0000/0000/0000\x1b\\\x1bP>|xterm\x1b\\\x1b[?1;2c\x1b[?2026;2$y\x1b[8;99999;99999t\x1b[5;5Rz"}, []string{"z"}},
		{"a title ended by a bell", []string{"\x1b]0;title\aa"}, []string{"a"}},
		{"a string cut in two", []string{"\x1b]52;c;", "AAAA", "\x1b", "\\b"}, []string{"b"}},
		{"a string broken off by a key", []string{"\x1b]52;c;AAAA\x1b[Ab"}, []string{"up", "b"}},
		{"a string broken off by ctrl+x", []string{"\x1b_Gi=1\x18a"}, []string{"a"}},
		{"a record of windows for 65535 keys", []string{"\x1b[65;30;97;1;0;65535_a"}, []string{"a"}},
		{"a sequence broken off", []string{"\x1b[12\x1b[A"}, []string{"up"}},
		{"a sequence that goes on late", []string{"\x1b[12", "", "", "", "~a"}, []string{"f2", "a"}},
		{"a sequence that is too long", []string{"\x1b[" + strings.Repeat("1;", 200), "1Aa"}, []string{"a"}},
		{"a sequence that is too long, broken off", []string{"\x1b[" + strings.Repeat("1;", 200), "\x1b[Aa"}, []string{"up", "a"}},
		{"invalid and invisible", []string{"\xff\x80\u202e\u200ba\u0085"}, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ty := newTyping()
			for _, read := range tt.reads {
				ty.read(read)
				ty.pause(cutSequenceWait / 2)
			}
			ty.pause(time.Second)
			if !reflect.DeepEqual(ty.got, tt.want) {
				t.Errorf("%q decoded as %q, want %q", tt.reads, ty.got, tt.want)
			}
		})
	}
}

// TestLostEnd: a sequence whose end doesn't come in time types nothing, and after a silence a key is a key again.
func TestLostEnd(t *testing.T) {
	tests := []struct {
		begin, end string
		want       []string // of begin, after a while
	}{
		{"\x1b[1;", "5D", nil},
		{"\x1b[<35;1", "0;3M", nil},
		{"\x1b[[", "A", nil},
		{"\x1bO", "A", []string{"alt+shift+o"}},
		{"\x1b[", "A", []string{"alt+["}},
		{"\x1b\x1b[1;", "5D", []string{"esc"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%q", tt.begin), func(t *testing.T) {
			ty := newTyping()
			ty.read(tt.begin)
			ty.pause(lostEndWait)
			ty.read(tt.end)
			ty.read("a")
			if want := append(tt.want, "a"); !slices.Equal(ty.got, want) {
				t.Errorf("with %q late: decoded as %q, want %q", tt.end, ty.got, want)
			}
			ty.got = nil
			ty.read(tt.begin)
			ty.pause(2 * lostEndWait)
			ty.read("a")
			if want := append(tt.want, "a"); !slices.Equal(ty.got, want) {
				t.Errorf("without an end: decoded as %q, want %q", ty.got, want)
			}
		})
	}
}

// TestNumberPadIsText: digits of the number pad can be typed into a line of text in application mode too.
func TestNumberPadIsText(t *testing.T) {
	var typed string
	in := newInput(0, func(msg tea.Msg) { typed += msg.(tea.KeyPressMsg).Text }, func(int) {})
	in.feed([]byte("\x1bOt\x1bOp\x1bOk\x1bOM\x1b\x1bOt"), time.Unix(0, 0))
	if want := "40+"; typed != want {
		t.Errorf("the number pad types %q, want %q", typed, want)
	}
}

func TestEndlessThings(t *testing.T) {
	tests := []struct {
		name, begin, more string
		after             time.Duration
		want              []string
	}{
		{"a paste without end", "\x1b[200~", "pasted ", lostEndWait, []string{`paste "` + strings.Repeat("pasted ", 74)[:maxPasteBytes] + `"`, "a"}},
		{"a string without end", "\x1b]0;", "title ", lostEndWait, []string{"a"}},
		{"a sequence without end", "\x1b[", "1;", lostEndWait, []string{"a"}},
		{"a paste whose end is late", "\x1b[200~", "pasted ", lostEndWait / 2, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ty := newTyping()
			ty.read(tt.begin)
			for range 20_000 {
				ty.read(tt.more)
			}
			if got := cap(ty.in.decoder.paste); got > 2*maxPasteBytes {
				t.Errorf("the decoder keeps %d bytes of a paste, want at most about %d", got, maxPasteBytes)
			}
			if got, least := ty.dropped, 20_000*len(tt.more)-maxPasteBytes; got < least {
				t.Errorf("%d bytes are counted as dropped, want at least %d", got, least)
			}
			ty.pause(tt.after)
			ty.read("a")
			if !reflect.DeepEqual(ty.got, tt.want) {
				t.Errorf("decoded %q, want %q", ty.got, tt.want)
			}
		})
	}
}

// TestPasteBytes: of a paste a session may get less, or more, than usual.
func TestPasteBytes(t *testing.T) {
	ty := newTypingWith(Options{PasteBytes: 4})
	ty.read("\x1b[200~abcdefgh\x1b[201~")
	if want := []string{`paste "abcd"`}; !slices.Equal(ty.got, want) || ty.dropped != 4 {
		t.Errorf("got %q and %d bytes dropped, want %q and 4", ty.got, ty.dropped, want)
	}
}

// FuzzDecoder feeds bytes in pieces. Whatever they are, little is kept, little comes out, and after a silence a key is a key again.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{
		"abc\x1b[A", "\x1b[200~paste\x1b[201~", "\x1b]0;t\x07", "\x1b[<35;1;1M", "\x1b[M   ", "\x1b[[A", "\x1bP1$r0m\x1b\\", "\x1b\x1b[A",
		"\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", "\x1b[1;2R", "\x1b[97;5:3u", "\x1b[27;5;9~", "\x1b[65;30;97;1;0;65535_", "\x9b\x8f\x90\xff",
		"\x1b[;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;A", "\x1b[9999999999999999999999;1M", "\x1bO99999999999999999999999A", "\x1b[5$",
	} {
		f.Add([]byte(s), uint8(3), uint8(0))
		f.Add([]byte(s), uint8(200), uint8(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, piece, pauses uint8) {
		ty := newTyping()
		for i := 0; i < len(b); i += int(piece) + 1 {
			ty.read(string(b[i:min(len(b), i+int(piece)+1)]))
			if ty.in.kept > maxSequenceBytes || len(ty.in.decoder.paste) > maxPasteBytes {
				t.Fatalf("%q: %d bytes of a sequence and %d of a paste are kept", b, ty.in.kept, len(ty.in.decoder.paste))
			}
			if pauses>>(i%8)&1 != 0 {
				ty.pause(cutSequenceWait)
			}
		}
		ty.pause(3 * lostEndWait)
		if len(ty.got) > len(b) {
			t.Fatalf("%q: %d bytes became %d messages: %q", b, len(b), len(ty.got), ty.got)
		}
		before := len(ty.got)
		ty.read("a")
		if got := ty.got[before:]; len(got) != 1 || got[0] != "a" {
			t.Errorf("after %q and a silence the key a decodes as %q", b, got)
		}
	})
}
