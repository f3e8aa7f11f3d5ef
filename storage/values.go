package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// A sealed value is one byte of version, the content, and four bytes of CRC-32C over both. An engine need not have
// checksums of its own: whatever happened on the disk, a value is either what was written or ErrDamaged.

const sealBytes = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns content as a value of the given version, 1 to 255.
func seal(version int, content []byte) []byte {
	value := make([]byte, 0, len(content)+sealBytes)
	value = append(value, byte(version))
	value = append(value, content...)
	return binary.BigEndian.AppendUint32(value, crc32.Checksum(value, castagnoli))
}

// unseal returns the content of a value of a version; the content shares its memory. Values of older versions are rewritten by migrations.
func unseal(value []byte, version int) (content []byte, err error) {
	if len(value) < sealBytes {
		return nil, fmt.Errorf("%w: a value of %d bytes", ErrDamaged, len(value))
	}
	end := len(value) - crc32.Size
	if crc32.Checksum(value[:end], castagnoli) != binary.BigEndian.Uint32(value[end:]) {
		return nil, fmt.Errorf("%w: a value has a wrong checksum", ErrDamaged)
	}
	if int(value[0]) != version {
		return nil, fmt.Errorf("%w: a value has version %d and not %d", ErrDamaged, value[0], version)
	}
	return value[1:end], nil
}

// sealJSON returns v as a sealed value; v marshals without error.
func sealJSON(version int, v any) ([]byte, error) {
	content, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return seal(version, content), nil
}

// parseJSON reads exactly one JSON value with known fields only: a value of a known version has no others.
func parseJSON(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: more after the end of a value", ErrDamaged)
	}
	return nil
}

// maxKey bounds the parts of keys: far above what the club uses, far below what an engine takes.
const maxKey = 256

// checkKeys refuses what can't be part of a key.
func checkKeys(parts ...string) error {
	for _, p := range parts {
		if p == "" || len(p) > maxKey || strings.IndexByte(p, 0) >= 0 || !utf8.ValidString(p) {
			return fmt.Errorf("%w: an id, name or code is empty, too long or not text", ErrInvalid)
		}
	}
	return nil
}

// checkText refuses strings that would not come back from JSON as they are.
func checkText(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%w: text that is not UTF-8", ErrInvalid)
		}
	}
	return nil
}

// appendMS appends a time in milliseconds so that keys sort by time.
func appendMS(key []byte, ms int64) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(ms)^1<<63)
}

// readMS reads what appendMS wrote; b has 8 bytes.
func readMS(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

// fromMS returns a time as it is stored: UTC, whole milliseconds.
func fromMS(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// stored returns t as it will come back from the store.
func stored(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return fromMS(t.UnixMilli())
}
