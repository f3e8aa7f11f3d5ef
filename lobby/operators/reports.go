package operators

import (
	"context"
	"errors"
	"slices"
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

// How often one person, and a block of addresses as often as its weight, may report a player.
const (
	reportEvery = 10 * time.Minute
	reportBurst = 5
	reporters   = 1 << 14 // people, and blocks of each weight, that are remembered
)

func newReporting() *origin.Throttle { return origin.NewThrottle(reportEvery, reportBurst, reporters) }

// sameMatch is how long after the end of a match a report that names no match is taken to be about it.
const sameMatch = 24 * time.Hour

// Report adds a report about a player. codeOrID names the match in which it happened. If it is "", that is the last match between the two, if it
// goes on or ended within sameMatch. The report includes the last lines of its chat that the user saw, and the lines of a review at which both
// looked; where codeOrID is "", also the lines that both have written to each other outside of
// matches, and the player's last ones in the lounge. A player who has deleted the account since is
// found by the name under one of these lines. A second report about the same player
// replaces the first while that is open.
//
// The errors are refusal.ErrNeedsKey, refusal.ErrReason, refusal.ErrNoSuchPlayer, refusal.ErrOwnReport, refusal.ErrManyReports, refusal.ErrBusy, and
// the errors of seats.Finder.Find.
func (s *Service) Report(ctx context.Context, u match.User, from origin.Origin, name, codeOrID, reason string) (operators.Report, error) {
	return s.report(ctx, u, from, codeOrID, reason, func(_ match.Ref, lines []chatstore.Line) (accounts.Player, error) {
		about, err := s.config.Accounts.ByName(ctx, name)
		if key, ok := names.Key(name); ok && errors.Is(err, refusal.ErrNoSuchPlayer) {
			told, _, err := s.config.Tells.Evidence(ctx, u)
			if err != nil {
				return about, err
			}
			lines = slices.Concat(lines, told)
			for _, line := range lines {
				if written, _ := names.Key(line.By.Name); written == key && line.By.Kind.HasAccount() {
					return s.reported(ctx, line.By, lines)
				}
			}
		}
		return about, err
	})
}

// ReportSide is Report about the player who sits, or sat, on a side of a match, even if they have deleted the account within
// chat.EvidenceLife. The error is refusal.ErrNoSuchPlayer if no player with an account did.
func (s *Service) ReportSide(ctx context.Context, u match.User, from origin.Origin, codeOrID string, side games.Side, reason string) (operators.Report, error) {
	return s.report(ctx, u, from, codeOrID, reason, func(ref match.Ref, lines []chatstore.Line) (accounts.Player, error) {
		seats, err := s.config.Matches.Seats(ctx, ref.ID)
		if err != nil {
			return accounts.Player{}, err
		}
		return s.reported(ctx, seats[side], lines)
	})
}

// reported returns the player who holds a seat or has written a line, if they can be reported. If the account is deleted, the name is taken from
// one of the lines.
func (s *Service) reported(ctx context.Context, o storage.Occupant, lines []chatstore.Line) (accounts.Player, error) {
	if !o.Kind.HasAccount() {
		return accounts.Player{}, refusal.ErrNoSuchPlayer
	}
	p, err := s.config.Store.Player(ctx, storage.PlayerID(o.ID))
	switch {
	case errors.Is(err, storage.ErrNotFound), err == nil && !p.Deleted.IsZero() && s.config.Now().Sub(p.Deleted) >= chatstore.EvidenceLife:
		return accounts.Player{}, refusal.ErrNoSuchPlayer
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

// report adds a report about the player whom find returns. find gets the match that codeOrID names and the lines that the user saw there, or nothing
// if codeOrID is "".
func (s *Service) report(ctx context.Context, u match.User, from origin.Origin, codeOrID, reason string, find func(match.Ref, []chatstore.Line) (accounts.Player, error)) (operators.Report, error) {
	if !u.Kind.HasAccount() {
		return operators.Report{}, refusal.ErrNeedsKey
	}
	reason, ok := plainLine(reason)
	if !ok || reason == "" {
		return operators.Report{}, refusal.ErrReason
	}
	var ref match.Ref
	var lines []chatstore.Line
	var err error
	if codeOrID != "" {
		if ref, err = s.config.Finder.Find(ctx, u, from, codeOrID); err == nil {
			lines, err = s.evidence(ctx, u, ref)
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
		return operators.Report{}, refusal.ErrOwnReport
	}
	account, err := s.config.Store.Player(ctx, u.Player())
	if err != nil {
		return operators.Report{}, refusal.OfStore(err)
	}
	r := operators.Report{
		Young: s.config.Now().Sub(account.Since) < seats.YoungFor, At: s.config.Now(), By: u.Player(), ByName: u.Name, About: about.ID, AboutName: about.Name, Reason: reason,
	}
	if codeOrID == "" {
		if ref, err = s.lastMatch(ctx, u, about.ID); err == nil && ref.ID != "" {
			lines, err = s.evidence(ctx, u, ref)
		}
		if err != nil {
			return operators.Report{}, err
		}
	}
	ref, lines = s.withTogether(u, about.ID, codeOrID, ref, lines)
	if codeOrID == "" {
		lines = slices.Concat(lines, s.config.Lounge.Said(match.Key{Kind: storage.Person, ID: string(about.ID)}))
		if lines, err = s.withTells(ctx, u, about.ID, lines); err != nil {
			return operators.Report{}, err
		}
	}
	r.Match = ref.ID
	for _, line := range lines {
		by := s.config.Restrictions.Named(line.By).Name
		if by == accounts.FormerPlayer {
			by = line.By.Name // the name at that time
		}
		r.Chat = append(r.Chat, operators.Written{At: line.At, By: by, Text: line.Text, Greeting: line.Greeting})
	}
	from.Person = match.PersonOf(u.Occupant())
	if _, ok := s.reporting.Take(time.Now(), from); !ok {
		return operators.Report{}, refusal.ErrManyReports
	}
	r, err = s.config.Store.AddReport(ctx, r)
	if errors.Is(err, operators.ErrManyReports) {
		return operators.Report{}, refusal.ErrManyReports
	}
	return r, refusal.OfStore(err)
}

// withTogether returns the lines of a report with the lines of the review at which the user and the player looked together last, if that is of the
// match that the report is about, or the report names none. A report about nothing else is about the match of that review.
func (s *Service) withTogether(u match.User, about storage.PlayerID, codeOrID string, ref match.Ref, lines []chatstore.Line) (match.Ref, []chatstore.Line) {
	of, said := s.config.Together.Said(u, match.Key{Kind: storage.Person, ID: string(about)})
	if len(said) == 0 || codeOrID != "" && of.ID != ref.ID {
		return ref, lines
	}
	if ref.ID == "" {
		ref = of
	}
	lines = slices.Concat(lines, said)
	slices.SortStableFunc(lines, func(a, b chatstore.Line) int { return a.At.Compare(b.At) })
	return ref, lines[max(0, len(lines)-operators.ReportLines):]
}

// withTells returns the lines of a report with those that the user and the player have written to each other outside of matches.
func (s *Service) withTells(ctx context.Context, u match.User, about storage.PlayerID, lines []chatstore.Line) ([]chatstore.Line, error) {
	told, with, err := s.config.Tells.Evidence(ctx, u)
	if err != nil {
		return nil, err
	}
	lines = slices.Clone(lines)
	for i, l := range told {
		if s.config.Restrictions.MainAccount(with[i]) == s.config.Restrictions.MainAccount(about) {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b chatstore.Line) int { return a.At.Compare(b.At) })
	return lines[max(0, len(lines)-operators.ReportLines):], nil
}

// lastMatch returns the match of a user with a player that had an event last: one that goes on, or the user's last finished match if that ended
// within sameMatch. It returns the zero value if there is none.
func (s *Service) lastMatch(ctx context.Context, u match.User, with storage.PlayerID) (ref match.Ref, err error) {
	is := func(o storage.Occupant) bool { return o.Kind.HasAccount() && o.ID == string(with) }
	var at time.Time
	for _, m := range s.config.Lists.Yours(u).Matches {
		if is(m.Opponent) && m.LastAt.After(at) {
			ref, at = m.Ref, m.LastAt
		}
	}
	past, err := s.config.Store.History(ctx, results.HistoryQuery{Player: u.Player(), Limit: 1})
	if err != nil {
		return match.Ref{}, refusal.OfStore(err)
	}
	for _, f := range past {
		if (is(f.First) || is(f.Second)) && f.Ended.After(at) && s.config.Now().Sub(f.Ended) < sameMatch {
			ref = match.Ref{ID: f.ID}
		}
	}
	return ref, nil
}

// evidence returns the last lines of the chat of a match that a user has seen, the oldest first. It ignores blocks: a user may block a player before
// reporting them. It also returns lines of deleted accounts, and of matches that are no longer in memory.
func (s *Service) evidence(ctx context.Context, u match.User, ref match.Ref) ([]chatstore.Line, error) {
	seats, err := s.config.Matches.Seats(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	kept, err := s.config.Store.Evidence(ctx, ref.ID, s.config.Now())
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	talk := chat.TalkOf(kept, s.config.Chat.Latest(ref.ID), !s.config.Matches.GoesOn(ref.ID))
	byCode, err := s.config.Matches.ByCode(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	seen, _ := talk.Seen(chat.Reader{User: u, Room: chat.RoomOf(seats, u), ByCode: byCode})
	return seen[max(0, len(seen)-operators.ReportLines):], nil
}
