package quick

import (
	"errors"

	"ludoteca/lobby/refusal"
	"ludoteca/storage/cluster"
)

// reasonLate is the reason of refusal.ErrMissedCall.
const reasonLate = "late"

// refusals are the reasons for which a person can't have a match, by their names in the rows of searches.
var refusals = []struct {
	name string
	err  error
}{
	{"too many", refusal.ErrTooMany},
	{"too fast", refusal.ErrTooFast},
	{"account closed", refusal.ErrAccountClosed},
	{"no account", refusal.ErrNoAccount},
	{"full", refusal.ErrFull},
	{"disk full", refusal.ErrDiskFull},
	{reasonLate, refusal.ErrMissedCall},
}

// refusalOf returns an error as other nodes read it; nil if it is none that ends a search at another node.
func refusalOf(err error) *cluster.Refusal {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			row := &cluster.Refusal{Reason: r.name}
			if fast, ok := errors.AsType[*refusal.TooFastError](err); ok {
				row.Wait = fast.Wait
			}
			return row
		}
	}
	return nil
}

// errorOf returns the error of a refusal.
func errorOf(row *cluster.Refusal) error {
	for _, r := range refusals {
		if r.name == row.Reason && r.err != refusal.ErrTooFast {
			return r.err
		}
	}
	return &refusal.TooFastError{Wait: row.Wait}
}
