package widget

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Bind returns a binding of some keys. name is what footer and help call them, what is what they do, both in English.
func Bind(name, what string, keys ...string) key.Binding {
	var b key.Binding
	b.SetKeys(keys...)
	b.SetHelp(name, what)
	return b
}

// Label returns a binding that footer and help show and no key matches: for text that can be typed.
func Label(name, what string) key.Binding { return Bind(name, what, "") }

// When returns b, enabled if on is true.
func When(on bool, b key.Binding) key.Binding {
	b.SetEnabled(on)
	return b
}

// Shown returns the enabled bindings that have a name, each name once. A binding takes precedence over later ones.
func Shown(groups ...[]key.Binding) []key.Binding { return AppendShown(nil, groups...) }

// AppendShown appends to all what Shown returns of the groups, without names that all has already. Where it has room for them, as in the
// footer that is drawn with every key, this takes no memory.
func AppendShown(all []key.Binding, groups ...[]key.Binding) []key.Binding {
	for _, group := range groups {
		for _, b := range group {
			name := b.Help().Key
			if name != "" && b.Enabled() && !slices.ContainsFunc(all, func(o key.Binding) bool { return o.Help().Key == name }) {
				all = append(all, b)
			}
		}
	}
	return all
}

// An Action is a key of a screen of type S and what it does. Actions are made once, for all sessions: what depends on the screen
// is asked when a key comes or the footer is drawn. Making them anew for each key was a third of what a key cost.
type Action[S any] struct {
	binding key.Binding
	run     func(S, tea.KeyPressMsg) (S, tea.Cmd) // nil: it is only named
	when    func(S) bool                          // nil: always
	listed  func(S) bool                          // nil: always
	what    func(S) string                        // nil: as the binding says
}

// On returns the action of some keys, which footer and help call by a name. Keys without a name aren't listed there. The words
// are English sentences marked by text.T.
func On[S any](name, what string, run func(S) (S, tea.Cmd), keys ...string) Action[S] {
	return OnKey(name, what, func(s S, _ tea.KeyPressMsg) (S, tea.Cmd) { return run(s) }, keys...)
}

// OnKey is On for keys that do different things.
func OnKey[S any](name, what string, run func(S, tea.KeyPressMsg) (S, tea.Cmd), keys ...string) Action[S] {
	return Action[S]{binding: Bind(name, what, keys...), run: run}
}

// Typed returns the key that begins text, which the screen inserts: footer and help name it, and no action matches it.
func Typed[S any](name, what string) Action[S] { return Action[S]{binding: Label(name, what)} }

// When returns the action, which matches and is listed only while on holds.
func (a Action[S]) When(on func(S) bool) Action[S] {
	a.when = on
	return a
}

// Listed returns the action, which is listed in footer and help only while on holds. Elsewhere it says why it can do nothing.
func (a Action[S]) Listed(on func(S) bool) Action[S] {
	a.listed = on
	return a
}

// Doing returns the action, of which what says the words.
func (a Action[S]) Doing(what func(S) string) Action[S] {
	a.what = what
	return a
}

// Actions are keys of a screen.
type Actions[S any] struct {
	Footer   []Action[S]           // also in the help, the most needed first
	Others   []Action[S]           // in the help alone
	Commands func(S) []key.Binding // what can be typed after a slash, in the help alone; nil: nothing
}

// Find returns what the key of a name does on a screen; ok is false if it does nothing.
func (k *Actions[S]) Find(s S, name string) (run func(S, tea.KeyPressMsg) (S, tea.Cmd), ok bool) {
	for _, actions := range [...][]Action[S]{k.Footer, k.Others} {
		for i := range actions {
			a := &actions[i]
			if a.run != nil && slices.Contains(a.binding.Keys(), name) && (a.when == nil || a.when(s)) {
				return a.run, true
			}
		}
	}
	return nil, false
}

// ShortHelp returns the keys of the footer, as they are on a screen now.
func (k *Actions[S]) ShortHelp(s S) []key.Binding { return listed(s, k.Footer) }

// FullHelp returns the keys of the footer, the others, and the commands.
func (k *Actions[S]) FullHelp(s S) [][]key.Binding {
	groups := [][]key.Binding{listed(s, k.Footer), listed(s, k.Others)}
	if k.Commands != nil {
		groups = append(groups, k.Commands(s))
	}
	return groups
}

// listed returns the bindings of the actions that are listed on a screen now.
func listed[S any](s S, actions []Action[S]) []key.Binding {
	all := make([]key.Binding, 0, len(actions))
	for i := range actions {
		a := &actions[i]
		b := a.binding
		if b.Help().Key == "" || a.when != nil && !a.when(s) || a.listed != nil && !a.listed(s) {
			continue
		}
		if a.what != nil {
			b.SetHelp(b.Help().Key, a.what(s))
		}
		all = append(all, b)
	}
	return all
}
