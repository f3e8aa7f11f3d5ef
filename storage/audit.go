package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// What an act of an operator finds wrong. Nothing was written.
var (
	// ErrUnchanged says that everything is already as the act would make it.
	ErrUnchanged = errors.New("nothing would change")

	// ErrNoUndo says that an act can't be undone, or has been undone already.
	ErrNoUndo = errors.New("it can't be undone")
)

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
}

// auditVersion is the version of the audit entries that this program writes.
const auditVersion = 1

// Act makes a change and keeps the entry that says so, in one transaction, and returns the entry as it is kept: with its number
// and what takes it back. If entry.Undoes is a number, the change is what takes that entry back. A change of a result works out all
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
		err = s.ratedAs(ctx, change.results(), func(ratings func(tx kv.Tx) error) error {
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
	number, err := lastAudit(tx)
	if err != nil {
		return AuditEntry{}, err
	}
	entry.Number, entry.At = number+1, stored(entry.At)
	if entry.Undoes != 0 {
		undone, err := readAudit(tx, entry.Undoes)
		if err == nil {
			_, err = undone.takesBack() // somebody may have been faster
		}
		if err != nil {
			return AuditEntry{}, err
		}
		undone.UndoneBy = entry.Number
		if err := writeAudit(tx, undone); err != nil {
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
	return entry, writeAudit(tx, entry)
}

// until returns when the mute or the ban that a change makes ends; zero if it has no end, or the change makes none.
func (c Change) until() time.Time {
	switch {
	case c.Mute != nil:
		return stored(c.Mute.Until)
	case c.Ban != nil && c.Ban.Ban != nil:
		return stored(c.Ban.Ban.Until)
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
		undo.Rename, err = c.Rename.apply(s, tx, entry.At)
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
	return undo, err
}

func checkEntry(e AuditEntry) error {
	if e.By == "" || e.Verb == "" || e.Reason == "" || e.At.IsZero() {
		return fmt.Errorf("%w: an act without an operator, a verb, a reason or a time", ErrInvalid)
	}
	return checkText(e.By, e.Verb, e.Subject, e.Reason)
}

// keepAudit keeps the entry of an act whose change is made elsewhere in the transaction.
func keepAudit(tx kv.Tx, entry AuditEntry) error {
	number, err := lastAudit(tx)
	if err == nil {
		err = checkEntry(entry)
	}
	if err != nil {
		return err
	}
	entry.Number, entry.At, entry.Undo = number+1, stored(entry.At), nil
	return writeAudit(tx, entry)
}

// Audit returns entries of the audit log, the newest first: at most limit, of those before a number, or of all if that is 0.
func (s *Store) Audit(ctx context.Context, before uint64, limit int) ([]AuditEntry, error) {
	var entries []AuditEntry
	err := s.engine.View(ctx, func(r kv.Reader) error {
		entries = nil
		g := audit.all()
		g.Reverse = true
		if before > 0 {
			g.To = audit.key(seqKey(before))
		}
		for p, err := range r.Scan(g) {
			if err != nil {
				return err
			}
			if len(entries) == limit {
				break
			}
			e, err := decodeAudit(p.Value)
			if err != nil {
				return err
			}
			entries = append(entries, e)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: audit: %w", err)
	}
	return entries, nil
}

func (s *Store) auditEntry(ctx context.Context, number uint64) (e AuditEntry, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		e, err = readAudit(r, number)
		return err
	})
	return e, err
}

func readAudit(r kv.Reader, number uint64) (AuditEntry, error) {
	value, err := lookUp(r, audit.key(seqKey(number)))
	if err != nil {
		return AuditEntry{}, err
	}
	return decodeAudit(value)
}

func decodeAudit(value []byte) (e AuditEntry, err error) {
	_, content, err := unseal(value, auditVersion)
	if err == nil {
		err = parseJSON(content, &e)
	}
	if err == nil && (e.Number == 0 || e.Verb == "" || e.By == "") {
		err = fmt.Errorf("%w: an audit entry makes no sense", ErrDamaged)
	}
	return e, err
}

func writeAudit(tx kv.Tx, e AuditEntry) error {
	value, err := sealJSON(auditVersion, e)
	if err == nil {
		tx.Put(audit.key(seqKey(e.Number)), value)
	}
	return err
}

// lastAudit returns the number of the last entry, 0 if there is none.
func lastAudit(r kv.Reader) (uint64, error) { return lastNumber(r, audit) }

// lastNumber returns the highest number in a section whose keys are numbers, 0 if it is empty.
func lastNumber(r kv.Reader, s section) (uint64, error) {
	g := s.all()
	g.Reverse = true
	p, ok, err := first(r, g)
	if err != nil || !ok {
		return 0, err
	}
	number := s.rest(p.Key)
	if len(number) != 8 {
		return 0, fmt.Errorf("%w: an entry of %s without a number", ErrDamaged, s)
	}
	return binary.BigEndian.Uint64(number), nil
}

// An Announcement is a line that the operator has for everybody.
type Announcement struct {
	Text string    `json:"text"` // "" is none
	At   time.Time `json:"at"`
}

// announcementKey is the key in the meta section that holds the announcement, JSON, sealed.
const announcementKey = "announcement"

const announcementVersion = 1

func (a *Announcement) apply(tx kv.Tx) (*Announcement, error) {
	old, err := readAnnouncement(tx)
	if err != nil {
		return nil, err
	}
	if err := checkText(a.Text); err != nil {
		return nil, err
	}
	if old.Text == "" && a.Text == "" {
		return nil, ErrUnchanged
	}
	value, err := sealJSON(announcementVersion, a)
	if err != nil {
		return nil, err
	}
	tx.Put(meta.key(announcementKey), value)
	return &old, nil
}

// Announcement returns the announcement, the zero value if there is none.
func (s *Store) Announcement(ctx context.Context) (a Announcement, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		a, err = readAnnouncement(r)
		return err
	})
	if err != nil {
		return Announcement{}, fmt.Errorf("storage: announcement: %w", err)
	}
	return a, nil
}

func readAnnouncement(r kv.Reader) (Announcement, error) {
	value, err := r.Get(meta.key(announcementKey))
	if err != nil || value == nil {
		return Announcement{}, err
	}
	return decodeAnnouncement(value)
}

func decodeAnnouncement(value []byte) (a Announcement, err error) {
	_, content, err := unseal(value, announcementVersion)
	if err == nil {
		err = parseJSON(content, &a)
	}
	return a, err
}
