package storage

import (
	"fmt"
	"time"

	"ludoteca/games"
)

// eventJSON is a stored event. Its number is in the key, its version in the seal. Version 2 added Plies, and Moves in the
// opening.
type eventJSON struct {
	Kind    Kind       `json:"k"`
	Seat    Seat       `json:"s,omitempty"`
	At      int64      `json:"t"`           // milliseconds since 1970
	Lag     int64      `json:"l,omitempty"` // milliseconds
	Opening *Opening   `json:"o,omitempty"`
	Who     Occupant   `json:"w,omitzero"`
	Move    games.Move `json:"m,omitempty"`
	Plies   int        `json:"b,omitempty"`
	Offer   string     `json:"q,omitempty"`
	Yes     bool       `json:"y,omitempty"`
	Result  string     `json:"r,omitempty"`
	Reason  string     `json:"e,omitempty"`
}

// encodeEvent returns the stored form of an event. The error is ErrInvalid for one that would not come back as it is.
func encodeEvent(e Event) ([]byte, error) {
	if err := checkEvent(e); err != nil {
		return nil, err
	}
	if e.Version != EventVersion {
		return nil, fmt.Errorf("%w: event %d has version %d", ErrInvalid, e.Seq, e.Version)
	}
	return sealJSON(EventVersion, eventJSON{
		Kind: e.Kind, Seat: e.Seat, At: e.At.UnixMilli(), Lag: e.Lag.Milliseconds(), Opening: e.Opening, Who: e.Who,
		Move: e.Move, Plies: e.Plies, Offer: e.Offer, Yes: e.Yes, Result: e.Result, Reason: e.Reason,
	})
}

// decodeEvent reads the stored form of event number seq. The error is ErrDamaged for anything but what encodeEvent
// writes.
func decodeEvent(seq uint64, value []byte) (Event, error) {
	version, content, err := unseal(value, EventVersion)
	if err != nil {
		return Event{}, err
	}
	var j eventJSON
	if err := parseJSON(content, &j); err != nil {
		return Event{}, err
	}
	e := Event{
		Seq: seq, Version: version, Kind: j.Kind, Seat: j.Seat, At: fromMS(j.At), Lag: time.Duration(j.Lag) * time.Millisecond,
		Opening: j.Opening, Who: j.Who, Move: j.Move, Plies: j.Plies, Offer: j.Offer, Yes: j.Yes, Result: j.Result,
		Reason: j.Reason,
	}
	if err := checkEvent(e); err != nil || e.Lag.Milliseconds() != j.Lag || e.At.UnixMilli() != j.At {
		return Event{}, fmt.Errorf("%w: event %d makes no sense", ErrDamaged, seq)
	}
	return e, nil
}

// checkEvent refuses an event that breaks what its type promises.
func checkEvent(e Event) error {
	switch {
	case e.Seq == 0:
		return fmt.Errorf("%w: an event without a number", ErrInvalid)
	case !known(e.Kind) || e.Version < sinceVersion(e):
		return fmt.Errorf("%w: event %d is of kind %q", ErrInvalid, e.Seq, e.Kind)
	case (e.Kind == Opened) != (e.Seq == 1) || (e.Kind == Opened) != (e.Opening != nil):
		return fmt.Errorf("%w: event %d is %s", ErrInvalid, e.Seq, e.Kind)
	case e.Seat > SecondSeat:
		return fmt.Errorf("%w: event %d has seat %d", ErrInvalid, e.Seq, e.Seat)
	case !fromMS(e.At.UnixMilli()).Equal(e.At) || e.Lag%time.Millisecond != 0:
		return fmt.Errorf("%w: event %d has a time that is not in whole milliseconds", ErrInvalid, e.Seq)
	case e.Plies < 0 || (e.Kind == TakenBack) != (e.Plies > 0):
		return fmt.Errorf("%w: event %d is %s by %d plies", ErrInvalid, e.Seq, e.Kind, e.Plies)
	case e.Kind == Ended && !decided(e.Result) && e.Result != "":
		return fmt.Errorf("%w: event %d has the result %q", ErrInvalid, e.Seq, e.Result)
	}
	if o := e.Opening; o != nil {
		if err := checkText(o.Code, o.Game, string(o.RematchOf)); err != nil {
			return err
		}
		if err := checkOccupants(o.First, o.Second, o.Reserved); err != nil {
			return err
		}
		if err := checkOptions(o.Options); err != nil {
			return err
		}
		for _, m := range o.Moves {
			if err := checkText(string(m)); err != nil {
				return err
			}
		}
	}
	if err := checkOccupants(e.Who); err != nil {
		return err
	}
	return checkText(string(e.Move), e.Offer, e.Result, e.Reason)
}

func checkOccupants(occupants ...Occupant) error {
	for _, o := range occupants {
		if err := checkText(string(o.Kind), o.ID, o.Name); err != nil {
			return err
		}
	}
	return nil
}

func checkOptions(o games.Options) error {
	for key := range o {
		if err := checkText(key); err != nil {
			return err
		}
	}
	return nil
}

func known(k Kind) bool {
	switch k {
	case Opened, Joined, Moved, TakenBack, Helped, Offered, Answered, Resigned, Flagged, Ended:
		return true
	}
	return false
}

// sinceVersion is the first version that knew what an event says.
func sinceVersion(e Event) int {
	if e.Kind == TakenBack || e.Kind == Helped || e.Opening != nil && len(e.Opening.Moves) > 0 {
		return 2
	}
	return 1
}

// decided says whether a result is one that a match can have; "" is a void match.
func decided(result string) bool { return result == "first" || result == "second" || result == "draw" }
