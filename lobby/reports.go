package lobby

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// How often one person, and a block of addresses as often as its weight, may report somebody.
const (
	reportEvery = 10 * time.Minute
	reportBurst = 5
	reporters   = 1 << 14 // that are remembered
)

func newReporting() *origin.Throttle { return origin.NewThrottle(reportEvery, reportBurst, reporters) }

// sameMatch is for how long after its end a report without a match is taken to be about the last one.
const sameMatch = 24 * time.Hour

// Report tells the operators about a player. codeOrID names the match in which it happened; "" is the last one that both play, or have played
// in sameMatch, if there is one. The last lines that the user saw of its chat go with the report. A player who has written one of these, and
// has deleted the account since, is found by the name there. A second report about the same player takes
// the place of the first while that is open. The errors are ErrNeedsKey, ErrReason, ErrNoSuchPlayer, ErrOwnReport,
// ErrManyReports, those of Find, ErrBusy.
func (l *Lobby) Report(ctx context.Context, u User, from origin.Origin, name, codeOrID, reason string) (operators.Report, error) {
	return l.report(ctx, u, from, codeOrID, reason, func(_ Ref, lines []chatstore.Line) (accounts.Player, error) {
		about, err := l.Accounts.ByName(ctx, name)
		if key, ok := names.Key(name); ok && errors.Is(err, ErrNoSuchPlayer) {
			for _, line := range lines {
				if written, _ := names.Key(line.By.Name); written == key && line.By.Kind == storage.Person {
					return l.reported(ctx, line.By, lines)
				}
			}
		}
		return about, err
	})
}

// ReportSide is Report about who sits, or sat, on a side of a match, also if they have deleted the account since, at most
// chat.EvidenceLife ago. ErrNoSuchPlayer: nobody with an account did.
func (l *Lobby) ReportSide(ctx context.Context, u User, from origin.Origin, codeOrID string, side games.Side, reason string) (operators.Report, error) {
	return l.report(ctx, u, from, codeOrID, reason, func(ref Ref, lines []chatstore.Line) (accounts.Player, error) {
		seats, err := l.Matches.Seats(ctx, ref.ID)
		if err != nil {
			return accounts.Player{}, err
		}
		return l.reported(ctx, seats[side], lines)
	})
}

// reported returns the player who is an occupant, and for whom a report can be made. Of one who has deleted the account it knows the name under
// which they have written one of the lines, if there is one.
func (l *Lobby) reported(ctx context.Context, o storage.Occupant, lines []chatstore.Line) (accounts.Player, error) {
	if o.Kind != storage.Person {
		return accounts.Player{}, ErrNoSuchPlayer
	}
	p, err := l.store.Player(ctx, storage.PlayerID(o.ID))
	switch {
	case errors.Is(err, storage.ErrNotFound), err == nil && !p.Deleted.IsZero() && l.now().Sub(p.Deleted) >= chatstore.EvidenceLife:
		return accounts.Player{}, ErrNoSuchPlayer
	case err != nil:
		return accounts.Player{}, refusal.OfStore(err)
	}
	if !p.Deleted.IsZero() {
		for _, line := range lines {
			if match.KeyOf(line.By) == match.KeyOf(o) {
				p.Name = line.By.Name
			}
		}
	}
	return p, nil
}

// report makes a report about the player whom find returns, given the match that codeOrID names, if it does, and the lines that the user saw there.
func (l *Lobby) report(ctx context.Context, u User, from origin.Origin, codeOrID, reason string, find func(Ref, []chatstore.Line) (accounts.Player, error)) (operators.Report, error) {
	if u.Kind != storage.Person {
		return operators.Report{}, ErrNeedsKey
	}
	reason, ok := plainLine(reason)
	if !ok || reason == "" {
		return operators.Report{}, ErrReason
	}
	var ref Ref
	var lines []chatstore.Line
	var err error
	if codeOrID != "" {
		if ref, err = l.Finder.Find(ctx, u, from, codeOrID); err == nil {
			lines, err = l.evidence(ctx, u, ref)
		}
		if err != nil {
			return operators.Report{}, err
		}
	}
	about, err := find(ref, lines)
	if err != nil {
		return operators.Report{}, err
	}
	if about.ID == u.Player() {
		return operators.Report{}, ErrOwnReport
	}
	account, err := l.store.Player(ctx, u.Player())
	if err != nil {
		return operators.Report{}, refusal.OfStore(err)
	}
	r := operators.Report{
		Young: l.now().Sub(account.Since) < seats.YoungFor, At: l.now(), By: u.Player(), ByName: u.Name, About: about.ID, AboutName: about.Name, Reason: reason,
	}
	if codeOrID == "" {
		if ref, err = l.lastMatch(ctx, u, about.ID); err == nil && ref.ID != "" {
			lines, err = l.evidence(ctx, u, ref)
		}
		if err != nil {
			return operators.Report{}, err
		}
	}
	r.Match = ref.ID
	for _, line := range lines {
		by := l.seated.Named(line.By).Name
		if by == accounts.FormerPlayer {
			by = line.By.Name // the name under which they wrote it
		}
		r.Chat = append(r.Chat, operators.Written{At: line.At, By: by, Text: line.Text, Greeting: line.Greeting})
	}
	from.Person = match.PersonOf(u.Occupant())
	if _, ok := l.reporting.Take(time.Now(), from); !ok {
		return operators.Report{}, ErrManyReports
	}
	r, err = l.store.AddReport(ctx, r)
	if errors.Is(err, operators.ErrManyReports) {
		return operators.Report{}, ErrManyReports
	}
	return r, refusal.OfStore(err)
}

// lastMatch returns the match of a user with a player in which something happened last, if it goes on, or else if it was the user's last one
// and ended in sameMatch; the zero value if there is none.
func (l *Lobby) lastMatch(ctx context.Context, u User, with storage.PlayerID) (ref Ref, err error) {
	is := func(o storage.Occupant) bool { return o.Kind == storage.Person && o.ID == string(with) }
	var at time.Time
	for _, m := range l.Lists.Yours(u).Matches {
		if is(m.Opponent) && m.LastAt.After(at) {
			ref, at = m.Ref, m.LastAt
		}
	}
	past, err := l.store.History(ctx, results.HistoryQuery{Player: u.Player(), Limit: 1})
	if err != nil {
		return Ref{}, refusal.OfStore(err)
	}
	for _, f := range past {
		if (is(f.First) || is(f.Second)) && f.Ended.After(at) && l.now().Sub(f.Ended) < sameMatch {
			ref = Ref{ID: f.ID}
		}
	}
	return ref, nil
}

// evidence returns the last lines of the chat of a match that a user has seen, the oldest first. It takes no matter whom they block: who
// blocks somebody before reporting them must not lose the lines. Nor must who reports somebody who has deleted the account since, or somebody
// at a match that is no longer in memory.
func (l *Lobby) evidence(ctx context.Context, u User, ref Ref) ([]chatstore.Line, error) {
	seats, err := l.Matches.Seats(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	kept, err := l.store.Evidence(ctx, ref.ID, l.now())
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	talk := chat.TalkOf(kept, l.Chat.Latest(ref.ID), !l.Matches.GoesOn(ref.ID))
	seen, _ := talk.Seen(chat.Reader{User: u, Room: chat.RoomOf(seats, u)})
	return seen[max(0, len(seen)-operators.ReportLines):], nil
}
