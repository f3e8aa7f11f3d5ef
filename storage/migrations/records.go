package migrations

import "encoding/binary"

// A recordHead is what the versions of records differ by.
type recordHead struct {
	Start  int `json:"a"` // from version 2 on
	Helped struct {
		Hints     int `json:"hints"`
		Takebacks int `json:"takebacks"`
	} `json:"h"` // from version 2 on
	Short     bool   `json:"i"` // from version 3 on
	Clock     string `json:"k"` // from version 4 on; then each move says what was left
	Temporary bool   `json:"v"` // from version 5 on
	From      string `json:"x"` // from version 6 on

	// What all versions have.
	Code    any `json:"c"`
	Game    any `json:"g"`
	Options any `json:"o"`
	First   any `json:"f"`
	Second  any `json:"s"`
	Result  any `json:"r"`
	Reason  any `json:"e"`
	Plies   any `json:"n"`
	Rated   any `json:"d"`
	Public  any `json:"p"`
	Started any `json:"b"`
	Ended   any `json:"t"`
	Number  any `json:"q"`
}

// rewriteRecord rewrites the record of a finished match: the length of its head, the head as JSON, and its moves. Version 6 can say all that the
// versions before it say, and in the same way.
func rewriteRecord(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 6)
	if err != nil || version == 6 {
		return value, err
	}
	size, n := binary.Uvarint(content)
	if n <= 0 || size > uint64(len(content)-n) {
		return nil, damaged("a record without a head")
	}
	var h recordHead
	if err := parseJSON(content[n:n+int(size)], &h); err != nil {
		return nil, err
	}
	helped := h.Helped.Hints != 0 || h.Helped.Takebacks != 0
	if version < 2 && (h.Start != 0 || helped) || version < 3 && h.Short || version < 4 && h.Clock != "" || version < 5 && h.Temporary || h.From != "" {
		return nil, damaged("a record of version %d says what later ones do", version)
	}
	return seal(6, content), nil
}
