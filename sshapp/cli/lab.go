package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/lab"
	"ludoteca/sshapp/flagset"
)

// The commands about the engines alone; they need no club.

func newPerft(p process) *cobra.Command {
	var asJSON bool
	var preset, from string
	cmd := &cobra.Command{
		Use:   "perft GAME DEPTH [key=value ...]",
		Short: "Count the leaves of a game's tree, at each depth up to DEPTH",
		Args:  between(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			depth, err := strconv.Atoi(args[1])
			if err != nil {
				return usageError{fmt.Errorf("%q is no depth", args[1])}
			}
			g, start, err := p.start(args[0], preset, args[2:], from)
			if err != nil {
				return err
			}
			return ofLab(lab.PerftFrom(cmd.Context(), cmd.OutOrStdout(), g, start, depth, asJSON))
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if n, ok := negative(err); ok {
			return usageError{fmt.Errorf("the depth is %s; it must be from 0 to %d", n, lab.MaxDepth)}
		}
		return cmd.Parent().FlagErrorFunc()(cmd, err)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	cmd.Flags().StringVar(&preset, "preset", "", presetHelp)
	cmd.Flags().StringVar(&from, "from", "", fromHelp)
	return cmd
}

const (
	presetHelp = "take options that aren't given from a `PRESET` of the game: classic or decisive"
	fromHelp   = "begin from a `POSITION`, its one-line text as one argument, instead of the start of the game"
)

func newReplay(p process) *cobra.Command {
	var asJSON bool
	var preset, from string
	cmd := &cobra.Command{
		Use:   "replay GAME [key=value ...]",
		Short: "Replay games or records from standard input, and print every position",
		Long: `Replay games or records from standard input, and print every position.

A game is a line of moves apart by spaces, and begins from --from or the start of the game. A record, as "ssh HOST record ID" prints it,
begins with its headers, which say where its game begins; it ends with the headers of the next. An illegal move ends a game, a
fault anywhere in a record refuses it; the others are replayed, and the exit status is 1.`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, start, err := p.start(args[0], preset, args[1:], from)
			if err != nil {
				return err
			}
			return ofLab(lab.ReplayFrom(cmd.Context(), cmd.OutOrStdout(), cmd.InOrStdin(), g, start, asJSON))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	cmd.Flags().StringVar(&preset, "preset", "", presetHelp)
	cmd.Flags().StringVar(&from, "from", "", fromHelp)
	return cmd
}

// newLegal is the command that lists the legal moves of a position.
func newLegal(p process) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "legal GAME POSITION",
		Short: "List the legal moves of a position, which is its one-line text as one argument",
		Args:  between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, position, err := p.start(args[0], "", nil, args[1])
			if err != nil {
				return err
			}
			return ofLab(lab.Legal(cmd.OutOrStdout(), g, position, asJSON))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func newArena(p process) *cobra.Command {
	var (
		asJSON    bool
		preset    string
		sprt      string
		clock     string
		positions string
		m         lab.Meeting
	)
	cmd := &cobra.Command{
		Use:   "arena GAME PLAYER PLAYER [key=value ...]",
		Short: "Let two computer players meet, sides alternating",
		Long: `Let two computer players meet, sides alternating.

A PLAYER is a level of the game, or LEVEL:NODES for one that looks ahead at so many positions a move, with @hand after it for
one that evaluates by weights given by hand or @FILE for one with the tables that "train" wrote. Budgets of positions
give the same games whenever the seed is the same, however many workers there are; --movetime, --clock, and a level that
minds the clock, do not.

ugi:COMMAND is a program that speaks the Universal Game Interface, started by a line of the shell: ugi:./engine. It gets a second
for a move if neither --movetime nor --clock is set. An illegal move, rubbish, silence or its end loses it the game; the reason is
printed to standard error. games/ugi/UGI.md in the program's source says what it is sent.

--clock SECONDS+INCREMENT gives each player a clock for the whole game, as 10+0.1; who runs out of time loses. With --movetime as
well, the clock is the first player's and the time for each move the second's.

Points are the first player's, who has the first side in every other game. Where one player made all the points the
difference of strength has no bound: with --json "elo" and "error" are null then.

With --openings N each pair of games begins with N random plies of its own, played from both sides; the error of Elo and
the test then go by the pairs. --sprt ELO0,ELO1 ends the meeting as soon as one of the two differences of strength is
clear (alpha and beta 5 %), at --games at the latest. --positions FILE begins each pair of games from the next position of FILE, in
which they stand in their one-line text, one a line. --resume FILE keeps every finished game in FILE, and the same
command goes on from there.`,
		Args: between(3, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.Game, m.Options, err = p.game(args[0], preset, args[3:]); err != nil {
				return err
			}
			m.Players = [2]string{args[1], args[2]}
			if sprt != "" {
				if m.SPRT, err = lab.ParseSPRT(sprt); err != nil {
					return ofLab(err)
				}
			}
			if clock != "" {
				if m.Clock, err = lab.ParseClock(clock); err != nil {
					return ofLab(err)
				}
			}
			if positions != "" {
				if m.Positions, err = readPositions(positions); err != nil {
					return ofLab(err)
				}
			}
			m.Faults = p.stderr
			return ofLab(lab.Arena(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), m, asJSON))
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&m.Games, "games", 100, "number of games")
	flags.Uint64Var(&m.Seed, "seed", 1, "`SEED` of the random numbers; the same one gives the same games")
	flags.IntVar(&m.Openings, "openings", 0, "random plies before the players take over, each opening from both sides")
	flags.StringVar(&positions, "positions", "", "`FILE` of positions, one a line, to begin from, each from both sides")
	flags.StringVar(&sprt, "sprt", "", "stop as soon as one of the two differences of strength `ELO0,ELO1` is accepted")
	flags.DurationVar(&m.MoveTime, "movetime", 0, "the longest time that a player may think about a move; 0 sets no limit")
	flags.StringVar(&clock, "clock", "", "clock of each player for a whole game, as `SECONDS+INCREMENT`, such as 10+0.1")
	flags.IntVar(&m.Workers, "workers", 1, "games played at the same time")
	flags.StringVar(&m.Resume, "resume", "", "`FILE` that keeps the finished games, to go on from")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object")
	flags.StringVar(&preset, "preset", "", presetHelp)
	return cmd
}

// readPositions reads the positions of a file.
func readPositions(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	positions, err := lab.ReadPositions(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return positions, nil
}

func newRate(p process) *cobra.Command {
	var (
		asJSON bool
		l      lab.Ladder
	)
	cmd := &cobra.Command{
		Use:   "rate [GAME ...]",
		Short: "Measure the levels against each other, which takes hours",
		Long: `Measure the levels of the computer players against each other: each meets the one below it, from the weakest to the
strongest, and gets a rating on one scale for each game, the weakest being 0. Without a GAME all games are measured.
With --json "error" is null where one side made all the points.

This takes hours; --resume FOLDER keeps every finished game, and the same command goes on from there.

The strongest level looks at as many positions a move as the game's profile names for this, and has no clock.

--levels measures other ladders than that of the club, such as one of growing budgets:
    ludoteca rate momentum --levels master:1000,master:10000,master:100000

--write games, in the folder of the program's source, renews the ratings that the club shows.`,
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if l.Games, err = p.gamesNamed(args); err != nil {
				return err
			}
			return ofLab(lab.Rate(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), l, asJSON))
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&l.Levels, "levels", nil, "the levels to measure, the weakest first; without it those of the club")
	flags.IntVar(&l.PerStep, "games", 200, "number of games between two neighbours")
	flags.Uint64Var(&l.Seed, "seed", 1, "`SEED` of the random numbers; the same one gives the same games")
	flags.IntVar(&l.Openings, "openings", 2, "random plies before the players take over, each opening from both sides")
	flags.DurationVar(&l.MoveTime, "movetime", 0, "the longest time that a player may think about a move; 0 sets no limit")
	flags.IntVar(&l.Workers, "workers", 1, "games played at the same time")
	flags.StringVar(&l.Folder, "resume", "", "a folder that keeps the finished games, to go on from")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object a line")
	flags.StringVar(&l.Write, "write", "", "a folder in which GAME/ratings.txt gets the ratings of each game")
	return cmd
}

// newTune returns what answers a command that there was.
func newTune() *cobra.Command {
	return &cobra.Command{
		Use:                "tune",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("tune is gone: ludoteca train makes evaluations")
		},
	}
}

func newTrain(p process) *cobra.Command {
	var (
		asJSON bool
		preset string
		hours  float64
		t      lab.Training
	)
	cmd := &cobra.Command{
		Use:   "train GAME [key=value ...]",
		Short: "Teach a game's evaluation by games of the computer against itself",
		Long: `Teach a game's evaluation by games of the computer against itself.

Rounds of games are played on all cores; after each the tables of the evaluation learn from the newest rounds, and a line says
how many games were drawn and how the tables do against those of the round before and against the evaluation by hand.
Without options the games are of the defaults and of those other option sets that the game's recipe names.
The tables are written to games/GAME/tables.bin, for the folder of the program's source, or to the file that --write
names; "ludoteca arena GAME master:20000@FILE master:20000" compares them with those that are built in.

The same seed and number of rounds give the same tables, on any number of cores. --hours H begins no other round after that
time. --resume FILE keeps the training in FILE after each round, and the same command goes on from there.`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if t.Game, t.Options, err = p.game(args[0], preset, args[1:]); err != nil {
				return err
			}
			if !(hours >= 0 && hours <= maxTrainHours) {
				return usageError{fmt.Errorf("--hours is %v; it must be from 0 to %d", hours, maxTrainHours)}
			}
			t.Time = time.Duration(hours * float64(time.Hour))
			if t.Write == "" {
				t.Write = filepath.Join("games", t.Game.About().ID, "tables.bin")
			}
			return ofLab(lab.Train(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), t, asJSON))
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&t.Rounds, "rounds", 0, "number of rounds; 0 stands for the number in the game's recipe")
	flags.IntVar(&t.Games, "games", 0, "games of a round; 0 stands for the number in the game's recipe")
	flags.IntVar(&t.Nodes, "nodes", 0, "positions that are looked at for a move; 0 stands for the number in the game's recipe")
	flags.Float64Var(&t.Rate, "rate", 0, "learning rate; 0 stands for the one in the game's recipe")
	flags.IntVar(&t.Matches, "matches", 100, "games of each match between rounds; 0 for none")
	flags.Uint64Var(&t.Seed, "seed", 1, "`SEED` of the random numbers; the same one gives the same tables")
	flags.Float64Var(&hours, "hours", 0, "number of hours after which no other round begins; 0 sets no limit")
	flags.IntVar(&t.Workers, "workers", runtime.GOMAXPROCS(0), "games played at the same time")
	flags.StringVar(&t.Write, "write", "", "`FILE` for the tables; without it games/GAME/tables.bin")
	flags.StringVar(&t.Resume, "resume", "", "`FILE` that keeps the training, to go on from")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object a round")
	flags.StringVar(&preset, "preset", "", presetHelp)
	return cmd
}

// maxTrainHours is a year.
const maxTrainHours = 24 * 365

// The defaults of prove: the number of positions that it searches, some seconds' worth, and the memory for remembering them.
const (
	usualProofNodes               = 10_000_000
	usualProofMemory flagset.Size = 128 << 20
)

func newProve(p process) *cobra.Command {
	var (
		asJSON bool
		from   string
		memory = usualProofMemory
		in     lab.ProofLimits
	)
	cmd := &cobra.Command{
		Use:   "prove GAME [key=value ...]",
		Short: "Prove who wins the position that the moves on standard input lead to",
		Long: `Prove who wins the position that the moves on standard input lead to. They are apart by spaces or line ends.

A win is proven by a strategy that has been played against every defence by the whole rules. The number of plies is how long
that takes at most; there may be a faster way. Where the limits are too narrow the answer is that nothing is proven.`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, start, err := p.start(args[0], "", args[1:], from)
			if err != nil {
				return err
			}
			in.Memory = int64(memory)
			return ofLab(lab.ProveFrom(cmd.Context(), cmd.OutOrStdout(), cmd.InOrStdin(), g, start, in, asJSON))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", fromHelp)
	flags.IntVar(&in.Nodes, "nodes", usualProofNodes, "number of positions to look at")
	flags.DurationVar(&in.Time, "time", 0, "time to look; 0 sets no limit")
	flags.Var(&memory, "memory", "memory that the positions that are remembered may take")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// newPuzzles is the command that makes the puzzles that are built into this program, and proves them again.
func newPuzzles(p process) *cobra.Command {
	var (
		asJSON, check bool
		preset        string
		records, from string
		hours         float64
		m             lab.PuzzleMaking
	)
	cmd := &cobra.Command{
		Use:   "puzzles [GAME [key=value ...]]",
		Short: "Make puzzles of a game from games of the levels, or prove those again that are built in",
		Long: `Make puzzles of a game from games of the levels, or prove those again that are built in.

A puzzle is a position in which exactly one first move wins by force, in two moves or more. The answers to every defence and the
replies to every wrong move are made with it, and a separate checker plays them by the rules of the game alone. Positions that a
board makes of each other when it is turned or mirrored are one. Puzzles are graded by their length and by how many levels miss
the first move.

They are added to games/GAME/puzzles.txt, for the folder of the program's source, or to the file that --write names. Without
options the games are of all option sets of the game. --records FILE looks for puzzles in finished matches instead, whose records
stand in FILE one after the other, as "ssh HOST database" prints them; - is standard input. The same seed and file give the same
puzzles. It ends after --hours, or as soon as the file has --count puzzles.

--check proves the built-in puzzles of GAME again, or those of all games without it, which takes some minutes. With --from FILE it
proves the puzzles of GAME that stand in FILE.`,
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case check:
				all, err := p.gamesNamed(args)
				switch {
				case err != nil:
					return err
				case from != "" && len(args) != 1:
					return usageError{errors.New("--from needs one game")}
				case from != "":
					return ofLab(lab.CheckPuzzleFile(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), all[0], from, asJSON))
				}
				return ofLab(lab.CheckPuzzles(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), all, asJSON))
			case len(args) == 0:
				return usageError{errors.New("something is missing")}
			case from != "":
				return usageError{errors.New("--from goes with --check")}
			case !(hours >= 0 && hours <= maxTrainHours):
				return usageError{fmt.Errorf("--hours is %v; it must be from 0 to %d", hours, maxTrainHours)}
			}
			var o games.Options
			if m.Game, o, err = p.game(args[0], preset, args[1:]); err != nil {
				return err
			}
			if preset != "" || len(args) > 1 {
				m.Options = o
			}
			m.Time = time.Duration(hours * float64(time.Hour))
			if m.File == "" {
				m.File = filepath.Join("games", m.Game.About().ID, "puzzles.txt")
			}
			switch records {
			case "":
			case "-":
				m.Records = cmd.InOrStdin()
			default:
				f, err := os.Open(records)
				if err != nil {
					return err
				}
				defer f.Close()
				m.Records = f
			}
			return ofLab(lab.Puzzles(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), m, asJSON))
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&check, "check", false, "prove the built-in puzzles again")
	flags.StringVar(&from, "from", "", "with --check: `FILE` of puzzles to prove instead of the built-in ones")
	flags.Float64Var(&hours, "hours", 0, "number of hours after which no other game is looked at; 0 sets no limit")
	flags.Uint64Var(&m.Seed, "seed", 1, "`SEED` of the random numbers; the same one gives the same games")
	flags.IntVar(&m.Count, "count", 0, "the number of puzzles in the file that ends it; 0 sets no limit")
	flags.IntVar(&m.Plies, "plies", 0, "the longest solution to look for, in moves of both sides; 0 looks for long ones near the end of games")
	flags.StringVar(&records, "records", "", "`FILE` of finished matches to look in; - is standard input")
	flags.StringVar(&m.File, "write", "", "`FILE` for the puzzles; without it games/GAME/puzzles.txt")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object a line")
	flags.StringVar(&preset, "preset", "", presetHelp)
	return cmd
}

// newBook is the command that makes the opening book that is built into this program.
func newBook(p process) *cobra.Command {
	var (
		plan    games.BookPlan
		workers int
		output  string
	)
	cmd := &cobra.Command{
		Use:   "book GAME [key=value ...]",
		Short: "Make the opening book of a game" + whatHasABook(p.games),
		Long: `Make the opening book of a game` + whatHasABook(p.games) + `. It holds a move that is proven not to lose for each position
after the first --full plies, and for all that the other side can make of these moves up to ply --follow.

Without options it is the built-in book, games/GAME/book.bin, with the boards and plies that are worth a book; this
takes some minutes of computing. With options it is a book for that board alone. The same arguments make
the same book.`,
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, o, err := p.game(args[0], "", args[1:])
			if err != nil {
				return err
			}
			booked, ok := g.(games.Booked)
			if !ok {
				return fmt.Errorf("%s needs no book%s", g.About().Name, whatHasABook(p.games))
			}
			plans := booked.BookPlans()
			if len(args) > 1 {
				plan.Options = o
				plans = []games.BookPlan{plan}
			}
			book, err := lab.Book(cmd.Context(), p.stderr, booked, plans, workers)
			if err != nil {
				return ofLab(err)
			}
			return lab.ReplaceFile(output, book)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&plan.Full, "full", 1, "with options: every position after so many plies and fewer has a move")
	flags.IntVar(&plan.Follow, "follow", 2, "with options: the ply up to which answers to the book are followed")
	flags.IntVar(&plan.Nodes, "nodes", 1<<26, "with options: positions to look at for one move at most")
	flags.IntVar(&workers, "workers", 1, "moves looked for at the same time")
	flags.StringVar(&output, "output", "book.bin", "`FILE` to write")
	return cmd
}

// whatHasABook names the games that have a book, for the end of a sentence.
func whatHasABook(all []games.Game) string {
	var names []string
	for _, g := range all {
		if _, ok := g.(games.Booked); ok {
			names = append(names, g.About().Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; only " + strings.Join(names, ", ") + " has one"
}

// newScale is the command that measures what evaluations are worth, for the analyses and the graphs of reviews.
func newScale(p process) *cobra.Command {
	var f analysis.Fitting
	cmd := &cobra.Command{
		Use:   "scale [GAME ...]",
		Short: "Measure how far ahead a side must be to expect 73 % of the points",
		Long: `Measure how far ahead a side must be to expect 73 % of the points: the scale of the logistic curve by which analyses turn
values into chances. Levels that are like people play each other, their games are analysed, and the scale is that by which the
results surprise least; the same seed gives the same scale. It prints how many bits they surprise a position by scales measured
on the other half of the games, and by the present scale. Without a GAME all games are measured, under their usual options.`,
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := p.gamesNamed(args)
			if err != nil {
				return err
			}
			return ofLab(lab.Scale(cmd.Context(), cmd.OutOrStdout(), terminalOf(p.stderr), all, f))
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.Games, "games", 200, "number of games")
	flags.IntVar(&f.Nodes, "nodes", 5_000, "number of positions to look at for each position of a game")
	flags.IntVar(&f.Openings, "openings", 2, "random plies before the players take over")
	flags.Uint64Var(&f.Seed, "seed", 1, "`SEED` of the random numbers; the same one gives the same games")
	return cmd
}

// terminalOf returns the writer if it is a terminal, else nil.
func terminalOf(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return f
	}
	return nil
}

// game reads a game and its options from the words of a command. preset names the option set that they change; "" is the defaults.
func (p process) game(name, preset string, words []string) (games.Game, games.Options, error) {
	g, ok := games.Find(p.games, name)
	if !ok {
		ids := make([]string, 0, len(p.games))
		for _, g := range p.games {
			ids = append(ids, g.About().ID)
		}
		return nil, nil, fmt.Errorf("there is no game %q; the games are %s", name, strings.Join(ids, ", "))
	}
	o, err := games.ParseOptionsOf(g, preset, words)
	if bad, ok := errors.AsType[*games.OptionError](err); ok && bad.Malformed {
		err = usageError{err}
	}
	return g, o, err
}

// start reads a game and the position that a command begins from: the one that from describes, or the start of the game for "". Options that
// are given too must be the options of the position.
func (p process) start(name, preset string, words []string, from string) (games.Game, games.Position, error) {
	g, o, err := p.game(name, preset, words)
	if err != nil {
		return nil, nil, err
	}
	if from == "" {
		start, err := g.New(o)
		return g, start, err
	}
	position, err := g.Parse(from)
	if err != nil {
		return nil, nil, err
	}
	if (preset != "" || len(words) > 0) && !position.Options().Equal(o) {
		return nil, nil, fmt.Errorf("the options of the position are %s, not %s", position.Options(), o)
	}
	return g, position, nil
}

// gamesNamed returns the games of these names, or all games if there are none.
func (p process) gamesNamed(names []string) ([]games.Game, error) {
	if len(names) == 0 {
		return p.games, nil
	}
	var all []games.Game
	for _, name := range names {
		g, _, err := p.game(name, "", nil)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// ofLab tells wrong usage from work that failed.
func ofLab(err error) error {
	if errors.Is(err, lab.ErrUsage) || errors.Is(err, analysis.ErrNodes) || errors.Is(err, analysis.ErrFitting) {
		return usageError{err}
	}
	return err
}
