package migrations

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"ludoteca/storage/kv"
)

// A sealed value is one byte of version, the content, and four bytes of CRC-32C over both.

const sealBytes = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns content as a value of the given version, 1 to 255.
func seal(version int, content []byte) []byte {
	value := make([]byte, 0, len(content)+sealBytes)
	value = append(append(value, byte(version)), content...)
	return binary.BigEndian.AppendUint32(value, crc32.Checksum(value, castagnoli))
}

// unseal returns the version, from 1 to newest, and the content of a value; the content shares its memory.
func unseal(value []byte, newest int) (version int, content []byte, err error) {
	if len(value) < sealBytes {
		return 0, nil, damaged("a value of %d bytes", len(value))
	}
	end := len(value) - crc32.Size
	if crc32.Checksum(value[:end], castagnoli) != binary.BigEndian.Uint32(value[end:]) {
		return 0, nil, damaged("a value has a wrong checksum")
	}
	if version = int(value[0]); version == 0 || version > newest {
		return 0, nil, damaged("a value has version %d", version)
	}
	return version, value[1:end], nil
}

// parseJSON reads exactly one JSON value with known fields only.
func parseJSON(content []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrDamaged, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return damaged("more after the end of a value")
	}
	return nil
}
