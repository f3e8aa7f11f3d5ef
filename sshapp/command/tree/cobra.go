package tree

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Cobra returns the command, and its sub-commands, as a command of a program. run gets the words that follow the name, flags of the
// command last, in the form --NAME=VALUE.
func (d *Command[R]) Cobra(run func(cmd *cobra.Command, words []string) error) *cobra.Command {
	f := newFlags(d.Name)
	f.set.SortFlags = false
	if d.Run != nil {
		d.Run(f)
	}
	f.set.Bool(jsonFlag().Name, false, jsonFlag().Help)
	cmd := &cobra.Command{
		Use: d.Name + " " + d.After(), Short: d.Summary, Long: d.long(), Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, words []string) error {
			cmd.Flags().Visit(func(g *pflag.Flag) {
				if f.set.Lookup(g.Name) != nil {
					words = append(words, "--"+g.Name+"="+g.Value.String())
				}
			})
			return run(cmd, words)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(f.set)
	for _, s := range d.Sub {
		sub := s.Cobra(func(cmd *cobra.Command, words []string) error { return run(cmd, append([]string{s.Name}, words...)) })
		if sub.GroupID = s.Group; s.Group != "" && !cmd.ContainsGroup(s.Group) {
			cmd.AddGroup(&cobra.Group{ID: s.Group, Title: s.Group})
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// long says what the command does, what its words mean and how it is called, for the help of a program.
func (d *Command[R]) long() string {
	parts := []string{sentence(d.Summary) + "."}
	var words []string
	for _, a := range d.Args {
		words = append(words, "  "+a.Name+"\t"+a.Help)
	}
	if len(words) > 0 {
		parts = append(parts, strings.Join(Columns(words), "\n"))
	}
	return strings.Join(append(parts, "Example: ludoteca "+strings.TrimPrefix(d.example(), "ssh HOST ")), "\n\n")
}
