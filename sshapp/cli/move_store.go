package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/repair"
)

func newMoveStore(p process) *cobra.Command {
	place := defaultStorePlace()
	cmd := &cobra.Command{
		Use:   "move-store FROM TO",
		Short: "Copy a stopped club between a file and etcd",
		Long: "Copy everything the club keeps from FROM to TO, read it back and compare it. One of the two is a file (ludoteca.db in the data folder),\n" +
			"the other is etcd://HOST:PORT[,HOST:PORT...][/CLUB]. FROM is not changed. TO must be a new file, or hold nothing on etcd. If the copy to\n" +
			"etcd is interrupted, the club can't be served from there; run move-store again, which starts over.",
		Args: between(2, 2),
		RunE: func(cmd *cobra.Command, words []string) error {
			copied, err := moveStore(cmd.Context(), words[0], words[1], place, p)
			if err != nil {
				return err
			}
			return printCopied(p.stdout, copied)
		},
	}
	names := declare(cmd.Flags(), place.flags()[1:]) // without --store, which is FROM or TO
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnv(p, cmd.Flags(), names) }
	return cmd
}

// nodesWait is the time that move-store waits for a heartbeat of a running node.
const nodesWait = 5 * time.Second

// moveStore copies a club from a file to etcd, or back.
func moveStore(ctx context.Context, from, to string, place storePlace, p process) ([]repair.Copied, error) {
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	path := from
	switch place.store = to; {
	case strings.HasPrefix(from, etcdScheme) && strings.HasPrefix(to, etcdScheme):
		return nil, usageError{errors.New("one of FROM and TO must be a file")}
	case strings.HasPrefix(from, etcdScheme):
		path, place.store = to, from
	case !strings.HasPrefix(to, etcdScheme):
		return nil, usageError{errors.New("one of FROM and TO must be " + etcdScheme + "HOST:PORT")}
	}
	if err := place.check(p.env); err != nil {
		return nil, usageError{err}
	}
	if path == to {
		return moveToFile(ctx, &place, path, log)
	}
	return moveToEtcd(ctx, path, &place, log)
}

func moveToFile(ctx context.Context, place *storePlace, path string, log *slog.Logger) (copied []repair.Copied, err error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s is there already; move-store never overwrites", path)
	}
	from, err := place.open(ctx, log, kv.Meters{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, from)
	live, err := repair.NodesLive(ctx, from, nodesWait)
	if err != nil {
		return nil, err
	}
	if live {
		return nil, errors.New("a club is running on " + place.store + "; stop all of its nodes")
	}
	copied, err = copyToFile(ctx, from, path)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s is there already; move-store never overwrites", path)
	}
	return copied, err
}

func moveToEtcd(ctx context.Context, path string, place *storePlace, log *slog.Logger) (copied []repair.Copied, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err // bolt.Open would make a file
	}
	from, err := bolt.Open(path, bolt.Options{Log: log})
	if err != nil {
		return nil, err
	}
	defer closing(&err, from)
	to, err := place.open(ctx, log, kv.Meters{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, to)
	copied, err = repair.Copy(ctx, from, to)
	if errors.Is(err, repair.ErrNotEmpty) {
		err = fmt.Errorf("%s is not empty; move-store never overwrites", place.store)
	}
	return copied, err
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
