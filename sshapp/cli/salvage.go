package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludoteca/atomicfile"
	"ludoteca/lobby/rating"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/repair"
	"ludoteca/storage/schema"
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
			report, err := salvage(cmd.Context(), args[0], args[1])
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// salvage saves what can be read of the store in the file from. The file to gets its name when it is whole and on disk.
func salvage(ctx context.Context, from, to string) (report *repair.SalvageReport, err error) {
	if _, err := os.Lstat(to); err == nil {
		return nil, fmt.Errorf("%s is there already; salvage never overwrites", to)
	}
	damaged, err := bolt.OpenDamaged(from, bolt.Options{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, damaged)
	if err := removeSalvaged(filepath.Dir(to)); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(filepath.Dir(to), salvageFolder+"*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, storeName)
	engine, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return nil, err
	}
	report, err = repair.Salvage(ctx, damaged, engine, schema.Config{Rate: rating.Rate}, time.Now())
	if err = errors.Join(err, engine.Close()); err != nil {
		return nil, err
	}
	if err := giveOwner(path, damaged); err != nil {
		return nil, err
	}
	if err := atomicfile.Name(atomicfile.System{}, path, to); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is there already; salvage never overwrites", to)
		}
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	return report, nil
}

// salvageFolder begins the name of the folder in which a salvaged store is made.
const salvageFolder = ".salvage-"

// removeSalvaged removes from a folder what a salvage that was killed has left. One that runs has its file locked.
func removeSalvaged(folder string) error {
	return atomicfile.RemoveFolders(folder, salvageFolder, storeName, func(file string) bool {
		d, err := bolt.OpenDamaged(file, bolt.Options{LockTimeout: time.Millisecond})
		if err == nil {
			err = d.Close()
		}
		return errors.Is(err, bolt.ErrLocked)
	})
}

// giveOwner gives a new file the owner of the damaged one: root may save a store that the club's user must be able to open.
func giveOwner(path string, of *bolt.Damaged) error {
	info, err := of.Info()
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.GiveOwner(f, info), f.Close())
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
