package lobby

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// key names a person, a guest or a computer player in maps. The zero value is nobody.
type key struct {
	kind storage.OccupantKind
	id   string
}

func (w Who) key() key { return key{w.Kind, w.ID} }

func keyOf(o storage.Occupant) key { return key{o.Kind, o.ID} }

// registry knows the matches that go on.
type registry struct {
	mu       sync.Mutex // guards what follows
	byID     map[storage.MatchID]*entry
	byPerson map[key]map[storage.MatchID]*entry
	offers   map[storage.MatchID]*entry // public, untaken
	claims   map[key]claim              // what is being opened or joined at this moment
	claimed  int                        // matches being opened
	leaving  int                        // matches that are about to give way
	shows    map[key]int                // matches between computer players, by who opened them
	damaged  map[storage.MatchID]bool
	again    map[storage.MatchID]*again // rematches, by the match they repeat
}

// entry is a match in the registry, with the people it is filed under.
type entry struct {
	match  *match
	view   *View
	people []key

	leaving bool // it is about to give way
}

// claim counts what one person is about to begin; opened are the matches that the club has more of then.
type claim struct{ matches, offers, shows, opened int }

func (r *registry) init() {
	r.byID = make(map[storage.MatchID]*entry)
	r.byPerson = make(map[key]map[storage.MatchID]*entry)
	r.offers = make(map[storage.MatchID]*entry)
	r.claims = make(map[key]claim)
	r.shows = make(map[key]int)
	r.damaged = make(map[storage.MatchID]bool)
	r.again = make(map[storage.MatchID]*again)
}

// peopleOf returns whom a match concerns: who sits in it, and whom its free seat is kept for.
func peopleOf(v *View) []key {
	var people []key
	add := func(o storage.Occupant) {
		if o.Kind != storage.Person && o.Kind != storage.Guest {
			return
		}
		for _, k := range people {
			if k == keyOf(o) {
				return
			}
		}
		people = append(people, keyOf(o))
	}
	add(v.Seats[games.First])
	add(v.Seats[games.Second])
	if v.Started.IsZero() {
		add(v.Reserved)
	}
	return people
}

// file puts a match where it belongs after a change, and returns the people whom no match concerns any more.
func (r *registry) file(m *match, v *View) (free []key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.byID[m.id]
	if e == nil {
		e = &entry{match: m}
		r.byID[m.id] = e
		if m.opener != (key{}) {
			r.shows[m.opener]++
		}
	}
	before := e.people
	r.unfile(e)
	e.view = v
	r.stay(e)
	if v.Over {
		r.remove(m)
		return r.free(before)
	}
	e.people = peopleOf(v)
	for _, k := range e.people {
		if r.byPerson[k] == nil {
			r.byPerson[k] = make(map[storage.MatchID]*entry)
		}
		r.byPerson[k][m.id] = e
	}
	if v.Public && v.Started.IsZero() {
		r.offers[m.id] = e
	}
	return r.free(before)
}

// free returns those of some people whom no match concerns. It changes the list.
func (r *registry) free(people []key) []key {
	return slices.DeleteFunc(people, func(k key) bool { return r.byPerson[k] != nil })
}

// concern says whether any match concerns somebody.
func (r *registry) concern(k key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byPerson[k] != nil
}

func (r *registry) unfile(e *entry) {
	for _, k := range e.people {
		delete(r.byPerson[k], e.match.id)
		if len(r.byPerson[k]) == 0 {
			delete(r.byPerson, k)
		}
	}
	e.people = nil
	delete(r.offers, e.match.id)
}

func (r *registry) remove(m *match) {
	delete(r.byID, m.id)
	if m.opener == (key{}) {
		return
	}
	if r.shows[m.opener]--; r.shows[m.opener] == 0 {
		delete(r.shows, m.opener)
	}
}

// condemn takes out a match that can't go on, and returns the people whom no match concerns any more.
func (r *registry) condemn(id storage.MatchID) (free []key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.damaged[id] = true
	e := r.byID[id]
	if e == nil {
		return nil
	}
	before := e.people
	r.unfile(e)
	r.stay(e)
	r.remove(e.match)
	return r.free(before)
}

// match returns a match that goes on, or nil.
func (r *registry) match(id storage.MatchID) (m *match, damaged bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.byID[id]; e != nil {
		return e.match, false
	}
	return nil, r.damaged[id]
}

// of returns the present views of the matches that concern somebody, in no order.
func (r *registry) of(k key) []*View {
	r.mu.Lock()
	defer r.mu.Unlock()
	views := make([]*View, 0, len(r.byPerson[k]))
	for _, e := range r.byPerson[k] {
		views = append(views, e.view)
	}
	return views
}

// wake has all matches of somebody look again at what they wait for.
func (r *registry) wake(k key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.byPerson[k] {
		e.match.board.wake()
	}
}

// open returns the present views of all public offers, in no order.
func (r *registry) open() []*View {
	r.mu.Lock()
	defer r.mu.Unlock()
	views := make([]*View, 0, len(r.offers))
	for _, e := range r.offers {
		views = append(views, e.view)
	}
	return views
}

// claim reserves room for what somebody is about to begin, until release is called; ErrTooMany. In a full club the match
// that has been silent for longest gives way, if that was before the time silent.
func (r *registry) claim(who Who, limits Limits, c claim, silent time.Time) (release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := who.key()
	have := r.claims[k]
	have.shows += r.shows[k]
	for _, e := range r.byPerson[k] {
		if _, seated := e.view.Side(who); !seated {
			continue
		}
		have.matches++
		if e.view.Started.IsZero() {
			have.offers++
		}
	}
	most := limits.Unfinished
	if who.Kind == storage.Guest {
		most = limits.GuestUnfinished
	}
	switch {
	case c.matches > 0 && have.matches+c.matches > most,
		c.offers > 0 && have.offers+c.offers > limits.OpenOffers,
		c.shows > 0 && have.shows+c.shows > limits.Exhibitions,
		c.opened > 0 && len(r.byID)-r.leaving+r.claimed+c.opened > limits.Matches && !r.makeRoom(silent):
		return nil, ErrTooMany
	}
	r.count(k, c, 1)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.count(k, c, -1)
	}, nil
}

// count adds n times c to what somebody is about to begin.
func (r *registry) count(k key, c claim, n int) {
	r.claimed += n * c.opened
	now := r.claims[k]
	now = claim{now.matches + n*c.matches, now.offers + n*c.offers, now.shows + n*c.shows, now.opened + n*c.opened}
	if r.claims[k] = now; now == (claim{}) {
		delete(r.claims, k)
	}
}

// makeRoom tells the match that has been silent for longest to give way; false if there is none that has been since before.
// It looks at all matches, but only when the club is full.
func (r *registry) makeRoom(before time.Time) bool {
	var silent *entry
	for _, e := range r.byID {
		if at := e.view.LastAt(); !e.leaving && at.Before(before) {
			silent, before = e, at
		}
	}
	if silent == nil {
		return false
	}
	silent.leaving = true
	r.leaving++
	silent.match.givesWay.Store(true)
	silent.match.board.wake()
	return true
}

// stay takes back that a match gives way: it has moved on, or is gone.
func (r *registry) stay(e *entry) {
	if e.leaving {
		e.leaving = false
		r.leaving--
		e.match.givesWay.Store(false)
	}
}

// matchChanged files a match after each change. It is called by the match's own goroutine, after its board has the view.
func (l *Lobby) matchChanged(m *match, v *View) {
	if v.Over {
		l.finished.put(m.id, m.board) // before the registry forgets it: a match is always found
		if v.Ratings != nil {
			l.boards.forget(v.Game.About().ID)
		}
	}
	l.presence.forget(l.matches.file(m, v)...)
	l.lists.note(v)
	l.rematchChanged(v)
}

// matchDamaged takes a match out of play.
func (l *Lobby) matchDamaged(m *match) {
	l.presence.forget(l.matches.condemn(m.id)...)
	l.lists.forget(m.id)
	m.board.fail()
}

// board returns the board of any match: of one that goes on, or of one from the records.
func (l *Lobby) board(ctx context.Context, id storage.MatchID) (*board, error) {
	m, damaged := l.matches.match(id)
	switch {
	case m != nil:
		return m.board, nil
	case damaged:
		return nil, ErrDamaged
	}
	if b := l.finished.get(id); b != nil {
		return b, nil
	}
	f, err := l.store.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, ErrNoSuchMatch
	case errors.Is(err, storage.ErrDamaged):
		return nil, ErrDamaged
	case err != nil:
		return nil, trouble(err)
	}
	return l.shelve(f)
}
