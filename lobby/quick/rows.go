package quick

import (
	"context"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// Shared is the store of a club with several nodes; see cluster.Store.
type Shared interface {
	AddSeeker(ctx context.Context, who cluster.Seeker) error
	ChangeSeeker(ctx context.Context, id cluster.SeekerID, change func(who *cluster.Seeker)) error
	RemoveSeeker(ctx context.Context, id cluster.SeekerID) (was cluster.Seeker, err error)
	HoldSeekers(ctx context.Context, ids [2]cluster.SeekerID, wish cluster.Wish, until time.Time) error
	FollowSeekers(ctx context.Context, f storage.Follower[cluster.SeekerID, cluster.Seeker]) error
	Place(ctx context.Context, place string) (storage.MatchID, error)
}

// rows are the rows of all searches: stored or memory.
type rows interface {
	Shared

	// opened writes a match to the rows of the searches for which it was opened. left are the searches whose rows are gone.
	opened(ctx context.Context, ref match.Ref, of ...cluster.SeekerID) (left []cluster.SeekerID)
}

// stored holds the rows in a store. The transaction that opens a match also writes it to the rows (cluster.Terms), and fails if a row is gone.
type stored struct{ Shared }

func (stored) opened(context.Context, match.Ref, ...cluster.SeekerID) (left []cluster.SeekerID) {
	return nil
}

// memory holds the rows of a club with one node: they are only in the pool, because no other node reads them.
type memory struct{ pool *pool }

func (r memory) AddSeeker(ctx context.Context, who cluster.Seeker) error {
	return r.pool.do(ctx, func() { r.pool.put(who) })
}

func (r memory) ChangeSeeker(ctx context.Context, id cluster.SeekerID, change func(who *cluster.Seeker)) error {
	found := false
	err := r.pool.do(ctx, func() {
		e := r.pool.entries[id]
		if found = e != nil && e.there && e.row.Match == "" && !e.row.Over; found {
			row := e.row
			change(&row)
			r.pool.put(row)
		}
	})
	if err == nil && !found {
		err = storage.ErrNotFound
	}
	return err
}

func (r memory) RemoveSeeker(ctx context.Context, id cluster.SeekerID) (was cluster.Seeker, err error) {
	err = r.pool.do(ctx, func() {
		if e := r.pool.entries[id]; e != nil {
			was = e.row
		}
		r.pool.gone(id)
	})
	return was, err
}

func (r memory) opened(ctx context.Context, ref match.Ref, of ...cluster.SeekerID) (left []cluster.SeekerID) {
	for _, id := range of {
		if r.ChangeSeeker(ctx, id, func(who *cluster.Seeker) { who.Match, who.Code, who.Held = ref.ID, ref.Code, nil }) != nil {
			left = append(left, id)
		}
	}
	return left
}

func (r memory) HoldSeekers(ctx context.Context, ids [2]cluster.SeekerID, wish cluster.Wish, until time.Time) error {
	held := false
	err := r.pool.do(ctx, func() {
		var both [2]cluster.Seeker
		for i, id := range ids {
			e := r.pool.entries[id]
			if e == nil || !e.there || e.ended != nil || !e.row.Waits() {
				return
			}
			both[i] = e.row
		}
		for _, row := range cluster.HoldEachOther(both, wish, until) {
			r.pool.put(row)
		}
		held = true
	})
	if err == nil && !held {
		err = cluster.ErrTaken
	}
	return err
}

func (memory) FollowSeekers(context.Context, storage.Follower[cluster.SeekerID, cluster.Seeker]) error {
	return nil
}

func (memory) Place(context.Context, string) (storage.MatchID, error) { return "", nil }
