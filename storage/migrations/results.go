package migrations

import (
	"encoding/binary"
	"encoding/json"
	"math"
)

// A result is the stored form of a rated match, of any version.
type result struct {
	Match   string       `json:"m"`
	Game    string       `json:"g"`
	First   string       `json:"f"`
	Second  string       `json:"s"`
	Result  string       `json:"r"`
	Ended   int64        `json:"t"`
	Since   [2]int64     `json:"a,omitzero"`  // from version 2 on
	Moves   string       `json:"l,omitempty"` // from version 3 on
	Known   *[2]opponent `json:"k,omitempty"` // from version 4 on
	Settled int          `json:"e,omitempty"` // from version 4 on
	Rules   int          `json:"u,omitempty"` // by which it counts. From version 5 on; before that they were the version
}

// An opponent is what a result says of a player's opponent.
type opponent struct {
	SameBlock    bool `json:"b,omitempty"`
	Block        int  `json:"n,omitempty"`
	Lost         int  `json:"l,omitempty"`
	LostTo       int  `json:"t,omitempty"`
	LostToOthers int  `json:"o,omitempty"`
	Senior       bool `json:"s,omitempty"`
}

// readResult reads a result of version 1 to 5.
func readResult(value []byte) (r result, err error) {
	version, content, err := unseal(value, 5)
	if err != nil {
		return r, err
	}
	if err := parseJSON(content, &r); err != nil {
		return r, err
	}
	if r.Result != "first" && r.Result != "second" && r.Result != "draw" {
		return r, damaged("the result %q", r.Result)
	}
	if version < 5 {
		r.Rules = version
	}
	return r, nil
}

// rewriteResult rewrites a result. Version 5 says by which rules it counts.
func rewriteResult(value []byte) ([]byte, error) {
	if version, _, err := unseal(value, 5); err != nil || version == 5 {
		return value, err
	}
	r, err := readResult(value)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return seal(5, content), nil
}

// noOpponents is what version 2 of a rating, and version 3 of a change, say at the end of a rating that needs no opponents for a rank and has none:
// how many, of how many blocks, and flags.
const noOpponents = "\x00\x00\x00"

// rewriteRating rewrites a rating. Version 1 is what all versions begin with.
func rewriteRating(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 2)
	if err != nil || version == 2 {
		return value, err
	}
	return seal(2, append(content[:len(content):len(content)], noOpponents...)), nil
}

// rewriteChanges rewrites the changes of two ratings by a result. Version 1 has the ratings before and after; version 2 adds weights and reasons,
// which are 1 and none before; version 3 adds the opponents of each rating.
func rewriteChanges(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 3)
	if err != nil || version == 3 {
		return value, err
	}
	b := content[:len(content):len(content)]
	if version == 1 {
		for range 2 {
			b = append(binary.BigEndian.AppendUint64(b, math.Float64bits(1)), 0)
		}
	}
	for range 4 {
		b = append(b, noOpponents...)
	}
	return seal(3, b), nil
}

// A recentMatch is a rated match that counted.
type recentMatch struct {
	Ended   int64  `json:"t"`
	Game    string `json:"g"`
	Against string `json:"p"`
}

// rewriteRecentMatches rewrites what is kept of a player for the results to come. Version 1 is the matches of a day alone.
func rewriteRecentMatches(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 2)
	if err != nil || version == 2 {
		return value, err
	}
	var j struct {
		Day []recentMatch `json:"day,omitempty"`
	}
	if err := parseJSON(content, &j.Day); err != nil {
		return nil, err
	}
	if content, err = json.Marshal(j); err != nil {
		return nil, err
	}
	return seal(2, content), nil
}
