package command

import "ludoteca/sshapp/wording"

// A Limit is a limit of the club as operators see it.
type Limit struct {
	Name    string `json:"name" help:"the name of the limit, which is that of its flag of serve"`
	Value   string `json:"value" help:"the value that holds now"`
	Default string `json:"default" help:"the value without the flag"`
	Help    string `json:"help" help:"what the limit bounds"`
	Running bool   `json:"running" help:"whether limits can change it while the club runs"`
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
func (e *LimitError) Error() string { return e.words(wording.Words{}) }

// words says the problem in a sentence.
func (e *LimitError) words(say wording.Words) string {
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
