// Package flagset declares the flags of the program. A flag is one of pflag with annotations: the group in which help lists it, its environment
// variable, and what its values may be.
package flagset

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// Prefix begins the names of all environment variables of the program.
const Prefix = "LUDOTECA_"

// The annotations of a flag.
const (
	group    = "group"    // the title under which help lists it
	variable = "variable" // its environment variable
	positive = "positive" // there if its value must be more than 0
	retired  = "retired"  // there if it has no effect any more: what holds in its place
)

// Add declares flags with environment variables, in a group. Help lists groups and flags in the order in which they are added.
func Add(to *pflag.FlagSet, title string, declare func(f *pflag.FlagSet)) {
	add(to, title, true, declare)
}

// AddHere declares flags as Add does, but without environment variables: they are for one call of the program.
func AddHere(to *pflag.FlagSet, title string, declare func(f *pflag.FlagSet)) {
	add(to, title, false, declare)
}

func add(to *pflag.FlagSet, title string, variables bool, declare func(f *pflag.FlagSet)) {
	to.SortFlags = false
	some := pflag.NewFlagSet(title, pflag.ContinueOnError)
	some.SortFlags = false
	declare(some)
	some.VisitAll(func(f *pflag.Flag) {
		annotate(f, group, title)
		if variables {
			annotate(f, variable, Prefix+strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
		}
	})
	to.AddFlagSet(some)
}

// AddLimits declares flags as Add does. The values of all but boolean ones must be more than 0.
func AddLimits(to *pflag.FlagSet, title string, declare func(f *pflag.FlagSet)) {
	Add(to, title, func(some *pflag.FlagSet) {
		declare(some)
		some.VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" {
				annotate(f, positive, "yes")
			}
		})
	})
}

func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[key] = []string{value}
}

func annotation(f *pflag.Flag, key string) string {
	if values := f.Annotations[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Variable returns the environment variable of a flag; "" if it has none.
func Variable(f *pflag.Flag) string { return annotation(f, variable) }

// Variables returns the environment variables of flags.
func Variables(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if name := Variable(f); name != "" {
			names = append(names, name)
		}
	})
	return names
}

// NotPositive returns the name of the first flag whose value must be more than 0 and isn't; "" if there is none.
func NotPositive(flags *pflag.FlagSet) (name string) {
	flags.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if name == "" && annotation(f, positive) != "" && (value == "0" || value == "0s" || strings.HasPrefix(value, "-")) {
			name = f.Name
		}
	})
	return name
}

// FromEnvironment sets the flags that the command line leaves alone from environment variables. An empty variable counts as not set.
func FromEnvironment(flags *pflag.FlagSet, lookup func(name string) (value string, set bool)) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := Variable(f)
		if name == "" || f.Changed || failed != nil {
			return
		}
		value, set := lookup(name)
		if !set || value == "" {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = fmt.Errorf("%s=%q: %w", name, value, err)
		}
	})
	return failed
}

// Retire declares a flag that has no effect any more and takes any value. Help doesn't list it. now says what holds in its place.
func Retire(to *pflag.FlagSet, name, now string) {
	Add(to, "", func(f *pflag.FlagSet) {
		f.Var(new(anyValue), name, "no effect: "+now)
		flag := f.Lookup(name)
		flag.Hidden = true
		annotate(flag, retired, now)
	})
}

// Retired reports whether a flag has no effect any more, and what holds in its place.
func Retired(f *pflag.Flag) (now string, ok bool) {
	now = annotation(f, retired)
	return now, now != ""
}

// An anyValue is a value of a flag that may be any text.
type anyValue string

// String implements pflag.Value.
func (v *anyValue) String() string { return string(*v) }

// Set implements pflag.Value.
func (v *anyValue) Set(text string) error {
	*v = anyValue(text)
	return nil
}

// Type implements pflag.Value.
func (*anyValue) Type() string { return "value" }
