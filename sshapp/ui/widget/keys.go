package widget

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Bind returns a binding of some keys. name is what footer and help call them, what is what they do.
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
func Shown(groups ...[]key.Binding) []key.Binding {
	all := make([]key.Binding, 0, 8)
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

// An Action is a key of a screen of type S and what it does.
type Action[S any] struct {
	key.Binding
	run    func(S) (S, tea.Cmd)
	runKey func(S, tea.KeyPressMsg) (S, tea.Cmd) // in place of run, if set
}

// On returns the action of some keys, which footer and help call by a name. Keys without a name aren't listed there.
func On[S any](name, what string, run func(S) (S, tea.Cmd), keys ...string) Action[S] {
	return Action[S]{Binding: Bind(name, what, keys...), run: run}
}

// OnKey is On for keys that do different things.
func OnKey[S any](name, what string, run func(S, tea.KeyPressMsg) (S, tea.Cmd), keys ...string) Action[S] {
	return Action[S]{Binding: Bind(name, what, keys...), runKey: run}
}

// When returns the action, which matches and is listed only if on is true.
func (a Action[S]) When(on bool) Action[S] {
	a.SetEnabled(on)
	return a
}

// Listed returns the action, which is listed in footer and help only if on is true. Elsewhere it says why it can do nothing.
func (a Action[S]) Listed(on bool) Action[S] {
	if !on {
		a.SetHelp("", "")
	}
	return a
}

// Actions are the keys that do something on a screen now.
type Actions[S any] struct {
	Footer   []Action[S]          // also in the help, the most needed first
	Others   []Action[S]          // in the help alone
	Commands func() []key.Binding // what can be typed after a slash, in the help alone; nil: nothing
}

// Typed returns the key that begins text, which the screen inserts: footer and help name it, and no action matches it.
func Typed[S any](name, what string) Action[S] { return Action[S]{Binding: Label(name, what)} }

// A keyName is the name of a key press, made once: key.Matches asks for it with each binding, which is a twentieth of what a key
// costs the server.
type keyName string

func (n keyName) String() string { return string(n) }

// Find returns what a key does; ok is false if it does nothing.
func (k Actions[S]) Find(msg tea.KeyPressMsg) (run func(S, tea.KeyPressMsg) (S, tea.Cmd), ok bool) {
	name := keyName(msg.String())
	for _, actions := range [][]Action[S]{k.Footer, k.Others} {
		for _, a := range actions {
			switch {
			case a.run == nil && a.runKey == nil || !key.Matches(name, a.Binding):
			case a.runKey != nil:
				return a.runKey, true
			default:
				return func(s S, _ tea.KeyPressMsg) (S, tea.Cmd) { return a.run(s) }, true
			}
		}
	}
	return nil, false
}

// ShortHelp returns the keys of the footer.
func (k Actions[S]) ShortHelp() []key.Binding { return bindingsOf(k.Footer) }

// FullHelp returns the keys of the footer, the others, and the commands.
func (k Actions[S]) FullHelp() [][]key.Binding {
	groups := [][]key.Binding{bindingsOf(k.Footer), bindingsOf(k.Others)}
	if k.Commands != nil {
		groups = append(groups, k.Commands())
	}
	return groups
}

// bindingsOf returns the bindings of some actions.
func bindingsOf[S any](actions []Action[S]) []key.Binding {
	all := make([]key.Binding, len(actions))
	for i, a := range actions {
		all[i] = a.Binding
	}
	return all
}
