package ui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// bind returns a binding of some keys. name is what footer and help call them, what is what they do.
func bind(name, what string, keys ...string) key.Binding {
	var b key.Binding
	b.SetKeys(keys...)
	b.SetHelp(name, what)
	return b
}

// label returns a binding that footer and help show and no key matches: for text that can be typed.
func label(name, what string) key.Binding { return bind(name, what, "") }

// when returns b, enabled if on is true.
func when(on bool, b key.Binding) key.Binding {
	b.SetEnabled(on)
	return b
}

// shown returns the enabled bindings that have a name, each name once. A binding takes precedence over later ones.
func shown(groups ...[]key.Binding) []key.Binding {
	var all []key.Binding
	for _, b := range slices.Concat(groups...) {
		name := b.Help().Key
		if name != "" && b.Enabled() && !slices.ContainsFunc(all, func(o key.Binding) bool { return o.Help().Key == name }) {
			all = append(all, b)
		}
	}
	return all
}

// A keyAction is a key of a screen of type S and what it does.
type keyAction[S any] struct {
	key.Binding
	run func(S, tea.KeyPressMsg) (S, tea.Cmd)
}

// on returns the action of some keys, which footer and help call by a name. Keys without a name aren't listed there.
func on[S any](name, what string, run func(S) (S, tea.Cmd), keys ...string) keyAction[S] {
	return onKey(name, what, func(s S, _ tea.KeyPressMsg) (S, tea.Cmd) { return run(s) }, keys...)
}

// onKey is on for keys that do different things.
func onKey[S any](name, what string, run func(S, tea.KeyPressMsg) (S, tea.Cmd), keys ...string) keyAction[S] {
	return keyAction[S]{bind(name, what, keys...), run}
}

// enabled returns the action, which matches and is listed only if on is true.
func (a keyAction[S]) enabled(on bool) keyAction[S] {
	a.SetEnabled(on)
	return a
}

// listed returns the action, which is listed in footer and help only if on is true. Elsewhere it says why it can do nothing.
func (a keyAction[S]) listed(on bool) keyAction[S] {
	if !on {
		a.SetHelp("", "")
	}
	return a
}

// keyActions are the keys that do something on a screen now.
type keyActions[S any] struct {
	footer   []keyAction[S]       // also in the help, the most needed first
	others   []keyAction[S]       // in the help alone
	commands func() []key.Binding // what can be typed after a slash, in the help alone; nil: nothing
}

// typed returns the key that begins text, which the screen inserts: footer and help name it, and no action matches it.
func typed[S any](name, what string) keyAction[S] { return keyAction[S]{Binding: label(name, what)} }

// find returns what a key does; ok is false if it does nothing.
func (k keyActions[S]) find(msg tea.KeyPressMsg) (run func(S, tea.KeyPressMsg) (S, tea.Cmd), ok bool) {
	for _, actions := range [][]keyAction[S]{k.footer, k.others} {
		for _, a := range actions {
			if a.run != nil && key.Matches(msg, a.Binding) {
				return a.run, true
			}
		}
	}
	return nil, false
}

// ShortHelp returns the keys of the footer.
func (k keyActions[S]) ShortHelp() []key.Binding { return bindingsOf(k.footer) }

// FullHelp returns the keys of the footer, the others, and the commands.
func (k keyActions[S]) FullHelp() [][]key.Binding {
	groups := [][]key.Binding{bindingsOf(k.footer), bindingsOf(k.others)}
	if k.commands != nil {
		groups = append(groups, k.commands())
	}
	return groups
}

// bindingsOf returns the bindings of some actions.
func bindingsOf[S any](actions []keyAction[S]) []key.Binding {
	all := make([]key.Binding, len(actions))
	for i, a := range actions {
		all[i] = a.Binding
	}
	return all
}
