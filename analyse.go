package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/catalog"
)

// newAnalyse is the command that says where a game was won and lost; it needs no club.
func newAnalyse(p process) *cobra.Command {
	var (
		asJSON bool
		nodes  int
	)
	cmd := &cobra.Command{
		Use:   "analyse",
		Short: "Say where a game was won and lost; reads a record from standard input",
		Long: `Say where a game was won and lost: what each position was worth, which moves threw something away, and what would have
been better. Reads one record from standard input, as ` + "`ssh HOST record ID`" + ` prints it.

The same record and --nodes give the same analysis. Values are the first side's, in men; a win in so many plies is only
named where it is proven.`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := analysis.CheckNodes(nodes); err != nil {
				return usageError{err}
			}
			record, last, err := games.ReadRecord(cmd.InOrStdin(), catalog.Find)
			if err != nil {
				return err
			}
			g, _ := catalog.Find(record.Get(games.HeaderGame)) // ReadRecord has found it
			r := analysis.Report{ID: record.Get(games.HeaderID), Game: g, Options: last.Options(), Moves: record.Moves}
			show, clear := progressOn(terminalOf(p.stderr), "%d of %d positions")
			r.Analysis, err = analysis.Analyse(cmd.Context(), g, r.Options, r.Moves, nodes, show)
			clear()
			switch {
			case err != nil:
				return err
			case asJSON:
				return r.WriteJSON(cmd.OutOrStdout())
			}
			return r.WriteText(cmd.OutOrStdout())
		},
	}
	cmd.Flags().IntVar(&nodes, "nodes", 0, "how many positions to look at for each position of the game (default: fewer the longer the game)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// newScale is the command that measures what evaluations are worth, for the analyses and the graphs of reviews.
func newScale(p process) *cobra.Command {
	var f analysis.Fitting
	cmd := &cobra.Command{
		Use:   "scale [GAME ...]",
		Short: "Measure how far ahead a side must be to expect 73 % of the points",
		Long: `Measure how far ahead a side must be to expect 73 % of the points: the scale of the logistic curve by which analyses turn
values into chances. The strongest level plays itself with a small budget, and slips now and then as people do; the same seed gives the same scale. Without
a GAME all games are measured, under their usual options.`,
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := gamesOf(args)
			if err != nil {
				return err
			}
			for _, g := range all {
				o, err := games.Complete(g, nil)
				if err != nil {
					return err
				}
				show, clear := progressOn(terminalOf(p.stderr), g.About().ID+": %d of %d games")
				fit, err := analysis.FitScale(cmd.Context(), g, o, f, show)
				clear()
				switch {
				case errors.Is(err, analysis.ErrFitting):
					return usageError{err}
				case err != nil:
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-12s %5.0f  %6d positions  %.3f bits\n", g.About().ID, fit.Scale, fit.Positions, fit.Loss)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Games, "games", 200, "how many games")
	flags.IntVar(&f.Nodes, "nodes", 5_000, "how many positions to look at for each move")
	flags.IntVar(&f.Openings, "openings", 8, "random plies before the players take over")
	flags.IntVar(&f.Slips, "slips", 2, "one move in so many is that of a level that sees little, as people slip; 0: none")
	flags.Uint64Var(&f.Seed, "seed", 1, "the same seed gives the same games")
	return cmd
}

// progressOn returns what shows on a terminal how far something is, and what wipes that away; nil is no terminal.
func progressOn(terminal io.Writer, words string) (show func(done, total int), clear func()) {
	if terminal == nil {
		return nil, func() {}
	}
	const wipe = "\r\x1b[K"
	return func(done, total int) { fmt.Fprintf(terminal, wipe+words, done, total) },
		func() { fmt.Fprint(terminal, wipe) }
}
