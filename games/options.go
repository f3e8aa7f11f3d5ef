package games

import (
	"cmp"
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
	Format    string
	Args      []any
	Malformed bool // they are not written as options of this game, whatever their values
}

// BadOption returns an *OptionError with the words of the format and its arguments.
func BadOption(format string, args ...any) error { return &OptionError{Format: format, Args: args} }

// malformed is BadOption for what is not written as an option.
func malformed(format string, args ...any) error {
	return &OptionError{Format: format, Args: args, Malformed: true}
}

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

// IsSwitch reports whether the option is a rule that is on or off.
func (o Option) IsSwitch() bool { return o.Min == 0 && o.Max == 1 }

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

// String returns the allowed values in words, as a refusal names them: "even numbers from 6 to 26", "0 or 2 to 5".
func (o Option) String() string {
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

// Fill replaces each {key} in words by the value of that option, and each {key|one|many} by the value and the word that goes with it:
// {captures|capture|captures} becomes "1 capture" or "7 captures".
func (o Options) Fill(words string) string {
	return o.FillForms(words, func(n int) int {
		if n == 1 {
			return 0
		}
		return 1
	})
}

// FillForms is Fill in a language whose plurals form knows: it returns which of the words behind a key goes with a number.
func (o Options) FillForms(words string, form func(n int) int) string {
	var filled strings.Builder
	for {
		before, rest, ok := strings.Cut(words, "{")
		filled.WriteString(before)
		if !ok {
			return filled.String()
		}
		field, after, _ := strings.Cut(rest, "}")
		key, behind, counted := strings.Cut(field, "|")
		v := o[key]
		filled.WriteString(strconv.Itoa(v))
		if forms := strings.Split(behind, "|"); counted {
			filled.WriteString(" " + forms[min(form(v), len(forms)-1)])
		}
		words = after
	}
}

// Equal reports whether both sets have the same values for the same keys.
func (o Options) Equal(p Options) bool { return maps.Equal(o, p) }

// An OptionSet is options of a game under a name by which players choose them.
type OptionSet struct {
	Name    string // a lower-case word
	Options Options
}

// The names of option sets. Every game has Classic, its defaults. Under Decisive good players seldom draw.
const (
	Classic  = "classic"
	Decisive = "decisive"
)

// OptionSets returns the option sets of a game with complete options, Classic first.
func (a *About) OptionSets() []OptionSet {
	sets := make([]OptionSet, 0, 1+len(a.Sets))
	for _, s := range append([]OptionSet{{Name: Classic}}, a.Sets...) {
		complete := make(Options, len(a.Options))
		for _, opt := range a.Options {
			complete[opt.Key] = opt.Default
		}
		maps.Copy(complete, s.Options)
		sets = append(sets, OptionSet{s.Name, complete})
	}
	return sets
}

// OptionSet returns the option set of that name.
func (a *About) OptionSet(name string) (set OptionSet, ok bool) {
	for _, s := range a.OptionSets() {
		if s.Name == name {
			return s, true
		}
	}
	return OptionSet{}, false
}

// SetOf returns the name of the option set that complete options are; "" if they are none.
func (a *About) SetOf(o Options) string {
	for _, s := range a.OptionSets() {
		if s.Options.Equal(o) {
			return s.Name
		}
	}
	return ""
}

// Complete fills what is missing in given from the defaults of g and checks the whole. The error wraps ErrOptions
// and says in words which option is wrong and what is allowed. given is not changed.
func Complete(g Game, given Options) (Options, error) {
	o := make(Options, len(g.About().Options))
	for _, k := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(g.About().Options, func(opt Option) bool { return opt.Key == k }) {
			return nil, malformed("%s has no option %s", g.About().Name, quote(k))
		}
	}
	for _, opt := range g.About().Options {
		v, ok := given[opt.Key]
		if !ok {
			v = opt.Default
		}
		if !opt.Allows(v) {
			return nil, BadOption("%s %d isn't allowed: %s", opt.Key, v, opt)
		}
		o[opt.Key] = v
	}
	if err := g.Check(o); err != nil {
		return nil, err
	}
	return o, nil
}

// ParseOptions reads words of the form key=value, in any order, and completes them. The error wraps ErrOptions.
func ParseOptions(g Game, words []string) (Options, error) { return ParseOptionsOf(g, "", words) }

// ParseOptionsOf is ParseOptions with what is missing taken from the option set of that name, from the defaults if it is "".
func ParseOptionsOf(g Game, set string, words []string) (Options, error) {
	base, ok := g.About().OptionSet(cmp.Or(set, Classic))
	if !ok {
		names := make([]string, 0, 2)
		for _, s := range g.About().OptionSets() {
			names = append(names, s.Name)
		}
		return nil, malformed("%s has no preset %s; it has: %s", g.About().Name, quote(set), strings.Join(names, ", "))
	}
	given := make(Options, len(words))
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok {
			return nil, malformed("%s is not of the form key=value", quote(w))
		}
		if _, twice := given[k]; twice {
			return nil, malformed("option %s is given twice", quote(k))
		}
		n, err := strconv.Atoi(v)
		if err != nil || strings.HasPrefix(v, "+") {
			return nil, malformed("option %s is %s, which is not a whole number", quote(k), quote(v))
		}
		given[k] = n
	}
	for k, v := range base.Options {
		if _, ok := given[k]; !ok {
			given[k] = v
		}
	}
	return Complete(g, given)
}
