package terminal

import (
	"reflect"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// guarded makes a panic of cmd end the session instead of the process, with its value and stack for the log. Bubble Tea's own
// guard would print both to the server's terminal and lose them.
func (d *driver) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer d.rescue()
		return d.guardAll(cmd())
	}
}

// guardAll guards the commands inside a batch or a sequence. Bubble Tea's type for a sequence has no name outside it.
func (d *driver) guardAll(msg tea.Msg) tea.Msg {
	if batch, ok := msg.(tea.BatchMsg); ok {
		return tea.BatchMsg(d.guardEach(batch))
	}
	if v := reflect.ValueOf(msg); v.IsValid() && v.Type() == sequenceType {
		cmds := v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd)
		return tea.Sequence(d.guardEach(cmds)...)()
	}
	return msg
}

var sequenceType = reflect.TypeOf(tea.Sequence(tea.Quit, tea.Quit)())

func (d *driver) guardEach(cmds []tea.Cmd) []tea.Cmd {
	guarded := make([]tea.Cmd, len(cmds))
	for i, cmd := range cmds {
		guarded[i] = d.guarded(cmd)
	}
	return guarded
}

// rescue turns a panic into the session's end. Call it deferred.
func (d *driver) rescue() {
	value := recover()
	if value == nil {
		return
	}
	err := &PanicError{Value: value, Stack: debug.Stack()}
	d.stats.Panics.Add(1)
	d.end(err)
	if d.cause() != err && d.options.LatePanic != nil {
		d.options.LatePanic(err)
	}
}
