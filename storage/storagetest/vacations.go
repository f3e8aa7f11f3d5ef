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
	BeginVacation(ctx context.Context, id storage.PlayerID, until, now time.Time) (vacationstore.Vacation, error)
	EndVacation(ctx context.Context, id storage.PlayerID, now time.Time) (vacationstore.Vacation, error)
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
		if wants(t, "begin at "+now, err, want); want == nil && (!v.Until.Equal(at(wantUntil)) || v.DaysLeft(at(now)) != left) {
			t.Errorf("begun at %s it lasts until %v, and %d days are left; want %s and %d", now, v.Until, v.DaysLeft(at(now)), wantUntil, left)
		}
	}
	end := func(now string, left int, want error) {
		t.Helper()
		v, err := s.EndVacation(ctx, ann.ID, at(now))
		if wants(t, "end at "+now, err, want); want == nil && (v.Active(at(now)) || v.DaysLeft(at(now)) != left) {
			t.Errorf("ended at %s %d days are left, want %d", now, v.DaysLeft(at(now)), left)
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
				until = v.Until
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
	same(t, "in the account", account(t, s, ann.ID).Vacation, v)
	_, err = s.DeletePlayer(ctx, ann.ID, start)
	wants(t, "delete", err, nil)
	if v, err := s.Vacation(ctx, ann.ID); err != nil || !v.Since.IsZero() {
		t.Errorf("the vacation is still there: %+v, %v", v, err)
	}
}
