package results

import (
	"context"
	"fmt"

	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// AnalysisVersion is the version of stored analyses. The version of the method by which one was made is inside.
const AnalysisVersion = 1

// maxAnalysis bounds a stored analysis in bytes. One takes some twenty bytes for each move; the longest game that is
// analysed fits several times over.
const maxAnalysis = 8 << 20

// An AnalysisStore keeps analyses of finished matches.
type AnalysisStore struct{ engine kv.Store }

// NewAnalysisStore returns the analyses that an engine keeps.
func NewAnalysisStore(engine kv.Store) *AnalysisStore { return &AnalysisStore{engine} }

// SaveAnalysis keeps the analysis of a finished match, in place of an older one. The error is ErrNotFound if no match with
// this id has ended, and ErrInvalid for an analysis that makes no sense or is not one of this match: it has a point for
// the start and one for each move.
func (s *AnalysisStore) SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("save analysis of match %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id)); err != nil {
			return err
		}
		value, err := Analyses.Values.Encode(a)
		if err != nil {
			return err
		}
		f, err := RecordHeads.Get(tx, id)
		switch {
		case err != nil:
			return err
		case f.Plies+1 != len(a.Points):
			return fmt.Errorf("%w: an analysis of %d positions after %d moves", storage.ErrInvalid, len(a.Points), f.Plies)
		}
		tx.Put(Analyses.Key(id), value)
		return nil
	})
}

// Analysis returns the analysis that is kept of a finished match, of whatever version of the method. The error is
// ErrNotFound if there is none.
func (s *AnalysisStore) Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("analysis of match %s", id), func(r kv.Reader) (*analysis.Analysis, error) { return Analyses.Get(r, id) })
}

// Analyses are the analyses of matches that have ended. They can be made anew from the records.
var Analyses = storage.Table[storage.MatchID, *analysis.Analysis]{
	Name: "analyses", Keys: storage.Text[storage.MatchID](nil), Traits: storage.Traits{Subject: "match"},
	Values: storage.Codec[storage.MatchID, *analysis.Analysis]{
		Encode: encodeAnalysis,
		Decode: func(_ storage.MatchID, value []byte) (*analysis.Analysis, error) { return decodeAnalysis(value) },
	},
}

// encodeAnalysis returns the stored form of an analysis.
func encodeAnalysis(a *analysis.Analysis) ([]byte, error) {
	content, err := a.Encode()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storage.ErrInvalid, err)
	}
	if len(content) > maxAnalysis {
		return nil, fmt.Errorf("%w: an analysis of %d bytes", storage.ErrInvalid, len(content))
	}
	return storage.Seal(AnalysisVersion, content), nil
}

// decodeAnalysis reads what encodeAnalysis writes. The error is ErrDamaged for anything else.
func decodeAnalysis(value []byte) (*analysis.Analysis, error) {
	content, err := storage.Unseal(value, AnalysisVersion)
	if err != nil {
		return nil, err
	}
	a, err := analysis.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storage.ErrDamaged, err)
	}
	return a, nil
}
