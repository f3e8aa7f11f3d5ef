package presence

import (
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
)

// A departure is the end of the last session of a user.
type departure struct {
	at      time.Time // by the machine's clock; zero: they have only given commands
	event   time.Time // by the clock of events
	dropped bool
	command bool // event is a command, later than the end of their last session
}

// departures holds when users left whom a match concerns. The lock of the registry guards it.
type departures struct {
	opened time.Time // when the club opened, by the clock of events
	all    map[match.Key]departure
}

// seen records a command of a user who isn't connected, unless it was part of their last session. since is when the command began, by the
// machine's clock, and now the time of the event. It reports whether anything has changed.
func (ds *departures) seen(k match.Key, since, now time.Time) bool {
	d := ds.all[k]
	if !d.at.Before(since) {
		return false
	}
	d.event, d.dropped, d.command = now, true, true // nothing says that they have gone
	ds.all[k] = d
	return true
}

// add records a departure from another node, unless a later one is known.
func (ds *departures) add(k match.Key, d departure) {
	if known, ok := ds.all[k]; !ok || known.event.Before(d.event) {
		ds.all[k] = d
	}
}

// forget removes the departure of a user, and reports whether there was one.
func (ds *departures) forget(k match.Key) (known bool) {
	_, known = ds.all[k]
	delete(ds.all, k)
	return known
}

// presence returns since when a user is gone: since the club opened, if that is not known.
func (ds *departures) presence(k match.Key) atboard.Presence {
	d, known := ds.all[k]
	if !known {
		d = departure{event: ds.opened, dropped: true} // the program that ran before was stopped
	}
	return atboard.Presence{Near: atboard.Gone, Since: d.event, Dropped: d.dropped, Command: d.command}
}
