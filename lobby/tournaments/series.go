package tournaments

import (
	"context"
	"errors"
	"time"
	_ "time/tzdata" // a club may run where no time zones are installed; it adds 450 KB to the program

	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

const (
	// seriesEvery is how often the series are looked at.
	seriesEvery = time.Minute

	// seriesAhead is how long before it begins a tournament of a series is announced.
	seriesAhead = 6 * 24 * time.Hour
)

// A Weekly says when the tournaments of a series begin: on a day of the week at a time of day in a time zone.
type Weekly struct {
	Day          time.Weekday
	Hour, Minute int
	Zone         string // a name of the IANA database of time zones
}

// Next returns the first time after now. A time of day that the zone leaves out, because its clocks are put forward, is an hour later.
func (w Weekly) Next(now time.Time) (time.Time, error) {
	zone, err := time.LoadLocation(w.Zone)
	if err != nil || w.Zone == "" || w.Zone == "Local" {
		return time.Time{}, refusal.ErrNoSuchZone
	}
	local := now.In(zone)
	days := (int(w.Day) - int(local.Weekday()) + 7) % 7
	at := time.Date(local.Year(), local.Month(), local.Day()+days, w.Hour, w.Minute, 0, 0, zone)
	if !at.After(now) {
		at = time.Date(local.Year(), local.Month(), local.Day()+days+7, w.Hour, w.Minute, 0, 0, zone)
	}
	return at.UTC(), nil
}

// A Calendar has the series of a club, and announces their tournaments. Any goroutine may use it.
type Calendar struct {
	config    *Config
	announcer *Announcer
}

// Add has the club announce a tournament every week, and returns the series. The caller must be an operator. Begins of the spec is not looked at. A simultaneous
// exhibition has an announcer, so there is no series of these. The errors are refusal.ErrNoSuchZone, refusal.ErrManySeries, the errors of Plan,
// refusal.ErrCutOff and refusal.ErrBusy.
func (c *Calendar) Add(ctx context.Context, spec Spec, when Weekly) (tournaments.Series, error) {
	if err := c.config.Reach.Check(); err != nil {
		return tournaments.Series{}, err
	}
	if when.Hour < 0 || when.Hour > 23 || when.Minute < 0 || when.Minute > 59 || when.Day < time.Sunday || when.Day > time.Saturday || spec.Kind == tournaments.Simul {
		return tournaments.Series{}, refusal.ErrSpec
	}
	now := c.config.Now()
	if _, err := when.Next(now); err != nil {
		return tournaments.Series{}, err
	}
	spec.Begins = now.Add(time.Hour)
	settings, err := c.announcer.Plan(spec)
	if err != nil {
		return tournaments.Series{}, err
	}
	id := tournaments.SeriesID(codes.NewID())
	settings.Begins, settings.Series = time.Time{}, id
	series := tournaments.Series{ID: id, Settings: settings, Day: when.Day, Hour: when.Hour, Minute: when.Minute, Zone: when.Zone}
	err = c.config.Store.AddSeries(ctx, series)
	if errors.Is(err, tournaments.ErrManySeries) {
		return tournaments.Series{}, refusal.ErrManySeries
	}
	return series, refusal.OfStore(err)
}

// Remove ends a series. A tournament of it that is announced stays. The errors are refusal.ErrNoSuchTournament, refusal.ErrCutOff and
// refusal.ErrBusy.
func (c *Calendar) Remove(ctx context.Context, id tournaments.SeriesID) error {
	if err := c.config.Reach.Check(); err != nil {
		return err
	}
	err := c.config.Store.RemoveSeries(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return refusal.ErrNoSuchTournament
	}
	return refusal.OfStore(err)
}

// All returns the series of the club. The error is refusal.ErrBusy.
func (c *Calendar) All(ctx context.Context) ([]tournaments.Series, error) {
	all, err := c.config.Store.Series(ctx)
	return all, refusal.OfStore(err)
}

// run announces the tournaments of the series, at the node that owns them, until ctx ends.
func (c *Calendar) run(ctx context.Context) {
	ticker := time.NewTicker(seriesEvery)
	defer ticker.Stop()
	for {
		if c.config.owns("series") && c.config.Reach.Check() == nil {
			if err := c.announceDue(ctx); err != nil && ctx.Err() == nil {
				c.config.Log.Warn("the tournaments of series can't be announced", "err", err)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// announceDue announces the next tournament of each series whose time has come. Announcing it twice is refused by the store.
func (c *Calendar) announceDue(ctx context.Context) error {
	all, err := c.config.Store.Series(ctx)
	if err != nil {
		return err
	}
	now := c.config.Now()
	for _, series := range all {
		at, err := Weekly{series.Day, series.Hour, series.Minute, series.Zone}.Next(now.Add(MinAhead))
		if err != nil || at.Sub(now) > seriesAhead || !series.Last.Before(at) {
			continue
		}
		settings := series.Settings
		settings.Begins, settings.Series = storage.Stored(at), series.ID
		_, err = c.announcer.announce(ctx, match.User{}, settings)
		if err != nil && !errors.Is(err, refusal.ErrOtherTournament) {
			return err
		}
	}
	return nil
}
