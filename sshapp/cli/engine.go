package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"ludoteca/games/bot"
	"ludoteca/games/ugi/engine"
	"ludoteca/sshapp/version"
)

// newEngine is the command that lets other programs ask our computer players for moves.
func newEngine(p process) *cobra.Command {
	var preset string
	var s engine.Settings
	cmd := &cobra.Command{
		Use:   "engine GAME [key=value ...]",
		Short: "Play a game for another program, over the Universal Game Interface",
		Long: `Play a game for another program, over the Universal Game Interface, on standard input and output.

The other program, the GUI, sends commands such as "position startpos moves d4" and "go movetime 1000", and gets "bestmove e5". It can
change the options of the game, the level and the memory by "setoption". games/ugi/UGI.md in the program's source says what
is understood and sent, with a session as an example. To try it by hand, type ugi, then go nodes 1000, then quit.

Two such engines play each other in the arena:
    ludoteca arena petteia "ugi:ludoteca engine petteia --level club" pupil`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if s.Game, s.Options, err = p.game(args[0], preset, args[1:]); err != nil {
				return err
			}
			s.Version = version.Number
			err = engine.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), s)
			if errors.Is(err, bot.ErrLevel) {
				return usageError{err}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.Level, "level", "", "the `LEVEL` that plays, or LEVEL:NODES; without it the strongest")
	flags.Uint64Var(&s.Seed, "seed", 1, "`SEED` of the choices among moves that are as good as each other")
	flags.StringVar(&preset, "preset", "", presetHelp)
	return cmd
}
