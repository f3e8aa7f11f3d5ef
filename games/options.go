package games

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrOptions is wrapped by every error about the options of a game.
var ErrOptions = errors.New("bad options")

// An OptionError says in words what is wrong with the options of a game. It wraps ErrOptions.
// Format and Args are apart so that the words can be given in another language.
type OptionError struct {
	Format string
	Args   []any
}

// BadOption returns an *OptionError with the words of the format and its arguments.
func BadOption(format string, args ...any) error { return &OptionError{format, args} }

func (e *OptionError) Error() string { return fmt.Sprintf(e.Format, e.Args...) }

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// An Option is one setting of a game: a whole number from Min to Max.
type Option struct {
	Key      string
	Min, Max int
	Step     int  // the distance between allowed values, counted from Min; 0 means 1
	Zero     bool // 0 is allowed besides Min to Max, and switches the rule off
	Default  int
	Label    string // what a form calls it, at most 24 columns
	Help     string // one line that explains it, at most 60 columns
}

// Words are the key as words, for a list in which there is no room for the label: "win length".
func (o Option) Words() string { return strings.ReplaceAll(o.Key, "_", " ") }

// Allows reports whether v is a value of the option.
func (o Option) Allows(v int) bool {
	if v == 0 && o.Zero {
		return true
	}
	return v >= o.Min && v <= o.Max && (v-o.Min)%o.step() == 0
}

// Next returns the allowed value after v when direction is positive and before it when negative; at the end of the
// range it returns v.
func (o Option) Next(v, direction int) int {
	switch {
	case direction > 0 && v == 0 && o.Zero && o.Min > 0:
		return o.Min
	case direction < 0 && v == o.Min && o.Zero && o.Min > 0:
		return 0
	case direction > 0 && v+o.step() <= o.Max:
		return v + o.step()
	case direction < 0 && v-o.step() >= o.Min:
		return v - o.step()
	}
	return v
}

// Range returns the allowed values in words: "even numbers from 6 to 26", "0 or 2 to 5".
func (o Option) Range() string {
	s := fmt.Sprintf("%d to %d", o.Min, o.Max)
	if o.step() == 2 {
		s = map[bool]string{true: "even", false: "odd"}[o.Min%2 == 0] + " numbers from " + s
	}
	if o.Zero && o.Min > 0 {
		s = "0 or " + s
	}
	return s
}

func (o Option) step() int { return max(o.Step, 1) }

// Options are the settings of one game by key. A complete set has every option of its game; that is the canonical
// form in which options are stored. Treat them as a value: never change a map that is in use elsewhere.
type Options map[string]int

// String returns the options in canonical form: "cols=7 rows=7 win_length=4", keys in byte order.
func (o Options) String() string {
	words := make([]string, 0, len(o))
	for _, k := range slices.Sorted(maps.Keys(o)) {
		words = append(words, k+"="+strconv.Itoa(o[k]))
	}
	return strings.Join(words, " ")
}

// Changed returns the options in o that are not the defaults, each as "key=value" and in the order of a.Options: what the
// text of a position says about them.
func (a *About) Changed(o Options) []string {
	var words []string
	for _, opt := range a.Options {
		if v := o[opt.Key]; v != opt.Default {
			words = append(words, opt.Key+"="+strconv.Itoa(v))
		}
	}
	return words
}

// Fill replaces each {key} in words by the value of that option.
func (o Options) Fill(words string) string {
	for key, v := range o {
		words = strings.ReplaceAll(words, "{"+key+"}", strconv.Itoa(v))
	}
	return words
}

// Equal reports whether both sets have the same values for the same keys.
func (o Options) Equal(p Options) bool { return maps.Equal(o, p) }

// Complete fills what is missing in given from the defaults of g and checks the whole. The error wraps ErrOptions
// and says in words which option is wrong and what is allowed. given is not changed.
func Complete(g Game, given Options) (Options, error) {
	o := make(Options, len(g.About().Options))
	for _, opt := range g.About().Options {
		v, ok := given[opt.Key]
		if !ok {
			v = opt.Default
		}
		if !opt.Allows(v) {
			return nil, BadOption("%s %d isn't allowed: %s", opt.Key, v, opt.Range())
		}
		o[opt.Key] = v
	}
	for _, k := range slices.Sorted(maps.Keys(given)) {
		if _, ok := o[k]; !ok {
			return nil, BadOption("%s has no option %s", g.About().Name, quote(k))
		}
	}
	if err := g.Check(o); err != nil {
		return nil, err
	}
	return o, nil
}

// ParseOptions reads words of the form key=value, in any order, and completes them. The error wraps ErrOptions.
func ParseOptions(g Game, words []string) (Options, error) {
	given := make(Options, len(words))
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok {
			return nil, BadOption("%s is not of the form key=value", quote(w))
		}
		if _, twice := given[k]; twice {
			return nil, BadOption("option %s is given twice", quote(k))
		}
		n, err := strconv.Atoi(v)
		if err != nil || strings.HasPrefix(v, "+") {
			return nil, BadOption("option %s is %s, which is not a whole number", quote(k), quote(v))
		}
		given[k] = n
	}
	return Complete(g, given)
}
