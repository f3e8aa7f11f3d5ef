package cli

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/lab"
	"ludoteca/lobby/clock"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
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
		Long: `Say where a game was won and lost: what each position was worth, how long each move took if the record has a clock, which
moves threw something away and why, what would have been better, and how accurate each side was. Reads one record from standard
input, as ` + "`ssh HOST record ID`" + ` prints it.

The same record and --nodes give the same analysis. Values are the first side's, in men; a win in so many plies is only
named where it is proven.`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			record, report, err := lab.Analyse(cmd.Context(), terminalOf(p.stderr), cmd.InOrStdin(), p.games, nodes)
			switch {
			case err != nil:
				return ofLab(err)
			case asJSON:
				return ofLab(report.WriteJSON(cmd.OutOrStdout()))
			}
			return ofLab(writeAnalysis(cmd.OutOrStdout(), record, report))
		},
	}
	cmd.Flags().IntVar(&nodes, "nodes", 0, "number of positions to look at for each position of the game; 0 looks at fewer the longer the game")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// writeAnalysis writes the analysis of a record for people, with the words of the review.
func writeAnalysis(w io.Writer, record *games.Record, report *analysis.Report) error {
	var say wording.Words
	turns, err := report.Turns()
	if err != nil {
		return err
	}
	report.Remark, report.Times = boardview.Remarks(say.Say), say.Times(spent(record, turns, report.Given))
	return report.WriteText(w, say)
}

// spent returns how long each move of a record took by its clock, and nothing for the given ones; nil without a clock. turns are the sides that made
// the moves.
func spent(record *games.Record, turns []games.Side, given int) []time.Duration {
	setting, err := clock.Parse(record.Get(games.HeaderClock))
	if err != nil || record.Left == nil || given > len(record.Left) {
		return nil
	}
	var movers []int
	for _, side := range turns[given:len(record.Left)] {
		movers = append(movers, int(side))
	}
	return append(make([]time.Duration, given), setting.Spent(movers, record.Left[given:])...)
}
