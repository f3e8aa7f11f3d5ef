package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"ludoteca/sshapp/club"
	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/flagset"
	"ludoteca/sshapp/spelling"
)

// platformVariable matches the names, without flagset.Prefix, that container platforms give to variables of a service called ludoteca.
var platformVariable = regexp.MustCompile(`^(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_[0-9]+_(?:TCP|UDP)(?:_(?:PROTO|PORT|ADDR))?)$`)

// An unknownVariable is a variable of the environment that looks like one of the program's and isn't.
type unknownVariable struct {
	name    string
	nearest string // the variable of the program whose name differs least
}

// unknownVariables returns the variables of an environment that begin like the program's variables and set nothing. flags has the variables of
// flags. Variables of container platforms, which are named after the container or service, are left out.
func unknownVariables(environment []string, flags []string) []unknownVariable {
	known := append([]string{clubstore.PasswordVariable}, flags...)
	slices.Sort(known)
	var unknown []unknownVariable
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		rest, ours := strings.CutPrefix(name, flagset.Prefix)
		if !ours || slices.Contains(known, name) || platformVariable.MatchString(rest) || strings.HasSuffix(rest, "PORT") && strings.Contains(value, "://") {
			continue
		}
		nearest := slices.MinFunc(known, func(a, b string) int { return spelling.Distance(a, name) - spelling.Distance(b, name) })
		unknown = append(unknown, unknownVariable{name, nearest})
	}
	slices.SortFunc(unknown, func(a, b unknownVariable) int { return strings.Compare(a.name, b.name) })
	return unknown
}

// origins maps the names of flags to the sources of their values. A flag with its default is missing.
type origins map[string]string

// originsOf returns the origins of flags before the environment is read: some are set on the command line.
func originsOf(flags *pflag.FlagSet) origins {
	o := make(origins)
	flags.Visit(func(f *pflag.Flag) { o[f.Name] = "command line" })
	return o
}

// add adds the flags that the environment has set meanwhile.
func (o origins) add(flags *pflag.FlagSet) {
	flags.Visit(func(f *pflag.Flag) {
		if o[f.Name] == "" {
			o[f.Name] = flagset.Variable(f)
		}
	})
}

// rows returns a line for each flag that has a variable: its name, its value, and where that comes from, with tabs between them.
func (o origins) rows(flags *pflag.FlagSet) (rows []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden && o[f.Name] == "" || flagset.Variable(f) == "" {
			return
		}
		from := "default"
		if o[f.Name] != "" {
			from = o[f.Name]
		}
		if _, retired := flagset.Retired(f); retired {
			from += ", no effect"
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s", f.Name, f.Value, from))
	})
	return rows
}

// checkStart prints the settings in force, one a row, and what a start of the club would change in its store. It changes nothing. The error says
// why the club couldn't start, or that there are unknown variables.
func checkStart(ctx context.Context, s *club.Config, rows []string, unknown int, p process, log *slog.Logger) error {
	t := tabwriter.NewWriter(p.stdout, 0, 1, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	says, err := clubstore.UpgradeInWords(ctx, s.Data, &s.Place, s.NoMigrationCopy, log)
	if err != nil {
		return clubstore.OpenHelp(err, s.Data, s.Place.Shared())
	}
	fmt.Fprintf(p.stdout, "\n%s\n", says)
	if unknown > 0 {
		return fmt.Errorf("unknown environment variables: %d", unknown)
	}
	return nil
}

// writeEnvironment writes an environment file with the settings in force. The password for etcd is not one of them.
func writeEnvironment(w io.Writer, flags *pflag.FlagSet) error {
	var file strings.Builder
	comment := func(text string) {
		for _, line := range flagset.Wrap(text, flagset.Width-2) {
			fmt.Fprintln(&file, "# "+line)
		}
	}
	comment("Settings of Ludoteca, one a line. A line that begins with # has no effect; where it names a variable, it shows the default.")
	flagset.WriteEnvironment(&file, flags)
	fmt.Fprintln(&file)
	comment("password of LUDOTECA_STORE_USER, unless LUDOTECA_STORE_PASSWORD_FILE names a file with it")
	fmt.Fprintf(&file, "#%s=\n", clubstore.PasswordVariable)
	_, err := io.WriteString(w, file.String())
	return err
}
