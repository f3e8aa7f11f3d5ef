package command

import (
	"errors"
	"slices"
	"strings"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// A Limit is a limit of the club as operators see it.
type Limit struct {
	Name    string `json:"name"` // of the flag
	Value   string `json:"value"`
	Default string `json:"default"`
	Help    string `json:"help"`
	Running bool   `json:"running"` // it can be changed while the club runs
}

// Limits reads and changes the limits of a running club.
type Limits interface {
	// List returns all limits, in the order of serve --help.
	List() []Limit
	// Change changes a limit until the next start. It first calls note with the old limit and the new value; if note fails, the limit
	// stays as it was and Change returns that error. Other errors are a *LimitError or errors of the club.
	Change(name, value string, note func(was Limit, value string) error) error
}

// A LimitError says why a limit can't be what an operator wants.
type LimitError struct {
	Problem LimitProblem
	Name    string // of the limit
	Value   string // as it was given, of LimitValue
	Other   string // the default of LimitValue, the limit that LimitShort is too short for
}

// A LimitProblem is what is wrong with a change of a limit.
type LimitProblem int

// The problems of limits.
const (
	LimitUnknown LimitProblem = iota
	LimitHeld                 // it can't be changed while the club runs
	LimitValue                // the value is of another kind
	LimitZero                 // the value must be more than 0
	LimitShort                // the time is too short for another limit
)

// Error implements error, in English.
func (e *LimitError) Error() string { return e.words(text.Say{}) }

// words says the problem in a sentence.
func (e *LimitError) words(say text.Say) string {
	switch e.Problem {
	case LimitHeld:
		return say.T("%s can't be changed while the club runs. Give it to serve at the next start.", e.Name)
	case LimitValue:
		return say.T("%s can't be %q. Its default is %s.", e.Name, e.Value, e.Other)
	case LimitZero:
		return say.T("%s must be more than 0.", e.Name)
	case LimitShort:
		return say.T("%s is too short for %s.", e.Name, e.Other)
	}
	return say.T("There is no such limit. Without NAME=VALUE all are listed.")
}

// limits lists the limits, or changes one.
func limits(c *call, o *lobby.Operator, reason string) error {
	words := c.words
	all := c.runner.options.Limits
	if all == nil {
		return refusal{codeNotFound, c.say.T("This club has no limits that can be seen.")}
	}
	if len(words) == 0 {
		return listLimits(c, all.List())
	}
	name, value, ok := strings.Cut(words[0], "=")
	if !ok {
		return usageError{words: c.say.T("A change is NAME=VALUE.")}
	}
	var failed error
	var problem *LimitError
	err := all.Change(name, value, func(was Limit, value string) error {
		_, failed = o.Limit(c.ctx, was.Name+"="+value+" (was "+was.Value+")", reason)
		return failed
	})
	switch {
	case failed != nil:
		return failed
	case errors.As(err, &problem):
		return refusal{codeIllegal, problem.words(c.say)}
	case err != nil:
		return err
	case c.asJSON:
		return listLimits(c, slices.DeleteFunc(all.List(), func(l Limit) bool { return l.Name != name }))
	}
	return c.printf("%s\n", c.say.T("%s is %s from now on, until the next start of the club.", name, value))
}

func listLimits(c *call, all []Limit) error {
	var rows []string
	for _, l := range all {
		if c.asJSON {
			if err := c.json(l); err != nil {
				return err
			}
			continue
		}
		held := ""
		if !l.Running {
			held = c.say.T("at the next start")
		}
		rows = append(rows, l.Name+"\t"+l.Value+"\t"+l.Default+"\t"+held)
	}
	if c.asJSON {
		return nil
	}
	return c.table(append([]string{strings.Join([]string{c.say.T("LIMIT"), c.say.T("NOW"), c.say.T("DEFAULT"), c.say.T("CHANGES HOLD")}, "\t")}, rows...))
}
