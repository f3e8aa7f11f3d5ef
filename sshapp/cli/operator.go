package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludoteca/atomicfile"
	"ludoteca/hostkeys"
	"ludoteca/sshapp/club"
	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/command"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/flagset"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

func newBackup(p process) *cobra.Command {
	data, place := "", clubstore.DefaultPlace()
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store to a new file, while the club runs or not",
		Args:  between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd.Context(), data, &place, p.stderr, func(ctx context.Context, store control.Store) error {
				_ = atomicfile.RemoveUnfinished(args[0]) // of a backup that was killed; what is wrong with the folder, Backup says
				n, err := store.Backup(ctx, args[0])
				if errors.Is(err, fs.ErrExist) {
					return fmt.Errorf("%s is there already; a backup never overwrites", args[0])
				}
				if err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "%s: %s\n", args[0], flagset.Bytes(n))
				if err := clubstore.NoteBackup(data); err != nil {
					fmt.Fprintf(p.stderr, "ludoteca: %v\n", oneLine(err)) // the backup itself is good
				}
				return nil
			})
		},
	}
	return withPlace(p, cmd, &data, &place)
}

func newCompact(p process) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "compact [FILE]",
		Short: "Make the file of the store as small as it can be, while the club is stopped",
		Long: "Rewrite the store without the room that deleted entries have left: the one in the data folder, or another FILE. The new file takes\n" +
			"the place of the old one when it is whole and on disk. The club must be stopped; serve --compact does the same at its start.",
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := filepath.Join(data, clubstore.FileName)
			if len(args) > 0 {
				path = args[0]
			} else if client, err := control.Dial(cmd.Context(), data); err == nil {
				return whyNotCompacted(cmd.Context(), client)
			}
			before, after, err := clubstore.Compact(cmd.Context(), path, p.stderr)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no store at %s; name its folder with --data", path)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(p.stdout, "%s: %s, was %s\n", path, flagset.Bytes(after), flagset.Bytes(before))
			return nil
		},
	}
	return withData(p, cmd, &data)
}

// whyNotCompacted returns the error for a club that is running.
func whyNotCompacted(ctx context.Context, club *control.Client) error {
	now, err := club.Status(ctx)
	if err == nil && now.StoreKind == clubstore.OnPostgres {
		return errors.New("the club is a node on PostgreSQL and keeps nothing in a file; the server's vacuum makes room in its tables")
	}
	if err == nil && now.StoreKind == clubstore.OnEtcd {
		return errors.New("the club is a node on etcd and keeps nothing in a file; etcdctl defrag makes the files of etcd smaller")
	}
	return errors.New("the club is running, and the store can be compacted only while it is stopped; stop it, or restart it with --compact")
}

func newRecompute(p process) *cobra.Command {
	data, place := "", clubstore.DefaultPlace()
	cmd := &cobra.Command{
		Use:   "recompute",
		Short: "Work out all ratings anew from the results and say whether any differed",
		Args:  between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), data, &place, p.stderr, func(ctx context.Context, store control.Store) error {
				report, err := store.Recompute(ctx)
				if err != nil {
					return err
				}
				printRecomputed(p.stdout, report)
				return nil
			})
		},
	}
	return withPlace(p, cmd, &data, &place)
}

func printRecomputed(w io.Writer, r results.RecomputeReport) {
	for _, d := range r.Differed {
		fmt.Fprintln(w, d)
	}
	fmt.Fprintf(w, "%d results, %d ratings: ", r.Results, r.Ratings)
	right := len(r.Differed) == 0 && r.Matches == 0 && r.Recent == 0 // the ratings
	switch {
	case right && r.Openings == 0:
		fmt.Fprintln(w, "nothing differed")
	case right:
		fmt.Fprintf(w, "%d lines of openings differed, and are put right\n", r.Openings)
	case r.Openings == 0:
		fmt.Fprintf(w, "%d ratings and the changes of %d matches differed, and are put right\n", len(r.Differed), r.Matches)
	default:
		fmt.Fprintf(w, "%d ratings, the changes of %d matches and %d lines of openings differed, and are put right\n", len(r.Differed), r.Matches, r.Openings)
	}
}

func newStatus(p process) *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how busy the running club is",
		Args:  between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := control.Dial(cmd.Context(), data)
			if err != nil {
				return err
			}
			s, err := client.Status(cmd.Context())
			switch {
			case err != nil:
				return err
			case asJSON:
				return json.NewEncoder(p.stdout).Encode(s)
			}
			return s.Print(p.stdout, wording.Words{})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return withData(p, cmd, &data)
}

func newOperator(p process) *cobra.Command {
	var data string
	cmd := command.OperatorCommand(func(cmd *cobra.Command, words []string) error {
		client, err := control.Dial(cmd.Context(), data)
		if err != nil {
			return err
		}
		a, err := client.Operator(cmd.Context(), words)
		if err != nil {
			return err
		}
		fmt.Fprint(p.stdout, a.Out)
		switch a.Status {
		case statusDone:
			return nil
		case statusUsage:
			return usageError{errors.New(strings.TrimSpace(a.Complaints))}
		}
		return errors.New(strings.TrimSpace(a.Complaints))
	})
	cmd.Use = "operator VERB ..."
	cmd.Short = "Act for the running club: close accounts, ban, end matches, announce"
	cmd.Long = "Do what ssh HOST operator VERB does for a key named with --operator, through the control socket of the running club."
	return withData(p, cmd, &data)
}

// withData gives a command of the operator the flag that names the data folder.
func withData(p process, cmd *cobra.Command, data *string) *cobra.Command {
	flagset.Add(cmd.PersistentFlags(), "The club", func(f *pflag.FlagSet) {
		f.StringVar(data, "data", "./data", "`FOLDER` with everything the club keeps")
	})
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnv(p, cmd.Flags()) }
	return cmd
}

// withPlace gives an operator's command --data and the flags of a clubstore.Place.
func withPlace(p process, cmd *cobra.Command, data *string, place *clubstore.Place) *cobra.Command {
	withData(p, cmd, data)
	place.AddFlags(cmd.Flags())
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := fromEnv(p, cmd.Flags()); err != nil {
			return err
		}
		if err := place.Check(p.env); err != nil {
			return usageError{err}
		}
		return nil
	}
	return cmd
}

// withStore does something with the store of the running club, or with the store itself if none is running.
func withStore(ctx context.Context, data string, place *clubstore.Place, complaints io.Writer, do func(context.Context, control.Store) error) error {
	client, err := control.Dial(ctx, data)
	if err == nil {
		return do(ctx, client)
	}
	if !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	path := filepath.Join(data, clubstore.FileName)
	if _, err := os.Stat(filepath.Join(data, clubstore.NodeLock)); err == nil && !place.Shared() {
		return fmt.Errorf("%s is the folder of a node on etcd, and a store that lies there is an old one: name the cluster with --store or LUDOTECA_STORE; or start the club on the file once, if it has moved back", data)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !place.Shared() {
		return fmt.Errorf("there is no store at %s; name its folder with --data", path)
	}
	store, err := clubstore.Open(ctx, data, place, false, slog.New(slog.NewTextHandler(complaints, nil)), kv.Meters{})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, store), store.Close())
}

func newHostKey(p process) *cobra.Command {
	config := club.DefaultConfig()
	host, port := "", 0
	cmd := &cobra.Command{
		Use:   "hostkey",
		Short: "Print what people need to know the server by",
		Long: "Print the fingerprints of the server's keys, the lines for a known_hosts file, and the SSHFP records for the zone of its name.\n\n" +
			"The keys are made by the first start of the club: an Ed25519 key, and an RSA key for clients that know no other kind. Name and port are those of --public-address, or else follow from --listen, as the club\n" +
			"itself tells them; give both commands these in the same way: by flags, or by LUDOTECA_PUBLIC_ADDRESS and LUDOTECA_LISTEN.",
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("host") && host == "" {
				return usageError{errors.New("--host is empty")}
			}
			if err := reachedBy(&config, &host, &port); err != nil {
				return usageError{err}
			}
			if err := checkHost(host, port); err != nil {
				return usageError{err}
			}
			path := filepath.Join(config.Data, hostkeys.FileName)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no host key at %s: the first start of the club makes it; name its folder with --data", path)
			}
			keys, err := hostkeys.Open(config.Data)
			if err != nil {
				return err
			}
			printKeys(p.stdout, keys, host, port)
			return nil
		},
	}
	flagset.AddHere(cmd.Flags(), "How people reach the club", func(f *pflag.FlagSet) {
		f.StringVar(&host, "host", host, "`NAME` or address by which people reach the club; without it that of --public-address")
		f.IntVar(&port, "port", port, "port on which people reach the club; without it that of --public-address")
	})
	config.AddAddressFlags(cmd.Flags())
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnv(p, cmd.Flags()) }
	return cmd
}

// printKeys prints what people need to know a server with these keys by. port is from 1 to 65535.
func printKeys(w io.Writer, keys []hostkeys.Key, host string, port int) {
	var known, records []string
	fmt.Fprintln(w, "# what ssh shows: the fingerprint of the Ed25519 key, and of the RSA key if there is one")
	for _, k := range keys {
		fmt.Fprintln(w, k.Fingerprint())
		known = append(known, hostkeys.KnownHosts(host, port, k.PublicKey()))
		if record, ok := hostkeys.SSHFP(host, k.PublicKey()); ok {
			records = append(records, record)
		}
	}
	fmt.Fprintf(w, "# for known_hosts\n%s\n", strings.Join(known, "\n"))
	if len(records) > 0 {
		fmt.Fprintf(w, "# for the zone, for ssh -o VerifyHostKeyDNS=yes\n%s\n", strings.Join(records, "\n"))
	}
}

// reachedBy completes the host and the port by which people reach a club, where they are "" and 0.
func reachedBy(config *club.Config, host *string, port *int) error {
	var address text.Address
	var err error
	switch {
	case *host != "" && *port != 0:
		return nil
	case config.PublicAddress != "":
		if address, err = text.ParseAddress(config.PublicAddress); err != nil {
			return fmt.Errorf("--public-address: %w", err)
		}
	default:
		at, err := net.ResolveTCPAddr("tcp", config.Listen)
		if err != nil {
			return fmt.Errorf("--listen %q: %w", config.Listen, err)
		}
		if at.Port == 0 && *port == 0 {
			return fmt.Errorf("--listen %s lets the system choose the port; name it with --port", config.Listen)
		}
		address = club.AddressOf(at)
	}
	*host, *port = cmp.Or(*host, address.Host), cmp.Or(*port, address.Port)
	return nil
}

// checkHost says what is wrong with the flags --host and --port.
func checkHost(host string, port int) error {
	if port < 1 || port > 65535 {
		return fmt.Errorf("--port %d is no port", port)
	}
	if host == "" || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(",*?!|#@[]", r) }) {
		return fmt.Errorf("--host %q is no name of a host", host)
	}
	return nil
}
