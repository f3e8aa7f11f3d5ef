package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/flagset"
	"ludoteca/sshapp/sqlexport"
)

func newExportSQL(p process) *cobra.Command {
	data, place := "", clubstore.DefaultPlace()
	config := sqlexport.Config{Schema: sqlexport.DefaultSchema, Games: p.games}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export-sql --to postgres://USER@HOST/DATABASE",
		Short: "Bring tables of the finished matches in PostgreSQL up to date, while the club runs or not",
		Long: "Copy the finished matches that everybody may see to tables in PostgreSQL, with their results, ratings and moves, for people who study them in\n" +
			"SQL. The first call copies all, and the next ones what is new or has changed. A call that was cut off is repeated: it goes on from there.\n" +
			"Passwords and TLS are taken from where psql takes them: ~/.pgpass, PGPASSWORD, PGSSLMODE and the like. deploy/SQL.md describes the tables.",
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			config.Progress = progress(p.stderr)
			return withStore(cmd.Context(), data, &place, p.stderr, func(ctx context.Context, store control.Store) error {
				report, err := sqlexport.Run(ctx, store, config)
				if err != nil {
					return fmt.Errorf("after %d matches: %w", report.Matches, err)
				}
				if asJSON {
					return json.NewEncoder(p.stdout).Encode(report)
				}
				printExported(p.stdout, report)
				return nil
			})
		},
	}
	flagset.AddHere(cmd.Flags(), "The database", func(f *pflag.FlagSet) {
		f.StringVar(&config.To, "to", "", "`ADDRESS` of the database, postgres://USER@HOST/DATABASE; without a password")
		f.StringVar(&config.Schema, "schema", config.Schema, "`NAME` of the schema for the tables; it is made if it is missing")
		f.BoolVar(&asJSON, "json", false, "print one JSON object")
	})
	cmd = withPlace(p, cmd, &data, &place)
	check := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, words []string) error {
		if config.To == "" {
			return usageError{errors.New("--to is missing: the database, as postgres://USER@HOST/DATABASE")}
		}
		if err := sqlexport.CheckAddress(config.To); err != nil {
			return usageError{fmt.Errorf("--to: %w", err)}
		}
		if err := sqlexport.CheckSchema(config.Schema); err != nil {
			return usageError{fmt.Errorf("--schema: %w", err)}
		}
		return check(cmd, words)
	}
	return cmd
}

// progressEvery is after how many matches an export prints a line.
const progressEvery = 50_000

// progress returns a function that prints a line after every progressEvery matches.
func progress(w io.Writer) func(sqlexport.Report) {
	next := progressEvery
	return func(r sqlexport.Report) {
		if r.Matches < next {
			return
		}
		next = r.Matches - r.Matches%progressEvery + progressEvery
		fmt.Fprintf(w, "ludoteca: %d matches so far\n", r.Matches)
	}
}

func printExported(w io.Writer, r sqlexport.Report) {
	fmt.Fprintf(w, "%d matches: %d added, %d changed; %d removed\n", r.Matches, r.Added, r.Changed, r.Removed)
	if r.Unreadable > 0 {
		fmt.Fprintf(w, "%d records of the club can't be read; of their matches the tables keep what they had\n", r.Unreadable)
	}
}
