package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ludoteca/lobby/rating"
	"ludoteca/sshapp/control"
	"ludoteca/storage"
)

func newBackup(p process) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store to a new file, while the club runs or not",
		Args:  between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return atClub(cmd.Context(), data, p.stderr, func(ctx context.Context, club control.Club) error {
				n, err := club.Backup(ctx, args[0])
				if errors.Is(err, fs.ErrExist) {
					return fmt.Errorf("%s is there already; a backup never overwrites", args[0])
				}
				if err != nil {
					return err
				}
				fmt.Fprintf(p.stdout, "%s: %d bytes\n", args[0], n)
				return nil
			})
		},
	}
	return withData(p, cmd, &data)
}

func newRecompute(p process) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "recompute",
		Short: "Work out all ratings anew from the results and say whether any differed",
		Args:  between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return atClub(cmd.Context(), data, p.stderr, func(ctx context.Context, club control.Club) error {
				report, err := club.Recompute(ctx)
				if err != nil {
					return err
				}
				printRecomputed(p.stdout, report)
				return nil
			})
		},
	}
	return withData(p, cmd, &data)
}

func printRecomputed(w io.Writer, r storage.RecomputeReport) {
	for _, d := range r.Differed {
		fmt.Fprintln(w, d)
	}
	fmt.Fprintf(w, "%d results, %d ratings: ", r.Results, r.Ratings)
	if len(r.Differed) == 0 && r.Matches == 0 {
		fmt.Fprintln(w, "nothing differed")
		return
	}
	fmt.Fprintf(w, "%d ratings and the changes of %d matches differed, and are put right\n", len(r.Differed), r.Matches)
}

func newStatus(p process) *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the running club has to carry just now",
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
			return s.Print(p.stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return withData(p, cmd, &data)
}

// withData gives a command of the operator the flag that names the data folder.
func withData(p process, cmd *cobra.Command, data *string) *cobra.Command {
	cmd.Flags().StringVar(data, "data", "./data", "folder with everything the club keeps (LUDOTECA_DATA)")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		return fromEnv(p, cmd.Flags(), map[string]string{"data": "LUDOTECA_DATA"})
	}
	return cmd
}

// atClub does something with the running club, or with its store where none is running.
func atClub(ctx context.Context, data string, complaints io.Writer, do func(context.Context, control.Club) error) error {
	client, err := control.Dial(ctx, data)
	if err == nil {
		return do(ctx, client)
	}
	if !errors.Is(err, control.ErrNoClub) {
		return err
	}
	path := filepath.Join(data, storeName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no store at %s; name its folder with --data", path)
	}
	store, err := storage.Open(path, storage.Config{Rate: rating.Rate, Log: slog.New(slog.NewTextHandler(complaints, nil))})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, store), store.Close())
}
