package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludoteca/sshapp/club"
	"ludoteca/sshapp/flagset"
)

func newServe(p process) *cobra.Command {
	config := club.DefaultConfig()
	var check, printEnv bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the club",
		Long: "Run the club until SIGTERM, SIGINT or SIGHUP. Everything it keeps lies in the data folder, which is made if need be.\n\n" +
			"Each flag can be given as the environment variable in brackets too; the command line wins. --print-env writes them all as a file.",
		Args: between(0, 0),
	}
	config.AddFlags(cmd.Flags())
	flagset.AddHere(cmd.Flags(), "Instead of running the club", func(f *pflag.FlagSet) {
		f.BoolVar(&check, "check", false, "print the settings in force and what a start would change in the store, and end: with 1 if the club couldn't start so, or a variable LUDOTECA_... is unknown")
		f.BoolVar(&printEnv, "print-env", false, "print an environment file with the settings in force, for systemd or a container, and end")
	})
	declareRetired(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		origins := originsOf(cmd.Flags())
		if err := fromEnv(p, cmd.Flags()); err != nil {
			return err
		}
		origins.add(cmd.Flags())
		rows := origins.rows(cmd.Flags())
		if printEnv {
			return writeEnvironment(p.stdout, cmd.Flags())
		}
		if err := config.Check(p.env); err != nil {
			return usageError{err}
		}
		log := slog.New(slog.NewTextHandler(p.stderr, nil))
		unknown := unknownVariables(p.vars, flagset.Variables(cmd.Flags()))
		for _, v := range unknown {
			log.Warn("unknown environment variable, which changes nothing", "name", v.name, "nearest", v.nearest)
		}
		warnOfRetired(cmd.Flags(), log)
		if check {
			return checkStart(cmd.Context(), &config, rows, len(unknown), p, log)
		}
		return serve(cmd.Context(), config, p, log)
	}
	return cmd
}

// serve runs the club until ctx ends.
func serve(ctx context.Context, config club.Config, p process, log *slog.Logger) error {
	defer endLate(ctx, config.StopTimeout, func() {
		log.Error("stopping takes too long; the end")
		p.exit(statusRefused)
	})()
	config.Games, config.Now, config.Env, config.Log, config.Invite, config.Progress = p.games, p.now, p.env, log, p.stdout, p.stderr
	c, err := club.Open(ctx, config)
	switch {
	case errors.Is(err, club.ErrStopped):
		log.Info("stopped before the club was open")
		return nil
	case err == nil:
		err = errors.Join(c.Serve(ctx), c.Close())
	}
	if invalid, ok := errors.AsType[club.InvalidError](err); ok {
		return usageError{invalid}
	}
	return err
}

// endLate calls end that long after ctx has ended, unless stop is called before.
func endLate(ctx context.Context, limit time.Duration, end func()) (stop func()) {
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-ctx.Done():
		case <-done:
			return
		}
		late := time.NewTimer(limit)
		defer late.Stop()
		select {
		case <-late.C:
			end()
		case <-done:
		}
	})
	return func() {
		close(done)
		waiting.Wait()
	}
}
