package analyses

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/puzzle"
	"ludoteca/games/puzzle/generator"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// # Missed wins
//
// The analysis of a match says at which moves a player had a forced win and made another move. MissedWins makes puzzles of these moments in the
// latest matches of a user. It reads the analyses that there are, and makes none. Each win is proven again, as a position without a past, before
// it becomes a puzzle: in the queue of analyses, in turn with these, as one piece of background work of at most missedNodes positions. What comes
// of it is kept in memory.

const (
	// MissedMatches is how many of a user's latest matches are looked at for missed wins.
	MissedMatches = 20

	// missedNodes is about how many positions are looked at for one missed win: a second or two.
	missedNodes = 2_000_000

	// maxMissed is how many missed wins are kept, those too of which no puzzle comes. One takes 10 kB, at most some 50.
	maxMissed = 200
)

// A MissedWin is a puzzle from a match of a user: a forced win that the user had and missed. It has no rating. Several first moves may be right.
type MissedWin struct {
	Puzzle   *puzzle.Puzzle // its ID is that of the match and the number of the move, as ID.NUMBER
	Opponent string         // the name
	Number   int            // of the move that missed the win
	Played   games.Move     // that move
}

// A candidate is a missed win that the analysis of a match tells of, before it is proven again.
type candidate struct {
	match    storage.MatchID
	ply      int        // moves made before
	plies    int        // within which the side to move wins
	best     games.Move // by which it does
	opponent string
}

// id returns the ID of the puzzle.
func (c *candidate) id() string { return fmt.Sprintf("%s.%d", c.match, c.ply+1) }

// prove makes the puzzle, or returns nil if there is none: the win takes too many positions to prove, or the move that was played wins too.
func (c *candidate) prove(ctx context.Context, v *match.View) (*MissedWin, error) {
	if c.ply >= v.Ply() {
		return nil, nil
	}
	p, err := v.After(c.ply)
	if err != nil {
		return nil, err
	}
	made, err := generator.Missed(ctx, v.Game, p, c.plies, c.best, missedNodes)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // it says why there is no puzzle
		return nil, nil
	}
	made.ID = c.id()
	m := &MissedWin{Puzzle: made, Number: c.ply + 1, Played: v.Moves[c.ply]}
	if _, o := made.Begin().Try(m.Played); o.Verdict != puzzle.Wrong {
		return nil, nil
	}
	return m, nil
}

// A MissedStore keeps matches; see results.Store.
type MissedStore interface {
	// History returns finished matches, newest first, without their moves.
	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)
}

// MissedWins gives users puzzles from their own matches. Any goroutine may use it.
type MissedWins struct {
	queue    *Queue
	store    MissedStore
	sessions Sessions

	mu    sync.Mutex            // guards what follows
	kept  map[string]*MissedWin // by ID; nil: there is no puzzle
	order []string              // the oldest first
}

// NewMissedWins returns the missed wins of matches, which a queue proves.
func NewMissedWins(q *Queue, store MissedStore, s Sessions) *MissedWins {
	return &MissedWins{queue: q, store: store, sessions: s, kept: make(map[string]*MissedWin)}
}

// Next returns the missed win of a user that comes after the one with an ID, from the newest match to the oldest and then from the first one on:
// of one game, or of all if g is nil. "" begins with the first one. Next waits until the win is proven. The errors are refusal.ErrNoMissedWin,
// refusal.ErrNeedsKey for a guest, refusal.ErrManyAnalyses, refusal.ErrBusy, refusal.ErrClosed, and ctx.Err().
func (m *MissedWins) Next(ctx context.Context, u match.User, g games.Game, after string) (*MissedWin, error) {
	game := ""
	if g != nil {
		game = g.About().ID
	}
	all, err := m.candidates(ctx, u, game)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(all, func(c candidate) bool { return c.id() == after }) + 1
	for i := range all {
		if w, err := m.proven(ctx, u, all[(first+i)%len(all)]); w != nil || err != nil {
			return w, err
		}
	}
	return nil, refusal.ErrNoMissedWin
}

// Find returns the missed win of a user with an ID, in any letter case. It returns the errors of Next.
func (m *MissedWins) Find(ctx context.Context, u match.User, id string) (*MissedWin, error) {
	all, err := m.candidates(ctx, u, "")
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if !strings.EqualFold(c.id(), id) {
			continue
		}
		if w, err := m.proven(ctx, u, c); w != nil || err != nil {
			return w, err
		}
	}
	return nil, refusal.ErrNoMissedWin
}

// IsMissed reports whether typed has the form of the ID of a missed win.
func IsMissed(typed string) bool { return strings.Contains(typed, ".") }

// candidates returns the missed wins of a user's latest matches of a game, by what is stored: from the newest match to the oldest. game is "" for
// all games. The matches of guests are in no history.
func (m *MissedWins) candidates(ctx context.Context, u match.User, game string) (all []candidate, err error) {
	switch u.Kind {
	case storage.Person, storage.Engine:
	case storage.Guest:
		return nil, refusal.ErrNeedsKey
	default: // a key without an account
		return nil, nil
	}
	rows, err := m.store.History(ctx, results.HistoryQuery{Player: u.Player(), Game: game, Limit: MissedMatches})
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	for _, f := range rows {
		a, _, err := m.queue.archive.stored(ctx, f.ID, f.Plies+1) // one that is damaged is as good as none: nothing makes it anew here
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		seats := [2]storage.Occupant{games.First: f.First, games.Second: f.Second}
		for ply, p := range a.Points[:f.Plies] {
			side, ok := missedBy(&p)
			if ok && ply >= f.Start && u.Is(seats[side]) {
				all = append(all, candidate{f.ID, ply, p.Plies, p.Best, seats[side.Other()].Name})
			}
		}
	}
	return all, nil
}

// missedBy returns the side that had a proven win in a position and made a move that is marked. ok is false if none did.
func missedBy(p *analysis.Point) (side games.Side, ok bool) {
	if p.Mark == analysis.Fine || p.Why.Kind != games.WouldWin {
		return 0, false
	}
	if p.Proven == analysis.ProvenSecond {
		side = games.Second
	}
	return side, true
}

// proven waits until a candidate is proven, unless it has been before. It returns nil if it makes no puzzle.
func (m *MissedWins) proven(ctx context.Context, u match.User, c candidate) (*MissedWin, error) {
	w, known := m.find(c.id())
	if !known {
		by := origin.Origin{Person: match.PersonOf(u.Occupant()), Addr: m.sessions.Of(u.Occupant()).Addr}
		var err error
		if w, err = m.queue.proven(ctx, by, c); err != nil {
			if errors.Is(err, ErrFailed) && !errors.Is(err, refusal.ErrDamaged) && !errors.Is(err, refusal.ErrBusy) {
				err = refusal.OfStore(err)
			}
			return nil, err
		}
		m.keep(c.id(), w)
	}
	if w == nil {
		return nil, nil
	}
	named := *w
	named.Opponent = c.opponent // who may have another name by now
	return &named, nil
}

// proven has a candidate proven, in its turn.
func (q *Queue) proven(ctx context.Context, by origin.Origin, c candidate) (*MissedWin, error) {
	if err := q.config.Feeds.Err(); err != nil {
		return nil, err
	}
	it, leave, err := q.add(by, &item{id: c.match, missed: &c, total: 1})
	if err != nil {
		return nil, err
	}
	defer leave()
	for seq := uint64(0); ; {
		var p Progress
		p, seq, err = it.progress.Next(ctx, seq)
		switch {
		case err != nil:
			return nil, err
		case p.err != nil:
			return nil, p.err
		case p.Stage == Ready:
			return p.missed, nil
		}
	}
}

func (m *MissedWins) find(id string) (w *MissedWin, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, known = m.kept[id]
	return w, known
}

// keep keeps what came of a candidate, and forgets the oldest ones beyond maxMissed.
func (m *MissedWins) keep(id string, w *MissedWin) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.kept[id]; !known {
		m.order = append(m.order, id)
	}
	m.kept[id] = w
	for len(m.order) > maxMissed {
		delete(m.kept, m.order[0])
		m.order = slices.Delete(m.order, 0, 1)
	}
}
