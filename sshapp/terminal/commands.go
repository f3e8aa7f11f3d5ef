package terminal

import (
	"reflect"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// start runs a command by itself and brings the loop what it returns, as Bubble Tea does. Its goroutine belongs to the model: it
// ends when the command does, and nobody waits for it.
func (d *driver) start(cmd tea.Cmd) {
	if cmd != nil {
		go d.perform(cmd, d.startAll)
	}
}

func (d *driver) startAll(cmds []tea.Cmd) {
	for _, cmd := range cmds {
		d.start(cmd)
	}
}

// perform runs a command to its end; what it returns is a message for the loop or more commands, of which those of a batch
// are left to batch. A panic ends the session instead of the process.
func (d *driver) perform(cmd tea.Cmd, batch func([]tea.Cmd)) {
	defer d.rescue()
	msg := cmd()
	if msg == nil {
		return
	}
	if cmds, ok := msg.(tea.BatchMsg); ok {
		batch(cmds)
		return
	}
	cmds, ok := sequence(msg)
	if !ok {
		select {
		case d.msgs <- msg:
		case <-d.over:
		}
		return
	}
	for _, cmd := range cmds {
		if cmd != nil && d.cause() == nil {
			d.perform(cmd, d.performAll)
		}
	}
}

// performAll runs commands at the same time and waits for all.
func (d *driver) performAll(cmds []tea.Cmd) {
	var running sync.WaitGroup
	for _, cmd := range cmds {
		if cmd != nil {
			running.Go(func() { d.perform(cmd, d.performAll) })
		}
	}
	running.Wait()
}

// sequence returns the commands of a tea.Sequence. Bubble Tea's type for it has no name outside it.
func sequence(msg tea.Msg) (cmds []tea.Cmd, ok bool) {
	v := reflect.ValueOf(msg)
	if v.Type() != sequenceType {
		return nil, false
	}
	return v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd), true
}

var sequenceType = reflect.TypeOf(tea.Sequence(tea.Quit, tea.Quit)())

// rescue turns a panic into the session's end; after that nobody calls the model again. Call it deferred.
func (d *driver) rescue() {
	value := recover()
	if value == nil {
		return
	}
	err := &PanicError{Value: value, Stack: debug.Stack()}
	d.stats.Panics.Add(1)
	d.end(err)
	if d.options.OnPanic != nil {
		d.options.OnPanic(err)
	}
}

// Bell is a message that rings the terminal's bell with the next frame, once however many arrive before it. The driver takes it;
// models don't see it.
type Bell struct{}

// RingBell is a command that rings the terminal's bell.
func RingBell() tea.Msg { return Bell{} }
