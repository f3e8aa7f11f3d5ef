package cluster

import (
	"context"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// Heartbeat is when the program was last known to run: milliseconds since 1970, big endian, sealed.
var Heartbeat = storage.Cell[time.Time]{
	Name: "heartbeat",
	Values: storage.Codec[string, time.Time]{
		Encode: func(at time.Time) ([]byte, error) {
			return storage.Seal(1, storage.AppendSeq(nil, uint64(at.UnixMilli()))), nil
		},
		Decode: func(_ string, value []byte) (time.Time, error) {
			content, err := storage.Unseal(value, 1)
			ms, ok := storage.ReadSeq(content)
			if err != nil || !ok {
				return time.Time{}, storage.Damaged("the heartbeat makes no sense")
			}
			return storage.FromMS(int64(ms)), nil
		},
	},
}

// Beat keeps that the program runs at a time, for the next start: matches with a clock then go on from there.
func (s *Store) Beat(ctx context.Context, at time.Time) error {
	return storage.Update(ctx, s.engine, "heartbeat", func(tx kv.Tx) error { return Heartbeat.Put(tx, at) })
}

// LastBeat returns when the program was last known to run: whole milliseconds, or the zero time if that was never kept.
func (s *Store) LastBeat(ctx context.Context) (time.Time, error) {
	return storage.View(ctx, s.engine, "heartbeat", func(r kv.Reader) (time.Time, error) {
		at, _, err := Heartbeat.Find(r)
		return at, err
	})
}
