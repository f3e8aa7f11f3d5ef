// Package vacations keeps who is on vacation: the clocks of their matches with days a move stand meanwhile.
//
// The store has each vacation, with its days and its end, before a match knows of it. The log of each match of the player then says until when its
// clock stands (lobby/match/pauses.go), so no timer ends a vacation. A vacation that a match doesn't know of yet, because it began a moment ago, the
// program was killed or the match is new, is written into its log by the node that owns the match. Writing it again changes nothing.
package vacations

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/vacations"
)

// DaysAYear is how many days of vacation a player has in a calendar year.
const DaysAYear = vacations.DaysAYear

// A Store keeps vacations; see vacations.Store.
type Store interface {
	BeginVacation(ctx context.Context, id storage.PlayerID, until, now time.Time, merged ...storage.PlayerID) ([]vacations.Row, error)
	EndVacation(ctx context.Context, id storage.PlayerID, now time.Time, merged ...storage.PlayerID) ([]vacations.Row, error)
	Vacation(ctx context.Context, id storage.PlayerID) (vacations.Vacation, error)
}

// A Shared is the store of a club with several nodes; see vacations.Store.
type Shared interface {
	FollowVacations(ctx context.Context, f storage.Follower[storage.PlayerID, vacations.Row]) error
}

// Matches has all matches; see matches.Service.
type Matches interface {
	Do(ctx context.Context, id storage.MatchID, act match.Act) error
}

// A Registry has the unfinished matches; registry.Registry is one.
type Registry interface {
	Of(k match.Key) []*match.Summary
}

// Restrictions knows who may keep something, and which accounts were merged; see restrictions.Service.
type Restrictions interface {
	Own(u match.User) error
	AccountsOf(id storage.PlayerID) []storage.PlayerID // the player's own first
	MainAccount(id storage.PlayerID) storage.PlayerID
}

// A Node knows what this node owns.
type Node interface {
	Owns(id storage.MatchID) bool
	Ready() bool
	CutOff() bool
}

// A Config configures New.
type Config struct {
	Store        Store
	Matches      Matches
	Registry     Registry
	Restrictions Restrictions
	Node         Node
	Tasks        *tasks.Group
	Now          func() time.Time // the clock of events
	Log          *slog.Logger

	Origin func(storage.Occupant) origin.Origin // of a user; it must not wait
}

// A Service has the vacations of players. Any goroutine may use it.
//
// Vacations belong to accounts. The vacation of an account that was merged with another one is that of the other's player, and so are the days that it
// took.
type Service struct {
	config   Config
	throttle *origin.Throttle // changes of vacations
	turn     *tasks.Turn      // held while a vacation is written, so that known changes in the same order

	mu    sync.Mutex
	known map[storage.PlayerID]vacations.Vacation // those that end after Recent
}

// How often a person may change their vacation. A block of addresses may do so as often as changeTogether people for each unit of its weight.
const (
	changeEvery    = 10 * time.Second
	changeBurst    = 10 // in a row
	changeTogether = 4
	changers       = 1 << 12 // people that are remembered
)

// Recent returns the time after which a vacation ends that a match may still have in its log with a later end.
func Recent(now time.Time) time.Time { return now.Add(-match.MaxVacation) }

// New returns a service that knows the vacations in rows, which are recent. The caller must run Run, and Follow.
func New(c Config, rows []vacations.Row) *Service {
	s := &Service{
		config: c, throttle: origin.NewSharedThrottle(changeEvery, changeBurst, changeTogether, changers), turn: c.Tasks.NewTurn(),
		known: make(map[storage.PlayerID]vacations.Vacation, len(rows)),
	}
	for _, r := range rows {
		s.known[r.Player] = r.Vacation
	}
	return s
}

// Until returns until when a player is on vacation; zero if they are not.
func (s *Service) Until(id storage.PlayerID) (until time.Time) {
	accounts, now := s.config.Restrictions.AccountsOf(id), s.config.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range accounts {
		if v := s.known[id]; v.Active(now) && v.Until.After(until) {
			until = v.Until
		}
	}
	return until
}

// A State is the vacation of a player as they see it.
type State struct {
	Until    time.Time // zero: they are not on vacation
	DaysLeft int       // of this year, that are not taken
}

// state returns the vacation of a player from the vacations of all their accounts.
func (s *Service) state(all []vacations.Vacation) State {
	now := s.config.Now()
	st := State{DaysLeft: vacations.DaysLeft(now, all...)}
	for _, v := range all {
		if v.Active(now) && v.Until.After(st.Until) {
			st.Until = v.Until
		}
	}
	return st
}

// all reads the vacations of all accounts of a player.
func (s *Service) all(ctx context.Context, id storage.PlayerID) (all []vacations.Vacation, err error) {
	for _, id := range s.config.Restrictions.AccountsOf(id) {
		v, err := s.config.Store.Vacation(ctx, id)
		if err != nil {
			return nil, refusal.OfStore(err)
		}
		all = append(all, v)
	}
	return all, nil
}

// Of returns the vacation of a user. It returns refusal.ErrNeedsKey and refusal.ErrBusy.
func (s *Service) Of(ctx context.Context, u match.User) (State, error) {
	if !u.Kind.HasAccount() {
		return State{}, refusal.ErrNeedsKey
	}
	all, err := s.all(ctx, u.Player())
	if err != nil {
		return State{}, err
	}
	return s.state(all), nil
}

// Begin begins the vacation of a user, or changes the end of the one that goes on. It lasts until a time, zero for as long as possible, and not
// longer than there are days. When Begin returns, the clocks of the user's matches stand. The errors are refusal.ErrNeedsKey,
// refusal.ErrAccountClosed, *refusal.ChattyError, refusal.ErrOverdue, refusal.ErrVacationPast, refusal.ErrVacationDays, refusal.ErrVacationChanges,
// refusal.ErrBusy and refusal.ErrClosed.
func (s *Service) Begin(ctx context.Context, u match.User, until time.Time) (State, error) {
	return s.change(ctx, u, func(ctx context.Context, id storage.PlayerID, now time.Time, merged ...storage.PlayerID) ([]vacations.Row, error) {
		for _, m := range s.config.Registry.Of(u.Key()) {
			if m.YourTurn(u) && m.MayStand() && m.Clock.Expired(now) {
				return nil, refusal.ErrOverdue
			}
		}
		return s.config.Store.BeginVacation(ctx, id, until, now, merged...)
	})
}

// End ends the vacation of a user before its time. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed, *refusal.ChattyError,
// refusal.ErrNoVacation, refusal.ErrBusy and refusal.ErrClosed.
func (s *Service) End(ctx context.Context, u match.User) (State, error) {
	return s.change(ctx, u, s.config.Store.EndVacation)
}

// A writing changes the vacation of a player; see vacations.Store.
type writing func(ctx context.Context, id storage.PlayerID, now time.Time, merged ...storage.PlayerID) (changed []vacations.Row, err error)

// change writes the vacation of a user, and has their matches know of it.
func (s *Service) change(ctx context.Context, u match.User, write writing) (State, error) {
	if err := s.config.Restrictions.Own(u); err != nil {
		return State{}, err
	}
	if wait, ok := s.throttle.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return State{}, &refusal.ChattyError{Wait: wait}
	}
	if err := s.write(ctx, u.Player(), write); err != nil {
		return State{}, err
	}
	s.tellAll(ctx, u)
	return s.Of(ctx, u)
}

// tellAll has all matches of a user know of their vacation.
func (s *Service) tellAll(ctx context.Context, u match.User) {
	for _, m := range s.config.Registry.Of(u.Key()) {
		s.tell(ctx, u, m)
	}
}

// Merged has the matches of a player know of a vacation that has become theirs, or is theirs no more, because an operator has merged another account with
// theirs, or has undone that.
func (s *Service) Merged(ctx context.Context, into storage.PlayerID) {
	s.tellAll(ctx, match.User{Kind: storage.Person, ID: string(into)})
}

func (s *Service) write(ctx context.Context, id storage.PlayerID, write writing) error {
	done, err := s.turn.Take(ctx)
	if err != nil {
		return err
	}
	defer done()
	changed, err := write(ctx, id, s.config.Now(), s.config.Restrictions.AccountsOf(id)[1:]...)
	for store, why := range map[error]error{
		vacations.ErrNoDays: refusal.ErrVacationDays, vacations.ErrManyChanges: refusal.ErrVacationChanges, vacations.ErrNoVacation: refusal.ErrNoVacation,
		vacations.ErrVacationPast: refusal.ErrVacationPast, refusal.ErrOverdue: refusal.ErrOverdue,
	} {
		if errors.Is(err, store) {
			return why
		}
	}
	if err != nil {
		return refusal.OfStore(err)
	}
	for _, r := range changed {
		s.set(r.Player, r.Vacation)
	}
	return nil
}

func (s *Service) set(id storage.PlayerID, v vacations.Vacation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[id] = v
}

// Forget forgets the vacation of a player whose account is gone.
func (s *Service) Forget(id storage.PlayerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, id)
}

// knows reports whether a match knows of the vacation of a user, or doesn't have to.
func (s *Service) knows(u match.User, m *match.Summary) bool {
	side, seated := m.Side(u)
	known, until := m.Pauses.Vacation[side], s.Until(u.Player())
	return !seated || !m.MayStand() || known.Equal(until) || until.IsZero() && !known.After(s.config.Now())
}

// tell has a match know of the vacation of a user, unless it does. A match that can't be written to is told later, by Run.
func (s *Service) tell(ctx context.Context, u match.User, m *match.Summary) {
	if s.knows(u, m) {
		return
	}
	now := s.config.Now()
	err := s.config.Matches.Do(ctx, m.ID, func(st *match.State) ([]matches.Event, error) {
		return match.Vacation(u, s.Until(u.Player()), now)(st) // as it is by now
	})
	switch {
	case err == nil, errors.Is(err, match.ErrOver), errors.Is(err, match.ErrTimeUp), ctx.Err() != nil:
	default:
		s.config.Log.Warn("a match does not know of a vacation yet", "match", m.ID, "player", u.ID, "err", err)
	}
}

// lookEvery is how often matches are looked for that don't know of a vacation.
const lookEvery = time.Minute

// Run has matches know of vacations until ctx ends, those that this node owns.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if s.config.Node.Ready() && !s.config.Node.CutOff() {
			s.look(ctx)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// look has the matches that this node owns know of the vacations of their players.
func (s *Service) look(ctx context.Context) {
	for _, id := range s.recent() { // among them accounts that were merged with that of the player
		u := match.User{Kind: storage.Person, ID: string(id)}
		all := slices.DeleteFunc(s.config.Registry.Of(u.Key()), func(m *match.Summary) bool { return !s.config.Node.Owns(m.ID) || s.knows(u, m) })
		if len(all) == 0 || !s.read(ctx, id) {
			continue
		}
		for _, m := range all {
			s.tell(ctx, u, m)
		}
	}
}

// read reads the vacation of a player: another node may have written it a moment ago.
func (s *Service) read(ctx context.Context, id storage.PlayerID) bool {
	done, err := s.turn.Take(ctx)
	if err != nil {
		return false
	}
	defer done()
	all, err := s.all(ctx, id)
	if err != nil {
		if ctx.Err() == nil {
			s.config.Log.Warn("the vacation of a player can't be read", "player", id, "err", err)
		}
		return false
	}
	for i, id := range s.config.Restrictions.AccountsOf(id) {
		s.set(id, all[i])
	}
	return true
}

// recent returns the players whose vacations concern matches, and forgets the vacations that are over for long.
func (s *Service) recent() []storage.PlayerID {
	ids := s.keepRecent()
	for i, id := range ids {
		ids[i] = s.config.Restrictions.MainAccount(id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (s *Service) keepRecent() (ids []storage.PlayerID) {
	after := Recent(s.config.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, v := range s.known {
		if v.Until.After(after) {
			ids = append(ids, id)
		} else {
			delete(s.known, id)
		}
	}
	return ids
}

// Follow follows the vacations that other nodes write until ctx ends.
func (s *Service) Follow(ctx context.Context, others nodes.Follower, shared Shared) {
	others.Follow(ctx, func(ctx context.Context) error {
		return shared.FollowVacations(ctx, nodes.Mirror[storage.PlayerID, vacations.Row]{
			Key: func(row vacations.Row) storage.PlayerID { return row.Player },
			Known: func() []storage.PlayerID {
				s.mu.Lock()
				defer s.mu.Unlock()
				var ids []storage.PlayerID
				for id := range s.known {
					ids = append(ids, id)
				}
				return ids
			},
			Put: func(row vacations.Row, _ bool) {
				if row.Until.After(Recent(s.config.Now())) {
					s.set(row.Player, row.Vacation)
				}
			},
			Gone: s.Forget,
		}.Follower(others.Unreadable))
	})
}
