package cast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/sshapp/terminal/canvas"
)

// A Size is the size of a cast in cells.
type Size struct{ Width, Height int }

// DefaultSize is the size that every terminal has.
var DefaultSize = Size{80, 24}

// The sizes that a cast may have: from the smallest window of the club to the largest canvas of a session.
const (
	minWidth, minHeight = 40, 20
	maxWidth, maxHeight = 240, 70
)

// ErrSize means that a size is malformed or out of range.
var ErrSize = errors.New("no size of a cast")

// ParseSize reads a size such as 80x24. The error is ErrSize.
func ParseSize(words string) (Size, error) {
	columns, rows, ok := strings.Cut(words, "x")
	width, errWidth := strconv.ParseUint(columns, 10, 16)
	height, errHeight := strconv.ParseUint(rows, 10, 16)
	if !ok || errWidth != nil || errHeight != nil || width < minWidth || width > maxWidth || height < minHeight || height > maxHeight {
		return Size{}, ErrSize
	}
	return Size{int(width), int(height)}, nil
}

// What a cast may cost. A longer match is shown with fewer of its moves, and a cast that reaches maxBytes goes on with its last board.
const (
	maxFrames = 1000
	maxBytes  = 4 << 20
)

// A header is the first line of an asciicast.
type header struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp,omitempty"`
	IdleLimit float64           `json:"idle_time_limit"`
	Title     string            `json:"title"`
	Env       map[string]string `json:"env"`
}

// Write writes the match as an asciicast of version 2.
func (m *Match) Write(w io.Writer, size Size) error {
	head := header{
		Version: 2, Width: size.Width, Height: size.Height, IdleLimit: mostWait.Seconds(), Title: m.Title(),
		Env: map[string]string{"TERM": "xterm-256color"},
	}
	if !m.view.Started.IsZero() {
		head.Timestamp = m.view.Started.Unix()
	}
	if err := writeLine(w, head); err != nil {
		return err
	}
	d := newScreenRows(size)
	begins := time.Duration(0)
	written := 0
	for _, ply := range m.shown() {
		if written > maxBytes && ply < m.Plies() {
			continue
		}
		frame := d.frame(func(c *canvas.Canvas) { m.Draw(c, ply) })
		written += len(frame)
		if err := writeLine(w, event(begins, frame)); err != nil {
			return err
		}
		if ply == m.Plies() {
			break
		}
		begins += m.Wait(ply)
	}
	return writeLine(w, event(begins+mostWait, "\x1b[m\x1b[?25h")) // time for the last board
}

// shown returns after how many moves the boards of a cast are drawn: each number if the match isn't too long, and always the last.
func (m *Match) shown() []int {
	every := max((m.Plies()+maxFrames-1)/maxFrames, 1)
	var plies []int
	for ply := 0; ply < m.Plies(); ply += every {
		plies = append(plies, ply)
	}
	return append(plies, m.Plies())
}

// event returns a line of output.
func event(at time.Duration, data string) []any {
	return []any{math.Round(at.Seconds()*1000) / 1000, "o", data}
}

// writeLine writes one value as a line of JSON.
func writeLine(w io.Writer, value any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("cast: %w", err)
	}
	_, err := w.Write(line.Bytes())
	return err
}

// A screenRows holds what a terminal shows, so that a frame holds only the rows that change.
type screenRows struct {
	now, shown *canvas.Canvas
	clusters   canvas.Clusters
	size       Size
	drawn      bool
}

func newScreenRows(size Size) *screenRows {
	return &screenRows{now: canvas.New(0, 0), shown: canvas.New(0, 0), size: size}
}

// frame returns what brings a terminal to what draw draws.
func (d *screenRows) frame(draw func(*canvas.Canvas)) string {
	var out strings.Builder
	if !d.drawn || d.clusters.Full() {
		d.clusters.Reset()
		d.shown.Reset(d.size.Width, d.size.Height, &d.clusters)
		d.drawn = true
		out.WriteString("\x1b[?25l\x1b[m\x1b[2J")
	}
	d.now.Reset(d.size.Width, d.size.Height, &d.clusters)
	draw(d.now)
	for y := range d.size.Height {
		if slices.Equal(d.now.Row(y), d.shown.Row(y)) {
			continue
		}
		fmt.Fprintf(&out, "\x1b[%dH%s\x1b[K", y+1, d.now.Sub(canvas.Area(0, y, d.size.Width, 1)).String())
	}
	d.now, d.shown = d.shown, d.now
	return out.String()
}
