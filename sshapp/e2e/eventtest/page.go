// Package eventtest checks what clients were shown of an event: against the rules of events, against what other clients were shown, and against
// the history and the leaderboard of the club.
//
// A test gives a Record all that its clients are shown while the event goes on, and at the end what each of them reads. The checks know nothing of
// the program: they count from the pairings alone.
//
//	page.go          what the club prints of an event, and of matches
//	shown.go         what clients were shown while the event went on
//	read_at_end.go   what they read after its end
//	recount.go       points, counted from the pairings
package eventtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// A Page is an event as event show --json prints it.
type Page struct {
	Code     string
	Name     string
	Kind     string
	State    string
	Winner   string
	Rated    bool
	Begins   time.Time
	Ends     time.Time // zero: not known yet
	Standing []Place
	Pairings []Pairing
}

// The states of an event that has begun.
const (
	Running = "running"
	Over    = "over"
)

// A Place is a place in the standing of an event.
type Place struct {
	Rank      int
	Name      string
	Points    float64
	Tiebreaks []float64
	Streak    int
	Paused    bool
	Withdrawn bool
}

// A Pairing is a pairing of an event.
type Pairing struct {
	Round  int
	Board  int
	First  string
	Second string // "": a bye
	Match  string // id of the match; "": there is none
	Code   string // of the match while it goes on
	Result string // first, second or draw; "" while the match goes on, and for a bye
}

// Of reports whether an entrant is in the pairing.
func (p Pairing) Of(name string) bool { return p.First == name || p.Second == name }

// GoesOn reports whether the match of the pairing is not decided.
func (p Pairing) GoesOn() bool { return p.Match != "" && p.Result == "" }

// Playing returns the pairing of an entrant whose match goes on.
func (p Page) Playing(name string) (Pairing, bool) {
	for i := len(p.Pairings) - 1; i >= 0; i-- {
		if of := p.Pairings[i]; of.GoesOn() && of.Of(name) {
			return of, true
		}
	}
	return Pairing{}, false
}

// decided counts the pairings that are decided.
func (p Page) decided() (n int) {
	for _, of := range p.Pairings {
		if !of.GoesOn() {
			n++
		}
	}
	return n
}

// A Match is a match as history --json and matches --json print it.
type Match struct {
	ID      string
	First   string
	Second  string
	Result  string
	Reason  string
	Plies   int
	Rated   bool
	Started time.Time
	Ended   time.Time // zero: not yet

	Weight   *struct{ First, Second float64 } // for the ratings of each side; nil: unrated, or not over
	Discount *struct{ First, Second string }  // why not fully
}

// discounted reports whether a match counts for nothing in the ratings of one of its players, for a reason that it gives.
func (m Match) discounted(name string) bool {
	switch {
	case m.Weight == nil || m.Discount == nil:
		return false
	case name == m.First:
		return m.Weight.First == 0 && m.Discount.First != ""
	}
	return m.Weight.Second == 0 && m.Discount.Second != ""
}

// A Leader is a line of a leaderboard.
type Leader struct {
	Name   string
	Played int
	Won    int
	Drawn  int
	Lost   int
}

// ReadLines reads what a command printed with --json: an object a line.
func ReadLines[T any](out []byte) (all []T, err error) {
	for line := range bytes.Lines(out) {
		var one T
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		all = append(all, one)
	}
	return all, nil
}
