package lobby

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"ludoteca/lobby/chat"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
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
// in sameMatch, if there is one. The last lines that the user saw of its chat go with the report. A second report about the same player takes
// the place of the first while that is open. The errors are ErrNeedsKey, ErrReason, ErrNoSuchPlayer, ErrOwnReport,
// ErrManyReports, those of Find, ErrBusy.
func (l *Lobby) Report(ctx context.Context, u User, from origin.Origin, name, codeOrID, reason string) (storage.Report, error) {
	reason = strings.TrimSpace(reason)
	if u.Kind != storage.Person {
		return storage.Report{}, ErrNeedsKey
	}
	if reason == "" || len(reason) > maxReason || !utf8.ValidString(reason) || strings.ContainsFunc(reason, isControl) {
		return storage.Report{}, ErrReason
	}
	about, err := l.player(ctx, name)
	if err != nil {
		return storage.Report{}, err
	}
	if about.ID == u.Player() {
		return storage.Report{}, ErrOwnReport
	}
	account, err := l.store.Player(ctx, u.Player())
	if err != nil {
		return storage.Report{}, storeError(err)
	}
	r := storage.Report{
		Young: l.now().Sub(account.Since) < youngFor, At: l.now(), By: u.Player(), ByName: u.Name, About: about.ID, AboutName: about.Name, Reason: reason,
	}
	var ref Ref
	if codeOrID != "" {
		ref, err = l.Find(ctx, u, from, codeOrID)
	} else {
		ref, err = l.lastMatch(ctx, u, about.ID)
	}
	if err != nil {
		return storage.Report{}, err
	}
	if ref.ID != "" {
		r.Match = ref.ID
		if r.Chat, err = l.evidence(ctx, u, ref); err != nil {
			return storage.Report{}, err
		}
	}
	from.Person = personOf(u.Occupant())
	if _, ok := l.reporting.Take(time.Now(), from); !ok {
		return storage.Report{}, ErrManyReports
	}
	r, err = l.store.AddReport(ctx, r)
	if errors.Is(err, storage.ErrManyReports) {
		return storage.Report{}, ErrManyReports
	}
	return r, storeError(err)
}

// lastMatch returns the match of a user with a player in which something happened last, if it goes on, or else if it was the user's last one
// and ended in sameMatch; the zero value if there is none.
func (l *Lobby) lastMatch(ctx context.Context, u User, with storage.PlayerID) (ref Ref, err error) {
	is := func(o storage.Occupant) bool { return o.Kind == storage.Person && o.ID == string(with) }
	var at time.Time
	for _, m := range l.Yours(u).Matches {
		if is(m.Opponent) && m.LastAt.After(at) {
			ref, at = m.Ref, m.LastAt
		}
	}
	past, err := l.store.History(ctx, storage.HistoryQuery{Player: u.Player(), Limit: 1})
	if err != nil {
		return Ref{}, storeError(err)
	}
	for _, f := range past {
		if (is(f.First) || is(f.Second)) && f.Ended.After(at) && l.now().Sub(f.Ended) < sameMatch {
			ref = Ref{ID: f.ID}
		}
	}
	return ref, nil
}

// evidence returns the last lines of the chat of a match that a user has seen, the oldest first. It takes no matter whom they block: who
// blocks somebody before reporting them must not lose the lines.
func (l *Lobby) evidence(ctx context.Context, u User, ref Ref) (lines []storage.Written, err error) {
	seats, err := l.seats(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	talk, err := l.chats.Next(ctx, ref.ID, 0)
	if err != nil {
		return nil, chatError(err)
	}
	seen, _ := talk.Seen(chat.Reader{User: u, Room: chat.RoomOf(seats, u)})
	for _, line := range seen[max(0, len(seen)-storage.ReportLines):] {
		lines = append(lines, storage.Written{At: line.At, By: l.named(line.By).Name, Text: line.Text, Greeting: line.Greeting})
	}
	return lines, nil
}
