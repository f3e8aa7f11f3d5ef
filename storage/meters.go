package storage

import (
	"fmt"
	"os"
	"time"
)

// Meters are told how the store is doing. They are called by whoever did the work, several at a time, and must return at
// once. Nil ones are not called.
type Meters struct {
	// Read is told how long one reading call took.
	Read func(took time.Duration)

	// Write is told how long one change took from the call to its answer, the wait for the committer included.
	// Refused ones count too, withdrawn ones don't.
	Write func(took time.Duration)

	// Commit is told how many changes one transaction made durable, how long it took, and whether it failed.
	Commit func(changes int, took time.Duration, err error)
}

func (m *Meters) read(since time.Time) {
	if m.Read != nil {
		m.Read(time.Since(since))
	}
}

func (m *Meters) write(since time.Time) {
	if m.Write != nil {
		m.Write(time.Since(since))
	}
}

func (m *Meters) commit(changes int, since time.Time, err error) {
	if m.Commit != nil {
		m.Commit(changes, time.Since(since), err)
	}
}

// Queued returns how many changes wait for the committer now, at most 1024.
func (s *Store) Queued() int { return len(s.queue) }

// Size returns the size of the store's file in bytes.
func (s *Store) Size() (int64, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, fmt.Errorf("storage: size: %w", plain(err))
	}
	return info.Size(), nil
}
