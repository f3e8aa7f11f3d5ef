package widget

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Bind returns a binding of some keys. name is their name in footer and help, and what describes their effect, both in English.
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

// AppendShown appends the bindings that Shown returns for the groups to all, without names that all has already. It doesn't allocate if all
// has room for them, as in the footer, which is drawn with every key.
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

// An Action is a key of a screen of type S with its effect. Actions are made once, for all sessions; their functions get the screen when a
// key comes or the footer is drawn. Making them anew for each key was a third of the cost of a key.
type Action[S any] struct {
	binding key.Binding
	run     func(S, tea.KeyPressMsg) (S, tea.Cmd) // nil: it is only named
	when    func(S) bool                          // nil: always
	listed  func(S) bool                          // nil: always
	what    func(S) string                        // nil: as the binding says
}

// On returns the action of some keys. name is their name in footer and help; keys without a name aren't listed there. name and what
// are English sentences marked by text.T.
func On[S any](name, what string, run func(S) (S, tea.Cmd), keys ...string) Action[S] {
	return OnKey(name, what, func(s S, _ tea.KeyPressMsg) (S, tea.Cmd) { return run(s) }, keys...)
}

// OnKey is On for keys that do different things.
func OnKey[S any](name, what string, run func(S, tea.KeyPressMsg) (S, tea.Cmd), keys ...string) Action[S] {
	return Action[S]{binding: Bind(name, what, keys...), run: run}
}

// Typed returns an action for footer and help alone. It names a key that begins text, and matches no key: the screen inserts the text.
func Typed[S any](name, what string) Action[S] { return Action[S]{binding: Label(name, what)} }

// When returns the action limited to screens for which on returns true: elsewhere it neither matches nor is listed.
func (a Action[S]) When(on func(S) bool) Action[S] {
	a.when = on
	return a
}

// Listed returns the action with a condition for its place in footer and help. Elsewhere its key still works, and says why it has no effect.
func (a Action[S]) Listed(on func(S) bool) Action[S] {
	a.listed = on
	return a
}

// Doing returns the action with a function for its description.
func (a Action[S]) Doing(what func(S) string) Action[S] {
	a.what = what
	return a
}

// Actions holds the keys of a screen.
type Actions[S any] struct {
	Footer   []Action[S]           // also in the help, the most needed first
	Others   []Action[S]           // in the help alone
	Commands func(S) []key.Binding // what can be typed after a slash, in the help alone; nil: nothing
}

// Find returns the effect of a key on a screen. ok is false if it has none.
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
