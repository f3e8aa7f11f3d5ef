package cli

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/lobby"
	"ludoteca/sshapp"
	"ludoteca/sshapp/command"
)

// heldSinceStart are the limits that matches and analyses have taken over when the club started. Changes hold from the next start on.
var heldSinceStart = []string{
	"away-guest", "match-burst", "match-every", "max-aborts", "abort-every",
}

// limitFlags are the limits of server and club, as flags.
func (s *settings) limitFlags() []sshapp.Flag { return append(s.limits.Flags(), s.clubLimits()...) }

// checkLimits says which limit can't be.
func (s *settings) checkLimits() error {
	for _, f := range s.clubLimits() {
		ok := true
		switch at := f.Ptr.(type) {
		case *int:
			ok = *at > 0
		case *time.Duration:
			ok = *at > 0
		}
		if !ok {
			return &sshapp.LimitError{Name: f.Name}
		}
	}
	return s.limits.Check()
}

// runningLimits owns the limits of a club that runs. The parts of the club get them as a whole with each change.
type runningLimits struct {
	apply func(sshapp.Limits, lobby.Limits) error

	mu  sync.Mutex // guards what follows
	now settings   // of which only the limits count
}

func newRunningLimits(s *settings, apply func(sshapp.Limits, lobby.Limits) error) *runningLimits {
	return &runningLimits{apply: apply, now: settings{limits: s.limits, club: s.club}}
}

// List returns all limits as they are now.
func (r *runningLimits) List() []command.Limit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return limitsOf(&r.now)
}

func limitsOf(s *settings) []command.Limit {
	usual := defaultSettings()
	defaults := usual.limitFlags()
	all := make([]command.Limit, 0, len(defaults))
	for i, f := range s.limitFlags() {
		all = append(all, command.Limit{
			Name: f.Name, Value: valueOf(f), Default: valueOf(defaults[i]), Help: f.Help, Running: !slices.Contains(heldSinceStart, f.Name),
		})
	}
	return all
}

// valueOf returns the value of a flag as the command line takes it.
func valueOf(f sshapp.Flag) string {
	switch at := f.Ptr.(type) {
	case *int:
		return fmt.Sprint(*at)
	case *bool:
		return fmt.Sprint(*at)
	case *time.Duration:
		return at.String()
	}
	return ""
}

// Change changes one limit, checked as at the start.
func (r *runningLimits) Change(name, value string, note func(was command.Limit, value string) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, was := range limitsOf(&r.now) {
		if was.Name != name {
			continue
		}
		if !was.Running {
			return &command.LimitError{Problem: command.LimitHeld, Name: name}
		}
		next := settings{limits: r.now.limits, club: r.now.club}
		flags := pflag.NewFlagSet("limits", pflag.ContinueOnError)
		declare(flags, next.limitFlags())
		if err := flags.Set(name, value); err != nil {
			return &command.LimitError{Problem: command.LimitValue, Name: name, Value: value, Other: was.Default}
		}
		if err := next.checkLimits(); err != nil {
			return inWords(err)
		}
		if err := note(was, flags.Lookup(name).Value.String()); err != nil {
			return err
		}
		if err := r.apply(next.limits, next.club); err != nil {
			return err
		}
		r.now = next
		return nil
	}
	return &command.LimitError{Problem: command.LimitUnknown, Name: name}
}

// inWords makes of an error of checkLimits one that operators are told in their language.
func inWords(err error) error {
	limit, ok := errors.AsType[*sshapp.LimitError](err)
	switch {
	case !ok:
		return err
	case limit.Short != "":
		return &command.LimitError{Problem: command.LimitShort, Name: limit.Name, Other: limit.Short}
	}
	return &command.LimitError{Problem: command.LimitZero, Name: limit.Name}
}
