// Package moment reads the time at which people want an event to begin, and writes such times with their zone.
package moment

import (
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the zones are known on machines without a database of them too
	"unicode"
)

// A Moment is a time as it was typed.
type Moment struct {
	At   time.Time // in the zone that was typed
	Zone string    // the IANA name of that zone; "" if an offset from UTC, or a time from now, was typed
}

// errZone says that a name is none of a zone that all machines understand alike.
var errZone = errors.New("not the name of a time zone")

// longest bounds what Read takes.
const longest = 100

// layouts are the forms of a date and a time of day.
var layouts = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// zoned are the same with an offset from UTC.
var zoned = []string{
	time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00", "2006-01-02 15:04 -0700",
	"2006-01-02T15:04 Z07:00", "2006-01-02T15:04 -0700",
}

// Read reads a time: one from now (+30m, +2h30m), one with an offset (2026-12-04T20:00:00Z, 2026-12-04 20:00 +01:00), or a local one with
// the name of an IANA time zone (2026-12-04 20:00 Europe/Lisbon). A time from now begins with a whole second. ok is false for anything else:
// a time without a zone is none.
func Read(typed string, now time.Time) (m Moment, ok bool) {
	typed = strings.TrimSpace(typed)
	if len(typed) > longest {
		return Moment{}, false
	}
	if after, isFromNow := strings.CutPrefix(typed, "+"); isFromNow {
		d, err := time.ParseDuration(after)
		if err != nil || d < 0 {
			return Moment{}, false
		}
		at := now.UTC().Add(d)
		if whole := at.Truncate(time.Second); whole.Before(at) {
			at = whole.Add(time.Second)
		}
		return Moment{At: at}, true
	}
	for _, layout := range zoned {
		if at, err := time.Parse(layout, typed); err == nil {
			return Moment{At: at}, true
		}
	}
	space := strings.LastIndexByte(typed, ' ')
	if space < 0 {
		return Moment{}, false
	}
	zone, err := Zone(typed[space+1:])
	if err != nil {
		return Moment{}, false
	}
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, strings.TrimSpace(typed[:space]), zone); err == nil {
			return Moment{at, zone.String()}, true
		}
	}
	return Moment{}, false
}

// Zone returns the time zone of an IANA name, which may be in lower case. Its String is the name as IANA writes it. Names that mean the zone of the
// machine are refused.
func Zone(name string) (*time.Location, error) {
	if name == "" || strings.EqualFold(name, "local") || strings.Contains(name, "//") {
		return nil, errZone
	}
	if zone, err := time.LoadLocation(name); err == nil && strings.ContainsFunc(name, unicode.IsUpper) {
		return zone, nil // on some machines the file of a zone is found by a name in lower case too
	}
	if zone, err := time.LoadLocation(strings.ToUpper(name)); err == nil {
		return zone, nil // such as UTC and EST5EDT
	}
	return time.LoadLocation(capitalize(name))
}

// capitalize writes the words of a name of a zone as IANA writes nearly all of them: America/Port_of_Spain.
func capitalize(name string) string {
	all := []byte(strings.ToLower(name))
	begin := 0
	for i := range len(all) + 1 {
		if i < len(all) && !strings.ContainsRune("/_-", rune(all[i])) {
			continue
		}
		if word := string(all[begin:i]); word != "" && !slices.Contains([]string{"of", "es", "au"}, word) {
			all[begin] = strings.ToUpper(word[:1])[0]
		}
		begin = i + 1
	}
	return string(all)
}

// Chosen returns the name of the time zone that a player has typed; "" for UTC, which off and nothing mean too.
func Chosen(typed string) (name string, err error) {
	name = strings.TrimSpace(typed)
	switch strings.ToLower(name) {
	case "", "off", "utc":
		return "", nil
	}
	if len(name) > longest {
		return "", errZone
	}
	zone, err := Zone(name)
	if err != nil {
		return "", err
	}
	return zone.String(), nil
}

// String returns a time with its zone: as Read takes it.
func String(t time.Time, zone string) string {
	if at, err := Zone(zone); err == nil {
		return t.In(at).Format("2006-01-02 15:04 ") + zone
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}
