// Package operators stores what operators do and need: the audit log with the changes that its acts make, bans, reports, the announcement, and the
// keys that sign records.
package operators

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// ErrNoUndo says that an act of an operator can't be undone, or has been undone already. Nothing was written.
var ErrNoUndo = errors.New("it can't be undone")

// A Store keeps what operators do and need.
type Store struct {
	engine     kv.Store
	lookalikes accounts.LookalikeRules
	results    *results.Store
}

// New returns what an engine keeps of operators.
func New(engine kv.Store, alike accounts.LookalikeRules, results *results.Store) *Store {
	return &Store{engine, alike, results}
}

// An AuditEntry is one act of an operator, as it is kept for good. Its JSON form is the stored one.
type AuditEntry struct {
	Number   uint64    `json:"number"` // from 1, without gaps; the store gives it
	At       time.Time `json:"at"`
	By       string    `json:"by"`   // the fingerprint of the operator's key, or where else the act came from
	Verb     string    `json:"verb"` // what was done
	Subject  string    `json:"subject"`
	Reason   string    `json:"reason"`
	Until    time.Time `json:"until,omitzero"`      // when the mute or the ban ends that was made; zero: it doesn't, or none was
	Undo     *Change   `json:"undo,omitempty"`      // what takes it back; nil: nothing does
	Undoes   uint64    `json:"undoes,omitempty"`    // the number of the entry that this one took back
	UndoneBy uint64    `json:"undone_by,omitempty"` // the number of the entry that took this one back
}

// A Change is what an act changes in the store. Its parts are made in one transaction, from the first to the last.
type Change struct {
	Mute     *MuteChange    `json:"mute,omitempty"`
	Keys     *KeysChange    `json:"keys,omitempty"`
	Closing  *ClosedChange  `json:"closing,omitempty"`
	Rename   *RenameChange  `json:"rename,omitempty"`
	Ban      *BanChange     `json:"ban,omitempty"`
	Report   *ReportChange  `json:"report,omitempty"`
	Result   *ResultChange  `json:"result,omitempty"`
	Results  *ResultsChange `json:"results,omitempty"`
	Announce *Announcement  `json:"announce,omitempty"`
	Lounge   *LoungeChange  `json:"lounge,omitempty"`
	Signer   *SignerChange  `json:"signer,omitempty"`
}

// Audit is the log of the acts of operators, by number.
var Audit = storage.Table[uint64, AuditEntry]{
	Name: "audit", Keys: storage.Number(), Values: storage.JSON[uint64, AuditEntry](1),
	Check: func(_ uint64, e AuditEntry) error {
		if e.Number == 0 || e.Verb == "" || e.By == "" {
			return storage.Damaged("an audit entry makes no sense")
		}
		return nil
	},
}

// Act makes a change and keeps its entry in one transaction, and returns the entry as it is kept: with its number and the change that
// undoes it. If entry.Undoes isn't 0, Act makes the change that undoes that entry instead of change. A change of a result works out all
// ratings anew, which takes a while; matches go on meanwhile. The errors are ErrNotFound, ErrUnchanged, ErrNoUndo, ErrNameTaken,
// ErrNameAlike and ErrInvalid.
func (s *Store) Act(ctx context.Context, entry AuditEntry, change Change) (AuditEntry, error) {
	var kept AuditEntry
	err := checkEntry(entry)
	if err == nil && entry.Undoes != 0 {
		var undone AuditEntry
		if undone, err = s.auditEntry(ctx, entry.Undoes); err == nil {
			change, err = undone.takesBack()
		}
	}
	if err == nil {
		err = s.results.RatedAs(ctx, change.results(), func(ratings func(tx kv.Tx) error) error {
			return s.engine.Update(ctx, func(tx kv.Tx) (err error) {
				kept, err = s.act(tx, entry, change)
				if err == nil {
					err = ratings(tx)
				}
				return err
			})
		})
	}
	if err != nil {
		return AuditEntry{}, fmt.Errorf("storage: %s: %w", entry.Verb, err)
	}
	return kept, nil
}

// takesBack returns the change that takes an entry back.
func (e AuditEntry) takesBack() (Change, error) {
	if e.Undo == nil || e.UndoneBy != 0 {
		return Change{}, ErrNoUndo
	}
	return *e.Undo, nil
}

func (s *Store) act(tx kv.Tx, entry AuditEntry, change Change) (AuditEntry, error) {
	number, err := storage.LastNumber(tx, Audit)
	if err != nil {
		return AuditEntry{}, err
	}
	entry.Number, entry.At = number+1, storage.Stored(entry.At)
	if entry.Undoes != 0 {
		undone, err := Audit.Get(tx, entry.Undoes)
		if err == nil {
			_, err = undone.takesBack() // another operator may have been faster
		}
		if err != nil {
			return AuditEntry{}, err
		}
		undone.UndoneBy = entry.Number
		if err := Audit.Put(tx, undone.Number, undone); err != nil {
			return AuditEntry{}, err
		}
	}
	undo, err := s.change(tx, change, entry)
	if err != nil {
		return AuditEntry{}, err
	}
	entry.Undo, entry.Until = nil, change.until()
	if undo != (Change{}) {
		entry.Undo = &undo
	}
	return entry, Audit.Put(tx, entry.Number, entry)
}

// until returns when the mute or the ban that a change makes ends; zero if it has no end, or the change makes none.
func (c Change) until() time.Time {
	switch {
	case c.Mute != nil:
		return storage.Stored(c.Mute.Until)
	case c.Ban != nil && c.Ban.Ban != nil:
		return storage.Stored(c.Ban.Ban.Until)
	}
	return time.Time{}
}

// change makes a change and returns what takes it back.
func (s *Store) change(tx kv.Tx, c Change, entry AuditEntry) (undo Change, err error) {
	if c.Mute != nil {
		undo.Mute, err = c.Mute.apply(tx)
	}
	if err == nil && c.Keys != nil {
		undo.Keys, err = c.Keys.apply(tx)
	}
	if err == nil && c.Closing != nil {
		undo.Closing, err = c.Closing.apply(tx)
	}
	if err == nil && c.Rename != nil {
		undo.Rename, err = c.Rename.apply(tx, s.lookalikes, entry.At)
	}
	if err == nil && c.Ban != nil {
		undo.Ban, err = c.Ban.apply(tx, entry)
	}
	if err == nil && c.Report != nil {
		undo.Report, err = c.Report.apply(tx, entry)
	}
	if err == nil && c.Result != nil {
		undo.Result, err = c.Result.apply(tx, entry.Number)
	}
	if err == nil && c.Results != nil {
		undo.Results, err = c.Results.apply(tx, entry.Number)
	}
	if err == nil && c.Announce != nil {
		undo.Announce, err = c.Announce.apply(tx)
	}
	if err == nil && c.Lounge != nil {
		undo.Lounge, err = c.Lounge.apply(tx)
	}
	if err == nil && c.Signer != nil {
		undo.Signer, err = c.Signer.apply(tx, entry)
	}
	return undo, err
}

func checkEntry(e AuditEntry) error {
	if e.By == "" || e.Verb == "" || e.Reason == "" || e.At.IsZero() {
		return fmt.Errorf("%w: an act without an operator, a verb, a reason or a time", storage.ErrInvalid)
	}
	return storage.CheckText(e.By, e.Verb, e.Subject, e.Reason)
}

// Kept returns a function that keeps the entry of an act whose change is made elsewhere in the transaction; nil for a nil entry.
func Kept(entry *AuditEntry) func(tx kv.Tx) error {
	if entry == nil {
		return nil
	}
	return func(tx kv.Tx) error {
		number, err := storage.LastNumber(tx, Audit)
		if err == nil {
			err = checkEntry(*entry)
		}
		if err != nil {
			return err
		}
		kept := *entry
		kept.Number, kept.At, kept.Undo = number+1, storage.Stored(entry.At), nil
		return Audit.Put(tx, kept.Number, kept)
	}
}

// Audit returns entries of the audit log, the newest first: at most limit, of those before a number, or of all if that is 0.
func (s *Store) Audit(ctx context.Context, before uint64, limit int) ([]AuditEntry, error) {
	return storage.View(ctx, s.engine, "audit", func(r kv.Reader) (entries []AuditEntry, err error) {
		g := Audit.All()
		if before > 0 {
			g = g.Before(before)
		}
		for e, err := range g.Reversed().Expecting(limit + 1).Scan(r) {
			if err != nil {
				return nil, err
			}
			if len(entries) == limit {
				break
			}
			entries = append(entries, e.Value)
		}
		return entries, nil
	})
}

func (s *Store) auditEntry(ctx context.Context, number uint64) (e AuditEntry, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		e, err = Audit.Get(r, number)
		return err
	})
	return e, err
}

// Sweep forgets the bans that have ended, and the reports that were handled long ago.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return errors.Join(s.sweepBans(ctx, now), s.sweepReports(ctx, now))
}

// Reported reports whether a player has reported another player, or was reported.
func Reported(r kv.Reader, id storage.PlayerID) (bool, error) {
	for e, err := range Reports.All().Scan(r) {
		if err != nil {
			return false, err
		}
		if e.Value.About == id || e.Value.By == id {
			return true, nil
		}
	}
	return false, nil
}

// ReportsBy returns the reports that a player made.
func ReportsBy(r kv.Reader, id storage.PlayerID) (all []Report, err error) {
	for e, err := range Reports.All().Scan(r) {
		if err != nil {
			return nil, err
		}
		if e.Value.By == id {
			all = append(all, e.Value)
		}
	}
	return all, nil
}

// An Announcement is a line from the operators to all users.
type Announcement struct {
	Text string    `json:"text"` // "" is none
	At   time.Time `json:"at"`
}

// CurrentAnnouncement is the announcement.
var CurrentAnnouncement = storage.Cell[Announcement]{Name: "announcement", Values: storage.JSON[string, Announcement](1)}

func (a *Announcement) apply(tx kv.Tx) (*Announcement, error) {
	old, _, err := CurrentAnnouncement.Find(tx)
	if err != nil {
		return nil, err
	}
	if err := storage.CheckText(a.Text); err != nil {
		return nil, err
	}
	if old.Text == "" && a.Text == "" {
		return nil, storage.ErrUnchanged
	}
	return &old, CurrentAnnouncement.Put(tx, *a)
}

// Announcement returns the announcement, the zero value if there is none.
func (s *Store) Announcement(ctx context.Context) (Announcement, error) {
	return storage.View(ctx, s.engine, "announcement", func(r kv.Reader) (Announcement, error) {
		a, _, err := CurrentAnnouncement.Find(r)
		return a, err
	})
}

// A LoungeChange closes or opens the lounge. Its JSON form is the stored one.
type LoungeChange struct {
	Closed bool `json:"closed"`
}

// LoungeState is whether the lounge is closed.
var LoungeState = storage.Cell[LoungeChange]{Name: "lounge", Values: storage.JSON[string, LoungeChange](1)}

func (c *LoungeChange) apply(tx kv.Tx) (*LoungeChange, error) {
	old, _, err := LoungeState.Find(tx)
	if err == nil && old == *c {
		err = storage.ErrUnchanged
	}
	if err != nil {
		return nil, err
	}
	return &old, LoungeState.Put(tx, *c)
}

// LoungeClosed reports whether the lounge is closed.
func (s *Store) LoungeClosed(ctx context.Context) (bool, error) {
	return storage.View(ctx, s.engine, "lounge", func(r kv.Reader) (bool, error) {
		state, _, err := LoungeState.Find(r)
		return state.Closed, err
	})
}

// FollowDecisions calls changed at first, and whenever operators have decided something or players have changed their names or deleted
// their accounts, until ctx ends. Several goroutines call changed.
func (s *Store) FollowDecisions(ctx context.Context, changed func()) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, prefix := range [][]byte{
		accounts.Restrictions.Prefix(), accounts.FormerNames.Prefix(), Bans.Prefix(), accounts.Deletions.Prefix(), CurrentAnnouncement.Key(), LoungeState.Key(),
	} {
		all.Go(func() error {
			return storage.FollowPrefix(ctx, s.engine, prefix, func(_, _ []byte) (storage.Entry[string, struct{}], error) {
				return storage.Entry[string, struct{}]{}, nil
			}, storage.Follower[string, struct{}]{
				All: func([]struct{}) { changed() }, Put: func(struct{}) { changed() }, Gone: func(string) { changed() },
			})
		})
	}
	return all.Wait()
}
