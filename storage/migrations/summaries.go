package migrations

import (
	"encoding/binary"
	"maps"
	"slices"
)

// A summary of version 5 is bytes: flags, who opened the match, whose turn it is, the open offers; then numbers as varints, times in milliseconds
// since 1970, and texts after their length. Versions 3 and 4 had no offers. Versions 1 and 2 were JSON, and version 1 had no clocks.
const (
	summaryRated = 1 << iota
	summaryPublic
	summaryStarted
	summaryThinking
	summaryFirstMoved
	summarySecondMoved
	summaryTerms // from version 4 on
	summaryFrom  // from version 4 on
)

// occupantKinds are the kinds of occupants by the byte that is written for them.
var occupantKinds = []string{"", "player", "guest", "bot"}

// A summary is the JSON form.
type summary struct {
	Seq       uint64  `json:"n"`
	At        int64   `json:"t"`
	Opening   opening `json:"o"`
	Opener    uint8   `json:"p"`
	Opened    int64   `json:"b"`
	Started   *int64  `json:"s"`
	Given     int     `json:"g"`
	Plies     int     `json:"m"`
	Turn      uint8   `json:"w"`
	Hints     int     `json:"h"`
	Takebacks int     `json:"k"`
	Clock     *struct {
		Left  [2]int64 `json:"l"`
		Since *int64   `json:"s"`
		Moved [2]bool  `json:"m"`
	} `json:"c"`
}

// rewriteSummary rewrites the summary of a match that goes on. One without a value has yet to be made.
func rewriteSummary(value []byte) ([]byte, error) {
	if len(value) == 0 {
		return value, nil
	}
	version, content, err := unseal(value, 5)
	switch {
	case err != nil || version == 5:
		return value, err
	case version < 3:
		return summaryOfJSON(version, content)
	case len(content) < 3 || version < 4 && content[0]&(summaryTerms|summaryFrom) != 0:
		return nil, damaged("a summary of %d bytes", len(content))
	}
	return seal(5, slices.Concat(content[:3], []byte{0}, content[3:])), nil
}

// summaryOfJSON rewrites a summary of version 1 or 2.
func summaryOfJSON(version int, content []byte) ([]byte, error) {
	var j summary
	if err := parseJSON(content, &j); err != nil {
		return nil, err
	}
	o, c := j.Opening, j.Clock
	if (c != nil) != (o.Clock != "") || c != nil && version < 2 || len(o.Moves) > 0 || o.Range != [2]int{} || o.Wait != 0 || o.From != "" ||
		min(j.Given, j.Plies, j.Hints, j.Takebacks) < 0 || c != nil && min(c.Left[0], c.Left[1]) < 0 {
		return nil, damaged("a summary that makes no sense")
	}
	var flags byte
	for flag, set := range map[byte]bool{
		summaryRated: o.Rated, summaryPublic: o.Public, summaryStarted: j.Started != nil, summaryThinking: c != nil && c.Since != nil,
		summaryFirstMoved: c != nil && c.Moved[0], summarySecondMoved: c != nil && c.Moved[1],
	} {
		if set {
			flags |= flag
		}
	}
	b := []byte{flags, j.Opener, j.Turn, 0}
	b = binary.AppendVarint(binary.AppendVarint(b, j.At), j.Opened)
	if j.Started != nil {
		b = binary.AppendVarint(b, *j.Started)
	}
	b = binary.AppendUvarint(b, j.Seq)
	for _, n := range []int{j.Given, j.Plies, j.Hints, j.Takebacks} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, text := range []string{o.Code, o.Game, o.RematchOf, o.Clock} {
		b = appendText(b, text)
	}
	if c != nil {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(c.Left[0])), uint64(c.Left[1]))
		if c.Since != nil {
			b = binary.AppendVarint(b, *c.Since)
		}
	}
	for _, who := range []occupant{o.First, o.Second, o.Reserved, o.By} {
		kind := slices.Index(occupantKinds, who.Kind)
		if kind < 0 || kind == 0 && who != (occupant{}) {
			return nil, damaged("an occupant of kind %q", who.Kind)
		}
		if b = append(b, byte(kind)); kind > 0 {
			b = appendText(appendText(b, who.ID), who.Name)
		}
	}
	var options []byte
	for _, key := range slices.Sorted(maps.Keys(o.Options)) {
		options = binary.AppendVarint(appendText(options, key), int64(o.Options[key]))
	}
	return seal(5, appendText(b, string(options))), nil
}

// appendText appends a text after its length.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
