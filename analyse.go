package main

import (
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
			show, clear := analyseProgress(terminalOf(p.stderr))
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

// analyseProgress returns what shows how far an analysis is on a terminal, and what wipes that away; nil is no terminal.
func analyseProgress(terminal io.Writer) (show func(done, total int), clear func()) {
	if terminal == nil {
		return nil, func() {}
	}
	const wipe = "\r\x1b[K"
	return func(done, total int) { fmt.Fprintf(terminal, wipe+"%d of %d positions", done, total) },
		func() { fmt.Fprint(terminal, wipe) }
}
