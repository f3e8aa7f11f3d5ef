package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"ludoteca/sshapp/version"
)

func newVersion(p process) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Long: "Print the version of the program, the commit that it was built from, whether the sources had other changes, and the version of Go.\n\n" +
			"With --json the fields are version, commit, dirty and go.",
		Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			v := version.Read()
			if asJSON {
				return json.NewEncoder(p.stdout).Encode(v)
			}
			_, err := fmt.Fprintf(p.stdout, "ludoteca %s\n", v)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
