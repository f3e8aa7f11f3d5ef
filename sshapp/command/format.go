package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// stamp is a time as every program of the club prints it: "" while it has not come.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// jsonTime is a time in JSON: null while it has not come.
func jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

// day is a time in a table for people.
func day(say wording.Words, t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return say.Minute(t)
}

// date is a time in a table for people that is kept to the day alone.
func date(say wording.Words, t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return say.Date(t)
}

// shownName is an occupant in a table for people.
func shownName(say wording.Words, o storage.Occupant) string {
	switch o.Kind {
	case storage.Free:
		return say.T("nobody yet")
	case storage.Bot:
		return say.T("%s (bot)", o.Name)
	default:
		return say.Occupant(o)
	}
}

// shownRating is a rating in a table, with a question mark while it is provisional.
func shownRating(rating float64, provisional bool) string {
	mark := ""
	if provisional {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s", rating, mark)
}

// token is a result as records write it.
func token(result string) string {
	switch result {
	case "first":
		return games.TokenFirst
	case "second":
		return games.TokenSecond
	case "draw":
		return games.TokenDraw
	}
	return games.TokenNone
}

// encode makes the line of an object.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// written returns what write writes, without the line feed at the end.
func written(write func(io.Writer) error) (string, error) {
	var b strings.Builder
	err := write(&b)
	return strings.TrimSuffix(b.String(), "\n"), err
}
