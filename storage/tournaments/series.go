package tournaments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A SeriesID names a series of tournaments, in the form of a TournamentID.
type SeriesID string

// A Series is a tournament that the club announces anew every week. Its JSON form is the stored one.
type Series struct {
	ID       SeriesID     `json:"-"`
	Settings Settings     `json:"settings"` // of each, but for Code, Begins and Seed
	Day      time.Weekday `json:"day"`
	Hour     int          `json:"hour"`
	Minute   int          `json:"minute"`
	Zone     string       `json:"zone"`          // a name of the IANA database of time zones
	Last     time.Time    `json:"last,omitzero"` // when the tournament begins that was announced last
}

// MaxSeries is how many series a club has.
const MaxSeries = 20

// ErrManySeries says that the club has MaxSeries series.
var ErrManySeries = errors.New("too many series of tournaments")

// AllSeries are the series of the club.
var AllSeries = storage.Table[SeriesID, Series]{
	Name: "tournament_series", Keys: storage.Text[SeriesID](nil),
	Values: storage.JSONAs(1, func(s Series) Series { return s }, func(id SeriesID, s Series) (Series, error) {
		s.ID = id
		if checkSeries(s) != nil {
			return s, storage.Damaged("a series that makes no sense")
		}
		return s, nil
	}),
}

func checkSeries(s Series) error {
	if s.Day < time.Sunday || s.Day > time.Saturday || s.Hour < 0 || s.Hour > 23 || s.Minute < 0 || s.Minute > 59 || s.Zone == "" || s.Settings.Name == "" {
		return fmt.Errorf("%w: a series on day %d at %d:%d", storage.ErrInvalid, s.Day, s.Hour, s.Minute)
	}
	return storage.CheckText(s.Zone, s.Settings.Name)
}

// AddSeries adds a series. The error is ErrManySeries if there are MaxSeries.
func (s *Store) AddSeries(ctx context.Context, series Series) error {
	if err := errors.Join(storage.CheckKeys(string(series.ID)), checkSeries(series)); err != nil {
		return err
	}
	return storage.Update(ctx, s.engine, "add a series of tournaments", func(tx kv.Tx) error {
		all, err := AllSeries.All().Values(tx)
		if err != nil {
			return err
		}
		if len(all) >= MaxSeries {
			return ErrManySeries
		}
		return AllSeries.Put(tx, series.ID, series)
	})
}

// RemoveSeries removes a series; tournaments of it that are announced stay. The error is ErrNotFound if there is none.
func (s *Store) RemoveSeries(ctx context.Context, id SeriesID) error {
	return storage.Update(ctx, s.engine, "remove a series of tournaments", func(tx kv.Tx) error {
		_, err := AllSeries.Get(tx, id)
		if err == nil {
			AllSeries.Delete(tx, id)
		}
		return err
	})
}

// Series returns all series, by id.
func (s *Store) Series(ctx context.Context) ([]Series, error) {
	return storage.View(ctx, s.engine, "series of tournaments", func(r kv.Reader) ([]Series, error) { return AllSeries.All().Values(r) })
}

// continueSeries notes that a series has a tournament that begins at a time. The error is ErrOther if it has had one then or later, or is gone.
func continueSeries(tx kv.Tx, id SeriesID, begins time.Time) error {
	series, there, err := AllSeries.Find(tx, id)
	if err != nil {
		return err
	}
	if !there || !series.Last.Before(begins) {
		return ErrOther
	}
	series.Last = begins
	return AllSeries.Put(tx, id, series)
}
