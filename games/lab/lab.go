// Package lab is what the engine commands do: count leaves, replay games, let computer players meet and rate them. Each
// writes to a writer, for people or as one JSON object a line, and stops when its context is done.
package lab

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// ErrUsage is wrapped by errors about arguments that make no sense, as opposed to work that failed.
var ErrUsage = errors.New("wrong usage")

// newEncoder returns an encoder for one object a line, with moves as they are: plain JSON needs no escapes for "<".
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// ReplaceFile writes a file in one step, so that whoever reads it finds the old or the new one, never a part.
func ReplaceFile(name string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(content); err == nil {
		err = file.Chmod(0o644)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
