// Package worker lends the cores of a machine to a club, over one SSH session: both ends of the protocol.
//
// The machine connects to the club with a key that serve --worker names and runs the command "worker". Both sides then send JSON
// objects, one a line. The machine begins:
//
//	machine: {"hello":{"protocol":1,"version":"1.0.0","search":"5f0c...","cores":4}}
//	club:    {"welcome":{"version":"1.0.0"}}
//	club:    {"ask":{"id":1,"game":"tanks","start":"...","moves":["e2-e4"],"position":"...","level":"club","seed":7,"at_most_ms":5000}}
//	machine: {"answer":{"id":1,"move":"e7-e5","line":["e7-e5"],"value":12,"depth":4,"nodes":20000}}
//	club:    {"cancel":2}
//	machine: {"leaving":true}
//
// "search" is what Signature returns. The club refuses a machine with another one, with {"refused":{"words":"...","retry_s":0}}: it would
// find other moves. An answer to a cancelled question may come or not. A machine that is leaving gets no more questions, and ends the
// session when it has answered those that it has.
//
//	protocol.go   the lines
//	signature.go  by what two programs know that they search alike
//	club.go       the club's end
//	machine.go    the end of the machine that lends its cores
//	dial.go       how that one finds the club
package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"ludoteca/games"
)

// Command is what a machine runs at the club.
const Command = "worker"

// protocol is the version of the lines.
const protocol = 1

// MaxCores is how many cores one machine can lend.
const MaxCores = 256

// Bounds of lines, in bytes.
const (
	maxQuestion = 1 << 20
	maxAnswer   = 16 << 10
)

// A message is a line. One field is set.
type message struct {
	Hello   *hello   `json:"hello,omitempty"`
	Welcome *welcome `json:"welcome,omitempty"`
	Refused *refused `json:"refused,omitempty"`
	Ask     *ask     `json:"ask,omitempty"`
	Cancel  uint64   `json:"cancel,omitempty"` // the id of a question
	Answer  *answer  `json:"answer,omitempty"`
	Leaving bool     `json:"leaving,omitempty"`
}

type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program, for people
	Search   string `json:"search"`  // what Signature returns
	Cores    int    `json:"cores"`
}

type welcome struct {
	Version string `json:"version"`
}

// A refused is why the machine can't lend its cores.
type refused struct {
	Words string `json:"words"`
	Retry int    `json:"retry_s"` // after how many seconds it may try again; 0: that wouldn't help
}

// An ask is a thinking.Question.
type ask struct {
	ID       uint64       `json:"id"` // from 1 on
	Game     string       `json:"game"`
	Start    string       `json:"start"` // the position in one line
	Moves    []games.Move `json:"moves,omitempty"`
	Position string       `json:"position"` // after the moves, so that both sides mean the same one
	Level    string       `json:"level,omitempty"`
	Nodes    int          `json:"nodes,omitempty"`
	Seed     uint64       `json:"seed"`
	AtMost   int64        `json:"at_most_ms,omitempty"`
	Clock    *askClock    `json:"clock,omitempty"`
}

// An askClock is a bot.Clock. What is left counts from when the question comes.
type askClock struct {
	Left      int64 `json:"left_ms"`
	Increment int64 `json:"increment_ms,omitempty"`
	Ply       int   `json:"ply"`
}

// An answer is a bot.Thought.
type answer struct {
	ID     uint64       `json:"id"`
	Error  string       `json:"error,omitempty"` // why there is none
	Move   games.Move   `json:"move,omitempty"`
	Line   []games.Move `json:"line,omitempty"`
	Value  int          `json:"value,omitempty"`
	Plies  int          `json:"plies,omitempty"`
	Drawn  bool         `json:"drawn,omitempty"`
	Held   bool         `json:"held,omitempty"`
	Proven bool         `json:"proven,omitempty"`
	Depth  int          `json:"depth,omitempty"`
	Nodes  int          `json:"nodes,omitempty"`
}

// maxSentLine is how many moves of a line are sent, so that an answer isn't longer than maxAnswer.
const maxSentLine = 64

// A lineReader reads messages.
type lineReader struct {
	lines *bufio.Scanner
}

// newLineReader returns a reader of lines of at most limit bytes.
func newLineReader(from io.Reader, limit int) *lineReader {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4<<10), limit)
	return &lineReader{lines}
}

// errNoLine says that a line is no message.
var errNoLine = errors.New("a line that is no message")

// read returns the next message. The error is io.EOF after the last one, and wraps errNoLine for a line that is none.
func (r *lineReader) read() (message, error) {
	var m message
	if !r.lines.Scan() {
		if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			return m, fmt.Errorf("%w: it is too long", errNoLine)
		} else if err != nil {
			return m, err
		}
		return m, io.EOF
	}
	if err := json.Unmarshal(r.lines.Bytes(), &m); err != nil {
		return m, fmt.Errorf("%w: %w", errNoLine, err)
	}
	return m, nil
}

// line returns a message as a line.
func (m message) line() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // all fields can be written
	}
	return append(b, '\n')
}

func milliseconds(n int64) time.Duration {
	const most = int64(24 * time.Hour / time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond
}
