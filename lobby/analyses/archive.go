package analyses

import (
	"context"
	"errors"
	"log/slog"

	lru "github.com/hashicorp/golang-lru/v2"

	"ludoteca/games/analysis"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// An archive has the matches to analyse, and the analyses that are complete: of studies in memory, of the club's matches in the store. Any
// goroutine may use it.
type archive struct {
	match   func(ctx context.Context, id storage.MatchID) (*match.View, error)
	store   Store
	studies *lru.Cache[storage.MatchID, *analysis.Analysis]
	log     *slog.Logger
}

// view returns the match of an item.
func (r *archive) view(ctx context.Context, it *item) (*match.View, error) {
	if it.study != nil {
		return it.study, nil
	}
	return r.match(ctx, it.id)
}

// positions returns the number of positions in the analysis of a match, or an error if the match can't be analysed. A study needs no result.
func (r *archive) positions(ctx context.Context, it *item) (int, error) {
	v, err := r.view(ctx, it)
	switch {
	case err != nil:
		return 0, err
	case it.study == nil && !v.Over:
		return 0, refusal.ErrNotOver
	case it.study == nil && v.Result == "", v.Ply() == 0, v.Ply() > analysis.MaxPlies:
		return 0, refusal.ErrUnplayed
	}
	return v.Ply() + 1, nil
}

// load returns the stored analysis of a match, to make one if it is nil: if there is none of this version and length, or only a damaged one.
func (r *archive) load(ctx context.Context, it *item) (*analysis.Analysis, error) {
	if it.study != nil {
		a, _ := r.studies.Get(it.id)
		return a, nil
	}
	a, damage, err := r.stored(ctx, it.id, it.total)
	if damage != nil {
		r.log.Error("the analysis of a match is damaged and is made anew", "match", it.id, "err", damage)
	}
	return a, err
}

// save keeps an analysis that is complete.
func (r *archive) save(ctx context.Context, it *item, a *analysis.Analysis) error {
	if it.study != nil {
		r.studies.Add(it.id, a)
		return nil
	}
	return r.store.SaveAnalysis(ctx, it.id, a)
}

// stored returns the stored analysis of a match. It is nil if there is none of this version and length; damage says why it can't be read.
func (r *archive) stored(ctx context.Context, id storage.MatchID, positions int) (a *analysis.Analysis, damage, err error) {
	a, err = r.store.Analysis(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, nil, nil
	case errors.Is(err, storage.ErrDamaged):
		return nil, err, nil
	case err != nil:
		return nil, nil, refusal.OfStore(err)
	case a.Version != analysis.Version || len(a.Points) != positions:
		return nil, nil, nil
	}
	return a, nil, nil
}
