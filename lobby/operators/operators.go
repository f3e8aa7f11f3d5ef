// Package operators has the acts of operators, and the reports of players to them.
//
// Operators act through an Operator, which Service.As makes: Mute, Close, Reopen, Rename, Merge, Ban, Unban, End, Unrate, Handle,
// Announce, Lounge, Distrust and Undo. Each act needs a reason and is one transaction with its entry in the audit log. When the method returns, the
// act is on disk and its effects have happened: sessions have ended and matches have been adjudicated. What operators read, an Operator has as a
// Reader. What is in force because of an act is in package restrictions.
//
// The errors of acts are refusal.ErrReason, refusal.ErrNoSuchPlayer, refusal.ErrUnchanged, refusal.ErrBusy, refusal.ErrClosed, and further
// ones that each method names.
package operators

import (
	"context"
	"encoding/base64"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// A Store keeps acts, reports and what operators read; see operators.Store, accounts.Store, results.Store and chat.Store.
type Store interface {
	// Act makes a change and writes its entry in the audit log in one transaction.
	Act(ctx context.Context, entry operators.AuditEntry, change operators.Change) (operators.AuditEntry, error)
	Audit(ctx context.Context, before uint64, limit int) ([]operators.AuditEntry, error)

	// Recompute computes all ratings again from the results.
	Recompute(ctx context.Context) (results.RecomputeReport, error)

	// CountedMatches returns rated matches of a player that count, only those against another player if against is not "".
	CountedMatches(ctx context.Context, player, against storage.PlayerID, limit int) ([]storage.MatchID, error)

	AddReport(ctx context.Context, r operators.Report) (operators.Report, error)
	Reports(ctx context.Context, handled bool) ([]operators.Report, error)

	// AddSigner adds a key with which the club signs records, and Signers returns all such keys.
	AddSigner(ctx context.Context, key []byte, now time.Time) error
	Signers(ctx context.Context) ([]operators.Signer, error)

	// Evidence returns all stored lines of a match at the time now, including lines that are kept for reports only.
	Evidence(ctx context.Context, id storage.MatchID, now time.Time) ([]chatstore.Line, error)

	Player(ctx context.Context, id storage.PlayerID) (accountstore.Player, error)
	FormerNames(ctx context.Context) (map[storage.PlayerID][]string, error)
	Keys(ctx context.Context, id storage.PlayerID) ([]string, error)
	Visits(ctx context.Context, id storage.PlayerID) ([]accountstore.Visit, error)
	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)
}

// Together is the reviews at which two people look together; see together.Service.
type Together interface {
	// Said returns the lines that a user has seen in the last review at which the user and another one looked, and its match.
	Said(u match.User, other match.Key) (match.Ref, []chatstore.Line)
}

// Tells are the lines that players write to each other; see tells.Service.
type Tells interface {
	// Evidence returns the lines between a player and others that reports show, and with whom each is.
	Evidence(ctx context.Context, u match.User) (lines []chatstore.Line, with []storage.PlayerID, err error)
}

// A Lounge is the room for all who are here; see lounge.Service.
type Lounge interface {
	// Said returns the lines of a player that are kept.
	Said(by match.Key) []chatstore.Line
}

// A Config configures New.
type Config struct {
	Store        Store
	Restrictions *restrictions.Service
	Accounts     *accounts.Service
	Sessions     *accounts.Sessions
	Standings    *standings.Service
	Matches      *matches.Service
	Finder       *seats.Finder
	Lists        *lists.Service
	Chat         *chat.Service
	Together     Together
	Tells        Tells
	Lounge       Lounge
	Now          func() time.Time // the clock of events
}

// A Service makes Operators, and takes the reports of players. It is safe for concurrent use.
type Service struct {
	config    Config
	reporting *origin.Throttle // reports about players
}

// New returns a service.
func New(c Config) *Service { return &Service{c, newReporting()} }

// maxReason is the most bytes of a reason or an announcement.
const maxReason = 500

// An Operator acts for the club, and is a Reader. It is a value without a state of its own.
type Operator struct {
	Reader
	by       string
	sessions accounts.SessionEnder
}

// As returns an operator. by names them in the audit log: the fingerprint of a key, or another origin of the acts. The caller
// must have checked that the user is an operator.
func (s *Service) As(by string, sessions accounts.SessionEnder) *Operator {
	return &Operator{Reader{s}, by, sessions}
}

// entry returns the entry of an act.
func (o *Operator) entry(verb, subject, reason string) (operators.AuditEntry, error) {
	reason = strings.TrimSpace(reason)
	reason, ok := plainLine(reason)
	if !ok || reason == "" {
		return operators.AuditEntry{}, refusal.ErrReason
	}
	at := o.club.config.Now().UTC().Truncate(time.Millisecond)
	return operators.AuditEntry{At: at, By: o.by, Verb: verb, Subject: subject, Reason: reason}, nil
}

// act does an act and its effects. One operator acts at a time.
func (o *Operator) act(ctx context.Context, entry operators.AuditEntry, change operators.Change) (operators.AuditEntry, error) {
	l := o.club
	done, err := l.config.Restrictions.Begin(ctx)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	defer done()
	closed := l.config.Restrictions.AllClosed()
	entry, err = l.config.Store.Act(ctx, entry, change)
	if err != nil {
		return operators.AuditEntry{}, actError(err)
	}
	ctx = context.WithoutCancel(ctx) // the act is done: its effects don't depend on its caller
	if err := l.config.Restrictions.Read(ctx); err != nil {
		return entry, err
	}
	o.sessions.EndBanned()
	if undo := entry.Undo; undo != nil && undo.Keys != nil {
		owner, err := l.config.Store.Player(ctx, undo.Keys.From)
		if err != nil {
			return entry, refusal.OfStore(err)
		}
		o.sessions.EndKeys(undo.Keys.Keys, &refusal.KeyMovedError{To: owner.Name})
	}
	for _, id := range l.config.Restrictions.AllClosed() {
		if slices.Contains(closed, id) {
			continue // its sessions have ended then
		}
		keys, err := l.config.Store.Keys(ctx, id)
		if err != nil {
			return entry, refusal.OfStore(err)
		}
		o.sessions.EndKeys(keys, refusal.ErrAccountClosed) // other nodes follow decisions
	}
	l.config.Matches.Ending.EndClosed(ctx)
	return entry, nil
}

// actError translates an error of Store.Act for callers of the club.
func actError(err error) error {
	for _, known := range []struct{ from, to error }{
		{storage.ErrUnchanged, refusal.ErrUnchanged}, {operators.ErrNoUndo, refusal.ErrNoUndo}, {storage.ErrNotFound, refusal.ErrNoEntry},
		{storage.ErrNameTaken, refusal.ErrNameTaken}, {storage.ErrNameAlike, refusal.ErrNameAlike},
	} {
		if errors.Is(err, known.from) {
			return known.to
		}
	}
	return refusal.OfStore(err)
}

// onPlayer does an act on a player.
func (o *Operator) onPlayer(ctx context.Context, verb, name, reason string, change func(accountstore.Player) operators.Change) (operators.AuditEntry, error) {
	p, err := o.club.config.Accounts.ByName(ctx, name)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	entry, err := o.entry(verb, p.Name, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, change(p))
}

// Forever is the time until which a player is muted without an end.
var Forever = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// Mute forbids a player to chat until a time. A time that has passed allows it again, which the audit log calls unmute.
func (o *Operator) Mute(ctx context.Context, name string, until time.Time, reason string) (operators.AuditEntry, error) {
	verb := "mute"
	if !until.After(o.club.config.Now()) {
		verb, until = "unmute", time.Time{}
	}
	return o.onPlayer(ctx, verb, name, reason, func(p accountstore.Player) operators.Change {
		return operators.Change{Mute: &operators.MuteChange{Player: p.ID, Until: until}}
	})
}

// Close closes an account: its sessions end, its unfinished matches are adjudicated (lost if both sides have made two moves, else
// without a result), and its keys don't sign in any more.
func (o *Operator) Close(ctx context.Context, name, reason string) (operators.AuditEntry, error) {
	return o.onPlayer(ctx, "close", name, reason, func(p accountstore.Player) operators.Change {
		return operators.Change{Closing: &operators.ClosedChange{Player: p.ID, Closed: true}}
	})
}

// Reopen opens a closed account again. Matches stay as they ended. Besides the usual errors there is refusal.ErrMerged for a merged account: it has
// no keys, and gets them back by Undo of the merge.
func (o *Operator) Reopen(ctx context.Context, name, reason string) (operators.AuditEntry, error) {
	p, err := o.club.config.Accounts.ByName(ctx, name)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	if o.club.config.Restrictions.Of(p.ID).Into != "" {
		return operators.AuditEntry{}, refusal.ErrMerged
	}
	return o.onPlayer(ctx, "reopen", name, reason, func(p accountstore.Player) operators.Change {
		return operators.Change{Closing: &operators.ClosedChange{Player: p.ID}}
	})
}

// Rename gives a player another name. The old one stays reserved for that player for accounts.NameKept. Running matches show the new name from
// their next event on; records keep the old one. Besides the usual errors there are *names.Error, refusal.ErrNameTaken and refusal.ErrNameAlike.
func (o *Operator) Rename(ctx context.Context, name, to, reason string) (operators.AuditEntry, error) {
	shown, key, err := names.Check(to)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	p, err := o.club.config.Accounts.ByName(ctx, name)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	entry, err := o.entry("rename", p.Name+" "+shown, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{Rename: &operators.RenameChange{Player: p.ID, Name: shown, NameKey: key}})
}

// Merge gives the keys of one player to another and closes the account of the first. Matches, results and ratings stay with the account
// that played them: the results of two accounts don't add up to one rating.
func (o *Operator) Merge(ctx context.Context, name, into, reason string) (operators.AuditEntry, error) {
	from, err := o.club.config.Accounts.ByName(ctx, name)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	to, err := o.club.config.Accounts.ByName(ctx, into)
	switch {
	case err != nil:
		return operators.AuditEntry{}, err
	case from.ID == to.ID:
		return operators.AuditEntry{}, refusal.ErrUnchanged
	case from.Kind() != to.Kind():
		return operators.AuditEntry{}, refusal.ErrKinds
	case o.club.config.Restrictions.Closed(to.ID):
		return operators.AuditEntry{}, refusal.ErrAccountClosed
	}
	entry, err := o.entry("merge", from.Name+" "+to.Name, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{
		Keys:    &operators.KeysChange{From: from.ID, To: to.ID},
		Closing: &operators.ClosedChange{Player: from.ID, Closed: true, Into: to.ID},
	})
}

// Ban keeps a key, an address or a block of addresses out until a time, or for ever if it is zero. Sessions from there end.
// Besides the usual errors there is refusal.ErrSubject.
func (o *Operator) Ban(ctx context.Context, subject string, until time.Time, reason string) (operators.AuditEntry, error) {
	return o.ban(ctx, "ban", subject, reason, &operators.Ban{Until: until})
}

// Unban lifts the ban of a subject. Besides the usual errors there are refusal.ErrSubject and refusal.ErrNoEntry.
func (o *Operator) Unban(ctx context.Context, subject, reason string) (operators.AuditEntry, error) {
	return o.ban(ctx, "unban", subject, reason, nil)
}

func (o *Operator) ban(ctx context.Context, verb, subject, reason string, b *operators.Ban) (operators.AuditEntry, error) {
	subject, err := banSubject(subject)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	entry, err := o.entry(verb, subject, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{Ban: &operators.BanChange{Subject: subject, Ban: b}})
}

// The widest blocks that can be banned.
const (
	widestIPv4 = 8
	widestIPv6 = 16
)

// keyPrefix is what fingerprints of keys begin with.
const keyPrefix = "SHA256:"

// banSubject returns the subject of a ban as the store keeps it. The error is refusal.ErrSubject.
func banSubject(text string) (string, error) {
	if hash, isKey := strings.CutPrefix(text, keyPrefix); isKey {
		if sum, err := base64.RawStdEncoding.Strict().DecodeString(hash); err != nil || len(sum) != 32 {
			return "", refusal.ErrSubject
		}
		return text, nil
	}
	block, err := netip.ParsePrefix(text)
	if addr, err2 := netip.ParseAddr(text); err2 == nil {
		addr = addr.Unmap().WithZone("")
		block, err = netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	widest := widestIPv6
	if block.Addr().Is4() {
		widest = widestIPv4
	}
	if err != nil || block.Bits() < widest || block.Addr().Is4In6() {
		return "", refusal.ErrSubject
	}
	return block.Masked().String(), nil
}

// End ends a running match, named by its code or id, with a result: first, second or draw, or "" for none. Besides the usual errors there are
// refusal.ErrNoSuchMatch, match.ErrOver, match.ErrNotStarted (only without a result), refusal.ErrDamaged and refusal.ErrSpec.
func (o *Operator) End(ctx context.Context, codeOrID, result, reason string) (operators.AuditEntry, error) {
	l := o.club
	if result != "" && result != "first" && result != "second" && result != "draw" {
		return operators.AuditEntry{}, refusal.ErrSpec
	}
	ref, err := o.club.config.Finder.Reveal(ctx, codeOrID)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	id := ref.ID
	entry, err := o.entry("end", string(id), reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	for {
		m, err := l.config.Matches.Live(ctx, id)
		if err != nil {
			return operators.AuditEntry{}, err
		}
		err = m.Adjudicate(ctx, result, entry)
		switch {
		case err == nil:
			return o.kept(ctx, entry)
		case !errors.Is(err, live.ErrUnloaded):
			return operators.AuditEntry{}, err
		}
	}
}

// kept returns an entry as the audit log has it, with its number.
func (o *Operator) kept(ctx context.Context, entry operators.AuditEntry) (operators.AuditEntry, error) {
	newest, err := o.Audit(ctx, 0, 10) // other operators may have acted since
	for _, e := range newest {
		if e.Verb == entry.Verb && e.Subject == entry.Subject && e.By == entry.By {
			return e, nil
		}
	}
	return entry, err
}

// Unrate takes the result of a finished match, named by its id or code, out of the ratings, which are computed again. Besides the usual errors
// there are refusal.ErrNoSuchMatch and refusal.ErrNotRated.
func (o *Operator) Unrate(ctx context.Context, codeOrID, reason string) (operators.AuditEntry, error) {
	ref, err := o.club.config.Finder.Reveal(ctx, codeOrID)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	id := ref.ID
	entry, err := o.entry("unrate", string(id), reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	entry, err = o.act(ctx, entry, operators.Change{Result: &operators.ResultChange{Match: id}})
	if errors.Is(err, refusal.ErrNoEntry) {
		err = refusal.ErrNotRated // the match has not ended
	}
	return entry, err
}

// unratedAtOnce is the most results that one act takes out: it is one transaction, and its entry names them.
const unratedAtOnce = 1000

// UnrateAll takes all results of a player out of the ratings, or only results against another player if against is not "". It does one act for
// every unratedAtOnce results and returns their entries, also with an error. Besides the usual errors there is refusal.ErrNotRated if no result
// counts.
func (o *Operator) UnrateAll(ctx context.Context, name, against, reason string) ([]operators.AuditEntry, error) {
	p, err := o.club.config.Accounts.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	subject, other := p.Name, storage.PlayerID("")
	if against != "" {
		q, err := o.club.config.Accounts.ByName(ctx, against)
		if err != nil {
			return nil, err
		}
		subject, other = subject+" "+q.Name, q.ID
	}
	entry, err := o.entry("unrate", subject, reason)
	if err != nil {
		return nil, err
	}
	var entries []operators.AuditEntry
	for {
		ids, err := o.club.config.Store.CountedMatches(ctx, p.ID, other, unratedAtOnce)
		if err != nil {
			return entries, refusal.OfStore(err)
		}
		if len(ids) == 0 && len(entries) == 0 {
			return nil, refusal.ErrNotRated
		}
		if len(ids) > 0 {
			done, err := o.act(ctx, entry, operators.Change{Results: &operators.ResultsChange{Matches: ids}})
			if err != nil {
				return entries, err
			}
			entries = append(entries, done)
		}
		if len(ids) < unratedAtOnce {
			return entries, nil
		}
	}
}

// Recompute computes all ratings again from the results that count, and records that in the audit log.
func (o *Operator) Recompute(ctx context.Context, reason string) (results.RecomputeReport, error) {
	entry, err := o.entry("recompute", "", reason)
	if err != nil {
		return results.RecomputeReport{}, err
	}
	if _, err := o.act(ctx, entry, operators.Change{}); err != nil {
		return results.RecomputeReport{}, err
	}
	report, err := o.club.config.Store.Recompute(ctx)
	o.club.config.Standings.Changed()
	return report, refusal.OfStore(err)
}

// Handle marks a report as handled; the reason says how. Besides the usual errors there is refusal.ErrNoEntry.
func (o *Operator) Handle(ctx context.Context, number uint64, reason string) (operators.AuditEntry, error) {
	entry, err := o.entry("handle", strconv.FormatUint(number, 10), reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{Report: &operators.ReportChange{Number: number, Handled: true}})
}

// HandleBy marks all open reports by one player as handled. The error is refusal.ErrUnchanged if there are none.
func (o *Operator) HandleBy(ctx context.Context, name, reason string) (operators.AuditEntry, error) {
	entry, err := o.entry("handle", name, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	by, err := o.club.config.Accounts.ByName(ctx, name)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	open, err := o.club.config.Store.Reports(ctx, false)
	if err != nil {
		return operators.AuditEntry{}, refusal.OfStore(err)
	}
	var numbers []uint64
	for _, r := range open {
		if r.By == by.ID {
			numbers = append(numbers, r.Number)
		}
	}
	if len(numbers) == 0 {
		return operators.AuditEntry{}, refusal.ErrUnchanged
	}
	entry.Subject = "reports by " + by.Name
	return o.act(ctx, entry, operators.Change{Report: &operators.ReportChange{Numbers: numbers, Handled: true}})
}

// Announce shows a line to all users, in place of an older one; "" shows none. Besides the usual errors there is refusal.ErrSpec for a text that is
// too long or has control characters.
func (o *Operator) Announce(ctx context.Context, text, reason string) (operators.AuditEntry, error) {
	text, ok := plainLine(text)
	if !ok {
		return operators.AuditEntry{}, refusal.ErrSpec
	}
	entry, err := o.entry("announce", text, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{Announce: &operators.Announcement{Text: text, At: entry.At}})
}

// Lounge closes the lounge, which removes its lines, or opens it.
func (o *Operator) Lounge(ctx context.Context, closed bool, reason string) (operators.AuditEntry, error) {
	verb := "lounge open"
	if closed {
		verb = "lounge close"
	}
	entry, err := o.entry(verb, "", reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{Lounge: &operators.LoungeChange{Closed: closed}})
}

// Distrust takes a key, by its fingerprint, off the list of keys whose signatures of records are the club's. Besides the usual errors there are
// refusal.ErrSubject and refusal.ErrNoEntry.
func (o *Operator) Distrust(ctx context.Context, fingerprint, reason string) (operators.AuditEntry, error) {
	if !strings.HasPrefix(fingerprint, keyPrefix) {
		return operators.AuditEntry{}, refusal.ErrSubject
	}
	subject, err := banSubject(fingerprint)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	entry, err := o.entry("distrust", subject, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{Signer: &operators.SignerChange{Fingerprint: subject}})
}

// SignWith keeps a public key, in the wire format of SSH, as one with which the club signs records. The error is refusal.ErrBusy.
func (s *Service) SignWith(ctx context.Context, key []byte) error {
	return refusal.OfStore(s.config.Store.AddSigner(ctx, key, s.config.Now()))
}

// Signers returns the keys with which the club signs records, or has signed them, the oldest first. The error is refusal.ErrBusy.
func (s *Service) Signers(ctx context.Context) ([]operators.Signer, error) {
	all, err := s.config.Store.Signers(ctx)
	slices.SortStableFunc(all, func(a, b operators.Signer) int { return a.Since.Compare(b.Since) })
	return all, refusal.OfStore(err)
}

// plainLine returns a line for or by an operator as it is stored: without spaces around it, and without characters that are invisible or change the
// direction of the line. ok is false for more than maxReason bytes, for text that is not UTF-8 and for control characters.
func plainLine(text string) (line string, ok bool) {
	if len(text) > maxReason || !utf8.ValidString(text) {
		return "", false
	}
	line = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text))
	return line, !strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.C, r) })
}

// Limit records in the audit log that a limit is about to be changed.
func (o *Operator) Limit(ctx context.Context, change, reason string) (operators.AuditEntry, error) {
	entry, err := o.entry("limits", change, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{})
}

// EndEvent records in the audit log that an event or a series of events is about to be ended. subject is its code or id, and its name.
func (o *Operator) EndEvent(ctx context.Context, subject, reason string) (operators.AuditEntry, error) {
	entry, err := o.entry("event off", subject, reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	return o.act(ctx, entry, operators.Change{})
}

// Undo undoes an act, by its number in the audit log: an account is closed or open again, has its former name or its keys, a ban or a mute is as it
// was, a result counts again. Sessions and matches that have ended stay ended. An undo can be undone. Besides the usual errors there are
// refusal.ErrNoEntry, refusal.ErrNoUndo and refusal.ErrNameTaken.
func (o *Operator) Undo(ctx context.Context, number uint64, reason string) (operators.AuditEntry, error) {
	entry, err := o.entry("undo", strconv.FormatUint(number, 10), reason)
	if err != nil {
		return operators.AuditEntry{}, err
	}
	entry.Undoes = number
	return o.act(ctx, entry, operators.Change{})
}
