package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ludoteca/games/fourmation"
	"ludoteca/games/lab"
)

// newBook is the command that makes the opening book that is built into this program.
func newBook(p process) *cobra.Command {
	var (
		plan    fourmation.BookPlan
		workers int
		output  string
	)
	cmd := &cobra.Command{
		Use:   "book GAME [key=value ...]",
		Short: "Make the opening book of a game, games/fourmation/book.bin; only 4Mation has one",
		Long: `Make the opening book of a game; only 4Mation has one. It holds a move that is proven not to lose for each position
after the first --full plies, and for all that the other side can make of these moves up to ply --follow.

Without options it is the book of the house, games/fourmation/book.bin, with the boards and plies that are worth a book; this
takes some minutes of computing. With options it is a book for that board alone. The same arguments make
the same book.`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			plans, err := bookPlans(args, plan)
			if err != nil {
				return err
			}
			book, err := lab.Book(cmd.Context(), p.stderr, plans, workers)
			if err != nil {
				return ofLab(err)
			}
			return lab.ReplaceFile(output, book)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&plan.Full, "full", 1, "with options: every position after so many plies and fewer has a move")
	flags.IntVar(&plan.Follow, "follow", 2, "with options: the ply up to which answers to the book are followed")
	flags.IntVar(&plan.Nodes, "nodes", 1<<26, "with options: positions to look at for one move at most")
	flags.IntVar(&workers, "workers", 1, "moves looked for at the same time")
	flags.StringVar(&output, "output", "book.bin", "the file to write")
	return cmd
}

// bookPlans returns the plans of the house, or the one for the board that the words after the game name.
func bookPlans(args []string, plan fourmation.BookPlan) ([]fourmation.BookPlan, error) {
	g, o, err := gameOf(args[0], args[1:])
	switch {
	case err != nil:
		return nil, err
	case g.About().ID != fourmation.New().About().ID:
		return nil, fmt.Errorf("%s needs no book; only %s has one", g.About().Name, fourmation.New().About().Name)
	case len(args) == 1:
		return fourmation.BookPlans(), nil
	}
	plan.Options = o
	return []fourmation.BookPlan{plan}, nil
}
