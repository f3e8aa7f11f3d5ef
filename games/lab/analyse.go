package lab

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"ludoteca/games"
	"ludoteca/games/analysis"
)

// Analyse reads one record of one of the games from r, analyses its game, and returns both. nodes is the budget for
// each position; 0 stands for the result of analysis.Budget. Analyse returns the errors of games.ReadRecord and analysis.Analyse.
func Analyse(ctx context.Context, progress io.Writer, r io.Reader, all []games.Game, nodes int) (*games.Record, *analysis.Report, error) {
	if err := analysis.CheckNodes(nodes); err != nil {
		return nil, nil, err
	}
	find := func(id string) (games.Game, bool) { return games.Find(all, id) }
	record, last, err := games.ReadRecord(r, find)
	if err != nil {
		return nil, nil, err
	}
	g, _ := find(record.Get(games.HeaderGame)) // ReadRecord has found it
	from, err := record.Start()
	if err != nil {
		return nil, nil, err
	}
	start, err := games.Begin(g, last.Options(), from)
	if err != nil {
		return nil, nil, err
	}
	report := &analysis.Report{ID: record.Get(games.HeaderID), Game: g, Start: start, Moves: record.Moves}
	line := &progressLine{w: progress}
	if given := record.Get(games.HeaderGiven); given != "" {
		if report.Given, err = strconv.Atoi(given); err != nil || report.Given < 0 {
			return nil, nil, fmt.Errorf("the record says that %.20q moves were given", given)
		}
	}
	report.Analysis, err = analysis.Analyse(ctx, g, start, report.Moves, nodes, func(done, total int) {
		line.show(func() string { return fmt.Sprintf("%d of %d positions", done, total) })
	})
	line.clear()
	return record, report, err
}

// Scale measures the scale of the evaluations of games under their usual options and writes a line for each to w. It returns the
// errors of analysis.FitScale.
func Scale(ctx context.Context, w, progress io.Writer, all []games.Game, f analysis.Fitting) error {
	for _, g := range all {
		o, err := games.Complete(g, nil)
		if err != nil {
			return err
		}
		line := &progressLine{w: progress}
		fit, err := analysis.FitScale(ctx, g, o, f, func(done, total int) {
			line.show(func() string { return fmt.Sprintf("%s: %d of %d games", g.About().ID, done, total) })
		})
		line.clear()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%-12s %5.0f  %6d positions  %.3f bits, now %.3f\n",
			g.About().ID, fit.Scale, fit.Positions, fit.Loss, fit.Present)
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}
