package standings

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A SearchQuery looks for finished matches, newest first. All that it says must hold of a match.
type SearchQuery struct {
	HistoryQuery
	With    string          // the name of the other player, or of one of the two if Name is ""; "" for any player
	Outcome results.Outcome // results.Won and results.Lost need a name, and are from that player's point of view
	Since   time.Time       // only matches that ended then or later; the zero value is every time
	Opening []games.Move    // how the match began, from the start position of its game
}

// A NobodyError names a player that a query asks for and the club doesn't have. It wraps refusal.ErrNoSuchPlayer.
type NobodyError struct{ Name string }

func (e *NobodyError) Error() string { return "there is no player " + e.Name }

// Unwrap returns refusal.ErrNoSuchPlayer.
func (e *NobodyError) Unwrap() error { return refusal.ErrNoSuchPlayer }

// A Search goes through the finished matches that a query asks for, newest first. It is for one goroutine.
type Search struct {
	results *Results
	next    results.SearchQuery
}

// Search begins a search: it finds the players and the game of a query. The errors are *NobodyError, refusal.ErrNoSuchGame and refusal.ErrBusy.
func (r *Results) Search(ctx context.Context, q SearchQuery) (*Search, error) {
	ask := results.SearchQuery{Before: q.Before, Outcome: q.Outcome, Since: q.Since, Opening: q.Opening}
	for _, named := range []struct {
		name string
		id   *storage.PlayerID
	}{{q.Name, &ask.Player}, {q.With, &ask.With}} {
		if named.name == "" {
			continue
		}
		p, err := r.config.Player(ctx, named.name)
		if errors.Is(err, refusal.ErrNoSuchPlayer) {
			err = &NobodyError{named.name}
		}
		if err != nil {
			return nil, err
		}
		*named.id = p.ID
	}
	if ask.Player == "" { // the list of one player is shorter than that of all
		ask.Player, ask.With = ask.With, ""
	}
	if q.Game != "" {
		g, err := findGame(r.config.Games, q.Game)
		if err != nil {
			return nil, err
		}
		ask.Game = g.About().ID
	}
	return &Search{r, ask}, nil
}

// Step takes a step: it returns what it has found among the next matches, without their moves, at most limit (1 to MaxHistory) of them. A step costs
// about two milliseconds, and may find nothing. At the end the Next of its page is the zero value. The error is refusal.ErrBusy.
func (s *Search) Step(ctx context.Context, limit int) (results.SearchPage, error) {
	s.next.Limit = max(1, min(limit, s.results.config.Most))
	page, err := s.results.config.Store.Search(ctx, s.next)
	if err == nil {
		s.next.Before = page.Next
	}
	return page, refusal.OfStore(err)
}
