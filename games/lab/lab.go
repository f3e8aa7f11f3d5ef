// Package lab is what the engine commands do: count leaves, replay games, let computer players meet and rate them. Each
// writes to a writer, for people or as one JSON object a line, and stops when its context is done.
package lab

import (
	"encoding/json"
	"errors"
	"io"
)

// ErrUsage is wrapped by errors about arguments that make no sense, as opposed to work that failed.
var ErrUsage = errors.New("wrong usage")

// newEncoder returns an encoder for one object a line, with moves as they are: plain JSON needs no escapes for "<".
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}
