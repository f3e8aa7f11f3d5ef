package lab

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"ludoteca/games"
)

// ErrResume is wrapped by errors about a file of finished games that can't be resumed.
var ErrResume = errors.New("can't resume")

// A journal is the file of a meeting's finished games: a line that says which meeting it is, then a line for each game,
// all JSON. A line is written by one call, so only the last one can be torn; it is dropped then.
type journal struct {
	file  *os.File
	m     *Meeting
	lines int // read so far
}

// journalHead is the first line: all that the games follow from. How many are played is left out, so that a meeting may
// be made longer.
type journalHead struct {
	Game            string        `json:"game"`
	Options         games.Options `json:"options"`
	First           string        `json:"first"`
	Second          string        `json:"second"`
	Seed            uint64        `json:"seed"`
	Openings        int           `json:"openings"`
	MoveTimeSeconds float64       `json:"movetime_seconds"`
	Clock           string        `json:"clock,omitempty"`
	Positions       string        `json:"positions,omitempty"` // a checksum
}

// journalLine is a finished game. First and Second are the players by their sides in this game, not by their order in the meeting.
// The moves are in the form that the command replay reads.
type journalLine struct {
	Index  int    `json:"game_index"`
	First  string `json:"first"`
	Second string `json:"second"`
	Result string `json:"result"` // empty if the game was cut off
	Reason string `json:"reason"`
	Moves  string `json:"moves"`
	From   string `json:"from,omitempty"` // the position that the moves begin from, if it is not the start of the game
}

// openJournal opens or creates the file, locks it, and returns the games of this meeting that it has. All errors wrap
// ErrResume.
func openJournal(path string, m *Meeting) (*journal, []game, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrResume, err)
	}
	j := &journal{file: file, m: m}
	finished, err := j.read()
	if err != nil {
		_ = file.Close()
		return nil, nil, fmt.Errorf("%w from %s: %w", ErrResume, path, err)
	}
	return j, finished, nil
}

// Close closes the file.
func (j *journal) Close() error { return j.file.Close() }

// append adds a game.
func (j *journal) append(g game) error {
	moves := make([]string, len(g.moves))
	for i, m := range g.moves {
		moves[i] = string(m)
	}
	line := j.lineOf(g.index)
	line.Result, line.Reason, line.Moves = g.result.String(), g.result.Reason, strings.Join(moves, " ")
	if n := len(j.m.Positions); n > 0 {
		line.From = j.m.Positions[g.index/2%n]
	}
	return j.write(line)
}

// lineOf returns the line of a game before it is played.
func (j *journal) lineOf(index int) journalLine {
	return journalLine{Index: index, First: j.m.Players[index%2], Second: j.m.Players[1-index%2]}
}

func (j *journal) head() journalHead {
	m := j.m
	return journalHead{
		m.Game.About().ID, m.Options, m.Players[0], m.Players[1], m.Seed, m.Openings, m.MoveTime.Seconds(), m.Clock.String(), checksum(m.Positions),
	}
}

// checksum returns one of texts, "" if there are none.
func checksum(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return hex.EncodeToString(sum[:])
}

func (j *journal) write(v any) error {
	line, err := encoded(v)
	if err == nil {
		_, err = j.file.Write(line)
	}
	if err != nil {
		return fmt.Errorf("write the game down: %w", err)
	}
	return nil
}

// encoded returns a value as a line.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	err := newEncoder(&b).Encode(v)
	return b.Bytes(), err
}

// read returns the games in the file, drops a torn last line, and writes the head if there is none.
func (j *journal) read() ([]game, error) {
	if err := lock(j.file); err != nil {
		return nil, errors.New("another arena is writing to it")
	}
	want, err := encoded(j.head())
	if err != nil {
		return nil, err
	}
	var (
		in       = bufio.NewReader(j.file)
		whole    int64 // bytes of whole lines
		finished []game
		seen     = map[int]bool{}
	)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return finished, j.mend(line, want, whole)
		}
		if err != nil {
			return nil, err
		}
		whole += int64(len(line))
		j.lines++
		if j.lines == 1 {
			if err := same(line, want); err != nil {
				return nil, err
			}
			continue
		}
		g, err := j.parse(line)
		if err == nil && seen[g.index] {
			err = fmt.Errorf("game %d is there twice", g.index)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", j.lines, err)
		}
		seen[g.index] = true
		if g.index < j.m.Games {
			finished = append(finished, g)
		}
	}
}

// mend cuts rest, the part after the last whole line, off the file, and writes the head if there is none.
func (j *journal) mend(rest, head []byte, whole int64) error {
	if j.lines == 0 && !bytes.HasPrefix(head, rest) {
		return errors.New("it is no file of finished games")
	}
	if len(rest) > 0 {
		if err := j.file.Truncate(whole); err != nil {
			return err
		}
	}
	if j.lines > 0 {
		return nil
	}
	_, err := j.file.Write(head)
	return err
}

// same says how the head of a file differs from the one wanted.
func same(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	there, here := map[string]any{}, map[string]any{}
	if json.Unmarshal(got, &there) != nil || json.Unmarshal(want, &here) != nil {
		return errors.New("it is no file of finished games")
	}
	for _, key := range slices.Sorted(maps.Keys(here)) {
		if a, b := fmt.Sprint(there[key]), fmt.Sprint(here[key]); a != b {
			return fmt.Errorf("it is of another meeting, whose %s is %.100s, not %s", key, a, b)
		}
	}
	return errors.New("it is of another meeting")
}

// parse reads a line. The moves are for people and other programs; here only the result counts.
func (j *journal) parse(text []byte) (game, error) {
	var line journalLine
	if err := json.Unmarshal(text, &line); err != nil {
		return game{}, errors.New("it is no finished game")
	}
	if line.Index < 0 || line.Index >= MaxArenaGames {
		return game{}, fmt.Errorf("there can't be a game %d", line.Index)
	}
	if want := j.lineOf(line.Index); line.First != want.First || line.Second != want.Second {
		return game{}, fmt.Errorf("game %d is one of others", line.Index)
	}
	g := game{index: line.Index}
	switch line.Result {
	case "":
	case games.First.String():
		g.result = games.Won(games.First, line.Reason)
	case games.Second.String():
		g.result = games.Won(games.Second, line.Reason)
	case "draw":
		g.result = games.Drawn(line.Reason)
	default:
		return game{}, fmt.Errorf("game %d has the result %.40q", line.Index, line.Result)
	}
	return g, nil
}
