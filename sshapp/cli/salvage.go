package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludoteca/sshapp/club/clubstore"
	"ludoteca/storage/repair"
)

func newSalvage(p process) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "salvage FROM TO",
		Short: "Write all that can be read of a damaged store to a new one",
		Long: "Read the file FROM, which may be damaged, and write all that can be read to the new file TO, as a store that the club can open. What\n" +
			"is lost is listed; names, history, codes and ratings are made anew where they follow from the rest. FROM stays as it is.\n\n" +
			"The status is 0 if nothing is lost, and 1 if something is, or may be. If there is no TO then, nothing could be saved: a store whose two meta\n" +
			"pages are both lost comes back from a backup alone.",
		Args: between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := clubstore.Salvage(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(p.stdout).Encode(report)
			} else {
				err = printSalvaged(p.stdout, report)
			}
			if err == nil && report.Lost {
				err = errors.New("something is lost, or may be; the rest is in " + args[1])
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// printSalvaged writes a report for a person.
func printSalvaged(w io.Writer, r *repair.SalvageReport) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kept\tmade anew\tout of date?\tdamaged\tdropped\t")
	for _, k := range r.Kinds {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t  %s\n", k.Kept, k.Rebuilt, k.Earlier, k.Damaged, k.Dropped, k.Kind)
	}
	err := t.Flush()
	if r.Ratings > 0 {
		fmt.Fprintf(w, "\n%d ratings were worked out anew from the results.\n", r.Ratings)
	}
	if r.MetaLost {
		fmt.Fprintln(w, "\nOne of the two meta pages is lost: the last commit may be missing.")
	}
	if r.FreeLost {
		fmt.Fprintln(w, "\nThe list of free pages is lost: pages that nothing leads to may be old, and were left alone.")
	}
	if len(r.Ranges) > 0 {
		fmt.Fprintln(w, "\nRanges of keys that could not be read in their place:")
	}
	for _, l := range r.Ranges {
		fmt.Fprintln(w, lossLine(l))
	}
	if r.MoreLost > 0 {
		fmt.Fprintf(w, "  and %d more\n", r.MoreLost)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(w, "\nMatches and players:")
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "  %s %s: %s\n", n.Kind, n.ID, n.What)
	}
	if r.More > 0 {
		fmt.Fprintf(w, "  and %d more\n", r.More)
	}
	if !r.Lost {
		fmt.Fprintln(w, "\nNothing is lost.")
	}
	return err
}

// lossLine says in one line what is known of a range that could not be read.
func lossLine(l repair.SalvageLoss) string {
	line := "  " + l.Kind
	if l.After != "" || l.Before != "" {
		line += fmt.Sprintf(" between %s and %s", cmp.Or(l.After, "the beginning"), cmp.Or(l.Before, "the end"))
	}
	if len(l.Pages) == 1 {
		line += fmt.Sprintf(": page %d %s", l.Pages[0], l.Problem)
	} else {
		line += fmt.Sprintf(": pages %s; the first of them %s", strings.Trim(fmt.Sprint(l.Pages), "[]"), l.Problem)
	}
	for _, part := range []struct {
		n    int
		what string
	}{
		{l.Rows, "known to be lost there"}, {l.Found, "found on other pages"}, {l.Earlier, "as an earlier commit had them"},
	} {
		if part.n > 0 {
			line += fmt.Sprintf("; %d %s", part.n, part.what)
		}
	}
	if l.Whole {
		line += "; nothing is lost"
	}
	return line
}
