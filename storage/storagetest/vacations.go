package storagetest

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	vacationstore "ludoteca/storage/vacations"
)

// Vacations is the part of a Store that keeps when players are on vacation.
type Vacations interface {
	BeginVacation(ctx context.Context, id storage.PlayerID, until, now time.Time, merged ...storage.PlayerID) ([]vacationstore.Row, error)
	EndVacation(ctx context.Context, id storage.PlayerID, now time.Time, merged ...storage.PlayerID) ([]vacationstore.Row, error)
	Vacation(ctx context.Context, id storage.PlayerID) (vacationstore.Vacation, error)
	RecentVacations(ctx context.Context, after time.Time) ([]vacationstore.Row, error)
}

// memoryVacations returns the vacations of a Memory, as any store has them, on an engine that forgets everything.
func (m *Memory) memoryVacations() *vacationstore.Store {
	return vacationstore.New(newMemoryEngine(), func(_ kv.Reader, id storage.PlayerID) (accounts.Player, error) {
		return m.Player(context.Background(), id)
	})
}

// vacations: each begun day of a vacation counts in the year in which it begins, and a vacation ends when the days are used up.
func vacations(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	at := func(text string) time.Time {
		v, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	begin := func(now, until string, wantUntil string, left int, want error) {
		t.Helper()
		var end time.Time
		if until != "" {
			end = at(until)
		}
		v, err := s.BeginVacation(ctx, ann.ID, end, at(now))
		if wants(t, "begin at "+now, err, want); want == nil && (len(v) != 1 || !v[0].Until.Equal(at(wantUntil)) || v[0].DaysLeft(at(now)) != left) {
			t.Errorf("begun at %s it is %+v; want that it lasts until %s, and that %d days are left", now, v, wantUntil, left)
		}
	}
	end := func(now string, left int, want error) {
		t.Helper()
		v, err := s.EndVacation(ctx, ann.ID, at(now))
		if wants(t, "end at "+now, err, want); want == nil && (len(v) != 1 || v[0].Active(at(now)) || v[0].DaysLeft(at(now)) != left) {
			t.Errorf("ended at %s it is %+v; want that %d days are left", now, v, left)
		}
	}
	end("2026-03-01 12:00", 0, vacationstore.ErrNoVacation)
	begin("2026-03-01 12:00", "2026-03-01 12:00", "", 0, vacationstore.ErrVacationPast)
	begin("2026-03-01 12:00", "2026-03-03 13:00", "2026-03-03 13:00", 11, nil)
	begin("2026-03-02 12:00", "2026-03-02 12:30", "2026-03-02 12:30", 12, nil) // made shorter
	begin("2026-03-02 12:10", "2026-03-05 12:00", "2026-03-05 12:00", 10, nil) // and longer
	end("2026-03-03 12:00", 12, nil)
	end("2026-03-03 12:01", 0, vacationstore.ErrNoVacation)
	begin("2026-03-03 12:01", "2026-03-03 12:02", "2026-03-03 12:02", 11, nil) // a minute is a day
	begin("2026-12-20 00:00", "", "2026-12-31 00:00", 0, nil)                  // all that are left
	begin("2026-12-31 00:00", "", "", 0, vacationstore.ErrNoDays)
	begin("2027-01-01 00:00", "2030-01-01 00:00", "2027-01-15 00:00", 0, nil) // never longer than there are days
	end("2027-01-02 00:00", 13, nil)
	begin("2027-12-25 12:00", "", "2028-01-15 12:00", 6, nil) // seven days of the old year and fourteen of the new one
	all, err := s.RecentVacations(ctx, at("2028-01-15 11:00"))
	if err != nil || len(all) != 1 || all[0].Player != ann.ID || !all[0].Until.Equal(at("2028-01-15 12:00")) || all[0].DaysLeft(at("2028-01-02 00:00")) != 0 {
		t.Errorf("recent vacations are %+v, %v", all, err)
	}
	all, err = s.RecentVacations(ctx, at("2028-01-15 12:00"))
	if err != nil || len(all) != 0 {
		t.Errorf("recent vacations are %+v, %v, want none", all, err)
	}
	begin("2028-01-20 12:00", "", "", 0, vacationstore.ErrNoDays)
	now := at("2029-05-01 12:00")
	for n := range vacationstore.MaxChanges + 2 {
		_, err := s.BeginVacation(ctx, ann.ID, now.AddDate(0, 0, 1+n%2), now.Add(time.Duration(n)*time.Minute))
		want := error(nil)
		if n > vacationstore.MaxChanges {
			want = vacationstore.ErrManyChanges
		}
		wants(t, "change", err, want)
	}
	end("2029-05-01 18:00", 13, nil)
	_, err = s.BeginVacation(ctx, "2222222222222222", time.Time{}, now)
	wants(t, "a stranger", err, storage.ErrNotFound)
	vacationDays(t, s)
	mergedVacations(t, s)
}

// mergedVacations: the days that the accounts of a player took count together, and the vacation that goes on is changed and ended whichever of them has it.
func mergedVacations(t *testing.T, s Store) {
	ctx := t.Context()
	eva, old := signUp(t, s, "eva"), signUp(t, s, "eva-before")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	begun := func(what string, until time.Time, of storage.PlayerID, wantUntil time.Time, left int, rows int) {
		t.Helper()
		v, err := s.BeginVacation(ctx, eva.ID, until, now, old.ID)
		if err != nil || len(v) != rows || v[0].Player != of || !v[0].Until.Equal(wantUntil) {
			t.Fatalf("%s: %+v, %v, want %d rows, the first of %s until %v", what, v, err, rows, of, wantUntil)
		}
		if got := daysLeft(t, s, now, eva.ID, old.ID); got != left {
			t.Errorf("%s: %d days are left, want %d", what, got, left)
		}
	}
	_, err := s.BeginVacation(ctx, old.ID, now.AddDate(0, 0, 5), now)
	wants(t, "begin", err, nil)
	now = now.AddDate(0, 0, 1)
	begun("longer", now.AddDate(0, 0, 7), old.ID, now.AddDate(0, 0, 7), 6, 1)
	begun("as long as possible", time.Time{}, old.ID, now.AddDate(0, 0, 13), 0, 1)
	ended, err := s.EndVacation(ctx, eva.ID, now.AddDate(0, 0, 2), old.ID)
	if err != nil || len(ended) != 1 || ended[0].Player != old.ID || ended[0].Active(now.AddDate(0, 0, 2)) {
		t.Errorf("ended: %+v, %v", ended, err)
	}
	now = now.AddDate(0, 0, 3)
	begun("anew", time.Time{}, eva.ID, now.AddDate(0, 0, 11), 0, 1) // three days were taken
	_, err = s.BeginVacation(ctx, old.ID, now.AddDate(0, 0, 2), now)
	wants(t, "at once in the other account", err, nil)
	now = now.Add(time.Hour)
	begun("one instead of two", now.AddDate(0, 0, 4), eva.ID, now.AddDate(0, 0, 4), 5, 2) // five of its own, four of the other account
	_, err = s.EndVacation(ctx, eva.ID, now, old.ID)
	wants(t, "end", err, nil)
	_, err = s.EndVacation(ctx, eva.ID, now, old.ID)
	wants(t, "end twice", err, vacationstore.ErrNoVacation)
}

// daysLeft returns how many days the accounts of a player have left together.
func daysLeft(t *testing.T, s Store, now time.Time, ids ...storage.PlayerID) int {
	t.Helper()
	var all []vacationstore.Vacation
	for _, id := range ids {
		v, err := s.Vacation(t.Context(), id)
		wants(t, "vacation", err, nil)
		all = append(all, v)
	}
	return vacationstore.DaysLeft(now, all...)
}

// vacationDays begins and ends vacations at random, and counts days by a second, naive rule: no year has more than its days.
func vacationDays(t *testing.T, s Store) {
	players := 0
	rapid.Check(t, func(rt *rapid.T) {
		if players++; players > 20 {
			return // each needs an account
		}
		p := signUp(t, s, "x"+string(rune('a'+players)))
		now, spent := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), map[int]int{}
		var since, until time.Time
		settle := func() { // counts the days of the vacation that is over
			for day := since; !since.IsZero() && (day.Equal(since) || day.Before(until)); day = day.AddDate(0, 0, 1) {
				spent[day.Year()]++
			}
			since = time.Time{}
		}
		for range rapid.IntRange(1, 12).Draw(rt, "acts") {
			now = now.Add(time.Duration(rapid.IntRange(1, 24*60).Draw(rt, "hours")) * time.Hour)
			active := !since.IsZero() && now.Before(until)
			if rapid.Bool().Draw(rt, "end") {
				_, err := s.EndVacation(t.Context(), p.ID, now)
				if (err == nil) != active {
					rt.Fatalf("ended at %v: %v, active %v", now, err, active)
				}
				if active {
					until = now
				}
			} else if v, err := s.BeginVacation(t.Context(), p.ID, now.Add(time.Duration(rapid.IntRange(1, 30*24).Draw(rt, "long"))*time.Hour), now); err == nil {
				if !active {
					settle()
					since = now
				}
				until = v[0].Until
			}
			if !since.IsZero() && !now.Before(until) {
				settle()
			}
			v, err := s.Vacation(t.Context(), p.ID)
			if err != nil {
				rt.Fatal(err)
			}
			for year, days := range spent {
				if days > vacationstore.DaysAYear {
					rt.Fatalf("%d days are spent in %d", days, year)
				}
			}
			if since.IsZero() {
				if got, want := v.DaysLeft(now), vacationstore.DaysAYear-spent[now.Year()]; got != want {
					rt.Fatalf("at %v %d days are left, want %d", now, got, want)
				}
			}
		}
	})
}

// deletedVacations: an account takes its vacation along.
func deletedVacations(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	v, err := s.BeginVacation(ctx, ann.ID, time.Time{}, start)
	wants(t, "begin", err, nil)
	same(t, "in the account", account(t, s, ann.ID).Vacation, v[0].Vacation)
	_, err = s.DeletePlayer(ctx, ann.ID, start)
	wants(t, "delete", err, nil)
	if v, err := s.Vacation(ctx, ann.ID); err != nil || !v.Since.IsZero() {
		t.Errorf("the vacation is still there: %+v, %v", v, err)
	}
}
