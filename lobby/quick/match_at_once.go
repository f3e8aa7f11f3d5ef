package quick

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// maxTries is how many opponents Quick tries in turn before it gives up, because each was gone by the time of the try.
const maxTries = 20

// Quick pairs a user at once with the fairest opponent: the owner of a public offer that is wanted, or a player who looks for the same (Seek). If
// there is none, it opens an offer of the first game, and returns that offer again on later calls while it waits.
// The fairest opponent has the lowest cost: the gap between the ratings, less pairing.Worth for each second of waiting. If w.Rated,
// Quick takes a casual match only if there is no rated one. Otherwise, and for a guest, the match is casual. It serves users one after the other,
// so that two who come at the same moment meet and don't both wait. A search of the same user ends. It returns the errors of seats.Service.Open.
//
// Quick runs on the node of the user, whichever node owns the pool: it treats a search like an offer.
func (m *Service) Quick(ctx context.Context, u match.User, w Wanted) (match.Ref, error) {
	return m.now(ctx, u, w, true)
}

// Take is Quick, but opens no offer if there is no opponent: the Ref is zero then.
func (m *Service) Take(ctx context.Context, u match.User, w Wanted) (match.Ref, error) {
	return m.now(ctx, u, w, false)
}

// now is Quick if opens, and else Take.
func (m *Service) now(ctx context.Context, u match.User, w Wanted, opens bool) (match.Ref, error) {
	w, err := m.complete(u, w)
	if err != nil {
		return match.Ref{}, err
	}
	done, err := m.turn.Take(ctx)
	if err != nil {
		return match.Ref{}, err
	}
	defer done()
	for range maxTries {
		ref, err := m.try(ctx, u, w, opens)
		if !errors.Is(err, cluster.ErrTaken) {
			return ref, err
		}
	}
	return match.Ref{}, refusal.ErrBusy
}

// try is one try of Quick or Take. The caller holds m.turn. The error is cluster.ErrTaken if a user of another node was faster.
func (m *Service) try(ctx context.Context, u match.User, w Wanted, opens bool) (match.Ref, error) {
	terms, err := m.terms(ctx)
	if err != nil {
		return match.Ref{}, err
	}
	for _, s := range m.config.Registry.Offers() {
		if !opens {
			break
		}
		if _, own := s.Side(u); own && !s.Studied() && w.agrees(wantOf(s)) {
			return s.Ref, nil
		}
	}
	casual := w
	casual.Rated = false
	for _, wanted := range []Wanted{w, casual} {
		ref, err := m.takeFairest(ctx, u, wanted)
		if err != nil || ref != (match.Ref{}) {
			return ref, err
		}
	}
	if !opens {
		return match.Ref{}, nil
	}
	return m.config.Seats.OpenOn(ctx, u, w.Usual(), terms)
}

// terms returns the terms on which Quick opens an offer. They fail if another node has opened an offer in this way that isn't known here. There is
// one place for all, because a player may want any of several games and clocks.
func (m *Service) terms(ctx context.Context) (cluster.Terms, error) {
	t := cluster.Terms{Place: string(poolID)}
	last, err := m.rows.Place(ctx, t.Place)
	if err != nil {
		return t, refusal.OfStore(err)
	}
	t.Last = last
	m.config.Matches.UntilKnown(ctx, last)
	return t, ctx.Err()
}

// takeFairest puts a user into the fairest match available now; the Ref is zero if there is none. It returns errors about the user (see
// seats.OwnFault), refusal.ErrClosed and ctx.Err().
func (m *Service) takeFairest(ctx context.Context, u match.User, w Wanted) (match.Ref, error) {
	wishes := m.wishes(ctx, u, w)
	tried := make(map[match.Key]bool)
	for range maxTries {
		seeker := pairing.Seeker{
			Person: u.Key(), Wish: wishes[0], More: wishes[1:], Since: m.time(), Anyone: true, Tried: tried,
		}
		var want pairing.Want
		var other *entry
		var row cluster.Seeker
		var offer storage.MatchID
		err := m.pool.do(ctx, func() {
			if other, offer, want = m.pool.fairest(seeker); other != nil {
				row = other.row
			}
		})
		if err != nil {
			return match.Ref{}, err
		}
		var ref match.Ref
		switch {
		case other != nil:
			spec, err := m.specOf(want)
			if err != nil { // it is a game of the user's own
				m.pool.release(context.WithoutCancel(ctx), true, other)
				return match.Ref{}, err
			}
			var whose int
			ref, whose, err = m.config.Seats.OpenBetween(ctx, u, match.User(row.Who), spec, cluster.Terms{Seekers: []cluster.SeekerID{row.ID}})
			m.opened(context.WithoutCancel(ctx), other, row, ref, err, whose == 1)
			if err != nil && whose != 1 && !errors.Is(err, cluster.ErrTaken) {
				return match.Ref{}, err
			}
		case offer != "":
			if ref, err = m.config.Seats.Take(ctx, u, offer); seats.OwnFault(err) || errors.Is(err, refusal.ErrClosed) || ctx.Err() != nil {
				return match.Ref{}, err
			}
		default:
			return match.Ref{}, nil
		}
		if err == nil {
			return ref, nil
		}
	}
	return match.Ref{}, nil
}

// fairest finds the fairest opponent of a player who is not in the pool: a search, which it takes, or an offer, which it leaves open. It ends a
// search of the same player.
func (p *pool) fairest(seeker pairing.Seeker) (other *entry, offer storage.MatchID, want pairing.Want) {
	own := p.waiting[p.pairing.Of(seeker.Person)]
	if own == nil {
		own = p.heldOf(seeker.Person)
	}
	if own != nil {
		p.end(own, refusal.ErrElsewhere)
		if own.search == nil {
			id := own.row.ID
			p.service.start(func(ctx context.Context) {
				err := p.service.rows.ChangeSeeker(ctx, id, func(who *cluster.Seeker) { who.Over = true })
				if err != nil && !errors.Is(err, storage.ErrNotFound) && ctx.Err() == nil {
					p.service.config.Log.Warn("a player may look for two matches", "err", err)
				}
			})
		}
	}
	now := p.service.time()
	ids, offers := p.offers(now)
	away := func(t pairing.Ticket) bool { return p.waiting[t].row.Away } // they have to be called first, to the offer that the user opens then
	switch pair, ok := p.pairing.Fairest(seeker, now, offers, away); {
	case !ok:
		return nil, "", want
	case pair.B != 0:
		return p.take(pair.B), "", pair.Want
	default:
		seeker.Tried[offers[pair.Offer].Person] = true
		return nil, ids[pair.Offer], pair.Want
	}
}
