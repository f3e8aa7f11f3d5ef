package clock

import "time"

// A Class is a group of clocks under a name that players know: a match at any clock of a class takes about as long.
type Class string

// The classes. A Fischer clock belongs to one by what it gives a side for 40 moves, as on lichess.
const (
	NoClass   Class = ""          // without a clock
	Bullet    Class = "bullet"    // under 3 minutes
	Blitz     Class = "blitz"     // under 8 minutes
	Rapid     Class = "rapid"     // under 25 minutes
	Classical Class = "classical" // longer
	Days      Class = "days"      // days for each move
)

// Classes are all classes with a name, the fastest first.
var Classes = [...]Class{Bullet, Blitz, Rapid, Classical, Days}

// estimatedMoves is how many moves of each side the bounds of the classes count with.
const estimatedMoves = 40

// Class returns the class of a clock.
func (s Setting) Class() Class {
	switch s.Kind {
	case None:
		return NoClass
	case Correspondence:
		return Days
	}
	switch whole := s.Base + estimatedMoves*s.Increment; {
	case whole < 3*time.Minute:
		return Bullet
	case whole < 8*time.Minute:
		return Blitz
	case whole < 25*time.Minute:
		return Rapid
	}
	return Classical
}

// Usual returns the clock of a match between two players who accept any of a class.
func (c Class) Usual() Setting {
	switch c {
	case Bullet:
		return NewFischer(1, 0)
	case Blitz:
		return NewFischer(5, 3)
	case Rapid:
		return NewFischer(10, 5)
	case Classical:
		return NewFischer(30, 20)
	case Days:
		return NewCorrespondence(3)
	}
	return Setting{}
}

// ParseClass returns the class of a name; ok is false if there is none.
func ParseClass(name string) (c Class, ok bool) {
	for _, c := range Classes {
		if string(c) == name {
			return c, true
		}
	}
	return NoClass, false
}
