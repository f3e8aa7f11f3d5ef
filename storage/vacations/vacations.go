// Package vacations stores when players are, or were last, on vacation, and how many days of which year that took.
package vacations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Store keeps the vacations of players.
type Store struct {
	engine kv.Store
	player func(kv.Reader, storage.PlayerID) (accounts.Player, error)
}

// New returns the vacations that an engine keeps. player reads a player who is not deleted.
func New(engine kv.Store, player func(kv.Reader, storage.PlayerID) (accounts.Player, error)) *Store {
	return &Store{engine, player}
}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{Tables: []storage.AnyTable{Vacations}}
}

// The bounds of vacations.
const (
	DaysAYear  = 14 // of a player, in a calendar year of UTC
	MaxChanges = 10 // of the end of one vacation
)

// Day is the unit of vacations: a begun day counts whole, from the moment on at which the vacation began.
const Day = 24 * time.Hour

// Why a vacation can't begin, change or end.
var (
	ErrNoDays       = errors.New("all days of vacation are used up")
	ErrManyChanges  = errors.New("the end of this vacation was changed too often")
	ErrNoVacation   = errors.New("the player is not on vacation")
	ErrVacationPast = errors.New("a vacation can't end before it begins")
)

// A Vacation is the present or the last one of a player. Each of its days, counted from Since on, belongs to the year in which the day begins. So how
// many days are left follows from this value and the time, and no timer has to count them. Its JSON form is the stored one.
type Vacation struct {
	Since   time.Time   `json:"since"`
	Until   time.Time   `json:"until"`
	Changes int         `json:"changes,omitempty"` // of Until
	Spent   map[int]int `json:"spent,omitempty"`   // days of vacations before this one, by year
}

// A Row is the vacation of one player.
type Row struct {
	Player storage.PlayerID
	Vacation
}

// Vacations are the vacations of all players who had any.
var Vacations = storage.Table[storage.PlayerID, Vacation]{
	Name: "vacations", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, Vacation](1),
	Check: func(_ storage.PlayerID, v Vacation) error {
		if v.Since.IsZero() || v.Until.Before(v.Since) || v.Until.Sub(v.Since) > 2*DaysAYear*Day || v.Changes < 0 || v.Changes > MaxChanges || len(v.Spent) > 2 {
			return storage.Damaged("a vacation from %v until %v", v.Since, v.Until)
		}
		return nil
	},
}

// Active reports whether the player is on vacation at a time.
func (v Vacation) Active(now time.Time) bool { return !now.Before(v.Since) && now.Before(v.Until) }

// taken returns how many days of a year are taken by this vacation and those before.
func (v Vacation) taken(year int) int {
	days := v.Spent[year]
	if v.Since.IsZero() {
		return days
	}
	for day := v.Since; day.Equal(v.Since) || day.Before(v.Until); day = day.Add(Day) {
		if day.UTC().Year() == year {
			days++
		}
	}
	return days
}

// DaysLeft returns how many days of the year of a time are not taken, neither by vacations that are over nor by the present one.
func (v Vacation) DaysLeft(now time.Time) int { return DaysLeft(now, v) }

// DaysLeft is Vacation.DaysLeft for the vacations of all accounts of a player.
func DaysLeft(now time.Time, all ...Vacation) int {
	left := DaysAYear
	for _, v := range all {
		left -= v.taken(now.UTC().Year())
	}
	return max(left, 0)
}

// limit returns when a vacation that begins at a time ends at the latest, with the days that earlier ones took; the same time if no day is left.
func limit(since time.Time, spent map[int]int) time.Time {
	left, day := map[int]int{}, since
	for range 2 * DaysAYear {
		year := day.UTC().Year()
		if _, known := left[year]; !known {
			left[year] = DaysAYear - spent[year]
		}
		if left[year] <= 0 {
			break
		}
		left[year]--
		day = day.Add(Day)
	}
	return day
}

// begun returns the vacation that begins at a time, after v.
func (v Vacation) begun(now time.Time) Vacation {
	next := Vacation{Since: now, Spent: map[int]int{}}
	for _, year := range []int{now.UTC().Year(), now.UTC().Year() + 1} {
		if days := v.taken(year); days > 0 {
			next.Spent[year] = days
		}
	}
	if len(next.Spent) == 0 {
		next.Spent = nil
	}
	return next
}

// read reads the vacations of the accounts of a player. on is the one that goes on and lasts longest, or else that of the first account.
func read(r kv.Reader, ids []storage.PlayerID, now time.Time) (all []Row, on int, err error) {
	for i, id := range ids {
		v, _, err := Vacations.Find(r, id)
		if err != nil {
			return nil, 0, err
		}
		v.Spent = maps.Clone(v.Spent)
		all = append(all, Row{id, v})
		if v.Active(now) && (!all[on].Active(now) || v.Until.After(all[on].Until)) {
			on = i
		}
	}
	return all, on, nil
}

// end ends the vacations of some accounts that go on, and returns these rows.
func end(tx kv.Tx, all []Row, now time.Time) (changed []Row, err error) {
	for i := range all {
		if !all[i].Active(now) {
			continue
		}
		all[i].Until = now
		if err := Vacations.Put(tx, all[i].Player, all[i].Vacation); err != nil {
			return nil, err
		}
		changed = append(changed, all[i])
	}
	return changed, nil
}

// BeginVacation begins the vacation of a player, or changes the end of the one that goes on. It lasts until a time, zero for as long as possible, but
// never longer than there are days. merged are the accounts that were merged with the player's: their days count, and their vacation is the player's. It
// returns the rows that it has written, the vacation first. The errors are storage.ErrNotFound for an unknown player, ErrVacationPast, ErrNoDays and
// ErrManyChanges.
func (s *Store) BeginVacation(ctx context.Context, id storage.PlayerID, until, now time.Time, merged ...storage.PlayerID) ([]Row, error) {
	now, until = storage.Stored(now), storage.Stored(until)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("vacation of player %s", id), func(tx kv.Tx) ([]Row, error) {
		if _, err := s.player(tx, id); err != nil {
			return nil, err
		}
		if !until.IsZero() && !until.After(now) {
			return nil, ErrVacationPast
		}
		all, on, err := read(tx, append([]storage.PlayerID{id}, merged...), now)
		if err != nil {
			return nil, err
		}
		v, was := all[on], all[on].Until
		others := slices.Delete(all, on, on+1)
		switch {
		case !v.Active(now):
			v.Vacation = v.begun(now)
		case v.Changes >= MaxChanges:
			return nil, ErrManyChanges
		default:
			v.Changes++
		}
		ended, err := end(tx, others, now)
		if err != nil {
			return nil, err
		}
		last := limit(v.Since, v.spent(others))
		if !last.After(now) {
			return nil, ErrNoDays
		}
		if v.Until = until; until.IsZero() || until.After(last) {
			v.Until = last
		}
		if v.Until.Equal(was) {
			v.Changes = max(v.Changes-1, 0)
		}
		return append([]Row{v}, ended...), Vacations.Put(tx, v.Player, v.Vacation)
	})
}

// spent returns the days that were taken before a vacation, or in other accounts of the player.
func (v Vacation) spent(others []Row) map[int]int {
	spent := map[int]int{}
	for _, year := range []int{v.Since.UTC().Year(), v.Since.UTC().Year() + 1} {
		spent[year] = v.Spent[year]
		for _, o := range others {
			spent[year] += o.taken(year)
		}
	}
	return spent
}

// EndVacation ends the vacation of a player before its time. merged are as in BeginVacation, and so are the rows that it returns. The error is
// ErrNoVacation if there is none.
func (s *Store) EndVacation(ctx context.Context, id storage.PlayerID, now time.Time, merged ...storage.PlayerID) ([]Row, error) {
	now = storage.Stored(now)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("vacation of player %s", id), func(tx kv.Tx) ([]Row, error) {
		all, _, err := read(tx, append([]storage.PlayerID{id}, merged...), now)
		if err != nil {
			return nil, err
		}
		ended, err := end(tx, all, now)
		if err == nil && len(ended) == 0 {
			err = ErrNoVacation
		}
		return ended, err
	})
}

// Vacation returns the vacation of a player; the zero value if there was none yet.
func (s *Store) Vacation(ctx context.Context, id storage.PlayerID) (Vacation, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("vacation of player %s", id), func(r kv.Reader) (Vacation, error) {
		v, _, err := Vacations.Find(r, id)
		return v, err
	})
}

// RecentVacations returns the vacations that end after a time.
func (s *Store) RecentVacations(ctx context.Context, after time.Time) (all []Row, err error) {
	return storage.View(ctx, s.engine, "vacations", func(r kv.Reader) ([]Row, error) {
		for e, err := range Vacations.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			if e.Value.Until.After(after) {
				all = append(all, Row{e.Key, e.Value})
			}
		}
		return all, nil
	})
}

// Erase deletes the vacation of a player.
func Erase(tx kv.Tx, id storage.PlayerID) error {
	Vacations.Delete(tx, id)
	return nil
}

// FollowVacations follows the vacations of all players until ctx ends; see Follower.
func (s *Store) FollowVacations(ctx context.Context, f storage.Follower[storage.PlayerID, Row]) error {
	return storage.FollowPrefix(ctx, s.engine, Vacations.Prefix(), func(key, value []byte) (e storage.Entry[storage.PlayerID, Row], err error) {
		of, err := Vacations.Entry(key, value)
		return storage.Entry[storage.PlayerID, Row]{Key: of.Key, Value: Row{of.Key, of.Value}}, err
	}, f)
}
