package main

import (
	"github.com/spf13/cobra"

	"ludoteca/games/lab"
)

// usualInquest is how many positions prove looks at unless it is told otherwise: a few seconds.
const usualInquest = 5_000_000

func newProve() *cobra.Command {
	var (
		asJSON bool
		in     lab.Inquest
	)
	cmd := &cobra.Command{
		Use:   "prove GAME [key=value ...]",
		Short: "Prove who wins the position that the moves on standard input lead to",
		Long: `Prove who wins the position that the moves on standard input lead to. They are apart by spaces or line ends.

A win is proven by a strategy that has been played against every defence by the whole rules. The number of plies is how long
that takes at most; there may be a faster way. Where the limits are too narrow the answer is that nothing is proven.`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, o, err := gameOf(args[0], args[1:])
			if err != nil {
				return err
			}
			return ofLab(lab.Prove(cmd.Context(), cmd.OutOrStdout(), cmd.InOrStdin(), g, o, in, asJSON))
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&in.Nodes, "nodes", usualInquest, "how many positions to look at")
	flags.DurationVar(&in.Time, "time", 0, "how long to look")
	flags.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
