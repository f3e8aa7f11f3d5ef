package command

import (
	"cmp"
	"context"
	"io"
	"time"

	"ludoteca/games/lesson"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A Caller is the user who gives a command, as far as their connection identifies them.
type Caller struct {
	Fingerprint  string // of the key that signed; "" for a guest
	ConnectionID string // tells guests apart
	User         string // the SSH user name: a wish, used as a suggestion for a name
	Origin       origin.Origin
	Operator     bool
	Locale       wording.Words // the language of the client, for callers without an account

	current  *prompt.Match    // of a line mode; nil: there is none
	together *prompt.Together // of a line mode; nil: there is none
	search   *prompt.Search   // of a line mode; nil: there is none
	lounge   *prompt.Lounge   // of the line mode; nil: the caller is told nothing of it
	lessons  *firstLessons    // of a line mode; nil: there is none
	words    []string         // the command line where it has come apart already; nil: it is to be split

	Input io.ReadCloser // what a command reads; Close ends a blocked Read; nil: it can't read

	Lag     func() time.Duration // how long the line takes there and back; nil: it is not measured
	Dropped func() bool          // whether the line died; nil: it never does
	HangUp  func()               // ends the session of a client that doesn't read, and pending writes to it; nil: nothing does

	// Receive reads what the client sends after the command line, until ctx ends; nil: there is nothing to read, as in a line mode.
	Receive func(ctx context.Context, p []byte) (int, error)

	// SignUp makes an account, as accounts.Service does; nil is that itself.
	SignUp func(ctx context.Context, fingerprint, name string) (lobby.User, error)
}

// origin returns where the caller comes from, and always which person.
func (c Caller) origin() origin.Origin {
	from := c.Origin
	from.Person = cmp.Or(from.Person, c.Fingerprint, c.ConnectionID)
	return from
}

// hangUp is HangUp, if there is one.
func (c Caller) hangUp() {
	if c.HangUp != nil {
		c.HangUp()
	}
}

// dropped reports whether the line of the caller died.
func (c Caller) dropped() bool { return c.Dropped != nil && c.Dropped() }

// A boardVisit is a session of the line mode: its user is here, at the board of the match that was named last. nil is none.
type boardVisit struct{ visit *presence.Session }

// at records that the user is at the board of a match now.
func (v *boardVisit) at(id storage.MatchID) {
	if v != nil && v.visit != nil {
		v.visit.At(id)
	}
}

// enter makes a user present from now on. It does nothing for the zero User, or if a visit has begun already.
func (v *boardVisit) enter(l *lobby.Lobby, u lobby.User) {
	if v.visit == nil && u.ID != "" {
		v.visit = l.Presence.Visit(u, true)
	}
}

// typed records that the user has typed a line.
func (v *boardVisit) typed() {
	if v.visit != nil {
		v.visit.Pressed()
	}
}

// leave ends the visit.
func (v *boardVisit) leave(who Caller) {
	if v.visit != nil {
		v.visit.Leave(who.dropped())
	}
}

// A firstLessons is what the user of a line mode has solved of lessons since they began them without an account, until keepLessons notes it in one.
// Only the user's commands use it. nil forgets everything.
type firstLessons struct{ before learning.Lessons }

// solved notes that a user has solved the step of a run: in their account, or here as long as they have none.
func (f *firstLessons) solved(ctx context.Context, club *lobby.Lobby, who lobby.User, run lesson.Run) error {
	id := run.Game().About().ID
	if who.Kind.HasAccount() {
		return club.Learning.Solved(ctx, who, id, run.Number(), run.Finished())
	}
	if f != nil {
		f.before = f.before.With(id, learning.Lesson{Solved: run.Number(), Done: run.Finished()})
	}
	return nil
}
