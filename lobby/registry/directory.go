package registry

import (
	"slices"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A directory is an index of matches by id, by person and by list.
type directory struct {
	byID        map[storage.MatchID]*entry
	byPerson    map[match.Key]map[storage.MatchID]*entry
	offers      map[storage.MatchID]*entry // public and untaken
	running     map[storage.MatchID]*entry // public and taken; with a computer player, only while it is watched
	exhibitions map[match.Key]int          // number of exhibitions by the user who opened them
	kinds       Kinds                      // of all matches

	blocks   blocks
	reserved reservations

	lookedAt func(storage.MatchID) bool // Node.LookedAt
}

// Kinds counts unfinished matches.
type Kinds struct {
	Waiting     int // a seat is free
	People      int // running between people
	Bots        int // between a person and a computer player
	Exhibitions int // between two computer players
}

// of returns the counter of the kind of a match.
func (k *Kinds) of(s *match.Summary) *int {
	switch {
	case s.Started.IsZero():
		return &k.Waiting
	case s.Exhibition():
		return &k.Exhibitions
	case s.HasBot():
		return &k.Bots
	}
	return &k.People
}

func newDirectory(lookedAt func(storage.MatchID) bool) directory {
	return directory{
		byID:        make(map[storage.MatchID]*entry),
		byPerson:    make(map[match.Key]map[storage.MatchID]*entry),
		offers:      make(map[storage.MatchID]*entry),
		running:     make(map[storage.MatchID]*entry),
		exhibitions: make(map[match.Key]int),
		blocks:      newBlocks(),
		reserved:    newReservations(),
		lookedAt:    lookedAt,
	}
}

// replace replaces the summary of a match in all indexes; nil removes the match.
func (d *directory) replace(e *entry, s *match.Summary) (c Change) {
	id, old := e.id, e.summary
	if old != nil {
		c.People = old.People()
		for _, k := range c.People {
			delete(d.byPerson[k], id)
			if len(d.byPerson[k]) == 0 {
				delete(d.byPerson, k)
			}
			d.blocks.add(k, -1)
		}
		d.countExhibition(old, -1)
		*d.kinds.of(old)--
	}
	wasOffer, wasRunning := d.offers[id] != nil, d.running[id] != nil
	delete(d.byID, id)
	delete(d.offers, id)
	delete(d.running, id)
	e.summary = s
	if s != nil {
		d.byID[id] = e
		for _, k := range s.People() {
			if d.byPerson[k] == nil {
				d.byPerson[k] = make(map[storage.MatchID]*entry)
			}
			d.byPerson[k][id] = e
			d.blocks.add(k, 1)
			if !slices.Contains(c.People, k) {
				c.People = append(c.People, k)
			}
		}
		switch {
		case s.Public && s.Started.IsZero():
			d.offers[id] = e
		case s.Public && (!s.HasBot() || e.match != nil && !e.match.Unwatched() || d.lookedAt(id)):
			d.running[id] = e
		}
		d.countExhibition(s, 1)
		*d.kinds.of(s)++
	}
	c.Public = wasOffer != (d.offers[id] != nil) || wasRunning != (d.running[id] != nil)
	c.Plies = wasRunning && d.running[id] != nil
	for _, k := range c.People {
		if d.byPerson[k] == nil {
			c.Free = append(c.Free, k)
			d.forgetBlocks(k)
		}
	}
	return c
}

func (d *directory) countExhibition(s *match.Summary, n int) {
	if s.By.Kind == storage.Free {
		return
	}
	k := match.KeyOf(s.By)
	if d.exhibitions[k] += n; d.exhibitions[k] == 0 {
		delete(d.exhibitions, k)
	}
}

// setBlocks sets the blocks that a person comes from, and counts their matches there. Empty blocks change nothing.
func (d *directory) setBlocks(k match.Key, from Blocks) {
	if len(from) > 0 {
		d.blocks.set(k, from, len(d.byPerson[k]))
	}
}

// forgetBlocks removes the blocks of a person, unless they have matches or reservations.
func (d *directory) forgetBlocks(k match.Key) {
	if d.byPerson[k] == nil && d.reserved.byPerson[k] == (Reservation{}) {
		d.blocks.forget(k)
	}
}

// shareOf returns the share of a person. account is the number of their matches.
func (d *directory) shareOf(k match.Key, account int) share { return d.blocks.share(k, account) }

// reserve adds n times a reservation to the reservations of a person.
func (d *directory) reserve(k match.Key, want Reservation, n int) {
	if d.reserved.add(k, want, n) == (Reservation{}) {
		d.forgetBlocks(k)
	}
}

func summaries(entries map[storage.MatchID]*entry) []*match.Summary {
	all := make([]*match.Summary, 0, len(entries))
	for _, e := range entries {
		all = append(all, e.summary)
	}
	return all
}
