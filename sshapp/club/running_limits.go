package club

import (
	"errors"
	"slices"
	"sync"

	"github.com/spf13/pflag"

	"ludoteca/lobby"
	"ludoteca/sshapp"
	"ludoteca/sshapp/command"
)

// heldSinceStart are the limits that matches and analyses have taken over when the club started. Changes hold from the next start on.
var heldSinceStart = []string{
	"away-guest", "match-burst", "match-every", "max-aborts", "abort-every",
}

// runningLimits owns the limits of a club that runs. The parts of the club get them as a whole with each change.
type runningLimits struct {
	apply func(sshapp.Limits, lobby.Limits) error

	mu  sync.Mutex // guards what follows
	now Config     // of which only the limits count
}

func newRunningLimits(s *Config, apply func(sshapp.Limits, lobby.Limits) error) *runningLimits {
	return &runningLimits{apply: apply, now: Config{Limits: s.Limits, ClubLimits: s.ClubLimits}}
}

// List returns all limits as they are now.
func (r *runningLimits) List() []command.Limit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return limitsOf(&r.now)
}

func limitsOf(s *Config) (all []command.Limit) {
	usual := DefaultConfig()
	defaults, now := pflag.NewFlagSet("defaults", pflag.ContinueOnError), pflag.NewFlagSet("limits", pflag.ContinueOnError)
	usual.addLimits(defaults)
	s.addLimits(now)
	now.VisitAll(func(f *pflag.Flag) {
		all = append(all, command.Limit{
			Name: f.Name, Value: f.Value.String(), Default: defaults.Lookup(f.Name).DefValue, Help: f.Usage, Running: !slices.Contains(heldSinceStart, f.Name),
		})
	})
	return all
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
		next := Config{Limits: r.now.Limits, ClubLimits: r.now.ClubLimits}
		flags := pflag.NewFlagSet("limits", pflag.ContinueOnError)
		next.addLimits(flags)
		if err := flags.Set(name, value); err != nil {
			return &command.LimitError{Problem: command.LimitValue, Name: name, Value: value, Other: was.Default}
		}
		if err := next.checkLimits(); err != nil {
			return inWords(err)
		}
		if err := note(was, flags.Lookup(name).Value.String()); err != nil {
			return err
		}
		if err := r.apply(next.Limits, next.ClubLimits); err != nil {
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
