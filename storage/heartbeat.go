package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// heartbeatKey is the key in the meta section that holds when the program was last known to run: milliseconds since 1970, big endian,
// sealed.
const heartbeatKey = "heartbeat"

const (
	heartbeatVersion = 1
	heartbeatBytes   = 8
)

// Beat keeps that the program runs at a time, for the next start: matches with a clock then go on from there.
func (s *Store) Beat(ctx context.Context, at time.Time) error {
	err := s.engine.Update(ctx, func(tx kv.Tx) error {
		tx.Put(meta.key(heartbeatKey), encodeHeartbeat(at))
		return nil
	})
	if err != nil {
		return fmt.Errorf("storage: heartbeat: %w", err)
	}
	return nil
}

// LastBeat returns when the program was last known to run: whole milliseconds, or the zero time if that was never kept.
func (s *Store) LastBeat(ctx context.Context) (at time.Time, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		at, err = readHeartbeat(r)
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("storage: heartbeat: %w", err)
	}
	return at, nil
}

func readHeartbeat(r kv.Reader) (at time.Time, err error) {
	value, err := r.Get(meta.key(heartbeatKey))
	if err != nil || value == nil {
		return time.Time{}, err
	}
	return decodeHeartbeat(value)
}

func encodeHeartbeat(at time.Time) []byte {
	return seal(heartbeatVersion, binary.BigEndian.AppendUint64(nil, uint64(at.UnixMilli())))
}

func decodeHeartbeat(value []byte) (time.Time, error) {
	_, content, err := unseal(value, heartbeatVersion)
	if err != nil || len(content) != heartbeatBytes {
		return time.Time{}, fmt.Errorf("%w: the heartbeat makes no sense", ErrDamaged)
	}
	return fromMS(int64(binary.BigEndian.Uint64(content))), nil
}
