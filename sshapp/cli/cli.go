// Package cli is the command line of the program: its commands and flags, and the signals that end it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludoteca/games"
	"ludoteca/sshapp/flagset"
	"ludoteca/sshapp/spelling"
	"ludoteca/sshapp/version"
)

// Main runs the program with these games and this clock, and returns its exit status.
func Main(all []games.Game, now func() time.Time) int {
	return run(untilSignal(), process{os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv, os.Environ(), os.Exit, all, now})
}

// untilSignal returns a context that ends with the first SIGINT, SIGTERM or SIGHUP. A second SIGINT or SIGTERM ends the program at
// once. Signals are reset before the context ends, so this holds as soon as the program shows that it is stopping. A second SIGHUP
// changes nothing, because a terminal that closes may cause several. If SIGHUP was ignored at start, as under nohup, it stays ignored.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() { // lives as long as the program
		<-signals
		signal.Reset(syscall.SIGINT, syscall.SIGTERM)
		cancel()
	}()
	return ctx
}

// A process is what a program gets from its caller.
type process struct {
	args   []string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    func(name string) (value string, set bool)
	vars   []string         // all of its environment, as NAME=VALUE
	exit   func(status int) // ends it at once
	games  []games.Game     // that can be played, in the order in which they are shown
	now    func() time.Time // what a club that is served calls now
}

// The exit statuses, as everywhere in the club.
const (
	statusDone    = 0
	statusRefused = 1
	statusUsage   = 2
)

// A usageError is the error of a command that was called wrongly.
type usageError struct{ error }

// run carries out the command line and returns the exit status.
func run(ctx context.Context, p process) int {
	root := newRoot(p)
	root.SetArgs(p.args)
	cmd, err := root.ExecuteContextC(ctx)
	var wrong usageError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &wrong):
		fmt.Fprintf(p.stderr, "ludoteca: %v; usage: %s\n", oneLine(err), cmd.UseLine())
		return statusUsage
	default:
		fmt.Fprintf(p.stderr, "ludoteca: %v\n", oneLine(err))
		return statusRefused
	}
}

// The groups of the commands in help.
const (
	ofClub    = "club"
	ofStore   = "store"
	ofEngines = "engines"
)

func newRoot(p process) *cobra.Command {
	root := newServe(p)
	root.Use = "ludoteca"
	root.Short = "A board-game club behind one SSH port"
	root.Long = "A board-game club behind one SSH port.\n\nWithout a command it serves the club, as the command serve does, with the same flags."
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		err := fmt.Errorf("unknown command %q", args[0])
		if near := nearestCommands(cmd, args[0]); len(near) > 0 {
			err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
		return usageError{err}
	}
	root.Version = version.Read().String()
	root.SetVersionTemplate("ludoteca {{.Version}}\n")
	root.Flags().Bool("version", false, "print the version of the program and end")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if n, ok := negative(err); ok {
			return usageError{fmt.Errorf("%s is below 0, which only the value of a flag can be", n)}
		}
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			if near := nearestFlags(cmd.Flags(), unknown.GetSpecifiedName()); len(near) > 0 {
				err = fmt.Errorf("%w; did you mean --%s?", err, strings.Join(near, " or --"))
			}
		}
		return usageError{err}
	})
	root.SetHelpFunc(help)
	group := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for i, c := range commands {
			c.GroupID, c.Annotations = id, map[string]string{orderNote: fmt.Sprintf("%02d", i)}
			root.AddCommand(c)
		}
	}
	group(ofClub, "The club", newServe(p), newStatus(p), newOperator(p), newHostKey(p), newWorker(p), newVersion(p))
	group(ofStore, "Its store", newBackup(p), newCompact(p), newSalvage(p), newMoveStore(p), newRecompute(p), newExportSQL(p))
	group(ofEngines, "Engines", newAnalyse(p), newPerft(p), newReplay(p), newLegal(p), newProve(p), newEngine(p), newArena(p), newRate(p), newTrain(p), newBook(p), newPuzzles(p), newScale(p))
	root.AddCommand(newTune())
	nameHelpFlags(root)
	return root
}

// nameHelpFlags gives the flag --help of a command, and of all below it, words of its own.
func nameHelpFlags(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = "print this page"
	for _, c := range cmd.Commands() {
		nameHelpFlags(c)
	}
}

// nearestCommands returns the commands whose names are nearest to a misspelt one.
func nearestCommands(root *cobra.Command, name string) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return spelling.Nearest(name, names)
}

// nearestFlags returns the flags whose names are nearest to a misspelt one. Retired flags are none.
func nearestFlags(flags *pflag.FlagSet, name string) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return spelling.Nearest(name, names)
}

// between accepts from least to most arguments of a command. A negative most means any number.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usageError{errors.New("something is missing")}
		case most >= 0 && len(args) > most:
			return usageError{fmt.Errorf("unknown word %q", args[most])}
		}
		return nil
	}
}

// negative returns the number below 0 that was given as a word of a command, if that is why its flags could not be read.
func negative(err error) (number string, ok bool) {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() == "" {
		return "", false
	}
	number = "-" + unknown.GetSpecifiedShortnames()
	_, err = strconv.ParseFloat(number, 64)
	return number, err == nil
}

// fromEnv sets the flags that the command line leaves alone from environment variables.
func fromEnv(p process, flags *pflag.FlagSet) error {
	if err := flagset.FromEnvironment(flags, p.env); err != nil {
		return usageError{err}
	}
	return nil
}

// oneLine keeps an error, which may quote something of several lines, to one.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
