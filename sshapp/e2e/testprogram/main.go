// Testprogram is the program, as tests want it: with other games, and with a clock that they set.
package main

import (
	"os"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/cli"
	"ludoteca/sshapp/e2e/hexapawn"
)

// onlyHexapawn is the environment variable that gives the program hexapawn in place of the games of the catalogue.
const onlyHexapawn = "LUDOTECA_TEST_HEXAPAWN"

// clockFile is the environment variable that names a file with the time by which the program's clock is ahead.
const clockFile = "LUDOTECA_TEST_CLOCK"

func main() {
	all := catalog.All()
	if os.Getenv(onlyHexapawn) != "" {
		all = []games.Game{hexapawn.New()}
	}
	clock := os.Getenv(clockFile)
	for _, name := range []string{onlyHexapawn, clockFile} {
		if err := os.Unsetenv(name); err != nil { // the command line knows none of them
			panic(err)
		}
	}
	os.Exit(cli.Main(all, func() time.Time {
		ahead, _ := os.ReadFile(clock)
		d, _ := time.ParseDuration(string(ahead)) // 0 without a file
		return time.Now().Add(d)
	}))
}
