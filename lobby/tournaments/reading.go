package tournaments

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"ludoteca/lobby/codes"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// lastNumber is the number of the view of a tournament that has ended: a reader who has seen any view from before has not seen this one.
const lastNumber = math.MaxUint64

// maxPastInMemory is how many past tournaments stay in memory.
const maxPastInMemory = 32

// A Reader finds tournaments, unfinished and past, and keeps the past ones that were read last. Any goroutine may use it.
type Reader struct {
	config     *Config
	unfinished *Unfinished
	past       *lru.Cache[storage.TournamentID, *View]
}

func newReader(c *Config, unfinished *Unfinished) *Reader {
	past, err := lru.New[storage.TournamentID, *View](maxPastInMemory)
	if err != nil {
		panic(err) // the size is right
	}
	return &Reader{c, unfinished, past}
}

// List returns all tournaments that are open or running, as soon as there is a listing with a number above after. It returns the errors of
// feed.Feed.Next.
func (r *Reader) List(ctx context.Context, after uint64) (*Listing, error) {
	l, _, err := r.unfinished.listing.Next(ctx, after)
	return l, err
}

// Now returns all tournaments that are open or running.
func (r *Reader) Now() *Listing {
	if l, _ := r.unfinished.listing.Latest(); l != nil {
		return l
	}
	return &Listing{}
}

// Watch returns the newest listing and a channel that is closed when there is a newer one: for readers that wait for several things.
func (r *Reader) Watch() (l *Listing, newer <-chan struct{}) {
	l, _, newer = r.unfinished.listing.Watch()
	if l == nil {
		l = &Listing{}
	}
	return l, newer
}

// MostPast is how many past tournaments Past returns at most.
const MostPast = 100

// Past returns the tournaments that ended or were called off before a time and that a user may see in lists, the newest first, and where to go on:
// the zero time at the end. Begin with the zero time. The error is refusal.ErrBusy or ctx.Err().
func (r *Reader) Past(ctx context.Context, u match.User, before time.Time, most int) (all []tournaments.Summary, next time.Time, err error) {
	most = min(max(most, 1), MostPast)
	found, err := r.config.Store.PastTournaments(ctx, before, most)
	if err != nil {
		return nil, next, refusal.OfStore(err)
	}
	if len(found) == most {
		next = found[len(found)-1].At
	}
	var own []storage.TournamentID
	if u.Kind.HasAccount() && slices.ContainsFunc(found, func(m tournaments.Summary) bool { return m.Settings.Private }) {
		if own, err = r.config.Store.TournamentsOf(ctx, u.Player()); err != nil {
			return nil, time.Time{}, refusal.OfStore(err)
		}
	}
	for _, m := range found {
		if !m.Settings.Private || slices.Contains(own, m.ID) {
			all = append(all, m)
		}
	}
	return all, next, nil
}

// Find returns the tournament that a code names, in any letter case. Wrong codes count as guesses against the origin; the codes of tournaments that
// lists show to the user don't. The errors are refusal.ErrNoSuchTournament, a *refusal.ThrottledError and refusal.ErrBusy.
func (r *Reader) Find(ctx context.Context, u match.User, from origin.Origin, typed string) (Ref, error) {
	if err := r.unfinished.untilStarted(ctx); err != nil {
		return Ref{}, err
	}
	code := codes.Read(typed)
	for _, v := range r.Now().All {
		if v.Settings.Code == code && v.Lists(u) {
			return v.Ref(), nil
		}
	}
	from.Person = ""
	if u.ID != "" {
		from.Person = match.PersonOf(u.Occupant())
	}
	refund, err := r.config.Guesses.Take(ctx, from)
	if err != nil {
		return Ref{}, err
	}
	var id storage.TournamentID
	if err = storage.ErrNotFound; code != "" {
		id, err = r.config.Store.TournamentByCode(ctx, code)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return Ref{}, refusal.ErrNoSuchTournament
	}
	refund()
	return Ref{id, code}, refusal.OfStore(err)
}

// Next returns the newest view of any tournament as soon as its Number is above after. One that has ended has one view. The errors are
// refusal.ErrNoSuchTournament, refusal.ErrDamaged, refusal.ErrBusy, refusal.ErrClosed and ctx.Err().
func (r *Reader) Next(ctx context.Context, id storage.TournamentID, after uint64) (*View, error) {
	if err := r.unfinished.untilStarted(ctx); err != nil {
		return nil, err
	}
	for {
		t := r.unfinished.find(id)
		if t == nil {
			v, err := r.ended(ctx, id)
			if err != nil || v.Number > after {
				return v, err
			}
			select { // nothing happens any more
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-r.config.Tasks.Closing():
				return nil, refusal.ErrClosed
			}
		}
		v, _, err := t.views.Next(ctx, after)
		if !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// View returns the present view of any tournament. It returns the errors of Next.
func (r *Reader) View(ctx context.Context, id storage.TournamentID) (*View, error) {
	return r.Next(ctx, id, 0)
}

// ended returns the view of a tournament that has ended.
func (r *Reader) ended(ctx context.Context, id storage.TournamentID) (*View, error) {
	if v, ok := r.past.Get(id); ok {
		return v, nil
	}
	log, err := r.config.Store.TournamentLog(ctx, id, 1, 0)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, refusal.ErrNoSuchTournament
	case errors.Is(err, storage.ErrDamaged):
		return nil, refusal.ErrDamaged
	case err != nil:
		return nil, refusal.OfStore(err)
	}
	folded, err := state.Fold(id, log)
	if err != nil {
		r.config.Log.Error("the log of a tournament is damaged", "tournament", id, "err", err)
		return nil, refusal.ErrDamaged
	}
	v := &View{State: folded, Number: lastNumber}
	if v.Stage.Closed() {
		r.past.Add(id, v)
	}
	return v, nil
}

// Board returns the match of a pairing as a user may find it who sees the tournament: with its code while it goes on.
func (r *Reader) Board(p *state.Pairing) match.Ref {
	if m := r.config.Registry.Find(p.Match).Summary; m != nil {
		return m.Ref
	}
	return match.Ref{ID: p.Match}
}
