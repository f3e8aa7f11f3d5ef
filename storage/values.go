package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A sealed value is one byte of version, the content, and four bytes of CRC-32C over both. An engine need not have
// checksums of its own: whatever happened on the disk, a value is either what was written or ErrDamaged.

// SealBytes is how many bytes a seal adds to the content.
const SealBytes = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Seal returns content as a value of the given version, 1 to 255.
func Seal(version int, content []byte) []byte {
	value := make([]byte, 0, len(content)+SealBytes)
	value = append(value, byte(version))
	value = append(value, content...)
	return binary.BigEndian.AppendUint32(value, crc32.Checksum(value, castagnoli))
}

// Unseal returns the content of a value of a version; the content shares its memory. Values of older versions are rewritten by migrations.
func Unseal(value []byte, version int) (content []byte, err error) {
	if len(value) < SealBytes {
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

// SealJSON returns v as a sealed value; v marshals without error.
func SealJSON(version int, v any) ([]byte, error) {
	content, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return Seal(version, content), nil
}

// ParseJSON reads exactly one JSON value with known fields only: a value of a known version has no others.
func ParseJSON(content []byte, v any) error {
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

// CheckKeys refuses what can't be part of a key.
func CheckKeys(parts ...string) error {
	for _, p := range parts {
		if p == "" || len(p) > maxKey || strings.IndexByte(p, 0) >= 0 || !utf8.ValidString(p) {
			return fmt.Errorf("%w: an id, name or code is empty, too long or not text", ErrInvalid)
		}
	}
	return nil
}

// CheckText refuses strings that would not come back from JSON as they are.
func CheckText(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%w: text that is not UTF-8", ErrInvalid)
		}
	}
	return nil
}

// AppendMS appends a time in milliseconds so that keys sort by time.
func AppendMS(key []byte, ms int64) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(ms)^1<<63)
}

// ReadMS reads what AppendMS wrote; b has 8 bytes.
func ReadMS(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

// FromMS returns a time as it is stored: UTC, whole milliseconds.
func FromMS(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Stored returns t as it will come back from the store.
func Stored(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return FromMS(t.UnixMilli())
}

// Printable returns a key of a damaged store as text that can do no harm to a terminal.
func Printable(key []byte) string {
	text := strconv.QuoteToASCII(string(key[:min(len(key), 64)]))
	return text[1 : len(text)-1]
}
