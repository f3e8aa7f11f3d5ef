package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"ludoteca/sshapp/control"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
)

// variablePrefix begins the names of all environment variables of the program.
const variablePrefix = "LUDOTECA_"

// platformVariable matches the names, without variablePrefix, that container platforms give to variables of a service called ludoteca.
var platformVariable = regexp.MustCompile(`^(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_[0-9]+_(?:TCP|UDP)(?:_(?:PROTO|PORT|ADDR))?)$`)

// An unknownVariable is a variable of the environment that looks like one of the program's and isn't.
type unknownVariable struct {
	name    string
	nearest string // the variable of the program whose name differs least
}

// unknownVariables returns the variables of an environment that begin like the program's variables and set nothing. flags has the variable of
// each flag. Variables of container platforms, which are named after the container or service, are left out.
func unknownVariables(environment []string, flags map[string]string) []unknownVariable {
	known := []string{passwordEnv}
	for _, name := range flags {
		known = append(known, name)
	}
	slices.Sort(known)
	var unknown []unknownVariable
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		rest, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || slices.Contains(known, name) || platformVariable.MatchString(rest) || strings.HasSuffix(rest, "PORT") && strings.Contains(value, "://") {
			continue
		}
		nearest := slices.MinFunc(known, func(a, b string) int { return distance(a, name) - distance(b, name) })
		unknown = append(unknown, unknownVariable{name, nearest})
	}
	slices.SortFunc(unknown, func(a, b unknownVariable) int { return strings.Compare(a.name, b.name) })
	return unknown
}

// distance returns how many letters must be added, removed or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
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
func (o origins) add(flags *pflag.FlagSet, names map[string]string) {
	flags.Visit(func(f *pflag.Flag) {
		if o[f.Name] == "" {
			o[f.Name] = names[f.Name]
		}
	})
}

// rows returns a line for each flag that has a variable: its name, its value, and where that comes from, with tabs between them.
func (o origins) rows(flags *pflag.FlagSet) (rows []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden && o[f.Name] == "" || f.Name == "help" || f.Name == "check" {
			return
		}
		from := "default"
		if o[f.Name] != "" {
			from = o[f.Name]
		}
		if isRetired(f) {
			from += ", no effect"
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s", f.Name, f.Value, from))
	})
	return rows
}

// checkStart prints the settings in force, one a row, and what a start of the club would change in its store. It changes nothing. The error says
// why the club couldn't start, or that there are unknown variables.
func checkStart(ctx context.Context, s *settings, rows []string, unknown int, p process, log *slog.Logger) error {
	t := tabwriter.NewWriter(p.stdout, 0, 1, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	says, err := upgradeInWords(ctx, s, log)
	if err != nil {
		return openHelp(err, s.data, s.place.onEtcd())
	}
	fmt.Fprintf(p.stdout, "\n%s\n", says)
	if unknown > 0 {
		return fmt.Errorf("unknown environment variables: %d", unknown)
	}
	return nil
}

// upgradeInWords says what a start would change in the store that the settings name.
func upgradeInWords(ctx context.Context, s *settings, log *slog.Logger) (string, error) {
	path := filepath.Join(s.data, storeName)
	var engine kv.Store
	var err error
	switch {
	case s.place.onEtcd():
		path = s.place.store
		engine, err = s.place.open(ctx, log, kv.Meters{})
	default:
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("store: there is none at %s; the first start makes it", path), nil
		}
		if client, err := control.Dial(ctx, s.data); err == nil {
			return upgradeOfRunning(ctx, client, path, s.data, s.noCopy)
		}
		engine, err = bolt.Open(path, bolt.Options{Log: log})
	}
	if err != nil {
		return "", err
	}
	u, err := schema.UpgradeOf(ctx, engine, modelConfig(log))
	if err = errors.Join(err, engine.Close()); err != nil {
		return "", fmt.Errorf("storage: look at %s: %w", path, err)
	}
	return describeUpgrade(path, u, s.data, s.noCopy), nil
}

// upgradeOfRunning says the same of the store of a club that runs, which knows the schema as long as it holds the file.
func upgradeOfRunning(ctx context.Context, client *control.Client, path, data string, noCopy bool) (string, error) {
	now, err := client.Status(ctx)
	switch {
	case err != nil:
		return "", err
	case now.StoreSchema == 0: // an older version, which doesn't tell
		return fmt.Sprintf("store: a club is running on %s, of a version that doesn't tell its schema; this version has schema %d", path, schema.Schema()), nil
	case now.StoreSchema > schema.Schema():
		return "", fmt.Errorf("the club that is running on %s: %w: it has schema %d and this version knows %d", path, storage.ErrNewer, now.StoreSchema, schema.Schema())
	}
	return describeUpgrade(path, schema.Upgrade{From: now.StoreSchema, To: schema.Schema()}, data, noCopy), nil
}

func describeUpgrade(path string, u schema.Upgrade, data string, noCopy bool) string {
	switch {
	case u.From == 0:
		return fmt.Sprintf("store: %s is empty; the first start makes schema %d", path, u.To)
	case u.Begun:
		return fmt.Sprintf("store: the migration of %s to schema %d was interrupted; a start goes on with it", path, u.To)
	case u.Due() && noCopy:
		return fmt.Sprintf("store: %s has schema %d; a start migrates it to %d, after which older versions refuse it", path, u.From, u.To)
	case u.Due():
		return fmt.Sprintf("store: %s has schema %d; a start copies it to a file in %s if there is room, and migrates it to %d, after which older versions refuse it", path, u.From, data, u.To)
	case len(u.Indexes) > 0:
		return fmt.Sprintf("store: %s has schema %d, as this version; a start makes anew: %s", path, u.From, strings.Join(u.Indexes, ", "))
	}
	return fmt.Sprintf("store: %s has schema %d, as this version; a start changes nothing", path, u.From)
}
