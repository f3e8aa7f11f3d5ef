package lobby

import (
	"container/list"
	"sync"

	"ludoteca/storage"
)

// shelf keeps the boards of finished matches that somebody looked at lately, up to about so many moves in all.
type shelf struct {
	mu     sync.Mutex // guards what follows
	most   int
	weight int
	byID   map[storage.MatchID]*list.Element
	recent *list.List // of *shelved, last used first
}

type shelved struct {
	id     storage.MatchID
	board  *board
	weight int
}

// boardWeight is what a board without moves costs, in moves.
const boardWeight = 20

func (s *shelf) init(mostPlies int) {
	s.most, s.byID, s.recent = mostPlies, make(map[storage.MatchID]*list.Element), list.New()
}

// get returns a board, or nil.
func (s *shelf) get(id storage.MatchID) *board {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil {
		return nil
	}
	s.recent.MoveToFront(e)
	return e.Value.(*shelved).board
}

// put takes in a board and returns the one that is there now: another one if somebody came first.
func (s *shelf) put(id storage.MatchID, b *board) *board {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil {
		return e.Value.(*shelved).board
	}
	w := boardWeight + b.view().Ply()
	s.byID[id] = s.recent.PushFront(&shelved{id, b, w})
	s.weight += w
	for e := s.recent.Back(); e != nil && e != s.recent.Front() && s.weight > s.most; {
		old, before := e.Value.(*shelved), e.Prev()
		if old.board.drop() { // else somebody is reading it
			s.recent.Remove(e)
			delete(s.byID, old.id)
			s.weight -= old.weight
		}
		e = before
	}
	return b
}

// shelve makes the board of a finished match from its record.
func (l *Lobby) shelve(f storage.Finished) (*board, error) {
	s, err := relive(f, l.Game)
	if err != nil {
		l.log.Error("the record of a match is damaged", "match", f.ID, "err", err)
		return nil, ErrDamaged
	}
	v, b := s.view(), newBoard()
	v.Ratings = f.Ratings
	v.Rematch = l.matches.rematchOf(f.ID)
	b.pin(&l.seq, func(*View) *View { return v })
	b = l.finished.put(f.ID, b)
	l.showRematch(f.ID) // one may have been asked for since
	return b, nil
}
