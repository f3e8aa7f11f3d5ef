package command

import (
	"slices"
	"strings"

	"ludoteca/lobby"
)

// A Limit is a limit of the club as operators see it.
type Limit struct {
	Name    string `json:"name"` // of the flag
	Value   string `json:"value"`
	Default string `json:"default"`
	Help    string `json:"help"`
	Running bool   `json:"running"` // it can be changed while the club runs
}

// Limits are those of the club, seen and changed while it runs.
type Limits interface {
	// List returns all limits, in the order of serve --help.
	List() []Limit
	// Change changes a limit for everything that comes after, until the next start. note is called before, with the limit as it was
	// and its new value; its error leaves the limit as it was. Other errors say in a sentence what can't be.
	Change(name, value string, note func(was Limit, value string) error) error
}

// limits lists the limits, or changes one.
func limits(c *call, o *lobby.Operator, words []string) error {
	all := c.runner.options.Limits
	if all == nil {
		return refusal{c.say.T("This club has no limits that can be seen.")}
	}
	if len(words) == 0 {
		return listLimits(c, all.List())
	}
	name, value, ok := strings.Cut(words[0], "=")
	if !ok {
		return usageError{c.say.T("A change is NAME=VALUE.")}
	}
	var failed error
	err := all.Change(name, value, func(was Limit, value string) error {
		_, failed = o.Limit(c.ctx, was.Name+"="+value+" (was "+was.Value+")", c.flags.reason)
		return failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return refusal{err.Error() + "."}
	case c.flags.json:
		return listLimits(c, slices.DeleteFunc(all.List(), func(l Limit) bool { return l.Name != name }))
	}
	return c.printf("%s\n", c.say.T("%s is %s from now on, until the next start of the club.", name, value))
}

func listLimits(c *call, all []Limit) error {
	var rows []string
	for _, l := range all {
		if c.flags.json {
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
	if c.flags.json {
		return nil
	}
	return c.table(append([]string{strings.Join([]string{c.say.T("LIMIT"), c.say.T("NOW"), c.say.T("DEFAULT"), c.say.T("CHANGES HOLD")}, "\t")}, rows...))
}
