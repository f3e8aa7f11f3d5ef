package operators

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	accountstore "ludoteca/storage/accounts"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// A Reader reads what only operators may: the audit log, the reports, the bans and all that the club knows about a player. Each Operator is one.
type Reader struct{ club *Service }

// Audit returns entries of the audit log, newest first: at most limit entries with numbers below before, or the newest if before is 0.
func (o Reader) Audit(ctx context.Context, before uint64, limit int) ([]operators.AuditEntry, error) {
	entries, err := o.club.config.Store.Audit(ctx, before, limit)
	return entries, refusal.OfStore(err)
}

// AuditEnds returns, for each entry of the audit log, when its mute or ban ended: it expired, a later act about the same player or address
// replaced it, or it was undone. The time is zero for mutes and bans that are in force, and for other acts. The entries must begin with the
// newest one and leave none out, as Audit returns them.
func AuditEnds(entries []operators.AuditEntry, now time.Time) []time.Time {
	type about struct{ kind, subject string }
	kinds := map[string]string{"mute": "mute", "unmute": "mute", "ban": "ban", "unban": "ban"}
	ends, at, later := make([]time.Time, len(entries)), make(map[uint64]time.Time), make(map[about]time.Time)
	for i, e := range entries {
		at[e.Number] = e.At
		kind, ok := kinds[e.Verb]
		if !ok {
			continue
		}
		if e.Verb == kind {
			for _, end := range []time.Time{e.Until, later[about{kind, e.Subject}], at[e.UndoneBy]} {
				if !end.IsZero() && !end.After(now) && (ends[i].IsZero() || end.Before(ends[i])) {
					ends[i] = end
				}
			}
		}
		later[about{kind, e.Subject}] = e.At
	}
	return ends
}

// Reports returns the open reports, or all that are kept if handled is true. Reports about one player stand together, the oldest first; players
// are sorted by their first report.
func (o Reader) Reports(ctx context.Context, handled bool) ([]operators.Report, error) {
	reports, err := o.club.config.Store.Reports(ctx, handled)
	first := make(map[storage.PlayerID]uint64)
	for _, r := range reports {
		if _, known := first[r.About]; !known {
			first[r.About] = r.Number
		}
	}
	slices.SortStableFunc(reports, func(a, b operators.Report) int { return cmp.Compare(first[a.About], first[b.About]) })
	return reports, refusal.OfStore(err)
}

// Bans returns the bans that are in force now.
func (o Reader) Bans() []operators.Ban {
	now := o.club.config.Now()
	return slices.DeleteFunc(slices.Clone(o.club.config.Restrictions.Bans()), func(b operators.Ban) bool { return b.IsOver(now) })
}

// A Dossier is all that the club knows about a player.
type Dossier struct {
	standings.Profile
	Restriction accountstore.Restriction
	Into        string               // the name of the account that this one was merged with; "" if it was not
	Former      []string             // former names that are reserved for the player
	Keys        []accountstore.Visit // all keys, with their last use if it is known
	Blocks      []accountstore.Visit // of addresses, within accounts.VisitLife
	Addresses   []accounts.Address   // of the last day, since the club was started, the newest first; without addresses that limits spare
	Unfinished  []lists.Mine         // matches
	Finished    []results.Finished   // the newest
	Reports     []operators.Report   // about the player, all that are kept
}

// dossierMatches is the most finished matches in a Dossier.
const dossierMatches = 20

// Dossier returns what the club knows about a player. name may also be a former name. The errors are refusal.ErrNoSuchPlayer and refusal.ErrBusy.
func (o Reader) Dossier(ctx context.Context, name string) (Dossier, error) {
	l := o.club
	former, err := l.config.Store.FormerNames(ctx)
	if err != nil {
		return Dossier{}, refusal.OfStore(err)
	}
	profile, err := l.config.Standings.FullProfile(ctx, name)
	if err != nil {
		return Dossier{}, err
	}
	d := Dossier{Profile: profile, Restriction: l.config.Restrictions.Of(profile.ID), Former: former[profile.ID]}
	who := match.User{Kind: storage.Person, ID: string(profile.ID), Name: profile.Name}
	if into := d.Restriction.Into; into != "" {
		p, err := l.config.Store.Player(ctx, into)
		if err != nil {
			return Dossier{}, refusal.OfStore(err)
		}
		d.Into = p.Name
	}
	visits, err := l.config.Store.Visits(ctx, profile.ID)
	if err != nil {
		return Dossier{}, refusal.OfStore(err)
	}
	keys, err := l.config.Store.Keys(ctx, profile.ID)
	if err != nil {
		return Dossier{}, refusal.OfStore(err)
	}
	for _, k := range keys {
		v := accountstore.Visit{From: k}
		if i := slices.IndexFunc(visits, func(v accountstore.Visit) bool { return v.From == k }); i >= 0 {
			v = visits[i]
		}
		d.Keys = append(d.Keys, v)
	}
	now := l.config.Now()
	for _, v := range visits {
		if !v.IsKey() && now.Sub(v.Last) < accountstore.VisitLife {
			d.Blocks = append(d.Blocks, v)
		}
	}
	d.Addresses = l.config.Sessions.Addresses(profile.ID, now)
	d.Unfinished = l.config.Lists.Yours(who).Matches
	if d.Finished, err = l.config.Store.History(ctx, results.HistoryQuery{Player: profile.ID, Limit: dossierMatches}); err != nil {
		return Dossier{}, refusal.OfStore(err)
	}
	reports, err := l.config.Store.Reports(ctx, true)
	if err != nil {
		return Dossier{}, refusal.OfStore(err)
	}
	for _, r := range reports {
		if r.About == profile.ID {
			d.Reports = append(d.Reports, r)
		}
	}
	return d, nil
}

// Signers returns the keys with which the club signs records, or has signed them, the oldest first.
func (o Reader) Signers(ctx context.Context) ([]operators.Signer, error) {
	return o.club.Signers(ctx)
}
