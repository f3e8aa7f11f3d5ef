package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludoteca/sshapp/club/clubstore"
	"ludoteca/storage/repair"
)

func newMoveStore(p process) *cobra.Command {
	place := clubstore.DefaultPlace()
	cmd := &cobra.Command{
		Use:   "move-store FROM TO",
		Short: "Copy a stopped club between a file and etcd or PostgreSQL",
		Long: "Copy everything the club keeps from FROM to TO, read it back and compare it. One of the two is a file (ludoteca.db in the data folder),\n" +
			"the other is etcd://HOST:PORT[,HOST:PORT...][/CLUB] or postgres://USER@HOST:PORT/DATABASE[?club=CLUB]. FROM is not changed. TO must be a\n" +
			"new file, or hold nothing. If the copy to etcd or PostgreSQL is interrupted, the club can't be served from there; run move-store again,\n" +
			"which starts over.",
		Args: between(2, 2),
		RunE: func(cmd *cobra.Command, words []string) error {
			copied, err := moveStore(cmd.Context(), words[0], words[1], place, p)
			if err != nil {
				return err
			}
			return printCopied(p.stdout, copied)
		},
	}
	place.AddEtcdFlags(cmd.Flags())
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnv(p, cmd.Flags()) }
	return cmd
}

// moveStore copies a club from a file to etcd or PostgreSQL, or back.
func moveStore(ctx context.Context, from, to string, place clubstore.Place, p process) ([]repair.Copied, error) {
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	path := from
	switch place.Store = to; {
	case clubstore.IsShared(from) && clubstore.IsShared(to):
		return nil, usageError{errors.New("one of FROM and TO must be a file")}
	case clubstore.IsShared(from):
		path, place.Store = to, from
	case !clubstore.IsShared(to):
		return nil, usageError{errors.New("one of FROM and TO must be " + clubstore.EtcdScheme + "HOST:PORT or " + clubstore.PostgresSchemes[0] + "USER@HOST/DATABASE")}
	}
	if err := place.Check(p.env); err != nil {
		return nil, usageError{err}
	}
	if path == to {
		return clubstore.MoveToFile(ctx, &place, path, log)
	}
	return clubstore.MoveToShared(ctx, path, &place, log)
}

// printCopied writes the size of each section.
func printCopied(w io.Writer, copied []repair.Copied) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "entries\tbytes\t")
	all := repair.Copied{Section: "in all, read back and compared"}
	for _, c := range copied {
		fmt.Fprintf(t, "%d\t%d\t  %s\n", c.Keys, c.Bytes, c.Section)
		all.Keys += c.Keys
		all.Bytes += c.Bytes
	}
	fmt.Fprintf(t, "%d\t%d\t  %s\n", all.Keys, all.Bytes, all.Section)
	return t.Flush()
}
