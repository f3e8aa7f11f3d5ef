// Package optionfields makes fields of a form of the options of a game: how each is drawn, and which value follows.
package optionfields

import (
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// Field returns an option of a game as a field.
func Field(say wording.Words, o games.Option, v int) widget.Field {
	f := widget.Field{Key: o.Key, Label: say.T(o.Label), Value: describe.OptionValue(say, o, v), Bad: !o.Allows(v)}
	f.Help = say.T(o.Help)
	if !o.IsSwitch() {
		f.Help += " " + rangeOf(say, o)
	}
	return f
}

// setHelp explains the option sets that games share.
var setHelp = map[string]string{
	games.Classic:  text.T("The usual options of the game."),
	games.Decisive: text.T("Good players draw less often with these:"),
}

// Set returns the field of the option set that the options of a game are.
func Set(say wording.Words, about *games.About, o games.Options, key string) widget.Field {
	f := widget.Field{Key: key, Label: say.T("Options"), Value: say.T("as chosen below"), Help: say.T("These are options of your own.")}
	if at := setOf(about, o); at >= 0 {
		set := about.OptionSets()[at]
		f.Value, f.Help = say.T(set.Name), say.T(setHelp[set.Name])
		if set.Name != games.Classic {
			f.Help += " " + strings.Join(describe.FormChanges(say, about, set.Options), ", ") + "."
		}
	}
	return f
}

// Fields returns the fields of all options of a game, below an empty line: that of the option sets by the key set, if it has several, then one for each
// option.
func Fields(say wording.Words, about *games.About, o games.Options, set string) (fields []widget.Field) {
	if len(about.Sets) > 0 {
		fields = append(fields, Set(say, about, o, set))
	}
	for _, option := range about.Options {
		fields = append(fields, Field(say, option, o[option.Key]))
	}
	if len(fields) > 0 {
		fields[0].Gap = true
	}
	return fields
}

// Named returns the option of a game with a key.
func Named(about *games.About, key string) (o games.Option, ok bool) {
	i := slices.IndexFunc(about.Options, func(o games.Option) bool { return o.Key == key })
	if i < 0 {
		return o, false
	}
	return about.Options[i], true
}

// setOf returns the index among the option sets of a game of the one that the options are, or -1 if they are none of them.
func setOf(about *games.About, o games.Options) int {
	return slices.IndexFunc(about.OptionSets(), func(set games.OptionSet) bool { return set.Options.Equal(o) })
}

// NextSet returns the option set of a game after or before the one that the options are, by a key.
func NextSet(about *games.About, o games.Options, key string) games.OptionSet {
	sets := about.OptionSets()
	return sets[widget.Cycle(setOf(about, o), len(sets), key)]
}

// Next returns the allowed value before v for the key left, else the one after it. v itself need not be allowed: it may have been typed.
func Next(o games.Option, v int, key string) int {
	direction := 1
	if key == "left" {
		direction = -1
	}
	switch {
	case o.Allows(v):
		return o.Next(v, direction)
	case v > o.Max:
		return o.Max - (o.Max-o.Min)%max(o.Step, 1)
	case v < o.Min:
		return o.Min
	default:
		return o.Min + (v-o.Min)/max(o.Step, 1)*max(o.Step, 1)
	}
}

// Problem returns what is wrong with the options of a game, and the key of the option that is at fault: one out of range, some that don't go
// together, a game without an end. Words are "" if nothing is wrong, and at is "" if several are at fault.
func Problem(say wording.Words, g games.Game, o games.Options) (at, words string) {
	for _, option := range g.About().Options {
		if v := o[option.Key]; !option.Allows(v) {
			return option.Key, say.T("%s can't be %d. %s", say.T(option.Label), v, rangeOf(say, option))
		}
	}
	if _, err := games.Complete(g, o); err != nil {
		return "", say.Error(err)
	}
	if _, bounded := g.Longest(o); !bounded {
		return "", say.Error(lobby.ErrEndless)
	}
	return "", ""
}

// rangeOf says which values an option takes.
func rangeOf(say wording.Words, o games.Option) string {
	s := say.T("From %d to %d.", o.Min, o.Max)
	if o.Step == 2 {
		if o.Min%2 == 0 {
			s = say.T("From %d to %d, even.", o.Min, o.Max)
		} else {
			s = say.T("From %d to %d, odd.", o.Min, o.Max)
		}
	}
	if o.Zero && o.Min > 0 {
		s += " " + say.T("0 switches it off.")
	}
	return s
}
