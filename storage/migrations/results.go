package migrations

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

// readResult reads a result of version 1 to 4.
func readResult(value []byte) (r result, err error) {
	_, content, err := unseal(value, 4)
	if err == nil {
		err = parseJSON(content, &r)
	}
	if err == nil && r.Result != "first" && r.Result != "second" && r.Result != "draw" {
		err = damaged("the result %q", r.Result)
	}
	return r, err
}
