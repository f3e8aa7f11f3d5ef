package operators

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Report is what one player tells the operators about another. Its JSON form is the stored one.
type Report struct {
	Number    uint64           `json:"number"` // the store gives it
	At        time.Time        `json:"at"`
	By        storage.PlayerID `json:"by"`
	ByName    string           `json:"by_name"`
	About     storage.PlayerID `json:"about"`
	AboutName string           `json:"about_name"`
	Match     storage.MatchID  `json:"match,omitempty"` // in which it happened; "" if it wasn't in one
	Reason    string           `json:"reason"`
	Chat      []Written        `json:"chat,omitempty"`    // the last lines of the match when it was reported, of the room in which the reporter writes
	Handled   uint64           `json:"handled,omitempty"` // number of the audit entry; 0 while it is open
	HandledAt time.Time        `json:"handled_at,omitzero"`
	Young     bool             `json:"young,omitempty"` // the account that reports was new: see AddReport
}

// Written is a line of a chat as a report keeps it, for operators alone.
type Written struct {
	At       time.Time `json:"at"`
	By       string    `json:"by"`
	Text     string    `json:"text,omitempty"`
	Greeting string    `json:"greeting,omitempty"`
}

// ReportLines is how many lines of a chat a report keeps at most.
const ReportLines = 20

// The bounds of reports.
const (
	MaxReports     = 500                  // open ones
	MaxReportsBy   = 10                   // open ones of one player
	ReportLife     = 180 * 24 * time.Hour // how long a report is kept after it was handled
	reportMaxBytes = 1000                 // of the reason
)

// Reports are the reports by number.
var Reports = storage.Table[uint64, Report]{
	Name: "reports", Keys: storage.Number(), Values: storage.JSON[uint64, Report](1),
	Check: func(_ uint64, p Report) error {
		if p.Number == 0 || p.By == "" || p.About == "" {
			return storage.Damaged("a report of nobody")
		}
		return nil
	},
}

// ErrManyReports says that too many reports wait for an operator.
var ErrManyReports = errors.New("too many open reports")

// AddReport keeps a report, which is open, and returns it with its number. A second open report by the same player about the same
// player replaces the first. When MaxReports are open, AddReport removes another one: the oldest of the player, or of the block of
// addresses, with most reports, and among reports by new accounts if there are any. The errors are ErrManyReports, if that would be the
// report itself or no player and no block has more than one, and ErrInvalid.
func (s *Store) AddReport(ctx context.Context, p Report) (Report, error) {
	err := storage.CheckText(p.ByName, p.AboutName, p.Reason)
	if err == nil && len(p.Chat) > ReportLines {
		err = fmt.Errorf("%w: a report with %d lines of chat", storage.ErrInvalid, len(p.Chat))
	}
	for i := range p.Chat {
		p.Chat[i].At = storage.Stored(p.Chat[i].At)
		err = errors.Join(err, storage.CheckText(p.Chat[i].By, p.Chat[i].Text, p.Chat[i].Greeting))
	}
	if err == nil && (p.By == "" || p.About == "" || p.Reason == "" || len(p.Reason) > reportMaxBytes) {
		err = fmt.Errorf("%w: a report without a player or a reason", storage.ErrInvalid)
	}
	return storage.Updated(ctx, s.engine, "report", func(tx kv.Tx) (Report, error) {
		if err != nil {
			return p, err
		}
		p.Number, p.At, p.Handled, p.HandledAt = 0, storage.Stored(p.At), 0, time.Time{}
		var open []Report
		own, last := 0, uint64(0)
		for e, err := range Reports.All().Scan(tx) {
			if err != nil {
				return p, err
			}
			other := e.Value
			last = other.Number
			if other.Handled != 0 {
				continue
			}
			if open = append(open, other); other.By == p.By {
				own++
			}
			if other.By == p.By && other.About == p.About {
				p.Number = other.Number
			}
		}
		if p.Number == 0 {
			if p.Number = last + 1; own >= MaxReportsBy {
				return p, ErrManyReports
			}
			if len(open) >= MaxReports {
				if err := displaceReport(tx, open, p); err != nil {
					return p, err
				}
			}
		}
		return p, Reports.Put(tx, p.Number, p)
	})
}

// displaceReport removes one of the open reports to make room for another one, see AddReport.
func displaceReport(tx kv.Tx, open []Report, p Report) error {
	all := append(slices.Clone(open), p)
	origins, byOrigin, byPlayer := make(map[storage.PlayerID]string), make(map[string]int), make(map[storage.PlayerID]int)
	for _, r := range all {
		origin, known := origins[r.By]
		if !known {
			var err error
			if origin, err = accounts.LastBlock(tx, r.By); err != nil {
				return err
			}
			if origin == "" {
				origin = "player " + string(r.By)
			}
			origins[r.By] = origin
		}
		byOrigin[origin]++
		byPlayer[r.By]++
	}
	reports := func(r Report) int { return max(byOrigin[origins[r.By]], byPlayer[r.By]) }
	removed := slices.MaxFunc(all, func(a, b Report) int {
		young := func(r Report) int {
			if r.Young {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(young(a), young(b)), cmp.Compare(reports(a), reports(b)), cmp.Compare(b.Number, a.Number))
	})
	if removed.Number == p.Number || removed.Young == p.Young && reports(removed) == 1 {
		return ErrManyReports
	}
	Reports.Delete(tx, removed.Number)
	return nil
}

// Reports returns the open reports, the oldest first, and the handled ones too if handled is true.
func (s *Store) Reports(ctx context.Context, handled bool) ([]Report, error) {
	return storage.View(ctx, s.engine, "reports", func(r kv.Reader) (all []Report, err error) {
		for e, err := range Reports.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			if handled || e.Value.Handled == 0 {
				all = append(all, e.Value)
			}
		}
		return all, nil
	})
}

// A ReportChange says that a report, or several, are handled, or open again.
type ReportChange struct {
	Number  uint64   `json:"number,omitempty"`
	Numbers []uint64 `json:"numbers,omitempty"` // in place of Number: several reports. A report that has changed already, or is gone, stays as it is
	Handled bool     `json:"handled"`
}

func (c *ReportChange) apply(tx kv.Tx, entry AuditEntry) (undo *ReportChange, err error) {
	if len(c.Numbers) == 0 {
		return c.applyTo(tx, c.Number, entry)
	}
	undo = &ReportChange{Handled: !c.Handled}
	for _, number := range c.Numbers {
		switch _, err := c.applyTo(tx, number, entry); {
		case errors.Is(err, storage.ErrUnchanged), errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			undo.Numbers = append(undo.Numbers, number)
		}
	}
	if len(undo.Numbers) == 0 {
		return nil, storage.ErrUnchanged
	}
	return undo, nil
}

// applyTo makes the change to one report.
func (c *ReportChange) applyTo(tx kv.Tx, number uint64, entry AuditEntry) (*ReportChange, error) {
	p, err := Reports.Get(tx, number)
	if err != nil {
		return nil, err
	}
	if (p.Handled != 0) == c.Handled {
		return nil, storage.ErrUnchanged
	}
	p.Handled, p.HandledAt = 0, time.Time{}
	if c.Handled {
		p.Handled, p.HandledAt = entry.Number, entry.At
	}
	return &ReportChange{Number: number, Handled: !c.Handled}, Reports.Put(tx, number, p)
}

// sweepReports forgets reports that were handled ReportLife ago. The last one stays: the next number follows it.
func (s *Store) sweepReports(ctx context.Context, now time.Time) error {
	var last uint64 // stays, because the next number follows from it
	if err := s.engine.View(ctx, func(r kv.Reader) (err error) {
		last, err = storage.LastNumber(r, Reports)
		return err
	}); err != nil {
		return err
	}
	return Reports.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[uint64, Report]) (bool, error) {
		r := e.Value
		return r.Handled != 0 && r.Number < last && now.Sub(r.HandledAt) >= ReportLife, nil
	})
}
