package cli

import (
	"log/slog"

	"github.com/spf13/pflag"

	"ludoteca/sshapp/flagset"
)

// A retiredFlag is a flag of serve that has no effect any more. In this version a command line, a variable or a unit that still sets it
// starts the club all the same, with a warning.
type retiredFlag struct {
	name string
	now  string // what holds in its place
}

// retiredFlags are all of them. The next version can refuse them.
var retiredFlags = []retiredFlag{
	{"keeper", "name operators with --operator, or LUDOTECA_OPERATOR"},
	{"away-offer", "a public offer or a rematch waits a minute for an owner who isn't connected"},
	{"private-wait", "a private match waits 30 days for its second player"},
	{"unwatched", "a match between two computer players goes on for 5 minutes with nobody watching"},
	{"unload-after", "a match that nobody looks at stays in memory for a minute; see --max-moves-memory"},
	{"max-moves", "a match is drawn at 30000 moves"},
	{"max-takebacks", "300 moves can be taken back in a match"},
	{"max-wrong-codes", "a person or an address may give 10 wrong codes in a row"},
	{"wrong-code-every", "6 seconds earn one more wrong code"},
	{"max-analyses", "64 matches wait to be analysed"},
	{"max-history", "1000 matches of a history are read at once"},
	{"linger", "a connection may stay for 10 minutes without a session"},
	{"input-rate", "4 KiB a second of what a client types are taken"},
	{"input-burst", "16 KiB at once of what a client types are taken"},
	{"max-paste-bytes", "512 bytes of a paste are taken"},
	{"auth-tries", "6 failed tries to sign in end a connection"},
	{"max-env", "32 environment variables of a session are kept"},
	{"max-env-bytes", "4 KiB of the environment of a session are kept"},
	{"max-command-bytes", "a command has at most 4096 bytes"},
}

// declareRetired declares the retired flags, which help doesn't list.
func declareRetired(flags *pflag.FlagSet) {
	for _, f := range retiredFlags {
		flagset.Retire(flags, f.name, f.now)
	}
}

// warnOfRetired warns of the retired flags that the command line or the environment has set.
func warnOfRetired(flags *pflag.FlagSet, log *slog.Logger) {
	flags.Visit(func(f *pflag.Flag) {
		if now, ok := flagset.Retired(f); ok {
			log.Warn("a flag has no effect any more", "flag", "--"+f.Name, "variable", flagset.Variable(f), "now", now)
		}
	})
}
