package news

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	tournamentstore "ludoteca/storage/tournaments"
)

// The kinds of news about events in which the user takes part.
const (
	EventSoon  Kind = "event_soon"  // it begins in Item.Left
	EventRound Kind = "event_round" // the user plays Item.Match against By
	EventOver  Kind = "event_over"  // the user came to Item.Place
	EventOff   Kind = "event_off"   // it is called off
)

// OfEvents reports whether an item is about an event.
func (i Item) OfEvents() bool { return i.Event != nil }

// soon are the times before the beginning of an event at which entrants are told of it, the longest first.
var soon = [...]time.Duration{10 * time.Minute, time.Minute}

// Events has the events of the club; see tournaments.Reader.
type Events interface {
	Watch() (l *tournaments.Listing, newer <-chan struct{})
	View(ctx context.Context, id storage.TournamentID) (*tournaments.View, error)
	Board(p *state.Pairing) match.Ref
}

// An EventReader reads what happens to one user in events. One goroutine at a time may use it.
type EventReader struct {
	events Events
	user   match.User
	now    func() time.Time
	begun  bool
	known  map[storage.TournamentID]*knownEvent // in which the user takes part
}

// knownEvent is what an EventReader keeps of an event.
type knownEvent struct {
	told  int             // how many of soon are over
	match storage.MatchID // of the user, that was told last
	seen  bool            // in the newest listing
}

// NewEventReader returns a reader that has read nothing.
func NewEventReader(e Events, u match.User, now func() time.Time) *EventReader {
	return &EventReader{events: e, user: u, now: now, known: make(map[storage.TournamentID]*knownEvent)}
}

// openEvery is how often the reader looks for the match of a pairing, which is opened a moment after the pairing is written.
const openEvery = 200 * time.Millisecond

// Next returns what has happened, as soon as there is anything; what was so at the first call is no news. The error is ctx.Err().
func (r *EventReader) Next(ctx context.Context) ([]Item, error) {
	for {
		listing, newer := r.events.Watch()
		items, next := r.take(ctx, listing.Parts(r.user))
		if len(items) > 0 {
			return items, nil
		}
		var due <-chan time.Time
		var timer *time.Timer
		if !next.IsZero() {
			timer = time.NewTimer(max(next.Sub(r.now()), time.Millisecond))
			due = timer.C
		}
		select {
		case <-newer:
		case <-due:
		case <-ctx.Done():
		}
		if timer != nil {
			timer.Stop()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// take returns what the parts of the user in events have that they had not before, and when there is more to say though nothing changes.
func (r *EventReader) take(ctx context.Context, parts []tournaments.Part) (items []Item, next time.Time) {
	first := !r.begun
	r.begun = true
	earlier := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	for _, k := range r.known {
		k.seen = false
	}
	for _, p := range parts {
		k, fresh := r.known[p.View.ID], false
		if k == nil {
			k, fresh = &knownEvent{}, true
			r.known[p.View.ID] = k
		}
		k.seen = true
		if p.View.Stage == tournamentstore.Open {
			now := r.now()
			left := p.View.Settings.Begins.Sub(now)
			was := k.told
			for k.told < len(soon) && left <= soon[k.told] {
				k.told++
			}
			if k.told > was && !fresh && left > 0 {
				items = append(items, Item{Kind: EventSoon, Event: p.View, At: now, Left: soon[k.told-1]})
			}
			if k.told < len(soon) {
				earlier(now.Add(left - soon[k.told]))
			}
		}
		if p.Playing == nil || p.Playing.Match == k.match {
			continue
		}
		ref := r.events.Board(p.Playing)
		switch {
		case first:
			k.match = p.Playing.Match // the lists show it
		case ref.Code == "":
			earlier(r.now().Add(openEvery))
		default:
			k.match = p.Playing.Match
			items = append(items, r.round(p, ref))
		}
	}
	return append(items, r.gone(ctx)...), next
}

// round returns the item that the user plays a match of an event.
func (r *EventReader) round(p tournaments.Part, ref match.Ref) Item {
	number := p.Entrant.Number
	i := Item{Kind: EventRound, Event: p.View, Match: ref, At: p.Playing.At, Round: p.Playing.Round, Side: p.Playing.Side(number).Other()}
	if other := p.View.Entrant(p.Playing.Opponent(number)); other != nil {
		i.By = other.Who
	}
	return i
}

// gone returns how events have ended in which the user takes part, and forgets those that are over or that the user has left.
func (r *EventReader) gone(ctx context.Context) (items []Item) {
	for id, k := range r.known {
		if k.seen {
			continue
		}
		v, err := r.events.View(ctx, id)
		if err != nil && !errors.Is(err, refusal.ErrNoSuchTournament) {
			continue // it is asked again
		}
		delete(r.known, id)
		if err != nil || !v.Stage.Closed() {
			continue
		}
		e := v.Entrants.Find(r.user.Occupant())
		switch {
		case e == nil || !e.In():
		case v.Stage == tournamentstore.Off:
			items = append(items, Item{Kind: EventOff, Event: v, At: v.LastAt})
		default:
			i := Item{Kind: EventOver, Event: v, At: v.LastAt}
			for _, p := range v.Standing() {
				if p.Number == e.Number {
					i.Place = p.Rank
				}
			}
			items = append(items, i)
		}
	}
	return items
}

// Plays is the side of the user in the match of an item of the kind EventRound.
func (i Item) Plays() games.Side { return i.Side.Other() }
