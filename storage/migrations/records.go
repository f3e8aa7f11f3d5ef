package migrations

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

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
// versions before it say, and in the same way. Version 7 has at the end of the head how many bytes the moves take in the text of the record.
func rewriteRecord(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 7)
	if err != nil || version == 7 {
		return value, err
	}
	size, n := binary.Uvarint(content)
	if n <= 0 || size > uint64(len(content)-n) {
		return nil, damaged("a record without a head")
	}
	head, moves := content[n:n+int(size)], content[n+int(size):]
	var h recordHead
	if err := parseJSON(head, &h); err != nil {
		return nil, err
	}
	helped := h.Helped.Hints != 0 || h.Helped.Takebacks != 0
	if version < 2 && (h.Start != 0 || helped) || version < 3 && h.Short || version < 4 && h.Clock != "" || version < 5 && h.Temporary || version < 6 && h.From != "" {
		return nil, damaged("a record of version %d says what later ones do", version)
	}
	length, err := textOfMoves(h, moves)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(head, '}')
	head = fmt.Appendf(bytes.Clone(head[:end]), ",\"l\":%d}", length)
	return seal(7, slices.Concat(binary.AppendUvarint(nil, uint64(len(head))), head, moves)), nil
}

// textOfMoves returns how many bytes the moves of a record take in its text: with the number before each pair, the time that was left
// behind each move of a match with a clock, one byte between all these, the result, and a line feed.
func textOfMoves(h recordHead, b []byte) (length int, err error) {
	bad := damaged("a record without its moves")
	number := func() (v uint64) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			err = bad
			return 0
		}
		b = b[n:]
		return v
	}
	switch length = len("1-0") + 1; h.Result {
	case "draw":
		length = len("1/2-1/2") + 1
	case "", nil:
		length = len("*") + 1
	}
	count := number()
	for i := uint64(0); i < count && err == nil; i++ {
		size := number()
		if size > uint64(len(b)) {
			return 0, bad
		}
		b = b[size:]
		number() // the time of the move, as a number with a sign: of the same bytes
		if length += int(size) + 1; i%2 == 0 {
			length += len(strconv.FormatUint(i/2+1, 10)) + 2
		}
		if h.Clock == "" {
			continue
		}
		if left := number(); i >= uint64(max(h.Start, 0)) {
			length += textOfTime(left)
		}
	}
	if err == nil && len(b) > 0 {
		err = bad
	}
	return length, err
}

// textOfTime returns how many bytes a time in milliseconds takes behind a move, with the space before it: {4:58.3}, {1:04:58.3}. A time of 1000
// hours or more is not written.
func textOfTime(ms uint64) int {
	hours, minutes := ms/3_600_000, ms/60_000%60
	switch {
	case hours >= 1000:
		return 0
	case hours > 0:
		return len(fmt.Sprintf(" {%d:00:00.0}", hours))
	}
	return len(fmt.Sprintf(" {%d:00.0}", minutes))
}
