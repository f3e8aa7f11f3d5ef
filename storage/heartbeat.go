package storage

import (
	"context"
	"time"

	"ludoteca/storage/kv"
)

// heartbeat is when the program was last known to run: milliseconds since 1970, big endian, sealed.
var heartbeat = Cell[time.Time]{
	Name: "heartbeat",
	Values: Codec[string, time.Time]{
		Encode: func(at time.Time) ([]byte, error) { return seal(1, appendSeq(nil, uint64(at.UnixMilli()))), nil },
		Decode: func(_ string, value []byte) (time.Time, error) {
			content, err := unseal(value, 1)
			ms, ok := readSeq(content)
			if err != nil || !ok {
				return time.Time{}, damaged("the heartbeat makes no sense")
			}
			return fromMS(int64(ms)), nil
		},
	},
}

// Beat keeps that the program runs at a time, for the next start: matches with a clock then go on from there.
func (s *ClusterStore) Beat(ctx context.Context, at time.Time) error {
	return update(ctx, s.engine, "heartbeat", func(tx kv.Tx) error { return heartbeat.Put(tx, at) })
}

// LastBeat returns when the program was last known to run: whole milliseconds, or the zero time if that was never kept.
func (s *ClusterStore) LastBeat(ctx context.Context) (time.Time, error) {
	return view(ctx, s.engine, "heartbeat", func(r kv.Reader) (time.Time, error) {
		at, _, err := heartbeat.Find(r)
		return at, err
	})
}
