package momentum

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/board"
)

// maxSize is the largest number of cells along a side of the board: one column for each letter.
const maxSize = 26

// A spot is a cell of a wide board or a place around it: a row has 32 of them, so that a wall stands on every side of the board. A
// spot is also the code of the drop on it; 0, which is a wall, is the code of the swap.
type spot uint16

const (
	spotsInRow = 32
	spots      = (maxSize + 2) * spotsInRow
)

func spotAt(col, row int) spot { return spot((row+1)*spotsInRow + col + 1) }
func (sp spot) col() int       { return int(sp%spotsInRow) - 1 }
func (sp spot) row() int       { return int(sp/spotsInRow) - 1 }

// spotSteps are the eight steps from a spot to its neighbours, from below left to above right. A step back is the negative, modulo
// the size of a spot.
var spotSteps = func() (steps [8]spot) {
	all := steps[:0]
	for row := -1; row <= 1; row++ {
		for col := -1; col <= 1; col++ {
			if row != 0 || col != 0 {
				all = append(all, spot(row*spotsInRow+col))
			}
		}
	}
	return steps
}()

// A content is what is on a spot.
type content uint8

const (
	empty content = iota
	firstMarble
	secondMarble
	marble         = firstMarble | secondMarble // bits, one of which each marble has
	wall   content = 4
)

func marbleOf(side games.Side) content { return firstMarble + content(side) }
func (c content) owner() games.Side    { return games.Side(c - firstMarble) }

// wideRules is what one complete set of options comes to. All states of a game share it; it never changes.
type wideRules struct {
	settings
	board []spot       // bottom row first, from left to right
	rim   []rimSpot    // of the board, in the same order
	ring  [spots]uint8 // by spot of the board: how far it is from the rim, at most rings
}

// A rimSpot is a spot from which a marble can be pushed off, and the steps into the board whose opposites lead off it.
type rimSpot struct {
	at     spot
	inward [3]spot
}

// A wideState is the rules on boards for which a State has no room, and with more marbles: a position that plays moves and takes them
// back. It keeps the contents of all spots, and what its evaluation and its hash need of them as marbles come and go.
type wideState struct {
	wide
	contents [spots]content
	past     []wideMove  // the moves that can be taken back
	shifted  []wideShift // the marbles that they pushed
	rules    *wideRules
}

// wide is what a move changes besides the contents of spots.
type wide struct {
	standing
	ringed [2][rings + 1]uint8 // marbles by side and ring
	hash   uint64              // of the marbles
}

// A wideMove is what it takes to undo a move.
type wideMove struct {
	before  wide
	at      spot // of the drop or of the swap; 0 for a pass, which only a search makes
	swap    bool
	shifted int // how many marbles were pushed before
}

// A wideShift is a marble that was pushed.
type wideShift struct {
	from, to spot
	side     games.Side
}

// wideKeys are the parts of the hash of a marble, by its side and spot.
var wideKeys = func() (keys [2][spots]uint64) {
	r := games.NewRandom(1)
	for side := range keys {
		for at := range keys[side] {
			keys[side][at] = r.Uint64()
		}
	}
	return keys
}()

func newWideState(o games.Options) *wideState {
	r := &wideRules{settings: settingsOf(o)}
	s := &wideState{rules: r}
	for at := range s.contents {
		s.contents[at] = wall
	}
	for row := range r.size {
		for col := range r.size {
			at, last := spotAt(col, row), r.size-1
			s.contents[at] = empty
			r.board = append(r.board, at)
			r.ring[at] = uint8(min(col, row, last-col, last-row, rings))
		}
	}
	for _, at := range r.board {
		from, n := rimSpot{at: at}, 0
		for _, step := range spotSteps {
			if s.contents[at-step] == wall && s.contents[at+step] != wall {
				from.inward[n] = step
				n++
			}
		}
		if n > 0 {
			r.rim = append(r.rim, from)
		}
	}
	return s
}

// Moves appends the codes of the legal moves: the forced drops if there are any, else all empty cells and perhaps the swap.
func (s *wideState) Moves(dst []games.Code) []games.Code {
	if !s.Running() {
		return dst
	}
	if s.enemyHasOneLeft(s.rules.each) {
		others := len(dst)
		if dst = s.appendForced(dst); len(dst) > others {
			return dst
		}
	}
	for _, at := range s.rules.board {
		if s.contents[at] == empty {
			dst = append(dst, games.Code(at))
		}
	}
	if s.canSwap() {
		dst = append(dst, games.Code(swap))
	}
	return dst
}

// Play makes a legal move.
func (s *wideState) Play(c games.Code) {
	move := wideMove{before: s.wide, at: spot(c), swap: c == games.Code(swap), shifted: len(s.shifted)}
	if move.swap {
		move.at = s.only()
		s.take(move.at)
		s.put(move.at, games.Second)
	} else {
		s.drop(move.at)
	}
	s.past = append(s.past, move)
	s.ply++
	s.turn = s.turn.Other()
	s.checkEnd(s.rules.each)
}

// Undo takes the last move back.
func (s *wideState) Undo() {
	last := len(s.past) - 1
	move := s.past[last]
	s.past = s.past[:last]
	for _, shift := range s.shifted[move.shifted:] {
		if s.contents[shift.to] != wall {
			s.contents[shift.to] = empty
		}
		s.contents[shift.from] = marbleOf(shift.side)
	}
	s.shifted = s.shifted[:move.shifted]
	s.wide = move.before
	switch {
	case move.swap:
		s.contents[move.at] = firstMarble
	case move.at != 0:
		s.contents[move.at] = empty
	}
}

// drop puts a marble of the side to move on an empty spot and moves the last marble of every line beside it. A push stays on its own
// ray, so they can be made one after another.
func (s *wideState) drop(at spot) {
	for _, step := range spotSteps {
		last, beyond := s.line(at, step)
		if last == at {
			continue
		}
		side := s.contents[last].owner()
		s.shifted = append(s.shifted, wideShift{last, beyond, side})
		s.take(last)
		if s.contents[beyond] != wall {
			s.put(beyond, side)
		}
	}
	s.put(at, s.turn)
}

// line follows the unbroken line of marbles that begins beside a spot. It returns the last of them, which is the spot itself if there
// is none, and the spot beyond, which is empty or a wall.
func (s *wideState) line(at, step spot) (last, beyond spot) {
	last, beyond = at, at+step
	for s.contents[beyond]&marble != 0 {
		last, beyond = beyond, beyond+step
	}
	return last, beyond
}

func (s *wideState) put(at spot, side games.Side) {
	s.contents[at] = marbleOf(side)
	s.placed[side]++
	s.ringed[side][s.rules.ring[at]]++
	s.hash ^= wideKeys[side][at]
}

func (s *wideState) take(at spot) {
	side := s.contents[at].owner()
	s.contents[at] = empty
	s.placed[side]--
	s.ringed[side][s.rules.ring[at]]--
	s.hash ^= wideKeys[side][at]
}

// only returns the spot of the only marble on the board.
func (s *wideState) only() spot {
	for _, at := range s.rules.board {
		if s.contents[at] != empty {
			return at
		}
	}
	return 0
}

// appendForced appends the drops that push an enemy marble off the board. Only a marble on the rim can be pushed off, and the drop
// that does it is the first empty spot of a line that goes in from it.
func (s *wideState) appendForced(dst []games.Code) []games.Code {
	others, enemy := len(dst), marbleOf(s.turn.Other())
	for i := range s.rules.rim {
		from := &s.rules.rim[i]
		if s.contents[from.at] != enemy {
			continue
		}
		for _, step := range from.inward {
			_, beyond := s.line(from.at, step)
			if c := games.Code(beyond); s.contents[beyond] == empty && !slices.Contains(dst[others:], c) {
				dst = append(dst, c)
			}
		}
	}
	return dst
}

// Clone returns an independent copy.
func (s *wideState) Clone() games.State { return s.clone() }

func (s *wideState) clone() *wideState {
	return &wideState{wide: s.wide, contents: s.contents, rules: s.rules}
}

// Freeze returns the present position without a copy.
func (s *wideState) Freeze() games.Position {
	s.past, s.shifted = nil, nil
	return &Position{games.SnapshotOf(s), s}
}

// Move returns the canonical text of a legal move.
func (s *wideState) Move(c games.Code) games.Move {
	if c == games.Code(swap) {
		return swapText
	}
	return spot(c).text()
}

func (sp spot) text() games.Move { return games.Move(board.Name(sp.col(), sp.row())) }

// Code returns the code of a legal move, or the error that names the broken rule.
func (s *wideState) Code(m games.Move) (games.Code, error) { return codeOf(s, m) }

func (s *wideState) set() *settings   { return &s.rules.settings }
func (s *wideState) stand() *standing { return &s.standing }

func (s *wideState) at(col, row int) (side games.Side, held bool) {
	if c := s.contents[spotAt(col, row)]; c&marble != 0 {
		return c.owner(), true
	}
	return games.First, false
}

func (s *wideState) place(col, row int, side games.Side) { s.put(spotAt(col, row), side) }

func (s *wideState) dropOn(col, row int) games.Code { return games.Code(spotAt(col, row)) }

func (s *wideState) forcedDrops() []games.Code {
	if !s.Running() || !s.enemyHasOneLeft(s.rules.each) {
		return nil
	}
	return s.appendForced(nil)
}

func (s *wideState) pushes(drop games.Code) []Push {
	var pushes []Push
	at := spot(drop)
	for _, step := range spotSteps {
		last, beyond := s.line(at, step)
		if last == at {
			continue
		}
		push := Push{Side: s.contents[last].owner(), From: last.text()}
		if s.contents[beyond] == empty {
			push.To = beyond.text()
		}
		pushes = append(pushes, push)
	}
	return pushes
}

func (s *wideState) onRim(side games.Side) int { return int(s.ringed[side][0]) }
