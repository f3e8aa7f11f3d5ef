// Command gendocs writes the pages about commands to a folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"ludoteca/sshapp/command"
)

func main() {
	for name, page := range command.Docs() {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(page), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
