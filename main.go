// Ludoteca is a board-game club behind one SSH port. See CONTRIBUTING.md for the map.
package main

import (
	"os"
	"time"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/cli"
)

func main() { os.Exit(cli.Main(catalog.All(), time.Now)) }
