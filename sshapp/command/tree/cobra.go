package tree

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Cobra returns the command, and its sub-commands, as a command of a program. run gets the words that follow the name, flags of the
// command last, in the form --NAME=VALUE.
func (d *Command[R]) Cobra(run func(cmd *cobra.Command, words []string) error) *cobra.Command {
	f := newFlags(d.Name)
	f.set.Bool("json", false, "one JSON object a line")
	if d.Run != nil {
		d.Run(f)
	}
	cmd := &cobra.Command{
		Use: d.Name + " " + d.After(), Short: d.Summary, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, words []string) error {
			cmd.Flags().Visit(func(g *pflag.Flag) {
				if f.set.Lookup(g.Name) != nil {
					words = append(words, "--"+g.Name+"="+g.Value.String())
				}
			})
			return run(cmd, words)
		},
	}
	cmd.Flags().AddFlagSet(f.set)
	for _, s := range d.Sub {
		cmd.AddCommand(s.Cobra(func(cmd *cobra.Command, words []string) error { return run(cmd, append([]string{s.Name}, words...)) }))
	}
	return cmd
}
