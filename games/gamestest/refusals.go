package gamestest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"ludoteca/games"
)

// offer plays a move that may be illegal. It checks that State and Position agree about the move and that a refusal is as it should
// be. next is nil if the move is illegal.
func offer(p games.Position, m games.Move) (next games.Position, refusal *games.IllegalError, err error) {
	before := p.String()
	_, codeErr := p.State().Code(m)
	next, playErr := p.Play(m)
	switch {
	case !reflect.DeepEqual(codeErr, playErr) || (next == nil) != (playErr != nil):
		return nil, nil, fmt.Errorf("playing %.40q gives %v, %v; the state says %v", m, next, playErr, codeErr)
	case p.String() != before:
		return nil, nil, fmt.Errorf("playing %.40q changed the position: %s -> %s", m, before, p)
	case playErr == nil:
		return next, nil, nil
	}
	refusal, err = illegal(playErr)
	return nil, refusal, err
}

// illegal checks that an error is one about an illegal move, names a rule and is safe to print.
func illegal(err error) (*games.IllegalError, error) {
	var refusal *games.IllegalError
	switch {
	case !errors.As(err, &refusal) || !errors.Is(err, games.ErrIllegal):
		return nil, fmt.Errorf("%q is no error about an illegal move", err)
	case refusal.Rule() == "" || len(refusal.Error()) > 300 || strings.ContainsFunc(refusal.Error(), unicode.IsControl):
		return nil, fmt.Errorf("%q is not safe to print", err)
	}
	return refusal, nil
}

// Refused checks that a position refuses a move, says why in words that have want in them, and stays as it was.
func Refused(t *testing.T, p games.Position, m games.Move, want string) {
	t.Helper()
	next, refusal, err := offer(p, m)
	switch {
	case err != nil:
		t.Errorf("%s: %v", p, err)
	case next != nil:
		t.Errorf("%s: Play(%.40q) = %s, want an illegal move saying %q", p, m, next, want)
	case !strings.Contains(refusal.Rule(), want):
		t.Errorf("%s: Play(%.40q) = %v, want an illegal move saying %q", p, m, refusal, want)
	}
}

// A Reading is what a person types, and the move that is meant; none if it can't be a move.
type Reading = struct {
	Name, Typed string
	Want        games.Move
}

// Read checks what a position reads.
func Read(t *testing.T, p games.Position, readings []Reading) {
	t.Helper()
	for _, r := range readings {
		t.Run(r.Name, func(t *testing.T) {
			got, err := p.Read(r.Typed)
			if got != r.Want || (err == nil) != (r.Want != "") {
				t.Errorf("Read(%.40q) = %q, %v, want %q", r.Typed, got, err, r.Want)
			}
			if err := readable(p, r.Typed); err != nil {
				t.Error(err)
			}
		})
	}
}

// readable checks that a move that was read is read again as it is, and that any other text is refused as it should be.
func readable(p games.Position, typed string) error {
	m, err := p.Read(typed)
	if err != nil {
		_, err := illegal(err)
		return err
	}
	if again, err := p.Read(string(m)); err != nil || again != m {
		return fmt.Errorf("%.40q is read as %q, and that as %q, %v", typed, m, again, err)
	}
	return nil
}

// A Refusal is a text that is refused, and a part of what the error says.
type Refusal = struct{ Name, Text, Want string }

// ParseRefuses checks that no position is read from texts.
func ParseRefuses(t *testing.T, g games.Game, refusals []Refusal) {
	t.Helper()
	for _, r := range refusals {
		t.Run(r.Name, func(t *testing.T) {
			if p, err := g.Parse(r.Text); p != nil || err == nil || !strings.Contains(err.Error(), r.Want) {
				t.Errorf("Parse(%.200q) = %v, %v, want an error saying %q", r.Text, p, err, r.Want)
			}
		})
	}
}

// OptionsRefused checks that words, apart by spaces, are refused as options, both by ParseOptions and, where they are
// options at all, by the game itself.
func OptionsRefused(t *testing.T, g games.Game, refusals []Refusal) {
	t.Helper()
	for _, r := range refusals {
		t.Run(r.Name, func(t *testing.T) {
			o, err := games.ParseOptions(g, strings.Fields(r.Text))
			if o != nil || !errors.Is(err, games.ErrOptions) || !strings.Contains(err.Error(), r.Want) {
				t.Errorf("ParseOptions(%s) = %v, %v, want bad options saying %q", r.Text, o, err, r.Want)
			}
			if p, err := g.New(given(g, r.Text)); p != nil || !errors.Is(err, games.ErrOptions) {
				t.Errorf("New with %s = %v, %v, want bad options", r.Text, p, err)
			}
		})
	}
}

// given returns the options of words unchecked, with defaults for the rest.
func given(g games.Game, words string) games.Options {
	o := games.Options{}
	for _, opt := range g.About().Options {
		o[opt.Key] = opt.Default
	}
	for _, w := range strings.Fields(words) {
		var value int
		key, text, _ := strings.Cut(w, "=")
		if _, err := fmt.Sscan(text, &value); err != nil {
			value = -1
		}
		o[key] = value
	}
	return o
}

// An Ending is a position as text, and how the game has ended in it, if it has.
type Ending = struct {
	Name, Text string
	Want       games.Result
}

// Endings checks what the results of positions are that were set up.
func Endings(t *testing.T, g games.Game, endings []Ending) {
	t.Helper()
	for _, e := range endings {
		t.Run(e.Name, func(t *testing.T) {
			p, err := g.Parse(e.Text)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Result(); got != e.Want {
				t.Errorf("%s: the result is %+v, want %+v", p, got, e.Want)
			}
			if err := endsRight(p); err != nil {
				t.Errorf("%s: %v", p, err)
			}
		})
	}
}
