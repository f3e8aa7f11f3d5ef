package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ludoteca/storage"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// describeAll returns all that describe leaves out of a store, a line each: accounts and their details, chat, summaries, and the acts of
// operators.
func describeAll(ctx context.Context, s *schema.Store) ([]byte, error) {
	said := map[string]any{}
	var failed []error
	note := func(key string, value any, err error) {
		if said[key] = value; err != nil {
			said[key], failed = err.Error(), append(failed, err)
		}
	}
	now := time.Unix(1_900_000_000, 0).UTC()
	related, err := s.Relations.Relations(ctx)
	note("relations", related, err)
	players := map[storage.PlayerID]bool{}
	for id := range related {
		players[id] = true
	}
	rows, err := s.Results.History(ctx, resultstore.HistoryQuery{Limit: 1000})
	note("history", len(rows), err)
	games := map[string]bool{}
	for _, f := range rows {
		games[f.Game] = true
		by, err := s.Results.Unrated(ctx, f.ID)
		note("unrated "+string(f.ID), by, err)
		lines, err := s.Chat.Evidence(ctx, f.ID, now)
		note("evidence "+string(f.ID), lines, err)
		for _, o := range []storage.Occupant{f.First, f.Second} {
			if o.Kind == storage.Person {
				players[storage.PlayerID(o.ID)] = true
			}
		}
		outcomes, err := s.Results.Outcomes(ctx, f)
		note("outcomes "+string(f.ID), outcomes, err)
	}
	sums, err := s.Matches.Summaries(ctx)
	note("summaries", sums, err)
	for _, m := range sums {
		lines, err := s.Chat.Chat(ctx, m.ID)
		note("chat "+string(m.ID), lines, err)
		for _, from := range []uint64{2, 60, 130} {
			log, err := s.Matches.Log(ctx, m.ID, from, 3)
			note(fmt.Sprintf("log %s from %d", m.ID, from), log, err)
		}
	}
	reports, err := s.Operators.Reports(ctx, false)
	note("reports", reports, err)
	audit, err := s.Operators.Audit(ctx, 1<<40, 1000)
	note("audit", audit, err)
	bans, err := s.Operators.Bans(ctx)
	note("bans", bans, err)
	signers, err := s.Operators.Signers(ctx)
	if len(signers) > 0 {
		note("signers", signers, err)
	}
	restricted, err := s.Restrictions.Restrictions(ctx)
	note("restrictions", restricted, err)
	former, err := s.Restrictions.FormerNames(ctx)
	note("former names", former, err)
	announced, err := s.Operators.Announcement(ctx)
	note("announcement", announced, err)
	deleted, err := s.Accounts.Deletions(ctx)
	note("deletions", deleted, err)
	beat, err := s.Cluster.LastBeat(ctx)
	note("heartbeat", beat, err)
	for id := range players {
		account, err := s.Account(ctx, id)
		note("account "+string(id), account, err)
		visits, err := s.Visits.Visits(ctx, id)
		note("visits "+string(id), visits, err)
		conduct, err := s.Results.Conduct(ctx, id)
		note("conduct "+string(id), conduct, err)
		counted, err := s.Results.CountedMatches(ctx, id, "", 1000)
		note("counted "+string(id), counted, err)
		lines, err := s.Chat.ChatBy(ctx, id)
		note("chat by "+string(id), lines, err)
		for other := range players {
			if tallies, err := s.Results.Tallies(ctx, id, other, slices.Sorted(maps.Keys(games))...); other != id {
				note(fmt.Sprintf("tallies %s %s", id, other), tallies, err)
			}
		}
		for game := range games {
			points, err := s.Results.RatingHistory(ctx, id, []string{game}, 1000)
			note(fmt.Sprintf("rating history %s %s", id, game), points, err)
		}
	}
	for game := range games {
		rated, err := s.Results.RatingsIn(ctx, game, slices.Sorted(maps.Keys(players)))
		note("ratings "+game, rated, err)
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(said)) {
		value, err := json.Marshal(said[key])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "%s: %s\n", key, value)
	}
	return []byte(text.String()), errors.Join(failed...)
}
