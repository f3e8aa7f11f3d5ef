package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludoteca/sshapp/club/clubstore"
	"ludoteca/storage/repair"
)

func newMoveStore(p process) *cobra.Command {
	place := clubstore.DefaultPlace()
	cmd := &cobra.Command{
		Use:   "move-store FROM TO",
		Short: "Copy a stopped club between a file, etcd and PostgreSQL",
		Long: "Copy everything the club keeps from FROM to TO, read it back and compare it. Each of the two is etcd://HOST:PORT[,HOST:PORT...][/CLUB],\n" +
			"postgres://USER@HOST:PORT/DATABASE[?club=CLUB], or, but not both, a file (ludoteca.db in the data folder). FROM is not changed. TO must be\n" +
			"a new file, or hold nothing. If the copy to etcd or PostgreSQL is interrupted, the club can't be served from there; run move-store again,\n" +
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

// moveStore copies a club from one store to another. The flags for etcd are for each of the two that is there.
func moveStore(ctx context.Context, from, to string, flags clubstore.Place, p process) ([]repair.Copied, error) {
	if !clubstore.IsShared(from) && !clubstore.IsShared(to) {
		return nil, usageError{errors.New("one of FROM and TO must be " + clubstore.EtcdScheme + "HOST:PORT or " + clubstore.PostgresSchemes[0] + "USER@HOST/DATABASE")}
	}
	if from == to {
		return nil, usageError{errors.New("FROM and TO are the same")}
	}
	onEtcd := func(at string) bool { return strings.HasPrefix(at, clubstore.EtcdScheme) }
	var ends [2]clubstore.MoveEnd
	for i, at := range []string{from, to} {
		other := []string{to, from}[i]
		switch {
		case !clubstore.IsShared(at):
			ends[i] = clubstore.MoveEnd{Path: at}
			continue
		case onEtcd(other) && !onEtcd(at): // they are for the other one
			place := clubstore.DefaultPlace()
			ends[i] = clubstore.MoveEnd{Place: &place}
		default:
			place := flags
			ends[i] = clubstore.MoveEnd{Place: &place}
		}
		ends[i].Place.Store = at
		if err := ends[i].Place.Check(p.env); err != nil {
			return nil, usageError{err}
		}
	}
	return clubstore.Move(ctx, ends[0], ends[1], slog.New(slog.NewTextHandler(p.stderr, nil)))
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
